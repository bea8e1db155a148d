"""Data term of J(u) against NumPy and BLAS: risks and gradient of labelled rows.

NumPy does what one writes without the kernel: the scores by ``rows @ u``, the losses by scipy's
``erfc`` and NumPy's ``exp``, the gradient by ``rows.T @ factors``; two passes over the rows. It
works in the rows' own type: with float32 rows its u, losses and gradient are float32 and BLAS
is the single-precision one, while the kernel computes in double precision from the same rows.
Both run in one process and on one thread. That both give the same numbers is checked first.

No kernel can be faster than one pass over the rows. How long the memory takes for that is
measured in the same process, as the best of several ways to read an array.

    python -m benchmarks.speed.objective [--json FILE]
"""

from time import perf_counter
from typing import Any

import numpy as np
import scipy
from scipy.special import erfc
from threadpoolctl import threadpool_limits

from benchmarks.speed.timing import Timing, measure, parse_arguments, report
from sfmcore.kernels import _objective

Case = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]

SIZES: list[tuple[int, int, type]] = [
    (100_000, 500, np.float64),
    (100_000, 500, np.float32),
    (20_000, 100, np.float64),
]


def make_case(n_rows: int, n_columns: int, dtype: type) -> Case:
    """Rows of unit length, signs, weights that sum to 1, and a u whose scores spread about 1."""
    random = np.random.default_rng(0)
    rows = random.normal(size=(n_rows, n_columns))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    signs = random.choice(np.array([-1, 1], dtype=np.int8), n_rows)
    weights = random.uniform(0, 2, n_rows) / n_rows
    return rows.astype(dtype), signs, weights, random.normal(size=n_columns)


def numpy_risk(
    rows: np.ndarray, signs: np.ndarray, weights: np.ndarray, u: np.ndarray
) -> tuple[float, np.ndarray]:
    """Gibbs risk and gradient, in the type of the arguments."""
    # Python floats, which leave the type of an array as it is.
    root, height = 0.5**0.5, float(1 / np.sqrt(2 * np.pi))
    margins = signs * (rows @ u)
    risk = weights @ (0.5 * erfc(root * margins))
    factors = (-height * weights) * signs * np.exp(-0.5 * margins * margins)
    return float(risk), rows.T @ factors


def peer_name() -> str:
    """NumPy, the BLAS it was built with, and SciPy."""
    config: Any = np.show_config(mode="dicts")
    blas = config["Build Dependencies"]["blas"]
    return f"NumPy {np.__version__}, {blas['name']} {blas['version']}, SciPy {scipy.__version__}"


def seconds_of_one_pass(rows: np.ndarray) -> float:
    """Shortest time that reading all of `rows` takes: no way to read is the fastest everywhere."""
    values = rows.ravel()
    bits = values.view(np.uint64)
    best = float("inf")
    for read in (lambda: values @ values, values.sum, bits.max):
        for _ in range(9):
            start = perf_counter()
            read()
            best = min(best, perf_counter() - start)
    return best


def time_size(n_rows: int, n_columns: int, dtype: type, pairs: int) -> Timing:
    """Check that ours and NumPy agree, then time both."""
    case = make_case(n_rows, n_columns, dtype)
    rows, signs, weights, u = case
    theirs = (rows, signs.astype(dtype), weights.astype(dtype), u.astype(dtype))

    risk, _, _, gradient = _objective.risks(*case, False, 1)
    other_risk, other_gradient = numpy_risk(*theirs)
    assert other_gradient.dtype == dtype
    precision = 1e-9 if dtype is np.float64 else 1e-4
    np.testing.assert_allclose(risk, other_risk, rtol=precision)
    np.testing.assert_allclose(
        gradient, other_gradient, rtol=precision, atol=precision * np.abs(gradient).max()
    )

    limit = seconds_of_one_pass(rows)
    details: dict[str, Any] = {
        "n_rows": n_rows,
        "n_columns": n_columns,
        "dtype": np.dtype(dtype).name,
        "peer_dtype": np.dtype(dtype).name,
        "n_threads": 1,
        "bytes": rows.nbytes,
        "limit_s": limit,
        "limit_bytes_per_s": rows.nbytes / limit,
    }
    return measure(
        f"risks and gradient, {n_rows} x {n_columns}, {np.dtype(dtype).name}",
        lambda: _objective.risks(*case, False, 1),
        lambda: numpy_risk(*theirs),
        peer_name=peer_name(),
        unit="s for one evaluation",
        pairs=pairs,
        details=details,
    )


def main() -> None:
    """Run all cases."""
    arguments = parse_arguments("Speed of the objective's kernel against NumPy and BLAS.")
    with threadpool_limits(limits=1):
        timings = [time_size(*size, arguments.pairs) for size in SIZES]
    print(f"one thread, median of {arguments.pairs}; the peer computes in the type of the rows")
    report(timings, arguments.json)
    print("limit: one pass over the rows at the best rate of reading")
    for t in timings:
        limit, rate = t.details["limit_s"], t.details["limit_bytes_per_s"]
        print(f"{t.name}: {1000 * limit:.2f} ms at {rate / 1e9:.1f} GB/s, {limit / t.ours_s:.0%}")


if __name__ == "__main__":
    main()
