"""Typicality of sequences, whose relatives are weighed against votes."""

import numpy as np
import pytest

from sfmbio import ProteinClassifier

RESIDUES = np.array(list("ACDEFGHIKLMNPQRSTVWY"))


def families(seed=0, n_each=10, length=60):
    """Mutated copies of one ancestor for each class."""
    ancestors = RESIDUES[np.random.default_rng(99).integers(0, 20, (4, length))]
    random = np.random.default_rng(seed)
    sequences, labels = [], []
    for number, ancestor in enumerate(ancestors):
        for _ in range(n_each):
            changed = random.random(length) < 0.4
            other = RESIDUES[random.integers(0, 20, length)]
            sequences.append("".join(np.where(changed, other, ancestor)))
            labels.append(f"class {number}")
    return sequences, labels


@pytest.fixture(scope="module")
def model():
    sequences, labels = families()
    return ProteinClassifier(n_states=2, random_state=0).fit(sequences, labels)


def test_relatives_and_votes_are_its_evidence(model):
    assert model.typicality_.votes
    assert len(model.typicality_.members.references) == 40


def test_kin_are_typical_and_random_letters_are_not(model):
    kin, _ = families(seed=1)
    random = np.random.default_rng(2)
    strangers = ["".join(RESIDUES[random.integers(0, 20, 60)]) for _ in range(40)]
    assert np.median(model.typicality(kin)) > 0.2
    assert np.median(model.typicality(strangers)) < 0.06


def test_a_model_file_keeps_it(model, tmp_path):
    kin, _ = families(seed=3)
    model.save(tmp_path / "model.sfm")
    again = ProteinClassifier.load(tmp_path / "model.sfm")
    assert np.array_equal(again.typicality(kin), model.typicality(kin))
