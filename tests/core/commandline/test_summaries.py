"""Summaries of many classes are a few lines, and say where the rest is."""

from types import SimpleNamespace

import numpy as np
import pytest

from sfmcore.bounds.certificate_report import CertificateReport
from sfmcore.commandline.certificate_text import certificate_text
from sfmcore.commandline.evaluations import accuracy_table
from sfmcore.evaluation.halves import Evaluation


def evaluation(n_classes):
    labels = [f"family{number:03}" for number in range(n_classes)]
    # The higher the number of a class, the worse.
    accuracy = 100.0 - np.arange(n_classes)[None, :] / 10.0
    return Evaluation(
        labels, [4] * n_classes, accuracy, np.array([50.0]), 0, accuracy - 5.0, 0.05,
        [], [], [], False,
    )  # fmt: skip


@pytest.mark.parametrize("n_classes", [2, 20])
def test_few_classes_have_a_row_each(n_classes):
    lines = accuracy_table(evaluation(n_classes)).splitlines()
    assert [line.split()[0] for line in lines[1 : n_classes + 1]] == evaluation(n_classes).labels
    assert lines[n_classes + 1].startswith("multiclass accuracy")


def test_of_many_the_worst_are_listed():
    lines = accuracy_table(evaluation(300)).splitlines()
    assert [line.split()[0] for line in lines[1:11]] == [f"family{299 - k}" for k in range(10)]
    assert lines[11] == (
        "these 10 of 300 classes have the lowest accuracies (mean of all: 85.05 %); "
        "--json holds all"
    )
    assert len(lines) == 14


def certified(n_classes):
    part = {
        "n_items": 9,
        "form": "inverse kl",
        "vote_risk": 0.0,
        "gibbs_risk": 0.1,
        "gibbs_bound": 0.2,
        "divergence": 1.0,
        "vote_form": "twice the Gibbs risk",
    }
    report = SimpleNamespace(
        labels=[f"family{number:03}" for number in range(n_classes)],
        certificates=[
            SimpleNamespace(**part, vote_bound=number / n_classes) for number in range(n_classes)
        ],
        delta=0.05, label_risk=0.1, label_bound=0.4, label_form=None,
        fresh=False, coverage=None,
    )  # fmt: skip
    assert set(vars(report)) <= set(CertificateReport.__dataclass_fields__)
    return SimpleNamespace(certificate_=report)


def test_a_certificate_of_many_classes_lists_the_highest_limits_unless_all_are_asked_for():
    brief = certificate_text(certified(300), "sfmbio", "sequence", brief=True).splitlines()
    assert [line.split()[0] for line in brief[2:12]] == [f"family{299 - k}" for k in range(10)]
    assert brief[12].startswith("these 10 of 300 classes have the highest bounds; 'sfmbio info'")
    assert len(brief) == 14
    whole = certificate_text(certified(300), "sfmbio", "sequence").splitlines()
    assert len(whole) == 303
    few = certificate_text(certified(4), "sfmbio", "sequence", brief=True)
    assert few == certificate_text(certified(4), "sfmbio", "sequence")
