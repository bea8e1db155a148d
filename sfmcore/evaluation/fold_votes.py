"""Votes of many settings on the test items of one fold, where settings share what they can.

Settings of one model and preparation share the fitted models and their features; those that differ
in the width of a kernel alone share landmarks and distances. A kernel on the columns knows no
class, so all classes share its features. What draws hidden variables, or has a prior that is not
zero, is learnt by itself.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sfmcore.bounds.objective import Objective
from sfmcore.data.arrays import Float32Array, Float64Array, Int64Array
from sfmcore.features.column_kernel import ColumnKernel
from sfmcore.features.compact import compact
from sfmcore.features.feature_map import FeatureMap
from sfmcore.features.kernel_family import KernelFamily
from sfmcore.kernels import _objective
from sfmcore.learning.algorithm import solve_path
from sfmcore.learning.members import Member
from sfmcore.learning.prepare import fit_models, objective_on, prepare
from sfmcore.learning.problem import Problem, pair_seed
from sfmcore.learning.search import rough_minima
from sfmcore.learning.settings import Settings
from sfmcore.learning.starts import map_direction
from sfmcore.learning.task import Task
from sfmcore.learning.vote import decide, vote_shares
from sfmcore.models.base import GenerativeModel

Votes = tuple[Float64Array, Float64Array]
"""Scores, and shares of the votes; one row for each C, one column for each test item."""

# The constant of a kernel's rows, which tells their length.
_CONSTANT = np.sqrt(0.5)
# Of a kernel in the folds: more take longer, and hardly change the order of settings.
_MOST_LANDMARKS = 400


@dataclass(frozen=True)
class FoldItems:
    """Items of a fold as one preparation makes them.

    Attributes
    ----------
    trained, tested : batch of items
    """

    trained: Any
    tested: Any


@dataclass(frozen=True)
class FoldTask:
    """Settings to try on a fold, for some of the classes against the rest.

    Attributes
    ----------
    problem : Problem
    train : ndarray of shape (n_train,)
        Places of the training items.
    targets : sequence of int
        Classes.
    members : sequence of Member
        The settings: of mixtures, or of kernels on the columns that differ in their width alone.
    items : sequence of FoldItems
        Those of every member.
    Cs : sequence of float
        Values of C, in rising order.
    seed : int
    n_threads : int
        No result depends on it.
    """

    problem: Problem
    train: Int64Array
    targets: Sequence[int]
    members: Sequence[Member]
    items: Sequence[FoldItems]
    Cs: Sequence[float]
    seed: int
    n_threads: int

    def votes(self) -> tuple[Float64Array, Float64Array]:
        """Scores and shares of the votes, shape (n_members, n_Cs, n_targets, n_test) both.

        What can't be computed has NaN for scores.
        """
        n_test = len(self.items[0].tested)
        shape = len(self.members), len(self.Cs), len(self.targets), n_test
        scores, shares = np.full((2, *shape), np.nan)
        for place, target in enumerate(self.targets):
            if (only := self._only_sign(target)) != 0:
                # A split of the user's may leave a class out: then nothing speaks for it.
                scores[:, :, place], shares[:, :, place] = only, only > 0
        of_columns = isinstance(self.members[0].model, ColumnKernel)
        made = self._of_columns() if of_columns else self._of_models()
        for number, place, (own_scores, own_shares) in made:
            scores[number, :, place], shares[number, :, place] = own_scores, own_shares
        return scores, shares

    def _of_columns(self) -> Iterator[tuple[int, int, Votes]]:
        items, model = self.items[0], self.members[0].model
        assert isinstance(model, ColumnKernel)
        trained, tested = items.trained + 0.0, items.tested + 0.0  # -0.0 is 0.0
        family = KernelFamily(
            trained,
            tested,
            n_landmarks=min(model.n_landmarks, _MOST_LANDMARKS),
            seed=pair_seed(self.seed, self.problem.targets[0], 0),
            shape=model.kernel,
            n_threads=self.n_threads,
        )
        for number, member in enumerate(self.members):
            assert isinstance(member.model, ColumnKernel)
            try:
                rows = family.features(member.model.gamma / trained.shape[1])
            except np.linalg.LinAlgError:
                continue
            constants = np.full(len(tested), _CONSTANT)
            for place, target in self._learnt():
                task = self._task(target, items.trained)
                yield number, place, _path(task, member.settings, *rows, constants, self.Cs)

    def _of_models(self) -> Iterator[tuple[int, int, Votes]]:
        for place, target in self._learnt():
            pairs: dict[tuple[int, int], PairFeatures] = {}
            for number, (member, items) in enumerate(zip(self.members, self.items, strict=True)):
                own = id(member.model), id(items)
                if own not in pairs:
                    task = self._task(target, items.trained)
                    pairs[own] = PairFeatures(task, items, fit_models(task, member.model))
                try:
                    votes = pairs[own].votes(member, self.Cs)
                except np.linalg.LinAlgError:
                    continue
                yield number, place, votes

    def _learnt(self) -> list[tuple[int, int]]:
        """Classes that have training items of both signs, with their places."""
        targets = enumerate(self.targets)
        return [(place, target) for place, target in targets if self._only_sign(target) == 0]

    def _only_sign(self, target: int) -> int:
        """The one sign that all labelled training items have; 0 where they have both."""
        signs = self.problem.signs(target)[self.train]
        positive, negative = bool(np.any(signs > 0)), bool(np.any(signs < 0))
        return 0 if positive and negative else 1 if positive else -1

    def _task(self, target: int, trained: Any) -> Task:
        return Task.of(
            trained,
            self.problem.signs(target)[self.train],
            weights=self.problem.weights[self.train],
            seed=pair_seed(self.seed, target, 0),
            n_threads=self.n_threads,
        )


class PairFeatures:
    """Features of a pair of fitted models, for all settings that share it.

    Parameters
    ----------
    task : Task
        Of the training items.
    items : FoldItems
    models : sequence of GenerativeModel
        Of the positive and of the negative items.
    """

    def __init__(self, task: Task, items: FoldItems, models: Sequence[GenerativeModel]) -> None:
        self._task = task
        self._items = items
        self._models = models
        self._raw: tuple[Float32Array, Float32Array] | None = None
        self._maps: dict[bool, FeatureMap] = {}
        self._families: dict[tuple[bool, float, int], KernelFamily] = {}

    def votes(self, member: Member, Cs: Sequence[float]) -> Votes:
        """Votes of one setting.

        Parameters
        ----------
        member : Member
        Cs : sequence of float

        Raises
        ------
        LinAlgError
            If the kernel of the landmarks can't be factorised.
        """
        settings = member.settings
        if not _is_plain(settings):
            return self._by_turns(member, Cs)
        own = self._models[0].conditioned
        conditioned = own if settings.conditioning is None else settings.conditioning
        if settings.n_landmarks == 0:
            trained, tested = self._linear(conditioned, settings.clip)
            objective = _objective_of(self._task, settings, trained, Cs[0])
            direction = map_direction(objective, self._map(conditioned))
            constants = tested[:, -1]
            # The direction is turned as if it were one more row.
            more = np.vstack([tested, direction.astype(np.float32)])
            trained, more = compact(trained, more)
            tested, directions = more[:-1], [more[-1].astype(np.float64)]
        else:
            family = self._family(conditioned, settings.clip, settings.n_landmarks)
            trained, tested = family.features(settings.gamma)
            constants, directions = np.full(len(tested), _CONSTANT), []
        return _path(self._task, settings, trained, tested, constants, Cs, directions)

    def _linear(self, conditioned: bool, clip: float) -> tuple[Float32Array, Float32Array]:
        """Rows of unit length, before any kernel."""
        trained, tested = self._items.trained, self._items.tested
        raw = self._raw
        if raw is None:
            # Conditioning comes after them: any map has the same.
            plain = self._map(False)
            raw = self._raw = plain.raw(trained, "exact"), plain.raw(tested, "exact")
        mapping = self._map(conditioned)
        mapping.clip = clip
        return mapping.condition(trained, raw[0]), mapping.condition(tested, raw[1])

    def _map(self, conditioned: bool) -> FeatureMap:
        if conditioned not in self._maps:
            mapping = FeatureMap(
                self._models,
                conditioned=conditioned,
                clip=np.inf,
                n_threads=self._task.n_threads,
            )
            if conditioned:
                assert self._raw is not None
                mapping.fit_conditioning(self._items.trained, self._raw[0], self._task.seen)
            self._maps[conditioned] = mapping
        return self._maps[conditioned]

    def _family(self, conditioned: bool, clip: float, n_landmarks: int) -> KernelFamily:
        own = conditioned, clip, n_landmarks
        if own not in self._families:
            self._families[own] = KernelFamily(
                *self._linear(conditioned, clip),
                n_landmarks=min(n_landmarks, _MOST_LANDMARKS),
                seed=self._task.seed,
                n_threads=self._task.n_threads,
            )
        return self._families[own]

    def _by_turns(self, member: Member, Cs: Sequence[float]) -> Votes:
        """Votes of pairs that are learnt as in a fit."""
        prepared = prepare(self._task, member.model, member.settings, self._models)
        scores, shares = np.empty((2, len(Cs), len(self._items.tested)))
        for number, pair in enumerate(solve_path(prepared, Cs)):
            margins, each = pair.votes(self._items.tested, self._task.n_threads)
            scores[number] = decide(each, member.settings.vote)
            shares[number] = vote_shares(margins)
        return scores, shares


def _is_plain(settings: Settings) -> bool:
    """Whether u around zero on expected features is all that is learnt, from one start."""
    return (
        settings.n_draws == "exact"
        and settings.prior == "zero"
        and settings.prior_fraction == 0
        and settings.n_restarts == 0
    )


def _objective_of(task: Task, settings: Settings, rows: Float32Array, C: float) -> Objective:
    return objective_on(task, settings, rows, task.split.classifier, C, np.zeros(rows.shape[1]))


def _path(
    task: Task,
    settings: Settings,
    trained: Float32Array,
    tested: Float32Array,
    constants: npt.NDArray[np.floating],
    Cs: Sequence[float],
    directions: Sequence[Float64Array] = (),
) -> Votes:
    """Votes for every C, on rows of one draw."""
    objective = _objective_of(task, settings, trained, Cs[0])
    margins = np.empty((len(Cs), len(tested)))
    for number, u in enumerate(rough_minima(objective, Cs, directions)):
        margins[number] = _objective.scores(tested, u, task.n_threads)
    shares = vote_shares(margins.reshape(-1, 1)).reshape(margins.shape)
    # The constant before rows were made one long is 1.
    scores = margins / constants if settings.vote == "raw" else margins
    return scores, shares
