"""Algorithm 1: what each of its steps promises, and the items' votes."""

from dataclasses import replace

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from sfmcore.bounds.objective import Objective, bound_slope, bound_value, upper_tail
from sfmcore.data.ragged import Ragged
from sfmcore.kernels import _random
from sfmcore.learning.algorithm import (
    _exponents,
    _improve_classifier,
    _update_models,
    solve,
    solve_path,
)
from sfmcore.learning.prepare import _learn_prior, _part_of_each_sign, objective_on, prepare
from sfmcore.learning.settings import Settings
from sfmcore.learning.starts import _informed, map_direction
from sfmcore.learning.task import Task
from sfmcore.models.hmm import CategoricalHMM

N_SYMBOLS = 4


@pytest.fixture(autouse=True, scope="module")
def one_blas_thread():
    """As under an estimator: a busy machine makes BLAS threads wait for each other."""
    with threadpool_limits(limits=1, user_api="blas"):
        yield


def make_problem(n_items=24, seed=0, n_unlabelled=0):
    """Sequences of two classes that differ in their symbols; the last ones are unlabelled."""
    random = np.random.default_rng(seed)
    shares = {1: [0.4, 0.3, 0.2, 0.1], -1: [0.1, 0.2, 0.3, 0.4]}
    classes = np.where(np.arange(n_items + n_unlabelled) % 2, -1, 1)
    items = [random.choice(N_SYMBOLS, random.integers(5, 20), p=shares[c]) for c in classes]
    signs = classes.astype(np.int8)
    signs[n_items:] = 0
    return Ragged.from_items(items), signs


def make_prepared(data, signs, *, seed=3, n_threads=1, **settings):
    model = CategoricalHMM(2, N_SYMBOLS, n_init=1, max_iter=20)
    task = Task.of(data, signs, seed=seed, n_threads=n_threads)
    return prepare(task, model, Settings(**settings))


def learnt(*, n_unlabelled=0, n_items=24, **settings):
    prepared = make_prepared(*make_problem(n_items, n_unlabelled=n_unlabelled), **settings)
    return prepared, solve(prepared)


def everything(prepared):
    """Mask of all items: those of u, where nothing is kept apart."""
    return prepared.task.split.classifier


def prior_items(prepared):
    """The items that u_0 was learnt on, which are the first that the seed is asked for."""
    task, fraction = prepared.task, prepared.settings.prior_fraction
    return _part_of_each_sign(task, fraction, np.random.default_rng(task.seed))


def model_bits(pair):
    models = (pair.mapping.positive, pair.mapping.negative)
    return [array.tobytes() for model in models for array in model.get_arrays().values()]


# Settings


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("n_draws", (0, -1, 2.5, "five", True, None)),
        ("coupling", (-0.1, 1.1, "full", np.nan, None)),
        ("conditioning", ("false", 1, 0)),
        ("clip", (0, -1.0, np.inf, np.nan, "wide")),
        ("n_landmarks", (-1, 2.5, "all", None)),
        ("n_shared_models", (-1, 2.5, "all", None)),
        ("kernel_rank", (-1, 2.5, "all", None)),
        ("gamma", (0, -1.0, np.inf, "scale")),
        ("C", (0, -1.0, np.inf, np.nan, 10**400, "best", True, None)),
        ("prior", ("ridge", None, 0)),
        ("prior_fraction", (-0.1, 1.0, np.nan, "half")),
        ("max_iter", (0, -1, 1.5, "many", True)),
        ("tol", (-1e-9, np.nan, np.inf, "small")),
        ("optimizer", ("adam", None)),
        ("learning_rate_u", (0, -1.0, np.nan, "fast")),
        ("learning_rate_C", (0, -1.0, np.inf, "fast")),
        ("n_restarts", (-1, 0.5, "few")),
        ("sampler", ("gibbs", None)),
        ("max_proposals", (0, 2.5, None)),
        ("refit", ("false", 1, None)),
        ("vote", ("mean", None)),
        ("delta", (0.0, 1.0, np.nan, "0.05")),
        ("unlabeled_weight", (-0.1, 1.1, np.nan, "little", True)),
    ],
)
def test_settings_refuse_a_bad_value_by_name(name, values):
    for value in values:
        with pytest.raises(ValueError, match=rf"^{name} must") as caught:
            Settings(**{name: value})
        assert repr(value) in str(caught.value)


