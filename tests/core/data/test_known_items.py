"""Digests of the items that a classifier was made from."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_blobs

from sfmcore import SFMClassifier, SFMClassifierCV
from sfmcore.data.errors import ModelFileError
from sfmcore.data.known_items import FITTED, KEPT, SEEN, UNKNOWN, KnownItems
from sfmcore.files.model_file import load_model, save_model

KEYS = st.lists(st.integers(0, 40), max_size=30)


def keys(values):
    return np.array(values, dtype=np.uint64)


def blobs(n_items=120):
    return make_blobs(n_items, 3, centers=2, cluster_std=4.0, random_state=0)


def roles(model, X):
    return model.known_items_.roles_of(model.keys_of(model.preparation.encode(X, model)))


@given(seen=KEYS.filter(len), fitted=KEYS, kept=KEYS, asked=KEYS)
def test_the_largest_role_of_an_item_counts(seen, fitted, kept, asked):
    is_seen = np.arange(len(seen) + len(fitted)) < len(seen)
    known = KnownItems.of(keys(seen + fitted), is_seen).with_kept(keys(kept))
    sets = ((SEEN, seen), (FITTED, fitted), (KEPT, kept))
    expected = [next((role for role, own in sets if one in own), UNKNOWN) for one in asked]
    assert known.roles_of(keys(asked)).tolist() == expected
    again = KnownItems.of_arrays(known.get_arrays())
    assert again.roles_of(keys(asked)).tolist() == expected


@pytest.mark.parametrize("make", [SFMClassifier, SFMClassifierCV])
def test_a_classifier_and_its_file_know_what_it_was_made_from(make, tmp_path):
    X, y = blobs()
    grid = {"n_components": (1,), "Cs": (8,)} if make is SFMClassifierCV else {}
    model = make(random_state=0, **grid).fit(X[::2], y[::2])
    if make is SFMClassifier:
        model.save(tmp_path / "a.sfm")
        model = SFMClassifier.load(tmp_path / "a.sfm")
    assert roles(model, X).tolist() == [SEEN, UNKNOWN] * 60


@pytest.mark.parametrize(("way", "role"), [("counting", KEPT), ("pac-bayes", FITTED)])
def test_items_kept_for_a_certificate_have_a_role_of_their_own(way, role):
    X, y = blobs()
    model = SFMClassifier(certificate_fraction=0.5, certify_by=way, random_state=0).fit(X, y)
    found = roles(model, X)
    assert sorted(set(found.tolist())) == [role, SEEN]
    assert np.sum(found == role) == 60


def change(name, value):
    def changed(arrays):
        arrays[f"known/{name}"] = value(arrays[f"known/{name}"])

    return changed


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (change("digests", lambda own: own[::-1]), "digests of known items must rise"),
        (change("digests", lambda own: own.astype(np.int64)), "digests of known items must be"),
        (change("digests", lambda own: own[:0]), "digests of known items must be"),
        (change("roles", lambda own: own[:-1]), "roles of known items must be"),
        (change("roles", lambda own: own + 1), "roles of known items must be"),
        (lambda arrays: arrays.pop("known/roles"), "roles"),
    ],
)
def test_a_file_of_other_digests_is_refused(tmp_path, changed, words):
    X, y = blobs()
    path = tmp_path / "a.sfm"
    SFMClassifier(n_components=1, random_state=0).fit(X, y).save(path)
    state, arrays = load_model(path, SFMClassifier.kind)
    changed(arrays)
    save_model(path, SFMClassifier.kind, state, arrays)
    with pytest.raises(ModelFileError, match=words):
        SFMClassifier.load(path)
