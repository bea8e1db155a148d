"""Folds of an evaluation: each item is tested once, groups stay whole, all classes train."""

import json

import numpy as np
import pytest
import sklearn
from hypothesis import event, given, settings
from hypothesis import strategies as st

from sfmcore import SFMClassifier
from sfmcore.evaluation.cross_validation import fold_numbers
from sfmcore.evaluation.halves import evaluate
from sfmcore.evaluation.measures import MEASURES, RANK_MEASURES

# Folds


@given(st.data(), st.integers(2, 5), st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_every_class_is_spread_evenly_without_groups(data, n_folds, seed):
    counts = data.draw(st.lists(st.integers(n_folds, 12), min_size=1, max_size=4))
    y = data.draw(st.permutations([label for label, n in enumerate(counts) for _ in range(n)]))
    folds = fold_numbers(y, None, n_folds, seed)
    assert folds.shape == (len(y),)
    for label in range(len(counts)):
        in_folds = np.bincount(folds[np.array(y) == label], minlength=n_folds)
        assert len(in_folds) == n_folds
        assert in_folds.max() - in_folds.min() <= 1


@st.composite
def grouped(draw, pure):
    """Labels and groups of two classes; a group is of one class if it is pure."""
    items = draw(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 5)), min_size=6, max_size=40))
    items += [(label, 10 + 2 * number + label) for label in (0, 1) for number in range(3)]
    items = draw(st.permutations(items))
    return [y for y, _ in items], [f"{group}{y if pure else ''}" for y, group in items]


def assert_sound(y, groups, folds, n_folds):
    assert set(folds) == set(range(n_folds))
    assert all(len({folds[k] for k in np.flatnonzero(groups == g)}) == 1 for g in np.unique(groups))
    for number in range(n_folds):
        assert set(y[folds != number]) == set(y)


@given(grouped(pure=True), st.integers(2, 3), st.integers(0, 1000))
@settings(deadline=None)
def test_groups_of_one_class_are_whole_and_all_classes_train(items, n_folds, seed):
    y, groups = map(np.array, items)
    assert_sound(y, groups, fold_numbers(y, groups.tolist(), n_folds, seed), n_folds)


@given(grouped(pure=False), st.integers(2, 3), st.integers(0, 1000))
@settings(deadline=None)
def test_groups_of_several_classes_are_whole_and_all_classes_train(items, n_folds, seed):
    y, groups = map(np.array, items)
    try:
        folds = fold_numbers(y, groups.tolist(), n_folds, seed)
    except ValueError as error:
        assert "found no folds" in str(error)  # noqa: PT017
        event("no folds were found")
    else:
        assert_sound(y, groups, folds, n_folds)


