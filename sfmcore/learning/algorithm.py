"""Algorithm 1: learning a pair of models and their Gibbs classifier, in turns."""

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from sfmcore.bounds.inequalities import vote_limit
from sfmcore.bounds.objective import Objective, best_C, bound_slope, bound_value
from sfmcore.data.arrays import BoolArray, Float64Array, UInt64Array
from sfmcore.data.rows import Rows, RowStore, chosen
from sfmcore.data.streams import ITERATION
from sfmcore.data.with_vectors import items_of, vectors_of
from sfmcore.features.column_kernel import ColumnMap
from sfmcore.features.feature_map import FeatureMap
from sfmcore.kernels import _random
from sfmcore.learning.coupling import CoupledSampler, can_enumerate
from sfmcore.learning.pair import Pair
from sfmcore.learning.search import (
    descend,
    finalists,
    mean_direction,
    minimise,
    random_starts,
    scaled_to_minimum,
    surrogate_minimum,
)
from sfmcore.learning.settings import Settings
from sfmcore.learning.training_map import map_of_columns, map_of_models
from sfmcore.models.base import GenerativeModel

_CHUNK = 64
_C_STEPS = 7


class Learner:
    """One run of Algorithm 1 on one binary problem.

    Parameters
    ----------
    model : GenerativeModel or None
        Unfitted; cloned for each class. None for a kernel on the columns.
    settings : Settings
    seed : int
    n_threads : int
    """

    def __init__(
        self, model: GenerativeModel | None, settings: Settings, seed: int, n_threads: int
    ) -> None:
        self.model = model
        self.settings = settings
        self.seed = seed
        self.n_threads = n_threads

    def learn(
        self,
        data: Any,
        signs: npt.NDArray[np.int8],
        *,
        sample_weight: Float64Array | None = None,
        known: BoolArray | None = None,
    ) -> Pair:
        """Learn from items with sign +1, -1, or 0 for unlabelled ones.

        Parameters
        ----------
        data : batch of items
        signs : ndarray of shape (n_items,), int8
        sample_weight : ndarray of shape (n_items,), optional
            A weight of 2 is an item given twice, 0 an item left out.
        known : ndarray of shape (n_items,), bool, optional
            S', if models, conditioning and u_0 are to see these labelled items only, and u the
            others: those can then be certified on.

        Returns
        -------
        Pair
        """
        self.prepare(data, signs, sample_weight=sample_weight, known=known)
        return self.solve()

    def prepare(
        self,
        data: Any,
        signs: npt.NDArray[np.int8],
        *,
        sample_weight: Float64Array | None = None,
        known: BoolArray | None = None,
        models: list[GenerativeModel] | None = None,
    ) -> list[GenerativeModel]:
        """Fit the models and compute the features; :meth:`solve` then learns u, for any C.

        Parameters
        ----------
        data, signs, sample_weight, known
            As in :meth:`learn`.
        models : list of GenerativeModel, optional
            Fitted models of the positive and the negative items, from an earlier call.

        Returns
        -------
        list of GenerativeModel
            The two models, or none. What :meth:`solve` changes are copies of them.
        """
        settings = self.settings
        self.data, self.signs = data, signs
        self.weights = np.ones(len(signs)) if sample_weight is None else sample_weight
        self.known = known
        self.fitted = np.ones(len(signs), dtype=bool) if known is None else ~known
        self.n_items = len(signs)
        self.random = np.random.default_rng(self.seed)
        self.C = 1.0 if settings.C == "bound" else float(settings.C)
        self.enumerates = self._choose_sampler()
        seen = self.weights if known is None else self.weights * known
        self.mapping: FeatureMap | ColumnMap
        self.models: list[GenerativeModel] = []
        if self.model is None:
            self.mapping, self.rows = map_of_columns(
                data, seen, settings, seed=self.seed, n_threads=self.n_threads
            )
        else:
            self.models = self._fit_models(self.model) if models is None else models
            self.mapping, self.rows = map_of_models(
                self.models,
                self.model.conditioned,
                data,
                seen,
                settings,
                seed=self.seed,
                keys=self._keys(0),
                n_threads=self.n_threads,
            )
        self.prior_mean = self._learn_prior(self.rows)
        self.surrogate: Float64Array | None = None
        return self.models

    def solve(self, C: float | None = None, *, follows: bool = False) -> Pair:
        """Learn u (and what feeds back from it) after :meth:`prepare`.

        Parameters
        ----------
        C : float, optional
            In place of the setting.
        follows : bool, default=False
            One C of several: the search has one start, the minimum of the surrogate, which is
            found from its minimum at the C before; several are tried otherwise.

        Returns
        -------
        Pair
        """
        settings = self.settings
        if C is not None:
            self.C = C
        self.follows = follows
        iterating = settings.n_draws != "exact"
        if iterating:
            # The loop changes the models; another C begins again with those of EM.
            self.mapping = mapping = copy.deepcopy(self._of_models())
            mapping.positive, mapping.negative = copy.deepcopy(self.models)
        self.pair = Pair(
            self.mapping,
            self.prior_mean,
            self.prior_mean,
            self.C,
            settings.n_draws,
            settings.vote,
            self.seed,
            models_converged=2 - sum(not model.converged_ for model in self.models),
        )
        if iterating:
            rows = self._iterate(self.rows)
        else:
            # Without feedback nothing but u is left to learn: the models are at their optimum.
            rows = self.rows
            self._update_classifier(rows, first=True)
        if self.known is not None:
            self._approach_prior(rows)
        self.pair.C = self.C
        return self.pair

    def _of_models(self) -> FeatureMap:
        """The map, where it is one of models: what is drawn or MAP has no other."""
        assert isinstance(self.mapping, FeatureMap)
        return self.mapping

    def _fit_models(self, unfitted: GenerativeModel) -> list[GenerativeModel]:
        """Models of the positive and of the negative items."""
        models = []
        for number, sign in enumerate((1, -1)):
            model: GenerativeModel = clone(unfitted)
            seed = np.random.SeedSequence([self.seed, number]).generate_state(1)[0]
            model.set_params(random_state=int(seed), n_jobs=self.n_threads)
            mine = self.signs == sign
            if self.known is not None:
                mine &= self.known
            members = np.flatnonzero(mine)
            models.append(model.estimate(items_of(self.data)[members], self.weights[members]))
        return models

    def _keys(self, iteration: int) -> UInt64Array:
        items = np.arange(self.n_items, dtype=np.uint64)
        return _random.stream_keys(self.seed, ITERATION + iteration, items)

    def _objective(self, rows: Rows, items: BoolArray) -> Objective:
        """J(u) on the rows of the chosen items."""
        n_draws = rows.shape[0] // self.n_items
        labelled, others = self._sizes(items)
        return Objective(
            chosen(rows, np.repeat(items, n_draws)),
            np.repeat(self.signs[items], n_draws),
            self.C,
            labelled + self.settings.unlabeled_weight * others,
            prior_mean=self.prior_mean,
            sample_weight=np.repeat(self.weights[items], n_draws),
            unlabeled_weight=self.settings.unlabeled_weight,
            n_threads=self.n_threads,
        )

    def _sizes(self, items: BoolArray) -> tuple[float, float]:
        """m_l and m_u: how many of the chosen items have a label and how many have none."""
        labelled = self.signs != 0
        return (
            float(self.weights[items & labelled].sum()),
            float(self.weights[items & ~labelled].sum()),
        )

    def _learn_prior(self, rows: Rows) -> Float64Array:
        """u_0: zero, the models' MAP weights, or learnt on S'.

        S' are the items that the models know, if others are kept from them, else a part of
        every class and of the unlabelled items. The paper minimises the risk alone, which has no
        minimum where S' can be separated: J(u) with a prior around zero is minimised instead.
        """
        self.prior_mean = np.zeros(self.mapping.n_features)
        self.prior_items = np.zeros(self.n_items, dtype=bool)
        if self.known is not None:
            self.prior_items = self.known
        elif self.settings.prior == "map":
            objective = self._objective(rows, self.fitted)
            return scaled_to_minimum(objective, self._map_direction(objective))
        elif self.settings.prior_fraction == 0:
            return self.prior_mean
        else:
            for sign in (-1, 0, 1):
                members = np.flatnonzero(self.signs == sign)
                count = round(self.settings.prior_fraction * len(members))
                if sign != 0:
                    count = max(1, count)
                self.prior_items[self.random.permutation(members)[:count]] = True
        objective = self._objective(rows, self.prior_items)
        return minimise(objective, finalists(objective, self._starts(objective)))

    def _starts(self, objective: Objective) -> Iterator[Float64Array]:
        surrogate = surrogate_minimum(objective)
        yield surrogate
        # Items that were kept apart may all be of one side: then there is no MAP classifier. Nor
        # is there one in the features of a kernel.
        sides = np.any(objective.signs > 0) and np.any(objective.signs < 0)
        if sides and self.mapping.kernel is None:
            # Only its direction is known; the surrogate lends it its length.
            yield self._map_direction(objective) * np.linalg.norm(surrogate)
        yield mean_direction(objective)
        yield from random_starts(self.settings.n_restarts, self.mapping.n_features, self.random)

    def _map_direction(self, objective: Objective) -> Float64Array:
        """Weights of the MAP classifier, at unit length."""
        # Of the objective's items: u_0 must not depend on labels outside S'.
        positive, negative = (objective.weights[objective.signs == s].sum() for s in (1, -1))
        weights = self._of_models().map_classifier(float(np.log(positive / negative)))
        return weights / max(float(np.linalg.norm(weights)), 1e-300)

    def _update_classifier(self, rows: Rows, *, first: bool) -> None:
        """One step for u and C: to a minimum, or down the gradient as in the paper."""
        settings = self.settings
        objective = self._objective(rows, self.fitted)
        if settings.optimizer == "gradient" and not first:
            self.pair.u = descend(objective, self.pair.u, settings.learning_rate_u, 1)
        else:
            starts = [self.pair.u]
            if first and self.follows:
                # Not from the u of another C: where one class is rare, that u may say the other
                # for every item, and J is flat there. The surrogate is convex.
                self.surrogate = surrogate_minimum(objective, self.surrogate)
                starts = [self.surrogate]
            elif first:
                starts = finalists(objective, self._starts(objective))
            self.pair.u = minimise(objective, starts)
        value = objective(self.pair.u)[0]
        if settings.C == "bound":
            risk = objective.risks(self.pair.u).total
            divergence = objective.divergence(self.pair.u)
            if settings.optimizer == "gradient":
                slope = bound_slope(value, risk, self.C, objective.n_items, settings.delta)
                self.C = max(1e-3, self.C - settings.learning_rate_C * slope)
            else:
                self.C = best_C(risk, divergence, objective.n_items, settings.delta)
            value = self.C * risk + divergence / objective.n_items
        self.pair.objective.append(value)
        self.pair.bound.append(bound_value(value, self.C, objective.n_items, settings.delta))

    def _approach_prior(self, rows: Rows) -> None:
        """Take the C, at most the present one, whose classifier has the best certificate.

        The certificate holds for all classifiers at once, so it may choose among them. Small
        values of C leave u near u_0: little divergence, for a few more errors on the items.
        """
        pair = self.pair
        objective = self._objective(rows, self.fitted)
        n_labelled = int(np.sum(self.fitted & (self.signs != 0)))
        largest, best = self.C, np.inf
        u, kept = pair.u, (self.C, pair.u)
        for step in range(_C_STEPS):
            objective.C = largest / 4.0**step
            u = minimise(objective, [u]) if step else u
            risks, divergence = objective.risks(u), objective.divergence(u)
            limit = vote_limit(
                risks.gibbs, risks.tandem, divergence, n_labelled, self.settings.delta
            )
            if limit < best:
                best, kept = limit, (objective.C, u)
        self.C, pair.u = kept
        objective.C = self.C
        value = objective(pair.u)[0]
        pair.objective.append(value)
        pair.bound.append(bound_value(value, self.C, objective.n_items, self.settings.delta))

    def _iterate(self, rows: Rows) -> Rows:
        """The turns of Algorithm 1; returns the rows that u was last learnt on."""
        settings, pair = self.settings, self.pair
        pair.converged = False
        fitted = self.fitted
        if self.known is not None:
            # A u of items that are kept from the models must not feed back into the models, nor
            # say after how many turns they are done.
            self.fitted = self.known | (self.signs == 0)
        self._update_classifier(rows, first=True)
        for iteration in range(1, settings.max_iter + 1):
            pair.n_iter = iteration
            rows = self._expectation_and_maximisation(iteration)
            self._update_classifier(rows, first=False)
            if abs(pair.objective[-1] - pair.objective[-2]) < settings.tol * pair.objective[-2]:
                pair.converged = True
                break
        self.fitted = fitted
        if settings.refit or self.known is not None:
            # The last word on u is learnt from what prediction draws: P(h | x, theta).
            mapping = self._of_models()
            rows = mapping.training_rows(self.data, settings.n_draws, self._keys(0))
            self._update_classifier(rows, first=True)
        return rows

    def _expectation_and_maximisation(self, iteration: int) -> Rows:
        """Draw from every Q_i, and update both models from their own class's draws."""
        n_draws = int(self.settings.n_draws)
        mapping = self._of_models()
        split = mapping.positive.n_features
        models = {1: mapping.positive, -1: mapping.negative}
        totals = {sign: np.zeros(model.n_statistics) for sign, model in models.items()}
        store = RowStore(
            self.n_items * n_draws, mapping.n_features, sparse=mapping.is_sparse(n_draws)
        )
        keys = self._keys(iteration)
        exponents = self._exponents()
        # Items that may not change the models count nothing.
        shares = (self.weights if self.known is None else self.weights * self.known) / n_draws
        accepted = proposed = 0
        for start in range(0, self.n_items, _CHUNK):
            part = slice(start, min(start + _CHUNK, self.n_items))
            items = self.data[part]
            if self.settings.coupling == 0:
                raw = mapping.raw(items, n_draws, keys[part])
            elif self.enumerates:
                raw = self._sampler().by_enumeration(
                    items, self.signs[part], exponents[part], keys[part]
                )
            else:
                raw, hits, tries = self._sampler().by_rejection(
                    items, self.signs[part], exponents[part], keys[part]
                )
                accepted += hits
                proposed += tries
            signs = np.repeat(self.signs[part], n_draws)
            weights = np.repeat(shares[part], n_draws)
            for sign, model in models.items():
                first = 0 if sign == 1 else split
                mine = signs == sign
                block = raw[mine, first : first + model.n_statistics]
                totals[sign] += (block * weights[mine, None]).sum(0)
            store.add(mapping.condition(items, raw))
        for sign, model in models.items():
            model.update(totals[sign])
        if proposed:
            self.pair.acceptance.append(accepted / proposed)
        return store.rows()

    def _sampler(self) -> CoupledSampler:
        settings = self.settings
        return CoupledSampler(
            self._of_models(),
            self.pair.u,
            int(settings.n_draws),
            settings.max_proposals,
            self.seed,
            self.n_threads,
        )

    def _choose_sampler(self) -> bool:
        """Whether Q_i is enumerated; asked before EM, so that a refusal costs no time."""
        settings = self.settings
        if settings.coupling == 0 or settings.sampler == "rejection":
            return False
        # It weighs sums over the two models, which a kernel and other lengths do not keep.
        sums = settings.n_landmarks == 0 and vectors_of(self.data).shape[1] == 0
        possible = sums and self.model is not None and can_enumerate(self.model, self.model)
        if settings.sampler == "enumeration" and not possible:
            raise ValueError(
                "sampler='enumeration' needs models with few values of the hidden variables, and "
                "nothing beside their features: use 'auto' or 'rejection'"
            )
        return possible

    def _exponents(self) -> Float64Array:
        """kappa_i of Eq. post_fact, scaled by the coupling."""
        labelled, others = self._sizes(self.fitted)
        weight = self.settings.unlabeled_weight
        factor = self.settings.coupling * self.C * (labelled + weight * others) ** 2
        on_none = weight * factor / (2.0 * others) if others > 0 else 0.0
        return np.where(self.signs != 0, factor / labelled, on_none)
