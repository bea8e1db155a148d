"""Evidence of residues: that it adds up, that it is the same for any threads, what it finds."""

import numpy as np
import pytest
from Bio.SeqIO.FastaIO import SimpleFastaParser
from sklearn.metrics import roc_auc_score

from sfmbio import ProteinClassifier
from sfmbio.presets import PRESETS
from sfmcore import SFMClassifier
from sfmcore.models.gmm import DiagonalGMM

QUICK = {"n_states": 3, "n_init": 1, "em_max_iter": 8, "random_state": 0, "n_jobs": 1}
CLASSES = ("antimicrobial", "random", "transmembrane")


@pytest.fixture(scope="module")
def read(all_peptides):
    """Some sequences of so many classes, with their labels."""

    def part(n_classes, first, last):
        sequences, labels = [], []
        for label in CLASSES[:n_classes]:
            with open(all_peptides / f"{label}.fasta") as file:
                texts = [text for _, text in SimpleFastaParser(file)][first:last]
            sequences += texts
            labels += [label] * len(texts)
        return sequences, labels

    return part


@pytest.fixture(scope="module")
def explained(read):
    """A classifier of peptides with other settings, what it says of others, and their scores."""

    def of(n_classes, *, group_size=None, **settings):
        sequences, labels = read(n_classes, 0, 40)
        groups = None if group_size is None else np.arange(len(labels)) // group_size
        model = ProteinClassifier(**{**QUICK, **settings}).fit(sequences, labels, groups=groups)
        asked = read(n_classes, 40, 60)[0]
        return model, model.explain(asked), model.decision_function(asked)

    return of


def differences(scores):
    """Score of the label less that of the runner-up, by the public scores."""
    if scores.ndim == 1:
        return np.abs(scores)
    ranked = np.sort(scores, axis=1)
    return ranked[:, -1] - ranked[:, -2]


def check_sums(found, scores):
    """Everything that is named adds up to the score."""
    np.testing.assert_allclose(found.score, differences(scores), rtol=1e-12, atol=1e-12)
    terms = sum(found.terms.values()) + found.baseline + found.remainder
    np.testing.assert_allclose(found.totals + terms, found.score, atol=1e-9)
    np.testing.assert_allclose(sum(found.kinds.values()), found.evidence, atol=1e-12)


LINEAR = {
    "paper": {**PRESETS["paper"], "max_iter": 2, "n_restarts": 0},
    "paper, raw votes": {**PRESETS["paper"], "max_iter": 2, "n_restarts": 0, "vote": "raw"},
    "two classes": {"n_landmarks": 0, "reference_residues": 0},
    "words and ends": {"n_landmarks": 0, "end_weight": 1.0},
    "properties": {"n_landmarks": 0, "property_weight": 0.5},
}


@pytest.mark.parametrize("name", LINEAR)
def test_linear_scores_are_the_sum_of_the_evidence(explained, name):
    n_classes = 2 if name == "two classes" else 3
    _, found, scores = explained(n_classes, **LINEAR[name])
    check_sums(found, scores)
    # Raw votes are features as they come, whose numbers are hundreds.
    largest = np.abs(scores).max() if "raw" in name else 1.0
    assert np.abs(found.remainder).max() < 1e-6 * max(1.0, largest / 10)


KERNELS = {
    "two classes": {},
    "ends and length": {"end_weight": 2.0, "length_weight": 0.5},
    "properties": {"property_weight": 0.5},
    "whole rows": {"kernel_rank": 0, "n_landmarks": 60},
    "pairs of two sizes": {"n_states": [2, 3], "n_shared_models": 0},
    "weighed relatives": {"n_states": [2, 3]},
    "uncertain weights": {"n_states": [2, 3], "group_size": 10},
    "draws": {"n_draws": 3, "n_pairs": 2},
}


@pytest.mark.parametrize("name", KERNELS)
def test_scores_of_a_kernel_are_left_with_less_than_a_hundredth(explained, name):
    n_classes = 2 if name in ("two classes", "draws", "whole rows") else 3
    _, found, scores = explained(n_classes, **KERNELS[name])
    check_sums(found, scores)
    assert np.abs(found.remainder).max() < 0.01 * np.ptp(found.score)


def test_evidence_has_the_same_bits_for_any_threads_and_neighbours(explained, read):
    model, found, _ = explained(3, n_states=[2, 3])
    asked = read(3, 40, 60)[0]
    more = model.set_params(n_jobs=3).explain(asked)
    assert more.evidence.tobytes() == found.evidence.tobytes()
    assert more.remainder.tobytes() == found.remainder.tobytes()
    alone = model.explain(asked[7:8])
    np.testing.assert_allclose(alone[0], found[7], rtol=1e-9, atol=1e-12)


def test_a_planted_word_is_found():
    random = np.random.default_rng(0)
    letters = np.array(list("ADEFGIKLMNPQRSTVY"))

    def make(motif):
        text = random.choice(letters, 60)
        start = int(random.integers(0, 60 - len(motif) + 1))
        marks = np.zeros(60, dtype=bool)
        if motif:
            text[start : start + len(motif)] = list(motif)
            marks[start : start + len(motif)] = True
        return "".join(text), marks

    planted, plain = [make("CWHC") for _ in range(80)], [make("") for _ in range(60)]
    model = ProteinClassifier(**{**QUICK, "em_max_iter": 50})
    model.fit(
        [text for text, _ in planted[:60]] + [text for text, _ in plain],
        ["with"] * 60 + ["without"] * 60,
    )
    found = model.explain([text for text, _ in planted[60:]])
    assert np.mean(found.label == "with") > 0.9
    areas = [roc_auc_score(marks, found[k]) for k, (_, marks) in enumerate(planted[60:])]
    assert np.mean(areas) > 0.95


def test_short_sequences_and_none_are_explained(explained):
    model, _, _ = explained(3)
    found = model.explain(["M", "KW"])
    assert found.offsets.tolist() == [0, 1, 3]
    check_sums(found, model.decision_function(["M", "KW"]))


def test_evidence_of_residues_asks_for_hidden_markov_models():
    X = np.random.default_rng(0).normal(size=(20, 2))
    model = SFMClassifier(DiagonalGMM(2), random_state=0).fit(X, [0, 1] * 10)
    protein = ProteinClassifier()
    protein.restore(model.classes_, model.pairs_)
    with pytest.raises(ValueError, match="hidden Markov models"):
        protein.explain_prepared([X])
