"""BLOSUM62 as it is written out."""

import numpy as np
from Bio.Align import substitution_matrices

from sfmbio.alignments.blosum62 import BLOSUM62
from sfmbio.sequences.alphabet import BREAK, RESIDUES, UNKNOWN


def test_scores_of_residues_are_those_of_biopython():
    theirs = substitution_matrices.load("BLOSUM62")
    expected = [[theirs[a][b] for b in RESIDUES] for a in RESIDUES]
    assert np.array_equal(BLOSUM62[:UNKNOWN, :UNKNOWN], expected)


def test_unknown_and_break_have_one_score_with_everything():
    assert BLOSUM62.dtype == np.int8
    assert np.array_equal(BLOSUM62, BLOSUM62.T)
    assert np.all(BLOSUM62[UNKNOWN, : UNKNOWN + 1] == -1)
    assert np.all(BLOSUM62[BREAK] == -20)
