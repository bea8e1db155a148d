"""The conditioning kernel against its NumPy twin, and what its rows must be."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfmcore.kernels import _conditioning
from tests.twins import core as twins


def make_case(n_rows, n_columns, seed=0):
    """Counts, rates, mean and inverse deviation."""
    random = np.random.default_rng([seed, n_rows, n_columns])
    raw = random.gamma(0.7, 20.0, (n_rows, n_columns)).astype(np.float32)
    rates = 1 / random.integers(1, 300, n_rows)
    return raw, rates, random.uniform(0, 1, n_columns), random.uniform(0.1, 9, n_columns)


def condition(case, clip, n_threads=1):
    raw = case[0]
    out = np.full((len(raw), raw.shape[1] + 1), np.nan, dtype=np.float32)
    _conditioning.condition(*case, clip, out, n_threads)
    return out


@given(
    st.integers(1, 9),
    st.one_of(st.integers(1, 33), st.just(500)),
    st.sampled_from([0.5, 3.0, np.inf]),
    st.integers(0, 1000),
)
@settings(max_examples=100, deadline=None)
def test_rows_equal_twin(n_rows, n_columns, clip, seed):
    case = make_case(n_rows, n_columns, seed)
    found = condition(case, clip)
    twin = twins.condition(*case, clip)
    # Two roundings to float32, of numbers below 1.
    np.testing.assert_allclose(found, twin, rtol=3e-7, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(found.astype(float), axis=1), 1.0, rtol=1e-6)


@pytest.mark.parametrize("clip", [0.5, 3.0, np.inf])
@pytest.mark.parametrize("n_columns", [1, 3, 7, 8, 9, 31, 32, 100, 501])
def test_every_width_of_vectors_gives_the_same(n_columns, clip, in_width):
    case = make_case(40, n_columns)
    widest = condition(case, clip)
    # AVX-512 and AVX2 both multiply and add at once; without that digits differ.
    with in_width(256):
        assert np.array_equal(condition(case, clip), widest)
    with in_width(128):
        np.testing.assert_allclose(condition(case, clip), widest, rtol=3e-7, atol=1e-9)
    raw = case[0].copy()
    raw[3, n_columns // 2] = np.nan
    for width in (128, 256, 512):
        with in_width(width):
            rows = condition((raw, *case[1:]), clip)
        assert np.isnan(rows).any(axis=1).nonzero()[0].tolist() == [3]


@pytest.mark.parametrize("n_columns", [1, 7, 8, 9, 40])
def test_clip_bounds_every_column(n_columns):
    raw = np.full((2, n_columns), 1e6, dtype=np.float32)
    raw[1] *= -1
    case = raw, np.ones(2), np.zeros(n_columns), np.ones(n_columns)
    rows = condition(case, 3.0)
    # Over the appended constant a feature is as it was before the division by the length.
    np.testing.assert_allclose(rows[0, :-1] / rows[0, -1], 3.0, rtol=1e-6)
    np.testing.assert_allclose(rows[1, :-1] / rows[1, -1], -3.0, rtol=1e-6)
    unclipped = condition(case, np.inf)
    np.testing.assert_allclose(unclipped[0, :-1] / unclipped[0, -1], 1e6, rtol=1e-6)


def test_features_within_the_clip_are_not_touched():
    raw = make_case(20, 30)[0]
    raw[:10] = 0  # these rows are at minus mean times inverse scale
    rest = np.ones(20), np.linspace(0, 1.9, 30), np.ones(30)
    inside = np.arange(20) < 10
    clipped, free = condition((raw, *rest), 2.0), condition((raw, *rest), np.inf)
    assert np.array_equal(clipped[inside], free[inside])
    assert not np.any(np.all(clipped[~inside] == free[~inside], axis=1))


def test_no_features_leave_the_constant():
    case = np.zeros((3, 0), np.float32), np.ones(3), np.zeros(0), np.zeros(0)
    assert condition(case, 3.0).tolist() == [[1.0]] * 3


def test_zero_row_is_its_mean_and_finite():
    case = np.zeros((1, 9), np.float32), np.ones(1), np.zeros(9), np.ones(9)
    assert condition(case, 3.0).tolist() == [[0.0] * 9 + [1.0]]


def test_rows_have_the_same_bits_for_any_threads_and_batch():
    case = make_case(301, 45)
    rows = [condition(case, 3.0, n_threads) for n_threads in (1, 2, 3)]
    assert np.array_equal(rows[0], rows[1])
    assert np.array_equal(rows[0], rows[2])
    picked = [300, 4, 4, 17]
    part = case[0][picked], case[1][picked], *case[2:]
    assert np.array_equal(condition(part, 3.0), rows[0][picked])


def test_no_rows_and_read_only_arrays():
    assert condition(make_case(0, 5), 3.0).shape == (0, 6)
    case = make_case(4, 5)
    expected = condition(case, 3.0)
    for array in case:
        array.flags.writeable = False
    assert np.array_equal(condition(case, 3.0), expected)


BAD = {
    "raw": [np.zeros((4, 3)), np.zeros((3, 3), np.float32), np.zeros((4, 2), np.float32)],
    "rates": [np.ones(3), np.ones(4, np.float32), np.ones((4, 1))],
    "mean": [np.zeros(2), np.zeros(3, np.float32)],
    "inverse_scale": [np.zeros(4), np.zeros(3, np.float32)],
    "clip": ["wide"],
    "out": [
        np.zeros((4, 3), np.float32),
        np.zeros((5, 4), np.float32),
        np.zeros((4, 4)),
        np.zeros((4, 8), np.float32)[:, ::2],
        np.frombuffer(bytes(64), np.float32).reshape(4, 4),
    ],
    "n_threads": [0, -1],
}


@pytest.mark.parametrize(
    ("name", "number"), [(name, n) for name, values in BAD.items() for n in range(len(values))]
)
def test_bad_arguments_are_refused(name, number):
    good = {
        "raw": np.zeros((4, 3), np.float32),
        "rates": np.ones(4),
        "mean": np.zeros(3),
        "inverse_scale": np.ones(3),
        "clip": 3.0,
        "out": np.zeros((4, 4), np.float32),
        "n_threads": 1,
    }
    _conditioning.condition(**good)
    with pytest.raises((ValueError, TypeError)):
        _conditioning.condition(**{**good, name: BAD[name][number]})
