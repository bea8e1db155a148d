"""The feature map: both models side by side, the conditioning, and what a score is made of."""

import numpy as np
import pytest

from sfmcore.data.ragged import Ragged
from sfmcore.features.feature_map import FeatureMap
from sfmcore.kernels import _random
from sfmcore.models.hmm import CategoricalHMM

N_SYMBOLS = 5


def make_model(n_states, seed):
    random = np.random.default_rng(seed)
    return CategoricalHMM(n_states, N_SYMBOLS).set_arrays(
        {
            "start": random.dirichlet(np.ones(n_states)),
            "transition": random.dirichlet(np.ones(n_states), n_states),
            "emission": random.dirichlet(np.ones(N_SYMBOLS), n_states),
        }
    )


def make_map(*, conditioned=True, clip=1e9, sizes=(3, 2)):
    models = [make_model(size, seed) for seed, size in enumerate(sizes)]
    return FeatureMap(models, conditioned=conditioned, clip=clip)


def make_batch(lengths=(12, 7, 1, 30, 5, 18, 9, 22), seed=0, symbols=N_SYMBOLS):
    random = np.random.default_rng(seed)
    return Ragged.from_items([random.integers(0, symbols, length) for length in lengths])


def make_keys(data, seed=7):
    return _random.stream_keys(seed, 1, np.arange(len(data), dtype=np.uint64))


def fitted(mapping, data):
    raw = mapping.raw(data, "exact")
    return mapping.fit_conditioning(data, raw), raw


def test_exact_rows_are_the_features_of_both_models_side_by_side():
    mapping, data = make_map(), make_batch()
    rows = mapping.raw(data, "exact")
    halves = []
    for model in (mapping.positive, mapping.negative):
        halves.append(np.empty((len(data), model.n_features), dtype=np.float32))
        model.expected_features(data, halves[-1])
    assert np.array_equal(rows, np.hstack(halves))


def test_drawn_rows_are_the_draws_of_both_models_side_by_side():
    mapping, data = make_map(), make_batch()
    keys = make_keys(data)
    rows = mapping.raw(data, 4, keys)
    split = mapping.positive.n_features
    own = np.empty((4 * len(data), split), dtype=np.float32)
    mapping.positive.drawn_features(data, keys, 4, own)
    assert np.array_equal(rows[:, :split], own)
    # The draws of an item follow each other: its symbols are counted in each of its rows.
    emissions = rows[:, 3 + 9 : 3 + 9 + 3 * N_SYMBOLS].reshape(len(rows), 3, N_SYMBOLS).sum(1)
    counts = np.array([np.bincount(item, minlength=N_SYMBOLS) for item in data])
    assert np.array_equal(emissions, np.repeat(counts, 4, axis=0))


def test_two_equal_models_draw_independently():
    model = make_model(3, 0)
    mapping = FeatureMap([model, model], conditioned=True, clip=3.0)
    data = make_batch([40] * 5)
    rows = mapping.raw(data, 2, make_keys(data))
    split = model.n_features
    assert not (rows[:, :split] == rows[:, split:]).all(1).any()


@pytest.mark.parametrize("n_draws", ["exact", 1, 5])
def test_shapes(n_draws):
    mapping, data = make_map(sizes=(3, 2)), make_batch()
    n_rows = len(data) * (1 if n_draws == "exact" else n_draws)
    # Starts, transitions, emissions, log transitions; one constant.
    n_raw = (3 + 9 + 15 + 9) + (2 + 4 + 10 + 4)
    assert mapping.raw(data, n_draws, make_keys(data)).shape == (n_rows, n_raw)
    rows = mapping.features(data, n_draws, make_keys(data))
    assert rows.shape == (n_rows, n_raw + 1)
    assert rows.dtype == np.float32
    assert mapping.n_features == n_raw + 1 == len(mapping.feature_names())
    nothing = make_batch([])
    assert mapping.features(nothing, n_draws, make_keys(nothing)).shape == (0, n_raw + 1)


def test_names_tell_the_models_apart():
    names = make_map().feature_names()
    assert len(set(names)) == len(names)
    assert names[0] == "+ start0"
    assert names[36] == "- start0"
    assert names[-1] == "constant"


def test_draws_need_keys_and_expectations_do_not():
    mapping, data = make_map(), make_batch()
    with pytest.raises(ValueError, match="random stream"):
        mapping.features(data, 2)
    assert len(mapping.features(data, "exact")) == len(data)


def test_mean_of_the_draws_is_the_exact_row():
    mapping, data = make_map(), make_batch([6, 1, 14])
    n_draws = 4000
    rows = mapping.raw(data, n_draws, make_keys(data)).astype(float)
    exact = mapping.raw(data, "exact")
    for number in range(len(data)):
        own = rows[number * n_draws : (number + 1) * n_draws]
        error = np.abs(own.mean(0) - exact[number])
        # Five standard errors of a mean; 1e-4 for the columns that never vary.
        assert np.all(error <= 5 * own.std(0) / np.sqrt(n_draws) + 1e-4)
    assert rows[:n_draws].std(0).max() > 0.5


