"""Support vector machines on a kernel matrix: one for each class against the rest."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.svm import SVC

from sfmcore.baselines.binary import solve_each
from sfmcore.data.arrays import Float64Array
from sfmcore.data.checks import check_number
from sfmcore.evaluation.folds import Fold
from sfmcore.learning.problem import Problem
from sfmcore.parallel.blas import blas_threads

# Memory for columns of a kernel matrix, in MB.
_CACHE = 50


class Machine(NamedTuple):
    """The score of an item x is the sum of dual_j K(x, x_j) over the training items + intercept."""

    dual: Float64Array
    intercept: float


def checked_Cs(C: Any) -> list[float]:
    """Return the value, or several from the smallest to the largest, each once.

    Raises
    ------
    ValueError
        If one is no number above 0, or there is none.

    Examples
    --------
    >>> checked_Cs(10), checked_Cs((10.0, 1, 10))
    ([10.0], [1.0, 10.0])
    """
    values = list(C) if isinstance(C, list | tuple | np.ndarray) and np.ndim(C) else [C]
    if not values:
        raise ValueError(f"C must be a number above 0, or several of them, got {C!r}")
    for value in values:
        check_number("C", value, "above 0, or several of them", lambda number: number > 0)
    return sorted({float(value) for value in values})


def solve_machine(K: Float64Array, signs: npt.NDArray[np.int8], C: float) -> Machine:
    """Soft-margin machine: lowest |w|^2 / 2 + C (sum of hinge losses), with a free intercept.

    Parameters
    ----------
    K : ndarray of shape (n_items, n_items)
        Kernel of the items.
    signs : ndarray of shape (n_items,)
        +1 and -1, both of them.
    C : float
    """
    svm = SVC(C=C, kernel="precomputed", cache_size=_CACHE).fit(K, signs)
    dual = np.zeros(len(K))
    dual[svm.support_] = svm.dual_coef_[0]
    return Machine(dual, float(svm.intercept_[0]))


def solve_machines(
    K: Float64Array, problem: Problem, Cs: Sequence[float], n_jobs: int | None
) -> list[Machine]:
    """Machine of each class against the rest, each with its own C.

    Parameters
    ----------
    K : ndarray of shape (n_items, n_items)
    problem : Problem
        Every item has a label.
    Cs : sequence of float
        One for each problem.
    n_jobs : int or None
        The result does not depend on it.
    """
    own = dict(zip(problem.targets, Cs, strict=True))
    return solve_each(problem, lambda signs, target: solve_machine(K, signs, own[target]), n_jobs)


def cross_validated(
    K: Float64Array, problem: Problem, Cs: Sequence[float], folds: Sequence[Fold], n_threads: int
) -> Float64Array:
    """Accuracy of each class against the rest on items that were held out, by C.

    Parameters
    ----------
    K : ndarray of shape (n_items, n_items)
    problem : Problem
        Every item has a label.
    Cs : sequence of float
    folds : sequence of (train, test)
    n_threads : int
        The result does not depend on it.

    Returns
    -------
    ndarray of shape (n_problems, n_Cs)
        Share of right signs among the tested items of all folds.
    """

    def right(target: int, fold: Fold) -> list[int]:
        train, test = fold
        signs = problem.signs(target)
        known, held_out = K[np.ix_(train, train)], K[np.ix_(test, train)]
        counts = []
        for C in Cs:
            machine = solve_machine(known, signs[train], C)
            scores = held_out @ machine.dual + machine.intercept
            counts.append(int(np.sum((scores > 0) == (signs[test] > 0))))
        return counts

    jobs = [(target, fold) for target in problem.targets for fold in folds]
    # One BLAS thread: sums must not depend on the number of threads.
    with blas_threads():
        at_once = max(1, min(n_threads, len(jobs)))
        counts = Parallel(n_jobs=at_once, require="sharedmem")(delayed(right)(*job) for job in jobs)
    total = np.array(counts).reshape(len(problem.targets), len(folds), len(Cs)).sum(1)
    return np.asarray(total / sum(len(test) for _, test in folds))
