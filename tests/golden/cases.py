"""Small fits of everything public, written as a user would: what the golden values are values of.

A case is a function that takes `n_jobs`, which must change nothing, and returns arrays by name. A
change of the way estimators are made is a change of this file alone; the values stay.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.svm import LinearSVC

from sfmbio import KmerFrequencies, ProteinClassifier
from sfmbio.sequences.encoding import encode_batch
from sfmcore import SFMClassifier, SFMClassifierCV, StochasticFeatureMap
from sfmcore.baselines import FESS, FisherScore, LMKLClassifier, MAPClassifier, PBGD3Classifier
from sfmcore.features.column_kernel import ColumnKernel
from sfmcore.models.gmm import DiagonalGMM
from sfmcore.models.hmm import CategoricalHMM
from sfmcore.models.lda import LatentDirichletAllocation
from sfmvision import PHOWClassifier, SceneClassifier
from tests.golden.data import peptides, tiles, tumours, wine
from tests.golden.values import Arrays, outcome

Case = Callable[[int], Arrays]

CASES: dict[str, Case] = {}

TOLERANCES: dict[str, float] = {}
"""Of the cases that have one of their own: see :data:`tests.golden.values.TOLERANCE`."""
# NumPy rounds the exponential of a float32 otherwise without AVX2, which moves many landmarks'
# kernel by its last digit and the scores by up to 1e-5.
_OF_KERNELS = 3e-5
# libsvm stops at a tolerance of 1e-3, and where it does so is up to the last digits of the kernel.
_OF_LIBSVM = 3e-3


def case(function: Case) -> Case:
    """Add a case by its function's name."""
    CASES[function.__name__] = function
    return function


def tolerant(tolerance: float) -> Callable[[Case], Case]:
    """Give a case a tolerance of its own."""

    def give(function: Case) -> Case:
        TOLERANCES[function.__name__] = tolerance
        return function

    return give


# ---- The classifier of plain vectors


def on_wine(n_jobs: int, **parameters: Any) -> Arrays:
    """Outcome and bound of a classifier of the wines."""
    X, y, others = wine()
    model = SFMClassifier(random_state=0, n_jobs=n_jobs, **parameters).fit(X, y)
    return {**outcome(model, others), "risk_bound": model.risk_bound()}


def on_tumours(n_jobs: int, **parameters: Any) -> Arrays:
    """Outcome and bound of a classifier of the tumours."""
    X, y, others = tumours()
    model = SFMClassifier(random_state=0, n_jobs=n_jobs, **parameters).fit(X, y)
    return {**outcome(model, others), "risk_bound": model.risk_bound()}


@case
def vectors_default(n_jobs: int) -> Arrays:
    return on_wine(n_jobs)


@case
def vectors_default_of_two_classes(n_jobs: int) -> Arrays:
    return on_tumours(n_jobs)


@case
def vectors_draws_coupled(n_jobs: int) -> Arrays:
    return on_wine(n_jobs, n_components=3, n_draws=5, coupling=1.0)


@case
def vectors_draws_coupled_by_rejection(n_jobs: int) -> Arrays:
    return on_tumours(n_jobs, n_draws=3, coupling=0.5, sampler="rejection", max_proposals=10)


@case
def vectors_draws_raw_vote(n_jobs: int) -> Arrays:
    return on_wine(n_jobs, n_draws=4, vote="raw", refit=False)


@case
def vectors_pairs_normalised_vote(n_jobs: int) -> Arrays:
    return on_wine(n_jobs, n_components=2, n_pairs=3, vote="normalised", n_init=1)


@case
def vectors_conditioned(n_jobs: int) -> Arrays:
    return on_tumours(n_jobs, conditioning=True, clip=1.0)


@case
def vectors_landmarks(n_jobs: int) -> Arrays:
    return on_wine(n_jobs, n_landmarks=40, gamma=4.0)


@case
def vectors_columns_gaussian(n_jobs: int) -> Arrays:
    return on_wine(n_jobs, model=ColumnKernel("gaussian", n_landmarks=40))


@case
@tolerant(_OF_KERNELS)
def vectors_columns_laplacian(n_jobs: int) -> Arrays:
    return on_tumours(n_jobs, model=ColumnKernel("laplacian", gamma=0.5))


