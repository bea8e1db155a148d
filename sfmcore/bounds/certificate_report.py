"""Certificates of a classifier of several classes, from the votes on items."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from sfmcore.bounds.certificate import Certificate, Further, certify_losses
from sfmcore.bounds.draws_limit import draws_limit, joint_draws_limit
from sfmcore.bounds.inequalities import binomial_bound
from sfmcore.bounds.joint_limit import joint_margin_limit
from sfmcore.bounds.margin_limit import Lengths, margin_limit
from sfmcore.bounds.objective import upper_tail
from sfmcore.data.arrays import BoolArray, Float64Array, Int64Array
from sfmcore.data.checks import check_number

SUM_OF_VOTES = "sum over the votes"
OWN_ERRORS = "binomial tail of the label's own errors"

COVERAGE = 0.9
"""Coverage of sets of labels that a report speaks of, where the same items serve them."""
COVERAGE_SHARE = 0.1
"""Share of delta for that statement."""
# What the limit of the label itself gets of delta; the votes share the rest.
_LABEL_SHARE = 0.5
# The same where its errors are counted.
_COUNTED_SHARE = 0.7


@dataclass(frozen=True)
class Centres:
    """Means of the Gibbs classifiers and of their priors, as far as KL needs them.

    Attributes
    ----------
    votes : sequence of Lengths
        Of each class against the rest; of several pairs the means.
    joint : Lengths
        Of all classes together: sums, where classes share their rows without what u_c have in
        common.
    """

    votes: Sequence[Lengths]
    joint: Lengths


@dataclass(frozen=True)
class Coverage:
    """Coverage of sets of labels.

    Attributes
    ----------
    asked : float
        Coverage that the sets are made for.
    assured : float
        Coverage of new items, at least.
    """

    asked: float
    assured: float

    def __str__(self) -> str:
        # Rounded down: a coverage must not be overstated.
        least = math.floor(self.assured * 1e4) / 1e4
        return (
            f"sets of labels made for a coverage of {self.asked:g} contain the true label with "
            f"probability at least {least:.4f}"
        )


@dataclass(frozen=True)
class CertificateReport:
    """Bounds on the true risks of a classifier, class by class and of its label.

    Attributes
    ----------
    labels : tuple
        Class that each certificate tells from the rest; for two classes the second alone.
    certificates : tuple of Certificate
        One for each of `labels`.
    delta : float
        All limits of the report hold together with probability at least 1 - delta.
    fresh : bool
        Whether nothing, not even u, has seen the items.
    label_risk : float
        Share of the items that get a wrong label.
    label_bound : float or None
        Bound on the true probability of a wrong label; None where none is known, since the vote
        is not the majority vote that the theorems speak of.
    label_form : str or None
        Which limit was the smallest and became `label_bound`; None in older model files.
    coverage : Coverage or None
        What sets of labels cover, where the items serve them too.
    """

    labels: tuple[Any, ...]
    certificates: tuple[Certificate, ...]
    delta: float
    fresh: bool
    label_risk: float
    label_bound: float | None
    label_form: str | None = None
    coverage: Coverage | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        rows = zip(self.labels, self.certificates, strict=True)
        return {
            "delta": self.delta,
            "fresh": self.fresh,
            "label_risk": self.label_risk,
            "label_bound": self.label_bound,
            "label_form": self.label_form,
            "coverage": None if self.coverage is None else asdict(self.coverage),
            "classes": [{"label": label, **part.to_dict()} for label, part in rows],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Take back what :meth:`to_dict` gave.

        Raises
        ------
        KeyError, TypeError
            If something is missing or too much.
        """
        labels, certificates = [], []
        for part in values["classes"]:
            rest = dict(part)
            labels.append(rest.pop("label"))
            certificates.append(Certificate(**{**rest, "C_grid": tuple(rest["C_grid"])}))
        names = ("delta", "fresh", "label_risk", "label_bound")
        known = {name: values[name] for name in names}
        form, covered = values.get("label_form"), values.get("coverage")
        coverage = None if covered is None else Coverage(**covered)
        return cls(tuple(labels), tuple(certificates), **known, label_form=form, coverage=coverage)

    def __str__(self) -> str:
        text = []
        for label, part in zip(self.labels, self.certificates, strict=True):
            text.append(f"{label!r} against the rest:\n{part}")
        limit = "not bounded"
        if self.label_bound is not None:
            # Rounded up: a limit must not be understated.
            limit = f"at most {math.ceil(self.label_bound * 1e4) / 1e4:.4f}"
            if self.label_form is not None and len(self.labels) > 1:
                limit += f" ({self.label_form})"
        text.append(
            f"wrong label: {self.label_risk:.4f} on the items, true error {limit}; everything "
            f"above holds together with probability at least {1 - self.delta:g}"
        )
        if self.coverage is not None:
            text.append(f"and so does: {self.coverage}")
        return "\n".join(text)


