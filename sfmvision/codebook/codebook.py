"""Codebook of visual words: k-means centres of descriptors, and the word of every patch."""

import warnings
from typing import Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from sfmcore.data.arrays import BoolArray, Float32Array
from sfmcore.data.checks import check_number, check_whole
from sfmcore.kernels import _nearest
from sfmcore.parallel.blas import blas_threads
from sfmcore.parallel.threads import effective_threads, worthwhile_threads
from sfmvision.codebook.kmeans import Bytes, Clustering, kmeans, to_fixed, to_numbers

Words = npt.NDArray[np.uint16]


class Codebook(BaseEstimator):
    """Visual words learnt by k-means, and one more word for patches without texture.

    A patch has the word of the nearest centre. A flat patch has no direction to compare, so it
    has the reserved word ``n_words_``: there are ``n_words_ + 1`` words in all.

    Centres are rounded to 1/128 of a descriptor's unit, and all sums and comparisons are made in
    whole numbers. So the words of an image depend on the image and the centres alone, and the
    centres on the sample and the seed: not on threads, other images or the processor.

    Parameters
    ----------
    n_words : int, default=200
        Number of centres, at most 65,534.
    n_init : int, default=1
        Number of random starts; the one with the smallest inertia stays.
    max_iter : int, default=100
        Updates of the centres, at most.
    tol : float, default=1e-5
        A run ends when an update lowers the inertia by no more than this share of it.
    max_rows : int, default=100000
        Rows of the sample that are used; a random subset if there are more. Beside the rows
        themselves a fit on 100,000 rows of 128 columns takes about 20 MB, or 90 MB if nearly all
        of them are alike.
    random_state : int, RandomState instance or None, default=None
        Of the subset and the starts.
    n_jobs : int or None, default=None
        Number of threads; -1 for all. The result does not depend on it.

    Attributes
    ----------
    centres_ : ndarray of shape (`n_words_`, n_columns), float32
        The centres, multiples of 1/128.
    n_words_ : int
        Number of centres: `n_words`, or the distinct rows of the sample if these are fewer.
    inertia_ : float
        Sum of squared distances of the rows to their centres.
    n_iter_ : int
        Updates of the best run.

    Notes
    -----
    The iterations are Lloyd's, as in scikit-learn's ``KMeans``, from greedy k-means++ starts
    among a part of the rows. On 100,000 rows the inertia is within 0.6 % of that of ``KMeans``, a
    difference that another seed makes too, at four to nineteen times the speed.
    ``MiniBatchKMeans`` takes about as long or less, but its inertia is up to 5 % higher. The
    figures are those of ``python -m benchmarks.speed.codebook``, for 50 to 400 words.

    References
    ----------
    G. Csurka et al., "Visual categorization with bags of keypoints", ECCV workshop (2004).

    Examples
    --------
    >>> sample = np.array([[0, 9], [2, 9], [90, 0], [92, 0]], dtype=np.uint8)
    >>> codebook = Codebook(n_words=2, random_state=0).fit(sample)
    >>> sorted(codebook.centres_.tolist())
    [[1.0, 9.0], [91.0, 0.0]]
    >>> values = np.array([[80, 1], [0, 0], [85, 3]], dtype=np.uint8)
    >>> words = codebook.words(values, np.array([False, True, False]))
    >>> bool(words[0] == words[2]), int(words[1])
    (True, 2)
    """

    def __init__(
        self,
        n_words: int = 200,
        *,
        n_init: int = 1,
        max_iter: int = 100,
        tol: float = 1e-5,
        max_rows: int = 100_000,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_words = n_words
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.max_rows = max_rows
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, sample: Bytes) -> Self:
        """Learn the centres.

        Parameters
        ----------
        sample : ndarray of shape (n_rows, n_columns), dtype uint8
            Descriptors of patches that are not flat (see `sfmvision.codebook.sampling`), of at
            most 512 columns.

        Returns
        -------
        self : Codebook

        Raises
        ------
        ValueError
            If there is no row, or a parameter cannot be used.
        TypeError
            If the sample is not of bytes.

        Warns
        -----
        UserWarning
            If the sample has fewer distinct rows than `n_words`.
        """
        self._check_parameters()
        sample = _checked_values(sample)
        if len(sample) == 0:
            raise ValueError("no descriptor to learn from: the sample is empty")
        random = check_random_state(self.random_state)
        if len(sample) > self.max_rows:
            sample = sample[np.sort(random.permutation(len(sample))[: self.max_rows])]
        with blas_threads(effective_threads(self.n_jobs)):
            runs = [self._run(sample, random) for _ in range(self.n_init)]
        best = min(runs, key=lambda run: run.inertia)
        self.inertia_, self.n_iter_ = best.inertia, best.n_iter
        self._take(to_numbers(best.centres))
        if self.n_words_ < self.n_words:
            warnings.warn(
                f"the sample has only {self.n_words_} distinct descriptors, so the codebook has "
                f"{self.n_words_} words instead of {self.n_words}",
                stacklevel=2,
            )
        return self

    def _check_parameters(self) -> None:
        check_whole("n_words", self.n_words, 1)
        check_number("n_words", self.n_words, "of at most 65534", lambda n: n <= 65534)
        check_whole("n_init", self.n_init, 1)
        check_whole("max_iter", self.max_iter, 0)
        check_number("tol", self.tol, "of at least 0", lambda tol: tol >= 0)
        check_whole("max_rows", self.max_rows, 1)

    def _run(self, sample: Bytes, random: np.random.RandomState) -> Clustering:
        return kmeans(
            sample,
            self.n_words,
            max_iter=self.max_iter,
            tol=self.tol,
            random=random,
            n_threads=effective_threads(self.n_jobs),
        )

    def _take(self, centres: Float32Array) -> None:
        self.centres_ = centres
        self.n_words_ = len(centres)
        self._search = _nearest.Centres(to_fixed(centres))

    @property
    def vocabulary_size(self) -> int:
        """Number of words with the reserved one: ``n_words_ + 1``."""
        check_is_fitted(self, "centres_")
        return self.n_words_ + 1

    def words(self, values: Bytes, flat: BoolArray) -> Words:
        """Word of every patch.

        Parameters
        ----------
        values : ndarray of shape (n_patches, n_columns), dtype uint8
            Descriptors, as many columns as the sample had.
        flat : ndarray of shape (n_patches,), dtype bool
            Patches without texture.

        Returns
        -------
        ndarray of shape (n_patches,), dtype uint16
            Number of the nearest centre, the smaller of two that are equally near; ``n_words_``
            where `flat`.

        Raises
        ------
        ValueError
            If the shapes are not those.
        TypeError
            If the values are not bytes, or `flat` is not boolean.
        """
        check_is_fitted(self, "centres_")
        values = _checked_values(values)
        if not isinstance(flat, np.ndarray) or flat.dtype != np.bool_:
            raise TypeError("flat must be an array of booleans")
        if flat.shape != (len(values),):
            raise ValueError(f"flat must have the shape ({len(values)},), got {flat.shape}")
        work = float(values.size) * self.n_words_
        threads = worthwhile_threads(effective_threads(self.n_jobs), work)
        words: Words = self._search.nearest(values, threads)
        words[flat] = self.n_words_
        return words

    def get_arrays(self) -> dict[str, np.ndarray]:
        """Centres, for the model file."""
        check_is_fitted(self, "centres_")
        return {"centres": self.centres_}

    def set_arrays(self, arrays: dict[str, np.ndarray]) -> Self:
        """Take the centres back.

        Raises
        ------
        ValueError
            If they are not such as `fit` makes.
        """
        centres = arrays.get("centres")
        if centres is None or centres.ndim != 2 or centres.dtype != np.float32:
            raise ValueError("centres must be float32 of two dimensions")
        if not 1 <= len(centres) <= self.n_words:
            raise ValueError(f"centres must be 1 to {self.n_words} rows, got {len(centres)}")
        if not (np.all(centres >= 0) and np.all(centres <= 255)):
            raise ValueError("centres must lie between 0 and 255")
        if not np.array_equal(to_numbers(to_fixed(centres)), centres):
            raise ValueError("centres must be multiples of 1/128")
        self._take(centres)
        return self


def _checked_values(values: Bytes) -> Bytes:
    """Descriptors in C order, if that is what they are."""
    if not isinstance(values, np.ndarray) or values.dtype != np.uint8:
        raise TypeError("descriptors must be an array of uint8")
    if values.ndim != 2:
        raise ValueError(f"descriptors must have two dimensions, got {values.ndim}")
    return np.ascontiguousarray(values)
