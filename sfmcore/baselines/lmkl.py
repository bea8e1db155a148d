"""LMKL: a support vector machine whose kernel is another one in each part of the space."""

import warnings
from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from sfmcore.baselines.binary import OneVersusRest, as_scores, solve_each
from sfmcore.baselines.gating import GatedProblem, gates
from sfmcore.baselines.kernel_functions import (
    KernelFunction,
    check_kernel,
    gamma_of,
    inverse_lengths,
    kernel_diagonal,
    kernel_matrix,
)
from sfmcore.data.arrays import Float64Array
from sfmcore.data.checks import check_choice, check_number, check_whole
from sfmcore.learning.problem import draw_seed, make_problem
from sfmcore.preparation.scaling import Scaling, Unscaled

_NAMES = ("linear", "quadratic", "rbf")
_START = 0.01


class LMKLClassifier(OneVersusRest):
    r"""Localised multiple kernel learning: a softmax gating chooses among kernels at each item.

    .. math:: f(x) = \sum_m \eta_m(x) \langle w_m, \Phi_m(x) \rangle + b,
              \quad \eta_m(x) = \mathrm{softmax}_m(v_m \cdot x + v_{m0})

    A support vector machine for a fixed gating, and a step of the gating down the machine's dual
    objective, in turns. Kernels are of vectors brought to unit length. A kernel that is given
    twice is another linear piece. The authors' code sets gates below 0.001 to 0; this does not.

    Of several classes each is told from the rest, with a gating of its own. Time and memory grow
    with the square of the items at least: meant for some thousands.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of the support vector machine.
    kernels : sequence of str or callable, default=("linear", "quadratic")
        "linear" is a . b, "quadratic" (1 + a . b)^2, "rbf" ``exp(-gamma |a - b|^2)``; a callable
        takes arrays of shapes (n, n_features) and (k, n_features) and returns (n, k).
    gamma : float or "scale", default="scale"
        Width of "rbf"; "scale" is 1 / (n_features * X.var()), of X as scaled.
    standardize : bool, default=True
        Subtract the mean of every column and divide by its deviation first, for the kernels and
        the gating alike.
    max_iter : int, default=100
        Steps of the gating at most.
    tol : float, default=1e-3
        Relative change of the dual objective at which the alternation ends.
    n_init : int, default=1
        Random starts of the gating; the lowest dual objective is kept.
    random_state : int, RandomState instance or None, default=None
        Of the gating's start, uniform in [-0.01, 0.01].
    n_jobs : int or None, default=None
        Number of classes learnt in parallel threads; -1 for all. Does not affect the result.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    gating_ : ndarray of shape (n_problems, n_kernels, 1 + n_features)
        v of each problem, v_m0 first. One problem for two classes.
    dual_coef_ : ndarray of shape (n_problems, n_items)
        alpha y.
    intercept_ : ndarray of shape (n_problems,)
        b.
    history_ : list of ndarray
        Dual objective of each problem at the start and after each step; it never rises.
    n_iter_ : int
        Largest number of steps of the gating.
    n_features_in_ : int
        Columns of X.

    References
    ----------
    M. Gönen, E. Alpaydin, "Localized multiple kernel learning", ICML 2008.

    Examples
    --------
    Two linear pieces, where a single one is right on half of the items:

    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> model = LMKLClassifier(C=10.0, kernels=("linear", "linear"), random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernels: Sequence[str | KernelFunction] = ("linear", "quadratic"),
        gamma: float | Literal["scale"] = "scale",
        standardize: bool = True,
        max_iter: int = 100,
        tol: float = 1e-3,
        n_init: int = 1,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.kernels = kernels
        self.gamma = gamma
        self.standardize = standardize
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: npt.ArrayLike) -> Self:
        """Learn gating and support vector machine for each class against the rest.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features)
        y : array-like of shape (n_items,)
            Labels, of at least two classes.

        Returns
        -------
        self : LMKLClassifier

        Raises
        ------
        ValueError
            If X or y can't be used, or a parameter is out of range.

        Warns
        -----
        ConvergenceWarning
            If `max_iter` is reached before `tol`.
        """
        self._check_parameters()
        seed = draw_seed(self.random_state)
        rows = validate_data(self, X, dtype=np.float64, order="C", accept_sparse=False)
        problem = make_problem(rows, y, unlabeled=None)
        self.classes_ = problem.classes
        weights = np.ones(len(rows))
        self._scaling = Scaling.of(rows, weights) if self.standardize else Unscaled(weights)
        self._items = self._scaling.apply(rows)
        self._gamma = gamma_of(self.gamma, self._items, weights)
        kernels, inputs = self._seen(self._items)

        def solve(
            signs: npt.NDArray[np.int8], target: int
        ) -> tuple[Float64Array, Float64Array, float, list[float]]:
            gated = GatedProblem(kernels, inputs, signs, self.C)
            random = np.random.default_rng([seed, target])
            shape = (len(kernels), inputs.shape[1])
            runs = [
                gated.alternate(random.uniform(-_START, _START, shape), self.max_iter, self.tol)
                for _ in range(self.n_init)
            ]
            v, solution, history = min(runs, key=lambda run: run[1].value)
            return v, solution.weights, solution.bias, history

        solved = solve_each(problem, solve, self.n_jobs)
        self.gating_ = np.stack([v for v, _, _, _ in solved])
        self.dual_coef_ = np.stack([weights for _, weights, _, _ in solved])
        self.intercept_ = np.array([bias for _, _, bias, _ in solved])
        self.history_ = [np.array(history) for _, _, _, history in solved]
        self.n_iter_ = max(len(history) - 1 for history in self.history_)
        if any(self._is_cut_short(history) for history in self.history_):
            warnings.warn(
                f"the alternation stopped after {self.max_iter} steps before it reached its "
                "tolerance",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _is_cut_short(self, history: Float64Array) -> bool:
        if len(history) <= self.max_iter:
            return False
        return bool(history[-2] - history[-1] > self.tol * abs(history[-2]))

    def _check_parameters(self) -> None:
        check_number("C", self.C, "above 0", lambda C: C > 0)
        if isinstance(self.kernels, str) or len(self.kernels) == 0:
            raise ValueError(f"kernels must be a sequence of kernels, got {self.kernels!r}")
        for kernel in self.kernels:
            check_kernel("kernels", kernel, _NAMES)
        check_choice("standardize", self.standardize, (True, False))
        check_whole("max_iter", self.max_iter, 1)
        check_number("tol", self.tol, "of at least 0", lambda tol: tol >= 0)
        check_whole("n_init", self.n_init, 1)

    def _seen(self, rows: Float64Array) -> tuple[list[Float64Array], Float64Array]:
        """Kernels of items with the training items, of unit length, and the gating's inputs."""
        kernels = []
        for kernel in self.kernels:
            K = kernel_matrix(kernel, rows, self._items, self._gamma)
            own, theirs = (
                inverse_lengths(kernel_diagonal(kernel, items, self._gamma))
                for items in (rows, self._items)
            )
            kernels.append(own[:, None] * K * theirs)
        return kernels, np.column_stack([np.ones(len(rows)), rows])

    def gates(self, X: Any) -> Float64Array:
        """Share of every kernel in every item.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features)

        Returns
        -------
        ndarray of shape (n_problems, n_items, n_kernels)
        """
        rows = self._rows(X)
        inputs = np.column_stack([np.ones(len(rows)), rows])
        return np.stack([gates(v, inputs) for v in self.gating_])

    def decision_function(self, X: Any) -> Float64Array:
        """f(x) of every item.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features)

        Returns
        -------
        ndarray of shape (n_items,) or (n_items, n_classes)
        """
        kernels, inputs = self._seen(self._rows(X))
        training = np.column_stack([np.ones(len(self._items)), self._items])
        columns = []
        for v, weights, bias in zip(self.gating_, self.dual_coef_, self.intercept_, strict=True):
            left, right = gates(v, inputs), gates(v, training) * weights[:, None]
            own = [left[:, m] * (K @ right[:, m]) for m, K in enumerate(kernels)]
            columns.append(np.sum(own, axis=0) + bias)
        return as_scores(columns)

    def _rows(self, X: Any) -> Float64Array:
        check_is_fitted(self, "gating_")
        return self._scaling.apply(validate_data(self, X, reset=False, dtype=np.float64, order="C"))
