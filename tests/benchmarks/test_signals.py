"""Shares of evidence near the start, and what may have a signal peptide."""

import numpy as np
import pytest
from scipy.special import logsumexp

from benchmarks.reasons.signals import AgainstAll, beyond_composition, is_precursor, share
from sfmbio.sequences.encoding import encode_batch


def test_the_share_counts_positive_means_of_the_first_residues():
    evidence = np.zeros(50)
    evidence[[0, 30, 40]] = 3.0, 1.0, -9.0
    assert share(evidence, 1) == pytest.approx(0.75)
    assert share(np.ones(100), 7) == pytest.approx(0.25)
    # A mean over seven residues is of those next to it, on both sides.
    evidence = np.zeros(50)
    evidence[27] = 1.0
    assert share(evidence, 1) == 0.0
    assert share(evidence, 7) == pytest.approx(1 / 7)


def test_beyond_composition_takes_off_the_mean_of_each_amino_acid():
    (codes,) = encode_batch(["ACAAC"])
    made = beyond_composition(codes, np.array([1.0, 5.0, 2.0, 3.0, 7.0]))
    assert made.tolist() == [-1.0, -1.0, 0.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("sequence", "expected"),
    [
        ("MKWVTFISLLFLFSSAYSRGVFRRDAHK", True),  # of serum albumin
        ("KWVTFISLLFLFSSAYSRGVFRRDAHK", False),  # has lost its methionine
        ("MSDNEEKKRQPTGSEDNKRQHETDSNEK", False),  # has no hydrophobic stretch
        ("MLL", False),
    ],
)
def test_precursors_begin_with_methionine_and_a_hydrophobic_stretch(sequence, expected):
    (codes,) = encode_batch([sequence])
    assert is_precursor(codes) is expected


def test_slopes_against_all_classes_are_those_of_the_log_odds():
    values = np.array([[0.5, -1.0, 2.0]])
    contest = AgainstAll(np.array([1]), np.array([2]), log_odds=True)

    def log_odds(logits):
        return logits[0, 1] - logsumexp(logits[0, [0, 2]])

    step = 1e-6 * np.eye(3)
    slopes = [(log_odds(values + row) - log_odds(values - row)) / 2e-6 for row in step]
    assert contest.gradient(values)[0] == pytest.approx(slopes, abs=1e-6)
