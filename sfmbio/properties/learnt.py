"""Properties as vectors beside the hidden states, on scales that training sequences give."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from sfmbio.properties.columns import N_PROPERTIES, property_columns
from sfmcore.data.arrays import Float32Array, Float64Array
from sfmcore.data.ragged import Ragged
from sfmcore.data.streams import WORD_SAMPLE
from sfmcore.features.kernel_functions import laplacian
from sfmcore.features.nystroem import kernel_features, landmark_places, whitening
from sfmcore.kernels import _random

# Deviations from the mean beyond which a property counts no more.
_CLIP = 3.0
_N_KNOTS = 65
_N_LANDMARKS = 256
# Of the Laplacian kernel, over all columns together. With ranks for numbers it is the probability
# that so many random cuts at training sequences (a Poisson number of this mean) leave two sequences
# on one side: the kernel of random trees.
_CUTS = 3.0
# Distinct sequences that scales are learnt from, at most.
_MOST = 20_000


@dataclass(frozen=True)
class Properties:
    """Scales of the properties, and their part in the kernel.

    A vector has two parts of equal length: the properties as deviations from the mean, of unit
    length, and the features of a Laplacian kernel on their ranks among the training sequences.

    Attributes
    ----------
    mean, scale : ndarray of shape (N_PROPERTIES,)
        Mean and standard deviation.
    knots : ndarray of shape (n_knots, N_PROPERTIES)
        Quantiles, rising.
    landmarks : ndarray of shape (n_landmarks, N_PROPERTIES)
        Ranks of training sequences, from 0 to 1.
    whitening : ndarray of shape (n_landmarks, n_landmarks), float32
        See :func:`sfmcore.features.nystroem.whitening`.
    weight : float
        Squared length of a vector.
    n_threads : int
    """

    mean: Float64Array
    scale: Float64Array
    knots: Float64Array
    landmarks: Float64Array
    whitening: Float32Array
    weight: float
    n_threads: int = 1

    @classmethod
    def of(cls, items: Ragged, *, weight: float, seed: int, n_threads: int = 1) -> Self:
        """Learn the scales from distinct sequences, which count the same however often they occur.

        Parameters
        ----------
        items : Ragged
        weight : float
        seed : int
        n_threads : int, default=1
            The result does not depend on it.

        Examples
        --------
        >>> from sfmbio.sequences.encoding import encode_batch
        >>> items = encode_batch(["KKLLKKLL", "DEDEDE", "AAAVVV"])
        >>> made = Properties.of(items, weight=0.5, seed=0).vectors(items)
        >>> made.shape, np.sum(made**2, axis=1).round(3).tolist()
        ((3, 44), [0.5, 0.5, 0.5])
        """
        content, first = np.unique(
            _random.content_keys(items.values, items.offsets), return_index=True
        )
        order = np.argsort(_random.stream_keys(seed, WORD_SAMPLE, content), kind="stable")
        columns = property_columns(items[first[order[:_MOST]]])
        mean, scale = columns.mean(axis=0), columns.std(axis=0)
        # A property that never varies says nothing.
        scale = np.where(scale > 1e-9, scale, 1.0)
        knots = np.quantile(columns, np.linspace(0.0, 1.0, _N_KNOTS), axis=0)
        ranks = _ranks(columns, knots)
        landmarks = ranks[landmark_places(ranks, _N_LANDMARKS, seed)]
        K = laplacian(landmarks, landmarks, _CUTS / N_PROPERTIES, 1)
        return cls(mean, scale, knots, landmarks, whitening(K), weight, n_threads)

    @property
    def n_vectors(self) -> int:
        """Columns of a vector."""
        return N_PROPERTIES + len(self.landmarks)

    def weighing(self, weight: float) -> Self:
        """Return the same with vectors of another squared length."""
        return replace(self, weight=weight)

    def vectors(self, items: Ragged) -> Float32Array:
        """Vectors of sequences, of shape (n_items, n_vectors).

        Parameters
        ----------
        items : Ragged
        """
        columns = property_columns(items)
        deviations = np.clip((columns - self.mean) / self.scale, -_CLIP, _CLIP)
        lengths = np.sqrt(np.sum(deviations**2, axis=1, keepdims=True))
        deviations *= np.sqrt(self.weight / 2.0) / np.where(lengths > 0, lengths, 1.0)
        ranks = _ranks(columns, self.knots)
        kernel = laplacian(ranks, self.landmarks, _CUTS / N_PROPERTIES, self.n_threads)
        # They have the square root of a half beside their constant.
        features = kernel_features(kernel, self.whitening, self.n_threads)[:, :-1]
        return np.hstack([deviations.astype(np.float32), np.float32(self.weight**0.5) * features])

    def get_arrays(self) -> dict[str, np.ndarray]:
        """Scales, landmarks and weight, for the model file."""
        return {
            "property_scales": np.stack([self.mean, self.scale]),
            "property_knots": self.knots,
            "property_landmarks": self.landmarks,
            "property_whitening": self.whitening,
            "property_weight": np.array([self.weight]),
        }

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, np.ndarray], largest: float, n_threads: int) -> Self:
        """Take back what :meth:`get_arrays` gave.

        Parameters
        ----------
        arrays : mapping of str to ndarray
        largest : float
            Of the weight.
        n_threads : int

        Raises
        ------
        KeyError, ValueError
            If an array is missing, or does not fit.
        """
        scales, knots, landmarks, weights = (
            arrays[f"property_{name}"] for name in ("scales", "knots", "landmarks", "weight")
        )
        square = arrays["property_whitening"]
        if square.ndim != 2 or square.dtype != np.float32 or len(set(square.shape)) != 1:
            raise ValueError("whitening of properties must be a square of float32")
        rows = {"scales": 2, "knots": _N_KNOTS, "landmarks": max(1, len(square))}
        for name, n_rows in rows.items():
            own = arrays[f"property_{name}"]
            if own.shape != (n_rows, N_PROPERTIES) or own.dtype != np.float64:
                raise ValueError(f"{name} of properties must be {n_rows} x {N_PROPERTIES} numbers")
        if not all(np.isfinite(own).all() for own in (scales, knots, landmarks, square)):
            raise ValueError("scales, knots, landmarks, whitening of properties must be finite")
        if np.any(scales[1] <= 0) or np.any(np.diff(knots, axis=0) < 0):
            raise ValueError("deviations of properties must be above 0, and knots must rise")
        if weights.shape != (1,) or not 0 < weights[0] <= largest:
            raise ValueError(f"property_weight must be above 0, of at most {largest:g}")
        return cls(scales[0], scales[1], knots, landmarks, square, float(weights[0]), n_threads)


def _ranks(columns: Float64Array, knots: Float64Array) -> Float64Array:
    """Place of every property among the training sequences, from 0 to 1.

    Where several knots are equal, the middle of their places: a value that many share is as far
    from the smallest as from the largest.
    """
    places = np.linspace(0.0, 1.0, len(knots))
    made = np.empty_like(columns)
    for number, (values, own) in enumerate(zip(columns.T, knots.T, strict=True)):
        distinct, of = np.unique(own, return_inverse=True)
        middles = np.bincount(of, places) / np.bincount(of)
        made[:, number] = np.interp(values, distinct, middles)
    return made
