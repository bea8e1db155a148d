"""The test of a fitted classifier: blocks, items of training, and what is not defined."""

import json

import numpy as np
import pytest
from sklearn import metrics
from sklearn.datasets import make_blobs

from sfmcore import SFMClassifier
from sfmcore.estimators.judged import Judged
from sfmcore.evaluation import testing
from sfmcore.evaluation.testing import assess, block_of, joined


def data(n_classes=3, n_items=300, seed=0):
    return make_blobs(n_items, 3, centers=n_classes, cluster_std=4.0, random_state=seed)


@pytest.fixture(scope="module", params=[2, 3])
def fitted(request):
    """A classifier of one half of some items, and the other half."""
    X, y = data(request.param)
    model = SFMClassifier(n_components=1, random_state=0).fit(X[::2], y[::2])
    return model, X[1::2], y[1::2]


def test_figures_are_those_of_the_classifiers_own_methods(fitted):
    model, X, y = fitted
    found = assess(model, X, y).to_dict()
    said, shares = model.predict(X), model.predict_proba(X)
    scores = model.decision_function(X)
    columns = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
    assert found["confusion"] == metrics.confusion_matrix(y, said).tolist()
    assert found["measures"]["accuracy"] == np.mean(said == y)
    assert found["reliability"]["log_loss"] == pytest.approx(metrics.log_loss(y, shares))
    for number, row in enumerate(found["classes"]):
        assert row["n_items"] == np.sum(y == number)
        assert row["n_predicted"] == np.sum(said == number)
        own = metrics.roc_auc_score(y == number, columns[:, number])
        assert row["auroc"] == pytest.approx(own)
    for coverage in (0.9, 0.95):
        sets = model.predict_set(X, coverage=coverage)
        own = found["reliability"]["sets"][str(coverage)]
        assert own["covered"] == np.mean(sets[np.arange(len(y)), y])
        assert own["mean_size"] == sets.sum(1).mean()
    json.dumps(found, allow_nan=False)


