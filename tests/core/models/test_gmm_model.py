"""DiagonalGMM: EM's promises, recovery of known clusters, and the estimator's contract."""

import pickle

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.mixture import GaussianMixture
from threadpoolctl import threadpool_limits

from sfmcore.kernels import _random
from sfmcore.models.gmm import DiagonalGMM

# Nothing here may warn unless a test asks for it.
pytestmark = pytest.mark.filterwarnings("error")


def make_data(n_items, n_columns, seed=0):
    random = np.random.default_rng([seed, n_items, n_columns])
    return random.normal(0, 1, (n_items, n_columns)) * random.choice([1, 5], (n_items, 1))


def fitted(data, *, sample_weight=None, **parameters):
    """A model fitted without a word about convergence."""
    parameters = {"n_components": 3, "random_state": 0, **parameters}
    return DiagonalGMM(**parameters).estimate(data, sample_weight)


def same_bits(one, other):
    arrays = other.get_arrays()
    return all(np.array_equal(a, arrays[name]) for name, a in one.get_arrays().items()) and (
        np.array_equal(one.history_, other.history_)
    )


def expected(model, data):
    rows = np.full((len(data), model.n_features), np.nan, dtype=np.float32)
    model.expected_features(data, rows)
    return rows


def enumerated(model, data):
    n_rows = len(data) * model.n_configurations
    rows = np.full((n_rows, model.n_features), np.nan, dtype=np.float32)
    return rows, model.enumerated_features(data, rows)


def peer_of(model):
    """scikit-learn's mixture with the same parameters."""
    peer = GaussianMixture(model.n_components, covariance_type="diag")
    peer.weights_, peer.means_, peer.covariances_ = model.weights_, model.means_, model.variances_
    peer.precisions_cholesky_ = 1 / np.sqrt(model.variances_)
    return peer


@given(
    st.integers(1, 40),
    st.integers(1, 5),
    st.integers(1, 6),
    st.sampled_from([0.0, 0.1, 1.0]),
    st.sampled_from([0.0, 0.1, 1.0]),
    st.sampled_from([1e-6, 1e-3, 0.5]),
    st.integers(0, 100),
)
@settings(max_examples=60, deadline=None)
def test_history_never_falls(
    n_items, n_columns, n_components, prior, variance_prior, variance_floor, seed
):
    data = make_data(n_items, n_columns, seed).round(1)
    weights = np.random.default_rng(seed).uniform(0.1, 2, n_items)
    model = fitted(
        data,
        sample_weight=weights,
        n_components=n_components,
        prior=prior,
        variance_prior=variance_prior,
        variance_floor=variance_floor,
        n_init=2,
        max_iter=30,
        random_state=seed,
    )
    # Rounding. Without a prior, the weights' floor of 1e-12 costs more.
    slack = 1e-12 if prior else 1e-10
    if model.n_iter_:
        assert np.diff(model.history_).min() >= -slack * (1 + np.abs(model.history_).max())
    assert len(model.history_) == model.n_iter_ + 1
    assert np.all(model.weights_ > 0)
    np.testing.assert_allclose(model.weights_.sum(), 1, rtol=1e-12)
    assert np.all(model.variances_ >= variance_floor * model.column_variance_)
    assert np.all(np.isfinite(model.means_))


def test_history_counts_the_e_steps_of_the_winner():
    # A short run of 9 E-steps, then 5 more; the state between them counts once.
    data = make_data(200, 3)
    few, more = (fitted(data, max_iter=n, tol=0.0) for n in (0, 5))
    assert few.n_iter_ == 9
    assert more.n_iter_ == 14
    np.testing.assert_array_equal(more.history_[:10], few.history_)
    assert more.history_[-1] > few.history_[-1]


