"""Confidence of fitted classifiers: calibrated on held-out votes, and no label changed by it."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from sfmcore import SFMClassifier, SFMClassifierCV
from sfmcore.bounds.objective import Objective
from sfmcore.estimators.confidence import Confidence
from sfmcore.features.column_kernel import ColumnKernel
from sfmcore.learning.held_out import N_FOLDS, folds_of, held_out_votes
from sfmcore.learning.members import applied_to_training, prepared_members
from sfmcore.learning.one_vs_rest import learn_pairs
from sfmcore.learning.search import minimise

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

WAYS = {
    "exact": {},
    "kernel": {"n_landmarks": 20},
    "draws": {"n_draws": 3},
    "coupled": {"n_draws": 2, "coupling": 0.5, "max_iter": 3},
    "raw": {"vote": "raw"},
    "prior": {"prior": "map"},
    "several pairs": {"n_pairs": 2},
    "shared": {"n_shared_models": 4, "n_landmarks": 20},
    "columns": {"model": ColumnKernel(n_landmarks=30)},
    "bound": {"C": "bound"},
    "counted": {"certificate_fraction": 0.4},
    "certified": {"certificate_fraction": 0.4, "certify_by": "pac-bayes"},
}


def blobs(n_items=150, n_classes=3, seed=0, spread=2.5):
    X, y = make_blobs(n_items, 4, centers=n_classes, cluster_std=spread, random_state=seed)
    return X, y


def held_out(model, X, y, groups=None, threads=1):
    """Votes on the training items, as `learn` asks for them."""
    problem = model.problem(X, y, groups=groups)
    seed = 3
    members = prepared_members(
        model.candidates(problem.n_classes),
        problem.items,
        problem.numbers,
        problem.weights,
        seed=seed,
        n_threads=threads,
    )
    made = applied_to_training(members, problem.items)
    pairs = learn_pairs(
        problem, members, n_pairs=model.n_pairs, seed=seed, n_threads=threads, made=made
    )
    content = pairs[0].mapping.content_keys(made[0])
    if problem.groups is not None:
        content = problem.groups.astype(np.uint64)
    votes = held_out_votes(
        problem, members, pairs, made, made, content, seed=seed, n_threads=threads
    )
    return votes, pairs, made, content, problem


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("way", WAYS)
def test_labels_and_scores_are_those_without_calibration(way, n_classes):
    X, y = blobs(n_classes=n_classes)
    plain = SFMClassifier(random_state=0, calibrate=False, **WAYS[way]).fit(X, y)
    model = SFMClassifier(random_state=0, **WAYS[way]).fit(X, y)
    assert np.array_equal(plain.decision_function(X), model.decision_function(X))
    assert np.array_equal(plain.predict(X), model.predict(X))
    shares = model.predict_proba(X)
    assert np.allclose(shares.sum(1), 1)
    assert np.array_equal(shares.argmax(1), model.predict(X))
    assert plain.calibration_ is None
    assert np.array_equal(plain.predict_proba(X), plain.vote_shares(X))
    assert np.array_equal(plain.vote_shares(X), model.vote_shares(X))
    assert model.calibration_ is not None


@pytest.mark.parametrize("way", ["exact", "kernel", "shared", "columns", "draws"])
def test_the_same_bits_with_any_number_of_threads(way):
    X, y = blobs()
    one, two = (
        SFMClassifier(random_state=0, n_jobs=threads, **WAYS[way]).fit(X, y) for threads in (1, 2)
    )
    assert one.calibration_.summary() == two.calibration_.summary()
    assert np.array_equal(one.predict_proba(X), two.predict_proba(X))
    assert np.array_equal(one.predict_set(X), two.predict_set(X))


def test_votes_are_those_of_u_learnt_without_the_fold():
    """Against J(u) on the other folds' rows, minimised from another start."""
    X, y = blobs(n_items=120, n_classes=2)
    votes, (pair,), (made,), content, problem = held_out(SFMClassifier(random_state=0), X, y)
    rows = pair.mapping.features(made, "exact")
    signs = problem.signs(1)
    folds = folds_of(problem.numbers, content, 3)
    assert np.bincount(folds).tolist() == [30] * N_FOLDS
    for number in range(N_FOLDS):
        fold = folds == number
        objective = Objective(rows[~fold], signs[~fold], pair.C, float((~fold).sum()))
        u = minimise(objective, [rows[~fold].T @ signs[~fold].astype(float)])
        assert np.abs(rows[fold] @ u - votes[fold, 0]).max() < 0.05


def test_equal_items_are_held_out_together():
    X, y = blobs(n_items=60)
    votes, *_ = held_out(SFMClassifier(random_state=0), np.repeat(X, 2, 0), np.repeat(y, 2))
    assert np.array_equal(votes[::2], votes[1::2])


