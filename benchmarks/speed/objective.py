"""Data term of J(u) against NumPy and BLAS: risks and gradient of labelled rows.

NumPy does what one writes without the kernel: the scores by ``rows @ u``, the losses by scipy's
``erfc`` and NumPy's ``exp``, the gradient by ``rows.T @ factors``; two passes over the rows. It
works in the rows' own type: with float32 rows its u, losses and gradient are float32 and BLAS
is the single-precision one, while the kernel computes in double precision from the same rows.

    python -m benchmarks.speed.objective [--json FILE]
"""

from collections.abc import Sequence
from functools import partial

import numpy as np
import scipy
from scipy.special import erfc

from benchmarks.speed.case import Case, Prepared, agree
from benchmarks.speed.environment import blas_name
from benchmarks.speed.machine import Work
from benchmarks.speed.running import main
from sfmcore.kernels import _objective

Arrays = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
# Rows, columns and their type.
Size = tuple[int, int, type]

SIZES: tuple[Size, ...] = (
    (100_000, 500, np.float64),
    (100_000, 500, np.float32),
    (20_000, 100, np.float64),
)


def make_case(n_rows: int, n_columns: int, dtype: type) -> Arrays:
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


def risks_work(rows: np.ndarray) -> Work:
    """One pass over the rows."""
    return Work(
        "4 a row and column (score and gradient), the loss not counted; every row read once",
        4.0 * rows.size,
        read_bytes=rows.nbytes,
    )


def risks(n_rows: int, n_columns: int, dtype: type) -> Prepared:
    """Risk and gradient."""
    arrays = make_case(n_rows, n_columns, dtype)
    rows, signs, weights, u = arrays
    theirs: Arrays = (rows, signs.astype(dtype), weights.astype(dtype), u.astype(dtype))

    def check() -> None:
        risk, _, _, gradient = _objective.risks(*arrays, False, 1)
        other_risk, other_gradient = numpy_risk(*theirs)
        agree("types", other_gradient.dtype.itemsize, np.dtype(dtype).itemsize)
        precision = 1e-9 if dtype is np.float64 else 1e-4
        agree("risks", risk, other_risk, rtol=precision)
        atol = precision * float(np.abs(gradient).max())
        agree("gradients", gradient, other_gradient, rtol=precision, atol=atol)

    return Prepared(
        lambda: _objective.risks(*arrays, False, 1),
        "s for one evaluation",
        lambda: numpy_risk(*theirs),
        f"NumPy {np.__version__} ({blas_name()}), SciPy {scipy.__version__}",
        check,
        risks_work(rows),
        {"n_rows": n_rows, "n_columns": n_columns, "dtype": np.dtype(dtype).name},
    )


def cases(sizes: Sequence[Size] = SIZES) -> list[Case]:
    """All cases."""
    return [
        Case(
            f"J and gradient, {n_rows} x {n_columns}, {np.dtype(dtype).name}",
            partial(risks, n_rows, n_columns, dtype),
            "NumPy and BLAS",
        )
        for n_rows, n_columns, dtype in sizes
    ]


if __name__ == "__main__":
    main(cases(), __doc__)
