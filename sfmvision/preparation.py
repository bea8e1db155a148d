"""Preparation of images: descriptors, visual words and vectors."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from sfmcore.data.arrays import Float64Array, UInt64Array
from sfmcore.data.checks import check_choice, check_number, check_whole
from sfmcore.data.near_pairs import NearPairs
from sfmcore.parallel.threads import effective_threads
from sfmcore.preparation.base import FittedPreparation, Preparation
from sfmvision.codebook.codebook import Codebook
from sfmvision.codebook.moments import Moments
from sfmvision.codebook.sampling import sample_descriptors
from sfmvision.codebook.scene_words import Levels, SceneWords, checked_levels
from sfmvision.descriptors.batch import Describer, ImageBatch, check_settings, settings_of
from sfmvision.descriptors.describing import DescribingParameters
from sfmvision.descriptors.encoding import cache_of, encoded
from sfmvision.descriptors.near_copies import near_copies
from sfmvision.descriptors.streaming import listed
from sfmvision.images.reading import MAX_PIXELS

_CODEBOOK = 0xC0DE
_MIXTURES = 0x6A55


class ScenePreparation(DescribingParameters, Preparation):
    """Describe images densely, and turn the descriptors into words and vectors.

    Parameters
    ----------
    n_words : int, default=200
        Words of the codebook; patches without contrast are one more.
    grid : (int, int) or None, default=None
        Rows and columns of patch centres, spread evenly, at every scale.
    step : int or None, default=8
        Or the distance of patch centres in pixels; exactly one of the two.
    bin_sizes : sequence of int, default=(4, 6, 8, 10, 12, 16)
        Width of a spatial bin in pixels, one for each scale; a patch has 4 x 4 bins.
    window : {"flat", "gaussian"}, default="flat"
        How pixels of a patch are weighted.
    root : bool, default=True
        Take the square roots of descriptors (RootSIFT).
    colour : {"grey", "opponent"}, default="grey"
        Descriptors of the intensity, or of opponent colours too.
    max_side : int or None, default=480
        Longer images are reduced to it, in pixels.
    n_sample : int, default=100_000
        Descriptors that the codebook is learnt from, at most.
    n_gaussians : int, default=64
        Gaussians of the mixtures of descriptors and of colours; 0 leaves their moments out.
    n_axes : int, default=32
        Principal axes of descriptors and colours that the mixtures see; places are added to them.
    colour_weight : float, default=0.7
        Length of the moments of the colours, against 1 for those of the descriptors; 0 leaves
        them out.
    mirror : bool, default=True
        Whether moments count every patch as its mirror image too, so that left and right don't
        matter.
    levels : sequence of (int, int), default=()
        Rows and columns of grids in whose cells words are counted; none for no histogram.
    layout_weight : float, default=3.0
        Length of moments and histogram together, against 1 for the features of the topics; 0
        leaves them out.
    allow_truncated : bool, default=False
        Whether to read a file that ends too early as far as it goes.
    max_pixels : int, default=100_000_000
        A larger image is refused before it is decoded.
    cache : str or path-like or None, default=None
        Folder where descriptors are kept from one run to the next. None: in memory if the images
        are few, else in a temporary folder that is removed.

    Examples
    --------
    >>> images = [np.outer(np.ones(64), np.linspace(0, 1, 64))]
    >>> batch = ScenePreparation(cache=None).encode(images, estimator=None)
    >>> batch.sources[0].n_patches
    118
    """

    machine_parameters: ClassVar[tuple[str, ...]] = ("cache",)

    makes_codes = True

    def __init__(
        self,
        n_words: int = 200,
        *,
        grid: tuple[int, int] | None = None,
        step: int | None = 8,
        bin_sizes: Sequence[int] = (4, 6, 8, 10, 12, 16),
        window: Literal["flat", "gaussian"] = "flat",
        root: bool = True,
        colour: Literal["grey", "opponent"] = "grey",
        max_side: int | None = 480,
        n_sample: int = 100_000,
        n_gaussians: int = 64,
        n_axes: int = 32,
        colour_weight: float = 0.7,
        mirror: bool = True,
        levels: Levels = (),
        layout_weight: float = 3.0,
        allow_truncated: bool = False,
        max_pixels: int = MAX_PIXELS,
        cache: Any = None,
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
        self.n_gaussians = n_gaussians
        self.n_axes = n_axes
        self.colour_weight = colour_weight
        self.mirror = mirror
        self.levels = levels
        self.layout_weight = layout_weight
        self.allow_truncated = allow_truncated
        self.max_pixels = max_pixels
        self.cache = cache

    def check_parameters(self) -> None:
        """Refuse parameters that are out of range."""
        self.check_describing()
        check_whole("n_gaussians", self.n_gaussians, 0)
        check_whole("n_axes", self.n_axes, 1)
        for name in ("colour_weight", "layout_weight"):
            check_number(name, getattr(self, name), "from 0 to 1e6", lambda w: 0 <= w <= 1e6)
        check_choice("mirror", self.mirror, (True, False))
        checked_levels(self.levels)

    def check_fits(self, fitted: FittedPreparation) -> None:
        """Refuse to describe images in another way than those that were learnt from."""
        if not isinstance(fitted, SceneWords):
            raise ValueError("a codebook is missing")
        # Before any image is described.
        check_settings(fitted.settings, settings_of(self.sift(), self.max_side))

    def describer(self, n_images: int) -> Describer:
        """Describer for so many images, with a suitable cache.

        Parameters
        ----------
        n_images : int
        """
        sift, reading = self.sift(), self.reading()
        return Describer(sift, **reading, cache=cache_of(self.cache, sift, reading, n_images))

    def encode(self, X: Any, estimator: Any, *, reset: bool = False) -> ImageBatch:
        """Images as descriptors; a batch of them passes through."""
        images = listed(X)
        if isinstance(images, ImageBatch):
            return images
        return encoded(
            images,
            self.describer(len(images)),
            n_threads=effective_threads(getattr(estimator, "n_jobs", None)),
            show_progress=getattr(estimator, "verbose", 0) > 0,
        )

    def fit(
        self, items: ImageBatch, weights: Float64Array, *, seed: int, n_threads: int
    ) -> SceneWords:
        """Learn the codebook; an image of weight 0 is not seen."""
        seen = items[np.flatnonzero(weights > 0)]
        images = ((number, one.values, one.flat) for number, one in enumerate(seen))
        sample = sample_descriptors(images, self.n_sample, seed=seed)
        if not len(sample):
            raise ValueError("no patch of any image has contrast: there is no word to learn")
        codebook = Codebook(
            self.n_words,
            max_rows=self.n_sample,
            random_state=(seed ^ _CODEBOOK) % 2**32,  # as much as NumPy's generator takes
            n_jobs=n_threads,
        )
        levels = checked_levels(self.levels)
        moments = None
        if self.n_gaussians > 0 and self.layout_weight > 0:
            moments = Moments.of(
                seen,
                n_images=len(seen),
                n_sample=self.n_sample,
                n_gaussians=self.n_gaussians,
                n_axes=self.n_axes,
                colour_weight=float(self.colour_weight),
                mirror=bool(self.mirror),
                seed=seed ^ _MIXTURES,
                n_threads=n_threads,
            )
        weight = float(self.layout_weight)
        settings = items.describer.settings
        return SceneWords(codebook.fit(sample), levels, weight, n_threads, moments, settings)

    def of_arrays(self, arrays: Mapping[str, np.ndarray], n_threads: int) -> SceneWords:
        """Take back codebook and mixtures."""
        return SceneWords.of_arrays(
            dict(arrays),
            n_words=self.n_words,
            n_columns=self.sift().n_columns,
            levels=checked_levels(self.levels),
            weight=float(self.layout_weight),
            has_moments=self.n_gaussians > 0 and self.layout_weight > 0,
            colour_weight=float(self.colour_weight),
            mirror=bool(self.mirror),
            settings=settings_of(self.sift(), self.max_side),
        )

    def content_keys(self, items: ImageBatch) -> UInt64Array:
        """Digests of the images: those of few patches may have the same words and differ."""
        return np.array([int(source.digest[:16], 16) for source in items.sources], np.uint64)

    def near_copies(
        self, items: ImageBatch, *, n_threads: int = 1, show_progress: bool = False
    ) -> NearPairs:
        """Images that show nearly the same."""
        return near_copies(items, n_threads=n_threads, show_progress=show_progress)
