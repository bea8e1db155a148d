"""Growing samples: chosen by content, nested, and only of many items."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfmcore.models.growing import growing_samples


def random_keys(n_items, seed=0):
    return np.random.default_rng(seed).integers(0, 2**64, n_items, dtype=np.uint64)


def test_shares_of_many_items():
    first, second = growing_samples(random_keys(16_000), np.ones(16_000), 1)
    assert 850 < len(first) < 1150
    assert 3800 < len(second) < 4200
    assert set(first) < set(second)


def test_few_items_have_no_sample_and_more_have_the_larger_first():
    counts = [
        len(growing_samples(random_keys(n_items), np.ones(n_items), 10))
        for n_items in (100, 5000, 12_000, 100_000)
    ]
    assert counts == [0, 0, 1, 2]


@given(st.integers(0, 300), st.integers(0, 100))
def test_order_and_copies_of_items_change_nothing(n_items, seed):
    keys, sizes = random_keys(n_items, seed), np.full(n_items, 100.0)
    order = np.random.default_rng(seed).permutation(n_items)
    chosen = growing_samples(keys, sizes, 10)
    shuffled = growing_samples(keys[order], sizes, 10)
    copied = growing_samples(np.repeat(keys, 2), np.repeat(sizes / 2, 2), 10)
    assert len(chosen) == len(shuffled) == len(copied)
    for one, other, twice in zip(chosen, shuffled, copied, strict=True):
        assert np.array_equal(one, np.sort(order[other]))
        assert np.array_equal(np.repeat(one, 2), twice // 2)
