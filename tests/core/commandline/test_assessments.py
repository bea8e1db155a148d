"""Tables of the test of a model: many classes, wide matrices, labels of a file."""

import numpy as np
import pytest

from sfmcore.commandline.assessment_tables import class_table, confusion_table
from sfmcore.commandline.assessments import Item, LeftOut, assessment_report
from sfmcore.commandline.known_labels import KnownLabels
from sfmcore.evaluation.answers import Answers
from sfmcore.evaluation.assessment import Assessment
from sfmcore.evaluation.class_measures import class_measures
from sfmcore.evaluation.measures import measures_of


def report_of(n_classes, truth, predicted, *, prefix="c"):
    """What is written of a test whose answers are these."""
    truth, predicted = np.array(truth), np.array(predicted)
    scores = np.eye(n_classes)[predicted]
    ones, none = np.ones(len(truth)), np.empty(0, dtype=np.int64)
    answers = Answers(
        np.arange(len(truth)), truth, predicted, ones, ones, np.empty(0),
        np.empty((0, 0), dtype=np.int64), scores.astype(np.float32),
    )  # fmt: skip
    confusion = np.zeros((n_classes, n_classes), dtype=np.int64)
    np.add.at(confusion, (truth, predicted), 1)
    result = Assessment(
        labels=[f"{prefix}{number:03d}" for number in range(n_classes)],
        counts=np.bincount(truth, minlength=n_classes).tolist(),
        answers=[answers],
        measures=[measures_of(truth, predicted, scores)],
        by_class=class_measures(confusion),
        certificate=None,
        knows_items=True,
        known=none,
        kept=none,
        n_copies=0,
        dropped=False,
        numberless=none,
        calibrated=True,
        digests=np.arange(len(truth), dtype=np.uint64),
    )
    items = [Item(str(number)) for number in range(len(truth))]
    return assessment_report("a.sfm", result, items, LeftOut())


def test_of_many_classes_the_worst_are_listed():
    truth = np.repeat(np.arange(24), 10)
    predicted = truth.copy()
    for number in range(11):
        predicted[10 * number : 10 * number + number] = 24
    report = report_of(25, truth, predicted)
    lines = class_table(report).splitlines()
    # The last class has no item, and is none of them.
    assert [line.split()[0] for line in lines[1:11]] == [f"c{n:03d}" for n in range(10, 0, -1)]
    assert lines[11].startswith("these 10 of 25 classes have the lowest F1 (mean of all: 0.")
    assert len(report["classes"]) == 25


def test_up_to_twenty_classes_are_all_listed():
    truth = np.arange(20)
    assert len(class_table(report_of(20, truth, truth)).splitlines()) == 21


def test_a_wide_matrix_becomes_a_list_of_the_most_frequent_confusions():
    truth = np.repeat(np.arange(30), 4)
    predicted = truth.copy()
    predicted[:3], predicted[4:6], predicted[9] = 7, 8, 9
    lines = confusion_table(report_of(30, truth, predicted)).splitlines()
    assert lines[0] == (
        "the 3 most frequent confusions, 6 of 6 mistakes; --json holds the whole matrix"
    )
    assert [tuple(line.split()) for line in lines[2:]] == [
        ("c000", "c007", "3"), ("c001", "c008", "2"), ("c002", "c009", "1"),
    ]  # fmt: skip


def test_a_wide_matrix_without_mistake_says_so():
    truth = np.arange(3)
    lines = confusion_table(report_of(3, truth, truth, prefix="x" * 60)).splitlines()
    assert lines == ["no mistakes"]


def test_numbers_and_white_space_do_not_matter_to_labels():
    labels = KnownLabels(np.array([-1, 10]))
    assert [labels.number(text) for text in ("10", " -1 ", "1")] == [1, 0, None]
    labels = KnownLabels(np.array(["a b", "c"]))
    assert labels.number("a  b") == 0
    assert labels.messages("image") == []


@pytest.mark.parametrize(("count", "words"), [(1, "'x0' 1"), (30, "and 10 more")])
def test_unknown_labels_are_listed_up_to_some(count, words):
    labels = KnownLabels(np.array(["a", "b"]))
    assert [labels.number(f"x{number}") for number in range(count)] == [None] * count
    (message,) = labels.messages("record")
    assert message.endswith(words)