def test_last_history_is_the_objective_of_the_fitted_model():
    data, weights = make_data(60, 3), np.linspace(0.1, 2, 60)
    model = fitted(data, sample_weight=weights, prior=0.5, variance_prior=2.0)
    ratio = model.column_variance_ / model.variances_
    log_prior = 0.5 * np.log(model.weights_).sum() + 0.5 * 2.0 * (np.log(ratio) - ratio).sum()
    objective = (weights @ model.log_likelihood(data) + log_prior) / weights.sum()
    assert model.history_[-1] == pytest.approx(objective, rel=1e-12)


def moments(shares, data):
    """Shares, means and variances of the items by component, in NumPy."""
    counts = shares.sum(0)
    means = shares.T @ data / counts[:, None]
    spread = (shares[:, :, None] * (data[:, None] - means) ** 2).sum(0)
    return counts, means, spread


def test_the_optimum_is_a_fixed_point_of_the_map_estimate():
    data = make_data(300, 3)
    model = fitted(data, tol=0.0, max_iter=3000, prior=0.5, variance_prior=2.0)
    counts, means, spread = moments(peer_of(model).predict_proba(data), data)
    np.testing.assert_allclose(model.weights_, (counts + 0.5) / (300 + 1.5), rtol=1e-4)
    np.testing.assert_allclose(model.means_, means, atol=1e-3)
    variances = (spread + 2 * data.var(0)) / (counts[:, None] + 2)
    np.testing.assert_allclose(model.variances_, variances, rtol=1e-3)
    np.testing.assert_allclose(model.column_variance_, data.var(0), rtol=1e-12)


def test_update_equals_the_map_estimate_of_the_statistics():
    data = make_data(50, 3) + 2.0
    model = fitted(data)
    assert model.n_statistics == 3 * 7
    shares = peer_of(model).predict_proba(data)
    rows = expected(model, data).astype(float)
    model.update(rows.sum(0)[: model.n_statistics])
    counts, means, spread = moments(shares, data)
    np.testing.assert_allclose(model.weights_, (counts + 1) / 53, rtol=1e-5)
    np.testing.assert_allclose(model.means_, means, rtol=1e-5, atol=1e-5)
    variances = (spread + data.var(0)) / (counts[:, None] + 1)
    np.testing.assert_allclose(model.variances_, variances, rtol=1e-4)


def test_update_of_lost_digits_ends_at_the_floor():
    data = make_data(50, 2)
    model = fitted(data, variance_prior=0.0)
    before = model.means_.copy()
    # Sums of squares that rounding left below what the sums ask for; and an empty component.
    counts, first, second = np.array([10.0, 5.0, 0.0]), np.full((3, 2), 30.0), np.full((3, 2), 80.0)
    model.update(np.concatenate([counts, first.ravel(), second.ravel()]))
    np.testing.assert_allclose(model.variances_[0], 1e-3 * model.column_variance_)
    np.testing.assert_allclose(model.means_[:2], [[3, 3], [6, 6]])
    assert np.array_equal(model.means_[2], before[2])


def test_log_likelihood_equals_scikit_learn():
    data = make_data(100, 4)
    model = fitted(data, n_components=5)
    peer = peer_of(model)
    np.testing.assert_allclose(model.log_likelihood(data), peer.score_samples(data), rtol=1e-12)
    np.testing.assert_allclose(
        enumerated(model, data)[1], peer.predict_proba(data), rtol=1e-9, atol=1e-300
    )


@pytest.mark.parametrize("offset", [0.0, 1e5])
def test_well_separated_clusters_are_recovered(offset):
    random = np.random.default_rng(1)
    centres = np.array([[0.0, 0.0], [20.0, 0.0], [0.0, 30.0], [25.0, 30.0]]) + offset
    deviations = np.array([[1.0, 2.0], [0.5, 1.0], [2.0, 1.0], [1.0, 1.0]])
    sizes = [400, 100, 300, 200]
    labels = np.repeat(range(4), sizes)
    data = random.permutation(centres[labels] + deviations[labels] * random.normal(size=(1000, 2)))
    model = fitted(data, n_components=4, variance_prior=0.01)
    order = [int(np.argmin(((model.means_ - c) ** 2).sum(1))) for c in centres]
    assert sorted(order) == [0, 1, 2, 3]
    np.testing.assert_allclose(model.weights_[order], np.array(sizes) / 1000, atol=0.005)
    # Within four standard errors.
    errors = deviations / np.sqrt(sizes)[:, None]
    assert np.all(np.abs(model.means_[order] - centres) < 4 * errors)
    ratios = np.sqrt(model.variances_[order]) / deviations
    assert np.all(np.abs(ratios - 1) < 4 / np.sqrt(2 * np.array(sizes))[:, None])


