"""Identities of pairs: the columns that the twin goes back over, and those of another program."""

import numpy as np
import pyopal
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scoring_matrices import ScoringMatrix

from sfmbio.alignments import identity
from sfmbio.alignments.blosum62 import BLOSUM62
from sfmbio.alignments.gaps import GAP_EXTEND, GAP_OPEN
from sfmbio.alignments.identity import align_pairs
from sfmbio.alignments.significance import e_values, least_scores
from sfmbio.sequences.alphabet import BREAK, RESIDUES, UNKNOWN
from sfmbio.sequences.encoding import encode_batch
from sfmcore.data.ragged import Ragged
from tests.twins import bio as twins

# Few residues that are alike, gaps that are worth it, and symbols that are no residues.
codes = st.lists(st.sampled_from([0, 0, 7, 9, 15, 18, UNKNOWN, BREAK]), max_size=24) | st.integers(
    1, 40
).map(lambda n: ([18, 4, 6, 1, 12, 17] * 7)[:n])


def every_pair(n_queries, n_targets):
    which, hits = np.divmod(np.arange(n_queries * n_targets), max(n_targets, 1))
    return which.astype(np.int64), hits.astype(np.int64)


def numbers_of(found):
    columns = (found.identical, found.columns, found.query_spans, found.target_spans)
    return np.column_stack([found.scores, *columns]).tolist()


@st.composite
def mutants(draw):
    """A sequence, and what a few cuts and insertions leave of it."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    first = random.integers(0, 20, draw(st.integers(1, 60)))
    second = np.where(random.random(len(first)) < 0.8, first, random.integers(0, 20, len(first)))
    place = draw(st.integers(0, len(first)))
    second = np.delete(second, slice(place, place + draw(st.integers(0, 5))))
    place = draw(st.integers(0, len(second)))
    second = np.insert(second, place, random.integers(0, 20, draw(st.integers(0, 5))))
    return first.tolist(), second.tolist()


@given(st.lists(codes, max_size=3), st.lists(codes, max_size=6), mutants())
@settings(max_examples=80, deadline=None)
def test_pairs_equal_twin(in_width, queries, targets, more):
    queries, targets = [*queries, more[0]], [*targets, more[1]]
    expected = [
        list(twins.compared(query, target, BLOSUM62, GAP_OPEN, GAP_EXTEND, UNKNOWN))
        for query in queries
        for target in targets
    ]
    pairs = every_pair(len(queries), len(targets))
    batches = Ragged.from_items(queries), Ragged.from_items(targets)
    for width, n_threads in [(512, 1), (256, 2), (128, 1)]:
        with in_width(width):
            found = align_pairs(*batches, *pairs, n_threads=n_threads)
        assert numbers_of(found) == expected
    assert np.all(found.identity <= 1.0)


def test_parts_and_order_of_pairs_change_nothing(monkeypatch):
    random = np.random.default_rng(1)
    ancestor = random.integers(0, 20, 60)
    items = Ragged.from_items(
        [np.where(random.random(60) < 0.6, ancestor, random.integers(0, 20, 60))[: 60 - n]
         for n in range(20)]
    )  # fmt: skip
    pairs = every_pair(20, 20)
    once = numbers_of(align_pairs(items, items, *pairs))
    monkeypatch.setattr(identity, "_MOST_POSITIONS", 100)
    assert numbers_of(align_pairs(items, items, *pairs)) == once
    order = random.permutation(400)
    again = numbers_of(align_pairs(items, items, *(part[order] for part in pairs)))
    assert again == [once[place] for place in order]
    none = np.zeros(0, dtype=np.int64)
    assert numbers_of(align_pairs(items, items, none, none)) == []


def test_what_is_identical_is_counted_by_hand():
    def of(first, second):
        found = align_pairs(
            encode_batch([first]), encode_batch([second]), *np.zeros((2, 1), dtype=np.int64)
        )
        return found.identical[0], found.columns[0], found.query_spans[0], found.target_spans[0]

    assert of("MKWVTFISLL", "MKWVTFISLL") == (10, 10, 10, 10)
    # A gap in either is as many columns as it is long.
    assert of("WWWWWCCCCC", "WWWWWHHCCCCC") == (10, 12, 10, 12)
    assert of("WWWWWHHCCCCC", "WWWWWCCCCC") == (10, 12, 12, 10)
    # What is unknown is like nothing, and what lies outside is no column.
    assert of("PPWWWXWWW", "WWWXWWWGGGG") == (6, 7, 7, 7)
    assert of("AAAA", "WWWW") == (0, 0, 0, 0)


@pytest.mark.parametrize("seed", [0, 1])
def test_identities_are_those_of_opal(seed):
    random = np.random.default_rng(seed)
    letters = np.array(list(RESIDUES))
    ancestor = random.integers(0, 20, 150)
    texts = []
    for kept in np.linspace(0.3, 0.95, 14):
        codes = np.where(random.random(150) < kept, ancestor, random.integers(0, 20, 150))
        place = random.integers(10, 130)
        codes = np.delete(codes, slice(place, place + random.integers(0, 9)))
        texts.append("".join(letters[codes]))
    items = encode_batch(texts)
    first = np.zeros(len(texts), dtype=np.int64)
    found = align_pairs(items, items, first, np.arange(len(texts)))
    matrix = ScoringMatrix.from_name("BLOSUM62")
    aligner = pyopal.Aligner(matrix, gap_open=GAP_OPEN, gap_extend=GAP_EXTEND)
    results = aligner.align(texts[0], pyopal.Database(texts), mode="full", algorithm="sw")
    assert found.scores.tolist() == [result.score for result in results]
    # Its own share leaves the columns with a gap out.
    theirs = [(result.alignment.count("M"), len(result.alignment)) for result in results]
    ours = list(zip(found.identical.tolist(), found.columns.tolist(), strict=True))
    # Of alignments with one score each may take another one.
    assert np.mean([own == other for own, other in zip(ours, theirs, strict=True)]) > 0.8
    difference = found.identity - np.array([same / columns for same, columns in theirs])
    assert np.abs(difference).max() < 0.05


def test_least_scores_are_the_first_that_are_significant():
    lengths = np.array([1, 30, 450, 35_000])
    for limit in (10.0, 1e-3, 1e-30):
        least = least_scores(lengths, 2_500_000, limit)
        assert np.all(e_values(least, lengths, 2_500_000) <= limit)
        assert np.all(e_values(least - 1, lengths, 2_500_000) > limit)
    assert least_scores(np.array([0]), 0, 10.0).tolist() == [1]
    assert e_values(np.array([10**6]), np.array([5]), 10) == 0.0
