"""Candidates: which targets a sequence is aligned with, and what is known of the others."""

import numpy as np
import pytest

from sfmbio.alignments.blosum62 import BLOSUM62
from sfmbio.alignments.candidates import CLEAR, candidates
from sfmbio.alignments.gaps import GAP_EXTEND, GAP_OPEN
from sfmbio.alignments.passes import HALF_ROW
from sfmbio.alignments.references import References
from sfmbio.kernels import _alignment
from sfmcore.data.ragged import Ragged


@pytest.fixture(scope="module")
def case():
    """Eighty targets, and queries of which half are a target with every third residue another."""
    random = np.random.default_rng(7)
    targets = [random.integers(0, 20, random.integers(40, 90)) for _ in range(80)]
    near = [
        np.where(np.arange(len(one)) % 3 == 0, random.integers(0, 20, len(one)), one)
        for one in targets[:6]
    ]
    far = [random.integers(0, 20, 70) for _ in range(6)]
    queries = [one for pair in zip(near, far, strict=True) for one in pair]
    return Ragged.from_items(queries), Ragged.from_items(targets)


NONE = np.full(12, -1)


def expected(queries, targets, most):
    """The same with all pairs, one query after another."""
    shape, profiles = (len(queries), len(targets)), BLOSUM62[targets.values]
    along, full = np.empty(shape, dtype=np.uint8), np.empty(shape, dtype=np.int32)
    of_all = (queries.values, queries.offsets, profiles, targets.offsets)
    _alignment.diagonals(*of_all, along, 1)
    _alignment.scores(*of_all, GAP_OPEN, GAP_EXTEND, full, 1)
    hits, scores = [], []
    for own, with_gaps in zip(along.astype(int), full, strict=True):
        order = np.lexsort((np.arange(len(own)), -own))
        aligned = order[: min(most, HALF_ROW) if own.max() >= CLEAR else most]
        known = own.copy()
        known[aligned] = with_gaps[aligned]
        hits.append(np.sort(order[:most]))
        scores.append(known[hits[-1]])
    return np.array(hits), np.array(scores), along, full


@pytest.mark.parametrize("most", [1, 10, HALF_ROW, 50, 80])
def test_few_are_aligned_with_a_sequence_that_has_a_clear_relative(case, most):
    queries, targets = case
    hits, scores, along, full = expected(queries, targets, most)
    clear = along.max(axis=1) >= CLEAR
    assert clear.any()
    assert not clear.all()
    for n_threads in (1, 3):
        found = candidates(
            queries, BLOSUM62[targets.values], targets.offsets, NONE, most, HALF_ROW, n_threads
        )
        assert np.array_equal(found[0], hits)
        assert np.array_equal(found[1], scores)
        assert np.array_equal(found[2], np.quantile(along, 0.25, axis=1))
    with_gaps = np.take_along_axis(full, hits, axis=1)
    assert np.all(found[1] <= with_gaps)
    assert np.array_equal(found[1][~clear], with_gaps[~clear])
    assert np.any(found[1][clear] < with_gaps[clear]) == (most > HALF_ROW)


def test_no_sequence_has_no_candidate(case):
    queries, targets = case
    of_all = (BLOSUM62[targets.values], targets.offsets)
    hits, scores, levels = candidates(queries[:0], *of_all, NONE[:0], 5, 5, 1)
    assert hits.shape == scores.shape == (0, 5)
    assert levels.shape == (0,)
    # Without a residue nothing scores, and the first targets are as good as others.
    empty = Ragged.from_items([np.empty(0, dtype=np.uint8)])
    hits, scores, levels = candidates(empty, *of_all, NONE[:1], 5, 5, 1)
    assert hits.tolist() == [[0, 1, 2, 3, 4]]
    assert scores.tolist() == [[0] * 5]


def test_a_sequence_is_no_relative_of_itself(case):
    _, targets = case
    some = targets[:6]
    of_all = (BLOSUM62[targets.values], targets.offsets)
    full = np.empty((6, 80), dtype=np.int32)
    _alignment.scores(some.values, some.offsets, *of_all, GAP_OPEN, GAP_EXTEND, full, 1)
    as_itself = candidates(some, *of_all, np.arange(6), 50, HALF_ROW, 1)
    as_another = candidates(some, *of_all, NONE[:6], 50, HALF_ROW, 1)
    assert np.array_equal(as_itself[1], np.take_along_axis(full, as_itself[0], axis=1))
    assert np.all(np.any(as_another[1] < as_itself[1], axis=1))


def test_references_of_earlier_formats_align_as_many_with_every_sequence(case):
    queries, targets = case
    made = References.of(targets, most_residues=10**6, weight=1.0, seed=0, most_aligned=50)
    arrays = made.get_arrays()
    again = References.of_arrays(arrays, 1.0, 1, 50)
    del arrays["most_with_clear"]
    earlier = References.of_arrays(arrays, 1.0, 1, 50)
    here, there = made.corrected(queries), earlier.corrected(queries)
    assert np.array_equal(again.corrected(queries), here)
    assert np.array_equal(np.isfinite(there), np.isfinite(here))
    near, far = slice(0, 12, 2), slice(1, 12, 2)
    assert np.array_equal(there[far], here[far])
    assert np.all(there[near] >= here[near])
    assert np.any(there[near] > here[near])
