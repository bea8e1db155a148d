"""Supervised against semi-supervised training: who trains on what, and what is tested."""

import json
import warnings
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from sfmbio import ProteinClassifier
from sfmcore.estimators.classifier import SFMClassifier
from sfmcore.estimators.classifier_cv import SFMClassifierCV
from sfmcore.evaluation.learning_curve import (
    semi_supervised_curve,
    semi_supervised_split,
    stratified_order,
)

X, Y = load_wine(return_X_y=True)
IDS = np.arange(60)[:, None]
CLASSES = np.array(["a", "b", "c"])[IDS[:, 0] % 3]

counts_of_classes = st.lists(st.integers(2, 15), min_size=2, max_size=5)
seeds = st.integers(0, 2**32 - 1)


class Spy(ClassifierMixin, BaseEstimator):
    """Writes down what it is given; with unlabelled items it is always right, else always "a"."""

    calls: ClassVar[list[dict]] = []

    def __init__(self, random_state=None, n_jobs=None, verbose=0):
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X, y, X_unlabeled=None):
        more = None if X_unlabeled is None else set(X_unlabeled[:, 0].tolist())
        self.call_ = {
            "labelled": dict(zip(X[:, 0].tolist(), y.tolist(), strict=True)),
            "unlabelled": more,
            "parameters": self.get_params(),
        }
        Spy.calls.append(self.call_)
        return self

    def predict(self, X):
        self.call_["test"] = set(X[:, 0].tolist())
        if self.call_["unlabelled"] is None:
            return np.full(len(X), "a")
        return CLASSES[X[:, 0]]


@pytest.fixture
def calls(monkeypatch):
    monkeypatch.setattr(Spy, "calls", [])
    return lambda: Spy.calls


# The split


@given(counts_of_classes, seeds)
@settings(deadline=None)
def test_a_prefix_has_every_class_and_its_share(counts, seed):
    y = np.repeat(np.arange(len(counts)), counts)
    order = stratified_order(y, np.random.default_rng(seed))
    assert sorted(order) == list(range(len(y)))
    assert sorted(y[order[: len(counts)]]) == list(range(len(counts)))
    for size in range(len(counts), len(y) + 1):
        found = np.bincount(y[order[:size]], minlength=len(counts))
        # Within one item, but for seats that smaller classes got early.
        assert np.all(np.abs(found - size * np.array(counts) / len(y)) < len(counts))
    assert found.tolist() == counts


def test_a_prefix_of_two_classes_is_within_one_item_of_its_share():
    y = np.repeat([False, True], [70, 30])
    order = stratified_order(y, np.random.default_rng(3))
    for size in range(2, 101):
        assert abs(y[order[:size]].sum() - 0.3 * size) <= 1


@given(counts_of_classes, st.floats(0.01, 0.99), seeds)
@settings(deadline=None)
def test_labelled_unlabelled_and_test_items_never_overlap(counts, share, seed):
    y = np.repeat(np.arange(len(counts)), counts)
    split = semi_supervised_split(y, share, np.random.default_rng(seed))
    parts = (split.labelled, split.unlabelled, split.test)
    assert sorted(np.concatenate(parts)) == list(range(len(y)))
    assert all(len(part) > 0 for part in parts)
    half = len(split.unlabelled) + len(split.test)
    assert abs(len(split.unlabelled) - share * half) <= 1
    # Every class is halved, whatever is taken from the test half afterwards.
    for number, count in enumerate(counts):
        assert abs(2 * np.sum(y[split.labelled] == number) - count) <= 1


# The curve


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_who_trains_on_what(calls, n_jobs):
    curve = semi_supervised_curve(
        Spy(), IDS, CLASSES, n_labelled=(3, 10, 30), n_partitions=4, random_state=5, n_jobs=n_jobs
    )
    assert len(calls()) == 4 * 3 * 2
    assert curve.n_labelled.tolist() == [3, 10, 30]
    assert (curve.n_unlabelled.tolist(), curve.n_test.tolist()) == ([8] * 4, [22] * 4)
    by_seed = {}
    for call in calls():
        by_seed.setdefault(call["parameters"]["random_state"], []).append(call)
    assert len(by_seed) == 4
    halves = set()
    for own in by_seed.values():
        tests = {frozenset(call["test"]) for call in own}
        assert len(tests) == 1  # the same test items in all six trainings
        (test,) = tests
        halves.add(test)
        smaller = set()
        for size in (3, 10, 30):
            alone, both = sorted(
                (call for call in own if len(call["labelled"]) == size),
                key=lambda call: call["unlabelled"] is not None,
            )
            assert alone["unlabelled"] is None
            assert alone["labelled"] == both["labelled"]
            assert alone["parameters"] == both["parameters"]
            labelled = set(both["labelled"])
            assert smaller < labelled
            smaller = labelled
            assert all(CLASSES[item] == label for item, label in both["labelled"].items())
            assert {CLASSES[item] for item in labelled} == {"a", "b", "c"}
            assert len(both["unlabelled"]) == 8
            assert not labelled & both["unlabelled"]
            assert not labelled & test
            assert not both["unlabelled"] & test
            assert len(labelled | both["unlabelled"] | test) == size + 30
    assert len(halves) == 4


def test_accuracies_are_those_of_the_estimator(calls):
    curve = semi_supervised_curve(
        Spy(), IDS, CLASSES, n_labelled=(3, 9), n_partitions=3, random_state=0
    )
    assert np.array_equal(curve.semi_supervised, np.ones((2, 3)))
    tests = [call["test"] for call in calls()[::4]]
    shares = [np.mean([CLASSES[item] == "a" for item in test]) for test in tests]
    assert curve.supervised == pytest.approx(np.array([shares, shares]))
    assert curve.accuracies["supervised"] is curve.supervised
    assert curve.accuracies["semi-supervised"] is curve.semi_supervised


