"""What one thread of this machine can do, measured, and how near to it a kernel comes.

The limits are those of a roofline: a kernel needs at least the time in which its bytes are read
from memory, and at least the time in which its arithmetic is done. The rate of arithmetic is the
best that NumPy's BLAS reaches on products of matrices that fit in the caches. It is BLAS's own, not
the processor's peak, so a share above 1 is possible and would say that the BLAS is slow.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

from benchmarks.speed.environment import blas_name, processor_name

_READ_BYTES = 1 << 29
_GEMM_SIZES = (128, 192, 256, 384, 512)
# Where the system does not say how large the caches are.
_USUAL_CACHE = 1 << 25


@dataclass(frozen=True)
class Machine:
    """Rates of one thread.

    Attributes
    ----------
    processor, blas : str
        Names.
    cache_bytes : int
        Of the largest cache.
    read_bytes_per_s : float
        Reading an array that is much larger than the caches, the best of several ways.
    flops : dict of str to float
        Floating-point operations a second by type, ``"float32"`` and ``"float64"``; a
        multiplication and an addition are two.
    """

    processor: str
    blas: str
    cache_bytes: int
    read_bytes_per_s: float
    flops: dict[str, float]

    def __str__(self) -> str:
        """One line for people."""
        return (
            f"{self.processor}; reads {self.read_bytes_per_s / 1e9:.1f} GB/s; {self.blas} reaches "
            + " and ".join(f"{rate / 1e9:.0f} GFLOP/s {name}" for name, rate in self.flops.items())
        )


@dataclass(frozen=True)
class Work:
    """What a kernel has to do at least, counted from its code.

    Parameters
    ----------
    counted : str
        What is counted, in words.
    flops : float
    precision : str, default="float64"
        Type in which they are done.
    read_bytes : float, default=0
        Bytes of its largest input, each counted once.
    """

    counted: str
    flops: float
    precision: str = "float64"
    read_bytes: float = 0.0


@dataclass(frozen=True)
class Limit:
    """The least seconds of some work, and which rate they come from."""

    text: str
    seconds: float


def limit_of(work: Work, machine: Machine) -> Limit:
    """Which limit binds. Data that the caches hold need not be read from memory.

    Parameters
    ----------
    work : Work
    machine : Machine

    Examples
    --------
    >>> machine = Machine("", "", 1000, 1e10, {"float64": 5e10})
    >>> limit_of(Work("sums", 1e6, read_bytes=8e6), machine)
    Limit(text='memory 10.0 GB/s', seconds=0.0008)
    >>> limit_of(Work("sums", 1e6, read_bytes=800), machine).text
    'arithmetic 50 GFLOP/s float64'
    """
    rate = machine.flops[work.precision]
    text, seconds = f"arithmetic {rate / 1e9:.0f} GFLOP/s {work.precision}", work.flops / rate
    if work.read_bytes > machine.cache_bytes:
        reading = work.read_bytes / machine.read_bytes_per_s
        if reading > seconds:
            text, seconds = f"memory {machine.read_bytes_per_s / 1e9:.1f} GB/s", reading
    return Limit(text, seconds)


def measure_machine(
    *,
    read_bytes: int = _READ_BYTES,
    gemm_sizes: Sequence[int] = _GEMM_SIZES,
    repeats: int = 9,
) -> Machine:
    """Measure the rates; the BLAS must be on one thread.

    Parameters
    ----------
    read_bytes : int
        Size of the array that is read.
    gemm_sizes : sequence of int
        Rows of the square matrices that are multiplied.
    repeats : int, default=9
    """
    flops = {
        np.dtype(dtype).name: max(_gemm_rate(size, dtype, repeats) for size in gemm_sizes)
        for dtype in (np.float32, np.float64)
    }
    return Machine(
        processor_name(), blas_name(), _cache_bytes(), _read_rate(read_bytes, repeats), flops
    )


def _read_rate(n_bytes: int, repeats: int) -> float:
    """Bytes a second. No way to read is the fastest everywhere."""
    values = np.ones(n_bytes // 8)
    bits, halves = values.view(np.uint64), values.view(np.float32)
    ways = (
        lambda: values @ values,
        values.sum,
        bits.max,
        lambda: np.bitwise_or.reduce(bits),
        lambda: halves @ halves,
    )
    return values.nbytes / min(_best(way, repeats) for way in ways)


def _gemm_rate(size: int, dtype: type, repeats: int) -> float:
    random = np.random.default_rng(0)
    a, b = random.uniform(size=(2, size, size)).astype(dtype)
    out = np.empty_like(a)
    # A turn of a millisecond or more, whatever the size.
    times = max(1, int(2e7 / size**3))

    def multiply() -> None:
        for _ in range(times):
            np.matmul(a, b, out=out)

    return 2.0 * size**3 * times / _best(multiply, repeats)


def _best(call: object, repeats: int) -> float:
    assert callable(call)
    call()
    best = float("inf")
    for _ in range(repeats):
        start = perf_counter()
        call()
        best = min(best, perf_counter() - start)
    return best


def _cache_bytes() -> int:
    sizes = [_USUAL_CACHE]
    units = {"K": 1 << 10, "M": 1 << 20}
    for file in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size"):
        text = file.read_text().strip()
        if text[-1:] in units and text[:-1].isdigit():
            sizes.append(int(text[:-1]) * units[text[-1]])
    return max(sizes[1:] or sizes)