def test_every_setting_has_a_refusal_above():
    (mark,) = test_settings_refuse_a_bad_value_by_name.pytestmark
    assert {name for name, _ in mark.args[1]} == set(Settings.__dataclass_fields__)


def test_settings_take_numpy_scalars():
    settings = Settings(
        n_draws=np.int64(3),
        coupling=np.float32(0.5),
        C=np.int64(20),
        refit=np.bool_(False),
        vote=np.str_("raw"),
        max_iter=np.int32(2),
    )
    assert settings.n_draws == 3


def test_a_prior_is_learnt_or_taken_from_the_models_not_both():
    with pytest.raises(ValueError, match="leave prior at 'zero'"):
        Settings(prior="map", prior_fraction=0.25)


def test_what_is_linear_in_the_features_is_refused_beside_landmarks():
    with pytest.raises(ValueError, match="leave prior at 'zero', or n_landmarks at 0"):
        Settings(prior="map", n_landmarks=10)
    with pytest.raises(ValueError, match="use 'auto' or 'rejection', or leave n_landmarks at 0"):
        Settings(n_draws=2, coupling=1.0, sampler="enumeration", n_landmarks=10)


def test_prior_of_the_models_is_the_map_classifier_at_the_length_of_the_lowest_J():
    prepared, pair = learnt(prior="map")
    objective = prepared.objective(prepared.rows, everything(prepared), pair.C)
    direction = map_direction(objective, prepared.mapping)
    u0 = pair.prior_mean
    np.testing.assert_allclose(u0 / np.linalg.norm(u0), direction, rtol=1e-12)
    # At a tiny C nothing but the prior counts.
    np.testing.assert_allclose(solve(prepared, C=1e-6).u, u0, atol=1e-3 * np.linalg.norm(u0))
    objective.prior_mean = np.zeros_like(u0)
    lowest = objective(u0)[0]
    for factor in (0.8, 0.95, 1.05, 1.25):
        assert objective(factor * u0)[0] >= lowest


def test_coupling_needs_draws():
    with pytest.raises(ValueError, match=r"coupling.*set n_draws to an integer"):
        Settings(coupling=0.5, n_draws="exact")
    Settings(coupling=0.5, n_draws=1)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"n_draws": 2}, "leave n_draws at 'exact'"),
        ({"conditioning": True}, "leave conditioning at None"),
        ({"n_landmarks": 10}, "leave n_landmarks at 0"),
        ({"prior": "map"}, "there is no MAP prior: leave it at 'zero'"),
    ],
)
def test_what_has_no_use_without_models_is_refused(values, message):
    with pytest.raises(ValueError, match=message):
        Settings(**values).check_without_models()
    Settings(conditioning=False, prior_fraction=0.25, C="bound").check_without_models()


# What is prepared once


DRAWN = {"n_draws": 2, "coupling": 1.0, "max_iter": 2, "prior_fraction": 0.3, "n_restarts": 1}


@pytest.mark.parametrize("settings", [{"n_restarts": 1}, DRAWN], ids=["exact", "coupled draws"])
def test_a_task_is_prepared_once_for_any_number_of_searches(settings):
    prepared, first = learnt(**settings)
    bits = first.u.tobytes(), model_bits(first), first.objective
    solve(prepared, C=0.5)
    again = solve(prepared)
    assert (again.u.tobytes(), model_bits(again), again.objective) == bits
    assert again.C == prepared.settings.C


def test_another_C_of_a_path_begins_again_with_the_models_of_em():
    prepared, _ = learnt(**DRAWN)
    before = [model.get_arrays()["emission"].tobytes() for model in prepared.models]
    pairs = list(solve_path(prepared, [0.5, 4.0]))
    assert [model.get_arrays()["emission"].tobytes() for model in prepared.models] == before
    assert [pair.C for pair in pairs] == [0.5, 4.0]
    assert len({tuple(model_bits(pair)) for pair in pairs}) == 2
    alone = solve(prepared, 0.5)
    assert (alone.u.tobytes(), model_bits(alone)) == (pairs[0].u.tobytes(), model_bits(pairs[0]))


