"""Certificates of a classifier of several classes, from the votes on items."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from sfmcore.bounds.certificate import Certificate, certify_losses
from sfmcore.bounds.inequalities import binomial_bound
from sfmcore.bounds.objective import upper_tail
from sfmcore.data.arrays import Float64Array, Int64Array
from sfmcore.data.checks import check_number


@dataclass(frozen=True)
class CertificateReport:
    """What is known of the true risks of a classifier, class by class and of its label.

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
        Limit of the true probability of a wrong label; None where none is known, since the vote
        is not the majority vote that the theorems speak of.
    """

    labels: tuple[Any, ...]
    certificates: tuple[Certificate, ...]
    delta: float
    fresh: bool
    label_risk: float
    label_bound: float | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        rows = zip(self.labels, self.certificates, strict=True)
        return {
            "delta": self.delta,
            "fresh": self.fresh,
            "label_risk": self.label_risk,
            "label_bound": self.label_bound,
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
        return cls(tuple(labels), tuple(certificates), *(values[name] for name in names))

    def __str__(self) -> str:
        text = []
        for label, part in zip(self.labels, self.certificates, strict=True):
            text.append(f"{label!r} against the rest:\n{part}")
        limit = "not limited"
        if self.label_bound is not None:
            # Rounded up: a limit must not be understated.
            limit = f"at most {math.ceil(self.label_bound * 1e4) / 1e4:.4f}"
        text.append(
            f"wrong label: {self.label_risk:.4f} on the items, in truth {limit}; everything above "
            f"holds together with probability at least {1 - self.delta:g}"
        )
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

    Returns
    -------
    CertificateReport
    """
    check_number("delta", delta, "between 0 and 1", lambda value: 0 < value < 1)
    two = len(classes) == 2
    targets = [1] if two else list(range(len(classes)))
    own = fresh and not (two and is_majority)
    # A union bound over the votes, and over the errors of the label itself where they count.
    share = delta / (len(targets) + own)
    certificates = []
    for target, rows, divergence in zip(targets, margins, divergences, strict=True):
        signs = np.where(numbers == target, 1.0, -1.0)
        losses = upper_tail(signs[:, None] * rows).mean(1)
        certificates.append(certify_losses(losses, divergence=divergence, delta=share, fresh=fresh))
    predicted = (scores > 0).astype(np.int64) if two else scores.argmax(1)
    wrong = predicted != numbers
    limits: list[float] = []
    if is_majority:
        # A label is wrong only if one of the votes is: if all are right, the true class alone
        # has a score above 0.
        limits.append(min(1.0, sum(part.vote_bound for part in certificates)))
    if own:
        limits.append(binomial_bound(int(wrong.sum()), len(wrong), share))
    return CertificateReport(
        labels=tuple(classes[targets].tolist()),
        certificates=tuple(certificates),
        delta=delta,
        fresh=fresh,
        label_risk=float(wrong.mean()),
        label_bound=min(limits) if limits else None,
    )
