"""One binary problem for each class against the rest, learnt side by side."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils import check_random_state

from sfmcore.data.arrays import BoolArray, Float64Array, Int64Array
from sfmcore.data.checks import check_whole
from sfmcore.data.streams import KEPT_FROM_MODELS
from sfmcore.data.targets import UNLABELED, numbered_labels, require_two_classes
from sfmcore.features.column_kernel import ColumnKernel
from sfmcore.learning.algorithm import solve
from sfmcore.learning.pair import Pair
from sfmcore.learning.prepare import prepare
from sfmcore.learning.settings import Settings
from sfmcore.learning.task import Task
from sfmcore.models.base import GenerativeModel, checked_weights
from sfmcore.parallel.tasks import kept, run_tasks
from sfmcore.preparation.base import UNCHANGED, FittedPreparation, Preparation, applied

# Weights that add up to less than this share of the items are hardly meant as counts.
_FEW = 0.1


@dataclass(frozen=True)
class Problem:
    """Items, classes and weights of a fit.

    Attributes
    ----------
    items : batch of items
    classes : ndarray of shape (n_classes,)
        Sorted labels, at least two.
    numbers : ndarray of shape (n_items,), int64
        Class of each item; -1 for one without label.
    weights : ndarray of shape (n_items,)
        Above 0.
    places : ndarray of shape (n_items,), int64
        Rows of the user's X that the items were; further items without label follow.
    weighted : bool
        Whether the user gave weights.
    n_rows : int, optional
        Rows of the user's X; the items of higher places came without label beside it.
    """

    items: Any
    classes: npt.NDArray[Any]
    numbers: Int64Array
    weights: Float64Array
    places: Int64Array
    weighted: bool = False
    n_rows: int | None = None

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def targets(self) -> list[int]:
        """Classes that are told from the rest; of two classes only the second."""
        return [1] if self.n_classes == 2 else list(range(self.n_classes))

    def signs(self, target: int) -> npt.NDArray[np.int8]:
        """+1 for the class, -1 for the others, 0 for items without label."""
        signs = np.where(self.numbers == target, 1, -1)
        signs[self.numbers == UNLABELED] = 0
        return signs.astype(np.int8)

    def seen_by_models(self, fraction: float, seed: int) -> BoolArray | None:
        """Labelled items left when a share is kept from the models.

        The share is drawn without a look at the labels: a split that halves every class would
        tie the two parts together, and a certificate needs independent items.

        Parameters
        ----------
        fraction : float
            Share that is kept away; 0 for none.
        seed : int

        Returns
        -------
        ndarray of shape (n_items,), bool, or None
            None if nothing is kept away.

        Raises
        ------
        ValueError
            If a class is left without an item for its models, or weights were given.
        """
        if fraction == 0:
            return None
        if self.weighted:
            raise ValueError("a certificate is of items drawn alike: it takes no sample_weight")
        random = np.random.default_rng([seed, KEPT_FROM_MODELS])
        seen = self.numbers != UNLABELED
        members = np.flatnonzero(seen)
        count = max(1, round(fraction * len(members)))
        seen[random.permutation(members)[:count]] = False
        gone = np.setdiff1d(np.arange(self.n_classes), self.numbers[seen])
        if len(gone):
            names = ", ".join(map(repr, self.classes[gone].tolist()))
            raise ValueError(
                f"certificate_fraction={fraction} left no item to learn the models of {names} "
                "from: lower it, or leave rare classes out"
            )
        return seen


@dataclass(frozen=True)
class Candidate:
    """A way to learn pairs, before anything is learnt.

    Attributes
    ----------
    model : GenerativeModel or ColumnKernel
        Unfitted.
    preparation : Preparation
        Unfitted. Candidates that share one object share what it learns.
    settings : Settings
    """

    model: GenerativeModel | ColumnKernel
    preparation: Preparation
    settings: Settings


@dataclass(frozen=True)
class Member:
    """A way to learn pairs, with its fitted preparation.

    Attributes
    ----------
    model : GenerativeModel or ColumnKernel
        Unfitted.
    settings : Settings
    preparation : FittedPreparation, optional
        What is done with the items first.
    """

    model: GenerativeModel | ColumnKernel
    settings: Settings
    preparation: FittedPreparation = UNCHANGED

    @classmethod
    def of(cls, candidate: Candidate, preparation: FittedPreparation) -> "Member":
        """Give the model the parameters that it has and the preparation knows."""
        model = clone(candidate.model)
        own = model.get_params()
        known = {name: v for name, v in preparation.model_parameters.items() if name in own}
        return cls(model.set_params(**known), candidate.settings, preparation)


def prepared_members(
    candidates: Sequence[Candidate],
    items: Any,
    weights: Float64Array,
    *,
    seed: int,
    n_threads: int,
) -> list[Member]:
    """Fit the preparations of the candidates, each once.

    Parameters
    ----------
    candidates : sequence of Candidate
    items : batch of items
        As encoded.
    weights : ndarray of shape (n_items,)
        An item of weight 0 is not seen.
    seed : int
    n_threads : int
        The result does not depend on it.
    """
    fitted: dict[int, FittedPreparation] = {}
    for own in (candidate.preparation for candidate in candidates):
        if id(own) not in fitted:
            fitted[id(own)] = _fitted(own, len(fitted), items, weights, seed, n_threads)
    return [Member.of(one, fitted[id(one.preparation)]) for one in candidates]


def _fitted(
    preparation: Preparation,
    number: int,
    items: Any,
    weights: Float64Array,
    seed: int,
    n_threads: int,
) -> FittedPreparation:
    def pack(fitted: FittedPreparation) -> dict[str, np.ndarray] | None:
        return None if fitted is UNCHANGED else fitted.get_arrays()

    def unpack(arrays: dict[str, np.ndarray] | None) -> FittedPreparation:
        return UNCHANGED if arrays is None else preparation.of_arrays(arrays, n_threads)

    return kept(
        f"preparation {number}",
        lambda: preparation.fit(items, weights, seed=seed, n_threads=n_threads),
        pack,
        unpack,
    )


def learn_pairs(
    problem: Problem,
    members: Sequence[Member],
    *,
    n_pairs: int,
    seed: int,
    n_threads: int,
    known: BoolArray | None = None,
    show_progress: bool = False,
) -> list[Pair]:
    """Learn `n_pairs` pairs of each member for each class against the rest.

    Parameters
    ----------
    problem : Problem
    members : sequence of Member
        Their pairs vote together.
    n_pairs : int
    seed : int
    n_threads : int
        The result does not depend on it.
    known : ndarray of shape (n_items,), bool, optional
        Labelled items of the models; see :meth:`sfmcore.learning.task.Split.apart_from`.
    show_progress : bool, default=False

    Returns
    -------
    list of Pair
        Class by class, and member by member within a class.
    """
    n_rows = n_pairs * len(members)
    jobs = {
        f"class {target} pair {number}": (target, number)
        for target in problem.targets
        for number in range(n_rows)
    }
    shared = {
        "items": applied([member.preparation for member in members], problem.items),
        # What the models see is `items`; those as encoded may be large, or files.
        "problem": replace(problem, items=None),
        "members": [Member(member.model, member.settings) for member in members],
        "n_pairs": n_pairs,
        "seed": seed,
        "known": known,
    }
    pairs = run_tasks(
        _learn_pair, jobs, shared, n_threads, noun="pairs", show_progress=show_progress
    )
    for pair, (_, number) in zip(pairs, jobs.values(), strict=True):
        # Here, so that all pairs hold one object, wherever they were learnt.
        pair.preparation = members[number // n_pairs].preparation
    return pairs


def _learn_pair(
    job: tuple[int, int],
    n_threads: int,
    *,
    items: Sequence[Any],
    problem: Problem,
    members: Sequence[Member],
    n_pairs: int,
    seed: int,
    known: BoolArray | None,
) -> Pair:
    target, number = job
    member = members[number // n_pairs]
    task = Task.of(
        items[number // n_pairs],
        problem.signs(target),
        weights=problem.weights,
        models=known,
        seed=pair_seed(seed, target, number),
        n_threads=n_threads,
    )
    return solve(prepare(task, member.model, member.settings))


def pair_seed(seed: int, target: int, number: int) -> int:
    """Seed of one pair: another one for every class and every pair of it."""
    return int(np.random.SeedSequence([seed, target, number]).generate_state(1, np.uint64)[0])


def make_problem(
    items: Any,
    y: npt.ArrayLike,
    sample_weight: npt.ArrayLike | None = None,
    more: Any = None,
    unlabeled: Any = "auto",
) -> Problem:
    """Items with their classes and weights; items of weight 0 are left out.

    Parameters
    ----------
    items : batch of items
    y : array-like of shape (n_items,)
    sample_weight : array-like of shape (n_items,), optional
    more : batch of items, optional
        Without label.
    unlabeled : "auto", None or a value, default="auto"
        What stands in `y` for an item without label.

    Returns
    -------
    Problem

    Raises
    ------
    ValueError
        If labels or weights can't be used, or there are fewer than two classes.
    """
    n_rows = len(items)
    classes, numbers = numbered_labels(y, n_rows, unlabeled)
    weights = checked_weights(sample_weight, n_rows)
    if weights.sum() < _FEW * n_rows:
        warnings.warn(
            f"sample_weight adds up to {weights.sum():.3g} for {n_rows} items: a weight of 2 is an "
            "item given twice, so little is learnt from so few; multiply the weights, for example "
            "so that their mean is 1",
            UserWarning,
            stacklevel=4,
        )
    if more is not None:
        items = _join(items, more)
        numbers = np.append(numbers, np.full(len(more), UNLABELED))
        weights = np.append(weights, np.ones(len(more)))
    places = np.flatnonzero(weights > 0)
    if len(places) < len(weights):
        items, numbers, weights = items[places], numbers[places], weights[places]
        present = np.unique(numbers[numbers != UNLABELED])
        classes = classes[present]
        renumbered = np.searchsorted(present, numbers)
        numbers = np.where(numbers == UNLABELED, UNLABELED, renumbered)
    require_two_classes(classes, numbers, unlabeled)
    weighted = sample_weight is not None
    return Problem(items, classes, numbers, weights, places, weighted, n_rows)


def draw_seed(random_state: int | np.random.RandomState | None) -> int:
    """The seed itself, or one that the generator draws.

    Raises
    ------
    ValueError
        If it is a negative integer, or nothing that scientific Python takes for a seed.
    """
    if isinstance(random_state, int | np.integer):
        check_whole("random_state", random_state, 0)
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def _join(first: Any, second: Any) -> Any:
    """Both batches in one: of arrays by NumPy, of others by their own method."""
    if hasattr(first, "joined"):
        return first.joined(second)
    return np.concatenate([first, second])
