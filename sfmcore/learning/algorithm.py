"""Algorithm 1: the classifier of a prepared task, and what feeds back from it, in turns."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from sfmcore.bounds.draws_limit import draws_limit
from sfmcore.bounds.objective import Objective, best_C, bound_slope, bound_value
from sfmcore.data.arrays import BoolArray, Float64Array
from sfmcore.data.rows import Rows, RowStore
from sfmcore.features.column_kernel import ColumnMap
from sfmcore.features.feature_map import FeatureMap
from sfmcore.learning.coupling import CoupledSampler
from sfmcore.learning.pair import Pair
from sfmcore.learning.prepare import Prepared
from sfmcore.learning.search import descend, minimise
from sfmcore.learning.settings import Settings
from sfmcore.learning.starts import Starts, several_starts, surrogate_start

_CHUNK = 64
_C_STEPS = 7


Search = Callable[[Objective, FeatureMap | ColumnMap], Float64Array]
"""Finds the u of an objective over the rows of a map."""


def solve(prepared: Prepared, C: float | None = None, search: Search | None = None) -> Pair:
    """Learn u and what feeds back from it; the search tries several starts.

    Parameters
    ----------
    prepared : Prepared
        Not changed: a model that is learnt further is a copy.
    C : float, optional
        In place of the setting.
    search : callable, optional
        In place of the search from several starts.

    Returns
    -------
    Pair
    """
    if search is not None:
        return _run(prepared, C, search)
    random = np.random.default_rng()
    random.bit_generator.state = prepared.random_state
    return _run(prepared, C, _search_from(several_starts(prepared.settings.n_restarts, random)))


def solve_path(prepared: Prepared, Cs: Sequence[float]) -> Iterator[Pair]:
    """Learn u for several values of C, each search after the first from a single start.

    Parameters
    ----------
    prepared : Prepared
    Cs : sequence of float
        In rising order; the first is searched as :func:`solve` does it.

    Yields
    ------
    Pair
    """
    following = _search_from(surrogate_start())
    for number, C in enumerate(Cs):
        yield _run(prepared, C, following) if number else solve(prepared, C)


def _search_from(starts: Starts) -> Search:
    """The lowest J(u) that L-BFGS reaches from several starts."""
    return lambda objective, mapping: minimise(objective, starts(objective, mapping))


def _run(prepared: Prepared, C: float | None, search: Search) -> Pair:
    task, settings = prepared.task, prepared.settings
    pair = Pair(
        prepared.mapping,
        prepared.prior_mean,
        prepared.prior_mean,
        settings.first_C if C is None else C,
        settings.n_draws,
        settings.vote,
        task.seed,
        models_converged=(len(prepared.models) or 2)
        - sum(not model.converged_ for model in prepared.models),
    )
    if settings.n_draws == "exact" or prepared.models_stay:
        # Without feedback nothing but u is left to learn: the models are at their optimum.
        rows = prepared.rows
        _learn_classifier(
            pair, prepared.objective(rows, task.split.classifier, pair.C), settings, search
        )
    else:
        rows = _take_turns(prepared, pair, search)
    if task.split.apart:
        _approach_prior(pair, prepared.objective(rows, task.split.classifier, pair.C), prepared)
    return pair


def _take_turns(prepared: Prepared, pair: Pair, search: Search) -> Rows:
    """The turns of Algorithm 1; returns the rows that u was last learnt on."""
    task, settings = prepared.task, prepared.settings
    assert isinstance(prepared.mapping, FeatureMap)
    # The turns change the models; another C begins again with those of EM.
    pair.mapping = mapping = prepared.mapping.with_own_models()
    pair.converged = False
    items = task.split.classifier
    if task.split.apart:
        # A u of items that are kept from the models must not feed back into the models, nor say
        # after how many turns they are done.
        items = task.split.models | (task.signs == 0)
    rows = prepared.rows
    _learn_classifier(pair, prepared.objective(rows, items, pair.C), settings, search)
    for iteration in range(1, settings.max_iter + 1):
        pair.n_iter = iteration
        rows = _update_models(prepared, pair, mapping, items, iteration)
        _improve_classifier(pair, prepared.objective(rows, items, pair.C), settings)
        if abs(pair.objective[-1] - pair.objective[-2]) < settings.tol * pair.objective[-2]:
            pair.converged = True
            break
    if settings.refit or task.split.apart:
        # The last word on u is learnt from what prediction draws: P(h | x, theta).
        rows = mapping.training_rows(task.items, settings.n_draws, task.keys(0))
        last = prepared.objective(rows, task.split.classifier, pair.C)
        _learn_classifier(pair, last, settings, search)
    return rows


def _learn_classifier(pair: Pair, objective: Objective, settings: Settings, search: Search) -> None:
    """Learn u anew, and C where the bound chooses it."""
    pair.u = search(objective, pair.mapping)
    _learn_C(pair, objective, settings)


def _improve_classifier(pair: Pair, objective: Objective, settings: Settings) -> None:
    """One step for u, to a minimum or down the gradient as in the paper; then one for C."""
    if settings.optimizer == "gradient":
        pair.u = descend(objective, pair.u, settings.learning_rate_u, 1)
    else:
        pair.u = minimise(objective, [pair.u])
    _learn_C(pair, objective, settings)


def _learn_C(pair: Pair, objective: Objective, settings: Settings) -> None:
    """One step for C where the bound chooses it, and an entry in the pair's record."""
    value = objective(pair.u)[0]
    if settings.C == "bound":
        risk = objective.risks(pair.u).total
        divergence = objective.divergence(pair.u)
        if settings.optimizer == "gradient":
            slope = bound_slope(value, risk, pair.C, objective.n_items, settings.delta)
            pair.C = max(1e-3, pair.C - settings.learning_rate_C * slope)
        else:
            pair.C = best_C(risk, divergence, objective.n_items, settings.delta)
        value = pair.C * risk + divergence / objective.n_items
    _record(pair, value, objective.n_items, settings.delta)