def test_models_of_an_earlier_call_are_not_fitted_again(monkeypatch):
    prepared, pair = learnt(C=7.0)
    monkeypatch.delattr(CategoricalHMM, "estimate")
    monkeypatch.setattr(CategoricalHMM, "__abstractmethods__", frozenset())
    model = CategoricalHMM(2, N_SYMBOLS)
    again = prepare(prepared.task, model, Settings(C=7.0), prepared.models)
    assert again.models == prepared.models
    assert solve(again).u.tobytes() == pair.u.tobytes()


# Expected features


def test_exact_learning_has_no_loop_and_its_objective_is_J_at_u():
    prepared, pair = learnt(C=7.0, prior_fraction=0.3)
    task = prepared.task
    assert (pair.n_iter, pair.converged, pair.acceptance) == (1, True, [])
    rows = pair.mapping.features(task.items, "exact")
    J = Objective(rows, task.signs, 7.0, len(rows), prior_mean=pair.prior_mean)
    value, slope = J(pair.u)
    assert pair.objective == [pytest.approx(value, rel=1e-12)]
    assert pair.bound == [pytest.approx(bound_value(value, 7.0, len(rows), 0.05), rel=1e-12)]
    assert np.abs(slope).max() < 1e-4
    assert value < J(pair.prior_mean)[0]


def test_exact_models_are_those_of_em_alone():
    prepared, pair = learnt()
    task = prepared.task
    own = task.items[np.flatnonzero(task.signs == 1)]
    seed = int(np.random.SeedSequence([task.seed, 0]).generate_state(1)[0])
    alone = CategoricalHMM(2, N_SYMBOLS, n_init=1, max_iter=20, random_state=seed).estimate(own)
    assert model_bits(pair)[:3] == [array.tobytes() for array in alone.get_arrays().values()]


@pytest.mark.parametrize(
    "settings", [{}, {"n_draws": 3, "coupling": 1.0, "n_restarts": 1, "prior_fraction": 0.3}]
)
def test_same_seed_gives_the_same_bits_and_another_seed_does_not(settings):
    runs = [learnt(seed=seed, max_iter=1, **settings)[1] for seed in (3, 3, 4)]
    runs.append(learnt(seed=3, n_threads=2, max_iter=1, **settings)[1])
    bits = [(pair.u.tobytes(), pair.objective, *model_bits(pair)) for pair in runs]
    assert bits[0] == bits[1] == bits[3]
    assert bits[0] != bits[2]


# The loop


def test_loop_ends_at_its_tolerance_or_at_its_limit():
    _, pair = learnt(n_draws=2, max_iter=4, tol=0.0)
    assert (pair.n_iter, pair.converged) == (4, False)
    # The first fit of u, one a turn, and the last one on draws as in prediction.
    assert len(pair.objective) == len(pair.bound) == 6
    _, pair = learnt(n_draws=2, max_iter=4, tol=1e9)
    assert (pair.n_iter, pair.converged) == (1, True)
    _, pair = learnt(n_draws=2, max_iter=4, tol=1e9, refit=False)
    assert len(pair.objective) == 2


def test_last_fit_of_u_is_on_draws_from_the_posterior():
    prepared, pair = learnt(n_draws=3, coupling=1.0, max_iter=2, C=9.0)
    task = prepared.task
    rows = pair.mapping.features(task.items, 3, task.keys(0))
    signs = np.repeat(task.signs, 3)
    J = Objective(rows, signs, 9.0, task.n_items, prior_mean=pair.prior_mean)
    value, slope = J(pair.u)
    assert pair.objective[-1] == pytest.approx(value, rel=1e-12)
    assert np.abs(slope).max() < 1e-4