@pytest.mark.parametrize("offset", [1e4, 1e6])
def test_float32_far_from_zero_has_the_variance_of_its_numbers(offset):
    random = np.random.default_rng(0)
    data = (random.normal(size=(500, 3)) * [1, 2, 4] + offset).astype(np.float32)
    model = fitted(data, n_components=1)
    exact = data.astype(np.float64)
    np.testing.assert_allclose(model.column_variance_, exact.var(0), rtol=1e-10)
    np.testing.assert_allclose(model.variances_[0], exact.var(0), rtol=1e-10)
    near = fitted(exact - offset, n_components=4)
    far = fitted(data, n_components=4)
    np.testing.assert_allclose(far.variances_, near.variances_, rtol=1e-5)
    np.testing.assert_allclose(far.log_likelihood(data), near.log_likelihood(exact - offset), 1e-5)


SMALL = {
    "far apart": [[9999], [0]],
    "one row": [[1.0, 2.0]],
    "one number": [[-3.0]],
    "zeros": np.zeros((4, 2)),
    "equal rows": np.full((5, 3), 7.7),
    "a constant column": np.column_stack([np.arange(6.0), np.full(6, 1e6)]),
    "more columns than rows": np.random.default_rng(0).normal(size=(3, 50)),
    "two kinds of rows": np.repeat([[0.0, 1.0], [1.0, 0.0]], 7, axis=0),
    "tiny numbers": np.array([[1e-170], [2e-170], [0.0]]),
    "small numbers": np.array([[1e-30], [2e-30], [5e-30]]),
    "large numbers": np.array([[1e17, 1.0], [-1e17, 2.0], [3e16, 3.0]]),
    "one apart": np.append(np.zeros(50), 1e8)[:, None],
}


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("variance_prior", [0.0, 1.0])
@pytest.mark.parametrize("prior", [0.0, 1.0])
def test_small_data_give_a_finite_model(name, variance_prior, prior):
    data = np.asarray(SMALL[name], dtype=float)
    for n_components in (1, 2, 8):
        model = fitted(data, n_components=n_components, prior=prior, variance_prior=variance_prior)
        for array in model.get_arrays().values():
            assert np.all(np.isfinite(array))
        assert np.all(model.variances_ > 0)
        assert np.all(np.isfinite(model.log_likelihood(data)))
        assert np.all(np.isfinite(model.log_likelihood(np.full((1, data.shape[1]), 1e3))))
        assert np.all(np.isfinite(model.map_weights()))
        assert np.all(np.isfinite(expected(model, data)))
        assert np.all(np.isfinite(enumerated(model, data)[0]))
        # Taking the model back asks for what fitting gives.
        clone(model).set_arrays(model.get_arrays())


def test_a_constant_column_counts_as_one_of_variance_one():
    model = fitted(SMALL["a constant column"], n_components=1, variance_prior=2.0)
    assert model.column_variance_.tolist() == [pytest.approx(35 / 12), 1.0]
    np.testing.assert_allclose(model.variances_[0], [35 / 12, 2 / 8])
    model = fitted(SMALL["a constant column"], n_components=1, variance_prior=0.0)
    np.testing.assert_allclose(model.variances_[0], [35 / 12, 1e-3])


