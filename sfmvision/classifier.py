"""The scene classifier: images in, labels out."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from sfmcore.data.arrays import Float64Array, UInt64Array
from sfmcore.data.checks import check_choice, check_number, check_whole
from sfmcore.estimators.domain import DomainClassifier
from sfmcore.features.feature_map import Draws
from sfmcore.learning.pair import Inputs
from sfmcore.learning.settings import Settings
from sfmcore.models.lda import LatentDirichletAllocation
from sfmcore.parallel.threads import effective_threads
from sfmvision.codebook.codebook import Codebook
from sfmvision.codebook.moments import Moments
from sfmvision.codebook.sampling import sample_descriptors
from sfmvision.codebook.scene_inputs import Levels, SceneInputs, checked_levels
from sfmvision.descriptors.batch import Describer, ImageBatch, check_settings, settings_of
from sfmvision.descriptors.dense_sift import DenseSIFT
from sfmvision.descriptors.encoding import cache_of, encoded
from sfmvision.descriptors.streaming import listed
from sfmvision.images.reading import MAX_PIXELS
from sfmvision.presets import PRESETS

_CODEBOOK = 0xC0DE
_MIXTURES = 0x6A55


class SceneClassifier(DomainClassifier):
    """Classify images by pairs of topic models over visual words.

    Dense SIFT descriptors are quantised to words by k-means. For each class one latent Dirichlet
    allocation is fitted to the words of its images and one to those of the rest. An image becomes
    the features of its topics under both. Beside them stand the moments of its descriptors and of
    its colours under Gaussian mixtures (Fisher vectors), and a histogram of where its words stand.
    A Gibbs classifier over these minimises a PAC-Bayes risk bound.

    Parameters
    ----------
    n_words : int, default=200
        Words of the codebook; patches without contrast are one more.
    n_topics : int, default=25
        Topics of each model.
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
    n_sweeps : int, default=50
        Sweeps of collapsed Gibbs sampling over a class.
    alpha : float or None, default=None
        Pseudo-count of a topic in an image; None for ``5 / n_topics``.
    n_pairs : int, default=1
        Pairs of topic models for each class against the rest; their votes are averaged.
    n_draws : int or "exact", default="exact"
        Draws of the topics per image (5 in the paper), or expected features. Training and
        prediction always use the same.
    coupling : float, default=0.0
        How much the classifier feeds back into the topics, from 0 to 1 (1 in the paper). Needs
        draws.
    conditioning : bool or None, default=None
        Standardise the features; None means yes for topics.
    clip : float, default=2.0
        Largest absolute value of a conditioned feature.
    n_landmarks : int, default=0
        Landmarks of a Gaussian kernel on the features (Nystroem); 0 leaves the classifier linear
        in them.
    gamma : float, default=1.0
        Width of the kernel exp(-gamma |a - b|^2), of features of unit length.
    C : float or "bound", default=200.0
        Weight of the risk in J(u), or learnt by minimising the bound.
    prior : {"zero", "map"}, default="zero"
        u_0, the mean of the prior: zero, or the weights of the MAP classifier of the two models,
        scaled to the length at which J(u) around zero is lowest.
    prior_fraction : float, default=0.0
        Share of the training items that u_0 is learnt on.
    max_iter : int, default=20
        Iterations of Algorithm 1 at most.
    tol : float, default=1e-3
        Relative change of J(u) at which the iterations stop.
    optimizer : {"lbfgs", "gradient"}, default="lbfgs"
        Minimise J(u) in each iteration, or make one step down the gradient as in the paper.
    learning_rate_u, learning_rate_C : float, default=1.0
        First step sizes of "gradient".
    n_restarts : int, default=0
        Random starts in [-20, 20]^d besides the informed ones. Of all starts, the three that are
        lowest after 30 steps go on to their minimum.
    sampler : {"auto", "enumeration", "rejection"}, default="auto"
        How coupled draws are made; topics of an image can't be enumerated, so "auto" rejects.
    max_proposals : int, default=50
        Proposals per image and iteration when coupled by rejection.
    refit : bool, default=True
        Learn u once more at the end, on draws from P(h|x) as in prediction.
    vote : {"majority", "normalised", "raw"}, default="majority"
        Label by the majority of the Gibbs classifiers over draws and pairs (B_Q); or by the mean
        of u . phi, with features of unit length or, as in the paper, with raw ones.
    delta : float, default=0.05
        Bound and certificate hold with probability 1 - delta.
    certificate_fraction : float, default=0.0
        Share of the labelled images, drawn without a look at the labels, that codebook, models,
        conditioning and u_0 do not see. u alone is learnt on them, and `fit` certifies the risk
        on them.
    unlabeled : "auto", None or a value, default="auto"
        What stands in `y` for an image without label. "auto": a missing value (None, NaN, NA) or
        an empty string. None: nothing.
    unlabeled_weight : float, default=0.1
        Weight in J(u) of the disagreement on images without label, against 1 for the risk on
        those with one; from 0 to 1 (1 in the paper). More makes the classifier surer of itself
        where few have a label, and can draw it to the larger class.
    allow_truncated : bool, default=False
        Whether to read a file that ends too early as far as it goes.
    max_pixels : int, default=100_000_000
        A larger image is refused before it is decoded.
    cache : str or path-like or None, default=None
        Folder where descriptors are kept from one run to the next. None: in memory if the images
        are few, else in a temporary folder that is removed.
    random_state : int, RandomState instance or None, default=None
        The same integer gives the same bits, whatever `n_jobs`.
    n_jobs : int or None, default=None
        Threads; -1 for all.
    verbose : int, default=0
        Above 0, progress bars on standard error if that is a terminal.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    pairs_ : list of sfmcore.learning.pair.Pair
        `n_pairs` learnt pairs for each class against the rest, class by class; for two classes
        only those of the second. Their `inputs` hold the codebook.
    n_iter_ : int
        Largest number of iterations of Algorithm 1.
    certificate_ : CertificateReport
        Only with `certificate_fraction`.

    References
    ----------
    X. Li, T. S. Lee, Y. Liu, "Stochastic Feature Mapping for PAC-Bayes Classification",
    arXiv:1204.2609.

    Examples
    --------
    >>> random = np.random.default_rng(0)
    >>> ramp = np.linspace(0, 1, 64)
    >>> across = [np.outer(np.ones(64), ramp) * random.uniform(0.5, 1) for _ in range(4)]
    >>> images = across + [image.T for image in across]
    >>> model = SceneClassifier(n_words=4, n_topics=2, random_state=0)
    >>> model = model.fit(images, ["across"] * 4 + ["down"] * 4)
    >>> model.predict([images[0], images[4]]).tolist()
    ['across', 'down']
    """

    _kind: ClassVar[str] = "scene classifier"
    _presets: ClassVar[Mapping[str, Mapping[str, Any]]] = PRESETS

    def __init__(
        self,
        n_words: int = 200,
        n_topics: int = 25,
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
        n_sweeps: int = 50,
        alpha: float | None = None,
        n_pairs: int = 1,
        n_draws: Draws = "exact",
        coupling: float = 0.0,
        conditioning: bool | None = None,
        clip: float = 2.0,
        n_landmarks: int = 0,
        gamma: float = 1.0,
        C: float | Literal["bound"] = 200.0,
        prior: Literal["zero", "map"] = "zero",
        prior_fraction: float = 0.0,
        max_iter: int = 20,
        tol: float = 1e-3,
        optimizer: Literal["lbfgs", "gradient"] = "lbfgs",
        learning_rate_u: float = 1.0,
        learning_rate_C: float = 1.0,
        n_restarts: int = 0,
        sampler: Literal["auto", "enumeration", "rejection"] = "auto",
        max_proposals: int = 50,
        refit: bool = True,
        vote: Literal["majority", "normalised", "raw"] = "majority",
        delta: float = 0.05,
        certificate_fraction: float = 0.0,
        unlabeled: Any = "auto",
        unlabeled_weight: float = 0.1,
        allow_truncated: bool = False,
        max_pixels: int = MAX_PIXELS,
        cache: Any = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_pairs=n_pairs,
            n_draws=n_draws,
            coupling=coupling,
            conditioning=conditioning,
            clip=clip,
            n_landmarks=n_landmarks,
            gamma=gamma,
            C=C,
            prior=prior,
            prior_fraction=prior_fraction,
            max_iter=max_iter,
            tol=tol,
            optimizer=optimizer,
            learning_rate_u=learning_rate_u,
            learning_rate_C=learning_rate_C,
            n_restarts=n_restarts,
            sampler=sampler,
            max_proposals=max_proposals,
            refit=refit,
            vote=vote,
            delta=delta,
            certificate_fraction=certificate_fraction,
            unlabeled=unlabeled,
            unlabeled_weight=unlabeled_weight,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.n_words = n_words
        self.n_topics = n_topics
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
        self.n_sweeps = n_sweeps
        self.alpha = alpha
        self.allow_truncated = allow_truncated
        self.max_pixels = max_pixels
        self.cache = cache

    def _settings(self) -> Settings:
        for name in ("n_words", "n_topics", "n_sample", "n_sweeps", "max_pixels"):
            check_whole(name, getattr(self, name), 1)
        check_number("n_words", self.n_words, "of at most 65534", lambda n: n <= 65534)
        check_number("n_topics", self.n_topics, "of at most 65535", lambda n: n <= 65535)
        check_whole("n_gaussians", self.n_gaussians, 0)
        check_whole("n_axes", self.n_axes, 1)
        check_number(
            "colour_weight", self.colour_weight, "from 0 to 1e6", lambda weight: 0 <= weight <= 1e6
        )
        check_choice("mirror", self.mirror, (True, False))
        if self.max_side is not None:
            check_whole("max_side", self.max_side, 16)
        check_number(
            "layout_weight", self.layout_weight, "from 0 to 1e6", lambda weight: 0 <= weight <= 1e6
        )
        check_choice("allow_truncated", self.allow_truncated, (True, False))
        checked_levels(self.levels)
        if self.cache is not None and (
            not isinstance(self.cache, str | os.PathLike) or self.cache == ""
        ):
            raise ValueError(f"cache must be the name of a folder or None, got {self.cache!r}")
        if self.alpha is not None:
            check_number("alpha", self.alpha, "from 1e-6 to 1e6", lambda a: 1e-6 <= a <= 1e6)
        self._sift()
        return super()._settings()

    def _sift(self) -> DenseSIFT:
        return DenseSIFT(
            grid=self.grid,
            step=self.step,
            bin_sizes=self.bin_sizes,
            window=self.window,
            root=self.root,
            colour=self.colour,
        )

    def _check_fitted(self) -> None:
        super()._check_fitted()
        inputs = self.pairs_[0].inputs
        assert isinstance(inputs, SceneInputs)
        # Before any image is described.
        check_settings(inputs.settings, settings_of(self._sift(), self.max_side))

    def _describer(self, n_images: int) -> Describer:
        """What makes descriptors, and where those of so many images are kept."""
        sift = self._sift()
        reading: dict[str, Any] = {
            "max_side": self.max_side,
            "allow_truncated": self.allow_truncated,
            "max_pixels": self.max_pixels,
        }
        return Describer(sift, **reading, cache=cache_of(self.cache, sift, reading, n_images))

    def _encode(self, X: Any, *, first: bool = False) -> ImageBatch:
        """Images as descriptors; a batch of them passes through."""
        images = listed(X)
        if isinstance(images, ImageBatch):
            return images
        return encoded(
            images,
            self._describer(len(images)),
            n_threads=effective_threads(self.n_jobs),
            show_progress=self.verbose > 0,
        )

    def _fit_inputs(self, items: ImageBatch, weights: Float64Array) -> SceneInputs:
        """Learn the codebook; an image of weight 0 is not seen."""
        seen = items[np.flatnonzero(weights > 0)]
        threads = effective_threads(self.n_jobs)
        seed = self._draw_seed()
        images = ((number, one.values, one.flat) for number, one in enumerate(seen))
        sample = sample_descriptors(images, self.n_sample, seed=seed)
        if not len(sample):
            raise ValueError("no patch of any image has contrast: there is no word to learn")
        codebook = Codebook(
            self.n_words,
            max_rows=self.n_sample,
            random_state=(seed ^ _CODEBOOK) % 2**32,  # as much as NumPy's generator takes
            n_jobs=threads,
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
                n_threads=threads,
            )
        weight = float(self.layout_weight)
        settings = items.describer.settings
        return SceneInputs(codebook.fit(sample), levels, weight, threads, moments, settings)

    def _keys_of(self, items: ImageBatch) -> UInt64Array:
        # Images of few patches may have the same words without being the same.
        return np.array([int(source.digest[:16], 16) for source in items.sources], np.uint64)

    def _make_model(self, inputs: Inputs | None) -> LatentDirichletAllocation:
        assert isinstance(inputs, SceneInputs)
        return LatentDirichletAllocation(
            self.n_topics, inputs.n_words, alpha=self.alpha, n_sweeps=self.n_sweeps
        )

    def _arrays_of_inputs(self, inputs: Inputs) -> dict[str, np.ndarray]:
        assert isinstance(inputs, SceneInputs)
        return inputs.get_arrays()

    def _inputs_of_arrays(self, arrays: dict[str, np.ndarray]) -> SceneInputs:
        return SceneInputs.of_arrays(
            arrays,
            n_words=self.n_words,
            n_columns=self._sift().n_columns,
            levels=checked_levels(self.levels),
            weight=float(self.layout_weight),
            has_moments=self.n_gaussians > 0 and self.layout_weight > 0,
            colour_weight=float(self.colour_weight),
            mirror=bool(self.mirror),
            settings=settings_of(self._sift(), self.max_side),
        )
