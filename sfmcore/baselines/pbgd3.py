"""PBGD3: the linear classifier that minimises Catoni's PAC-Bayes bound, plain or by a kernel."""

from collections.abc import Iterable
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from scipy.special import log_ndtr, logsumexp
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from sfmcore.baselines.binary import OneVersusRest, as_scores, solve_each
from sfmcore.baselines.kernel_functions import (
    KernelFunction,
    check_kernel,
    gamma_of,
    inverse_lengths,
    kernel_diagonal,
    kernel_matrix,
)
from sfmcore.baselines.pbgd3_objective import (
    coordinates,
    density,
    is_convex,
    lowest_point,
    unit_rows,
)
from sfmcore.bounds.objective import Objective, upper_tail
from sfmcore.data.arrays import Float64Array
from sfmcore.data.checks import check_choice, check_number, check_whole
from sfmcore.kernels import _objective
from sfmcore.learning.problem import Problem, draw_seed, make_problem
from sfmcore.learning.search import random_starts

C_GRID = tuple(float(10.0**power) for power in np.linspace(-2.0, 3.0, 15))
"""Fifteen values of C, evenly spaced by their logarithms, to choose from by cross-validation."""

# How far from 1 the diagonal of a precomputed kernel may be.
_UNIT = 1e-6