def test_column_variance_is_what_prior_and_floor_refer_to():
    data = np.repeat([[0.0, 0.0], [1.0, 1.0]], 5, axis=0)
    one = fitted(data, n_components=1, column_variance=[4.0, 9.0], variance_prior=2.0)
    np.testing.assert_allclose(one.variances_[0], (10 * 0.25 + 2 * np.array([4.0, 9.0])) / 12)
    one = fitted(data, n_components=1, column_variance=100.0, variance_prior=0, variance_floor=0.01)
    np.testing.assert_allclose(one.variances_[0], [1.0, 1.0])
    assert one.column_variance_.tolist() == [100.0, 100.0]


@pytest.mark.parametrize(
    "column_variance", [0.0, -1.0, np.nan, np.inf, [1.0], [1.0, 0.0], [[1.0, 1.0]], [1.0, np.inf]]
)
def test_bad_column_variances_are_refused(column_variance):
    with pytest.raises(ValueError, match="column_variance"):
        fitted(make_data(5, 2), column_variance=column_variance)


def test_an_empty_component_keeps_its_mean():
    data = make_data(20, 2)
    model = fitted(data)
    model.means_ = model.means_.copy()
    model.means_[1] = 1e9
    statistics = np.concatenate([[20.0, 0, 0], np.zeros(12)])
    before = model.means_[1:].copy()
    model.update(statistics)
    assert np.array_equal(model.means_[1:], before)
    np.testing.assert_allclose(model.variances_[1], model.column_variance_)
    assert model.weights_[1] == pytest.approx(1 / 23)


def test_the_order_of_the_rows_changes_no_bit():
    data = make_data(150, 4)
    weights = np.random.default_rng(0).uniform(0, 1, 150)
    # Some rows twice, with weights whose sum rounds in some order.
    data, weights = np.concatenate([data, data[:20], data[:20]]), np.append(weights, weights[:40])
    order = np.random.default_rng(5).permutation(190)
    assert same_bits(
        fitted(data, sample_weight=weights), fitted(data[order], sample_weight=weights[order])
    )


def test_rows_are_taken_in_lexicographic_order():
    random = np.random.default_rng(0)
    values = np.array([-np.pi, -1.0, -1e-300, 0.0, 1e-310, 2.0, 1e17, -1e17])
    data = random.choice(values, (200, 3))
    data[::3][data[::3] == 0] = -0.0
    order = np.lexsort(data.T[::-1])
    distinct = np.unique(data, axis=0)
    model = fitted(data, n_components=8, variance_prior=0.0)
    assert same_bits(model, fitted(data[order], n_components=8, variance_prior=0.0))
    weights = [np.sum(np.all(data == row, axis=1)) for row in distinct]
    merged = fitted(distinct, sample_weight=weights, n_components=8, variance_prior=0.0)
    assert same_bits(model, merged)


def test_weight_of_two_is_a_duplicate_to_the_last_bit():
    data = make_data(60, 3)
    weights = np.random.default_rng(0).integers(0, 4, 60)
    weighted = fitted(data, sample_weight=weights)
    assert same_bits(weighted, fitted(np.repeat(data, weights, axis=0)))
    assert not same_bits(weighted, fitted(data))


def test_weight_of_zero_leaves_an_item_out():
    data = make_data(60, 3)
    weights = np.where(np.arange(60) % 3, 1.0, 0.0)
    spoilt = np.where(weights[:, None] > 0, data, 1e9)
    assert same_bits(fitted(spoilt, sample_weight=weights), fitted(data[weights > 0]))


def test_tiny_weights_still_find_the_means():
    data = make_data(60, 3)
    tiny = fitted(data, sample_weight=np.full(60, 1e-200), prior=0, variance_prior=0)
    usual = fitted(data, prior=0, variance_prior=0)
    np.testing.assert_allclose(tiny.means_, usual.means_, rtol=1e-6, atol=1e-6)


def test_units_do_not_matter():
    data = make_data(200, 3)
    units = np.array([1.0, 1e3, 1e-4])
    one, other = fitted(data), fitted(data * units)
    np.testing.assert_allclose(other.means_, one.means_ * units, rtol=1e-7)
    np.testing.assert_allclose(other.variances_, one.variances_ * units**2, rtol=1e-7)


