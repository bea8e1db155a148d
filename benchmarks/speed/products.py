"""Products for the Gaussian kernel on the features, against NumPy and BLAS (sgemm).

Ours gives a product the same bits wherever its two rows stand, which a BLAS does not.

    python -m benchmarks.speed.products [--json FILE]
"""

from collections.abc import Sequence
from functools import partial

import numpy as np

from benchmarks.speed.case import Case, Prepared, agree
from benchmarks.speed.environment import blas_name
from benchmarks.speed.machine import Work
from benchmarks.speed.running import main
from sfmcore.kernels import _products

# Rows, landmarks, columns.
SIZES = ((4000, 1000, 430), (4000, 1000, 4000))


def products(n_rows: int, n_points: int, n_columns: int) -> Prepared:
    """Inner products of all rows with all landmarks."""
    random = np.random.default_rng(0)
    rows, points = (random.normal(size=(n, n_columns)) for n in (n_rows, n_points))
    rows, points = (
        (a / np.linalg.norm(a, axis=1, keepdims=True)).astype(np.float32) for a in (rows, points)
    )
    out, other = np.empty((2, n_rows, n_points), dtype=np.float32)

    def ours() -> None:
        _products.products(rows, points, out, 1)

    def peer() -> None:
        np.matmul(rows, points.T, out=other)

    def check() -> None:
        ours()
        peer()
        agree("products", out, other, atol=1e-5)

    return Prepared(
        ours,
        "s for all products",
        peer,
        f"NumPy {np.__version__} ({blas_name()}) sgemm",
        check,
        Work(
            "2 a row, landmark and column",
            2.0 * n_rows * n_points * n_columns,
            "float32",
            rows.nbytes + points.nbytes,
        ),
        {"n_rows": n_rows, "n_points": n_points, "n_columns": n_columns},
    )


def cases(sizes: Sequence[tuple[int, int, int]] = SIZES) -> list[Case]:
    """All cases."""
    return [
        Case(
            f"kernel products, {n_rows} x {n_points}, {n_columns} columns",
            partial(products, n_rows, n_points, n_columns),
            "sgemm",
        )
        for n_rows, n_points, n_columns in sizes
    ]


if __name__ == "__main__":
    main(cases(), __doc__)
