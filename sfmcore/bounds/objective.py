"""The risks of the Gibbs classifier, the objective J(u) and the PAC-Bayes bound.

The classifier draws w from N(u, I) and says sign(w . phi) for features phi of unit length.
Equation names are those of Li, Lee, Liu, "Stochastic Feature Mapping for PAC-Bayes
Classification"; ``docs/theory.md`` lists where the paper is corrected.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import optimize
from scipy.sparse import csr_array
from scipy.special import erfc

from sfmcore.data.arrays import Float64Array
from sfmcore.data.rows import Rows
from sfmcore.kernels import _lbfgs, _minimum, _objective
from sfmcore.kernels._sparse_objective import SparseRows
from sfmcore.parallel.threads import worthwhile_threads


def upper_tail(a: npt.ArrayLike) -> Float64Array:
    """Phi(a), the upper tail of the standard normal distribution.

    Examples
    --------
    >>> upper_tail(0.0).item()
    0.5
    """
    return 0.5 * erfc(np.asarray(a, dtype=np.float64) * np.sqrt(0.5))


class Risks(NamedTuple):
    """Empirical risks of a Gibbs classifier."""

    gibbs: float
    """R_S: mean loss of one drawn classifier on the labelled items."""
    disagreement: float
    """d_S: how often two drawn classifiers disagree on the unlabelled items, times their weight."""
    tandem: float
    """e_S: how often two drawn classifiers are both wrong on the labelled items."""

    @property
    def total(self) -> float:
        """Factor of C R + w d / 2 in the objective."""
        return self.gibbs + 0.5 * self.disagreement


class Objective:
    """J(u) of the Appendix, with its gradient.

    .. math:: J(u) = C [R_{S_l}(u) + w d_{S_u}(u) / 2] + |u - u_0|^2 / (2 m)

    Parameters
    ----------
    features : ndarray or csr_array of shape (n_rows, n_features), float32 or float64
        Rows of unit length; with several draws an item has as many rows. Sparse ones are float32.
    signs : ndarray of shape (n_rows,), int8
        +1 or -1, and 0 for an unlabelled item.
    C : float
        The bound's parameter, above 0.
    n_items : float
        m, the number of items, or the sum of their weights; an unlabelled one counts w.
    prior_mean : ndarray of shape (n_features,), optional
        u_0; zero by default.
    sample_weight : ndarray of shape (n_rows,), optional
        Weights of the rows.
    unlabeled_weight : float, default=1.0
        w; 1 in the paper.
    n_threads : int, default=1

    Examples
    --------
    >>> rows = np.array([[0.6, 0.8], [0.8, -0.6]])
    >>> objective = Objective(rows, np.array([1, -1], dtype=np.int8), C=1.0, n_items=2)
    >>> round(objective(np.zeros(2))[0], 3)
    0.5
    """

    def __init__(
        self,
        features: npt.NDArray[np.floating] | Rows,
        signs: npt.NDArray[np.int8],
        C: float,
        n_items: float,
        *,
        prior_mean: Float64Array | None = None,
        sample_weight: Float64Array | None = None,
        unlabeled_weight: float = 1.0,
        n_threads: int = 1,
    ) -> None:
        if C <= 0:
            raise ValueError(f"C must be above 0, got {C}")
        self.features = features
        self._sparse = None if isinstance(features, np.ndarray) else _of_csr(features)
        self.signs = signs
        self.C = C
        self.n_items = n_items
        if prior_mean is None:
            prior_mean = np.zeros(features.shape[1])
        self.prior_mean = np.ascontiguousarray(prior_mean, dtype=np.float64)
        weights = np.ones(len(signs)) if sample_weight is None else sample_weight.astype(float)
        labelled = signs != 0
        for part in (labelled, ~labelled):
            total = weights[part].sum()
            if total > 0:
                weights[part] /= total
        weights[~labelled] *= unlabeled_weight
        self.weights = weights
        self.n_threads = worthwhile_threads(n_threads, 4.0 * features.size)

    def risks(self, u: Float64Array) -> Risks:
        """Empirical risks at `u`."""
        return Risks(*self._data_term(u, convex=False)[:3])

    def losses(self, u: Float64Array) -> Float64Array:
        """Probability of error of every labelled row at `u`, in their order."""
        if self._sparse is None:
            # Not a product of BLAS, whose bits may follow its threads.
            margins = np.einsum("ij,j->i", self.features, u)
        else:
            margins = self.features @ u
        labelled = self.signs != 0
        return upper_tail(self.signs[labelled] * margins[labelled])

    def divergence(self, u: Float64Array) -> float:
        """KL(Q || P) of the weights: half the squared distance of the means (Eq. specif1)."""
        return 0.5 * float(np.sum((u - self.prior_mean) ** 2))

    def __call__(self, u: Float64Array, *, convex: bool = False) -> tuple[float, Float64Array]:
        """J(u) and its gradient; with `convex`, of the tangent surrogate (labelled part only)."""
        gibbs, disagreement, _, slope = self._data_term(u, convex=convex)
        # In one pass: over a few hundred features NumPy's calls would take as long as the rows.
        divergence = _objective.add_divergence(slope, u, self.prior_mean, self.C, self.n_items)
        return self.C * (gibbs + 0.5 * disagreement) + divergence / self.n_items, slope

    def along(self, direction: Float64Array) -> "Objective":
        """J along a direction, up to a constant: an objective of one number, how far it goes.

        It asks the rows once, where every value of J(u) asks them all again.

        Parameters
        ----------
        direction : ndarray of shape (n_features,)
            Not zero.

        Returns
        -------
        Objective
            Of one feature: the part of each row along the direction.

        Examples
        --------
        >>> rows = np.array([[0.6, 0.8], [0.8, -0.6]])
        >>> objective = Objective(rows, np.array([1, -1], dtype=np.int8), C=1.0, n_items=2)
        >>> line = objective.along(np.array([3.0, 4.0]))
        >>> bool(np.isclose(line(np.array([5.0]))[0], objective(np.array([3.0, 4.0]))[0]))
        True
        """
        unit = direction / np.linalg.norm(direction)
        if isinstance(self.features, np.ndarray):
            parts = _objective.scores(self.features, unit, self.n_threads)
        else:
            parts = self.features @ unit
        return Objective(
            np.ascontiguousarray(parts[:, None], dtype=np.float64),
            self.signs,
            self.C,
            self.n_items,
            prior_mean=np.array([self.prior_mean @ unit]),
            sample_weight=self.weights,
            unlabeled_weight=float(self.weights[self.signs == 0].sum()),
        )

    def descend(
        self, start: Float64Array, *, convex: bool = False, **limits: Any
    ) -> tuple[Float64Array, int]:
        """Go down to a local minimum by L-BFGS.

        m J(u) is what goes down: J(u) is a mean over items, and tolerances expect a sum.

        Parameters
        ----------
        start : ndarray of shape (n_features,)
        convex : bool, default=False
            Of the tangent surrogate.
        **limits
            `memory`, `max_iter`, `tolerance`, `slope_tolerance`, `sufficient`, `curvature` and
            `max_search` of the kernel :func:`sfmcore.kernels._lbfgs.minimise`.

        Returns
        -------
        u : ndarray of shape (n_features,)
        n_evaluations : int
            How often J(u) was computed.

        Raises
        ------
        ValueError
            If J(u) is not finite at the start.

        Examples
        --------
        >>> rows = np.array([[1.0, 0.0], [0.0, 1.0]])
        >>> objective = Objective(rows, np.array([1, -1], dtype=np.int8), C=1.0, n_items=2)
        >>> limits = dict(memory=3, max_iter=9, tolerance=1e-6, slope_tolerance=1e-6)
        >>> limits |= dict(sufficient=1e-4, curvature=0.9, max_search=20)
        >>> u, n_evaluations = objective.descend(np.zeros(2), **limits)
        >>> bool(u[0] > 0 > u[1])
        True
        """
        scale = float(self.n_items)
        if self._sparse is None and self.features.size > 0:
            found = _minimum.minimise(
                self.features,
                self.signs,
                self.weights,
                self.prior_mean,
                self.C,
                scale,
                convex,
                start,
                n_threads=self.n_threads,
                **limits,
            )
        else:
            found = _lbfgs.minimise(lambda u: self(u, convex=convex), start, scale, **limits)
        return found[0], found[3]

    def _data_term(
        self, u: Float64Array, *, convex: bool
    ) -> tuple[float, float, float, Float64Array]:
        rest = (self.signs, self.weights, u, convex, self.n_threads)
        if self._sparse is not None:
            return self._sparse.risks(*rest)
        return _objective.risks(self.features, *rest)


def _of_csr(rows: csr_array) -> SparseRows:
    columns, offsets = rows.indices.astype(np.int32), rows.indptr.astype(np.int64)
    return SparseRows(rows.data, columns, offsets, rows.shape[1])


def bound_value(J: float, C: float, n_items: float, delta: float) -> float:
    """B(Q, C) of Theorems 1 and 2, from the objective's value.

    On the sample that chose the features it is an objective, not a certificate.

    Parameters
    ----------
    J : float
        ``C * (R + w d / 2) + KL / m``.
    C : float
    n_items : float
        m.
    delta : float
        The theorems hold with probability at least 1 - delta.

    Examples
    --------
    >>> round(bound_value(0.3, C=1.0, n_items=1000, delta=0.05), 3)
    0.414
    """
    inside = -J + np.log(delta) / n_items
    return float(np.expm1(inside) / np.expm1(-C))


def bound_slope(J: float, risk: float, C: float, n_items: float, delta: float) -> float:
    """dB/dC, the derivative of :func:`bound_value` when J grows by `risk` per unit of C.

    The paper prints the sign of log(delta) and the risk of the second term otherwise; this is
    the derivative of B itself.

    Parameters
    ----------
    J, C, n_items, delta
        As in :func:`bound_value`.
    risk : float
        R + w d / 2, the factor of C in J.
    """
    rest = np.exp(-J + np.log(delta) / n_items)
    gap = -np.expm1(-C)
    return float(-np.exp(-C) / gap**2 * (1.0 - rest) + risk * rest / gap)


def best_C(risk: float, divergence: float, n_items: float, delta: float) -> float:
    """C that minimises the bound at a fixed classifier, between 1e-3 and 1e3.

    Parameters
    ----------
    risk : float
        R + w d / 2.
    divergence : float
        KL(Q || P).
    n_items : float
    delta : float
    """

    def value(log_C: float) -> float:
        C = float(np.exp(log_C))
        return bound_value(C * risk + divergence / n_items, C, n_items, delta)

    limits = (np.log(1e-3), np.log(1e3))
    return float(np.exp(optimize.minimize_scalar(value, bounds=limits, method="bounded").x))