@pytest.mark.parametrize("weights", [[0, 0], [1], [1, -1], [1, np.nan], [[1, 1]]], ids=repr)
def test_bad_weights_are_refused(weights):
    with pytest.raises(ValueError, match="sample_weight"):
        fitted(make_data(2, 3), sample_weight=weights)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (np.zeros((0, 3)), "no item"),
        (np.zeros((3, 0)), "rows of numbers"),
        (np.zeros(3), "rows of numbers"),
        (np.zeros((2, 2, 2)), "rows of numbers"),
        ([[1.0, np.nan]], "finite"),
        ([[1.0, -np.inf]], "finite"),
        ([[1.0, 2e18]], "1e\\+18"),
        ([["a", "b"]], "could not convert"),
    ],
)
def test_bad_items_are_refused(data, message):
    with pytest.raises(ValueError, match=message):
        fitted(data)
    if np.ndim(data) != 2 or np.shape(data)[1:] == (2,):
        with pytest.raises(ValueError, match=message):
            fitted(make_data(5, 2)).log_likelihood(data)


def test_items_of_other_columns_are_refused():
    model = fitted(make_data(5, 2))
    for call in (
        lambda: model.log_likelihood(np.zeros((2, 3))),
        lambda: model.content_keys(np.zeros((2, 3))),
        lambda: expected(model, np.zeros((2, 3))),
    ):
        with pytest.raises(ValueError, match="3 columns, the model 2"):
            call()


def test_no_items_to_score_are_no_trouble():
    model, nothing = fitted(make_data(5, 2)), np.zeros((0, 2))
    assert model.log_likelihood(nothing).shape == (0,)
    assert model.content_keys(nothing).shape == (0,)
    assert expected(model, nothing).shape == (0, model.n_features)
    assert enumerated(model, nothing)[1].shape == (0, 3)


@pytest.mark.parametrize(
    "parameters",
    [
        {"n_components": 0},
        {"n_components": 2.5},
        {"n_init": 0},
        {"max_iter": -1},
        {"tol": -1e-3},
        {"prior": -0.5},
        {"variance_prior": -0.5},
        {"variance_floor": 0.0},
        {"variance_floor": np.inf},
    ],
    ids=repr,
)
def test_bad_parameters_are_refused_by_name(parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        DiagonalGMM(**parameters).fit(make_data(5, 2))


@pytest.mark.parametrize(("n_items", "n_components", "n_columns"), [(2000, 5, 3), (600, 10, 20)])
def test_any_number_of_threads_gives_the_same_bits(n_items, n_components, n_columns):
    data = make_data(n_items, n_columns)
    # Of the kernel, BLAS and OpenMP alike.
    models = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads):
            model = fitted(data, n_components=n_components, max_iter=10, n_jobs=n_threads)
            keys = model.content_keys(data)
            rows = np.empty((n_items, model.n_features), dtype=np.float32)
            model.drawn_features(data, keys, 1, rows)
            results = [rows, expected(model, data), *enumerated(model, data)]
            results.append(model.log_likelihood(data))
            models.append((model, results))
    (one, ones), (two, twos) = models
    assert same_bits(one, two)
    assert all(np.array_equal(a, b) for a, b in zip(ones, twos, strict=True))


def test_seed_decides():
    data = make_data(100, 3)
    assert same_bits(fitted(data, random_state=1), fitted(data, random_state=1))
    assert not same_bits(fitted(data, random_state=1), fitted(data, random_state=2))
    state = np.random.RandomState(1)
    assert same_bits(fitted(data, random_state=1), fitted(data, random_state=state))


def test_more_starts_never_end_the_short_runs_lower():
    data = make_data(100, 3)
    # The first start is the same, and the best short run goes on.
    few, many = (fitted(data, n_init=n, max_iter=0).history_[-1] for n in (1, 6))
    assert many >= few


