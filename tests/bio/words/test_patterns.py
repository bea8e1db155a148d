"""Spaced words: the kernel against its twin, the vectors, and the directions that are learnt."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfmbio.kernels import _patterns
from sfmbio.sequences.alphabet import N_SYMBOLS, RESIDUES
from sfmbio.words.patterns import GROUPS, N_WORDS, PATTERNS, word_names, word_vectors
from sfmbio.words.principal_words import PrincipalWords, check_directions
from sfmcore.data.ragged import Ragged
from tests.twins import bio as twins


def made(items, pattern, rows, n_threads=1):
    batch = Ragged.from_items(items)
    out = np.zeros((len(batch), rows.shape[1]), dtype=np.float32)
    _patterns.project(
        batch.values, batch.offsets, np.array(pattern.places, dtype=np.int32), pattern.groups,
        pattern.n_groups, pattern.weight, rows, out, n_threads,
    )  # fmt: skip
    return out


def make_rows(pattern, rank, seed=0):
    random = np.random.default_rng(seed)
    return random.normal(size=(pattern.n_words, rank)).astype(np.float32)


def make_items(n_items=40, seed=0, shortest=1):
    random = np.random.default_rng(seed)
    lengths = random.integers(shortest, 60, n_items)
    return [random.integers(0, N_SYMBOLS, length) for length in lengths]


codes = st.lists(st.integers(0, N_SYMBOLS - 1), max_size=30)


@given(st.lists(codes, max_size=6), st.sampled_from(PATTERNS), st.integers(1, 19))
@settings(max_examples=150, deadline=None)
def test_projection_equals_twin(items, pattern, rank):
    rows = make_rows(pattern, rank)
    arguments = pattern.places, pattern.groups, pattern.n_groups, pattern.weight, rows
    twin = twins.project(items, *arguments)
    np.testing.assert_allclose(made(items, pattern, rows), twin, atol=2e-5)


def test_threads_and_neighbours_change_no_bit():
    items, pattern = make_items(33), PATTERNS[5]
    rows = make_rows(pattern, 24)
    whole = made(items, pattern, rows, 2)
    assert np.array_equal(whole, made(items, pattern, rows, 1))
    for number, item in enumerate(items):
        assert np.array_equal(made([item], pattern, rows)[0], whole[number])


def test_every_width_of_vectors_gives_the_same(in_width):
    items, pattern = make_items(33), PATTERNS[5]
    rows = make_rows(pattern, 45)
    widest = made(items, pattern, rows)
    with in_width(256):
        assert np.array_equal(made(items, pattern, rows), widest)
    with in_width(128):
        np.testing.assert_allclose(made(items, pattern, rows), widest, atol=2e-5)


def test_shapes_that_disagree_are_refused():
    items, pattern = make_items(3), PATTERNS[0]
    with pytest.raises(ValueError, match="one row for each word"):
        made(items, pattern, make_rows(pattern, 2)[1:].copy())
    with pytest.raises(ValueError, match="n_threads must be at least 1, got 0"):
        made(items, pattern, make_rows(pattern, 2), 0)


def test_vectors_are_those_of_the_twin_side_by_side():
    items = make_items(5)
    parts = [
        twins.project(
            items, p.places, p.groups, p.n_groups, p.weight, np.eye(p.n_words, dtype=np.float32)
        )
        for p in PATTERNS
    ]
    found = word_vectors(Ragged.from_items(items)).toarray()
    assert found.shape == (5, N_WORDS)
    np.testing.assert_allclose(found, np.hstack(parts), atol=1e-6)


def test_every_residue_has_one_group_and_the_rest_their_own():
    assert sorted("".join(GROUPS)) == sorted(RESIDUES)
    grouped = PATTERNS[-1].groups
    assert grouped[20] == grouped[21] == len(GROUPS)
    assert sum(p.weight**2 for p in PATTERNS) == pytest.approx(1.0)


def test_names_say_where_the_symbols_stand():
    names = word_names()
    assert len(names) == N_WORDS == len(set(names))
    vector = word_vectors(Ragged.from_items([[0, 1, 2]])).toarray()[0]
    words = {names[k] for k in np.flatnonzero(vector)}
    assert words == {"AC", "CD", "A.D", "[AG]C[DE]"}


def test_strange_codes_are_refused():
    with pytest.raises(ValueError, match="codes must be below 22, got 22"):
        word_vectors(Ragged.from_items([[1, 22]]))
    inputs = PrincipalWords.of(Ragged.from_items(make_items()), rank=3, weight=1.0, seed=0)
    with pytest.raises(ValueError, match="codes must be below 22, got 30"):
        inputs.apply(Ragged.from_items([[1, 2, 3, 30]]))


def test_all_directions_keep_the_products_of_words():
    batch = Ragged.from_items(make_items(30, shortest=8))
    inputs = PrincipalWords.of(batch, rank=100, weight=2.0, seed=0)
    assert inputs.directions.shape == (N_WORDS, 30)
    vectors = inputs.apply(batch).vectors.astype(float)
    words = word_vectors(batch)
    np.testing.assert_allclose(vectors @ vectors.T, 4.0 * (words @ words.T).toarray(), atol=1e-4)


def test_the_first_directions_keep_most():
    batch = Ragged.from_items(make_items(60))
    words = word_vectors(batch).toarray().astype(float)
    inputs = PrincipalWords.of(batch, rank=10, weight=1.0, seed=0)
    kept = np.sum(inputs.apply(batch).vectors.astype(float) ** 2)
    best = np.sum(np.linalg.svd(words, compute_uv=False)[:10] ** 2)
    assert kept == pytest.approx(best, rel=1e-4)


def test_order_and_repetition_of_sequences_change_no_direction():
    items = make_items(25)
    first = PrincipalWords.of(Ragged.from_items(items), rank=8, weight=1.0, seed=3)
    again = PrincipalWords.of(
        Ragged.from_items(items[::-1] + items[4:9]), rank=8, weight=1.0, seed=3
    )
    assert np.array_equal(first.directions, again.directions)


def test_directions_of_a_file_are_checked():
    with pytest.raises(ValueError, match=f"float32 with {N_WORDS} rows"):
        check_directions(np.zeros((3, 2), dtype=np.float32))
    with pytest.raises(ValueError, match="finite"):
        check_directions(np.full((N_WORDS, 1), np.nan, dtype=np.float32))
