"""Answers about test items: what is kept of them, and what they add up to."""

import numpy as np
import pytest

from sfmcore import SFMClassifier
from sfmcore.evaluation import answers as module
from sfmcore.evaluation.answers import answers_of, confusion_of, reliability_of, score_columns


@pytest.fixture(scope="module")
def judged():
    random = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 30)
    X = random.normal(size=(90, 2)) + 2.0 * truth[:, None]
    model = SFMClassifier(n_components=1, random_state=0).fit(X[::2], truth[::2])
    return model, truth[1::2], model.judge(np.ascontiguousarray(X[1::2]))


def made(model, truth, said):
    return answers_of(model, np.arange(len(truth)), truth, score_columns(said.scores), said.shares)


def test_answers_are_those_of_the_classifier(judged):
    model, truth, said = judged
    found = made(model, truth, said)
    assert np.array_equal(found.predicted, said.scores.argmax(1))
    assert np.array_equal(found.confidence, said.shares[range(45), found.predicted])
    assert np.array_equal(found.true_confidence, said.shares[range(45), truth])
    assert np.array_equal(found.scores, said.scores.astype(np.float32))
    assert found.set_sizes[0].sum() == model.sets_of(said.shares, 0.9).sum()


def test_of_many_classes_no_scores_are_kept(judged, monkeypatch):
    monkeypatch.setattr(module, "MAX_CURVES", 2)
    assert made(*judged).scores.shape == (45, 0)


def test_confusion_counts_every_item_once(judged):
    found = made(*judged)
    counts = confusion_of([found, found], 3)
    assert counts.sum(1).tolist() == [30, 30, 30]
    assert np.trace(counts) == 2 * np.sum(found.predicted == found.truth)


def test_coverage_is_the_share_of_sets_that_hold_the_truth(judged):
    model, truth, said = judged
    found = reliability_of([made(model, truth, said)])["sets"]["0.9"]
    sets = model.sets_of(said.shares, 0.9)
    assert found["covered"] == pytest.approx(sets[range(45), truth].mean())
    assert found["mean_size"] == pytest.approx(sets.sum(1).mean())
