"""CategoricalHMM: EM's promises, recovery of a known model, and the estimator's contract."""

import itertools
import pickle
import warnings

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import xlogy
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from threadpoolctl import threadpool_limits

from sfmcore.data.ragged import Ragged
from sfmcore.models.hmm import CategoricalHMM
from tests.twins import core as twins


def make_batch(lengths, n_symbols, seed=0):
    random = np.random.default_rng(seed)
    shares = random.dirichlet(np.ones(n_symbols))
    return Ragged.from_items([random.choice(n_symbols, n, p=shares) for n in lengths])


def fitted(data, *, sample_weight=None, **parameters):
    """A model fitted without a word about convergence."""
    parameters = {"n_states": 3, "n_symbols": 5, "random_state": 0, **parameters}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return CategoricalHMM(**parameters).fit(data, sample_weight)


def simulate(start, transition, emission, lengths, seed=0):
    random = np.random.default_rng(seed)
    items = []
    for length in lengths:
        state, codes = random.choice(len(start), p=start), []
        for _ in range(length):
            codes.append(random.choice(emission.shape[1], p=emission[state]))
            state = random.choice(len(start), p=transition[state])
        items.append(codes)
    return Ragged.from_items(items)


def same_bits(one, other):
    return all(
        np.array_equal(one.get_arrays()[name], other.get_arrays()[name])
        for name in ("start", "transition", "emission")
    ) and np.array_equal(one.history_, other.history_)


def assert_proper(model):
    for block in model.get_arrays().values():
        assert np.all(block > 0)
        np.testing.assert_allclose(block.sum(-1), 1.0, rtol=1e-12)


@given(
    st.lists(st.integers(0, 40), min_size=1, max_size=12).filter(any),
    st.integers(1, 5),
    st.sampled_from([0.0, 0.1, 1.0]),
    st.integers(0, 100),
)
@settings(max_examples=40, deadline=None)
def test_history_never_falls_and_rows_sum_to_one(lengths, n_states, prior, seed):
    data = make_batch(lengths, 4, seed)
    model = fitted(
        data, n_states=n_states, n_symbols=6, prior=prior, n_init=2, max_iter=30, random_state=seed
    )
    # The rounding of one number a symbol. Without a prior, the floor of 1e-12 costs more.
    slack = 1e-12 if prior else 1e-9
    assert np.diff(model.history_).min() >= -slack
    assert len(model.history_) == model.n_iter_ + 1
    assert_proper(model)


def test_history_counts_the_e_steps_of_the_winner():
    # A short run of 9 E-steps, then 5 more; the state between them counts once.
    data = make_batch([40] * 10, 5)
    few, more = (fitted(data, max_iter=n, tol=0.0) for n in (0, 5))
    assert few.n_iter_ == 9
    assert more.n_iter_ == 14
    np.testing.assert_array_equal(more.history_[:10], few.history_)
    assert more.history_[-1] > few.history_[-1]


def test_last_history_is_the_objective_of_the_fitted_model():
    data = make_batch([30, 4, 0, 17], 5)
    model = fitted(data, prior=0.5)
    log_prior = 0.5 * sum(np.log(block).sum() for block in model.get_arrays().values())
    objective = (model.log_likelihood(data).sum() + log_prior) / 51
    assert model.history_[-1] == pytest.approx(objective, rel=1e-12)


def test_update_equals_the_map_estimate_of_the_twins_statistics():
    data = make_batch([30, 4, 0, 17], 5)
    model = fitted(data, max_iter=3, tol=0.0)
    blocks = model.start_, model.transition_, model.emission_
    sums = [
        np.sum(part, axis=0)
        for part in zip(*(twins.hmm_statistics(x, *blocks) for x in data), strict=True)
    ]
    model.update(np.concatenate([part.ravel() for part in sums]))
    for found, counts in zip(model.get_arrays().values(), sums, strict=True):
        np.testing.assert_allclose(found, (counts + 1) / (counts + 1).sum(-1, keepdims=True))


