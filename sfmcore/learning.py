"""Algorithm 1: learning a pair of models and their Gibbs classifier, in turns."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from sfmcore.bound import FloatArray, Objective, best_C, bound_slope, bound_value, upper_tail
from sfmcore.kernels import _objective, _random
from sfmcore.mapping import Draws, FeatureMap
from sfmcore.models.base import GenerativeModel
from sfmcore.optimize import (
    descend,
    mean_direction,
    minimise,
    random_starts,
    surrogate_minimum,
)
from sfmcore.parameters import check_choice, check_number, check_whole
from sfmcore.rejection import choose_proposals

# What a random stream is for; iterations of the loop count up from _ITERATION.
_PREDICTION, _CHOICE, _ITERATION = 1, 1 << 32, 1 << 33
_CHUNK = 64
_PREDICTION_CHUNK = 1024


@dataclass(frozen=True)
class Settings:
    """How a pair is learnt; see :class:`sfmcore.classifier.BaseSFMClassifier`."""

    n_draws: Draws = "exact"
    coupling: float = 0.0
    conditioning: bool | None = None
    clip: float = 2.0
    C: float | Literal["bound"] = 20.0
    prior_fraction: float = 0.0
    max_iter: int = 20
    tol: float = 1e-3
    optimizer: Literal["lbfgs", "gradient"] = "lbfgs"
    learning_rate_u: float = 1.0
    learning_rate_C: float = 1.0
    n_restarts: int = 0
    max_proposals: int = 50
    refit: bool = True
    vote: Literal["majority", "normalised", "raw"] = "majority"
    delta: float = 0.05

    def __post_init__(self) -> None:
        """Refuse what can't be run, by name."""
        if self.n_draws != "exact":
            if isinstance(self.n_draws, str):
                raise ValueError(
                    f"n_draws must be a positive integer or 'exact', got {self.n_draws!r}"
                )
            check_whole("n_draws", self.n_draws, 1)
        check_number("coupling", self.coupling, "from 0 to 1", lambda share: 0 <= share <= 1)
        if self.coupling > 0 and self.n_draws == "exact":
            raise ValueError(
                "coupling feeds the classifier back into the drawn hidden variables: "
                "set n_draws to an integer, or coupling to 0"
            )
        check_choice("conditioning", self.conditioning, (None, True, False))
        if self.C != "bound":
            check_number("C", self.C, "above 0, or 'bound'", lambda C: C > 0)
        check_number(
            "prior_fraction", self.prior_fraction, "from 0 to below 1", lambda share: 0 <= share < 1
        )
        check_number("tol", self.tol, "of at least 0", lambda tol: tol >= 0)
        for name in ("clip", "learning_rate_u", "learning_rate_C"):
            check_number(name, getattr(self, name), "above 0", lambda size: size > 0)
        for name, least in (("max_iter", 1), ("max_proposals", 1), ("n_restarts", 0)):
            check_whole(name, getattr(self, name), least)
        check_choice("optimizer", self.optimizer, ("lbfgs", "gradient"))
        check_choice("refit", self.refit, (True, False))
        check_choice("vote", self.vote, ("majority", "normalised", "raw"))
        check_number("delta", self.delta, "between 0 and 1", lambda delta: 0 < delta < 1)


@dataclass
class Pair:
    """A learnt pair: the feature map, the classifier N(u, I), and how it was learnt."""

    mapping: FeatureMap
    u: FloatArray
    prior_mean: FloatArray
    C: float
    n_draws: Draws
    vote: str
    seed: int
    objective: list[float] = field(default_factory=list)
    """J(u) after each iteration of Algorithm 1, and after the last fit of u."""
    bound: list[float] = field(default_factory=list)
    """B(Q, C) at the same places: what is minimised, not a certificate."""
    acceptance: list[float] = field(default_factory=list)
    """Share of proposals accepted in each iteration; empty without coupling."""
    converged: bool = True
    """Whether Algorithm 1 reached its tolerance."""
    models_converged: int = 2
    """How many of the two models' EM reached their tolerance."""
    n_iter: int = 1
    """Iterations of Algorithm 1; 1 with exact features, where there is nothing to iterate."""

    def votes(self, data: Any, n_threads: int) -> tuple[FloatArray, FloatArray]:
        """What every drawn row of every item says.

        Returns
        -------
        margins : ndarray of shape (n_items, n_rows)
            u . phi with features of unit length; its sign is the row's vote.
        scores : ndarray of shape (n_items, n_rows)
            The same with features as they come if `vote` is "raw".
        """
        n_rows = 1 if self.n_draws == "exact" else self.n_draws
        margins = np.empty((len(data), n_rows))
        lengths = np.ones((len(data), n_rows))
        self.mapping.set_threads(n_threads)
        for start in range(0, len(data), _PREDICTION_CHUNK):
            part = slice(start, start + _PREDICTION_CHUNK)
            items = data[part]
            keys = None
            if self.n_draws != "exact":
                # By content: an item's result does not depend on its place or its neighbours.
                content = self.mapping.positive.content_keys(items)
                keys = _random.stream_keys(self.seed, _PREDICTION, content)
            rows = self.mapping.features(items, self.n_draws, keys)
            margins[part] = _objective.scores(rows, self.u, n_threads).reshape(-1, n_rows)
            if self.vote == "raw":
                lengths[part] = 1.0 / rows[:, -1].reshape(-1, n_rows)  # the constant, normalised
        return margins, margins * lengths