def test_models_are_updated_from_the_draws_of_their_own_class():
    prepared, pair = learnt(n_items=70, n_unlabelled=9, n_draws=3, max_iter=1)
    data, mapping = prepared.task.items, pair.mapping
    raw = mapping.raw(data, 3, prepared.task.keys(5))
    own = np.repeat(prepared.task.signs, 3)
    split = mapping.positive.n_features
    expected = []
    for model, first, sign in ((mapping.positive, 0, 1), (mapping.negative, split, -1)):
        block = raw[own == sign, first : first + model.n_statistics].astype(float)
        twin = CategoricalHMM(2, N_SYMBOLS).update(block.sum(0) / 3)
        expected += list(twin.get_arrays().values())
    rows = _update_models(prepared, pair, mapping, everything(prepared), 5)
    # What u is learnt from are the same draws, of the models before the update.
    assert np.array_equal(rows, mapping.condition(data, raw))
    models = (mapping.positive, mapping.negative)
    found = [array for model in models for array in model.get_arrays().values()]
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize("coupling", [0.3, 1.0])
def test_coupled_learning_records_the_share_of_accepted_proposals(coupling):
    _, pair = learnt(n_draws=2, coupling=coupling, C=0.5, max_iter=3, tol=0.0)
    assert len(pair.acceptance) == 3
    assert all(0 < share < 1 for share in pair.acceptance)


def test_more_coupling_accepts_less_and_none_records_nothing():
    weak, strong = (
        learnt(n_draws=2, coupling=c, C=0.5, max_iter=1)[1].acceptance[0] for c in (0.1, 1.0)
    )
    assert strong < weak
    assert learnt(n_draws=2, coupling=0.0, max_iter=1)[1].acceptance == []


def test_coupled_learning_ends_where_nothing_is_accepted():
    # Equal sequences of both classes are misclassified half of the time, and kappa is 2.4e7.
    data = Ragged.from_items([[0, 1, 2, 3, 2, 1]] * 24)
    signs = np.resize([1, -1], 24).astype(np.int8)
    drawn = {"n_draws": 3, "coupling": 1.0, "max_iter": 2, "tol": 0.0}
    pair = solve(make_prepared(data, signs, C=1e6, **drawn))
    assert len(pair.acceptance) == 2
    assert pair.acceptance[0] == 0.0
    assert np.isfinite(pair.u).all()
    assert np.isfinite(pair.objective).all()
    assert np.isfinite(pair.votes(data, 1)).all()


def test_gradient_step_does_not_raise_J_on_the_rows_of_its_iteration():
    # A rate far too large must be halved until J falls.
    for rate in (1e-3, 1.0, 1e5):
        prepared, pair = learnt(n_draws=2, optimizer="gradient", learning_rate_u=rate, max_iter=2)
        every = everything(prepared)
        for iteration in range(10, 14):
            rows = _update_models(prepared, pair, pair.mapping, every, iteration)
            J = prepared.objective(rows, every, pair.C)
            before, slope = J(pair.u)
            _improve_classifier(pair, J, prepared.settings)
            after = J(pair.u)[0]
            assert after <= before
            assert pair.objective[-1] == pytest.approx(after, rel=1e-12)
            assert after < before or np.abs(slope).max() < 1e-4


# C


def test_C_of_the_bound_is_where_its_slope_is_zero():
    prepared, pair = learnt(C="bound", delta=0.1)
    rows = pair.mapping.features(prepared.task.items, "exact")
    J = Objective(rows, prepared.task.signs, 1.0, len(rows), prior_mean=pair.prior_mean)
    risk, divergence = J.risks(pair.u).total, J.divergence(pair.u)
    values = {}
    for C in (pair.C, 0.9 * pair.C, 1.1 * pair.C):
        value = C * risk + divergence / len(rows)
        values[C] = bound_value(value, C, len(rows), 0.1)
    assert min(values, key=values.get) == pair.C != 1.0
    value = pair.C * risk + divergence / len(rows)
    assert abs(bound_slope(value, risk, pair.C, len(rows), 0.1)) < 1e-4
    assert pair.objective[-1] == pytest.approx(value)
    assert pair.bound[-1] == pytest.approx(values[pair.C])


@pytest.mark.parametrize("optimizer", ["lbfgs", "gradient"])
def test_C_of_the_bound_changes_from_turn_to_turn(optimizer):
    _, pair = learnt(C="bound", n_draws=2, optimizer=optimizer, max_iter=3, tol=0.0)
    assert pair.C > 0
    assert pair.C != 1.0
    # It is the one of the last turn, and those before had others.
    same_C = [bound_value(value, pair.C, 24, 0.05) for value in pair.objective]
    assert same_C[-1] == pair.bound[-1]
    assert same_C[:-1] != pair.bound[:-1]
    assert np.isfinite(pair.bound).all()