@pytest.mark.parametrize(
    "data",
    [
        Ragged.from_items([[0], [1], [1], [2]]),
        Ragged.from_items([[3] * 50]),
        Ragged.from_items([[0, 1, 2, 3] * 10]),
        Ragged.from_items([[0]]),
        Ragged.from_items([[0, 1], [], [2] * 300]),
    ],
    ids=["length 1 only", "constant", "one sequence", "one symbol", "a few"],
)
@pytest.mark.parametrize("prior", [0.0, 1.0])
def test_small_data_give_a_proper_model_with_finite_scores(data, prior):
    model = fitted(data, prior=prior)
    assert_proper(model)
    # Symbol 4 was never seen; an empty sequence is certain.
    other = Ragged.from_items([[4], [4, 4, 0], [], [0, 1, 2, 3, 4] * 200])
    scores = model.log_likelihood(other)
    assert np.all(np.isfinite(scores))
    assert scores[2] == 0
    assert np.all(scores[[0, 1, 3]] < 0)
    rows = np.empty((4, model.n_features), dtype=np.float32)
    model.expected_features(other, rows)
    assert np.all(np.isfinite(rows))


def test_empty_sequences_change_nothing():
    data = make_batch([20, 7, 33, 1], 5)
    with_empty = Ragged.from_items([b"", data[0], b"", data[1], data[2], b"", data[3], b""])
    one, other = fitted(data), fitted(with_empty)
    for name, block in one.get_arrays().items():
        np.testing.assert_allclose(other.get_arrays()[name], block, rtol=1e-10)
    np.testing.assert_allclose(other.history_, one.history_, rtol=1e-12)


@pytest.mark.parametrize("items", [[], [b""], [b"", b""]])
def test_nothing_to_learn_from_is_refused(items):
    with pytest.raises(ValueError, match="no symbol to learn from"):
        CategoricalHMM().fit(Ragged.from_items(items))


def test_codes_beyond_the_alphabet_are_refused():
    data = Ragged.from_items([[0, 5]])
    with pytest.raises(ValueError, match="a code is 5, the model has 5 symbols"):
        CategoricalHMM(2, 5).fit(data)
    with pytest.raises(ValueError, match="a code is 5, the model has 5 symbols"):
        fitted(make_batch([9], 5)).log_likelihood(data)


def test_a_known_model_is_recovered():
    start = np.array([0.8, 0.2])
    transition = np.array([[0.9, 0.1], [0.3, 0.7]])
    emission = np.array([[0.7, 0.2, 0.05, 0.05], [0.05, 0.05, 0.3, 0.6]])
    data = simulate(start, transition, emission, [60] * 200, seed=3)
    model = fitted(data, n_states=2, n_symbols=4, tol=1e-7)
    order = np.argsort(-model.emission_[:, 0])
    # 12,000 symbols: deviations of about 0.01, and of 0.03 for the 200 first states.
    np.testing.assert_allclose(model.transition_[order][:, order], transition, atol=0.03)
    np.testing.assert_allclose(model.emission_[order], emission, atol=0.03)
    np.testing.assert_allclose(model.start_[order], start, atol=0.1)


@pytest.mark.parametrize("n_states", [3, 10])
def test_any_number_of_threads_gives_the_same_bits(n_states):
    data = make_batch(np.random.default_rng(0).integers(0, 60, 300), 5)
    one, two = (fitted(data, n_states=n_states, max_iter=10, n_jobs=n) for n in (1, 2))
    assert same_bits(one, two)
    rows = [np.empty((300, one.n_features), dtype=np.float32) for _ in range(2)]
    for model, out in zip((one, two), rows, strict=True):
        model.expected_features(data, out)
    assert np.array_equal(*rows)
    assert np.array_equal(one.log_likelihood(data), two.log_likelihood(data))
    keys = one.content_keys(data)
    for model, out in zip((one, two), rows, strict=True):
        model.drawn_features(data, keys, 1, out)
    assert np.array_equal(*rows)


# Not strict: with one processor BLAS has one thread, and nothing can differ.
def test_any_number_of_blas_threads_gives_the_same_bits():
    data = make_batch([1, 2, 3] * 6700, 5)
    models = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads, user_api="blas"):
            models.append(fitted(data, n_states=2, n_init=1, max_iter=5))
    assert same_bits(*models)


