"""PHOW and a support vector machine: the system that image classifiers are measured against."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from sfmcore.baselines.binary import OneVersusRest
from sfmcore.baselines.kernel_svm import checked_Cs, cross_validated, solve_machines
from sfmcore.data.arrays import Float32Array, Float64Array
from sfmcore.data.checks import check_whole
from sfmcore.estimators.composition import with_parameters_of
from sfmcore.evaluation.folds import stratified_folds, warn_of_few_folds
from sfmcore.learning.problem import Problem, draw_seed, make_problem
from sfmcore.parallel.threads import effective_threads
from sfmvision.baselines.additive import chi_square_kernel, primal_weights, scores_of
from sfmvision.baselines.pyramid import PyramidHistogram, PyramidParameters
from sfmvision.codebook.codebook import Codebook
from sfmvision.descriptors.streaming import listed


class PHOWClassifier(OneVersusRest, PyramidParameters):
    r"""Classify images by pyramid histograms of visual words and support vector machines.

    Dense SIFT descriptors at several scales are quantised to words, which are counted in the
    cells of a pyramid (:class:`~sfmvision.baselines.pyramid.PyramidHistogram`). Histograms are
    compared by the additive chi-square kernel

    .. math:: K(x, y) = \sum_j 2 x_j y_j / (x_j + y_j),

    through a map of every bin to three numbers, and each class is told from the rest by a linear
    support vector machine with the hinge loss. It is solved on the kernel matrix of the training
    images, which is exact and fast where images are fewer than the 36,000 columns of the map; the
    matrix takes 8 bytes for each pair of them. Its weights are kept, and no image.

    The defaults are the full setting of VLFeat's demonstration on Caltech-101. Patches without
    contrast are a word of their own here.

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
        Rows and columns of the grids in whose cells words are counted.
    C : float or sequence of float, default=10.0
        Weight of the losses; of several, each class has the one with which it is best told from
        the rest in a stratified cross-validation, the smallest of those that are equally good.
        All folds share the codebook of all training images, which sees no label.
    n_folds : int, default=5
        Folds of the cross-validation.
    allow_truncated : bool, default=False
        Whether to read a file that ends too early as far as it goes.
    max_pixels : int, default=100_000_000
        A larger image is refused before it is decoded.
    cache : str or path-like or None, default=None
        Folder where descriptors are kept from one run to the next: 3.3 MB for an image of
        256 x 256 pixels at the default step. None: they are made again where they are needed,
        in a few milliseconds.
    random_state : int, RandomState instance or None, default=None
        Of the codebook and the folds. The same integer gives the same bits, whatever `n_jobs`.
    n_jobs : int or None, default=None
        Threads; -1 for all.
    verbose : int, default=0
        Above 0, progress bars on standard error if that is a terminal.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    pyramid_ : PyramidHistogram
        Fitted.
    codebook_ : Codebook
        Its.
    n_words_ : int
        Words that are counted: the centres, and the word of patches without contrast.
    C_ : ndarray of shape (n_problems,)
        C of each class against the rest; of two classes one, of the second against the first.
    cv_accuracy_ : ndarray of shape (n_problems, n_Cs)
        Only where C was chosen: what it was chosen by, from the smallest C to the largest.
    coef_ : ndarray of shape (n_problems, 3, n_cells * `n_words_`)
        Weights of the mapped histograms.
    intercept_ : ndarray of shape (n_problems,)

    References
    ----------
    A. Bosch, A. Zisserman, X. Munoz, "Image classification using random forests and ferns", ICCV
    (2007).
    A. Vedaldi, A. Zisserman, "Efficient additive kernels via explicit feature maps", IEEE Trans.
    Pattern Analysis and Machine Intelligence 34 (2012).

    Examples
    --------
    >>> random = np.random.default_rng(0)
    >>> ramp = np.linspace(0, 1, 64)
    >>> across = [np.outer(np.ones(64), ramp) * random.uniform(0.5, 1) for _ in range(4)]
    >>> images = across + [image.T for image in across]
    >>> model = PHOWClassifier(n_words=4, random_state=0)
    >>> model = model.fit(images, ["across"] * 4 + ["down"] * 4)
    >>> model.predict([images[0], images[4]]).tolist()
    ['across', 'down']

    The grid and the words of the paper on stochastic feature mapping:

    >>> model = PHOWClassifier(n_words=50, grid=(20, 20), step=None)
    """

    cv_accuracy_: Float64Array

    @with_parameters_of(PyramidParameters)
    def __init__(
        self,
        n_words: int = 600,
        *,
        C: float | Sequence[float] = 10.0,
        n_folds: int = 5,
        **parameters: Any,
    ) -> None:
        super().__init__(n_words, **parameters)
        self.C = C
        self.n_folds = n_folds

    def fit(self, X: Any, y: npt.ArrayLike) -> Self:
        """Learn the codebook, and a machine for each class against the rest.

        Parameters
        ----------
        X : list of array, str or path-like, or ImageBatch
            RGB or grey images: uint8 or floats from 0 to 1, or files. A batch must have been
            described as the parameters say.
        y : array-like of shape (n_items,)
            Labels, of at least two classes.

        Returns
        -------
        self : PHOWClassifier

        Raises
        ------
        ValueError
            If images can't be used (one error names them all), none has contrast, y holds no
            classes, or a parameter is out of range.
        """
        Cs = checked_Cs(self.C)
        check_whole("n_folds", self.n_folds, 2)
        seed = draw_seed(self.random_state)
        parameters = {
            name: getattr(self, name) for name in PyramidHistogram().get_params(deep=False)
        }
        pyramid = PyramidHistogram(**{**parameters, "random_state": seed})
        pyramid.set_output(transform="default")
        pyramid.check_parameters()
        images = listed(X)
        problem = make_problem(images, y, unlabeled=None)
        rows = pyramid.fit(images).transform(images)
        K = chi_square_kernel(rows, effective_threads(self.n_jobs))
        chosen = self._choose_C(K, problem, Cs, seed)
        machines = solve_machines(K, problem, chosen.tolist(), self.n_jobs)
        self.C_ = chosen
        self.coef_ = primal_weights(rows, np.stack([machine.dual for machine in machines]))
        self.intercept_ = np.array([machine.intercept for machine in machines])
        self.classes_ = problem.classes
        self.pyramid_ = pyramid
        return self

    def _choose_C(
        self, K: Float64Array, problem: Problem, Cs: list[float], seed: int
    ) -> Float64Array:
        """C of each problem."""
        if hasattr(self, "cv_accuracy_"):
            del self.cv_accuracy_
        simplest = np.full(len(problem.targets), Cs[0])
        if len(Cs) == 1:
            return simplest
        folds = stratified_folds(problem.numbers, self.n_folds, seed)
        warn_of_few_folds(self.n_folds, len(folds))
        if not folds:
            return simplest
        threads = effective_threads(self.n_jobs)
        self.cv_accuracy_ = cross_validated(K, problem, Cs, folds, threads)
        # The first of equal ones, which is the smallest.
        return np.array(Cs)[self.cv_accuracy_.argmax(1)]

    @property
    def codebook_(self) -> Codebook:
        """Codebook of the pyramid."""
        return self.pyramid_.codebook_

    @property
    def n_words_(self) -> int:
        """Words that are counted."""
        return self.pyramid_.n_words_

    def decision_function(self, X: Any) -> Float64Array:
        """Score of each class against the rest, or of two classes the second's.

        An image's score does not depend on the others.

        Parameters
        ----------
        X : as in `fit`

        Returns
        -------
        ndarray of shape (n_items,) or (n_items, n_classes)
        """
        check_is_fitted(self, "coef_")
        images = listed(X)
        scores = np.empty((len(images), len(self.coef_)))

        def use(number: int, row: Float32Array) -> None:
            scores[number] = scores_of(row, self.coef_) + self.intercept_

        self.pyramid_.for_each(images, use)
        return scores[:, 0] if len(self.coef_) == 1 else scores
