"""The protocol of random halves: what a split keeps, and what an evaluation reports."""

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from sfmbio import ProteinClassifier
from sfmcore import SFMClassifier
from sfmcore.bounds.inequalities import binomial_bound
from sfmcore.commandline.evaluations import accuracy_table
from sfmcore.evaluation.halves import Evaluation, evaluate, half_split

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def make_proteins(n_classes=3, per_class=12, seed=0):
    """Sequences whose classes prefer different residues."""
    random = np.random.default_rng(seed)
    residues = np.array(list("ADKLVW"))
    X, y = [], []
    for number in range(n_classes):
        shares = np.full(6, 0.1)
        shares[2 * number : 2 * number + 2] += 0.2
        for _ in range(per_class):
            X.append("".join(random.choice(residues, random.integers(8, 30), p=shares)))
            y.append("abc"[number])
    return X, y


def make_classifier(**parameters):
    return ProteinClassifier(**{"n_states": 2, "n_init": 1, "em_max_iter": 8, **parameters})


# Halves


@given(
    st.lists(st.integers(2, 9), min_size=2, max_size=5),
    st.integers(0, 2**32 - 1),
    st.randoms(use_true_random=False),
)
@settings(deadline=None)
def test_every_class_is_halved_exactly_without_groups(counts, seed, order):
    y = [label for label, count in enumerate(counts) for _ in range(count)]
    order.shuffle(y)
    train, test = half_split(y, None, np.random.default_rng(seed))
    assert sorted([*train, *test]) == list(range(len(y)))
    assert np.all(np.diff(train) > 0)
    assert np.all(np.diff(test) > 0)
    sides = [Counter(y[item] for item in side) for side in (train, test)]
    for label, count in enumerate(counts):
        assert abs(sides[0][label] - sides[1][label]) == count % 2


# Every class has two groups of its own, so there is a split.
OWN_GROUPS = [(label, f"own {label}{number}") for label in "ab" for number in range(2)]


def draw_items(data, group_names):
    item = st.tuples(st.sampled_from("ab"), st.sampled_from(group_names))
    items = data.draw(st.permutations(OWN_GROUPS + data.draw(st.lists(item, max_size=30))))
    return map(list, zip(*items, strict=True))


def assert_sound(y, groups, train, test):
    assert sorted([*train, *test]) == list(range(len(y)))
    assert not {groups[item] for item in train} & {groups[item] for item in test}
    assert {y[item] for item in train} == {y[item] for item in test} == {"a", "b"}


@given(st.data(), st.integers(0, 1000))
@settings(deadline=None)
def test_a_group_of_one_class_is_never_on_both_sides(data, seed):
    y, groups = draw_items(data, ["g1", "g2", "g3"])
    groups = [group if group.startswith("own") else y[k] + group for k, group in enumerate(groups)]
    assert_sound(y, groups, *half_split(y, groups, np.random.default_rng(seed)))


@given(st.data(), st.integers(0, 1000))
@settings(deadline=None)
def test_a_group_of_several_classes_is_never_on_both_sides(data, seed):
    y, groups = draw_items(data, ["g1", "g2", "g3", "own a0", "own b1"])
    try:
        train, test = half_split(y, groups, np.random.default_rng(seed))
    except ValueError as error:
        # One pass over the groups may miss the split that there is.
        assert "found no split" in str(error)  # noqa: PT017
        event("no split was found")
    else:
        assert_sound(y, groups, train, test)


def test_groups_of_one_item_are_halved_as_items_are():
    y = [0] * 10 + [1] * 7
    train, test = half_split(y, list(range(17)), np.random.default_rng(0))
    assert sorted(np.bincount(np.array(y)[train]).tolist()) in ([3, 5], [4, 5])
    assert len(train) + len(test) == 17


def test_large_groups_are_balanced_as_well_as_they_can_be():
    y = [0] * 8 + [1] * 8
    groups = [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 3, 3, 4, 4, 5, 5]
    for seed in range(20):
        train, test = half_split(y, groups, np.random.default_rng(seed))
        for side in (train, test):
            assert min(np.bincount(np.array(y)[side])) >= 2


