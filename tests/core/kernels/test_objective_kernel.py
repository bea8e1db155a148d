"""Risks, scores and gradient of the kernel against the NumPy twin and finite differences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfmcore.kernels import _objective
from tests.twins import core as twins

TYPES = [np.float32, np.float64]


def make_case(n_rows, n_columns, dtype=np.float64, seed=0, scale=1.0):
    """Rows of unit length, signs of all three kinds, weights and u."""
    random = np.random.default_rng([seed, n_rows, n_columns])
    rows = random.normal(size=(n_rows, n_columns))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    signs = random.integers(-1, 2, n_rows).astype(np.int8)
    weights = random.uniform(0, 2, n_rows)
    return rows.astype(dtype), signs, weights, scale * random.normal(size=n_columns)


def assert_equal_twin(case, convex):
    found = _objective.risks(*case, convex, 1)
    twin = twins.risks(*case, convex)
    for one, other in zip(found, twin, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)
    assert all(type(value) is float for value in found[:3])


@given(
    st.integers(1, 40),
    st.one_of(st.integers(1, 70), st.just(500)),
    st.sampled_from(TYPES),
    st.booleans(),
    st.sampled_from([0.1, 1.0, 5.0, 40.0]),
    st.integers(0, 1000),
)
@settings(max_examples=300, deadline=None)
def test_risks_and_scores_equal_twin(n_rows, n_columns, dtype, convex, scale, seed):
    case = make_case(n_rows, n_columns, dtype, seed, scale)
    assert_equal_twin(case, convex)
    scores = _objective.scores(case[0], case[3], 1)
    np.testing.assert_allclose(scores, case[0].astype(float) @ case[3], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n_rows", [255, 256, 257, 1000])
def test_risks_of_several_chunks_equal_twin(n_rows, dtype):
    case = make_case(n_rows, 37, dtype)
    assert_equal_twin(case, False)
    assert_equal_twin(case, True)
    scores = _objective.scores(case[0], case[3], 1)
    np.testing.assert_allclose(scores, case[0].astype(float) @ case[3], rtol=1e-9, atol=1e-12)


@given(st.integers(0, 40), st.sampled_from([0.5, 64.0]), st.integers(1, 500))
def test_divergence_and_its_slope_equal_numpys(n, C, n_items):
    slope, u, prior_mean = np.random.default_rng([n, n_items]).normal(size=(3, n))
    wanted = C * slope + (u - prior_mean) / n_items
    divergence = _objective.add_divergence(slope, u, prior_mean, C, n_items)
    assert divergence == pytest.approx(0.5 * np.sum((u - prior_mean) ** 2), rel=1e-13, abs=0)
    np.testing.assert_allclose(slope, wanted, rtol=1e-12, atol=1e-14)


def test_divergence_refuses_arrays_of_other_lengths():
    with pytest.raises(ValueError, match="slope has 3 entries, u has 3, prior_mean has 2"):
        _objective.add_divergence(np.zeros(3), np.zeros(3), np.zeros(2), 1.0, 1.0)


COLUMNS = [1, 3, 7, 8, 9, 31, 32, 100, 501]


def results(case, convex):
    """Scores, and all that risks gives, in one array."""
    risks = _objective.risks(*case, convex, 1)
    return np.hstack([_objective.scores(case[0], case[3], 1), *risks])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n_columns", COLUMNS)
@pytest.mark.parametrize("part", ["labelled", "unlabelled", "both"])
def test_every_width_of_vectors_gives_the_same(in_width, part, n_columns, dtype):
    for n_rows in [*range(1, 71), 300]:
        rows, signs, weights, u = make_case(n_rows, n_columns, dtype, scale=3.0)
        if part == "labelled":
            signs = np.where(signs == 0, 1, signs).astype(np.int8)
        elif part == "unlabelled":
            signs[:] = 0
        for convex in (False, True):
            widest = results((rows, signs, weights, u), convex)
            # AVX-512 and AVX2 both multiply and add at once; without that digits differ.
            with in_width(256):
                assert np.array_equal(results((rows, signs, weights, u), convex), widest)
            with in_width(128):
                narrow = results((rows, signs, weights, u), convex)
            np.testing.assert_allclose(narrow, widest, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("width", [128, 256, 512])
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n_columns", COLUMNS)
def test_every_width_equals_twin(in_width, n_columns, dtype, width):
    for n_rows in (1, 5, 8, 9, 70):
        case = make_case(n_rows, n_columns, dtype, scale=5.0)
        for convex in (False, True):
            with in_width(width):
                found = _objective.risks(*case, convex, 1)
            for one, other in zip(found, twins.risks(*case, convex), strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("width", [128, 256, 512])
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n_columns", COLUMNS)
def test_scores_have_the_same_bits_in_any_batch_and_width(in_width, n_columns, dtype, width):
    rows, _, _, u = make_case(70, n_columns, dtype)
    with in_width(width):
        scores = _objective.scores(rows, u, 1)
    for first in (0, 1, 7, 8, 62, 69):
        with in_width(width):
            part = _objective.scores(rows[first : first + 9].copy(), u, 1)
        assert np.array_equal(part, scores[first : first + 9])


@pytest.mark.parametrize("width", [128, 256, 512])
def test_special_scores_are_the_same_in_every_width(in_width, width):
    # One column of u = 1: the feature is the score.
    scores = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 37.59, 37.61, -37.61,
                       1e308, -1e308, 1.0])  # fmt: skip
    for sign in (-1, 0, 1):
        for score in scores:
            case = np.array([[score]]), np.array([sign], np.int8), np.ones(1), np.ones(1)
            for convex in (False, True):
                with in_width(width):
                    found = results(case, convex)
                twin = results(case, convex)
                np.testing.assert_allclose(found, twin, rtol=1e-13, atol=0)


def test_a_row_that_is_not_a_number_leaves_the_other_sums_alone(in_width):
    # The labelled row is NaN; of the eight that it is in, only some are filled.
    for n_rows in (9, 12, 70):
        for width in (128, 256, 512):
            rows, signs, weights, u = make_case(n_rows, 9)
            signs[:], signs[0] = 1, 0
            rows[-1, 0] = np.nan
            with in_width(width):
                risk, disagreement, tandem, _ = _objective.risks(rows, signs, weights, u, False, 1)
            assert np.isnan(risk)
            assert np.isnan(tandem)
            assert np.isfinite(disagreement)


def test_more_chunks_than_usual_equal_twin():
    # Above 256 * 256 rows the chunks grow instead of their number.
    assert_equal_twin(make_case(256 * 257 + 3, 3, np.float32), False)


@pytest.mark.parametrize("convex", [False, True])
@pytest.mark.parametrize("part", ["labelled", "unlabelled", "both"])
def test_gradient_equals_finite_differences(part, convex):
    rows, signs, weights, u = make_case(40, 11, seed=3, scale=1.5)
    if part == "labelled":
        signs = np.where(signs == 0, 1, signs).astype(np.int8)
    elif part == "unlabelled":
        signs[:] = 0

    def value(at):
        risk, disagreement, _, _ = _objective.risks(rows, signs, weights, at, convex, 1)
        return risk + 0.5 * disagreement

    gradient = _objective.risks(rows, signs, weights, u, convex, 1)[3]
    step = 1e-5
    differences = [
        (value(u + step * axis) - value(u - step * axis)) / (2 * step) for axis in np.eye(11)
    ]
    np.testing.assert_allclose(gradient, differences, rtol=1e-6, atol=1e-8)
    # Without a labelled row the surrogate has no slope; everything else must have one.
    assert gradient.any() == (not (convex and part == "unlabelled"))


@given(st.data())
@settings(max_examples=80, deadline=None)
def test_scores_have_the_same_bits_in_any_batch(data):
    n_rows, n_columns = data.draw(st.integers(1, 20)), data.draw(st.integers(1, 70))
    dtype = data.draw(st.sampled_from(TYPES))
    rows, _, _, u = make_case(n_rows, n_columns, dtype)
    scores = _objective.scores(rows, u, 1)
    picked = data.draw(st.lists(st.integers(0, n_rows - 1), min_size=1, max_size=20))
    assert np.array_equal(_objective.scores(rows[picked], u, 1), scores[picked])


def test_scores_have_the_same_bits_alone_and_among_a_thousand():
    rows, _, _, u = make_case(1003, 321, np.float32)
    scores = _objective.scores(rows, u, 1)
    for row in (0, 1, 2, 3, 255, 256, 1000, 1002):
        assert _objective.scores(rows[row : row + 1], u, 1)[0] == scores[row]


@pytest.mark.parametrize("dtype", TYPES)
def test_any_number_of_threads_gives_the_same_bits(dtype):
    case = make_case(2100, 45, dtype)
    results = []
    for n_threads in (1, 2, 3, 8):
        *risks, gradient = _objective.risks(*case, False, n_threads)
        scores = _objective.scores(case[0], case[3], n_threads)
        results.append((risks, gradient.tobytes(), scores.tobytes()))
    assert results[0] == results[1] == results[2] == results[3]


@pytest.mark.parametrize("dtype", TYPES)
def test_extreme_scores_are_finite(dtype):
    rows = np.array([[1], [-1], [1], [-1], [1], [-1]], dtype=dtype)
    signs = np.array([1, 1, -1, -1, 0, 0], dtype=np.int8)
    weights = np.ones(6)
    with np.errstate(all="raise"):
        for u in (np.array([40.0]), np.array([-40.0])):
            risk, disagreement, tandem, gradient = _objective.risks(
                rows, signs, weights, u, False, 1
            )
            assert risk == pytest.approx(2)
            assert tandem == pytest.approx(2)
            # Far from 0 two drawn classifiers agree, and nothing has a slope.
            assert 0 <= disagreement < 1e-300
            assert np.all(np.abs(gradient) < 1e-300)
            risk, disagreement, _, gradient = _objective.risks(rows, signs, weights, u, True, 1)
            assert risk == pytest.approx(2 * (0.5 + 40 / np.sqrt(2 * np.pi)))
            assert disagreement == 0
            np.testing.assert_allclose(gradient, np.sign(u) * 2 / np.sqrt(2 * np.pi))


@given(
    st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=20),
    st.sampled_from([-1, 0, 1]),
    st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_losses_of_any_scores_are_bounded(scores, sign, convex):
    # One column of u = 1: the features are the scores.
    rows = np.array(scores)[:, None]
    signs = np.full(len(rows), sign, dtype=np.int8)
    case = rows, signs, np.ones(len(rows)), np.ones(1)
    with np.errstate(all="raise"):
        risk, disagreement, tandem, gradient = _objective.risks(*case, convex, 1)
    assert 0 <= tandem <= len(rows)
    assert 0 <= disagreement <= len(rows) / 2
    assert 0 <= risk <= len(rows) + convex * np.abs(rows).sum()
    assert np.isfinite(gradient).all()
    if sign:
        # Phi(a) + Phi(-a) = 1: turning the signs turns the losses.
        turned = _objective.risks(rows, -signs, *case[2:], False, 1)[0]
        plain = _objective.risks(*case, False, 1)[0]
        assert turned + plain == pytest.approx(len(rows), rel=1e-14)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("convex", [False, True])
@pytest.mark.parametrize("sign", [-1, 0, 1])
@pytest.mark.parametrize("n_columns", [1, 9, 16])
def test_a_score_that_is_not_a_number_is_not_lost(sign, convex, dtype, n_columns):
    for place in range(17):
        rows, signs, weights, u = make_case(17, n_columns, dtype)
        signs[:] = np.where(signs == 0, 1, signs)
        signs[place] = sign
        rows[place, -1] = np.nan
        risk, disagreement, tandem, gradient = _objective.risks(rows, signs, weights, u, convex, 1)
        if sign:
            assert np.isnan(risk)
            assert np.isnan(tandem)
        elif not convex:
            assert np.isnan(disagreement)
        assert np.isnan(gradient[-1])
        scores = _objective.scores(rows, u, 1)
        assert np.flatnonzero(np.isnan(scores)).tolist() == [place]


@pytest.mark.parametrize("dtype", TYPES)
def test_the_place_of_a_row_does_not_matter(dtype):
    # A row alone, among zeros of weight 0 in any lane and any block, gives the same bits.
    rows, signs, weights, u = make_case(3, 45, dtype)
    for row in range(3):
        alone = _objective.risks(rows[[row]], signs[[row]], weights[[row]], u, False, 1)
        for place in (0, 3, 7, 8, 200, 263, 299):
            many = np.zeros((300, 45), dtype)
            many_signs, many_weights = np.ones(300, np.int8), np.zeros(300)
            many[place] = rows[row]
            many_signs[place], many_weights[place] = signs[row], weights[row]
            found = _objective.risks(many, many_signs, many_weights, u, False, 1)
            assert found[:3] == alone[:3]
            assert np.array_equal(found[3], alone[3])


def test_tail_is_not_lost():
    # 1 - erf would give 0 here.
    rows, signs = np.ones((1, 1)), np.ones(1, dtype=np.int8)
    risk = _objective.risks(rows, signs, np.ones(1), np.array([20.0]), False, 1)[0]
    np.testing.assert_allclose(risk, 2.7536241186062337e-89, rtol=1e-14)


def test_no_rows_and_no_columns():
    for dtype in TYPES:
        none = np.zeros((0, 3), dtype)
        risk, disagreement, tandem, gradient = _objective.risks(
            none, np.zeros(0, np.int8), np.zeros(0), np.ones(3), False, 2
        )
        assert (risk, disagreement, tandem) == (0, 0, 0)
        assert gradient.tolist() == [0, 0, 0]
        assert _objective.scores(none, np.ones(3), 2).shape == (0,)
        narrow = np.zeros((4, 0), dtype)
        assert _objective.scores(narrow, np.ones(0), 2).tolist() == [0] * 4
        for columns in (1, 7, 8, 9):
            empty = np.zeros((0, columns), dtype)
            found = _objective.risks(
                empty, np.zeros(0, np.int8), np.zeros(0), np.ones(columns), False, 2
            )
            assert found[:3] == (0, 0, 0)
            assert found[3].tolist() == [0] * columns
            assert _objective.scores(empty, np.ones(columns), 2).shape == (0,)


def test_read_only_arrays_are_accepted():
    for dtype in TYPES:
        case = make_case(5, 4, dtype)
        expected = _objective.risks(*case, False, 1)
        for array in case:
            array.flags.writeable = False
        assert _objective.risks(*case, False, 1)[0] == expected[0]
        assert _objective.scores(case[0], case[3], 1).shape == (5,)


BAD = {
    "features": [
        np.zeros((4, 2)),
        np.zeros(3),
        np.zeros((4, 6))[:, ::2],
        np.asfortranarray(np.zeros((4, 3))),
        np.zeros((4, 3), np.float16),
        np.zeros((4, 3), np.int32),
        None,
    ],
    "signs": [np.ones(3, np.int8), np.ones(5, np.int8), np.ones(4, np.int64), np.ones(4)],
    "weights": [np.ones(3), np.ones(5), np.ones(4, np.float32), np.ones((4, 1))],
    "u": [np.ones(2), np.ones(4), np.ones(3, np.float32), [1.0, 2.0, 3.0]],
    "n_threads": [0, -1, "one"],
}


@pytest.mark.parametrize(
    ("name", "number"), [(name, n) for name, values in BAD.items() for n in range(len(values))]
)
def test_bad_arguments_are_refused(name, number):
    good = {
        "features": np.zeros((4, 3)),
        "signs": np.ones(4, np.int8),
        "weights": np.ones(4),
        "u": np.ones(3),
        "convex": False,
        "n_threads": 1,
    }
    _objective.risks(**good)
    bad = {**good, name: BAD[name][number]}
    with pytest.raises((ValueError, TypeError)):
        _objective.risks(**bad)
    if name in ("features", "u", "n_threads"):
        with pytest.raises((ValueError, TypeError)):
            _objective.scores(bad["features"], bad["u"], bad["n_threads"])
