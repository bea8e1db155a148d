"""The part of Algorithm 1 that no C changes: models, features and u_0."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from sfmcore.bounds.objective import Objective
from sfmcore.data.arrays import BoolArray, Float64Array
from sfmcore.data.rows import Rows, chosen
from sfmcore.data.with_vectors import vectors_of
from sfmcore.features.column_kernel import ColumnKernel, ColumnMap
from sfmcore.features.feature_map import FeatureMap
from sfmcore.learning.coupling import can_enumerate
from sfmcore.learning.mapping import fit_model, learn_map
from sfmcore.learning.search import minimise, scaled_to_minimum
from sfmcore.learning.settings import Settings
from sfmcore.learning.starts import map_direction, several_starts
from sfmcore.learning.task import Task
from sfmcore.models.base import GenerativeModel
from sfmcore.parallel.tasks import kept


@dataclass(frozen=True)
class Prepared:
    """A task with its fitted models, ready for the search for u.

    Attributes
    ----------
    task : Task
    settings : Settings
    models : tuple of GenerativeModel
        Fitted to the positive and to the negative items, or to those of several classes; empty
        for a kernel on the columns.
    mapping : FeatureMap or ColumnMap
    rows : ndarray or csr_array of shape (n_items * n_draws, n_features), float32
        Features of all items.
    prior_mean : ndarray of shape (n_features,)
        u_0.
    enumerates : bool
        Whether draws from Q_i weigh all values of the hidden variables.
    random_state : dict
        Of the generator that random starts go on with.
    models_stay : bool, default=False
        Whether the models are left as EM made them, because other tasks share them.
    """

    task: Task
    settings: Settings
    models: tuple[GenerativeModel, ...]
    mapping: FeatureMap | ColumnMap
    rows: Rows
    prior_mean: Float64Array
    enumerates: bool
    random_state: Mapping[str, Any]
    models_stay: bool = False

    def objective(self, rows: Rows, items: BoolArray, C: float) -> Objective:
        """J(u) around u_0 on the rows of the chosen items."""
        return objective_on(self.task, self.settings, rows, items, C, self.prior_mean)


def prepare(
    task: Task,
    model: GenerativeModel | ColumnKernel,
    settings: Settings,
    models: Sequence[GenerativeModel] = (),
) -> Prepared:
    """Fit the models, compute the features, and learn u_0.

    Parameters
    ----------
    task : Task
    model : GenerativeModel or ColumnKernel
        Unfitted; cloned for each class.
    settings : Settings
    models : sequence of GenerativeModel, optional
        Fitted models of the positive and the negative items, from an earlier call.

    Returns
    -------
    Prepared

    Raises
    ------
    ValueError
        If the models can't be learnt, or have no values to enumerate where that was asked for.
    """
    enumerates = _choose_sampler(task, model, settings)
    mapping: FeatureMap | ColumnMap
    if isinstance(model, ColumnKernel):
        models = ()
        mapping = model.map_of(task.items, task.seen, seed=task.seed, n_threads=task.n_threads)
        rows: Rows = mapping.features(task.items)
    else:
        models = tuple(models) or fit_models(task, model)
        mapping, rows = learn_map(
            models,
            settings,
            task.items,
            task.seen,
            keys=task.keys(0),
            seed=task.seed,
            n_threads=task.n_threads,
            classes=task.signs.astype(np.int64),
        )
    return prepare_on(task, settings, models, mapping, rows, enumerates=enumerates)


def prepare_on(
    task: Task,
    settings: Settings,
    models: Sequence[GenerativeModel],
    mapping: FeatureMap | ColumnMap,
    rows: Rows,
    *,
    enumerates: bool = False,
    models_stay: bool = False,
) -> Prepared:
    """Learn u_0 on rows that are there already, perhaps those of a map that tasks share.

    Parameters
    ----------
    task : Task
    settings : Settings
    models : sequence of GenerativeModel
        Those of the map.
    mapping : FeatureMap or ColumnMap
    rows : ndarray or csr_array of shape (n_items * n_draws, n_features), float32
    enumerates, models_stay : bool, default=False
        See :class:`Prepared`.
    """
    random = np.random.default_rng(task.seed)
    prior_mean = _learn_prior(task, settings, mapping, rows, random)
    return Prepared(
        task,
        settings,
        tuple(models),
        mapping,
        rows,
        prior_mean,
        enumerates,
        random.bit_generator.state,
        models_stay,
    )


def objective_on(
    task: Task,
    settings: Settings,
    rows: Rows,
    items: BoolArray,
    C: float,
    prior_mean: Float64Array,
) -> Objective:
    """J(u) on the rows of the chosen items.

    Parameters
    ----------
    task : Task
    settings : Settings
    rows : ndarray or csr_array of shape (n_items * n_draws, n_features)
    items : ndarray of shape (n_items,), bool
    C : float
    prior_mean : ndarray of shape (n_features,)
    """
    n_draws = rows.shape[0] // task.n_items
    labelled, others = task.sizes(items)
    return Objective(
        chosen(rows, np.repeat(items, n_draws)),
        np.repeat(task.signs[items], n_draws),
        C,
        labelled + settings.unlabeled_weight * others,
        prior_mean=prior_mean,
        sample_weight=np.repeat(task.weights[items], n_draws),
        unlabeled_weight=settings.unlabeled_weight,
        n_threads=task.n_threads,
    )


def fit_models(task: Task, unfitted: GenerativeModel) -> tuple[GenerativeModel, ...]:
    """Models of the positive and of the negative items.

    Parameters
    ----------
    task : Task
    unfitted : GenerativeModel
        Cloned for each class.
    """
    models = []
    for number, sign in enumerate((1, -1)):
        members = np.flatnonzero((task.signs == sign) & task.split.models)
        fit = partial(
            fit_model,
            unfitted,
            task.items,
            task.weights,
            members,
            seed=[task.seed, number],
            n_threads=task.n_threads,
        )
        # EM is most of a pair's time: a run that is killed after one model need not begin again.
        models.append(
            kept(
                f"model {number}",
                fit,
                unpack=lambda fitted: fitted.set_params(n_jobs=task.n_threads),
            )
        )
    return tuple(models)


def _learn_prior(
    task: Task,
    settings: Settings,
    mapping: FeatureMap | ColumnMap,
    rows: Rows,
    random: np.random.Generator,
) -> Float64Array:
    """u_0: zero, the models' MAP weights, or learnt on S'.

    S' are the items of the models, if others are kept from them, else a part of every class and of
    the unlabelled items. The paper minimises the risk alone, which has no minimum where S' can be
    separated: J(u) with a prior around zero is minimised instead.
    """
    zero = np.zeros(mapping.n_features)
    C = settings.first_C
    if task.split.apart:
        items = task.split.models
    elif settings.prior == "map":
        assert isinstance(mapping, FeatureMap)
        objective = objective_on(task, settings, rows, task.split.classifier, C, zero)
        return scaled_to_minimum(objective, map_direction(objective, mapping))
    elif settings.prior_fraction == 0:
        return zero
    else:
        items = _part_of_each_sign(task, settings.prior_fraction, random)
    objective = objective_on(task, settings, rows, items, C, zero)
    return minimise(objective, several_starts(settings.n_restarts, random)(objective, mapping))


def _part_of_each_sign(task: Task, fraction: float, random: np.random.Generator) -> BoolArray:
    """Mask of a share of the positive, the unlabelled and the negative items."""
    part = np.zeros(task.n_items, dtype=bool)
    for sign in (-1, 0, 1):
        members = np.flatnonzero(task.signs == sign)
        count = round(fraction * len(members))
        if sign != 0:
            count = max(1, count)
        part[random.permutation(members)[:count]] = True
    return part


def _choose_sampler(task: Task, model: GenerativeModel | ColumnKernel, settings: Settings) -> bool:
    """Whether Q_i is enumerated; asked before EM, so that a refusal costs no time."""
    if settings.coupling == 0 or settings.sampler == "rejection":
        return False
    # It weighs sums over the two models, which a kernel and other lengths do not keep.
    sums = settings.n_landmarks == 0 and vectors_of(task.items).shape[1] == 0
    possible = sums and isinstance(model, GenerativeModel) and can_enumerate(model, model)
    if settings.sampler == "enumeration" and not possible:
        raise ValueError(
            "sampler='enumeration' needs models with few values of the hidden variables, and "
            "nothing beside their features: use 'auto' or 'rejection'"
        )
    return possible