def test_a_group_is_held_out_as_a_whole():
    """An item that is alike to its group alone is not known without the group."""
    random = np.random.default_rng(0)
    centres = random.normal(0, 6, (12, 4))
    groups = np.repeat(np.arange(12), 15)
    X = centres[groups] + random.normal(0, 0.5, (180, 4))
    y = groups % 2
    model = SFMClassifier(ColumnKernel(gamma=4.0), random_state=0)
    alone, *_ = held_out(model, X, y)
    together, *_ = held_out(model, X, y, groups=groups)

    def right(votes):
        return np.mean((votes[:, 0] > 0) == y)

    assert right(alone) > 0.98
    assert right(together) < 0.8
    known = model.fit(X, y, groups=groups)
    sure = known.predict_proba(X).max(1).mean()
    assert (
        sure
        < SFMClassifier(ColumnKernel(gamma=4.0), random_state=0)
        .fit(X, y)
        .predict_proba(X)
        .max(1)
        .mean()
    )


def test_labels_at_random_are_told_without_confidence():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(300, 5)), random.integers(0, 2, 300)
    model = SFMClassifier(ColumnKernel(), random_state=0).fit(X, y)
    new = random.normal(size=(300, 5))
    assert model.predict_proba(new).max(1).mean() < 0.56
    assert model.vote_shares(new).max(1).mean() > 0.6


@pytest.mark.parametrize("n_classes", [2, 4])
def test_confidence_is_what_comes_true(n_classes):
    X, y = blobs(1600, n_classes, seed=1, spread=4.0)
    model = SFMClassifier(random_state=0).fit(X[:400], y[:400])
    shares = model.predict_proba(X[400:])
    right = shares.argmax(1) == y[400:]
    # Both means are of 1,200 items: their difference deviates by 0.014 at most.
    assert shares.max(1).mean() == pytest.approx(right.mean(), abs=0.05)


@pytest.mark.parametrize("make", [SFMClassifier, SFMClassifierCV])
def test_sets_hold_the_true_label(make):
    X, y = blobs(900, 3, seed=2, spread=4.0)
    grid = {"n_components": (1,), "Cs": (8,)} if make is SFMClassifierCV else {}
    model = make(random_state=0, **grid).fit(X[:300], y[:300])
    for coverage in (0.8, 0.95):
        inside = model.predict_set(X[300:], coverage=coverage)
        assert inside.shape == (600, 3)
        hits = inside[np.arange(600), y[300:]].mean()
        # Of 100 held-out items a class: three deviations, of these and of the 600 new ones.
        assert hits > coverage - 3 * np.sqrt(coverage * (1 - coverage) * (1 / 300 + 1 / 600))


def test_a_cross_validated_classifier_takes_the_votes_of_its_folds():
    X, y = blobs(120, 3, seed=3, spread=4.0)
    grid = {"n_components": (1, 2), "Cs": (2, 32), "cv": 3, "random_state": 0}
    plain = SFMClassifierCV(calibrate=False, **grid).fit(X, y)
    model = SFMClassifierCV(**grid).fit(X, y)
    assert plain.calibration_ is None
    assert model.calibration_.n_items == 120
    assert np.array_equal(plain.decision_function(X), model.decision_function(X))
    assert model.best_estimator_.calibrate is True


def test_without_held_out_votes_there_are_no_sets():
    X, y = blobs()
    model = SFMClassifier(calibrate=False, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="held-out"):
        model.predict_set(X)


def test_the_model_file_keeps_it(tmp_path):
    X, y = blobs()
    model = SFMClassifier(random_state=0).fit(X, y)
    model.save(tmp_path / "model.sfm")
    again = SFMClassifier.load(tmp_path / "model.sfm")
    assert again.calibration_.summary() == model.calibration_.summary()
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert np.array_equal(again.predict_set(X, coverage=0.7), model.predict_set(X, coverage=0.7))


def test_a_model_file_of_before_has_shares_of_votes(tmp_path):
    X, y = blobs()
    model = SFMClassifier(random_state=0).fit(X, y)
    model.take_confidence(Confidence())
    model.save(tmp_path / "model.sfm")
    again = SFMClassifier.load(tmp_path / "model.sfm")
    assert again.calibration_ is None
    assert np.array_equal(again.predict_proba(X), again.vote_shares(X))


def test_as_many_groups_as_items_are_asked_for():
    X, y = blobs()
    with pytest.raises(ValueError, match="X has 150 items, groups has 3"):
        SFMClassifier().fit(X, y, groups=["a", "b", "c"])


def test_calibrate_is_yes_or_no():
    with pytest.raises(ValueError, match="calibrate"):
        SFMClassifier(calibrate="sometimes").fit(*blobs())