def test_seed_decides():
    data = make_batch([40] * 10, 5)
    assert same_bits(fitted(data, random_state=1), fitted(data, random_state=1))
    assert not same_bits(fitted(data, random_state=1), fitted(data, random_state=2))
    state = np.random.RandomState(1)
    assert same_bits(fitted(data, random_state=1), fitted(data, random_state=state))


def test_more_starts_never_end_the_short_runs_lower():
    data = make_batch([40] * 10, 5)
    # The first start is the same, and the best short run goes on; 9 E-steps are the short run.
    few, many = (fitted(data, n_init=n, max_iter=0).history_[-1] for n in (1, 6))
    assert many >= few


def test_convergence_is_reported():
    data = make_batch([40] * 10, 5)
    with pytest.warns(ConvergenceWarning, match="EM stopped after"):
        model = CategoricalHMM(3, 5, n_init=1, max_iter=1, tol=1e-12, random_state=0).fit(data)
    assert not model.converged_
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = CategoricalHMM(3, 5, max_iter=5000, tol=1e-4, random_state=0).fit(data)
    assert model.converged_
    assert model.history_[-1] - model.history_[-2] < 1e-4


def many_short_items():
    # Two states that are easy to tell apart, so there is one optimum to find.
    transition = np.array([[0.9, 0.1], [0.1, 0.9]])
    emission = np.array([[0.6, 0.3, 0.1, 0.0], [0.0, 0.1, 0.3, 0.6]])
    return simulate(np.array([0.5, 0.5]), transition, emission, [20] * 1600)


def test_growing_samples_end_as_high_as_all_items_and_cost_fewer_e_steps_on_all(monkeypatch):
    data = many_short_items()
    sampled = fitted(data, n_states=2, n_symbols=4, prior=1.0, n_init=1, tol=1e-9)
    monkeypatch.setattr("sfmcore.models.hmm.growing_samples", lambda *_: [])
    whole = fitted(data, n_states=2, n_symbols=4, prior=1.0, n_init=1, tol=1e-9)
    assert sampled.n_iter_ < whole.n_iter_
    assert sampled.history_[-1] == pytest.approx(whole.history_[-1], abs=1e-4)
    objective = sampled.log_likelihood(data).sum() + sum(
        np.log(block).sum() for block in sampled.get_arrays().values()
    )
    assert sampled.history_[-1] == pytest.approx(objective / 32000, rel=1e-12)


def test_sampled_fits_know_weights_and_not_the_threads():
    data = many_short_items()
    parameters = {"n_states": 2, "n_symbols": 4, "n_init": 1}
    one = fitted(data, n_jobs=1, **parameters)
    assert same_bits(one, fitted(data, n_jobs=2, **parameters))
    twice = np.repeat(np.arange(1600), 2)
    weighted = fitted(data, sample_weight=np.full(1600, 2.0), **parameters)
    repeated = fitted(data[twice], **parameters)
    assert weighted.n_iter_ == repeated.n_iter_
    np.testing.assert_allclose(weighted.emission_, repeated.emission_, rtol=1e-8)


def test_weight_of_two_equals_a_duplicate():
    data = make_batch([20, 7, 33, 1], 5)
    twice = data[[0, 0, 1, 2, 2, 3]]
    weighted = fitted(data, sample_weight=[2, 1, 2, 1])
    repeated = fitted(twice)
    assert weighted.n_iter_ == repeated.n_iter_
    for name, block in repeated.get_arrays().items():
        np.testing.assert_allclose(weighted.get_arrays()[name], block, rtol=1e-8)
    np.testing.assert_allclose(weighted.history_, repeated.history_, rtol=1e-10)
    assert not np.allclose(fitted(data).emission_, repeated.emission_)


def test_weight_of_zero_leaves_an_item_out():
    data = make_batch([20, 7, 33, 1], 5)
    without, part = fitted(data, sample_weight=[1, 0, 1, 1]), fitted(data[[0, 2, 3]])
    for name, block in part.get_arrays().items():
        np.testing.assert_allclose(without.get_arrays()[name], block, rtol=1e-8)


@pytest.mark.parametrize("weights", [[0, 0], [1], [1, -1], [1, np.nan], [[1, 1]]], ids=repr)
def test_bad_weights_are_refused(weights):
    with pytest.raises(ValueError, match="sample_weight"):
        CategoricalHMM(2, 5).fit(make_batch([5, 6], 5), weights)