class Learner:
    """One run of Algorithm 1 on one binary problem.

    Parameters
    ----------
    model : GenerativeModel
        Unfitted; cloned for each class.
    settings : Settings
    seed : int
    n_threads : int
    """

    def __init__(
        self, model: GenerativeModel, settings: Settings, seed: int, n_threads: int
    ) -> None:
        self.model = model
        self.settings = settings
        self.seed = seed
        self.n_threads = n_threads

    def learn(self, data: Any, signs: npt.NDArray[np.int8]) -> Pair:
        """Learn from items with sign +1, -1, or 0 for unlabelled ones.

        Parameters
        ----------
        data : batch of items
        signs : ndarray of shape (n_items,), int8

        Returns
        -------
        Pair
        """
        settings = self.settings
        self.data, self.signs = data, signs
        self.n_items = len(signs)
        self.random = np.random.default_rng(self.seed)
        self.C = 1.0 if settings.C == "bound" else float(settings.C)
        models = [self._fit_model(sign, number) for number, sign in enumerate((1, -1))]
        conditioned = self.model.conditioned
        if settings.conditioning is not None:
            conditioned = settings.conditioning
        self.mapping = FeatureMap(
            models[0],
            models[1],
            conditioned=conditioned,
            clip=settings.clip,
            n_threads=self.n_threads,
        )
        raw = self.mapping.raw(data, settings.n_draws, self._keys(0))
        self.mapping.fit_conditioning(data, raw)
        rows = self.mapping.condition(data, raw)
        self.prior_mean = self._learn_prior(rows)
        self.pair = Pair(
            self.mapping,
            self.prior_mean,
            self.prior_mean,
            self.C,
            settings.n_draws,
            settings.vote,
            self.seed,
            models_converged=sum(model.converged_ for model in models),
        )
        if settings.n_draws == "exact":
            # Without feedback nothing but u is left to learn: the models are at their optimum.
            self._update_classifier(rows, first=True)
        else:
            self._iterate(rows)
        self.pair.C = self.C
        return self.pair

    def _fit_model(self, sign: int, number: int) -> GenerativeModel:
        model: GenerativeModel = clone(self.model)
        seed = np.random.SeedSequence([self.seed, number]).generate_state(1)[0]
        model.set_params(random_state=int(seed), n_jobs=self.n_threads)
        return model.estimate(self.data[np.flatnonzero(self.signs == sign)])

    def _keys(self, iteration: int) -> npt.NDArray[np.uint64]:
        items = np.arange(self.n_items, dtype=np.uint64)
        return _random.stream_keys(self.seed, _ITERATION + iteration, items)

    def _objective(self, rows: npt.NDArray[np.float32], chosen: slice | np.ndarray) -> Objective:
        n_draws = len(rows) // self.n_items
        signs = np.repeat(self.signs, n_draws)
        return Objective(
            np.ascontiguousarray(rows[chosen]),
            signs[chosen],
            self.C,
            len(signs[chosen]) // n_draws,
            prior_mean=self.prior_mean,
            n_threads=self.n_threads,
        )

    def _learn_prior(self, rows: npt.NDArray[np.float32]) -> FloatArray:
        """u_0 on S', a part of every class and of the unlabelled items.

        The paper minimises the risk alone, which has no minimum where S' can be separated:
        J(u) with a prior around zero is minimised instead.
        """
        self.prior_mean = np.zeros(self.mapping.n_features)
        self.prior_items = np.zeros(self.n_items, dtype=bool)
        if self.settings.prior_fraction == 0:
            return self.prior_mean
        for sign in (-1, 0, 1):
            members = np.flatnonzero(self.signs == sign)
            count = round(self.settings.prior_fraction * len(members))
            if sign != 0:
                count = max(1, count)
            self.prior_items[self.random.permutation(members)[:count]] = True
        chosen = np.repeat(self.prior_items, len(rows) // self.n_items)
        objective = self._objective(rows, chosen)
        return minimise(objective, self._starts(objective))

    def _starts(self, objective: Objective) -> Iterator[FloatArray]:
        surrogate = surrogate_minimum(objective)
        yield surrogate
        # Of the objective's items: u_0 must not depend on labels outside S'.
        positive, negative = (np.sum(objective.signs == sign) for sign in (1, -1))
        weights = self.mapping.map_classifier(float(np.log(positive / negative)))
        # Only the direction of the MAP classifier is known; the surrogate lends it its length.
        length = np.linalg.norm(surrogate) / max(float(np.linalg.norm(weights)), 1e-300)
        yield weights * length
        yield mean_direction(objective)
        yield from random_starts(self.settings.n_restarts, self.mapping.n_features, self.random)

    def _update_classifier(self, rows: npt.NDArray[np.float32], *, first: bool) -> None:
        """One step for u and C: to a minimum, or down the gradient as in the paper."""
        settings = self.settings
        objective = self._objective(rows, slice(None))
        if settings.optimizer == "gradient" and not first:
            self.pair.u = descend(objective, self.pair.u, settings.learning_rate_u, 1)
        else:
            starts = self._starts(objective) if first else iter([self.pair.u])
            self.pair.u = minimise(objective, starts)
        value = objective(self.pair.u)[0]
        if settings.C == "bound":
            risk = objective.risks(self.pair.u).total
            divergence = objective.divergence(self.pair.u)
            if settings.optimizer == "gradient":
                slope = bound_slope(value, risk, self.C, self.n_items, settings.delta)
                self.C = max(1e-3, self.C - settings.learning_rate_C * slope)
            else:
                self.C = best_C(risk, divergence, self.n_items, settings.delta)
            value = self.C * risk + divergence / self.n_items
        self.pair.objective.append(value)
        self.pair.bound.append(bound_value(value, self.C, self.n_items, settings.delta))

    def _iterate(self, rows: npt.NDArray[np.float32]) -> None:
        settings, pair = self.settings, self.pair
        pair.converged = False
        self._update_classifier(rows, first=True)
        for iteration in range(1, settings.max_iter + 1):
            pair.n_iter = iteration
            rows = self._expectation_and_maximisation(iteration)
            self._update_classifier(rows, first=False)
            if abs(pair.objective[-1] - pair.objective[-2]) < settings.tol * pair.objective[-2]:
                pair.converged = True
                break
        if settings.refit:
            # The last word on u is learnt from what prediction draws: P(h | x, theta).
            rows = self.mapping.features(self.data, settings.n_draws, self._keys(0))
            self._update_classifier(rows, first=True)

    def _expectation_and_maximisation(self, iteration: int) -> npt.NDArray[np.float32]:
        """Draw from every Q_i, and update both models from their own class's draws."""
        n_draws = int(self.settings.n_draws)
        split = self.mapping.positive.n_features
        models = {1: self.mapping.positive, -1: self.mapping.negative}
        totals = {sign: np.zeros(model.n_statistics) for sign, model in models.items()}
        rows = np.empty((self.n_items * n_draws, self.mapping.n_features), dtype=np.float32)
        keys = self._keys(iteration)
        accepted = proposed = 0
        for start in range(0, self.n_items, _CHUNK):
            part = slice(start, min(start + _CHUNK, self.n_items))
            items = self.data[part]
            if self.settings.coupling > 0:
                raw, hits, tries = self._draw_coupled(items, self.signs[part], keys[part])
                accepted += hits
                proposed += tries
            else:
                raw = self.mapping.raw(items, n_draws, keys[part])
            signs = np.repeat(self.signs[part], n_draws)
            for sign, model in models.items():
                first = 0 if sign == 1 else split
                block = raw[signs == sign, first : first + model.n_statistics]
                totals[sign] += block.sum(0, dtype=np.float64) / n_draws
            rows[part.start * n_draws : part.stop * n_draws] = self.mapping.condition(items, raw)
        for sign, model in models.items():
            model.update(totals[sign])
        if proposed:
            self.pair.acceptance.append(accepted / proposed)
        return rows

    def _draw_coupled(
        self, items: Any, signs: npt.NDArray[np.int8], keys: npt.NDArray[np.uint64]
    ) -> tuple[npt.NDArray[np.float32], int, int]:
        """Raw rows drawn from Q_i (Eq. post_fact), with accepted and made proposals."""
        n_draws, n_proposals = int(self.settings.n_draws), self.settings.max_proposals
        raw = self.mapping.raw(items, n_proposals, keys)
        scores = _objective.scores(
            self.mapping.condition(items, raw), self.pair.u, self.n_threads
        ).reshape(len(items), n_proposals)
        log_weights = -self._exponents(signs)[:, None] * _expected_loss(scores, signs[:, None])
        own = _random.stream_keys(self.seed, _CHOICE, keys)
        chosen, accepted = choose_proposals(
            log_weights, _random.uniforms(own, n_proposals + n_draws), n_draws
        )
        picked = (np.arange(len(items))[:, None] * n_proposals + chosen).ravel()
        return raw[picked], int(accepted.sum()), len(items) * n_proposals

    def _exponents(self, signs: npt.NDArray[np.int8]) -> FloatArray:
        """kappa_i of Eq. post_fact, scaled by the coupling."""
        labelled = int(np.count_nonzero(self.signs))
        unlabelled = self.n_items - labelled
        factor = self.settings.coupling * self.C * self.n_items**2
        return factor / np.where(signs != 0, labelled, max(2 * unlabelled, 1))


def _expected_loss(scores: FloatArray, signs: npt.NDArray[np.int8]) -> FloatArray:
    """E_w of the loss of a labelled row, of the disagreement of an unlabelled one."""
    labelled = upper_tail(signs * scores)
    disagreement = 2.0 * upper_tail(scores) * upper_tail(-scores)
    return np.where(signs != 0, labelled, disagreement)
