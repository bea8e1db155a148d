"""The methods of Table 3 by name, and some that a user would try today."""

from typing import Any

import numpy as np

from benchmarks.tables.dataset import Half, Method, Outcome
from benchmarks.tables.tuning import gaussian_kernels, kernel_machines
from sfmbio.baselines.kmers import KmerFrequencies
from sfmbio.classifier import ProteinClassifier
from sfmbio.sequences.alphabet import N_SYMBOLS
from sfmcore.baselines import FESS, FisherScore, MAPClassifier
from sfmcore.models.hmm import CategoricalHMM

CS = [2.0**power for power in range(-3, 10, 2)]
GAMMAS = [0.25, 0.5, 1.0, 2.0]


def sfm(preset: str, **changed: Any) -> Method:
    """ProteinClassifier as it comes, one fit for all classes: what `sfmbio evaluate` does."""

    def method(half: Half) -> Outcome:
        model = ProteinClassifier.from_preset(preset, random_state=half.seed, **changed)
        return Outcome(model.fit(half.X, half.y).decision_function(half.X_test) > 0)

    return method


def states() -> CategoricalHMM:
    """The paper's ten states, fitted as those of `best`."""
    return CategoricalHMM(10, N_SYMBOLS, n_init=2, max_iter=2000, tol=5e-6)


def hmm_map(half: Half) -> Outcome:
    """The more probable of two hidden Markov models, class and rest."""
    model = MAPClassifier(states(), strategy="one_versus_rest", random_state=half.seed)
    return Outcome(model.fit(half.X, half.y).decision_function(half.X_test) > 0)


def score_space(kind: type[FisherScore] | type[FESS]) -> Method:
    """Scores under a model of each class, to SVMs; kernel and C by inner folds."""

    def method(half: Half) -> Outcome:
        scores = kind(states(), random_state=half.seed)
        A, B = scores.fit_transform(half.X, half.y), scores.transform(half.X_test)
        kernels = {"linear": (A @ A.T, B @ A.T)} | gaussian_kernels(A, B, GAMMAS)
        return kernel_machines(kernels, half.y, CS, half.seed)

    return method


def kmer_svm(k: int, *, gaussian: bool = False) -> Method:
    """SVM on shares of k-mers, rows of unit length: linear, or Gaussian; C by inner folds."""

    def method(half: Half) -> Outcome:
        shares = KmerFrequencies(k, unit_length=True)
        A, B = shares.transform(half.X), shares.transform(half.X_test)
        if gaussian:
            kernels = gaussian_kernels(A.astype(np.float64), B.astype(np.float64), GAMMAS)
        else:
            products = (A @ A.T, B @ A.T)
            kernels = {"linear": tuple(np.asarray(K if k < 3 else K.toarray()) for K in products)}
        return kernel_machines(kernels, half.y, CS, half.seed)

    return method


def best_hit(half: Half) -> Outcome:
    """The class of the best hit by phmmer; without a hit, no class."""
    # Only this method needs pyhmmer.
    from benchmarks.tables.proteins.best_hit import NO_HIT, best_hits

    index, _, _ = best_hits(half.X, half.X_test)
    found = index != NO_HIT
    decisions = half.y[index][:, None] == np.array(half.dataset.targets)
    without = float(np.mean(~found))
    return Outcome(decisions & found[:, None], {"without_hit": without})


METHODS: dict[str, Method] = {
    "bigram": kmer_svm(2),
    "map": hmm_map,
    "fisher": score_space(FisherScore),
    "fess": score_space(FESS),
    "coupled": sfm("paper"),
    "uncoupled": sfm("paper", coupling=0.0),
    "expected": sfm("paper", coupling=0.0, n_draws="exact"),
    "sfm": sfm("best"),
    "fast": sfm("fast"),
    "gaussian_bigram": kmer_svm(2, gaussian=True),
    "trigram": kmer_svm(3),
    "best_hit": best_hit,
}