@pytest.mark.parametrize("n_draws", ["exact", 3])
@pytest.mark.parametrize(
    ("conditioned", "clip"), [(True, 3.0), (True, 0.5), (True, 1e9), (False, 0.5)]
)
def test_conditioning_equals_its_numpy_twin(n_draws, conditioned, clip):
    mapping, data = make_map(conditioned=conditioned, clip=clip), make_batch()
    raw = mapping.raw(data, n_draws, make_keys(data))
    rows = mapping.fit_conditioning(data, raw).condition(data, raw)
    values = raw.astype(float)
    if conditioned:
        values /= np.repeat(data.lengths, len(raw) // len(data))[:, None]
        deviation = values.std(0)
        varies = deviation > 1e-9 * np.abs(values.mean(0))
        values = (values - values.mean(0)) / np.where(varies, deviation, 1.0)
        values = np.clip(values, -clip, clip)
    values = np.hstack([values, np.ones((len(raw), 1))])
    values /= np.linalg.norm(values, axis=1, keepdims=True)
    np.testing.assert_allclose(rows, values, rtol=2e-5, atol=2e-6)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, rtol=1e-6)


def test_conditioning_of_new_items_uses_what_training_taught():
    mapping = make_map()
    fitted(mapping, make_batch())
    mean, scale = mapping.mean.copy(), mapping.scale.copy()
    new = make_batch([4, 25], seed=9)
    rows = mapping.features(new, "exact")
    values = (mapping.raw(new, "exact") / new.lengths[:, None] - mean) / scale
    np.testing.assert_allclose(rows[:, :-1] / rows[:, -1:], values, rtol=1e-4, atol=1e-5)
    assert np.array_equal(mapping.mean, mean)
    assert np.array_equal(mapping.scale, scale)


def test_an_item_alone_has_the_row_it_has_among_others():
    mapping, data = make_map(clip=2.0), make_batch()
    fitted(mapping, data)
    rows = mapping.features(data, "exact")
    for number in range(len(data)):
        assert np.array_equal(mapping.features(data[[number]], "exact")[0], rows[number])


def test_a_column_that_never_varies_stays_finite_whatever_comes_later():
    mapping = make_map(clip=3.0)
    # Symbol 4 does not occur in training: its columns are 0 there.
    data = make_batch(symbols=4)
    fitted(mapping, data)
    columns = [3 + 9 + N_SYMBOLS * state + 4 for state in range(3)]
    assert np.all(mapping.mean[columns] == 0)
    assert np.all(mapping.scale[columns] == 1)
    assert np.all(mapping.features(data, "exact")[:, columns] == 0)
    rows = mapping.features(Ragged.from_items([[4, 4, 4, 4]]), "exact")
    assert np.isfinite(rows).all()
    assert rows[0, columns].max() > 0


def test_a_column_of_one_rate_is_constant_though_its_counts_vary():
    mapping, data = make_map(), make_batch()
    raw = mapping.raw(data, "exact")
    raw[:, 0] = 0.25 * data.lengths
    mapping.fit_conditioning(data, raw)
    assert mapping.scale[0] == 1
    assert mapping.mean[0] == pytest.approx(0.25)
    assert np.abs(mapping.condition(data, raw)[:, 0]).max() < 1e-6


def test_an_empty_item_has_the_rate_of_size_one():
    mapping, data = make_map(), Ragged.from_items([[], [1, 2]])
    assert mapping.rates(data, 4).tolist() == [1, 1, 0.5, 0.5]
    fitted(mapping, data)
    assert np.isfinite(mapping.features(data, "exact")).all()


def test_rates_are_one_without_conditioning():
    mapping, data = make_map(conditioned=False), make_batch()
    assert mapping.rates(data, 2 * len(data)).tolist() == [1] * 2 * len(data)


def test_score_is_affine_in_the_counts_when_nothing_is_clipped():
    data = make_batch()
    u = np.random.default_rng(3).normal(size=make_map().n_features)
    gaps = {}
    for clip in (1e9, 0.2):
        mapping = make_map(clip=clip)
        _, raw = fitted(mapping, data)
        rows = mapping.condition(data, raw).astype(float)
        # The constant is one over the length that a row had: this undoes the normalisation.
        scores = rows @ u / rows[:, -1]
        slopes = u[:-1] / mapping.scale
        affine = (raw / data.lengths[:, None]) @ slopes + u[-1] - slopes @ mapping.mean
        gaps[clip] = np.abs(scores - affine).max()
    assert gaps[1e9] < 1e-3
    assert gaps[0.2] > 1


def test_score_of_the_map_classifier_is_alpha_times_the_rates_and_the_bias():
    mapping, data = make_map(), make_batch()
    _, raw = fitted(mapping, data)
    rows = mapping.condition(data, raw).astype(float)
    scores = rows @ mapping.map_classifier(0.7) / rows[:, -1]
    alpha = [mapping.positive.map_weights(), -mapping.negative.map_weights()]
    expected = (raw / data.lengths[:, None]) @ np.concatenate(alpha) + 0.7
    np.testing.assert_allclose(scores, expected, rtol=1e-3, atol=1e-3)


def test_threads_reach_both_models_and_change_no_bit():
    mapping, data = make_map(clip=3.0), make_batch([900, 1100] * 300)
    fitted(mapping, data)
    one = [mapping.features(data, "exact"), mapping.features(data, 3, make_keys(data))]
    mapping.set_threads(2)
    assert mapping.positive.n_jobs == mapping.negative.n_jobs == mapping.n_threads == 2
    assert mapping.positive._threads(data) == 2, "too little work to share"
    two = [mapping.features(data, "exact"), mapping.features(data, 3, make_keys(data))]
    assert all(map(np.array_equal, one, two))
