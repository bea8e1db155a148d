"""Held-out votes of one fit: wrong labels stand out, groups do not vouch for themselves."""

import numpy as np
import pytest
from sklearn.base import clone

from sfmbio import ProteinClassifier
from sfmcore import SFMClassifier, SFMClassifierCV
from sfmcore.suspects import find_suspects
from sfmcore.suspects.one_fit import held_out_of_one_fit

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def clouds(n_each=40):
    random = np.random.default_rng(0)
    centres = np.repeat([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0]], n_each, axis=0)
    return centres + random.normal(size=centres.shape), np.repeat(["a", "b", "c"], n_each)


@pytest.mark.parametrize("n_components", [1, 8])
def test_wrong_labels_come_first(n_components):
    X, y = clouds()
    wrong = {3: "b", 50: "c", 51: "c", 100: "a"}
    for item, label in wrong.items():
        y[item] = label
    found = find_suspects(SFMClassifier(n_components=n_components), X, y, quick=True)
    assert set(found.ranked(every=True)[:4].tolist()) == set(wrong)
    assert found.reasons(50) == found.reasons(51) == ["label"]
    assert [str(found.classes[found.suggested[item]]) for item in wrong] == ["a", "b", "b", "c"]
    assert found.folds == 0
    assert not found.knows_strangers


def test_the_classifier_is_not_changed_and_threads_change_nothing():
    X, y = clouds()
    model = SFMClassifier(n_components=2, random_state=5)
    before = clone(model).get_params()
    one, two = (held_out_of_one_fit(model, X, y, seed=1, n_threads=n) for n in (1, 2))
    assert np.array_equal(one.shares, two.shares)
    assert str(model.get_params()) == str(before)
    assert not np.array_equal(one.shares, held_out_of_one_fit(model, X, y, seed=2).shares)


def test_items_of_a_group_are_held_out_together():
    """A tight cloud of one wrong label is convinced of itself unless it is one group."""
    X, y = clouds()
    random = np.random.default_rng(1)
    X = np.vstack([X, [3.0, 3.0] + 0.05 * random.normal(size=(12, 2))])
    y = np.append(y, ["b"] * 12)
    y[-6:] = "b"
    groups = [*range(120), *["one"] * 12]
    model = SFMClassifier(n_components=4)
    alone = held_out_of_one_fit(model, X, y).shares[-12:, 1].mean()
    together = held_out_of_one_fit(model, X, y, groups=groups).shares[-12:, 1].mean()
    assert together < alone - 0.1


def test_proteins_with_relatives_are_judged_without_themselves(peptide_batch):
    batch, labels = peptide_batch
    wrong = np.arange(0, len(labels), 20)
    labels[wrong] = np.where(labels[wrong] == "random", "transmembrane", "random")
    model = ProteinClassifier(n_states=4, n_init=1, em_max_iter=15, n_landmarks=150)
    found = find_suspects(model, batch, labels, quick=True, stranger_below=0.0)
    first = np.isin(found.ranked(every=True)[: len(wrong)], wrong)
    # A twentieth of all are.
    assert first.mean() >= 0.5


@pytest.fixture
def peptide_batch():
    from pathlib import Path

    from sfmbio.reading.datasets import read_sequences
    from sfmbio.reading.labels import parse_label_spec
    from sfmbio.reading.report import ReadReport

    folder = Path(__file__).parents[3] / "data" / "peptides"
    found = read_sequences([str(folder)], ReadReport(), parse_label_spec("file"))
    places = np.arange(0, len(found.labels), 2)
    return found.batch[places], found.labels[places].astype("U20")


def test_small_classes_and_searches_of_settings_are_refused():
    X, y = clouds()
    few = np.append(np.flatnonzero(y != "c"), [80, 81, 82])
    with pytest.raises(ValueError, match="class c has 3 items: one fit holds out quarters"):
        find_suspects(SFMClassifier(n_components=1), X[few], y[few], quick=True)
    with pytest.raises(TypeError, match="must be an SFMClassifier, got SFMClassifierCV"):
        find_suspects(SFMClassifierCV(), X, y, quick=True)
