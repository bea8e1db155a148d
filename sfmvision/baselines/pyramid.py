"""Spatial pyramids of visual words: an image as a row of numbers."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from sfmcore.data.arrays import Float32Array
from sfmcore.learning.problem import draw_seed
from sfmcore.parallel.threads import effective_threads
from sfmvision.codebook.codebook import Codebook
from sfmvision.codebook.layout import histogram_size, spatial_histogram
from sfmvision.codebook.sampling import DescriptorSampler
from sfmvision.codebook.scene_words import Levels, checked_levels
from sfmvision.descriptors.batch import (
    Described,
    Describer,
    ImageBatch,
    check_settings,
    settings_of,
)
from sfmvision.descriptors.dense_sift import DenseSIFT
from sfmvision.descriptors.describing import DescribingParameters
from sfmvision.descriptors.encoding import cache_of
from sfmvision.descriptors.streaming import Recent, Use, for_each_image, listed
from sfmvision.images.reading import MAX_PIXELS

_CODEBOOK = 0xC0DE


class PyramidParameters(DescribingParameters):
    """Parameters of a pyramid of words, and of whatever is made of one."""

    def __init__(
        self,
        n_words: int = 600,
        *,
        grid: tuple[int, int] | None = None,
        step: int | None = 3,
        bin_sizes: Sequence[int] = (4, 6, 8, 10),
        window: Literal["flat", "gaussian"] = "flat",
        root: bool = False,
        colour: Literal["grey", "opponent"] = "grey",
        max_side: int | None = 480,
        n_sample: int = 100_000,
        levels: Levels = ((2, 2), (4, 4)),
        allow_truncated: bool = False,
        max_pixels: int = MAX_PIXELS,
        cache: Any = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_words = n_words
        self.grid = grid
        self.step = step
        self.bin_sizes = bin_sizes
        self.window = window
        self.root = root
        self.colour = colour
        self.max_side = max_side
        self.n_sample = n_sample
        self.levels = levels
        self.allow_truncated = allow_truncated
        self.max_pixels = max_pixels
        self.cache = cache
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags


class PyramidHistogram(ClassNamePrefixFeaturesOutMixin, TransformerMixin, PyramidParameters):
    """Images as histograms of visual words over the cells of grids.

    Dense SIFT descriptors are quantised to words by k-means. Each level of the pyramid is a grid,
    in whose cells words are counted; its counts are divided by their sum, and the levels side by
    side by theirs. So a row has the sum 1, and each level the same share of it.

    Patches without contrast are a word of their own, the last: they are neither dropped nor
    forced to a centre. A uniform image has only this word.

    Parameters
    ----------
    n_words : int, default=600
        Centres of the codebook; patches without contrast are one more word.
    grid : (int, int) or None, default=None
        Rows and columns of patch centres, spread evenly, at every scale.
    step : int or None, default=3
        Or the distance of patch centres in pixels; exactly one of the two.
    bin_sizes : sequence of int, default=(4, 6, 8, 10)
        Width of a spatial bin in pixels, one for each scale; a patch has 4 x 4 bins.
    window : {"flat", "gaussian"}, default="flat"
        How pixels of a patch are weighted.
    root : bool, default=False
        Take the square roots of descriptors (RootSIFT).
    colour : {"grey", "opponent"}, default="grey"
        Descriptors of the intensity, or of opponent colours too.
    max_side : int or None, default=480
        Longer images are reduced to it, in pixels.
    n_sample : int, default=100_000
        Descriptors that the codebook is learnt from, at most.
    levels : sequence of (int, int), default=((2, 2), (4, 4))
        Rows and columns of the grids.
    allow_truncated : bool, default=False
        Whether to read a file that ends too early as far as it goes.
    max_pixels : int, default=100_000_000
        A larger image is refused before it is decoded.
    cache : str or path-like or None, default=None
        Folder where descriptors are kept from one run to the next: 3.3 MB for an image of
        256 x 256 pixels at the default step. None: they are made again where they are needed,
        in a few milliseconds.
    random_state : int, RandomState instance or None, default=None
        Of the sample and the codebook. The same integer gives the same bits, whatever `n_jobs`.
    n_jobs : int or None, default=None
        Threads; -1 for all. Each has the descriptors of one image in memory.
    verbose : int, default=0
        Above 0, progress bars on standard error if that is a terminal.

    Attributes
    ----------
    codebook_ : Codebook
    n_words_ : int
        Words that are counted: the centres, and the word of patches without contrast.

    References
    ----------
    S. Lazebnik, C. Schmid and J. Ponce, "Beyond bags of features: spatial pyramid matching for
    recognizing natural scene categories", CVPR (2006).

    Examples
    --------
    >>> random = np.random.default_rng(0)
    >>> images = [random.uniform(size=(48, 48)) for _ in range(3)]
    >>> pyramid = PyramidHistogram(n_words=4, random_state=0)
    >>> rows = pyramid.fit_transform(images)
    >>> rows.shape, rows.sum(axis=1).round(5).tolist()
    ((3, 100), [1.0, 1.0, 1.0])
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the codebook.

        Parameters
        ----------
        X : list of array, str or path-like, or ImageBatch
            RGB or grey images: uint8 or floats from 0 to 1, or files. A batch must have been
            described as the parameters say.
        y : ignored

        Returns
        -------
        self : PyramidHistogram

        Raises
        ------
        ValueError
            If images can't be used (one error names them all), none has contrast, or a parameter
            is out of range.
        """
        self.check_parameters()
        images = listed(X)
        if not len(images):
            raise ValueError("no image to learn words from: X is empty")
        seed = draw_seed(self.random_state)
        sampler = DescriptorSampler(self.n_sample, seed=seed)
        self._pass(
            images, lambda number, one: sampler.add(number, one.values, one.flat), "sampling"
        )
        sample = sampler.rows()
        if not len(sample):
            raise ValueError("no patch of any image has contrast: there is no word to learn")
        codebook = Codebook(
            self.n_words,
            max_rows=self.n_sample,
            random_state=(seed ^ _CODEBOOK) % 2**32,  # as much as NumPy's generator takes
            n_jobs=effective_threads(self.n_jobs),
        )
        self.codebook_ = codebook.fit(sample)
        # Threads have an image each, whose words are one thread's work.
        self.codebook_.set_params(n_jobs=None)
        self._levels = checked_levels(self.levels)
        self._settings = settings_of(self.sift(), self.max_side)
        return self

    def transform(self, X: Any) -> Float32Array:
        """Histograms of images.

        Parameters
        ----------
        X : as in `fit`

        Returns
        -------
        ndarray of shape (n_items, n_cells * n_words_), float32
            By level, row of cells, column of cells, word.
        """
        check_is_fitted(self, "codebook_")
        images = listed(X)
        rows = np.zeros((len(images), self._n_features_out), dtype=np.float32)
        self.for_each(images, rows.__setitem__)
        return rows

    def fit_transform(self, X: Any, y: Any = None) -> Float32Array:
        """Learn the codebook, and return the histograms of the same images.

        Parameters
        ----------
        X : as in `fit`
            May be an iterator.
        y : ignored

        Returns
        -------
        ndarray of shape (n_items, n_cells * n_words_), float32
        """
        images = listed(X)
        return self.fit(images).transform(images)

    def for_each(self, X: Any, use: Callable[[int, Float32Array], None]) -> None:
        """Hand on the histogram of each image, so that not all of them need be in memory.

        Parameters
        ----------
        X : as in `fit`
        use : callable
            Takes an image's number and its histogram. Called from several threads at once, in
            any order.
        """
        check_is_fitted(self, "codebook_")
        check_settings(self._settings, settings_of(self.sift(), self.max_side))

        def row(number: int, one: Described) -> None:
            words = self.codebook_.words(one.values, one.flat)
            counts = spatial_histogram(words, one.centres, one.shape, self.n_words_, self._levels)
            # Of every level the sum is 1.
            use(number, counts / np.float32(len(self._levels)))

        self._pass(listed(X), row, "counting words")

    @property
    def n_words_(self) -> int:
        """Words that are counted."""
        return self.codebook_.vocabulary_size

    @property
    def _n_features_out(self) -> int:
        """Length of a row, by which scikit-learn names the columns."""
        return histogram_size(self.n_words_, self._levels)

    def check_parameters(self) -> None:
        """Refuse parameters that are out of range, before any image is read.

        Raises
        ------
        ValueError
            With the parameter's name.
        """
        self.check_describing()
        if not checked_levels(self.levels):
            raise ValueError("levels must name at least one grid")
        effective_threads(self.n_jobs)

    def _pass(self, images: list[Any] | ImageBatch, use: Use, description: str) -> None:
        """Hand on the descriptors of each image."""
        sift = self.sift()
        sources: Sequence[Any]
        if isinstance(images, ImageBatch):
            sources, describer = images.sources, images.describer
            _check_batch(describer, sift, self.max_side)
        else:
            reading, kept = self.reading(), None
            if self.cache is not None:
                kept = cache_of(self.cache, sift, reading, len(images))
            sources, describer = images, Describer(sift, **reading, cache=Recent(kept))
        for_each_image(
            sources,
            describer,
            use,
            n_threads=effective_threads(self.n_jobs),
            show_progress=self.verbose > 0,
            description=description,
        )


def _check_batch(describer: Describer, sift: DenseSIFT, max_side: int | None) -> None:
    """Refuse a batch that was described in another way: files would not be comparable with it."""
    if (describer.sift, describer.max_side) != (sift, max_side):
        raise ValueError(
            f"X must be described as the parameters say, by {sift} and max_side={max_side}, not "
            f"by {describer.sift} and max_side={describer.max_side}"
        )