def test_same_seed_gives_the_same_folds_and_another_seed_others():
    y = np.arange(40) % 2
    for groups in (None, (np.arange(40) // 2).tolist()):
        one, same, other = (fold_numbers(y, groups, 4, seed).tolist() for seed in (1, 1, 2))
        assert one == same
        # scikit-learn 1.7 leaves groups of the same composition in one order, whatever the seed.
        if groups is None or not sklearn.__version__.startswith(("1.7.", "1.8.")):
            assert one != other


def test_what_groups_are_called_does_not_matter():
    y = np.arange(40) % 2
    groups = (np.arange(40) // 4).tolist()
    named = fold_numbers(y, [(b"g", group) for group in groups], 3, 5)
    assert named.tolist() == fold_numbers(y, groups, 3, 5).tolist()


@pytest.mark.parametrize(
    ("y", "groups", "n_folds", "message"),
    [
        ("aabb", None, 1, r"^folds must be at least 2, got 1$"),
        (
            "aaabbc", None, 3,
            r"^3 folds need as many items of every class; these have fewer: b 2, c 1$",
        ),
        ("aaabbb", [0, 0, 1, 0, 0, 1], 3, r"^3 folds need as many groups, and there are 2$"),
        ("aaabbb", [0, 1, 2, 3, 3, 3], 2, r"^a class with only one group can't be .*: b$"),
        ("aabb", [0, 1, 2], 2, r"^y has 4 items, groups has 3$"),
    ],
)  # fmt: skip
def test_what_cannot_be_folded_is_a_sentence(y, groups, n_folds, message):
    with pytest.raises(ValueError, match=message):
        fold_numbers(list(y), groups, n_folds, 0)


# Evaluation


@pytest.fixture(scope="module")
def points():
    """Three classes that overlap, and a small classifier of them."""
    random = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], [14, 12, 10])
    X = random.normal(size=(36, 2)) + 2.0 * (y[:, None] == ["a", "b"])
    return SFMClassifier(n_components=1), X, y


def test_every_item_is_tested_once_by_a_classifier_of_the_others(points):
    classifier, X, y = points
    result = evaluate(classifier, X, y, folds=4, seed=3)
    tested = np.concatenate([part.items for part in result.answers])
    assert sorted(tested.tolist()) == list(range(36))
    folds = fold_numbers(y, None, 4, 3)
    for number, part in enumerate(result.answers):
        test = np.flatnonzero(folds == number)
        assert part.items.tolist() == test.tolist()
        seed = int(np.random.default_rng([3, number]).integers(2**31))
        own = SFMClassifier(n_components=1, random_state=seed).fit(
            X[folds != number], y[folds != number]
        )
        assert own.classes_[part.predicted].tolist() == own.predict(X[test]).tolist()
    assert result.confusion().sum(1).tolist() == [14, 12, 10]
    assert result.folded


def test_figures_of_folds_do_not_depend_on_the_number_of_threads(points):
    groups = (np.arange(36) // 2).tolist()
    for own in (None, groups):
        reports = [
            evaluate(*points, folds=3, seed=1, groups=own, n_jobs=n_jobs).to_dict()
            for n_jobs in (1, 3)
        ]
        assert reports[0] == reports[1]
        assert evaluate(*points, folds=3, seed=2, groups=own).to_dict() != reports[0]


def test_measures_are_summed_up_for_folds_and_halves(points):
    for protocol in ({"folds": 3}, {"partitions": 3}):
        report = evaluate(*points, **protocol).to_dict()
        assert json.loads(json.dumps(report, allow_nan=False)) == report
        assert report["partitions"] == 3
        assert tuple(report["measures"]) == MEASURES
        assert all(tuple(row["measures"]) == RANK_MEASURES for row in report["classes"])
        every = [report["measures"], *(row["measures"] for row in report["classes"])]
        for found in (figures for measures in every for figures in measures.values()):
            assert found["mean"] == pytest.approx(np.mean(found["values"]))
            assert found["std"] == pytest.approx(np.std(found["values"], ddof=1))
            assert len(found["values"]) == 3
        accuracies = np.array(report["measures"]["accuracy"]["values"])
        np.testing.assert_allclose(100 * accuracies, report["multiclass_accuracies"])
        assert report["measures"]["auroc"]["mean"] > 0.6


def test_a_class_that_is_not_tested_in_a_fold_has_no_rank_there(points):
    classifier, X, y = points
    # Class c has two groups, so one of three folds does not test it.
    groups = [k if label != "c" else 100 + k % 2 for k, label in enumerate(y)]
    report = evaluate(classifier, X, y, folds=3, groups=groups).to_dict()
    for name in RANK_MEASURES:
        found = report["classes"][2]["measures"][name]
        defined = [value for value in found["values"] if value is not None]
        assert (len(found["values"]), len(defined)) == (3, 2)
        assert found["mean"] == pytest.approx(np.mean(defined))
        assert found["std"] == pytest.approx(np.std(defined, ddof=1))
        # The mean over the classes in that fold is one over the others.
        place = found["values"].index(None)
        others = [row["measures"][name]["values"][place] for row in report["classes"][:2]]
        assert report["measures"][name]["values"][place] == pytest.approx(np.mean(others))
    json.dumps(report, allow_nan=False)


def test_one_partition_has_no_deviation(points):
    report = evaluate(*points, partitions=1).to_dict()
    assert {found["std"] for found in report["measures"].values()} == {None}


def test_two_protocols_are_refused(points):
    with pytest.raises(ValueError, match=r"^give either partitions or folds"):
        evaluate(*points, partitions=20, folds=5)


def test_without_a_protocol_there_are_twenty_halves(points):
    result = evaluate(*points)
    assert (len(result.answers), result.folded) == (20, False)