@case
def vectors_scaling_normal(n_jobs: int) -> Arrays:
    return on_wine(n_jobs, scaling="normal")


@case
def vectors_scaling_power(n_jobs: int) -> Arrays:
    return on_wine(n_jobs, scaling="power")


@case
def vectors_scaling_uniform(n_jobs: int) -> Arrays:
    return on_tumours(n_jobs, scaling="uniform")


@case
def vectors_unscaled(n_jobs: int) -> Arrays:
    return on_wine(n_jobs, scaling=None)


@case
def vectors_weights(n_jobs: int) -> Arrays:
    X, y, others = wine()
    weights = np.arange(len(y)) % 4 / 2.0
    model = SFMClassifier(random_state=0, n_jobs=n_jobs).fit(X, y, sample_weight=weights)
    return outcome(model, others)


@case
def vectors_unlabeled(n_jobs: int) -> Arrays:
    X, y, others = tumours()
    y = y.astype(object)
    y[np.arange(len(y)) % 5 > 1] = None
    model = SFMClassifier(n_draws=4, random_state=0, n_jobs=n_jobs)
    model.fit(X, y, X_unlabeled=others)
    return {**outcome(model, others), "risk_bound": model.risk_bound()}


@case
def vectors_unlabeled_by_a_mark(n_jobs: int) -> Arrays:
    X, y, others = wine()
    y = np.where(np.arange(len(y)) % 3 == 2, -1, y)
    model = SFMClassifier(unlabeled=-1, unlabeled_weight=1.0, random_state=0, n_jobs=n_jobs)
    return outcome(model.fit(X, y), others)


@case
def vectors_certificate(n_jobs: int) -> Arrays:
    X, y, others = wine()
    model = SFMClassifier(
        certificate_fraction=0.5, certify_by="pac-bayes", random_state=0, n_jobs=n_jobs
    ).fit(X, y)
    report = model.certificate_
    limits = ("gibbs_bound", "tandem_bound", "vote_bound", "catoni_bound", "divergence")
    return {
        **outcome(model, others),
        "label_risk": np.array(report.label_risk),
        **{name: np.array([getattr(p, name) for p in report.certificates]) for name in limits},
    }


@case
def vectors_certified_on_others(n_jobs: int) -> Arrays:
    X, y = load_breast_cancer(return_X_y=True)
    model = SFMClassifier(random_state=0, n_jobs=n_jobs).fit(X[::4], y[::4])
    report = model.certify(X[1::4], y[1::4], fresh=True)
    [part] = report.certificates
    limits = ("gibbs_bound", "tandem_bound", "vote_bound", "catoni_bound", "divergence")
    return {
        "label_bound": np.array(report.label_bound),
        **{name: np.array(getattr(part, name)) for name in limits},
    }


@case
def vectors_learnt_C(n_jobs: int) -> Arrays:
    return on_tumours(n_jobs, C="bound")


@case
def vectors_gradient(n_jobs: int) -> Arrays:
    return on_wine(n_jobs, optimizer="gradient", learning_rate_u=0.5, n_draws=2, max_iter=10)


@case
def vectors_restarts(n_jobs: int) -> Arrays:
    return on_tumours(n_jobs, C=500.0, n_restarts=4)


@case
def vectors_prior_map(n_jobs: int) -> Arrays:
    return on_wine(n_jobs, prior="map")


@case
def vectors_prior_fraction(n_jobs: int) -> Arrays:
    return on_tumours(n_jobs, prior_fraction=0.25, C=100.0)


def chosen(model: SFMClassifierCV, others: np.ndarray) -> Arrays:
    """What cross-validation found, and the outcome."""
    return {
        **outcome(model, others),
        "mean_test_tandem_loss": model.cv_results_["mean_test_tandem_loss"],
        "best_score": np.array(model.best_score_),
        # A kernel on the columns has no components.
        "voters": np.array([f"{v.get('n_components', 0)} {v['C']}" for v in model.voters_]),
    }


@case
@tolerant(_OF_KERNELS)
def vectors_cv(n_jobs: int) -> Arrays:
    X, y, others = wine()
    model = SFMClassifierCV(
        n_components=(1, 2),
        scaling=("standard", "power"),
        n_landmarks=(0, 30),
        gamma=(2.0,),
        clip=(2.0,),
        Cs=(8.0, 64.0),
        cv=3,
        n_voters=3,
        n_column_voters=2,
        column_scaling=("standard", "normal"),
        column_landmarks=40,
        gaussian_gamma=(1.0,),
        laplacian_gamma=(0.5,),
        random_state=0,
        n_jobs=n_jobs,
    )
    return chosen(model.fit(X, y), others)