@pytest.mark.parametrize("vote", ["majority", "raw"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_certificate_is_that_of_certify(n_classes, vote):
    X, y = data(n_classes)
    model = SFMClassifier(n_components=1, n_draws=2, vote=vote, random_state=0)
    model.fit(X[::2], y[::2])
    found = assess(model, X[1::2], y[1::2], delta=0.1)
    assert found.certificate == model.certify(X[1::2], y[1::2], fresh=True, delta=0.1)


def test_blocks_change_nothing(fitted, monkeypatch):
    model, X, y = fitted
    whole = assess(model, X, y)
    monkeypatch.setattr(testing, "_BLOCK", 7)
    parts = assess(model, X, y)
    assert parts.to_dict() == whole.to_dict()
    assert np.array_equal(parts.answers[0].items, whole.answers[0].items)
    assert np.array_equal(parts.answers[0].scores, whole.answers[0].scores)


def test_an_item_is_judged_once(fitted, monkeypatch):
    model, X, y = fitted
    judged = []
    judge = SFMClassifier.judge
    monkeypatch.setattr(
        SFMClassifier, "judge", lambda self, items: judged.append(len(items)) or judge(self, items)
    )
    monkeypatch.setattr(testing, "_BLOCK", 100)
    monkeypatch.setattr(
        SFMClassifier, "certify_encoded", lambda *_, **__: pytest.fail("judged again")
    )
    assess(model, X, y)
    assert judged == [100, 50]


def test_items_of_training_prove_nothing(fitted):
    model, X, y = fitted
    own_X, own_y = data(len(model.classes_))
    some, labels = np.vstack([X, own_X[:20:2]]), np.concatenate([y, own_y[:20:2]])
    found, clean = assess(model, some, labels), assess(model, X, y)
    assert found.known.tolist() == list(range(150, 160))
    assert sum(found.counts) == 160
    assert found.certificate == clean.certificate
    dropped = assess(model, some, labels, drop_known=True)
    assert dropped.known.tolist() == found.known.tolist()
    assert dropped.to_dict() == clean.to_dict()


def test_only_items_of_training_leave_nothing():
    X, y = data()
    model = SFMClassifier(n_components=1, random_state=0).fit(X, y)
    assert assess(model, X, y).certificate is None
    with pytest.raises(ValueError, match="nothing is left to test: of 300 items 300 equal items"):
        assess(model, X, y, drop_known=True)


def test_items_kept_for_a_certificate_are_told_from_others():
    X, y = data()
    model = SFMClassifier(n_components=1, certificate_fraction=0.5, random_state=0).fit(X, y)
    found = assess(model, X, y)
    assert len(found.known) == 300
    assert len(found.kept) == 150
    assert set(found.kept) < set(found.known)
    kept = assess(model, X[found.kept], y[found.kept])
    assert kept.certificate is None
    assert kept.measures[0].overall["accuracy"] == 1 - model.certificate_.label_risk


def test_a_classifier_without_digests_takes_all_for_new(fitted):
    model, X, y = fitted
    known, model.known_items_ = model.known_items_, None
    try:
        found = assess(model, X, y)
    finally:
        model.known_items_ = known
    assert not found.knows_items
    assert len(found.known) == 0
    assert found.certificate == assess(model, X, y).certificate


def test_of_one_class_what_compares_classes_is_null(fitted):
    model, X, y = fitted
    found = assess(model, X[y == 1], y[y == 1]).to_dict()
    assert found["measures"]["accuracy"] == np.mean(model.predict(X[y == 1]) == 1)
    for name in ("matthews", "auroc", "average_precision", "roc50"):
        assert found["measures"][name] is None
        assert all(row[name] is None for row in found["classes"])
    assert found["classes"][0]["n_items"] == 0
    assert found["classes"][0]["recall"] is None
    assert found["certificate"] is not None


def test_without_calibration_there_are_no_sets():
    X, y = data()
    model = SFMClassifier(n_components=1, calibrate=False, random_state=0).fit(X[::2], y[::2])
    found = assess(model, X[1::2], y[1::2]).to_dict()
    assert found["calibrated"] is False
    assert found["reliability"]["sets"] == {}


def test_items_that_get_no_number_have_no_part(fitted, monkeypatch):
    model, X, y = fitted
    clean = assess(model, X[5:], y[5:])
    judge = SFMClassifier.judge

    def without_some(self, items):
        judged = judge(self, items)
        shares = judged.shares.copy()
        shares[:5] = np.nan
        return Judged(judged.scores, shares, judged.votes, judged.margins)

    monkeypatch.setattr(SFMClassifier, "judge", without_some)
    found = assess(model, X, y)
    assert found.numberless.tolist() == [0, 1, 2, 3, 4]
    assert found.to_dict() == clean.to_dict()


def test_a_block_without_items_counts_as_given(fitted):
    model, X, y = fitted
    items = model.preparation.encode(X, model)
    options = {"drop_known": False}
    empty = block_of(model, items[:0], y[:0], n_given=3, **options)
    found = joined(model, [empty, block_of(model, items, y, **options)], delta=0.05, **options)
    assert found.answers[0].items.tolist() == list(range(3, 153))
    assert found.to_dict() == assess(model, X, y).to_dict()


def test_an_unknown_label_is_refused(fitted):
    model, X, _ = fitted
    with pytest.raises(ValueError, match="y holds labels that training did not"):
        assess(model, X, np.full(len(X), 7))


def test_copies_among_the_items_of_the_proof_are_counted(fitted):
    model, X, y = fitted
    assert assess(model, X, y).n_copies == 0
    some, labels = np.vstack([X, X[:4], X[:1]]), np.concatenate([y, y[:4], y[:1]])
    assert assess(model, some, labels).n_copies == 5
