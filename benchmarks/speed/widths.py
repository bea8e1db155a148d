"""Kernels in narrower vectors than this processor's, against its own: what other processors get.

Vectors of four doubles are those of AVX2, of two those of SSE2 and NEON. That the results agree is
checked first: to the last bit for four, which fuse multiply-add like eight. A processor with AVX2
alone may run at another clock and with other caches.

    python -m benchmarks.speed.widths [--json FILE]
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks.speed import gmm, hmm, objective
from benchmarks.speed.case import Case, Prepared, agree
from benchmarks.speed.running import main
from sfmcore.kernels import _gmm, _hmm, _objective, _simd

WIDTHS = (4, 2)
_OWN = "ours, as wide as it goes"
_WIDEST = 8


@dataclass(frozen=True)
class Sizes:
    """What the cases work on."""

    read: hmm.Read = hmm.read_sequences
    n_states: int = 30
    rows: objective.Size = objective.SIZES[0]
    mixture: gmm.Size = gmm.SIZES[0]


def compared(unit: str, call: Callable[[], tuple[Any, ...]], width: int) -> Prepared:
    """A call with vectors of `width` doubles beside one with the widest.

    Parameters
    ----------
    unit : str
    call : callable
    width : int
    """

    def limited(widest: int) -> tuple[Any, ...]:
        before = _simd.limit_width(64 * widest)
        try:
            return call()
        finally:
            _simd.limit_width(before)

    def check() -> None:
        for narrow, wide in zip(limited(width), limited(_WIDEST), strict=True):
            rounding = 0.0 if width == 4 else 1e-9
            atol = 1e-3 * rounding * float(np.abs(wide).max())
            agree("results", narrow, wide, rtol=rounding, atol=atol)

    details = {"n_threads": 1, "doubles_in_a_vector": width}
    return Prepared(
        lambda: limited(width), unit, lambda: limited(_WIDEST), _OWN, check, details=details
    )


def hmm_case(sizes: Sizes, width: int) -> Prepared:
    """Expected statistics."""
    data = sizes.read()
    arguments = hmm.arguments_of(data, hmm.make_model(sizes.n_states))
    weights = np.ones(len(data))
    return compared(
        "s for one pass over all sequences",
        lambda: _hmm.expected_statistics(*arguments, weights, 1),
        width,
    )


def objective_case(sizes: Sizes, width: int) -> Prepared:
    """Risk and gradient."""
    arrays = objective.make_case(*sizes.rows)
    return compared("s for one evaluation", lambda: _objective.risks(*arrays, False, 1), width)


def gmm_case(sizes: Sizes, width: int) -> Prepared:
    """Statistics of an EM iteration."""
    items, parameters = gmm.make_case(sizes.mixture)
    ones = np.ones(len(items))
    return compared(
        "s for one pass over all items",
        lambda: _gmm.expected_statistics(items, *parameters, ones, 1),
        width,
    )


def cases(sizes: Sizes | None = None) -> list[Case]:
    """All cases."""
    sizes = sizes or Sizes()
    n_rows, n_columns, dtype = sizes.rows
    kinds: list[tuple[str, Callable[[Sizes, int], Prepared]]] = [
        (f"HMM expected statistics, {sizes.n_states} states", hmm_case),
        (f"J and gradient, {n_rows} x {n_columns}, {np.dtype(dtype).name}", objective_case),
        (f"GMM EM, {sizes.mixture}", gmm_case),
    ]
    return [
        Case(f"{name}, vectors of {width}", partial(make, sizes, width), _OWN)
        for name, make in kinds
        for width in WIDTHS
    ]


if __name__ == "__main__":
    main(cases(), __doc__)