@case
def vectors_cv_drawn_by_accuracy(n_jobs: int) -> Arrays:
    X, y, others = tumours()
    model = SFMClassifierCV(
        n_components=(2,),
        scaling=("standard",),
        n_landmarks=(0,),
        conditioning=(False,),
        prior=("zero", "map"),
        n_draws=("exact", 3),
        coupling=(0.0, 1.0),
        Cs=(8.0, 64.0),
        cv=3,
        scoring="accuracy",
        n_voters=2,
        n_column_voters=0,
        random_state=0,
        n_jobs=n_jobs,
    )
    return chosen(model.fit(X, y), others)


@case
def feature_map_exact(n_jobs: int) -> Arrays:
    X, y, others = wine()
    model = StochasticFeatureMap(n_components=2, random_state=0, n_jobs=n_jobs).fit(X, y)
    return {"features": model.transform(others[::10])}


@case
def feature_map_drawn(n_jobs: int) -> Arrays:
    X, y, others = tumours()
    model = StochasticFeatureMap(
        n_components=2, n_draws=5, conditioning=True, random_state=0, n_jobs=n_jobs
    )
    return {"features": model.fit(X, y).transform(others[::16])}


# ---- Proteins


def on_peptides(model: ProteinClassifier) -> Arrays:
    """Outcome and bound of a classifier of the peptides."""
    sequences, labels, others = peptides()
    model.fit(sequences, labels)
    return {**outcome(model, others), "risk_bound": model.risk_bound()}


@case
@tolerant(_OF_KERNELS)
def proteins_best(n_jobs: int) -> Arrays:
    return on_peptides(ProteinClassifier(random_state=0, n_jobs=n_jobs))


@case
def proteins_fast(n_jobs: int) -> Arrays:
    return on_peptides(ProteinClassifier.from_preset("fast", random_state=0, n_jobs=n_jobs))


@case
def proteins_paper(n_jobs: int) -> Arrays:
    return on_peptides(ProteinClassifier.from_preset("paper", random_state=0, n_jobs=n_jobs))


@case
def proteins_unlabeled(n_jobs: int) -> Arrays:
    sequences, labels, others = peptides()
    labels = ["" if number % 4 else label for number, label in enumerate(labels)]
    model = ProteinClassifier(
        n_states=3, n_directions=16, n_landmarks=20, random_state=0, n_jobs=n_jobs
    )
    model.fit(sequences, labels, X_unlabeled=others)
    return outcome(model, others)


@case
def proteins_kmers(n_jobs: int) -> Arrays:
    sequences, _, _ = peptides()
    shares = KmerFrequencies(k=2).transform(sequences[:1])
    triples = KmerFrequencies(k=3, root=True).transform(sequences[::30])
    return {"shares": shares[shares > 0], "places": triples.indices, "roots": triples.data}


# ---- Scenes


def on_tiles(model: SceneClassifier) -> Arrays:
    """Outcome and bound of a classifier of the textures."""
    images, labels, others = tiles()
    model.fit(images, labels)
    return {**outcome(model, others), "risk_bound": model.risk_bound()}


@case
def scenes_best(n_jobs: int) -> Arrays:
    return on_tiles(SceneClassifier(random_state=0, n_jobs=n_jobs))


@case
def scenes_paper(n_jobs: int) -> Arrays:
    return on_tiles(SceneClassifier.from_preset("paper", random_state=0, n_jobs=n_jobs))


@case
def scenes_histograms_and_landmarks(n_jobs: int) -> Arrays:
    model = SceneClassifier(
        n_words=20,
        n_topics=4,
        step=6,
        bin_sizes=(4, 6),
        colour="opponent",
        n_gaussians=0,
        levels=((1, 1), (2, 2)),
        n_landmarks=24,
        gamma=2.0,
        random_state=0,
        n_jobs=n_jobs,
    )
    return on_tiles(model)


