"""Localised multiple kernel learning as a problem: the gating, its objective and its gradient."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import softmax
from sklearn.svm import SVC

from sfmcore.data.arrays import Float64Array

# Of the support vector machine: J must be known better than the tolerance of the alternation.
_SVM_TOL = 1e-4
_LEAST_STEP = 1e-3


@dataclass(frozen=True)
class DualSolution:
    """Solution of the support vector machine for a fixed gating.

    Attributes
    ----------
    value : float
        J, its dual objective.
    weights : ndarray of shape (n_items,)
        alpha_i y_i.
    bias : float
    """

    value: float
    weights: Float64Array
    bias: float


@dataclass(frozen=True)
class GatedProblem:
    r"""The binary problem for which gating and support vector machine are learnt.

    The gating is eta_m(x) = softmax_m(v_m . z) with z = (1, x), the kernel of a fixed gating

    .. math:: K_\eta(x_i, x_j) = \sum_m \eta_m(x_i) K_m(x_i, x_j) \eta_m(x_j).

    Attributes
    ----------
    kernels : list of ndarray of shape (n_items, n_items)
        Of vectors of unit length.
    inputs : ndarray of shape (n_items, 1 + n_features)
        z of every item.
    signs : ndarray of shape (n_items,), int8
        +1 or -1.
    C : float

    References
    ----------
    M. Gönen, E. Alpaydin, "Localized multiple kernel learning", ICML 2008.
    """

    kernels: list[Float64Array]
    inputs: Float64Array
    signs: npt.NDArray[np.int8]
    C: float

    def solve(self, v: Float64Array) -> DualSolution:
        """Train the support vector machine of a gating.

        Parameters
        ----------
        v : ndarray of shape (n_kernels, 1 + n_features)
        """
        K = combined(self.kernels, gates(v, self.inputs), gates(v, self.inputs))
        machine = SVC(C=self.C, kernel="precomputed", tol=_SVM_TOL).fit(K, self.signs)
        weights = np.zeros(len(self.signs))
        weights[machine.support_] = machine.dual_coef_[0]
        return DualSolution(self.value(v, weights), weights, float(machine.intercept_[0]))

    def value(self, v: Float64Array, weights: Float64Array) -> float:
        """J at fixed alpha: the sum of alpha_i less half of sum alpha alpha y y K_eta."""
        eta = gates(v, self.inputs)
        pulls = _pulls(self.kernels, eta, weights)
        return float(np.abs(weights).sum()) - 0.5 * float(np.sum(pulls))

    def slope(self, v: Float64Array, weights: Float64Array) -> Float64Array:
        """Gradient of J in v at fixed alpha, which at its best alpha is that of the dual's value.

        Parameters
        ----------
        v : ndarray of shape (n_kernels, 1 + n_features)
        weights : ndarray of shape (n_items,)
            alpha_i y_i.

        Returns
        -------
        ndarray of shape (n_kernels, 1 + n_features)
        """
        eta = gates(v, self.inputs)
        pulls = _pulls(self.kernels, eta, weights)
        # The double sum of the paper is symmetric in i and j: one of its two terms, twice.
        return -(pulls - eta * pulls.sum(1, keepdims=True)).T @ self.inputs

    def alternate(
        self, v: Float64Array, max_iter: int, tol: float
    ) -> tuple[Float64Array, DualSolution, list[float]]:
        """Solve the machine and take a step down J in turns, until J changes by less than `tol`.

        The step goes along the gradient of length 1; it doubles while J falls, or halves until J
        falls or it is below 0.001.

        Returns
        -------
        v : ndarray of shape (n_kernels, 1 + n_features)
        solution : DualSolution
            Of that gating.
        history : list of float
            J after each iteration, and at the start; it never rises.
        """
        solution = self.solve(v)
        history = [solution.value]
        for _ in range(max_iter):
            found = self._search(v, solution)
            if found is None:
                break
            v, solution = found
            history.append(solution.value)
            if history[-2] - history[-1] <= tol * abs(history[-2]):
                break
        return v, solution, history

    def _search(
        self, v: Float64Array, solution: DualSolution
    ) -> tuple[Float64Array, DualSolution] | None:
        """Gating further down and its machine; None where no step leads down."""
        slope = self.slope(v, solution.weights)
        length = float(np.linalg.norm(slope))
        if length == 0.0:
            return None
        direction, step = -slope / length, 1.0
        best = self.solve(v + direction)
        if best.value < solution.value:
            while True:
                further = self.solve(v + 2.0 * step * direction)
                if further.value >= best.value:
                    return v + step * direction, best
                step, best = 2.0 * step, further
        while step >= _LEAST_STEP:
            step *= 0.5
            best = self.solve(v + step * direction)
            if best.value < solution.value:
                return v + step * direction, best
        return None


def gates(v: Float64Array, inputs: Float64Array) -> Float64Array:
    """Share of every kernel in every item, shape (n_items, n_kernels).

    Examples
    --------
    >>> gates(np.zeros((2, 3)), np.ones((1, 3))).tolist()
    [[0.5, 0.5]]
    """
    return np.asarray(softmax(inputs @ v.T, axis=1))


def combined(kernels: list[Float64Array], left: Float64Array, right: Float64Array) -> Float64Array:
    """K_eta from kernels of shape (n_rows, n_columns), and the gates of the rows and columns."""
    total = np.zeros(kernels[0].shape)
    for m, K in enumerate(kernels):
        total += left[:, m, None] * K * right[:, m]
    return total


def _pulls(kernels: list[Float64Array], eta: Float64Array, weights: Float64Array) -> Float64Array:
    """Part of each item and kernel in sum alpha alpha y y K_eta, shape (n_items, n_kernels)."""
    out = np.zeros(eta.shape)
    used = np.flatnonzero(weights)
    for m, K in enumerate(kernels):
        own = weights[used] * eta[used, m]
        out[used, m] = own * (K[np.ix_(used, used)] @ own)
    return out
