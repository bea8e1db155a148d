"""Shares of k-mers against a plain twin that cuts one k-mer after the other out of a string."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, issparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from sfmbio.baselines.kmers import KmerFrequencies
from sfmbio.sequences.alphabet import N_SYMBOLS, RESIDUES, SYMBOLS
from sfmcore.data.ragged import Ragged


def shares_slowly(item: list[int], k: int, root: bool, unit_length: bool) -> dict[str, float]:
    """Return the share of every k-mer that occurs, by its name."""
    text = "".join(SYMBOLS[code] for code in item)
    counts = Counter(text[start : start + k] for start in range(len(text) - k + 1))
    shares = {kmer: count / sum(counts.values()) for kmer, count in counts.items()}
    if root:
        shares = {kmer: share**0.5 for kmer, share in shares.items()}
    if unit_length:
        length = sum(share**2 for share in shares.values()) ** 0.5
        shares = {kmer: share / length for kmer, share in shares.items()}
    return shares


def dense(features):
    return features.toarray() if issparse(features) else features


# Few symbols, so that k-mers come again; and all of them.
items = st.one_of(
    st.lists(st.sampled_from([0, 1, N_SYMBOLS - 1]), max_size=30),
    st.lists(st.integers(0, N_SYMBOLS - 1), max_size=30),
)


@given(st.lists(items, max_size=6), st.integers(1, 4), st.booleans(), st.booleans())
@example([], 2, False, True)
@example([[]], 3, True, True)
@example([[0, 1], [], [2], [3, 4, 5]], 3, False, False)
@example([[0] * 5, [0], [0] * 5], 4, False, False)
@example([[21, 20], [21]], 2, True, True)
@settings(deadline=None)
def test_shares_equal_their_plain_twin(batch, k, root, unit_length):
    features = KmerFrequencies(k, root=root, unit_length=unit_length, sparse=True)
    names = features.get_feature_names_out()
    result = features.transform(Ragged.from_items(batch))
    assert result.shape == (len(batch), N_SYMBOLS**k)
    for row, item in enumerate(batch):
        place = slice(*result.indptr[row : row + 2])
        got = dict(zip(names[result.indices[place]], result.data[place].tolist(), strict=True))
        assert got == pytest.approx(shares_slowly(item, k, root, unit_length), rel=1e-6)


@given(st.lists(items, max_size=6), st.integers(1, 3), st.booleans())
@settings(deadline=None)
def test_dense_and_sparse_hold_the_same_numbers(batch, k, root):
    batch = Ragged.from_items(batch)
    full = KmerFrequencies(k, root=root, sparse=False).transform(batch)
    thin = KmerFrequencies(k, root=root, sparse=True).transform(batch)
    assert isinstance(full, np.ndarray)
    assert isinstance(thin, csr_array)
    assert full.dtype == thin.dtype == np.float32
    np.testing.assert_array_equal(full, thin.toarray())


@given(st.lists(items.filter(lambda item: len(item) >= 2), min_size=1, max_size=6))
@settings(deadline=None)
def test_rows_have_the_sum_or_the_length_one(batch):
    batch = Ragged.from_items(batch)
    shares = KmerFrequencies(2).transform(batch)
    np.testing.assert_allclose(shares.sum(1), 1, rtol=1e-6)
    for options in ({"root": True}, {"unit_length": True}, {"root": True, "unit_length": True}):
        rows = KmerFrequencies(2, **options).transform(batch)
        np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, rtol=1e-6)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_a_row_does_not_depend_on_its_neighbours(k):
    random = np.random.default_rng(0)
    batch = [random.integers(0, N_SYMBOLS, length) for length in (40, 1, 0, 2, 3, 80)]
    features = KmerFrequencies(k, sparse=True)
    together = features.transform(Ragged.from_items(batch))
    for row, item in enumerate(batch):
        alone = features.transform(Ragged.from_items([item]))
        np.testing.assert_array_equal(together[[row]].toarray(), alone.toarray())


@pytest.mark.parametrize(("k", "sparse"), [(1, False), (2, False), (3, True), (4, True)])
def test_long_kmers_are_sparse_unless_told_otherwise(k, sparse):
    assert issparse(KmerFrequencies(k).transform(["ACDEFG"])) == sparse


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_indexes_are_as_narrow_as_solvers_want_them(k):
    rows = KmerFrequencies(k, sparse=True).transform(["ACDEFG", "AC"])
    assert rows.indices.dtype == rows.indptr.dtype == np.int32
    assert rows.has_canonical_format


def test_strings_are_read_as_everywhere():
    names = KmerFrequencies().get_feature_names_out().tolist()
    shares = KmerFrequencies().transform(["ac-d*", "MBX", "mkXv"])
    found = [{names[column] for column in np.flatnonzero(row)} for row in shares]
    assert found == [{"AC", "CD"}, {"Mx", "xx"}, {"MK", "K|", "|V"}]


@pytest.mark.parametrize("k", [1, 2, 3])
def test_names_are_the_kmers_in_the_order_of_the_columns(k):
    names = KmerFrequencies(k).get_feature_names_out()
    assert names.tolist() == ["".join(symbols) for symbols in product(RESIDUES + "x|", repeat=k)]
    assert names[: len(RESIDUES)].tolist() == ["A" * (k - 1) + residue for residue in RESIDUES]


def test_a_sequence_shorter_than_k_is_a_row_of_zeros():
    rows = dense(KmerFrequencies(3, root=True, unit_length=True).transform(["AC", "ACD", "A"]))
    assert rows.sum(1).tolist() == [0, 1, 0]


@pytest.mark.parametrize("k", [0, 5, -1, 2.0, True, "2", None])
def test_a_k_that_is_not_one_to_four_is_refused(k):
    features = KmerFrequencies(k)
    for use in (features.fit, lambda: features.transform(["ACD"]), features.get_feature_names_out):
        with pytest.raises(ValueError, match=r"^k must be .*, got "):
            use()


@pytest.mark.parametrize("name", ["root", "unit_length", "sparse"])
def test_a_switch_that_is_neither_on_nor_off_is_refused(name):
    with pytest.raises(ValueError, match=f"^{name} must be True"):
        KmerFrequencies(**{name: "yes"}).fit()


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ("ACD", "not one sequence"),
        (["ACD", "A4"], "item 1: invalid character '4'"),
        (["ACD", ""], "item 1 is empty"),
        (Ragged.from_items([[0, 22]]), "codes must be below 22, got 22"),
    ],
)
def test_what_is_no_batch_of_sequences_is_refused(X, message):
    with pytest.raises(ValueError, match=message):
        KmerFrequencies().transform(X)


def test_it_stands_in_a_pipeline():
    X = ["AVLIAVLLIVAVL", "LLAVIVALLIAV", "KDEKRDEKKDER", "EKDRKKEDEKRD"]
    model = make_pipeline(KmerFrequencies(root=True), LogisticRegression(C=100))
    model = clone(model).fit(X, [0, 0, 1, 1])
    assert model.predict(["VLLAVIL", "DEKKDRE"]).tolist() == [0, 1]
    assert model[0].set_output(transform="pandas").transform(X[:1]).loc[0, "AV"] > 0