@case
@tolerant(_OF_LIBSVM)
def scenes_phow(n_jobs: int) -> Arrays:
    images, labels, others = tiles()
    model = PHOWClassifier(50, C=(1.0, 10.0), n_folds=2, random_state=0, n_jobs=n_jobs)
    model.fit(images, labels)
    return {**outcome(model, others), "C": model.C_}


# ---- What the paper compares with


def separated(vectors: Any, training: Any, labels: Sequence[Any], others: Any) -> Arrays:
    """Some vectors of a score space, and the outcome of a support vector machine on all."""
    machine = LinearSVC(dual=False, tol=1e-8).fit(vectors.fit_transform(training, labels), labels)
    scores = vectors.transform(others)
    return {**outcome(machine, scores), "vectors": scores[::15]}


def codes() -> tuple[Any, list[str], Any]:
    """The peptides as codes, which are also the words of documents."""
    sequences, labels, others = peptides()
    return encode_batch(sequences), labels, encode_batch(others)


@case
def baseline_fess_of_mixtures(n_jobs: int) -> Arrays:
    return separated(FESS(DiagonalGMM(2), random_state=0, n_jobs=n_jobs), *wine())


@case
def baseline_fess_of_markov_models(n_jobs: int) -> Arrays:
    return separated(FESS(CategoricalHMM(2), random_state=0, n_jobs=n_jobs), *codes())


@case
def baseline_fess_of_topics(n_jobs: int) -> Arrays:
    topics = LatentDirichletAllocation(2, 22)
    return separated(FESS(topics, random_state=0, n_jobs=n_jobs), *codes())


@case
def baseline_fisher_of_mixtures(n_jobs: int) -> Arrays:
    return separated(FisherScore(DiagonalGMM(2), random_state=0, n_jobs=n_jobs), *wine())


@case
def baseline_fisher_of_markov_models(n_jobs: int) -> Arrays:
    return separated(FisherScore(CategoricalHMM(2), random_state=0, n_jobs=n_jobs), *codes())


@case
def baseline_fisher_of_topics(n_jobs: int) -> Arrays:
    topics = LatentDirichletAllocation(2, 22)
    return separated(FisherScore(topics, random_state=0, n_jobs=n_jobs), *codes())


@case
@tolerant(_OF_LIBSVM)
def baseline_lmkl(n_jobs: int) -> Arrays:
    X, y, others = wine()
    return outcome(LMKLClassifier(max_iter=20, random_state=0, n_jobs=n_jobs).fit(X, y), others)


@case
@tolerant(_OF_LIBSVM)
def baseline_lmkl_rbf(n_jobs: int) -> Arrays:
    X, y, others = tumours()
    kernels = ("linear", "linear", "rbf")
    model = LMKLClassifier(10.0, kernels=kernels, max_iter=20, random_state=0, n_jobs=n_jobs)
    return outcome(model.fit(X, y), others)


@case
def baseline_map_of_mixtures(n_jobs: int) -> Arrays:
    X, y, others = wine()
    return outcome(MAPClassifier(DiagonalGMM(2), random_state=0, n_jobs=n_jobs).fit(X, y), others)


@case
def baseline_map_of_markov_models(n_jobs: int) -> Arrays:
    X, y, others = codes()
    model = MAPClassifier(
        CategoricalHMM(3), strategy="one_versus_rest", random_state=0, n_jobs=n_jobs
    )
    return outcome(model.fit(X, y), others)


@case
def baseline_map_of_topics(n_jobs: int) -> Arrays:
    X, y, others = codes()
    model = MAPClassifier(LatentDirichletAllocation(3, 22), random_state=0, n_jobs=n_jobs)
    return outcome(model.fit(X, y), others)


@case
def baseline_pbgd3(n_jobs: int) -> Arrays:
    X, y, others = wine()
    scale = X.std(0)
    model = PBGD3Classifier(C=10.0, random_state=0, n_jobs=n_jobs).fit(X / scale, y)
    return {**outcome(model, others / scale), "objective": model.objective_}


@case
def baseline_pbgd3_rbf(n_jobs: int) -> Arrays:
    X, y, others = tumours()
    scale = X.std(0)
    model = PBGD3Classifier(C=5.0, kernel="rbf", random_state=0, n_jobs=n_jobs).fit(X / scale, y)
    return {**outcome(model, others / scale), "objective": model.objective_}
