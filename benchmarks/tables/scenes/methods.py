"""The methods of Table 2 by name, and some that a user would try today."""

import os
from typing import Any

import numpy as np

from benchmarks.tables.dataset import Half, Method, Outcome
from benchmarks.tables.tuning import gaussian_kernels, kernel_machines
from sfmcore.baselines import FESS, FisherScore, MAPClassifier
from sfmcore.data.with_vectors import WithVectors
from sfmcore.models.lda import LatentDirichletAllocation
from sfmvision.baselines.phow import PHOWClassifier
from sfmvision.classifier import SceneClassifier
from sfmvision.codebook.layout import PYRAMID
from sfmvision.preparation import ScenePreparation

CS = [2.0**power for power in range(-3, 10, 2)]
PHOW_CS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
GAMMAS = [0.25, 0.5, 1.0, 2.0]
SCALES = (4, 6, 8, 10)
# The grid and the words of the paper, and nothing beside them.
PAPER = {
    "grid": (20, 20),
    "step": None,
    "bin_sizes": SCALES,
    "root": False,
    "n_words": 50,
    "n_gaussians": 0,
    "levels": (),
}
SPATIAL = {"n_words": 200, "bin_sizes": SCALES, "n_gaussians": 0, "levels": PYRAMID}


def kept() -> str | None:
    """Folder where the methods find the descriptors that others of them have made.

    The environment variable SFM_DESCRIPTORS names it; without it each method of each half makes
    its own. It takes 0.6 MB an image and setting, and changes no result.
    """
    return os.environ.get("SFM_DESCRIPTORS") or None


def sfm(preset: str, **changed: Any) -> Method:
    """SceneClassifier as it comes, one fit for all classes: what `sfmvision evaluate` does."""

    def method(half: Half) -> Outcome:
        model = SceneClassifier.from_preset(preset, cache=kept(), random_state=half.seed, **changed)
        model.fit(list(half.X), half.y)
        return Outcome(model.decision_function(list(half.X_test)) > 0)

    return method


def words_of(half: Half, **parameters: Any) -> tuple[WithVectors, WithVectors]:
    """Documents of both halves and histograms beside them; the codebook is of the first."""
    maker = ScenePreparation(cache=kept(), **parameters)
    train, test = (maker.encode(list(X), estimator=None) for X in (half.X, half.X_test))
    words = maker.fit(train, np.ones(len(train)), seed=half.seed, n_threads=1)
    return words.apply(train), words.apply(test)


def topics(n_words: int) -> LatentDirichletAllocation:
    """The paper's 50 topics over the words and the one of flat patches."""
    return LatentDirichletAllocation(50, n_words + 1, n_sweeps=50)


def lda_map(half: Half) -> Outcome:
    """The more probable of two topic models, class and rest."""
    train, test = words_of(half, **PAPER)
    model = MAPClassifier(topics(50), strategy="one_versus_rest", random_state=half.seed)
    return Outcome(model.fit(train.items, half.y).decision_function(test.items) > 0)


def score_space(kind: type[FisherScore] | type[FESS]) -> Method:
    """Scores under a topic model of each class, to SVMs; kernel and C by inner folds."""

    def method(half: Half) -> Outcome:
        train, test = words_of(half, **PAPER)
        scores = kind(topics(50), random_state=half.seed)
        A = scores.fit_transform(train.items, half.y)
        B = scores.transform(test.items)
        kernels = {"linear": (A @ A.T, B @ A.T)} | gaussian_kernels(A, B, GAMMAS)
        return kernel_machines(kernels, half.y, CS, half.seed)

    return method


def spatial_svm(half: Half) -> Outcome:
    """Gaussian SVM on the square roots of word counts over 1 x 1, 2 x 2 and 4 x 4 cells."""
    train, test = words_of(half, **SPATIAL)
    A, B = train.vectors.astype(np.float64), test.vectors.astype(np.float64)
    kernels = gaussian_kernels(A, B, GAMMAS)
    return kernel_machines(kernels, half.y, CS, half.seed)


def moments_svm(half: Half) -> Outcome:
    """What stands beside the topics of `best`, without them, to linear SVMs."""
    train, test = words_of(half)
    A, B = train.vectors, test.vectors
    return kernel_machines({"linear": (A @ A.T, B @ A.T)}, half.y, CS, half.seed)


def phow(**parameters: Any) -> Method:
    """PHOW to a linear SVM, C by inner folds."""

    def method(half: Half) -> Outcome:
        model = PHOWClassifier(C=PHOW_CS, cache=kept(), random_state=half.seed, **parameters)
        model.fit(list(half.X), half.y)
        chosen = dict(zip(half.dataset.targets, model.C_.tolist(), strict=True))
        return Outcome(model.decision_function(list(half.X_test)) > 0, {"C": chosen})

    return method


METHODS: dict[str, Method] = {
    "phow": phow(grid=(20, 20), step=None, n_words=50),
    "map": lda_map,
    "fisher": score_space(FisherScore),
    "fess": score_space(FESS),
    "coupled": sfm("paper"),
    "uncoupled": sfm("paper", coupling=0.0),
    "expected": sfm("paper", coupling=0.0, n_draws="exact"),
    "sfm": sfm("best"),
    "moments_svm": moments_svm,
    "spatial_svm": spatial_svm,
    "full_phow": phow(),
}