def certify_votes(
    classes: npt.NDArray[Any],
    numbers: Int64Array,
    margins: Sequence[Float64Array],
    scores: Float64Array,
    divergences: Sequence[float],
    *,
    delta: float,
    fresh: bool,
    is_majority: bool,
    centres: Centres | None = None,
) -> CertificateReport:
    """Certificates of every one-versus-rest vote, and of the label.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
    numbers : ndarray of shape (n_items,)
        True class of each item.
    margins : sequence of ndarray of shape (n_items, n_rows)
        u . phi of the rows that vote, for each class against the rest; one for two classes.
    scores : ndarray of shape (n_items,) or (n_items, n_classes)
        What decides the label.
    divergences : sequence of float
        KL(Q || P) of each vote.
    delta : float
    fresh : bool
    is_majority : bool
        Whether the label is that of the majority vote.
    centres : Centres, optional
        With them, limits from margins or several draws join the others, unless the items are
        fresh. The label must then be that of the majority vote, or of the mean of the margins.

    Returns
    -------
    CertificateReport
    """
    check_number("delta", delta, "between 0 and 1", lambda value: 0 < value < 1)
    losses = gibbs_losses(numbers, margins)
    if fresh:
        # On fresh items counting is better than any limit from margins or draws.
        if any(divergences):
            raise ValueError(f"divergences must be 0 on fresh items, got {list(divergences)!r}")
        return certify_fresh(classes, numbers, losses, scores, delta=delta, is_majority=is_majority)
    two = len(classes) == 2
    targets = _targets(classes)
    # A union bound over the votes, and over the joint limit of the label where there is one.
    joint = centres is not None and not two
    of_label = _LABEL_SHARE if joint else 0.0
    share = delta * (1.0 - of_label) / len(targets)
    certificates = []
    for place, (target, rows, own, divergence) in enumerate(
        zip(targets, margins, losses, divergences, strict=True)
    ):
        options: dict[str, Any] = {"divergence": divergence, "delta": share}
        if centres is not None:
            signed = _signed(numbers, target, rows)
            options |= _sharper(signed, own, divergence, centres.votes[place], is_majority)
        certificates.append(certify_losses(own, **options))
    limits: list[tuple[float, str]] = []
    if is_majority or centres is not None:
        limits.append(_by_votes(certificates))
    if joint:
        assert centres is not None
        part = delta * of_label
        if is_majority and margins[0].shape[1] > 1:
            drawn = joint_draws_limit(numbers, margins, divergence=sum(divergences), delta=part)
            form = f"{drawn.n_draws} joint draws, leads above {drawn.threshold}"
            limits.append((drawn.value, form))
        else:
            found = joint_margin_limit(scores, numbers, centres.joint, delta=part)
            limits.append((found.value, f"joint draw, leads above {found.theta:g}"))
    wrong = _wrong_labels(scores, numbers)
    return _report(classes, certificates, limits, wrong, delta=delta, fresh=False)


def gibbs_losses(numbers: Int64Array, margins: Sequence[Float64Array]) -> list[Float64Array]:
    """Probability that the Gibbs classifier of each vote is wrong on each item.

    Parameters
    ----------
    numbers : ndarray of shape (n_items,)
        True class of each item.
    margins : sequence of ndarray of shape (n_items, n_rows)
        u . phi of the rows that vote, for each class against the rest; one for two classes.

    Returns
    -------
    list of ndarray of shape (n_items,)
        As many as `margins`.

    Examples
    --------
    >>> gibbs_losses(np.array([0, 1]), [np.array([[0.0], [8.0]])])[0].round(3).tolist()
    [0.5, 0.0]
    """
    targets = [1] if len(margins) == 1 else range(len(margins))
    return [
        upper_tail(_signed(numbers, target, rows)).mean(1)
        for target, rows in zip(targets, margins, strict=True)
    ]


