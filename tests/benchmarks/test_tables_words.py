"""Counts of words and the mismatch kernel, beside counting one by one."""

from itertools import product

import numpy as np
import pytest

from benchmarks.tables.peers import mismatch
from benchmarks.tables.peers.mismatch import mismatch_kernel
from benchmarks.tables.peers.words import (
    counts_of_one_and_two,
    spaced_pairs,
    unit_rows,
    word_counts,
)
from sfmbio.baselines.kmers import KmerFrequencies
from sfmcore.data.ragged import Ragged


def items_of(n_symbols=22, lengths=(9, 1, 14, 6, 5), seed=0):
    random = np.random.default_rng(seed)
    return Ragged.from_items([random.integers(0, n_symbols, length) for length in lengths])


def test_words_in_one_piece_are_k_mers():
    items = items_of()
    ours = unit_rows(word_counts(items, (0, 1, 2))).toarray()
    theirs = KmerFrequencies(3, unit_length=True).transform(items).toarray()
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_a_word_with_a_gap_is_counted_inside_its_item():
    items = items_of(3)
    counts = word_counts(items, (0, 3)).toarray()
    for row, codes in zip(counts, items, strict=True):
        expected = np.zeros(22**2)
        for left, right in zip(codes[:-3], codes[3:], strict=True) if len(codes) > 3 else ():
            expected[22 * int(left) + int(right)] += 1
        np.testing.assert_array_equal(row, expected)


def test_spaced_pairs_have_unit_length_but_for_an_item_without_pairs():
    rows = spaced_pairs(items_of()).toarray()
    assert rows.shape == (5, 3 * 484)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), [1, 0, 1, 1, 1], rtol=1e-6)


def test_counts_of_one_and_two_residues():
    items = items_of()
    rows = counts_of_one_and_two(items)
    assert rows.shape == (5, 506)
    assert rows[:, :22].sum(1).tolist() == items.lengths.tolist()
    assert rows[:, 22:].sum(1).tolist() == (items.lengths - 1).tolist()


@pytest.mark.parametrize("k", [3, 4])
def test_the_mismatch_kernel_counts_neighbours(monkeypatch, k):
    monkeypatch.setattr(mismatch, "N_SYMBOLS", 3)
    items = items_of(3)
    words = np.array(list(product(range(3), repeat=k)))
    rows = np.zeros((len(items), len(words)))
    for row, codes in zip(rows, items, strict=True):
        for start in range(len(codes) - k + 1):
            row += np.sum(words != codes[start : start + k], axis=1) <= 1
    np.testing.assert_allclose(mismatch_kernel(items, k), rows @ rows.T)
