"""Vectors from generative models: what Fisher scores and free energies have in common."""

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from sfmcore.baselines.class_models import as_batch, check_model, fitted_models
from sfmcore.data.arrays import Float64Array
from sfmcore.data.checks import check_choice
from sfmcore.data.targets import numbered_labels
from sfmcore.learning.problem import draw_seed
from sfmcore.models.base import GenerativeModel
from sfmcore.parallel.threads import effective_threads

Blocks = dict[str, Float64Array]


class ScoreSpace(TransformerMixin, BaseEstimator, ABC):
    """Transformer of items to what generative models say of them.

    A subclass says what that is (:meth:`blocks`); parameters and attributes are described
    there.
    """

    def __init__(
        self,
        model: GenerativeModel,
        *,
        per_class: bool = True,
        divide_by_size: bool = True,
        standardize: bool = True,
        unit_length: bool = True,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.model = model
        self.per_class = per_class
        self.divide_by_size = divide_by_size
        self.standardize = standardize
        self.unit_length = unit_length
        self.random_state = random_state
        self.n_jobs = n_jobs

    @abstractmethod
    def blocks(self, model: GenerativeModel, data: Any) -> Blocks:
        """Blocks of shape (n_items, ...) by name."""

    def check_parameters(self) -> None:
        """Refuse parameters that can't be used."""
        check_model(self.model)
        for name in ("per_class", "divide_by_size", "standardize", "unit_length"):
            check_choice(name, getattr(self, name), (True, False))
        effective_threads(self.n_jobs)

    def fit(self, X: Any, y: npt.ArrayLike | None = None) -> Self:
        """Fit the models, and learn mean and deviation of every score.

        Parameters
        ----------
        X : batch of items
            As the model takes it (:class:`~sfmcore.data.ragged.Ragged`, an array of vectors), or a
            list of its items.
        y : array-like of shape (n_items,), optional
            Labels; needed with `per_class`.

        Returns
        -------
        self : transformer

        Raises
        ------
        ValueError
            If X or y can't be used, or a parameter is out of range.
        """
        self._fit(X, y)
        return self

    def fit_transform(self, X: Any, y: npt.ArrayLike | None = None) -> Float64Array:
        """Vectors of the items that the models are fitted to; see :meth:`fit`.

        Parameters
        ----------
        X : batch of items
        y : array-like of shape (n_items,), optional

        Returns
        -------
        ndarray of shape (n_items, n_features_out)
        """
        return self._normalised(self._fit(X, y))

    def transform(self, X: Any) -> Float64Array:
        """Vectors of items.

        Parameters
        ----------
        X : batch of items

        Returns
        -------
        ndarray of shape (n_items, n_features_out)
        """
        check_is_fitted(self, "models_")
        return self._normalised(self._raw(as_batch(self.model, X))[0])

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Names such as ``emission 3 17``; with `per_class` the class stands first.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of str objects, shape (n_features_out,)
        """
        check_is_fitted(self, "models_")
        names = self._names
        if self.per_class:
            names = [f"{label} {name}" for label in self.classes_.tolist() for name in names]
        return np.array(names, dtype=object)

    def _fit(self, X: Any, y: npt.ArrayLike | None) -> Float64Array:
        """Fit, and return the scores before they are standardised."""
        self.check_parameters()
        data = as_batch(self.model, X)
        groups = [np.arange(len(data))]
        if self.per_class:
            if y is None:
                raise ValueError("per_class=True needs labels: pass y, or set per_class=False")
            self.classes_, numbers = numbered_labels(y, len(data), unlabeled=None)
            groups = [np.flatnonzero(numbers == number) for number in range(len(self.classes_))]
        seed = None if self.random_state is None else draw_seed(self.random_state)
        self.models_ = fitted_models(self.model, data, groups, seed, self.n_jobs)
        raw, self._names = self._raw(data)
        self.mean_, self.scale_ = np.zeros(raw.shape[1]), np.ones(raw.shape[1])
        if self.standardize:
            self.mean_ = raw.mean(0)
            deviation = raw.std(0)
            # A score that never varies in training says nothing: 1 leaves it at its mean.
            constant = deviation <= 1e-9 * np.maximum(np.abs(self.mean_), 1e-30)
            self.scale_ = np.where(constant, 1.0, deviation)
        return raw

    def _raw(self, data: Any) -> tuple[Float64Array, list[str]]:
        """Scores under all models, concatenated, and their names under one."""
        parts, names = [], []
        for model in self.models_:
            blocks = self.blocks(model, data)
            parts += [block.reshape(len(data), -1) for block in blocks.values()]
            names = [
                " ".join([name, *map(str, place)])
                for name, block in blocks.items()
                for place in np.ndindex(block.shape[1:])
            ]
        raw = np.concatenate(parts, axis=1)
        if self.divide_by_size:
            raw /= self.models_[0].sizes(data)[:, None]
        return raw, names

    def _normalised(self, raw: Float64Array) -> Float64Array:
        rows = (raw - self.mean_) / self.scale_
        if not self.unit_length:
            return rows
        lengths = np.sqrt(np.sum(rows**2, axis=1, keepdims=True))
        return rows / np.where(lengths > 0, lengths, 1.0)