@pytest.mark.parametrize(
    "parameters",
    [
        {"n_states": 0},
        {"n_states": 2.5},
        {"n_symbols": 0},
        {"n_symbols": 257},
        {"n_init": 0},
        {"prior": -0.5},
    ],
    ids=repr,
)
def test_bad_parameters_are_refused_by_name(parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        CategoricalHMM(**parameters).fit(make_batch([5, 6], 5))


def test_parameters_and_clone():
    model = CategoricalHMM(4, 6, n_init=2, prior=0.5, n_jobs=2)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert copy.get_params()["prior"] == 0.5
    assert not hasattr(clone(fitted(make_batch([9], 5))), "start_")


@pytest.mark.parametrize("how", ["pickle", "joblib"])
def test_round_trip(how, tmp_path):
    data = make_batch([20, 7], 5)
    model = fitted(data)
    if how == "pickle":
        copy = pickle.loads(pickle.dumps(model))
    else:
        joblib.dump(model, tmp_path / "model")
        copy = joblib.load(tmp_path / "model")
    assert same_bits(model, copy)
    assert np.array_equal(copy.log_likelihood(data), model.log_likelihood(data))


def test_arrays_round_trip():
    data = make_batch([20, 7], 5)
    model = fitted(data)
    copy = CategoricalHMM(3, 5).set_arrays(model.get_arrays())
    assert np.array_equal(copy.log_likelihood(data), model.log_likelihood(data))
    assert np.array_equal(copy.map_weights(), model.map_weights())


def moved(block, share):
    """Rows that still sum to 1, with a share of the first cell moved to the second."""
    block = block.copy()
    block[..., 1] += share * block[..., 0]
    block[..., 0] -= share * block[..., 0]
    return block


@pytest.mark.parametrize("name", ["start", "transition", "emission"])
@pytest.mark.parametrize(
    "spoil",
    [
        lambda block: None,
        lambda block: block[..., :-1],
        lambda block: block.astype(np.float32),
        lambda block: block * 1.01,
        lambda block: moved(block, 1.0),
        lambda block: moved(block, 1.1),
        lambda block: np.full_like(block, np.nan),
        lambda block: np.full_like(block, np.inf),
    ],
    ids=["missing", "shape", "dtype", "sum", "zero", "negative", "nan", "infinite"],
)
def test_bad_arrays_are_refused(name, spoil):
    arrays = fitted(make_batch([20, 7], 5)).get_arrays()
    arrays = {**arrays, name: spoil(arrays[name])}
    if arrays[name] is None:
        del arrays[name]
    with pytest.raises(ValueError, match=name):
        CategoricalHMM(3, 5).set_arrays(arrays)


def test_unfitted_model_says_so():
    model, data = CategoricalHMM(3, 5), make_batch([4], 5)
    out = np.empty((1, model.n_features), dtype=np.float32)
    for call in (
        lambda: model.log_likelihood(data),
        lambda: model.expected_features(data, out),
        lambda: model.drawn_features(data, np.zeros(1, np.uint64), 1, out),
        model.map_weights,
        model.get_arrays,
    ):
        with pytest.raises(NotFittedError):
            call()


def test_feature_names_follow_the_columns():
    model = CategoricalHMM(2, 3).set_arrays(
        {
            "start": np.array([0.4, 0.6]),
            "transition": np.array([[0.7, 0.3], [0.2, 0.8]]),
            "emission": np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]]),
        }
    )
    names = model.feature_names()
    assert len(names) == len(set(names)) == model.n_features == 2 + 4 + 6 + 4
    weights = dict(zip(names, model.map_weights(), strict=True))
    assert weights["start1"] == np.log(0.6)
    assert weights["state1→state0"] == np.log(0.2)
    assert weights["state0:2"] == np.log(0.2)
    assert weights["log state0→state1"] == -1
    # A path that is drawn tells which column counts what.
    row = np.empty((1, model.n_features), dtype=np.float32)
    model.drawn_features(Ragged.from_items([[2, 1]]), np.zeros(1, np.uint64), 1, row)
    counts = {name: n for name, n in zip(names, row[0], strict=True) if n and name[0] == "s"}
    (start,) = (name for name in counts if name.startswith("start"))
    (step,) = (name for name in counts if "→" in name)
    first, second = step.replace("state", "").split("→")
    assert start == f"start{first}"
    assert set(counts) == {start, step, f"state{first}:2", f"state{second}:1"}