def test_same_seed_gives_the_same_halves_and_another_seed_others():
    y = [0] * 20 + [1] * 20
    one, same, other = (half_split(y, None, np.random.default_rng(seed))[0] for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_odd_item_goes_to_either_side():
    y = [0] * 3 + [1] * 4
    sizes = {len(half_split(y, None, np.random.default_rng(seed))[0]) for seed in range(20)}
    assert sizes == {3, 4}


def test_a_class_of_one_item_is_refused_by_name():
    with pytest.raises(ValueError, match=r"only one item.*: rare, scarce$"):
        half_split(["a", "rare", "a", "scarce"], None, np.random.default_rng(0))


def test_a_class_of_one_group_is_refused_by_name():
    with pytest.raises(ValueError, match=r"only one group.*: b$"):
        half_split(["a", "a", "b", "b"], [0, 1, 2, 2], np.random.default_rng(0))


def test_groups_of_another_length_are_refused():
    for groups in ([0, 1, 2], [0, 1, 2, 3, 4]):
        with pytest.raises(ValueError, match=f"y has 4 items, groups has {len(groups)}"):
            half_split([0, 0, 1, 1], groups, np.random.default_rng(0))


# Evaluation


@pytest.mark.parametrize(
    "parameters", [{}, {"n_draws": 2, "coupling": 1.0, "max_iter": 2, "n_shared_models": 0}]
)
def test_figures_do_not_depend_on_the_number_of_threads(parameters):
    X, y = make_proteins()
    results = [
        evaluate(make_classifier(**parameters), X, y, partitions=3, seed=5, n_jobs=n_jobs)
        for n_jobs in (1, 2, 3)
    ]
    reports = [result.to_dict() for result in results]
    assert reports[0] == reports[1] == reports[2]
    assert evaluate(make_classifier(), X, y, partitions=3, seed=6).to_dict() != reports[0]


def test_more_partitions_begin_with_the_same_ones():
    X, y = make_proteins()
    few, more = (evaluate(make_classifier(), X, y, partitions=count, seed=1) for count in (2, 3))
    assert np.array_equal(few.accuracy, more.accuracy[:2])
    assert np.array_equal(few.multiclass, more.multiclass[:2])


def test_accuracies_are_those_of_a_classifier_fitted_on_one_half():
    X, y = make_proteins()
    result = evaluate(make_classifier(), X, y, partitions=1, seed=4)
    random = np.random.default_rng([4, 0])
    train, test = half_split(y, None, random)
    classifier = make_classifier(random_state=int(random.integers(2**31)))
    classifier.fit([X[i] for i in train], [y[i] for i in train])
    items, truth = [X[i] for i in test], np.array(y)[test]
    assert result.multiclass[0] == pytest.approx(100 * classifier.score(items, truth))
    scores = classifier.decision_function(items)
    for column, label in enumerate("abc"):
        own = 100 * np.mean((scores[:, column] > 0) == (truth == label))
        assert result.accuracy[0, column] == pytest.approx(own)
    assert result.multiclass[0] > 60


def test_certified_accuracy_is_what_the_errors_on_the_test_half_prove():
    # Of odd classes, whose halves differ in size.
    X, y = make_proteins(per_class=11)
    result = evaluate(make_classifier(delta=0.1), X, y, partitions=3, seed=4)
    sizes = set()
    for partition in range(3):
        train, test = half_split(y, None, np.random.default_rng([4, partition]))
        sizes.add(len(test) - len(train))
        errors = np.rint(len(test) * (1 - result.accuracy[partition] / 100)).astype(int)
        expected = [100 * (1 - binomial_bound(int(k), len(test), 0.1)) for k in errors]
        np.testing.assert_allclose(result.certified[partition], expected, rtol=1e-12)
    assert sizes != {0}
    assert result.delta == 0.1


def test_nothing_is_certified_with_groups_whose_items_do_not_count_one_by_one():
    X, y = make_proteins()
    result = evaluate(make_classifier(), X, y, groups=np.arange(36) // 3, partitions=1)
    assert result.certified is None
    assert [row["certified_mean"] for row in result.to_dict()["classes"]] == [None] * 3
    lines = accuracy_table(result).splitlines()
    assert [line.split()[-1] for line in lines[1:4]] == ["-"] * 3
    assert lines[-1].startswith("certified: nothing, since items of a group")


def test_report_is_json_with_the_contracts_keys():
    X, y = make_proteins()
    report = evaluate(make_classifier(), X, y, partitions=3, seed=2).to_dict()
    assert json.loads(json.dumps(report, allow_nan=False)) == report
    assert (report["partitions"], report["seed"]) == (3, 2)
    keys = ("label", "n_positive", "n_negative", "accuracy_mean", "accuracy_std", "majority")
    assert [[row[key] for key in keys[:3]] for row in report["classes"]] == [
        ["a", 12, 24],
        ["b", 12, 24],
        ["c", 12, 24],
    ]
    for row in report["classes"]:
        assert set(keys) <= set(row)
        assert row["majority"] == pytest.approx(100 * 24 / 36)
        assert row["accuracy_mean"] == pytest.approx(np.mean(row["accuracies"]))
        assert row["accuracy_std"] == pytest.approx(np.std(row["accuracies"], ddof=1))
    accuracies = report["multiclass_accuracies"]
    assert report["multiclass_accuracy_mean"] == pytest.approx(np.mean(accuracies))
    assert len(accuracies) == 3


def test_deviation_of_one_partition_is_null():
    accuracy, certified = np.array([[75.0, 75.0]]), np.array([[25.0, 25.0]])
    result = Evaluation(["a", "b"], [3, 1], accuracy, np.array([75.0]), 0, certified, 0.05,
                        [], [], [], False)  # fmt: skip
    report = result.to_dict()
    assert report["classes"][0]["accuracy_std"] is None
    assert report["multiclass_accuracy_std"] is None
    # The majority of one class against the rest is the larger of the two.
    assert [row["majority"] for row in report["classes"]] == [75.0, 75.0]


def test_answers_name_the_test_items_with_label_and_confidence():
    X, y = make_proteins()
    result = evaluate(make_classifier(), X, y, partitions=2)
    for number, part in enumerate(result.answers):
        assert [result.labels[true] for true in part.truth] == [y[item] for item in part.items]
        hits = part.predicted == part.truth
        assert result.multiclass[number] == 100 * hits.mean()
        assert np.all((part.confidence > 0) & (part.confidence <= 1))
        _, test = half_split(y, None, np.random.default_rng([0, number]))
        assert np.array_equal(part.items, test)
    assert len(result.searches) == 3


def test_confusion_counts_every_test_item_once_in_the_row_of_its_class():
    X, y = make_proteins()
    result = evaluate(make_classifier(), X, y, partitions=3)
    counts = result.confusion()
    assert counts.sum(1).tolist() == [18, 18, 18]
    assert np.trace(counts) == pytest.approx(result.multiclass.mean() / 100 * 54)


def test_two_classes_are_both_reported_with_one_accuracy():
    X, y = make_proteins(2)
    result = evaluate(make_classifier(), X, y, partitions=2)
    report = result.to_dict()
    assert [row["label"] for row in report["classes"]] == ["a", "b"]
    assert np.array_equal(result.accuracy[:, 0], result.accuracy[:, 1])
    assert np.array_equal(result.accuracy[:, 0], result.multiclass)
    assert result.multiclass.mean() > 60


@pytest.mark.parametrize("y", [[0, 1], [False, True]])
def test_other_labels_come_back_as_plain_values(y):
    X, letters = make_proteins(2)
    labels = [y["ab".index(letter)] for letter in letters]
    report = evaluate(make_classifier(), X, labels, partitions=1).to_dict()
    assert [row["label"] for row in report["classes"]] == y
    json.dumps(report)


def test_groups_stay_on_one_side_in_every_partition(monkeypatch):
    X, y = make_proteins(2, 8)
    groups = [number // 2 for number in range(16)]
    trained_on = []
    learn = ProteinClassifier.learn

    def spy(self, problem):
        trained_on.append([item.tobytes() for item in problem.items])
        return learn(self, problem)

    monkeypatch.setattr(ProteinClassifier, "learn", spy)
    evaluate(make_classifier(), X, y, partitions=4, groups=groups)
    assert len(trained_on) == 4
    classifier = make_classifier()
    everything = [item.tobytes() for item in classifier.preparation.encode(X, classifier)]
    for items in trained_on:
        sides = [item in items for item in everything]
        assert sides[::2] == sides[1::2]
        assert sum(sides) == 8


def test_convergence_is_warned_of_once_for_all_partitions():
    X, y = make_proteins()
    with pytest.warns(ConvergenceWarning, match="EM of 8 of 8 models") as caught:
        evaluate(make_classifier(n_pairs=1, em_max_iter=1, em_tol=0.0), X, y, partitions=2)
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"partitions": 0}, "partitions must be at least 1"),
        ({"y": ["a"] * 12 + ["b"] * 23}, "X has 36 items, y has shape"),
        ({"y": ["a"] * 35 + ["b"]}, "only one item.*: b"),
        ({"y": ["a", "b", ""] * 12}, "y must hold a label for every item"),
        ({"y": ["a", "b", None] * 12}, "y must hold a label for every item"),
        ({"y": [-1, 0, 1] * 12}, "y holds -1 in addition to 0, 1"),
        ({"groups": [0] * 35}, "y has 36 items, groups has 35"),
        ({"n_jobs": 0}, "n_jobs must not be 0"),
    ],
)
def test_what_cannot_be_evaluated_is_refused(change, message):
    X, y = make_proteins()
    arguments = {"X": X, "y": y, "partitions": 2, **change}
    with pytest.raises(ValueError, match=message):
        evaluate(make_classifier(), **arguments)


@pytest.mark.filterwarnings("error::UserWarning")
def test_the_columns_of_a_frame_are_not_warned_of():
    pandas = pytest.importorskip("pandas")
    X = np.random.default_rng(0).normal(size=(24, 2))
    y = np.arange(24) % 2
    frame = pandas.DataFrame(X, columns=["a", "b"])
    found, same = (
        evaluate(SFMClassifier(n_components=1), items, y, partitions=1) for items in (frame, X)
    )
    assert np.array_equal(found.accuracy, same.accuracy)
