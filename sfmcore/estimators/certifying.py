"""Certificates of a fitted classifier: labels, digests and divergences behind one report."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sfmcore.bounds.certificate_report import CertificateReport, certify_votes
from sfmcore.data.arrays import Float64Array, Int64Array, UInt64Array
from sfmcore.data.targets import numbered_labels
from sfmcore.learning.pair import Pair, mean_divergence


def known_numbers(y: npt.ArrayLike, n_items: int, classes: npt.NDArray[Any]) -> Int64Array:
    """Class number of every label.

    Parameters
    ----------
    y : array-like of shape (n_items,)
    n_items : int
    classes : ndarray of shape (n_classes,)
        Those that were learnt.

    Raises
    ------
    ValueError
        If a label is of none of the classes.
    """
    own, numbers = numbered_labels(y, n_items, None)
    # As Python compares them: to NumPy 1 and "1" may be equal.
    known = {label: number for number, label in enumerate(classes.tolist())}
    unknown = [label for label in own.tolist() if label not in known]
    if unknown:
        raise ValueError(f"y holds labels that training did not: {unknown}")
    return np.array([known[label] for label in own.tolist()], dtype=np.int64)[numbers]


def warn_of_seen(keys: UInt64Array, seen: UInt64Array, *, fresh: bool) -> None:
    """Warn, at the caller's caller, of items that equal items that something was learnt from.

    Parameters
    ----------
    keys : ndarray of shape (n_items,), uint64
        Digests of the items.
    seen : ndarray of uint64
        Digests of the items that must not be among them.
    fresh : bool
    """
    count = int(np.isin(keys, seen).sum())
    if count:
        what = "the models or u were" if fresh else "the models were"
        warnings.warn(
            f"{count} of {len(keys)} items equal items that {what} learnt "
            "from: the certificate holds only if they were drawn independently",
            UserWarning,
            stacklevel=3,
        )


def certify_items(
    classes: npt.NDArray[Any],
    pairs: Sequence[Pair],
    numbers: Int64Array,
    margins: Sequence[Float64Array],
    scores: Float64Array,
    *,
    delta: float,
    fresh: bool,
) -> CertificateReport:
    """Certificates of all votes, with the divergences of the pairs that vote.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
    pairs : sequence of Pair
        Class by class, as many of each.
    numbers, margins, scores, delta, fresh
        As of :func:`sfmcore.bounds.certificate_report.certify_votes`.
    """
    size = len(pairs) // len(margins)
    divergences = [
        0.0 if fresh else mean_divergence(pairs[k : k + size]) for k in range(0, len(pairs), size)
    ]
    return certify_votes(
        classes,
        numbers,
        margins,
        scores,
        divergences,
        delta=delta,
        fresh=fresh,
        is_majority=pairs[0].vote == "majority",
    )
