"""Certificate of one vote: the inequalities combined, with a share of delta for each.

Which items may be used is the caller's duty; ``docs/theory.md`` lists the conditions.

References
----------
A. Masegosa, S. Lorenzen, C. Igel, Y. Seldin, "Second order PAC-Bayesian bounds for the weighted
majority vote", NeurIPS 2020.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sfmcore.bounds.inequalities import (
    C_GRID,
    binomial_bound,
    catoni_bound,
    check_grid,
    check_risk,
    chernoff_bound,
    seeger_bound,
)
from sfmcore.data.arrays import BoolArray, Float64Array

KL_FORM = "inverse kl (Seeger, Maurer)"
FRESH_FORM = "inverse kl (Chernoff)"
TWICE_GIBBS = "twice the Gibbs risk"
FOUR_TANDEM = "four times the tandem loss"
BINOMIAL = "binomial tail of the vote's own errors"

Further = Callable[[float], tuple[float, str]]
"""A further limit of the vote's true risk, from its share of delta, and its name."""

_TIE = 1e-6
# What a further limit gets of delta. It is nearly always the smallest.
_FURTHER_SHARE = 0.5
# What counting gets of delta on fresh items, where it is nearly always the smallest.
_COUNTED_SHARE = 0.9


@dataclass(frozen=True)
class Certificate:
    """Bounds on a classifier's true risks, which hold together.

    Attributes
    ----------
    n_items : int
    delta : float
        All limits hold together with probability at least 1 - delta over the draw of the items.
    form : str
        Inequality behind `gibbs_bound` and `tandem_bound`.
    fresh : bool
        Whether nothing at all, not even u, has seen the items.
    divergence : float
        KL(Q || P).
    C_grid : tuple of float
        Grid of the values of C for `catoni_bound`.
    gibbs_risk, tandem_loss, vote_risk : float
        Means over the items.
    gibbs_bound : float
        Bound on the true Gibbs risk.
    catoni_bound : float
        The same in the form of Theorem 1.
    catoni_C : float
        Value of the grid at which `catoni_bound` is reached.
    tandem_bound : float
        Bound on the true tandem loss: two independent classifiers are both wrong.
    vote_bound : float
        Bound on the majority vote's true risk.
    vote_form : str
        Which limit was the smallest and became `vote_bound`.
    further_bound, further_form : float and str, or None
        Bound on the vote's true risk beyond 2 R and 4 e, from margins or several draws, where
        there is one.
    """

    n_items: int
    delta: float
    form: str
    fresh: bool
    divergence: float
    C_grid: tuple[float, ...]
    gibbs_risk: float
    tandem_loss: float
    vote_risk: float
    gibbs_bound: float
    catoni_bound: float
    catoni_C: float
    tandem_bound: float
    vote_bound: float
    vote_form: str
    further_bound: float | None = None
    further_form: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {**asdict(self), "C_grid": list(self.C_grid)}

    def summary(self) -> str:
        """Return a few aligned lines for people; limits are rounded up."""
        items = "1 item" if self.n_items == 1 else f"{self.n_items:,} items"
        rows = (
            ("Gibbs risk", self.gibbs_risk, self.gibbs_bound, self.form),
            ("Gibbs risk", self.gibbs_risk, self.catoni_bound, f"Catoni, C = {self.catoni_C:g}"),
            ("tandem loss", self.tandem_loss, self.tandem_bound, self.form),
            ("vote's risk", self.vote_risk, self.vote_bound, self.vote_form),
        )
        lines = [
            f"{name:<11}  {mean:>8.4f}  at most {math.ceil(limit * 1e4) / 1e4:.4f}  {how}"
            for name, mean, limit, how in rows
        ]
        if self.fresh:
            terms = (
                "Nothing may have seen the items: not the models, the conditioning, u, C or any "
                "setting."
            )
        else:
            terms = (
                "The items may have chosen u and C. They must not have been used for the models, "
                "the\nconditioning, the prior's mean u_0 or any other setting."
            )
        return "\n".join(
            (
                f"On {items}, KL(Q || P) = {self.divergence:.4g}. All bounds hold together with "
                f"probability at least {1 - self.delta:.15g}.",
                f"{'':<11}  {'on items':>8}  {'true value':>14}  by",
                *lines,
                terms,
                "They must be drawn i.i.d. from the distribution of future items.",
            )
        )

    def __str__(self) -> str:
        return self.summary()