def test_sizes_are_lengths_of_at_least_one():
    data = Ragged.from_items([[0, 1], [], [2]])
    assert CategoricalHMM().sizes(data).tolist() == [2, 1, 1]


def enumerate_paths(codes, model):
    """State paths of a sequence and their posterior probabilities."""
    S = len(model.start_)
    paths = np.array(list(itertools.product(range(S), repeat=len(codes))))
    joint = model.start_[paths[:, 0]] * model.emission_[paths, codes].prod(1)
    joint *= model.transition_[paths[:, :-1], paths[:, 1:]].prod(1)
    return paths, joint / joint.sum()


def linear_value(model, data):
    """F(x, theta): the MAP classifier's weights on the expected features."""
    rows = np.empty((len(data), model.n_features), dtype=np.float32)
    model.expected_features(data, rows)
    return rows.astype(float) @ model.map_weights()


def peaked_model(seed=0):
    random = np.random.default_rng(seed)
    return CategoricalHMM(3, 5).set_arrays(
        {
            "start": random.dirichlet(np.ones(3)),
            "transition": random.dirichlet(np.full(3, 0.5), 3),
            "emission": random.dirichlet(np.full(5, 0.5), 3),
        }
    )


@pytest.mark.parametrize("codes", [[2], [0, 4], [1, 1, 3, 0], [4, 0, 2, 2, 1, 3]], ids=repr)
def test_linear_value_equals_likelihood_less_start_entropy_plus_divergence(codes):
    # With P the posterior of paths, q1 its first state and Q the chain that starts like P and
    # goes on by the row-normalised expected transitions:
    #     F = log P(x) - H(q1 | x) + KL(P || Q).
    # Q's transitions don't change with time as P's do, hence the divergence; and the features
    # hold no term for Q's start, hence the entropy.
    model, data = peaked_model(), Ragged.from_items([codes])
    paths, shares = enumerate_paths(codes, model)
    first, steps, _ = twins.hmm_statistics(data[0], *model.get_arrays().values())
    with np.errstate(divide="ignore"):
        rows = steps / np.maximum(steps.sum(1, keepdims=True), 1e-300)
        chain = first[paths[:, 0]] * rows[paths[:, :-1], paths[:, 1:]].prod(1)
    divergence = np.sum(xlogy(shares, shares) - xlogy(shares, chain))
    entropy = -np.sum(xlogy(first, first))
    wanted = model.log_likelihood(data)[0] - entropy + divergence
    assert linear_value(model, data)[0] == pytest.approx(wanted, abs=1e-5)
    if len(codes) <= 2:
        assert divergence == pytest.approx(0, abs=1e-12)


@given(st.lists(st.integers(0, 30), min_size=1, max_size=10), st.integers(0, 100))
@settings(max_examples=40, deadline=None)
def test_linear_value_is_bounded_below_by_the_entropy_of_the_start(lengths, seed):
    model, data = peaked_model(seed), make_batch(lengths, 5, seed)
    value, scores = linear_value(model, data), model.log_likelihood(data)
    rows = np.empty((len(data), model.n_features), dtype=np.float32)
    model.expected_features(data, rows)
    first = rows[:, :3].astype(float)
    entropy = -np.sum(xlogy(first, first), axis=1)
    slack = 1e-5 * (1 + np.abs(scores))
    assert np.all(value >= scores - entropy - slack)
    # log P(x, q) is at most log P(x), and a step's entropy at most log 3.
    steps = np.maximum(data.lengths - 1, 0)
    assert np.all(value <= scores + steps * np.log(3) + slack)


def test_linear_value_is_no_lower_bound_of_the_likelihood():
    # Expected features come from the exact posterior, not from Q, so F is not the paper's
    # variational bound; it may lie above log P(x).
    model, data = peaked_model(), make_batch([60] * 20, 5)
    assert np.any(linear_value(model, data) > model.log_likelihood(data) + 1)