def test_gradient_step_of_C_goes_down_the_slope_of_the_bound():
    prepared, pair = learnt(C="bound", n_draws=2, optimizer="gradient", learning_rate_C=0.25)
    task, C = prepared.task, pair.C
    rows = pair.mapping.features(task.items, 2, task.keys(9))
    own = prepared.objective(rows, everything(prepared), C)
    _improve_classifier(pair, own, prepared.settings)
    J = Objective(rows, np.repeat(task.signs, 2), C, task.n_items, prior_mean=pair.prior_mean)
    slope = bound_slope(J(pair.u)[0], J.risks(pair.u).total, C, task.n_items, 0.05)
    np.testing.assert_allclose(pair.C, C - 0.25 * slope)
    assert slope != 0


# Unlabelled items


@pytest.mark.parametrize("weight", [1.0, 0.1])
def test_unlabelled_items_enter_J_by_their_disagreement(weight):
    prepared, pair = learnt(n_unlabelled=10, C=5.0, unlabeled_weight=weight)
    rows = pair.mapping.features(prepared.task.items, "exact")
    shares = upper_tail(-rows[24:].astype(float) @ pair.u)
    disagreement = np.mean(2 * shares * (1 - shares))
    risks = Objective(rows, prepared.task.signs, 5.0, 34).risks(pair.u)
    assert risks.disagreement == pytest.approx(disagreement, rel=1e-5)
    expected = 5.0 * (risks.gibbs + weight * disagreement / 2)
    expected += pair.u @ pair.u / 2 / (24 + weight * 10)
    assert pair.objective == [pytest.approx(expected, rel=1e-5)]
    assert disagreement > 1e-3


def test_unlabelled_items_of_weight_0_leave_no_trace_in_J():
    prepared, pair = learnt(n_unlabelled=10, C=5.0, unlabeled_weight=0.0)
    rows = pair.mapping.features(prepared.task.items, "exact")[:24]
    J = Objective(rows, prepared.task.signs[:24], 5.0, 24)
    assert pair.objective == [pytest.approx(J(pair.u)[0], rel=1e-5)]
    assert np.abs(J(pair.u)[1]).max() < 1e-4


def test_unlabelled_items_change_the_classifier_but_not_the_models():
    without, with_some = learnt()[1], learnt(n_unlabelled=10)[1]
    assert model_bits(without) == model_bits(with_some)
    assert not np.array_equal(without.u, with_some.u)


@pytest.mark.parametrize("weight", [1.0, 0.5, 0.0])
def test_exponents_are_kappa_of_the_posterior(weight):
    drawn = {"n_draws": 1, "coupling": 0.25, "max_iter": 1}
    prepared, pair = learnt(n_unlabelled=6, C=8.0, unlabeled_weight=weight, **drawn)
    m, labelled, unlabelled = 24 + weight * 6, 24, 6
    kappa = _exponents(prepared, pair.C, everything(prepared))
    on_label = 0.25 * 8.0 * m**2 / labelled
    on_none = weight * 0.25 * 8.0 * m**2 / (2 * unlabelled)
    assert kappa == pytest.approx([on_label] * labelled + [on_none] * unlabelled)


# The prior of u


def test_prior_items_are_the_given_share_of_every_class():
    prepared, pair = learnt(n_items=40, n_unlabelled=20, prior_fraction=0.25)
    for sign, count in ((1, 5), (-1, 5), (0, 5)):
        assert np.sum(prior_items(prepared) & (prepared.task.signs == sign)) == count
    assert pair.prior_mean.any()
    prepared, pair = learnt(prior_fraction=0.0)
    # No item was drawn.
    untouched = np.random.default_rng(prepared.task.seed).bit_generator.state
    assert prepared.random_state == untouched
    assert not pair.prior_mean.any()


def test_a_tiny_prior_fraction_still_takes_one_item_of_each_class():
    prepared, pair = learnt(prior_fraction=0.01)
    assert sorted(prepared.task.signs[prior_items(prepared)].tolist()) == [-1, 1]
    assert pair.prior_mean.any()


