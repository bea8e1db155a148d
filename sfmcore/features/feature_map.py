"""The stochastic feature map: generative models, their features, and the conditioning."""

import copy
from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np

from sfmcore.data.arrays import Float32Array, Float64Array, Int64Array, UInt64Array
from sfmcore.data.rows import Rows, RowStore
from sfmcore.data.similarities import Similarities
from sfmcore.data.storable import storable
from sfmcore.data.streams import FURTHER_MODEL
from sfmcore.data.with_vectors import items_of, similarities_of, vectors_of
from sfmcore.features.nystroem import NystroemMap
from sfmcore.kernels import _conditioning, _objective, _random
from sfmcore.models.base import GenerativeModel

Draws = int | Literal["exact"]
# Items whose rows are dense at a time, where the rest is sparse.
_CHUNK = 64
_SLICE = 32
_EXACT_CHUNK = 1024


@storable
class FeatureMap:
    """phi(x, h) of fitted models, as rows of unit length.

    A row holds the features of every model, one after another, and a constant: of a pair of models,
    phi(x, h+, h-). Conditioning divides the counts of
    an item by its size, subtracts the mean, divides by the deviation and clips; it is learnt on
    training items, and affine but for the clipping, so a score stays a sum over positions.
    Extra vectors of the items (:class:`~sfmcore.data.with_vectors.WithVectors`) precede the
    features, and the row is normalised again. A kernel, if there is one, maps these rows to others
    of unit length.

    Parameters
    ----------
    models : sequence of GenerativeModel
        A pair (the model of a class, then that of what it is told from), or as many as all classes
        share.
    conditioned : bool
    clip : float
        Largest absolute value of a conditioned feature.
    n_vectors : int, default=0
        Columns of the extra vectors of the items.
    n_threads : int
    """

    def __init__(
        self,
        models: Sequence[GenerativeModel],
        *,
        conditioned: bool,
        clip: float,
        n_vectors: int = 0,
        n_threads: int = 1,
    ) -> None:
        self.models = tuple(models)
        self.conditioned = conditioned
        self.clip = clip
        self.n_vectors = n_vectors
        self.n_threads = n_threads
        n_raw = sum(model.n_features for model in self.models)
        self.mean = np.zeros(n_raw)
        self.scale = np.ones(n_raw)
        self.kernel: NystroemMap | None = None

    @property
    def n_features(self) -> int:
        """Columns of a row: vectors and all models' features, or the kernel's, and a constant."""
        return self.n_linear if self.kernel is None else self.kernel.n_features

    @property
    def n_linear(self) -> int:
        """Columns of a row before the kernel."""
        return self.n_vectors + len(self.mean) + 1

    @property
    def positive(self) -> GenerativeModel:
        """The first model: of a pair, that of the class."""
        return self.models[0]

    @property
    def negative(self) -> GenerativeModel:
        """The second model: of a pair, that of what the class is told from."""
        return self.models[1]

    def columns_of(self, number: int) -> slice:
        """Columns of a raw row that hold the features of one model."""
        first = sum(model.n_features for model in self.models[:number])
        return slice(first, first + self.models[number].n_features)

    def with_own_models(self) -> Self:
        """Return a map of copies of the models, which can then be learnt further."""
        own = copy.copy(self)
        own.models = copy.deepcopy(self.models)
        return own

    def set_threads(self, n_threads: int) -> None:
        """Let the map and its models use that many threads; no result depends on it."""
        self.n_threads = n_threads
        for model in self.models:
            # To look a parameter up takes longer than to score some rows.
            if getattr(model, "n_jobs", None) != n_threads:
                model.set_params(n_jobs=n_threads)

    def content_keys(self, data: Any) -> UInt64Array:
        """64-bit digests of the items: equal items have equal keys."""
        return self.positive.content_keys(items_of(data))

    def raw(self, data: Any, n_draws: Draws, keys: UInt64Array | None = None) -> Float32Array:
        """Raw features of all models, shape (n_items * n_draws, n_features - 1).

        Parameters
        ----------
        data : batch of items
        n_draws : int or "exact"
            Number of drawn rows of an item; "exact" for one row of expectations.
        keys : ndarray of shape (n_items,), uint64
            Random stream of each item; not used by "exact".
        """
        items = items_of(data)
        n_rows = len(data) * (1 if n_draws == "exact" else n_draws)
        rows = np.empty((n_rows, len(self.mean)), dtype=np.float32)
        for number, model in enumerate(self.models):
            part = rows[:, self.columns_of(number)]
            if n_draws == "exact":
                model.expected_features(items, part)
            elif keys is None:
                raise ValueError("draws need a random stream for each item")
            else:
                model.drawn_features(items, _stream_of(number, keys), n_draws, part)
        return rows

    def rates(self, data: Any, n_rows: int) -> Float64Array:
        """Factor of every raw row: one over the item's size, or 1 without conditioning."""
        if not self.conditioned:
            return np.ones(n_rows)
        sizes = self.positive.sizes(items_of(data))
        return np.repeat(1.0 / sizes, n_rows // max(len(data), 1))

    def fit_conditioning(
        self, data: Any, raw: Float32Array, weights: Float64Array | None = None
    ) -> Self:
        """Learn mean and deviation of every feature from training rows.

        Parameters
        ----------
        data : batch of items
        raw : ndarray of shape (n_items * n_draws, n_features - 1), float32
        weights : ndarray of shape (n_items,), optional
            Weight of each item; 0 keeps it out.
        """
        if self.conditioned:
            rates = self.rates(data, len(raw))[:, None]
            shares = np.ones(len(data)) if weights is None else weights
            shares = np.repeat(shares, len(raw) // len(data))[:, None]
            total, weight = np.zeros(raw.shape[1]), float(shares.sum())
            for part in _slices(len(raw)):
                total += (shares[part] * (raw[part] * rates[part])).sum(0)
            self.mean = total / weight
            total[:] = 0.0
            for part in _slices(len(raw)):
                total += (shares[part] * (raw[part] * rates[part] - self.mean) ** 2).sum(0)
            deviation = np.sqrt(total / weight)
            # A feature that never varies in training says nothing: 1 leaves it at its mean.
            constant = deviation <= 1e-9 * np.maximum(np.abs(self.mean), 1e-30)
            self.scale = np.where(constant, 1.0, deviation)
        return self

    def enumerated(self, data: Any) -> tuple[list[Float32Array], list[Float64Array]]:
        """Raw features of each model for all values of its hidden variables.

        Parameters
        ----------
        data : batch of items

        Returns
        -------
        halves : list of ndarray of shape (n_items * n_configurations, n_features of the model)
        shares : list of ndarray of shape (n_items, n_configurations)
            P(h | x).
        """
        halves, shares = [], []
        for model in self.models:
            half = np.empty((len(data) * (model.n_configurations or 0), model.n_features), "f4")
            shares.append(model.enumerated_features(items_of(data), half))
            halves.append(half)
        return halves, shares

    def standardised(
        self, data: Any, half: Float32Array, number: int
    ) -> tuple[Float64Array, slice]:
        """One model's raw rows conditioned, not normalised, and the columns that they fill."""
        columns = self.columns_of(number)
        z = half * self.rates(data, len(half))[:, None]
        z = (z - self.mean[columns]) / self.scale[columns]
        clip = self.clip if self.conditioned else np.inf
        return np.clip(z, -clip, clip), columns

    def fit_kernel(
        self,
        data: Any,
        raw: Float32Array,
        weights: Float64Array,
        *,
        n_landmarks: int,
        gamma: float,
        seed: int,
        rank: int = 0,
        classes: Int64Array | None = None,
    ) -> Self:
        """Take landmarks among the conditioned training rows.

        Parameters
        ----------
        data : batch of items
        raw : ndarray of shape (n_items * n_draws, n_features - 1), float32
        weights : ndarray of shape (n_items,)
            Weight of each item; 0 keeps it out.
        n_landmarks : int
        gamma : float
        seed : int
        rank : int, default=0
            Principal directions of the rows that the kernel sees; 0 for whole rows.
        classes : ndarray of shape (n_items,), int64, optional
            Class of each item. Where there are similarities, as many landmarks are of each.
        """
        n_draws = len(raw) // len(data)
        seen = np.repeat(weights > 0, n_draws)
        rows = self.linear_rows(data, raw)[seen]
        similar = _repeated(similarities_of(data), n_draws)
        if similar is not None:
            similar = similar[seen]
            classes = None if classes is None else np.repeat(classes, n_draws)[seen]
        else:
            classes = None
        self.kernel = NystroemMap.of(
            rows,
            n_landmarks=n_landmarks,
            gamma=gamma,
            seed=seed,
            rank=rank,
            similarities=similar,
            classes=classes,
        )
        return self

    def condition(self, data: Any, raw: Float32Array) -> Float32Array:
        """Rows of unit length from raw rows."""
        rows = self.linear_rows(data, raw)
        if self.kernel is None:
            return rows
        similar = _repeated(similarities_of(data), len(rows) // max(len(data), 1))
        return self.kernel.apply(rows, self.n_threads, similar)

    def linear_rows(self, data: Any, raw: Float32Array) -> Float32Array:
        """Rows of unit length before a kernel, shape (n_rows, n_linear)."""
        out = np.empty((len(raw), len(self.mean) + 1), dtype=np.float32)
        clip = self.clip if self.conditioned else np.inf
        _conditioning.condition(
            raw, self.rates(data, len(raw)), self.mean, 1.0 / self.scale, clip, out, self.n_threads
        )
        return out if self.n_vectors == 0 else self._beside(vectors_of(data), out)

    def _beside(self, vectors: Float32Array, rows: Float32Array) -> Float32Array:
        """Rows with the items' vectors before them, of unit length again."""
        if vectors.shape[1] != self.n_vectors:
            raise ValueError(f"items have {vectors.shape[1]} columns beside, not {self.n_vectors}")
        lengths = np.sqrt(1.0 + np.sum(vectors.astype(np.float64) ** 2, axis=1))
        scales = (1.0 / lengths).astype(np.float32)[:, None]
        n_draws = len(rows) // max(len(vectors), 1)
        out = np.empty((len(rows), self.n_linear), dtype=np.float32)
        out[:, : self.n_vectors] = np.repeat(vectors * scales, n_draws, axis=0)
        np.multiply(rows, np.repeat(scales, n_draws, axis=0), out=out[:, self.n_vectors :])
        return out

    def features(self, data: Any, n_draws: Draws, keys: UInt64Array | None = None) -> Float32Array:
        """Rows of unit length, shape (n_items * n_draws, n_features); see :meth:`raw`."""
        return self.condition(data, self.raw(data, n_draws, keys))

    def is_sparse(self, n_draws: Draws) -> bool:
        """Whether most features of a row are zero: of draws that nothing is subtracted from."""
        plain = not self.conditioned and self.n_vectors == 0 and self.kernel is None
        return plain and n_draws != "exact" and all(m.draws_are_sparse for m in self.models)

    def training_rows(self, data: Any, n_draws: Draws, keys: UInt64Array | None = None) -> Rows:
        """The rows of :meth:`features`, made a few at a time; sparse if :meth:`is_sparse` says so.

        Parameters
        ----------
        data : batch of items
        n_draws : int or "exact"
        keys : ndarray of shape (n_items,), uint64
        """
        sparse = self.is_sparse(n_draws)
        if n_draws == "exact":
            n_rows, size = 1, _EXACT_CHUNK
        else:
            n_rows, size = n_draws, _CHUNK
        if not sparse and len(data) <= size:
            return self.features(data, n_draws, keys)
        store = RowStore(len(data) * n_rows, self.n_features, sparse=sparse)
        for start in range(0, len(data), size):
            part = slice(start, start + size)
            own = None if keys is None else keys[part]
            store.add(self.features(data[part], n_draws, own))
        return store.rows()

    def scores(
        self,
        data: Any,
        n_draws: Draws,
        keys: UInt64Array | None,
        weights: Sequence[Float64Array],
    ) -> tuple[list[Float64Array], Float32Array]:
        """Inner products of rows with each of several weights, and the constants of the rows.

        Parameters
        ----------
        data : batch of items
        n_draws : int or "exact"
        keys : ndarray of shape (n_items,), uint64
        weights : sequence of ndarray of shape (n_features,)
            u, or with a kernel its weights of the landmarks (:meth:`NystroemMap.dual`), of every
            classifier that shares the map.

        Returns
        -------
        scores : list of ndarray of shape (n_rows,)
        constants : ndarray of shape (n_rows,), float32
        """
        rows = self.linear_rows(data, self.raw(data, n_draws, keys))
        if self.kernel is None:
            return [_objective.scores(rows, u, self.n_threads) for u in weights], rows[:, -1]
        similar = _repeated(similarities_of(data), len(rows) // max(len(data), 1))
        scores = self.kernel.scores(rows, weights, self.n_threads, similar)
        return scores, np.full(len(rows), np.sqrt(0.5), dtype=np.float32)

    def map_classifier(self, bias: float) -> Float64Array:
        """Weights of a pair's MAP classifier on the conditioned features (Eq. disfun), no kernel's.

        `bias` is log P(y = +1) - log P(y = -1). Conditioned features are rates: the bias then
        counts once a symbol and not once an item, which only a start of the search may do.
        """
        alpha = np.concatenate([self.positive.map_weights(), -self.negative.map_weights()])
        beside = np.zeros(self.n_vectors)
        return np.concatenate([beside, alpha * self.scale, [alpha @ self.mean + bias]])

    def feature_names(self) -> list[str]:
        """Name of every column."""
        if self.kernel is not None:
            return self.kernel.feature_names()
        signs = "+-" if len(self.models) == 2 else [f"{k}:" for k in range(len(self.models))]
        return [
            *(f"beside{k}" for k in range(self.n_vectors)),
            *(
                f"{sign} {name}"
                for sign, model in zip(signs, self.models, strict=True)
                for name in model.feature_names()
            ),
            "constant",
        ]


def _repeated(similarities: Similarities | None, n_draws: int) -> Similarities | None:
    """Those of every drawn row."""
    if similarities is None or n_draws == 1:
        return similarities
    return similarities[np.repeat(np.arange(len(similarities)), n_draws)]


def _stream_of(number: int, keys: UInt64Array) -> UInt64Array:
    """Random stream of each item in one of the models, which draw independently."""
    if number < 2:
        return ~keys if number else keys
    return _random.stream_keys(number, FURTHER_MODEL, keys)


def _slices(n_rows: int) -> list[slice]:
    """Rows whose products stay near the processor: larger ones are new memory every time."""
    return [slice(start, start + _SLICE) for start in range(0, n_rows, _SLICE)]
