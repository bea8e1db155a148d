"""Suspects of a training set: found for the right reasons, and in the right order."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from sfmbio import ProteinClassifier
from sfmcore import SFMClassifier, SFMClassifierCV
from sfmcore.suspects import find_suspects
from sfmcore.suspects.out_of_fold import out_of_fold

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def clouds(n_each=40, seed=0):
    """Points of three clouds that hardly overlap, and their labels."""
    random = np.random.default_rng(seed)
    centres = np.repeat([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0]], n_each, axis=0)
    return centres + random.normal(size=centres.shape), np.repeat(["a", "b", "c"], n_each)


def classifier(**parameters):
    return SFMClassifier(n_components=1, **parameters)


def test_wrong_labels_are_found_and_come_first():
    X, y = clouds()
    wrong = {3: "b", 50: "c", 51: "c", 100: "a"}
    for item, label in wrong.items():
        y[item] = label
    found = find_suspects(classifier(), X, y, stranger_below=0.0)
    assert set(found.ranked()[:4].tolist()) == set(wrong)
    assert [str(found.classes[found.suggested[item]]) for item in wrong] == ["a", "b", "b", "c"]
    assert all(found.reasons(item) == ["label"] for item in wrong)
    assert found.n_wrong == pytest.approx(4, abs=2.5)
    scores = found.score[found.ranked(every=True)]
    assert len(scores) == len(y)
    assert np.all(np.diff(scores) <= 0)


def test_equal_items_under_two_labels_name_each_other():
    X, y = clouds()
    X[7] = X[90]
    found = find_suspects(classifier(), X, y, stranger_below=0.0)
    assert "conflict" in found.reasons(7)
    assert "conflict" in found.reasons(90)
    assert found.other[7] == 90
    assert found.other[90] == 7
    # The votes know which of the two it is.
    assert found.ranked()[0] == 7
    assert found.reasons(7)[0] == "label"


def test_an_item_like_nothing_else_is_a_stranger():
    X, y = clouds()
    X[20] = [-40.0, -40.0]
    found = find_suspects(classifier(), X, y, stranger_below=0.02)
    assert "stranger" in found.reasons(20)
    assert found.knows_strangers
    none = find_suspects(classifier(), X, y, stranger_below=0.0)
    assert not none.by_reason["stranger"].any()


def test_of_few_items_no_strangers_are_known():
    X, y = clouds(n_each=4)
    found = find_suspects(classifier(), X, y, folds=2)
    assert not found.knows_strangers
    assert not found.by_reason["stranger"].any()


def test_no_classifier_judges_what_it_learnt_from():
    X, y = clouds(n_each=20)
    fits = []

    class Watched(SFMClassifier):
        def learn(self, problem, *arguments):
            fits.append(problem.items)
            return super().learn(problem, *arguments)

        def judge(self, items, made=None):
            learnt = {row.tobytes() for row in fits[-1]}
            assert not any(row.tobytes() in learnt for row in items)
            return super().judge(items, made)

    out_of_fold(Watched(n_components=1), X, y, folds=4)
    assert [len(items) for items in fits] == [45] * 4


def test_a_group_that_is_wrong_as_a_whole_is_found_where_it_is_kept_together():
    X, y = clouds(n_each=30)
    # Ten copies of one item of class a, all of them labelled b.
    X, y = np.vstack([X, np.repeat(X[:1], 10, axis=0)]), np.append(y, ["b"] * 10)
    groups = [*range(90), *[0] * 10]
    wrong = np.arange(90, 100)
    apart = find_suspects(classifier(), X, y, stranger_below=0.0)
    together = find_suspects(classifier(), X, y, groups=groups, stranger_below=0.0)
    assert together.by_reason["label"][wrong].all()
    assert apart.probability[wrong].mean() > together.probability[wrong].mean()


def test_same_seed_same_bits_for_any_number_of_threads():
    random = np.random.default_rng(0)
    X = ["".join(random.choice(list(own), 20)) for own in ["AVLI", "KDER"] for _ in range(12)]
    y = np.repeat(["greasy", "charged"], 12)
    y[3] = "charged"
    small = ProteinClassifier(n_states=2, n_init=1, em_max_iter=8)
    one, two = (find_suspects(small, X, y, folds=3, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert np.array_equal(one.score, two.score)
    assert np.array_equal(one.typicality, two.typicality, equal_nan=True)
    other = find_suspects(small, X, y, folds=3, seed=1)
    assert not np.array_equal(one.score, other.score)
    assert one.ranked()[0] == 3


@pytest.mark.parametrize(
    ("labels", "options", "why"),
    [
        (["a"] * 12, {}, "at least two classes are needed, y has 1 class, 'a'"),
        (["a"] * 9 + ["b"] * 3, {}, "5 folds need as many items of every class.*: b 3"),
        (["a"] * 6 + ["b"] * 5 + [None], {}, "a label for every item, and 1 have none"),
        (["a"] * 6 + ["b"] * 5, {}, "X has 12 items"),
        (["a"] * 6 + ["b"] * 6, {"folds": 1}, "folds must be at least 2, got 1"),
        (["a"] * 6 + ["b"] * 6, {"min_score": 0.0}, "min_score must be a number above 0"),
        (["a"] * 6 + ["b"] * 6, {"stranger_below": 1.0}, "stranger_below must be a number from 0"),
        (["a"] * 6 + ["b"] * 6, {"groups": ["g"] * 12}, "5 folds need as many groups"),
    ],
)
def test_what_cannot_be_searched_is_refused(labels, options, why):
    X = np.random.default_rng(0).normal(size=(12, 2))
    with pytest.raises(ValueError, match=why):
        find_suspects(classifier(), X, labels, **options)


def test_a_classifier_of_another_kind_is_refused():
    with pytest.raises(TypeError, match="must be an SFMClassifier, got SFMClassifierCV"):
        find_suspects(SFMClassifierCV(), *clouds())


def test_fits_that_stop_early_are_warned_of_once():
    X, y = clouds(n_each=20)
    with pytest.warns(ConvergenceWarning, match="EM of") as caught:
        find_suspects(SFMClassifier(n_components=3, em_max_iter=1), X, y, folds=2)
    assert len([one for one in caught if one.category is ConvergenceWarning]) == 1
