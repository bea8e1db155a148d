"""What symbols have of sums over an HMM's statistics: the kernel against its twin and the sums."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfmcore.data.ragged import Ragged
from sfmcore.kernels import _occupancy
from tests.twins import core as twins


def make(seed, n_states, n_symbols, lengths):
    random = np.random.default_rng(seed)
    model = (
        random.dirichlet(np.ones(n_states)),
        random.dirichlet(np.ones(n_states), n_states),
        random.dirichlet(np.ones(n_symbols), n_states),
    )
    items = [random.integers(0, n_symbols, length, dtype=np.uint8) for length in lengths]
    shapes = [(n_states,), (n_states, n_states), (n_states, n_symbols)]
    worth = [[random.normal(size=shape) for shape in shapes] for _ in lengths]
    return model, Ragged.from_items(items), worth


def by_symbol(model, batch, worth, n_threads=1):
    out = np.zeros(len(batch.values))
    weights = [
        np.array([one[k].ravel() for one in worth]).reshape(len(batch), -1) for k in range(3)
    ]
    _occupancy.by_symbol(batch.values, batch.offsets, *model, *weights, out, n_threads)
    return out


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 6),
    st.integers(1, 5),
    st.lists(st.integers(0, 20), min_size=1, max_size=5),
)
@settings(max_examples=60, deadline=None)
def test_every_symbol_has_what_the_twin_gives_it(seed, n_states, n_symbols, lengths):
    model, batch, worth = make(seed, n_states, n_symbols, lengths)
    found = by_symbol(model, batch, worth)
    expected = [
        twins.occupancy(codes, *model, one) for codes, one in zip(batch, worth, strict=True)
    ]
    np.testing.assert_allclose(found, np.concatenate(expected), rtol=1e-9, atol=1e-9)
    assert by_symbol(model, batch, worth, n_threads=3).tobytes() == found.tobytes()


def test_symbols_add_up_to_the_sum_of_the_statistics():
    model, batch, worth = make(0, 4, 5, [30, 1, 3000])
    found = by_symbol(model, batch, worth)
    for place, codes in enumerate(batch):
        own = found[batch.offsets[place] : batch.offsets[place + 1]]
        statistics = twins.hmm_statistics(codes, *model)
        total = sum(np.sum(a * b) for a, b in zip(statistics, worth[place], strict=True))
        assert own.sum() == pytest.approx(total, rel=1e-9, abs=1e-9)


def test_what_does_not_fit_is_refused():
    model, batch, _ = make(0, 2, 3, [4])
    weights = [np.zeros((1, size)) for size in (2, 4, 6)]
    with pytest.raises(ValueError, match="a code is 7, the model has 3 symbols"):
        _occupancy.by_symbol(
            np.array([7], np.uint8), np.array([0, 1]), *model, *weights, np.zeros(1), 1
        )
    with pytest.raises(ValueError, match="a column for each statistic"):
        _occupancy.by_symbol(
            batch.values, batch.offsets, *model, *weights[:2], np.zeros((1, 5)), np.zeros(4), 1
        )
    with pytest.raises(ValueError, match="one value for each code"):
        _occupancy.by_symbol(batch.values, batch.offsets, *model, *weights, np.zeros(3), 1)
    with pytest.raises(ValueError, match="n_threads must be at least 1"):
        _occupancy.by_symbol(batch.values, batch.offsets, *model, *weights, np.zeros(4), 0)
