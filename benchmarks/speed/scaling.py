"""How the cost of the kernels grows with size: seconds a unit at four sizes, 4x apart.

python -m benchmarks.speed --scaling DIR
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.speed import hmm, lda, objective
from benchmarks.speed.case import Call
from sfmcore.data.ragged import Ragged
from sfmcore.kernels import _hmm, _objective
from sfmvision.descriptors.dense_sift import DenseSIFT

_LENGTH = 125
_N_COLUMNS = 100


@dataclass(frozen=True)
class Series:
    """A kernel at several sizes.

    Parameters
    ----------
    name, unit : str
    sizes : sequence of int
        In units, rising.
    make : callable
        From a size to the units that there really are, and a call.
    """

    name: str
    unit: str
    sizes: Sequence[int]
    make: Callable[[int], tuple[int, Call]]


def steps(largest: int, n: int = 4) -> list[int]:
    """Sizes 4x apart, up to the largest.

    Examples
    --------
    >>> steps(6400)
    [100, 400, 1600, 6400]
    """
    return [largest // 4 ** (n - 1 - k) for k in range(n)]


def hmm_statistics(n_residues: int) -> tuple[int, Call]:
    """Expected statistics of 10 states over sequences of 125 residues."""
    n_items = max(1, n_residues // _LENGTH)
    random = np.random.default_rng(0)
    values = random.integers(hmm.N_SYMBOLS, size=n_items * _LENGTH).astype(np.uint8)
    data = Ragged(values, np.arange(n_items + 1) * _LENGTH)
    arguments, weights = hmm.arguments_of(data, hmm.make_model(10)), np.ones(n_items)
    return len(values), lambda: _hmm.expected_statistics(*arguments, weights, 1)


def lda_sweep(n_tokens: int) -> tuple[int, Call]:
    """A sweep over documents of up to 1,000 tokens, 200 words and 40 topics."""
    length = min(1000, n_tokens)
    size = lda.Size(200, 40, n_items=n_tokens // length, length=length)
    sampler = lda.Ours(lda.simulate.__wrapped__(size), size)
    return len(sampler.tokens), lambda: sampler.sweep(1)


def dense_sift(n_pixels: int) -> tuple[int, Call]:
    """Descriptors of a square image of noise that is smooth enough to have gradients."""
    side = round(n_pixels**0.5)
    random = np.random.default_rng(0)
    waves = np.sin(np.arange(side)[:, None] * random.uniform(0.05, 0.5, 8)).sum(1)
    image = np.add.outer(waves, waves) + random.normal(size=(side, side))
    image = (image - image.min()) / np.ptp(image)
    sift = DenseSIFT(step=8)
    return side * side, lambda: sift.compute(image)


def j_and_gradient(n_rows: int) -> tuple[int, Call]:
    """Risk and gradient of float32 rows of 100 columns."""
    arrays = objective.make_case(n_rows, _N_COLUMNS, np.float32)
    return n_rows, lambda: _objective.risks(*arrays, False, 1)


def all_series(largest: int = 10_000_000) -> list[Series]:
    """The four kernels, up to so many residues and tokens; fewer pixels and rows."""
    return [
        Series("HMM expected statistics, 10 states", "residue", steps(largest), hmm_statistics),
        Series("LDA sweep, 40 topics", "token", steps(largest), lda_sweep),
        Series("dense SIFT", "pixel", steps(int(0.42 * largest)), dense_sift),
        Series("J and gradient, 100 columns", "row", steps(largest // 10), j_and_gradient),
    ]


def measured(series: Series, pairs: int) -> dict[str, Any]:
    """Median seconds at every size, all sizes in turns.

    Returns
    -------
    dict
        ``name``, ``unit``, ``sizes``, ``seconds``, ``seconds_per_unit``, and ``slope``, the
        exponent of the size that fits best.
    """
    made = [series.make(size) for size in series.sizes]
    times: list[list[float]] = [[] for _ in made]
    for _, call in made:
        call()
    for _ in range(pairs):
        for (_, call), own in zip(made, times, strict=True):
            start = perf_counter()
            call()
            own.append(perf_counter() - start)
    sizes, seconds = [size for size, _ in made], [median(own) for own in times]
    slope = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
    return {
        "name": series.name,
        "unit": series.unit,
        "sizes": sizes,
        "seconds": seconds,
        "seconds_per_unit": [s / n for s, n in zip(seconds, sizes, strict=True)],
        "slope": slope,
        "pairs": pairs,
    }


def draw(results: Sequence[dict[str, Any]], path: Path) -> None:
    """Seconds against size, both logarithmic, beside lines of slope 1."""
    import matplotlib
    from matplotlib.figure import Figure

    matplotlib.use("agg")
    figure = Figure(figsize=(7.0, 5.0), layout="constrained")
    ax = figure.subplots()
    for result in results:
        sizes, seconds = np.array(result["sizes"]), np.array(result["seconds"])
        label = f"{result['name']} (a {result['unit']}): slope {result['slope']:.2f}"
        (line,) = ax.loglog(sizes, seconds, "o", label=label)
        straight = seconds[-1] * sizes / sizes[-1]
        ax.loglog(sizes, straight, "-", color=line.get_color(), linewidth=0.8)
    ax.set_xlabel("residues, tokens, pixels, rows")
    ax.set_ylabel("seconds, one thread (lines: proportional to size)")
    ax.legend(frameon=False, fontsize="small")
    figure.savefig(path, dpi=150)


def run_scaling(folder: Path, *, pairs: int, series: Sequence[Series] | None = None) -> int:
    """Measure all series; write ``scaling.json`` and ``scaling.png``.

    Parameters
    ----------
    folder : Path
        Made if need be.
    pairs : int
        Turns.
    series : sequence of Series, optional

    Returns
    -------
    int
        Exit code, 0.
    """
    folder.mkdir(parents=True, exist_ok=True)
    results = []
    for one in all_series() if series is None else series:
        with threadpool_limits(limits=1):
            results.append(measured(one, pairs))
        print(f"{one.name}: seconds grow as size to the power {results[-1]['slope']:.3f}")
        for size, cost in zip(results[-1]["sizes"], results[-1]["seconds_per_unit"], strict=True):
            print(f"{size:>12,} {1e9 * cost:10.2f} ns a {one.unit}", flush=True)
        (folder / "scaling.json").write_text(json.dumps(results, indent=2) + "\n")
    draw(results, folder / "scaling.png")
    return 0
