"""The kernels' exponential, logarithm and normal tail against scipy and longer floats."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import erfc, erfcx

from sfmcore.kernels._objective import exponential, logarithm, upper_tail_and_density

LONG = np.longdouble
needs_long_floats = pytest.mark.skipif(
    np.finfo(LONG).eps > 1e-18, reason="long double is not longer than double here"
)
# Arrays of any length, so that the last lanes are not always full.
ANY = st.floats(allow_subnormal=False)


def arrays(elements):
    return st.lists(elements, min_size=1, max_size=20).map(np.array)


def exact_tail(a):
    """Phi(a): erfcx and a rounded square, each good to a few digits of double precision."""
    a = np.asarray(a, dtype=float)
    power = np.exp(-(a.astype(LONG) ** 2) / 2)
    far = power * erfcx(np.abs(a) / np.sqrt(2)).astype(LONG) / 2
    return np.where(a < 0, 1 - far, far).astype(float)


@given(arrays(st.floats(-37, 37)))
@settings(max_examples=300, deadline=None)
def test_tail_equals_scipy(a):
    # erfc rounds its argument: in the far tail that costs scipy three digits, not us.
    np.testing.assert_allclose(upper_tail_and_density(a)[0], 0.5 * erfc(a / np.sqrt(2)), rtol=1e-12)


@needs_long_floats
@given(arrays(st.one_of(st.floats(-37, 37), st.floats(-1e-3, 1e-3))))
@settings(max_examples=300, deadline=None)
def test_tail_and_density_are_exact_to_fourteen_digits(a):
    tail, density = upper_tail_and_density(a)
    np.testing.assert_allclose(tail, exact_tail(a), rtol=1e-14)
    exact = np.exp(-(a.astype(LONG) ** 2) / 2) / np.sqrt(2 * LONG(np.pi))
    np.testing.assert_allclose(density, exact.astype(float), rtol=2e-15)


@pytest.mark.parametrize(
    ("a", "tail"),
    # Computed with 40 digits.
    [
        (1.0, 0.15865525393145705141),
        (5.0, 2.8665157187919391167e-07),
        (20.0, 2.7536241186062336951e-89),
        (37.0, 5.7255712225245768227e-300),
        (-1.0, 0.84134474606854294859),
    ],
)
def test_known_tails(a, tail):
    np.testing.assert_allclose(upper_tail_and_density(np.array([a]))[0], tail, rtol=1e-14)


@given(arrays(ANY))
@settings(max_examples=300, deadline=None)
def test_tail_is_a_probability_at_any_number(a):
    with np.errstate(all="raise"):
        tail, density = upper_tail_and_density(a)
    nan = np.isnan(a)
    assert np.array_equal(np.isnan(tail), nan)
    assert np.array_equal(np.isnan(density), nan)
    assert np.all((tail[~nan] >= 0) & (tail[~nan] <= 1))
    assert np.all((density[~nan] >= 0) & (density[~nan] <= 0.3989422804014328))
    assert np.all(tail[a > 37.7] == 0)
    assert np.all(tail[a < -37.7] == 1)


def test_tail_at_special_numbers():
    a = np.array([0.0, -0.0, np.inf, -np.inf, 1e308, -1e308, 5e-324, np.nan, -np.nan])
    tail, density = upper_tail_and_density(a)
    assert tail[:7].tolist() == [0.5, 0.5, 0, 1, 0, 1, 0.5]
    assert density[:7].tolist() == [density[0], density[0], 0, 0, 0, 0, density[0]]
    np.testing.assert_allclose(density[0], 1 / np.sqrt(2 * np.pi), rtol=1e-15)
    assert np.isnan(tail[7:]).all()
    assert np.isnan(density[7:]).all()


@pytest.mark.parametrize("start", [-37.7, -3.0, -1e-3, 0.0, 1e-3, 3.0, 36.0, 37.55])
def test_tail_falls(start):
    # Steps far above the rounding error: nothing may jump where the cases of the code meet.
    tail = upper_tail_and_density(start + np.arange(1000) * 1e-4)[0]
    assert np.all(np.diff(tail) <= 4e-16 * tail[:-1])


@given(arrays(st.floats(0, 37)))
@settings(max_examples=200, deadline=None)
def test_tails_add_up_to_one(a):
    assert np.array_equal(upper_tail_and_density(-a)[0], 1 - upper_tail_and_density(a)[0])


@pytest.mark.parametrize("width", [128, 256, 512])
@pytest.mark.parametrize("function", [upper_tail_and_density, exponential, logarithm])
def test_every_width_of_vectors_gives_the_same(in_width, function, width):
    special = [0.0, np.inf, np.nan, 5e-324, 1e-310, 37.59, 37.61, 708.39, 709.7, 709.8, 1e308]
    random = np.random.default_rng(1)
    x = np.concatenate([special, random.uniform(0, 40, 1000), 10 ** random.uniform(-300, 300, 200)])
    if function is not logarithm:
        x = np.concatenate([x, -x])
    for n in (*range(1, 20), len(x)):
        with in_width(width):
            found = np.array(function(x[:n]))
        wanted = np.array(function(x[:n]))
        np.testing.assert_allclose(found, wanted, rtol=1e-14, atol=1e-300)
        # AVX-512 and AVX2 both multiply and add at once; without that digits differ.
        if width >= 256:
            assert found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("width", [128, 256, 512])
@pytest.mark.parametrize("function", [upper_tail_and_density, exponential, logarithm])
def test_a_result_has_the_same_bits_in_any_lane(in_width, function, width):
    x = np.random.default_rng(0).uniform(0, 10, 100)
    with in_width(width):
        whole = np.array(function(x))
        alone = [np.array(function(x[k : k + 1])) for k in range(100)]
    assert np.array_equal(np.concatenate(alone, axis=-1), whole)
    assert np.array(function(x[:0])).size == 0


@needs_long_floats
@given(arrays(st.one_of(st.floats(-708, 709.78), st.floats(-1, 1))))
@settings(max_examples=300, deadline=None)
def test_exponential_is_exact_to_fifteen_digits(x):
    np.testing.assert_allclose(exponential(x), np.exp(x.astype(LONG)).astype(float), rtol=6e-16)


def test_exponential_at_special_numbers():
    x = np.array([0.0, -0.0, -708.4, -1e308, -np.inf, 709.79, 1e308, np.inf])
    assert exponential(x).tolist() == [1, 1, 0, 0, 0, np.inf, np.inf, np.inf]
    assert np.isnan(exponential(np.array([np.nan, -np.nan]))).all()
    edges = np.array([-708.39, 709.782712893384, 5e-324])
    np.testing.assert_allclose(exponential(edges), np.exp(edges), rtol=1e-15)


@needs_long_floats
@given(arrays(st.one_of(st.floats(1e-307, 1e308), st.floats(0.5, 2), st.floats(0.999, 1.001))))
@settings(max_examples=300, deadline=None)
def test_logarithm_is_exact_to_fifteen_digits(x):
    np.testing.assert_allclose(logarithm(x), np.log(x.astype(LONG)).astype(float), rtol=6e-16)


def test_logarithm_at_special_numbers():
    below, one, infinite, nan = logarithm(np.array([0.0, 1.0, np.inf, np.nan]))
    assert (one, infinite) == (0, np.inf)
    assert np.isnan(nan)
    # Finite, and no positive number has a smaller one.
    assert below == pytest.approx(-1023 * np.log(2))
    assert np.all(logarithm(np.array([5e-324, 1e-310, 2.3e-308])) >= below)
