"""Evidence of columns: that it adds up, and where it lies."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from sfmcore import SFMClassifier, SFMClassifierCV
from sfmcore.data.ragged import Ragged
from sfmcore.features.column_kernel import ColumnKernel
from sfmcore.models.hmm import CategoricalHMM

X, Y = load_wine(return_X_y=True)
MADE = {
    "mixtures": SFMClassifier(random_state=0),
    "conditioned": SFMClassifier(random_state=0, conditioning=True, scaling="power"),
    "kernel on features": SFMClassifier(random_state=0, n_landmarks=50),
    "draws": SFMClassifier(random_state=0, n_draws=3),
    "conditioned draws": SFMClassifier(random_state=0, n_draws=3, conditioning=True),
    "raw votes": SFMClassifier(random_state=0, vote="raw"),
    "gaussian": SFMClassifier(ColumnKernel(), random_state=0),
    "laplacian": SFMClassifier(ColumnKernel("laplacian"), scaling="uniform", random_state=0),
    "pairs": SFMClassifier(random_state=0, n_pairs=2),
    "chosen": SFMClassifierCV(
        n_components=(1,), conditioning=(False,), n_landmarks=(0,), Cs=(8.0,), n_voters=2,
        n_column_voters=2, gaussian_gamma=(1.0,), laplacian_gamma=(0.5,), cv=3, random_state=0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_evidence_adds_up_to_the_score(name, n_classes):
    some = n_classes > Y
    rows, labels = X[some][::2], Y[some][::2]
    model, asked = MADE[name].fit(rows, labels), X[some][1::4]
    found, scores = model.explain(asked), model.decision_function(asked)
    expected = np.abs(scores) if scores.ndim == 1 else np.diff(np.sort(scores, axis=1))[:, -1]
    np.testing.assert_allclose(found.score, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(found.label, model.predict(asked))
    total = found.totals + sum(found.terms.values()) + found.baseline + found.remainder
    np.testing.assert_allclose(total, found.score, atol=1e-9)
    linear = name in ("mixtures", "conditioned", "raw votes")
    most = 1e-6 if linear else 0.01 * np.ptp(found.score)
    assert np.abs(found.remainder).max() < most
    assert found[0].shape == (X.shape[1],)


@pytest.mark.parametrize("model", [None, ColumnKernel(), ColumnKernel("laplacian")])
def test_the_column_that_tells_classes_apart_has_the_evidence(model):
    random = np.random.default_rng(0)
    rows = random.normal(size=(120, 5))
    labels = np.where(rows[:, 3] > 0, "high", "low")
    fitted = SFMClassifier(model, random_state=0, n_jobs=1).fit(rows[:80], labels[:80])
    found = fitted.explain(rows[80:])
    right = found.label == labels[80:]
    evidence = found.evidence.reshape(40, 5)[right]
    assert np.mean(np.abs(evidence).argmax(axis=1) == 3) > 0.7
    assert np.all(evidence.mean(axis=0)[3] > evidence.mean(axis=0)[[0, 1, 2, 4]])


def test_evidence_has_the_same_bits_for_any_threads():
    model = MADE["pairs"].fit(X[::2], Y[::2])
    one = model.set_params(n_jobs=1).explain(X[1::8])
    assert model.set_params(n_jobs=3).explain(X[1::8]).evidence.tobytes() == one.evidence.tobytes()


def test_models_of_codes_have_no_columns():
    batch = Ragged.from_items([[0, 1] * 5, [1, 0] * 4, [0, 0] * 5, [0] * 7])
    model = SFMClassifier(CategoricalHMM(2, 2), random_state=0).fit(batch, [0, 0, 1, 1])
    with pytest.raises(ValueError, match="requires Gaussian mixtures"):
        model.explain(batch)