def test_convergence_is_reported():
    data = make_data(100, 3)
    with pytest.warns(ConvergenceWarning, match="EM stopped after"):
        model = DiagonalGMM(3, n_init=1, max_iter=1, tol=1e-12, random_state=0).fit(data)
    assert not model.converged_
    model = DiagonalGMM(3, random_state=0).fit(data)
    assert model.converged_
    assert model.history_[-1] - model.history_[-2] < 1e-6


def test_parameters_and_clone():
    model = DiagonalGMM(4, n_init=2, prior=0.5, column_variance=np.ones(2), n_jobs=2)
    copy = clone(model)
    assert copy.get_params()["prior"] == 0.5
    assert np.array_equal(copy.column_variance, np.ones(2))
    assert not hasattr(clone(fitted(make_data(5, 2))), "means_")


@pytest.mark.parametrize("how", ["pickle", "joblib"])
def test_round_trip(how, tmp_path):
    data = make_data(50, 3)
    model = fitted(data)
    if how == "pickle":
        copy = pickle.loads(pickle.dumps(model))
    else:
        joblib.dump(model, tmp_path / "model")
        copy = joblib.load(tmp_path / "model")
    assert same_bits(model, copy)
    assert np.array_equal(copy.log_likelihood(data), model.log_likelihood(data))


def test_arrays_round_trip():
    data = make_data(50, 3)
    model = fitted(data)
    copy = DiagonalGMM(3).set_arrays(model.get_arrays())
    assert copy.n_features == model.n_features
    assert np.array_equal(copy.log_likelihood(data), model.log_likelihood(data))
    assert np.array_equal(copy.map_weights(), model.map_weights())
    # A model that was read can be updated, too.
    statistics = expected(model, data).sum(0, dtype=float)[: model.n_statistics]
    assert np.array_equal(copy.update(statistics).variances_, model.update(statistics).variances_)


SPOILT = {
    "missing": lambda array: None,
    "shape": lambda array: array[..., :-1],
    "dtype": lambda array: array.astype(np.float32),
    "nan": lambda array: np.full_like(array, np.nan),
    "infinite": lambda array: np.full_like(array, np.inf),
    "flat": lambda array: array.ravel()[: array.shape[-1]][None, None],
}
PLACES = [
    (name, kind) for name in ("weights", "means", "variances", "column_variance") for kind in SPOILT
]


@pytest.mark.parametrize(("name", "kind"), PLACES)
def test_bad_arrays_are_refused(name, kind):
    arrays = fitted(make_data(50, 3)).get_arrays()
    arrays = {**arrays, name: SPOILT[kind](arrays[name])}
    if arrays[name] is None:
        del arrays[name]
    with pytest.raises(ValueError, match="must be"):
        DiagonalGMM(3).set_arrays(arrays)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("weights", [0.5, 0.5, 0.0]),
        ("weights", [0.7, 0.7, -0.4]),
        ("weights", [0.3, 0.3, 0.3]),
        ("variances", np.zeros((3, 3))),
        ("variances", -np.ones((3, 3))),
        ("variances", np.full((3, 3), 1e-310)),
        ("column_variance", np.zeros(3)),
    ],
)
def test_bad_numbers_in_arrays_are_refused(name, value):
    arrays = {**fitted(make_data(50, 3)).get_arrays(), name: np.array(value)}
    with pytest.raises(ValueError, match=name):
        DiagonalGMM(3).set_arrays(arrays)


def test_arrays_of_another_number_of_components_are_refused():
    with pytest.raises(ValueError, match="weights must be float64 of shape"):
        DiagonalGMM(4).set_arrays(fitted(make_data(50, 3)).get_arrays())


def test_unfitted_model_says_so():
    model, data = DiagonalGMM(3), make_data(4, 2)
    out = np.empty((4, 18), dtype=np.float32)
    for call in (
        lambda: model.n_features,
        lambda: model.n_statistics,
        lambda: model.log_likelihood(data),
        lambda: model.expected_features(data, out),
        lambda: model.enumerated_features(data, out),
        lambda: model.drawn_features(data, np.zeros(4, np.uint64), 1, out),
        lambda: model.content_keys(data),
        lambda: model.update(np.zeros(15)),
        model.map_weights,
        model.feature_names,
        model.get_arrays,
    ):
        with pytest.raises(NotFittedError):
            call()
    assert model.n_configurations == 3