class PBGD3Classifier(OneVersusRest):
    r"""Classify by the Gibbs classifier that minimises Catoni's PAC-Bayes bound.

    Linear classifiers w with a normal prior N(0, I) and posterior N(w, I). With Phi the upper
    tail of the normal distribution and s_i the weight of an item, 1 unless given,

    .. math:: J(w) = C \sum_i s_i \Phi(y_i w \cdot \phi_i / |\phi_i|) + |w|^2 / 2.

    J is not convex: L-BFGS starts at zero, at the mean of ``y phi / |phi|``, at the minimum of the
    convex surrogate whose loss is Phi's tangent below 0, and at random points; the lowest J is
    kept. Where C times the largest eigenvalue of the sum of s phi phi' is below sqrt(2 pi e) =
    4.13, J is convex, and there is one start.

    Of several classes each is told from the rest.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the risk; chosen by cross-validation in the paper. J is m times the J(u) of
        :class:`sfmcore.bounds.objective.Objective` at the same C, with m items.
    kernel : {"linear", "rbf", "precomputed"} or callable, default="linear"
        A callable takes arrays of shapes (n, n_features) and (k, n_features) and returns (n, k).
        "precomputed": X is the kernel itself, of vectors of unit length, so that its diagonal
        is 1, or 0 for a zero vector; to predict, its columns are the items of `fit`.
    gamma : float or "scale", default="scale"
        Width of ``exp(-gamma |a - b|^2)``; "scale" is 1 / (n_features * X.var()).
    fit_intercept : bool, default=True
        Append a constant feature of 1 to phi, or add 1 to the kernel; the classifier has no
        other intercept. A precomputed kernel stays as it is.
    n_restarts : int, default=10
        Random starts: in [-20, 20]^d, as in the paper, or with a kernel in [-1, 1] for every
        item's coefficient.
    random_state : int, RandomState instance or None, default=None
        Of the random starts.
    n_jobs : int or None, default=None
        Number of classes learnt in parallel threads; -1 for all. Does not affect the result.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    coef_ : ndarray of shape (n_problems, n_features)
        Without a kernel: w of each problem, but for the constant. One problem for two classes.
    intercept_ : ndarray of shape (n_problems,)
        Without a kernel: w of the constant; 0 without one.
    dual_coef_ : ndarray of shape (n_problems, n_items)
        With a kernel: alpha, where w is the sum of alpha_j phi(x_j). Of items that weigh more
        than 0.
    objective_ : ndarray of shape (n_problems,)
        J of each problem.
    convex_ : ndarray of shape (n_problems,), bool
        Whether J was sure to be convex.
    n_features_in_ : int
        Columns of X.

    References
    ----------
    P. Germain, A. Lacasse, F. Laviolette, M. Marchand, "PAC-Bayesian learning of linear
    classifiers", ICML 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y = load_wine(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), PBGD3Classifier(C=10.0, random_state=0))
    >>> model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.93
    True
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: Literal["linear", "rbf", "precomputed"] | KernelFunction = "linear",
        gamma: float | Literal["scale"] = "scale",
        fit_intercept: bool = True,
        n_restarts: int = 10,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.fit_intercept = fit_intercept
        self.n_restarts = n_restarts
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._kernel_is("precomputed")
        return tags

    def fit(self, X: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Minimise J for each class against the rest.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features)
            Or the precomputed kernel, of shape (n_items, n_items).
        y : array-like of shape (n_items,)
            Labels, of at least two classes.
        sample_weight : array-like of shape (n_items,), optional
            A weight of 2 is an item given twice, 0 an item left out.

        Returns
        -------
        self : PBGD3Classifier

        Raises
        ------
        ValueError
            If X or y can't be used, a parameter is out of range, or a kernel is not symmetric
            and positive semidefinite.
        """
        check_number("C", self.C, "above 0", lambda C: C > 0)
        check_kernel("kernel", self.kernel, ("linear", "rbf", "precomputed"))
        check_choice("fit_intercept", self.fit_intercept, (True, False))
        check_whole("n_restarts", self.n_restarts, 0)
        seed = draw_seed(self.random_state)
        rows = validate_data(self, X, dtype=np.float64, order="C", accept_sparse=False)
        problem = make_problem(rows, y, sample_weight, unlabeled=None)
        self._gamma = gamma_of(self.gamma, problem.items, problem.weights)
        self.classes_ = problem.classes
        if self._kernel_is("linear"):
            self._fit_linear(problem, seed)
        else:
            self._fit_kernel(problem, seed)
        return self

    def _fit_linear(self, problem: Problem, seed: int) -> None:
        rows = unit_rows(problem.items, constant=self.fit_intercept)
        weights = self._learn(problem, rows, seed, by_items=False)
        self.coef_ = weights[:, :-1] if self.fit_intercept else weights
        self.intercept_ = weights[:, -1] if self.fit_intercept else np.zeros(len(weights))

    def _fit_kernel(self, problem: Problem, seed: int) -> None:
        self._places = problem.places
        if self._kernel_is("precomputed"):
            K = self._checked(problem)
        else:
            self._items = problem.items
            K = self._kernel(problem.items)
        shrink = inverse_lengths(np.diagonal(K))
        rows = coordinates(K * shrink[:, None] * shrink)
        u = self._learn(problem, rows, seed, by_items=True)
        # Where the gradient vanishes, w is this sum; so it also is one step down from u.
        self.dual_coef_ = np.stack(
            [
                self.C * problem.weights * signs * density(signs * (rows @ one)) * shrink
                for one, signs in zip(u, map(problem.signs, problem.targets), strict=True)
            ]
        )

    def _checked(self, problem: Problem) -> Float64Array:
        """The precomputed kernel of the items, of those that weigh something."""
        n_columns = problem.items.shape[1]
        if problem.n_rows != n_columns:
            raise ValueError(
                f"a precomputed kernel must be a square matrix, X has shape "
                f"({problem.n_rows}, {n_columns})"
            )
        K = np.asarray(problem.items[:, problem.places])
        own = np.diagonal(K)
        if not np.all((np.abs(own - 1.0) < _UNIT) | (own == 0)):
            raise ValueError(
                "a precomputed kernel must have ones on its diagonal: divide K_ij by "
                "sqrt(K_ii K_jj)"
            )
        return K

    def _kernel(self, A: Float64Array) -> Float64Array:
        """Kernel of items with the training items, the constant added."""
        constant = 1.0 if self.fit_intercept else 0.0
        return kernel_matrix(self.kernel, A, self._items, self._gamma) + constant

    def _kernel_is(self, name: str) -> bool:
        return isinstance(self.kernel, str) and self.kernel == name

    def _learn(
        self, problem: Problem, rows: Float64Array, seed: int, *, by_items: bool
    ) -> Float64Array:
        """Lowest point of J of each problem, on rows of unit length."""
        convex = is_convex(rows, problem.weights, self.C)

        def solve(signs: npt.NDArray[np.int8], target: int) -> tuple[Float64Array, float]:
            total = float(problem.weights.sum())
            objective = Objective(rows, signs, self.C, total, sample_weight=problem.weights)
            random = np.random.default_rng([seed, target])
            starts: Iterable[Float64Array] = random_starts(self.n_restarts, rows.shape[1], random)
            if by_items:
                shape = (self.n_restarts, len(rows))
                starts = (alpha @ rows for alpha in random.uniform(-1.0, 1.0, shape))
            return lowest_point(objective, convex=convex, starts=starts)

        solved = solve_each(problem, solve, self.n_jobs)
        self.objective_ = np.array([value for _, value in solved])
        self.convex_ = np.full(len(solved), convex)
        return np.stack([w for w, _ in solved])

    def decision_function(self, X: Any) -> Float64Array:
        """Margins ``w . phi / |phi|``.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features)
            Or the precomputed kernel with the items of `fit`.

        Returns
        -------
        ndarray of shape (n_items,) or (n_items, n_classes)
        """
        check_is_fitted(self, "objective_")
        rows = validate_data(self, X, reset=False, dtype=np.float64, order="C")
        if self._kernel_is("linear"):
            unit = unit_rows(rows, constant=self.fit_intercept)
            w = np.column_stack([self.coef_, self.intercept_]) if self.fit_intercept else self.coef_
            return as_scores([_objective.scores(unit, np.ascontiguousarray(one), 1) for one in w])
        if self._kernel_is("precomputed"):
            K, lengths = rows[:, self._places], np.ones(len(rows))
        else:
            K = self._kernel(rows)
            own = kernel_diagonal(self.kernel, rows, self._gamma)
            lengths = inverse_lengths(own + (1.0 if self.fit_intercept else 0.0))
        # Not a product of BLAS, in which a row's last bits may follow its neighbours.
        return as_scores([np.sum(K * one, axis=1) * lengths for one in self.dual_coef_])

    def predict_proba(self, X: Any) -> Float64Array:
        """Share of the Gibbs classifiers that say the class; of several classes, normalised.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features)

        Returns
        -------
        ndarray of shape (n_items, n_classes)
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([upper_tail(scores), upper_tail(-scores)])
        logs = log_ndtr(scores)
        return np.exp(logs - logsumexp(logs, axis=1, keepdims=True))
