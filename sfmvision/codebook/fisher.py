"""Fisher vectors: expected statistics of an image's descriptors under a Gaussian mixture.

The statistics that EM would gather from one image, around the mixture of all images, are the
expected stochastic features of that mixture. They say how the descriptors of the image differ
from the usual ones, and, since places are columns too, where in the image.
"""

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from sfmcore.data.arrays import Float32Array, Float64Array
from sfmcore.kernels import _gmm, _products
from sfmcore.models.gmm import DiagonalGMM
from sfmcore.parallel.blas import blas_threads

# EM on descriptors gains little after so many steps.
_STEPS = 25


@dataclass(frozen=True, eq=False)
class FisherEncoder:
    """From descriptors and their places to one vector of unit length.

    Attributes
    ----------
    mean : ndarray of shape (n_columns,), float32
        Of the descriptors.
    axes : ndarray of shape (n_axes, n_columns), float32
        Principal axes, each divided by the deviation along it.
    place_mean, place_scale : ndarray of shape (n_places,), float32
    weights : ndarray of shape (n_components,)
    means, variances : ndarray of shape (n_components, n_axes + n_places)
        The mixture.

    References
    ----------
    F. Perronnin, J. Sanchez, T. Mensink, "Improving the Fisher kernel for large-scale image
    classification", ECCV (2010).
    J. Sanchez, F. Perronnin, T. de Campos, "Modeling the spatial layout of images beyond spatial
    pyramids", Pattern Recognition Letters 33 (2012).

    Examples
    --------
    >>> random = np.random.default_rng(0)
    >>> rows, places = random.normal(size=(90, 5)), random.uniform(size=(90, 2))
    >>> encoder = FisherEncoder.of(rows, places, n_axes=3, n_components=2, seed=0)
    >>> vector = encoder.encode(rows[:30], places[:30])
    >>> vector.shape, encoder.n_features, round(float(vector @ vector), 3)
    ((22,), 22, 1.0)
    """

    mean: Float32Array
    axes: Float32Array
    place_mean: Float32Array
    place_scale: Float32Array
    weights: Float64Array
    means: Float64Array
    variances: Float64Array

    @classmethod
    def of(
        cls,
        rows: npt.ArrayLike,
        places: npt.ArrayLike,
        *,
        n_axes: int,
        n_components: int,
        seed: int,
        n_threads: int = 1,
    ) -> "FisherEncoder":
        """Learn axes and mixture from descriptors of many images.

        Parameters
        ----------
        rows : array-like of shape (n_rows, n_columns)
        places : array-like of shape (n_rows, n_places)
        n_axes : int
            Principal axes that are kept; those without variance are left out.
        n_components : int
        seed : int
        n_threads : int, default=1
        """
        wide = np.asarray(rows, dtype=np.float64)
        where = np.asarray(places, dtype=np.float64)
        mean = wide.mean(0)
        with blas_threads():  # whose bits may follow its threads
            values, vectors = np.linalg.eigh((wide - mean).T @ (wide - mean) / len(wide))
        values, vectors = values[::-1][:n_axes], vectors[:, ::-1][:, :n_axes]
        kept = values > 1e-9 * max(float(values[0]), np.finfo(float).tiny)
        axes = vectors[:, kept].T / np.sqrt(values[kept])[:, None]
        scale = where.std(0)
        encoder = cls(
            mean.astype(np.float32),
            np.ascontiguousarray(axes, dtype=np.float32),
            where.mean(0).astype(np.float32),
            np.where(scale > 0, scale, 1.0).astype(np.float32),
            *(np.empty(0) for _ in range(3)),
        )
        mixture = DiagonalGMM(
            n_components, n_init=1, max_iter=_STEPS, random_state=seed % 2**32, n_jobs=n_threads
        )
        mixture.estimate(encoder.coordinates(wide, where))
        learnt = mixture.weights_, mixture.means_, mixture.variances_
        return cls(encoder.mean, encoder.axes, encoder.place_mean, encoder.place_scale, *learnt)

    @property
    def n_features(self) -> int:
        """A share, and first and second moments, for every component."""
        return len(self.weights) * (1 + 2 * self.means.shape[1])

    def encode(self, rows: npt.ArrayLike, places: npt.ArrayLike) -> Float32Array:
        """The vector of one image; zeros if it has no descriptor.

        Parameters
        ----------
        rows : array-like of shape (n_rows, n_columns)
        places : array-like of shape (n_rows, n_places)

        Returns
        -------
        ndarray of shape (n_features,), float32
            Signed square roots, of unit length.
        """
        columns = self.coordinates(rows, places)
        if not len(columns):
            return np.zeros(self.n_features, dtype=np.float32)
        mixture = self.weights, self.means, self.variances
        sums, _ = _gmm.expected_statistics(columns, *mixture, np.ones(len(columns)), 1)
        n_components, n_columns = self.means.shape
        shares = sums[:n_components, None] / len(columns)
        first, second = sums[n_components:].reshape(2, n_components, n_columns) / len(columns)
        roots = np.sqrt(self.weights)[:, None]
        parts = (
            (shares - self.weights[:, None]) / roots,
            first / np.sqrt(self.variances) / roots,
            (second / self.variances - shares) / (np.sqrt(2.0) * roots),
        )
        vector = np.concatenate([part.ravel() for part in parts])
        vector = np.sign(vector) * np.sqrt(np.abs(vector))
        # Not a norm by BLAS.
        length = float(np.sqrt(np.sum(vector**2)))
        result: Float32Array = (vector / max(length, np.finfo(np.float64).tiny)).astype(np.float32)
        return result

    def get_arrays(self) -> dict[str, np.ndarray]:
        """Arrays for the model file."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def of_arrays(
        cls, arrays: dict[str, np.ndarray], *, n_columns: int, n_places: int
    ) -> "FisherEncoder":
        """Take back what :meth:`get_arrays` gave.

        Raises
        ------
        ValueError
            If an array is missing, or is not such as :meth:`of` makes.
        """
        names = [field.name for field in fields(cls)]
        if set(arrays) != set(names):
            raise ValueError(f"the arrays must be {', '.join(names)}")
        n_axes, n_components = len(arrays["axes"]), len(arrays["weights"])
        moments = (n_components, n_axes + n_places)
        shapes = [(n_columns,), (n_axes, n_columns), (n_places,), (n_places,)]
        for name, shape in zip(names, [*shapes, (n_components,), moments, moments], strict=True):
            array = arrays[name]
            kind = np.float32 if name in names[:4] else np.float64
            if array.shape != shape or array.dtype != kind or not np.isfinite(array).all():
                raise ValueError(f"{name} must be finite, of shape {shape} and {kind.__name__}")
        for name, least in (("place_scale", 1e-30), ("weights", 1e-300), ("variances", 1e-200)):
            # Quotients by less leave the range of numbers.
            if not np.all(arrays[name] >= least):
                raise ValueError(f"{name} must be at least {least:g}")
        if not np.isclose(np.sum(np.minimum(arrays["weights"], 2.0)), 1.0):
            raise ValueError("weights must add up to 1")
        return cls(**arrays)

    def coordinates(self, rows: npt.ArrayLike, places: npt.ArrayLike) -> Float64Array:
        """Coordinates on the axes, and standardised places beside them.

        Parameters
        ----------
        rows : array-like of shape (n_rows, n_columns)
        places : array-like of shape (n_rows, n_places)

        Returns
        -------
        ndarray of shape (n_rows, n_axes + n_places)
        """
        centred = np.subtract(rows, self.mean, dtype=np.float32)
        n_axes = len(self.axes)
        along = np.empty((len(centred), n_axes), dtype=np.float32)
        _products.products(centred, self.axes, along, 1)
        out = np.empty((len(centred), n_axes + len(self.place_mean)))
        out[:, :n_axes] = along
        out[:, n_axes:] = (np.asarray(places) - self.place_mean) / self.place_scale
        return out