def test_feature_names_and_sizes():
    data = make_data(30, 2)
    model = fitted(data, n_components=2)
    assert model.feature_names() == [
        *("component0", "component1"),
        *("component0 x0", "component0 x1", "component1 x0", "component1 x1"),
        *("component0 x0^2", "component0 x1^2", "component1 x0^2", "component1 x1^2"),
        *("log component0", "log component1"),
    ]
    assert len(model.feature_names()) == model.n_features == model.n_statistics + 2
    assert model.sizes(data).tolist() == [1.0] * 30


def test_content_keys_follow_the_numbers():
    model = fitted(make_data(30, 2))
    keys = model.content_keys([[0.0, 1.0], [-0.0, 1.0], [1.0, 0.0], [0.0, 1.0000001]])
    assert keys[0] == keys[1]
    assert len(set(keys.tolist())) == 3
    single = np.array([[0.5, 0.1]], dtype=np.float32)
    assert model.content_keys(single) == model.content_keys(single.astype(np.float64))
    strided = np.asfortranarray(make_data(30, 2))
    assert np.array_equal(model.content_keys(strided), model.content_keys(make_data(30, 2)))


@given(st.integers(1, 30), st.integers(1, 6), st.integers(1, 5), st.integers(0, 50))
@settings(max_examples=50, deadline=None)
def test_exact_features_times_map_weights_are_the_likelihood(
    n_items, n_columns, n_components, seed
):
    data = make_data(n_items, n_columns, seed)
    model = fitted(data, n_components=n_components, n_init=1, max_iter=5)
    scores, weights = model.log_likelihood(data), model.map_weights()
    rows = expected(model, data)
    # Float32 rounds every term.
    slack = 1e-6 * (np.abs(rows) @ np.abs(weights) + 1)
    assert np.all(np.abs(rows @ weights - scores) <= slack)
    # So it is for every component alone whose share is above the floor: the posterior is exact.
    every, shares = enumerated(model, data)
    slack = 1e-6 * (np.abs(every) @ np.abs(weights) + 1)
    errors = np.abs(every @ weights - np.repeat(scores, n_components))
    assert np.all((errors <= slack) | (shares.ravel() < 1e-290))
    # And the components' rows, times their probabilities, are what is expected.
    mean = (every.reshape(n_items, n_components, -1) * shares[:, :, None]).sum(1)
    np.testing.assert_allclose(mean, rows, rtol=1e-5, atol=1e-6)


def test_mean_of_draws_equals_expected_features():
    data = make_data(4, 3)
    model = fitted(make_data(100, 3))
    n_draws = 20_000
    rows = np.empty((4 * n_draws, model.n_features), dtype=np.float32)
    model.drawn_features(data, model.content_keys(data), n_draws, rows)
    rows = rows.reshape(4, n_draws, -1)
    errors = rows.std(1, dtype=np.float64) / np.sqrt(n_draws)
    # Five standard errors for each of 96 cells, with a fixed seed.
    difference = np.abs(rows.mean(1, dtype=np.float64) - expected(model, data))
    assert np.all(difference <= 5 * errors + 1e-4)


def test_draws_follow_the_content():
    data = make_data(40, 3)
    model = fitted(data)
    seeds = _random.stream_keys(3, 1, model.content_keys(data))
    rows = np.empty((40 * 2, model.n_features), dtype=np.float32)
    model.drawn_features(data, seeds, 2, rows)
    order = np.random.default_rng(0).permutation(40)
    moved = np.empty_like(rows)
    keys = _random.stream_keys(3, 1, model.content_keys(data[order]))
    model.drawn_features(data[order], keys, 2, moved)
    assert np.array_equal(moved.reshape(40, 2, -1), rows.reshape(40, 2, -1)[order])