def test_one_training_by_hand_gives_the_same_accuracy():
    model = SFMClassifier(n_components=2)
    curve = semi_supervised_curve(model, X, Y, n_labelled=(20,), n_partitions=2, random_state=7)
    random = np.random.default_rng([7, 1])
    split = semi_supervised_split(Y, 0.25, random)
    model.set_params(random_state=int(random.integers(2**31)))
    known, test = split.labelled[:20], split.test
    score = model.fit(X[known], Y[known]).score(X[test], Y[test])
    assert curve.supervised[0, 1] == score
    model.fit(X[known], Y[known], X_unlabeled=X[split.unlabelled])
    assert curve.semi_supervised[0, 1] == model.score(X[test], Y[test])


@pytest.mark.parametrize(
    "model",
    [
        SFMClassifier(n_components=2, n_draws=2, coupling=0.5, max_iter=2),
        SFMClassifierCV(
            n_components=(1, 2),
            n_landmarks=0,
            conditioning=False,
            Cs=(8, 64),
            n_column_voters=0,
            cv=2,
        ),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_curves_do_not_depend_on_the_threads(model):
    one, two = (
        semi_supervised_curve(
            model, X, Y == 1, n_labelled=(8, 40), n_partitions=3, random_state=2, n_jobs=n_jobs
        )
        for n_jobs in (1, 2)
    )
    assert one.to_dict() == two.to_dict()
    assert one.supervised.shape == one.semi_supervised.shape == (2, 3)
    assert not np.array_equal(one.supervised, one.semi_supervised)


def test_the_seed_decides():
    curves = [
        semi_supervised_curve(
            SFMClassifier(n_components=1), X, Y, n_labelled=(9,), n_partitions=3, random_state=seed
        ).to_dict()
        for seed in (0, 1, np.random.RandomState(0), np.random.RandomState(0))
    ]
    assert curves[0]["supervised"] != curves[1]["supervised"]
    assert curves[2] == curves[3]


def test_lists_and_data_frames_are_inputs_too():
    pandas = pytest.importorskip("pandas")
    given = {"n_labelled": (6, 12), "n_partitions": 2, "random_state": 0}
    frame = pandas.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])])
    model = SFMClassifier(n_components=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # such as of names that fit and predict do not share
        of_frame = semi_supervised_curve(model, frame, pandas.Series(Y), **given)
    assert of_frame.to_dict() == semi_supervised_curve(model, X, Y, **given).to_dict()
    words = ["AVLI" * (k + 2) for k in range(8)] + ["KDER" * (k + 2) for k in range(8)]
    proteins = ProteinClassifier(n_states=2, n_pairs=1, n_init=1, em_max_iter=5, em_tol=1e-2)
    results = [
        semi_supervised_curve(proteins, items, ["a"] * 8 + ["b"] * 8, **given | {"n_labelled": [4]})
        for items in (words, proteins.preparation.encode(words, proteins))
    ]
    assert results[0].to_dict() == results[1].to_dict()


def test_curve_is_json():
    curve = semi_supervised_curve(
        SFMClassifier(n_components=1), X, Y, n_labelled=[10], n_partitions=2, random_state=4
    )
    report = json.loads(json.dumps(curve.to_dict(), allow_nan=False))
    assert report["seed"] == 4
    assert report["semi_supervised"] == curve.semi_supervised.tolist()


def test_convergence_is_warned_of_once_for_all_trainings():
    model = SFMClassifier(n_components=2, n_init=1, em_max_iter=1, em_tol=0.0)
    with pytest.warns(ConvergenceWarning, match=r"EM of \d+ of 16 models") as caught:
        semi_supervised_curve(model, X, Y == 0, n_labelled=(8, 40), n_partitions=2, random_state=0)
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_labelled": ()}, "n_labelled must hold rising numbers, got \\[\\]"),
        ({"n_labelled": (9, 9)}, "n_labelled must hold rising numbers"),
        ({"n_labelled": (2, 9)}, "must lie in 3 .* to 88 .*, got 2 to 9"),
        ({"n_labelled": (9, 89)}, "must lie in 3 .* to 88 .*, got 9 to 89"),
        ({"n_labelled": (9.5,)}, "n_labelled must be a whole number"),
        ({"n_partitions": 0}, "n_partitions must be a whole number of at least 1"),
        ({"unlabeled_share": 1.0}, "unlabeled_share must be a number between 0 and 1"),
        ({"unlabeled_share": 0}, "unlabeled_share must be a number between 0 and 1"),
        ({"y": Y[1:]}, "X has 178 items, y has shape"),
        ({"y": np.zeros(178)}, "at least two classes"),
        ({"y": np.arange(178) == 0}, "only one item"),
        ({"n_jobs": 0}, "n_jobs must not be 0"),
    ],
)
def test_what_has_no_curve_is_refused(change, message):
    arguments = {"X": X, "y": Y, "n_labelled": (9,), "n_partitions": 2, **change}
    with pytest.raises(ValueError, match=message):
        semi_supervised_curve(SFMClassifier(), **arguments)


def test_an_estimator_without_unlabelled_items_is_refused():
    with pytest.raises(TypeError, match="LogisticRegression takes no X_unlabeled"):
        semi_supervised_curve(LogisticRegression(), X, Y, n_labelled=(9,))
