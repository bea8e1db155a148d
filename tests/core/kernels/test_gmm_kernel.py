"""The mixture's kernel against its NumPy twin, and itself in other batches."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sfmcore.kernels import _gmm, _random
from tests.twins import core as twins


def make_model(n_components, n_columns, seed=0, shift=0.0):
    random = np.random.default_rng([seed, n_components, n_columns])
    return (
        random.dirichlet(np.ones(n_components)),
        random.normal(0, 2, (n_components, n_columns)) + shift,
        random.uniform(0.2, 3, (n_components, n_columns)),
    )


def make_items(n_items, n_columns, seed=0, shift=0.0):
    random = np.random.default_rng([seed, n_items, n_columns])
    return random.normal(0, 3, (n_items, n_columns)) + shift


def n_features(model):
    n_components, n_columns = model[1].shape
    return 2 * n_components * (1 + n_columns)


def expected(items, model, n_threads=1):
    out = np.full((len(items), n_features(model)), np.nan, dtype=np.float32)
    scores = _gmm.expected_features(items, *model, out, n_threads)
    return out, scores


def enumerated(items, model, n_threads=1):
    out = np.full((len(items) * len(model[0]), n_features(model)), np.nan, dtype=np.float32)
    shares = _gmm.enumerated_features(items, *model, out, n_threads)
    return out, shares


def keys_for(items, seed=0):
    return _random.stream_keys(seed, 1, np.arange(len(items), dtype=np.uint64))


def drawn(items, model, keys, n_draws, n_threads=1):
    out = np.full((len(items) * n_draws, n_features(model)), np.nan, dtype=np.float32)
    _gmm.drawn_features(items, *model, keys, n_draws, out, n_threads)
    return out


def all_results(items, model):
    """What every function gives."""
    sample_weight = np.random.default_rng(0).uniform(0, 2, len(items))
    rows = np.zeros((3, len(items) * len(model[0]), n_features(model)), dtype=np.float32)
    draws = np.zeros((len(items) * 3, n_features(model)), dtype=np.float32)
    _gmm.expected_features(items, *model, rows[0, : len(items)], 1)
    _gmm.enumerated_features(items, *model, rows[1], 1)
    _gmm.drawn_features(items, *model, keys_for(items), 3, draws, 1)
    return [
        rows,
        draws,
        _gmm.log_likelihood(items, *model, 1),
        _gmm.posterior(items, *model, 1),
        *_gmm.expected_statistics(items, *model, sample_weight, 1),
    ]


@pytest.mark.parametrize(("n_items", "n_columns"), [(1, 1), (7, 3), (64, 8), (70, 9), (131, 65)])
@pytest.mark.parametrize("n_components", [1, 2, 3, 8, 11])
def test_all_widths_of_vectors_agree(in_width, n_items, n_columns, n_components):
    items, model = make_items(n_items, n_columns), make_model(n_components, n_columns)
    items[0] = 1e200  # of no density
    results = []
    for width in (512, 256, 128):
        with in_width(width):
            results.append(all_results(items, model))
    wide, half, least = results
    for one, other in zip(wide, half, strict=True):
        np.testing.assert_array_equal(one, other)
    for one, other in zip(wide, least, strict=True):
        # Rows of float32 round.
        rtol = 1e-11 if one.dtype == np.float64 else 2e-6
        np.testing.assert_allclose(one, other, rtol=rtol, atol=1e-11)


def close_rows(found, twin):
    # The rounding of float32; a log share near 0 has that of the log densities.
    np.testing.assert_allclose(found, twin, rtol=2e-6, atol=1e-11)


# Counts around the eight lanes and the blocks of 64; columns around whole vectors of eight.
@st.composite
def cases(draw, max_components=19, max_columns=27):
    n_components, n_columns = (
        draw(st.integers(1, max_components)),
        draw(st.integers(1, max_columns)),
    )
    n_items = draw(st.sampled_from([0, 1, 2, 7, 8, 9, 17, 63, 64, 65, 130]))
    seed = draw(st.integers(0, 1000))
    shift = draw(st.sampled_from([0.0, 1e6]))
    return (
        make_items(n_items, n_columns, seed, shift),
        make_model(n_components, n_columns, seed, shift),
    )


@given(cases())
@settings(max_examples=100, deadline=None)
def test_log_likelihood_and_posterior_equal_twin(case):
    items, model = case
    if not len(items):
        assert _gmm.log_likelihood(items, *model, 1).shape == (0,)
        assert _gmm.posterior(items, *model, 1).shape == (0, len(model[0]))
        return
    log_shares, scores = twins.gmm_posterior(items, *model)
    np.testing.assert_allclose(_gmm.log_likelihood(items, *model, 1), scores, rtol=1e-12)
    shares = _gmm.posterior(items, *model, 1)
    np.testing.assert_allclose(shares, np.exp(log_shares), rtol=1e-10, atol=1e-300)
    np.testing.assert_allclose(shares.sum(1), 1.0, rtol=1e-14)


@given(cases(), st.integers(0, 99))
@settings(max_examples=100, deadline=None)
def test_expected_statistics_equal_twin(case, seed):
    items, model = case
    weights = np.random.default_rng(seed).uniform(0, 3, len(items))
    total, scores = _gmm.expected_statistics(items, *model, weights, 1)
    if not len(items):
        assert not total.any()
        assert len(total) == n_features(model) - len(model[0])
        return
    twin = twins.gmm_statistics(items, *model, weights)
    size = np.abs(twin).max()
    np.testing.assert_allclose(total, twin, rtol=1e-9, atol=1e-12 * size)
    assert np.array_equal(scores, _gmm.log_likelihood(items, *model, 1))


@given(cases(max_components=11, max_columns=18))
@settings(max_examples=60, deadline=None)
def test_expected_features_equal_twin(case):
    items, model = case
    found, scores = expected(items, model)
    assert np.array_equal(scores, _gmm.log_likelihood(items, *model, 1))
    if len(items):
        log_shares = twins.gmm_posterior(items, *model)[0]
        twin = [twins.gmm_row(x, np.exp(a), a) for x, a in zip(items, log_shares, strict=True)]
        close_rows(found, twin)


@given(cases(max_components=6, max_columns=18))
@settings(max_examples=60, deadline=None)
def test_enumerated_features_equal_twin(case):
    items, model = case
    found, shares = enumerated(items, model)
    assert np.array_equal(shares, _gmm.posterior(items, *model, 1))
    if len(items):
        log_shares = twins.gmm_posterior(items, *model)[0]
        twin = [
            twins.gmm_row(x, z, a)
            for x, a in zip(items, log_shares, strict=True)
            for z in np.eye(len(model[0]))
        ]
        close_rows(found, twin)


@given(cases(max_components=11, max_columns=18), st.integers(1, 3), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_draws_follow_the_twins_components_and_the_enumerated_rows(case, n_draws, seed):
    items, model = case
    keys = keys_for(items, seed)
    found = drawn(items, model, keys, n_draws)
    if not len(items):
        return
    rows = enumerated(items, model)[0].reshape(len(items), len(model[0]), -1)
    log_shares = twins.gmm_posterior(items, *model)[0]
    for item, key in enumerate(keys):
        uniforms = twins.uniform_stream(int(key), n_draws)
        for draw, uniform in enumerate(uniforms):
            component = twins.gmm_component(log_shares[item], uniform)
            assert np.array_equal(found[item * n_draws + draw], rows[item, component])


def test_draws_have_the_frequencies_of_the_shares():
    model = make_model(5, 3, seed=2)
    item = make_items(1, 3, seed=2) * 0.3
    shares = _gmm.posterior(item, *model, 1)[0]
    n_draws = 50_000
    found = drawn(item, model, keys_for(item, 3), n_draws)[:, :5]
    # Every component is expected often enough for the test's approximation.
    assert np.all(shares * n_draws > 5)
    # A fixed seed: the limit is a fair test's at 1e-3.
    assert stats.chisquare(found.sum(0), shares * n_draws).pvalue > 1e-3


@given(cases(max_components=11), st.data())
@settings(max_examples=60, deadline=None)
def test_rows_have_the_same_bits_alone_and_in_any_batch(case, data):
    items, model = case
    keys = keys_for(items)
    rows, scores = expected(items, model)
    draws = drawn(items, model, keys, 2).reshape(len(items), 2, n_features(model))
    picked = data.draw(st.permutations(range(len(items)))) if len(items) else []
    picked = picked[: data.draw(st.integers(0, len(items)))]
    if not picked:
        return
    part = items[picked]
    own_rows, own_scores = expected(part, model)
    assert np.array_equal(own_rows, rows[picked])
    assert np.array_equal(own_scores, scores[picked])
    own = drawn(part, model, keys[picked], 2).reshape(len(part), 2, -1)
    assert np.array_equal(own, draws[picked])


def test_strange_neighbours_leave_the_bits_alone():
    model = make_model(5, 3)
    usual = make_items(3, 3)
    strange = np.array([[1e200, 0, 0], [np.nan, 1, 1], [np.inf, 0, 0], [1e5, -1e5, 0]])
    # The usual ones among the strange, and strange ones for the lanes that are left.
    both = np.concatenate([strange[:2], usual, strange[2:], strange])
    assert np.array_equal(_gmm.posterior(both, *model, 1)[2:5], _gmm.posterior(usual, *model, 1))
    scores = _gmm.log_likelihood(both, *model, 1)
    assert np.array_equal(scores[2:5], _gmm.log_likelihood(usual, *model, 1))
    # Nothing is hidden: an overflow has no likelihood, and NaN stays NaN.
    assert scores[0] == -np.inf
    assert np.isnan(scores[1])


@pytest.mark.parametrize(("n_components", "n_columns"), [(3, 5), (10, 20), (20, 3)])
def test_any_number_of_threads_gives_the_same_bits(n_components, n_columns):
    model = make_model(n_components, n_columns)
    # At least four chunks of every function.
    items = make_items(2000, n_columns)
    weights = np.random.default_rng(1).uniform(0, 1, 2000)
    results = []
    for n_threads in (1, 2, 3):
        total, scores = _gmm.expected_statistics(items, *model, weights, n_threads)
        arrays = [
            total,
            scores,
            _gmm.log_likelihood(items, *model, n_threads),
            _gmm.posterior(items, *model, n_threads),
            *expected(items, model, n_threads),
            *enumerated(items, model, n_threads),
            drawn(items, model, keys_for(items), 2, n_threads),
        ]
        results.append([a.tobytes() for a in arrays])
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize(
    ("n_items", "n_components", "n_columns"),
    # Chunks that grow with the items; few chunks, since their sums are large; many of both.
    [(70_000, 2, 3), (5000, 60, 900), (40, 150, 1500)],
)
def test_large_sizes_equal_sums_of_features(n_items, n_components, n_columns):
    items = make_items(n_items, n_columns)
    model = make_model(n_components, n_columns)
    model = model[0], model[1] * 0.05, model[2] * 10
    weights = np.random.default_rng(1).uniform(0, 1, n_items)
    total, scores = _gmm.expected_statistics(items, *model, weights, 2)
    assert np.array_equal(scores, _gmm.log_likelihood(items, *model, 1))
    shares = _gmm.posterior(items, *model, 1)
    assert np.all(shares.max(1) > 0)
    np.testing.assert_allclose(shares.sum(1), 1.0, rtol=1e-13)
    weighted = shares * weights[:, None]
    np.testing.assert_allclose(total[:n_components], weighted.sum(0), rtol=1e-11, atol=1e-200)
    first, second = total[n_components:].reshape(2, n_components, n_columns)
    for k in (0, n_components - 1):
        difference = items - model[1][k]
        part = weighted[:, [k]] * difference
        size = np.abs(part).sum() + 1e-200
        np.testing.assert_allclose(first[k], part.sum(0), rtol=1e-9, atol=1e-13 * size)
        np.testing.assert_allclose(second[k], (part * difference).sum(0), rtol=1e-10, atol=1e-200)


def test_far_outliers_have_finite_shares_that_sum_to_one():
    weights, means, variances = model = make_model(4, 3)
    # A thousand deviations away: every density is 0 in floating point.
    items = means[[0, 1, 2]] + 1e3 * np.sqrt(variances[[0, 1, 2]]) * [[1], [-1], [1]]
    assert np.all(_gmm.log_likelihood(items, *model, 1) < -1e5)
    shares = _gmm.posterior(items, *model, 1)
    np.testing.assert_allclose(shares.sum(1), 1.0, rtol=1e-15)
    rows, scores = expected(items, model)
    assert np.all(np.isfinite(rows))
    assert np.all(np.isfinite(scores))
    np.testing.assert_allclose(scores, twins.gmm_posterior(items, *model)[1], rtol=1e-12)
    # Beyond 1e154 a square overflows: then the weights are all there is to say.
    np.testing.assert_allclose(
        _gmm.posterior(np.full((1, 3), 1e200), *model, 1)[0], weights, rtol=1e-14
    )


def test_log_shares_end_at_the_floor():
    # Shares of 1, about exp(-500) and about exp(-1e6), which is 0.
    model = np.full(3, 1 / 3), np.array([[0.0], [np.sqrt(1000)], [np.sqrt(2e6)]]), np.ones((3, 1))
    rows = enumerated(np.zeros((1, 1)), model)[0]
    np.testing.assert_allclose(np.diag(rows[:, -3:]), [0, -500, np.log(1e-300)], rtol=1e-6)
    assert expected(np.zeros((1, 1)), model)[0][0, -1] == 0.0


def test_components_without_weight_take_no_part():
    weights, means, variances = make_model(3, 4)
    items = make_items(20, 4)
    without = np.array([weights[0], 0.0, weights[2]])
    rest = without[[0, 2]], means[[0, 2]], variances[[0, 2]]
    shares = _gmm.posterior(items, without, means, variances, 1)
    assert not shares[:, 1].any()
    np.testing.assert_allclose(shares[:, [0, 2]], _gmm.posterior(items, *rest, 1), rtol=1e-12)
    assert not drawn(items, (without, means, variances), keys_for(items), 50)[:, 1].any()


def test_statistics_around_the_means_keep_their_digits_far_from_zero():
    weights, means, variances = make_model(3, 2)
    # In multiples of 1 / 1024 a shift by 2**30 rounds nothing: only the place differs.
    items, means = np.round(make_items(500, 2) * 1024) / 1024, np.round(means * 1024) / 1024
    near, far = (
        _gmm.expected_statistics(x, weights, m, variances, np.ones(500), 1)
        for x, m in [(items, means), (items + 2.0**30, means + 2.0**30)]
    )
    assert np.array_equal(near[0], far[0])
    assert np.array_equal(near[1], far[1])


def test_rows_written_into_a_column_slice_leave_the_rest_alone():
    model = make_model(3, 4)
    items = make_items(5, 4)
    width = n_features(model)
    keys = keys_for(items)
    writers = [
        (5, lambda out: _gmm.expected_features(items, *model, out, 1), expected(items, model)[0]),
        (
            15,
            lambda out: _gmm.enumerated_features(items, *model, out, 1),
            enumerated(items, model)[0],
        ),
        (
            10,
            lambda out: _gmm.drawn_features(items, *model, keys, 2, out, 1),
            drawn(items, model, keys, 2),
        ),
    ]
    for n_rows, write, contiguous in writers:
        wide = np.full((n_rows, width + 8), -7, dtype=np.float32)
        write(wide[:, 3 : 3 + width])
        assert np.array_equal(wide[:, 3 : 3 + width], contiguous)
        assert np.all(wide[:, :3] == -7)
        assert np.all(wide[:, 3 + width :] == -7)
        # Rows that run backwards in memory are rows, too.
        backwards = np.empty((n_rows, width), dtype=np.float32)[::-1]
        write(backwards)
        assert np.array_equal(backwards, contiguous)


def test_read_only_inputs_are_accepted():
    model, items = make_model(3, 4), make_items(9, 4)
    keys, weights = keys_for(items), np.ones(9)
    for array in (items, keys, weights, *model):
        array.flags.writeable = False
    _gmm.log_likelihood(items, *model, 1)
    _gmm.posterior(items, *model, 1)
    _gmm.expected_statistics(items, *model, weights, 1)
    expected(items, model)
    enumerated(items, model)
    drawn(items, model, keys, 1)


def test_parameters_may_be_lists_or_slices():
    weights, means, variances = make_model(3, 4)
    items = make_items(9, 4)
    plain = _gmm.log_likelihood(items, weights, means, variances, 1)
    lists = weights.tolist(), means.tolist(), variances.tolist()
    assert np.array_equal(_gmm.log_likelihood(items, *lists, 1), plain)
    strided = weights, np.repeat(means, 2, axis=1)[:, ::2], np.asfortranarray(variances)
    assert np.array_equal(_gmm.log_likelihood(items, *strided, 1), plain)


MODEL = make_model(3, 4)
ITEMS = make_items(5, 4)
WIDTH = n_features(MODEL)
GOOD = dict(zip(["items", "weights", "means", "variances"], (ITEMS, *MODEL), strict=True))
BAD = {
    "items of another dtype": {"items": ITEMS.astype(np.float32)},
    "items in one dimension": {"items": ITEMS.ravel()},
    "items with a stride": {"items": np.repeat(ITEMS, 2, axis=1)[:, ::2]},
    "items as a list": {"items": ITEMS.tolist()},
    "no items": {"items": None},
    "items of other columns": {"items": ITEMS[:, :3].copy()},
    "items without columns": {
        "items": np.zeros((5, 0)),
        "means": np.zeros((3, 0)),
        "variances": np.zeros((3, 0)),
    },
    "weights of another size": {"weights": np.full(2, 0.5)},
    "weights in two dimensions": {"weights": np.full((3, 1), 0.3)},
    "a negative weight": {"weights": np.array([0.6, 0.6, -0.2])},
    "weights of zero": {"weights": np.zeros(3)},
    "a weight that is NaN": {"weights": np.array([0.5, 0.5, np.nan])},
    "an infinite weight": {"weights": np.array([0.5, 0.5, np.inf])},
    "means of another shape": {"means": np.zeros((3, 3))},
    "means in one dimension": {"means": np.zeros(12)},
    "variances of another shape": {"variances": np.ones((2, 4))},
    "a variance of zero": {"variances": np.where(np.eye(3, 4), 0.0, 1.0)},
    "a negative variance": {"variances": np.where(np.eye(3, 4), -1.0, 1.0)},
    "a variance that is NaN": {"variances": np.where(np.eye(3, 4), np.nan, 1.0)},
    "a variance too small to divide by": {"variances": np.where(np.eye(3, 4), 1e-310, 1.0)},
    "variances as words": {"variances": np.full((3, 4), "a")},
    "no components": {
        "weights": np.zeros(0),
        "means": np.zeros((0, 4)),
        "variances": np.zeros((0, 4)),
    },
    "no thread": {"n_threads": 0},
    "less than no thread": {"n_threads": -2},
    "threads as a word": {"n_threads": "two"},
}


@pytest.mark.parametrize("name", BAD)
def test_bad_arguments_are_refused_by_every_function(name):
    bad = {**GOOD, "n_threads": 1, **BAD[name]}
    n_threads = bad.pop("n_threads")
    out, every = np.zeros((5, WIDTH), np.float32), np.zeros((15, WIDTH), np.float32)
    calls = [
        lambda: _gmm.log_likelihood(*bad.values(), n_threads),
        lambda: _gmm.posterior(*bad.values(), n_threads),
        lambda: _gmm.expected_statistics(*bad.values(), np.ones(5), n_threads),
        lambda: _gmm.expected_features(*bad.values(), out, n_threads),
        lambda: _gmm.enumerated_features(*bad.values(), every, n_threads),
        lambda: _gmm.drawn_features(*bad.values(), keys_for(ITEMS), 1, out, n_threads),
    ]
    for call in calls:
        with pytest.raises((ValueError, TypeError)):
            call()
    assert not out.any()
    assert not every.any()


READ_ONLY = np.zeros((5, WIDTH), np.float32)
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    "out",
    [
        np.zeros((5, WIDTH)),
        np.zeros((5, WIDTH), ">f4"),
        np.zeros((4, WIDTH), np.float32),
        np.zeros((5, WIDTH - 1), np.float32),
        np.zeros(5 * WIDTH, np.float32),
        np.zeros((WIDTH, 5), np.float32).T,
        np.zeros((5, 2 * WIDTH), np.float32)[:, ::2],
        READ_ONLY,
    ],
    ids=["float64", "big-endian", "rows", "columns", "flat", "transposed", "strided", "read-only"],
)
def test_bad_outputs_are_refused(out):
    with pytest.raises(ValueError, match=r"out|writable|read-only"):
        _gmm.expected_features(*GOOD.values(), out, 1)
    with pytest.raises(ValueError, match=r"out|writable|read-only"):
        _gmm.drawn_features(*GOOD.values(), keys_for(ITEMS), 1, out, 1)
    with pytest.raises(ValueError, match=r"out|writable|read-only"):
        _gmm.enumerated_features(*GOOD.values(), np.repeat(out, 3, axis=0)[:-1], 1)


def test_bad_weights_keys_and_draws_are_refused():
    out = np.zeros((5, WIDTH), np.float32)
    with pytest.raises(ValueError, match="sample_weight"):
        _gmm.expected_statistics(*GOOD.values(), np.ones(4), 1)
    with pytest.raises(ValueError, match="dimension"):
        _gmm.expected_statistics(*GOOD.values(), np.ones((5, 1)), 1)
    with pytest.raises(ValueError, match="keys"):
        _gmm.drawn_features(*GOOD.values(), keys_for(ITEMS)[:2].copy(), 1, out, 1)
    with pytest.raises(ValueError, match="dtype"):
        _gmm.drawn_features(*GOOD.values(), np.zeros(5, np.int64), 1, out, 1)
    with pytest.raises(ValueError, match="out"):
        _gmm.drawn_features(*GOOD.values(), keys_for(ITEMS), -1, out, 1)
    with pytest.raises(ValueError, match="out"):
        _gmm.drawn_features(*GOOD.values(), keys_for(ITEMS), 2, out, 1)
    nothing = np.zeros((0, WIDTH), np.float32)
    _gmm.drawn_features(*GOOD.values(), keys_for(ITEMS), 0, nothing, 1)
