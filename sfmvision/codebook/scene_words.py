"""From descriptors to documents: what a fit learns about images before its models."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sfmcore.data.arrays import Float32Array
from sfmcore.data.checks import check_whole
from sfmcore.data.ragged import Ragged
from sfmcore.data.with_vectors import WithVectors
from sfmcore.parallel.workers import workers
from sfmcore.preparation.base import FittedPreparation
from sfmvision.codebook.codebook import Codebook
from sfmvision.codebook.layout import histogram_size, spatial_histogram
from sfmvision.codebook.moments import Moments
from sfmvision.descriptors.batch import ImageBatch, check_settings
from sfmvision.descriptors.summary import summary, summary_size

Levels = Sequence[tuple[int, int]]

_MOMENTS = "moments_"


@dataclass(frozen=True)
class SceneWords(FittedPreparation):
    """A codebook, and how the words of an image become its document and its vector.

    Attributes
    ----------
    codebook : Codebook
        Fitted. Patches without contrast are a word of their own, the last.
    levels : sequence of (int, int)
        Rows and columns of the grids whose cells are counted apart; none for no vector.
    weight : float
        Length of the vector, against 1 for the row of phi(x, h).
    n_threads : int
    moments : Moments or None
        Of descriptors and colours.
    settings : mapping of str to value
        What the descriptors were made with; see :func:`sfmvision.descriptors.batch.settings_of`.
    """

    codebook: Codebook
    levels: Levels
    weight: float
    n_threads: int = 1
    moments: Moments | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rows_are_as_met(self) -> bool:
        """No: words and moments fit the images that they were learnt from better than others."""
        return False

    @property
    def model_parameters(self) -> dict[str, Any]:
        """The size of the vocabulary."""
        return {"n_words": self.n_words}

    @property
    def n_words(self) -> int:
        """Words of the codebook, and the one of flat patches."""
        return self.codebook.vocabulary_size

    def apply(self, items: ImageBatch) -> WithVectors:
        """Documents, each with moments and spatial histogram beside it; see :func:`hellinger`.

        Parameters
        ----------
        items : ImageBatch

        Raises
        ------
        ValueError
            If they were described in another way than those that were learnt from.
        """
        check_settings(self.settings, items.describer.settings)
        beside = self.weight > 0 and len(self.levels) > 0
        size = histogram_size(self.n_words, self.levels) if beside else 0
        moments = self.moments if self.weight > 0 else None
        length = self.weight / np.sqrt(max(1, beside + (moments is not None)))
        counts = np.zeros((len(items), self.n_words), dtype=np.int64)
        vectors = np.zeros((len(items), self.n_vectors), dtype=np.float32)
        plain = np.zeros(
            (len(items), summary_size(self.codebook.centres_.shape[1])), dtype=np.float32
        )

        def one(number: int) -> None:
            described = items[number]
            plain[number] = summary(described)
            words = self.codebook.words(described.values, described.flat)
            counts[number] = np.bincount(words, minlength=self.n_words)
            if beside:
                histogram = spatial_histogram(
                    words, described.centres, described.shape, self.n_words, self.levels
                )
                vectors[number, :size] = length * hellinger(histogram)
            if moments is not None:
                vectors[number, size:] = length * moments.apply(described)

        if self.n_threads == 1:
            for number in range(len(items)):
                one(number)
        else:
            with workers(self.n_threads) as pool:
                list(pool.map(one, range(len(items))))
        return WithVectors(Ragged.from_counts(counts), vectors, plain=plain)

    @property
    def n_vectors(self) -> int:
        """Columns of the spatial histogram and of the moments."""
        if self.weight == 0:
            return 0
        size = histogram_size(self.n_words, self.levels) if len(self.levels) > 0 else 0
        return size + (0 if self.moments is None else self.moments.n_features)

    def get_arrays(self) -> dict[str, np.ndarray]:
        """Arrays for the model file, and parameters that must agree with them."""
        moments = {} if self.moments is None else self.moments.get_arrays()
        return {
            **self.codebook.get_arrays(),
            **{f"{_MOMENTS}{name}": array for name, array in moments.items()},
            "levels": np.array(self.levels, dtype=np.int64).reshape(-1, 2),
            "layout_weight": np.array([self.weight]),
        }

    @classmethod
    def of_arrays(
        cls,
        arrays: dict[str, np.ndarray],
        *,
        n_words: int,
        n_columns: int,
        levels: Levels,
        weight: float,
        has_moments: bool,
        colour_weight: float,
        mirror: bool,
        settings: Mapping[str, Any],
    ) -> "SceneWords":
        """Take back what :meth:`get_arrays` gave.

        The parameters, which a model file repeats, are checked.

        Raises
        ------
        KeyError, ValueError
            If an array is missing, or does not fit the parameters.
        """
        expected = np.array(levels, dtype=np.int64).reshape(-1, 2)
        for name, value in (("levels", expected), ("layout_weight", [weight])):
            if not np.array_equal(arrays[name], value):
                raise ValueError(f"{name} must be those of the parameters")
        learnt = {k.removeprefix(_MOMENTS): v for k, v in arrays.items() if k.startswith(_MOMENTS)}
        if bool(learnt) != has_moments:
            raise ValueError("moments must be there if the parameters ask for them")
        own = {"levels", "layout_weight"} | {f"{_MOMENTS}{name}" for name in learnt}
        codebook = Codebook(n_words).set_arrays({k: v for k, v in arrays.items() if k not in own})
        if codebook.centres_.shape[1] != n_columns:
            raise ValueError(f"centres must have {n_columns} columns")
        moments = None
        if learnt:
            moments = Moments.of_arrays(
                learnt, n_columns=n_columns, colour_weight=colour_weight, mirror=mirror
            )
        return cls(codebook, levels, weight, moments=moments, settings=settings)


def checked_levels(levels: Any) -> tuple[tuple[int, int], ...]:
    """Rows and columns of each grid, as plain whole numbers.

    Raises
    ------
    ValueError
        If they are no pairs of whole numbers of at least 1.

    Examples
    --------
    >>> checked_levels([[1, 1], (2, 3)]), checked_levels(())
    (((1, 1), (2, 3)), ())
    """
    refusal = f"levels must be pairs of rows and columns, got {levels!r}"
    if not isinstance(levels, Sequence | np.ndarray):
        raise ValueError(refusal)
    try:
        pairs = [(rows, columns) for rows, columns in levels]
    except (TypeError, ValueError):
        raise ValueError(refusal) from None
    for pair in pairs:
        for side in pair:
            check_whole("levels", side, 1)
    return tuple((int(rows), int(columns)) for rows, columns in pairs)


def hellinger(histogram: Float32Array) -> Float32Array:
    """Square roots, of unit length: products then compare shares and not counts.

    Examples
    --------
    >>> hellinger(np.array([9.0, 16.0], dtype=np.float32)).tolist()
    [0.6000000238418579, 0.800000011920929]
    """
    roots = np.sqrt(histogram)
    length = float(np.linalg.norm(roots))
    result: Float32Array = roots / max(length, np.finfo(np.float32).tiny)
    return result