@pytest.mark.parametrize("n_draws", ["exact", 2])
def test_prior_mean_depends_on_its_own_items_alone(n_draws):
    # The models see every item, so the map is held fixed here.
    prepared, pair = learnt(n_unlabelled=8, prior_fraction=0.4, n_draws=n_draws, max_iter=1)
    task, settings, mapping = prepared.task, prepared.settings, pair.mapping
    rows = mapping.features(task.items, n_draws, task.keys(0))

    def prior_mean(rows):
        return _learn_prior(task, settings, mapping, rows, np.random.default_rng(5))

    original = prior_mean(rows)
    own = _part_of_each_sign(task, 0.4, np.random.default_rng(5))
    chosen = np.repeat(own, len(rows) // task.n_items)
    outside, inside = rows.copy(), rows.copy()
    outside[~chosen] = -outside[~chosen]
    inside[chosen] = -inside[chosen]
    assert np.array_equal(prior_mean(outside), original)
    assert not np.array_equal(prior_mean(inside), original)


def test_prior_mean_does_not_depend_on_the_class_sizes_outside():
    prepared, pair = learnt(n_items=40, prior_fraction=0.2)
    task, own = prepared.task, prior_items(prepared)
    rows = pair.mapping.features(task.items, "exact")

    def starts(task):
        zero = np.zeros(pair.mapping.n_features)
        J = objective_on(task, prepared.settings, rows, own, pair.C, zero)
        made = _informed(J, pair.mapping, 0, np.random.default_rng(0))
        return [start.tobytes() for start in made]

    before = starts(task)
    assert starts(replace(task, signs=np.where(own, task.signs, 1).astype(np.int8))) == before
    assert starts(replace(task, signs=-task.signs)) != before


def test_prior_mean_is_a_minimum_of_J_on_its_items():
    prepared, pair = learnt(n_items=40, prior_fraction=0.5, C=6.0)
    own = prior_items(prepared)
    rows = pair.mapping.features(prepared.task.items, "exact")[own]
    J = Objective(rows, prepared.task.signs[own], 6.0, len(rows))
    assert np.abs(J(pair.prior_mean)[1]).max() < 1e-4


# Votes


@pytest.mark.parametrize("vote", ["majority", "normalised", "raw"])
@pytest.mark.parametrize("n_draws", ["exact", 3])
def test_votes_are_the_scores_of_the_draws(n_draws, vote):
    prepared, pair = learnt(n_draws=n_draws, vote=vote, max_iter=1)
    data = prepared.task.items
    keys = _random.stream_keys(prepared.task.seed, 1, pair.mapping.positive.content_keys(data))
    rows = pair.mapping.features(data, n_draws, keys).astype(float)
    each = rows @ pair.u
    length = rows[:, -1] if vote == "raw" else 1.0
    margins, scores = pair.votes(data, 1)
    np.testing.assert_allclose(scores, (each / length).reshape(24, -1), rtol=1e-6)
    # The margins are those of the learnt classifiers, whichever way the label is voted.
    np.testing.assert_allclose(margins, each.reshape(24, -1), rtol=1e-6)
    assert np.mean((scores.mean(1) > 0) == (prepared.task.signs > 0)) > 0.8


@pytest.mark.parametrize("n_draws", ["exact", 3])
def test_votes_of_an_item_do_not_depend_on_place_or_neighbours(n_draws):
    _, pair = learnt(n_draws=n_draws, max_iter=1)
    # More than one chunk of prediction, in which every length stands beside others.
    data, _ = make_problem(1100, seed=5)
    expected = np.array(pair.votes(data, 1))
    order = np.random.default_rng(0).permutation(len(data))
    assert np.array_equal(np.array(pair.votes(data[order], 1)), expected[:, order])
    assert np.array_equal(np.array(pair.votes(data, 2)), expected)
    for number in (0, 1, 500, 1099):
        assert np.array_equal(np.array(pair.votes(data[[number]], 1))[:, 0], expected[:, number])
    doubled = np.array(pair.votes(data[[7, 7]], 1))
    assert np.array_equal(doubled, expected[:, [7, 7]])


def test_nothing_has_no_votes():
    _, pair = learnt(n_draws=2, max_iter=1)
    margins, scores = pair.votes(Ragged.from_items([]), 1)
    assert margins.shape == scores.shape == (0, 2)
