"""Certificates by counting: items that nothing was learnt from."""

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.datasets import make_blobs

from sfmcore import SFMClassifier, SFMClassifierCV
from sfmcore.bounds.inequalities import binomial_bound

CV = {"n_components": (1,), "Cs": (8,)}


def blobs(n_items, n_classes=3, seed=0):
    return make_blobs(n_items, 3, centers=n_classes, cluster_std=4.0, random_state=seed)


def kept_of(model, X, y):
    """Places of the items that `fit` kept."""
    known = model.problem(X, y).seen_by_models(model.certificate_fraction, model.random_state)
    return ~known


@pytest.mark.parametrize("n_classes", [2, 3])
def test_nothing_is_learnt_from_the_items_kept(n_classes):
    X, y = blobs(200, n_classes)
    model = SFMClassifier(certificate_fraction=0.4, random_state=0).fit(X, y)
    kept = kept_of(model, X, y)
    plain = SFMClassifier(random_state=0).fit(X[~kept], y[~kept])
    assert np.array_equal(model.decision_function(X), plain.decision_function(X))
    assert np.array_equal(model.predict_proba(X), plain.predict_proba(X))


@pytest.mark.parametrize("make", [SFMClassifier, SFMClassifierCV])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_limit_is_hardly_above_that_of_all_of_delta(make, n_classes):
    X, y = blobs(600, n_classes)
    grid = CV if make is SFMClassifierCV else {}
    model = make(certificate_fraction=0.5, random_state=0, **grid).fit(X, y)
    kept = kept_of(SFMClassifier(certificate_fraction=0.5, random_state=0), X, y)
    report = model.certificate_
    wrong = int(np.sum(model.predict(X[kept]) != y[kept]))
    assert report.fresh
    assert report.certificates[0].n_items == 300
    assert report.label_risk == wrong / 300
    plain = binomial_bound(wrong, 300, 0.05)
    assert plain < report.label_bound < 1.08 * plain


def test_sets_are_measured_on_the_items_kept():
    X, y = blobs(400)
    model = SFMClassifier(certificate_fraction=0.5, random_state=0).fit(X, y)
    assert model.label_sets_.n_items == 200
    assert model.calibration_.n_items == 200
    covered = model.certificate_.coverage
    assert covered.asked == 0.9
    assert covered.assured == model.label_sets_.assured(0.9, 0.1 * 0.05)
    again = SFMClassifier(certificate_fraction=0.5, random_state=0, calibrate=False).fit(X, y)
    assert again.predict_set(X).any(axis=1).all()


# Half a minute of fits.
@pytest.mark.slow
def test_the_limits_hold_as_often_as_they_say():
    """A hundred and fifty fits on 60 items each, against 4,000 fresh ones."""
    new_X, new_y = blobs(4000, seed=1)
    failures = coverages = 0
    random = np.random.default_rng(0)
    for trial in range(150):
        part = random.permutation(4000)
        some, rest = part[:60], part[60:]
        # Of 20 items a class, half of them kept, none is left without.
        model = SFMClassifier(
            n_components=1, certificate_fraction=0.5, delta=0.2, random_state=trial
        )
        model.fit(new_X[some], new_y[some])
        risk = np.mean(model.predict(new_X[rest]) != new_y[rest])
        failures += risk > model.certificate_.label_bound
        inside = model.predict_set(new_X[rest])[np.arange(3940), new_y[rest]]
        coverages += inside.mean() < model.certificate_.coverage.assured
    # All statements together fail with probability 0.2 at most; these are two of them.
    most = binom.ppf(0.9995, 150, 0.2)
    assert failures <= most
    assert coverages <= most


def test_the_model_file_keeps_the_coverage(tmp_path):
    X, y = blobs(200)
    model = SFMClassifier(certificate_fraction=0.5, random_state=0).fit(X, y)
    model.save(tmp_path / "model.sfm")
    again = SFMClassifier.load(tmp_path / "model.sfm")
    assert again.certificate_ == model.certificate_
    assert "sets of labels made for a coverage of 0.9" in str(again.certificate_)


def test_a_prior_goes_with_counting():
    X, y = blobs(200, 2)
    model = SFMClassifier(prior="map", certificate_fraction=0.5, random_state=0).fit(X, y)
    assert model.certificate_.fresh


def test_the_way_is_one_of_two():
    with pytest.raises(ValueError, match="certify_by"):
        SFMClassifier(certify_by="luck").fit(*blobs(20))