def _record(pair: Pair, value: float, n_items: float, delta: float) -> None:
    pair.objective.append(value)
    pair.bound.append(bound_value(value, pair.C, n_items, delta))


def _approach_prior(pair: Pair, objective: Objective, prepared: Prepared) -> None:
    """Take the C, at most the present one, whose classifier has the best certificate.

    The certificate holds for all classifiers at once, so it may choose among them. Small values of
    C leave u near u_0: little divergence, for a few more errors on the items.
    """
    task, delta = prepared.task, prepared.settings.delta
    n_labelled = int(np.sum(task.split.classifier & (task.signs != 0)))
    largest, best = pair.C, np.inf
    u, kept = pair.u, (pair.C, pair.u)
    for step in range(_C_STEPS):
        objective.C = largest / 4.0**step
        u = minimise(objective, [u]) if step else u
        losses = objective.losses(u).reshape(n_labelled, -1).mean(1)
        # A limit for any number of rows; what margins say of one row ranks C alike.
        limit = draws_limit(losses, divergence=objective.divergence(u), delta=delta).value
        if limit < best:
            best, kept = limit, (objective.C, u)
    pair.C, pair.u = kept
    objective.C = pair.C
    _record(pair, objective(pair.u)[0], objective.n_items, delta)


def _update_models(
    prepared: Prepared, pair: Pair, mapping: FeatureMap, items: BoolArray, iteration: int
) -> Rows:
    """Draw from every Q_i, and update both models from their own class's draws."""
    task, settings = prepared.task, prepared.settings
    n_draws = int(settings.n_draws)
    split = mapping.positive.n_features
    models = {1: mapping.positive, -1: mapping.negative}
    totals = {sign: np.zeros(model.n_statistics) for sign, model in models.items()}
    store = RowStore(task.n_items * n_draws, mapping.n_features, sparse=mapping.is_sparse(n_draws))
    keys = task.keys(iteration)
    exponents = _exponents(prepared, pair.C, items)
    sampler = CoupledSampler(
        mapping, pair.u, n_draws, settings.max_proposals, task.seed, task.n_threads
    )
    # Items that may not change the models count nothing.
    shares = task.seen / n_draws
    accepted = proposed = 0
    for start in range(0, task.n_items, _CHUNK):
        part = slice(start, min(start + _CHUNK, task.n_items))
        own = task.items[part], task.signs[part], exponents[part], keys[part]
        if settings.coupling == 0:
            raw = mapping.raw(own[0], n_draws, own[3])
        elif prepared.enumerates:
            raw = sampler.by_enumeration(*own)
        else:
            raw, hits, tries = sampler.by_rejection(*own)
            accepted += hits
            proposed += tries
        signs = np.repeat(task.signs[part], n_draws)
        weights = np.repeat(shares[part], n_draws)
        for sign, model in models.items():
            first = 0 if sign == 1 else split
            mine = signs == sign
            block = raw[mine, first : first + model.n_statistics]
            totals[sign] += (block * weights[mine, None]).sum(0)
        store.add(mapping.condition(own[0], raw))
    for sign, model in models.items():
        model.update(totals[sign])
    if proposed:
        pair.acceptance.append(accepted / proposed)
    return store.rows()


def _exponents(prepared: Prepared, C: float, items: BoolArray) -> Float64Array:
    """kappa_i of Eq. post_fact, scaled by the coupling."""
    task, settings = prepared.task, prepared.settings
    labelled, others = task.sizes(items)
    weight = settings.unlabeled_weight
    factor = settings.coupling * C * (labelled + weight * others) ** 2
    on_none = weight * factor / (2.0 * others) if others > 0 else 0.0
    return np.where(task.signs != 0, factor / labelled, on_none)