def certify_losses(
    losses: npt.ArrayLike,
    *,
    divergence: float,
    delta: float = 0.05,
    C_grid: Sequence[float] = C_GRID,
    fresh: bool = False,
    vote_errors: npt.ArrayLike | None = None,
    further: Further | None = None,
    is_majority: bool = True,
) -> Certificate:
    """Certificate from every item's probability of error.

    Parameters
    ----------
    losses : array-like of shape (n_items,)
        Probability that the Gibbs classifier is wrong on the item: the mean of Phi over its rows
        and pairs, as :func:`sfmcore.learning.vote.vote_shares` has it for the other class.
    divergence : float
        KL(Q || P); the mean over the pairs if there are several.
    delta : float, default=0.05
        All limits hold together with probability at least 1 - delta.
    C_grid : sequence of float, default=C_GRID
        Values of C for Catoni's form, fixed before the items were seen.
    fresh : bool, default=False
        True says that nothing, not even u, has seen the items. Then the prior is Q itself,
        `divergence` must be 0, and the vote's own errors count.
    vote_errors : array-like of shape (n_items,), bool, optional
        Where the majority vote is wrong. By default where the loss is at least 1/2: a tie is an
        error. They may differ from that at a tie only, since the limits 2 R and 4 e are those of
        this vote and of no other.
    further : callable, optional
        One more limit of the vote's risk, which gets half of delta.
    is_majority : bool, default=True
        False says that the vote is another one than that of the losses: `vote_errors` are its
        errors, and `further`, or on fresh items their number, alone limits its risk.

    Returns
    -------
    Certificate

    Raises
    ------
    ValueError
        If there are no items, a number lies outside its range, `fresh` goes with a divergence, or
        `vote_errors` are not those of the majority vote.

    References
    ----------
    Masegosa et al. 2020, for the vote's risk and the tandem loss.

    Examples
    --------
    >>> certificate = certify_losses(np.full(1000, 0.1), divergence=5.0)
    >>> round(certificate.gibbs_bound, 3), round(certificate.vote_bound, 3)
    (0.155, 0.166)
    >>> certificate.vote_form
    'four times the tandem loss'
    """
    losses = np.asarray(losses, dtype=np.float64)
    if losses.ndim != 1 or len(losses) == 0:
        raise ValueError(f"losses must hold one number per item, got shape {losses.shape}")
    if not np.all((losses >= 0) & (losses <= 1)):
        raise ValueError("losses must lie from 0 to 1")
    check_risk(0.0, divergence, len(losses), delta)
    check_grid(C_grid)
    if fresh and divergence > 0:
        raise ValueError(f"divergence must be 0 on fresh items, got {divergence!r}")
    if is_majority:
        wrong = _vote_errors(losses, vote_errors)
    elif vote_errors is None or (further is None and not fresh):
        raise ValueError("another vote than the majority needs vote_errors and a further limit")
    else:
        wrong = np.asarray(vote_errors)
    m = len(losses)
    gibbs, tandem = float(losses.mean()), float(np.mean(losses**2))
    # A union bound: the kl form of the Gibbs risk, that of the tandem loss, Catoni's form, and on
    # fresh items the binomial tail each fail with probability at most delta / parts. 2 R and 4 e
    # follow from the first two and cost nothing.
    # A further limit takes its part beforehand.
    left = delta * (1.0 if further is None else 1.0 - _FURTHER_SHARE)
    counted = _COUNTED_SHARE * left if fresh else 0.0
    share = (left - counted) / 3
    if fresh:
        # Q is fixed: nothing has to hold for all posteriors at once.
        gibbs_bound = chernoff_bound(gibbs, m, share)
        tandem_bound = chernoff_bound(tandem, m, share)
    else:
        gibbs_bound = seeger_bound(gibbs, divergence, m, share)
        # The posterior of two independent draws is Q x Q, its prior P x P.
        tandem_bound = seeger_bound(tandem, 2.0 * divergence, m, share)
    lowest, C = catoni_bound(gibbs, divergence, m, share, C_grid)
    # A wrong vote has a loss of at least 1/2, so by Markov P(wrong) <= 2 E[loss] and, with the
    # square, <= 4 E[loss^2].
    votes = []
    if is_majority:
        votes += [(2.0 * gibbs_bound, TWICE_GIBBS), (4.0 * tandem_bound, FOUR_TANDEM)]
    further_bound, further_form = None, None
    if further is not None:
        further_bound, further_form = further(delta * _FURTHER_SHARE)
        votes.append((further_bound, further_form))
    if fresh:
        votes.append((binomial_bound(int(wrong.sum()), m, counted), BINOMIAL))
    vote_bound, vote_form = min(votes, key=lambda vote: vote[0])
    return Certificate(
        n_items=m,
        delta=float(delta),
        form=FRESH_FORM if fresh else KL_FORM,
        fresh=bool(fresh),
        divergence=float(divergence),
        C_grid=tuple(float(value) for value in C_grid),
        gibbs_risk=gibbs,
        tandem_loss=tandem,
        vote_risk=float(wrong.mean()),
        gibbs_bound=gibbs_bound,
        catoni_bound=lowest,
        catoni_C=C,
        tandem_bound=tandem_bound,
        vote_bound=min(vote_bound, 1.0),
        vote_form=vote_form,
        further_bound=further_bound,
        further_form=further_form,
    )


def _vote_errors(losses: Float64Array, given: npt.ArrayLike | None) -> BoolArray:
    if given is None:
        return losses >= 0.5
    wrong = np.asarray(given)
    if wrong.dtype != bool or wrong.shape != losses.shape:
        raise ValueError(f"vote_errors must be {len(losses)} booleans, one per item")
    # The loss of a tie is 1/2 up to rounding.
    odd = np.flatnonzero(np.where(wrong, losses < 0.5 - _TIE, losses > 0.5 + _TIE))
    if len(odd):
        raise ValueError(
            "vote_errors must be those of the majority vote: "
            f"item {odd[0]} has loss {losses[odd[0]]:.4g} and error {wrong[odd[0]]}"
        )
    return wrong