def certify_fresh(
    classes: npt.NDArray[Any],
    numbers: Int64Array,
    losses: Sequence[Float64Array],
    scores: Float64Array,
    *,
    delta: float,
    is_majority: bool,
) -> CertificateReport:
    """Certificates of every vote, and of the label, on items that nothing was learnt from.

    Margins do not count here, so that the losses may come from several parts of the items.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
    numbers : ndarray of shape (n_items,)
        True class of each item.
    losses : sequence of ndarray of shape (n_items,)
        Of :func:`gibbs_losses`, for each class against the rest; one for two classes.
    scores, delta, is_majority
        As of :func:`certify_votes`.

    Returns
    -------
    CertificateReport

    Raises
    ------
    ValueError
        If delta is not between 0 and 1, or there are no items.
    """
    check_number("delta", delta, "between 0 and 1", lambda value: 0 < value < 1)
    two = len(classes) == 2
    targets = _targets(classes)
    # A union bound over the votes, and of several classes over the errors of the label itself.
    of_label = 0.0 if two else _COUNTED_SHARE
    share = delta * (1.0 - of_label) / len(targets)
    certificates = []
    for target, own in zip(targets, losses, strict=True):
        options: dict[str, Any] = {"divergence": 0.0, "delta": share, "fresh": True}
        if not is_majority:
            said = scores if two else scores[:, target]
            options |= {"is_majority": False, "vote_errors": (said > 0) != (numbers == target)}
        certificates.append(certify_losses(own, **options))
    wrong = _wrong_labels(scores, numbers)
    limits = []
    if is_majority or two:
        limits.append(_by_votes(certificates))
    if not two:
        counted = binomial_bound(int(wrong.sum()), len(wrong), delta * of_label)
        limits.append((counted, OWN_ERRORS))
    return _report(classes, certificates, limits, wrong, delta=delta, fresh=True)


def _targets(classes: npt.NDArray[Any]) -> list[int]:
    """Classes that are told from the rest."""
    return [1] if len(classes) == 2 else list(range(len(classes)))


def _signed(numbers: Int64Array, target: int, rows: Float64Array) -> Float64Array:
    """Margins, above 0 where they are right."""
    return np.where(numbers == target, 1.0, -1.0)[:, None] * rows


def _wrong_labels(scores: Float64Array, numbers: Int64Array) -> BoolArray:
    predicted = (scores > 0).astype(np.int64) if scores.ndim == 1 else scores.argmax(1)
    wrong: BoolArray = predicted != numbers
    return wrong


def _by_votes(certificates: Sequence[Certificate]) -> tuple[float, str]:
    """A label is wrong only if a vote is: if all are right, the true class alone is above 0."""
    total = sum(part.vote_bound for part in certificates)
    form = certificates[0].vote_form if len(certificates) == 1 else SUM_OF_VOTES
    return min(1.0, total), form


def _report(
    classes: npt.NDArray[Any],
    certificates: Sequence[Certificate],
    limits: Sequence[tuple[float, str]],
    wrong: BoolArray,
    *,
    delta: float,
    fresh: bool,
) -> CertificateReport:
    bound, form = min(limits, key=lambda limit: limit[0]) if limits else (None, None)
    return CertificateReport(
        labels=tuple(classes[_targets(classes)].tolist()),
        certificates=tuple(certificates),
        delta=delta,
        fresh=fresh,
        label_risk=float(wrong.mean()),
        label_bound=bound,
        label_form=form,
    )


def _sharper(
    signed: Float64Array,
    losses: Float64Array,
    divergence: float,
    lengths: Lengths,
    is_majority: bool,
) -> dict[str, Any]:
    """Arguments of :func:`certify_losses` for a limit from margins or from several draws."""
    # The shares of one row, or of two, decide as the sum of the margins does.
    is_sum = signed.shape[1] <= 2
    if is_majority and not is_sum:
        return {"further": _by_draws(losses, divergence)}
    means = signed.mean(1)
    options: dict[str, Any] = {"further": _by_margins(means, lengths)}
    return options if is_sum else {**options, "is_majority": False, "vote_errors": means <= 0}


def _by_margins(means: Float64Array, lengths: Lengths) -> Further:
    def limit(delta: float) -> tuple[float, str]:
        found = margin_limit(means, lengths, delta=delta)
        return found.value, f"margins below {found.theta:g}"

    return limit


def _by_draws(losses: Float64Array, divergence: float) -> Further:
    def limit(delta: float) -> tuple[float, str]:
        found = draws_limit(losses, divergence=divergence, delta=delta)
        return found.value, f"at least {found.threshold} of {found.n_draws} draws wrong"

    return limit
