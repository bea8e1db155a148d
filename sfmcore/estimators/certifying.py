"""Certificates of a fitted classifier: labels, digests and divergences behind one report."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sfmcore.bounds.certificate_report import Centres, CertificateReport, certify_votes
from sfmcore.bounds.margin_limit import Lengths
from sfmcore.data.arrays import Float64Array, Int64Array
from sfmcore.data.known_items import FITTED, SEEN
from sfmcore.learning.pair import Pair, mean_divergence


def warn_of_seen(roles: Int64Array, *, fresh: bool) -> None:
    """Warn, at the caller's caller, of items that equal items that something was learnt from.

    Parameters
    ----------
    roles : ndarray of shape (n_items,), int64
        What was learnt from each item, as :meth:`KnownItems.roles_of` says.
    fresh : bool
    """
    count = int(np.sum(roles >= (FITTED if fresh else SEEN)))
    if count:
        what = "the models or u were" if fresh else "the models were"
        warnings.warn(
            f"{count} of {len(roles)} items equal items that {what} learnt "
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
    is_majority: bool,
) -> CertificateReport:
    """Certificates of all votes, with the divergences of the pairs that vote.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
    pairs : sequence of Pair
        Class by class, as many of each.
    numbers, margins, scores, delta, fresh, is_majority
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
        is_majority=is_majority,
        # The vote on raw features is another one, of which nothing is known.
        centres=None if pairs[0].vote == "raw" else centres_of(pairs, len(margins)),
    )


def centres_of(pairs: Sequence[Pair], n_targets: int) -> Centres:
    """Lengths of u and u_0 of every vote, and of all together.

    Parameters
    ----------
    pairs : sequence of Pair
        Class by class, as many of each.
    n_targets : int
        Classes that are told from the rest.
    """
    size = len(pairs) // n_targets
    teams = [pairs[k : k + size] for k in range(0, len(pairs), size)]
    votes = [_mean([Lengths.of(pair.u, pair.prior_mean) for pair in team]) for team in teams]
    parts = []
    for number in range(size):
        own = [team[number] for team in teams]
        us, prior_means = [pair.u for pair in own], [pair.prior_mean for pair in own]
        if n_targets > 1 and all(pair.mapping is own[0].mapping for pair in own):
            # Over the same rows, what all classes have in common changes no label.
            us, prior_means = _without_mean(us), _without_mean(prior_means)
        lengths = [Lengths.of(u, mean) for u, mean in zip(us, prior_means, strict=True)]
        parts.append(_scaled(_mean(lengths), n_targets))
    return Centres(votes, _mean(parts))


def _without_mean(vectors: Sequence[Float64Array]) -> list[Float64Array]:
    return list(np.array(vectors) - np.mean(vectors, axis=0))


def _mean(lengths: Sequence[Lengths]) -> Lengths:
    return Lengths(
        float(np.mean([one.posterior for one in lengths])),
        float(np.mean([one.product for one in lengths])),
        float(np.mean([one.prior for one in lengths])),
    )


def _scaled(lengths: Lengths, factor: float) -> Lengths:
    return Lengths(factor * lengths.posterior, factor * lengths.product, factor * lengths.prior)
