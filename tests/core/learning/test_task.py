"""Tasks: which items each part learns from, how many there are, and their random streams."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from sfmcore.data.streams import ITERATION
from sfmcore.kernels import _random
from sfmcore.learning.algorithm import solve
from sfmcore.learning.prepare import prepare
from sfmcore.learning.settings import Settings
from sfmcore.learning.task import Split, Task
from sfmcore.models.gmm import DiagonalGMM

SIGNS = np.array([1, -1, 1, 0, -1, 0], dtype=np.int8)
# Of the labelled items the last two are kept from the models; items without label always are.
MODELS = np.array([True, True, False, False, False, False])


def task_of(**arguments):
    return Task.of(np.zeros((6, 2)), SIGNS, **arguments)


# Who learns from what


def test_everything_learns_from_all_items_unless_told_otherwise():
    for split in (Split.shared(4), Split.apart_from(None, 4), Task.of(None, SIGNS[:4]).split):
        assert split.models.dtype == split.classifier.dtype == bool
        assert split.models.tolist() == split.classifier.tolist() == [True] * 4
        assert not split.apart


def test_items_kept_from_the_models_are_those_of_the_classifier():
    for split in (Split.apart_from(MODELS, 6), task_of(models=MODELS).split):
        assert split.apart
        assert np.array_equal(split.models, MODELS)
        assert np.array_equal(split.classifier, ~MODELS)


def test_a_task_has_weights_of_one_the_seed_zero_and_one_thread_unless_told_otherwise():
    task = task_of()
    assert task.weights.tolist() == [1.0] * 6
    assert (task.n_items, task.seed, task.n_threads) == (6, 0, 1)
    weights = np.arange(6.0)
    task = task_of(weights=weights, seed=7, n_threads=3)
    assert task.weights is weights
    assert (task.seed, task.n_threads) == (7, 3)
    with pytest.raises(FrozenInstanceError):
        task.seed = 8


def test_models_see_the_weights_of_their_own_items():
    weights = np.arange(1.0, 7.0)
    assert task_of(weights=weights).seen.tolist() == weights.tolist()
    assert task_of(weights=weights, models=MODELS).seen.tolist() == [1.0, 2.0, 0.0, 0.0, 0.0, 0.0]


# Sizes


def test_sizes_are_sums_of_the_weights_of_the_chosen_items_with_and_without_label():
    weights = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
    task = task_of(weights=weights, models=MODELS)
    assert task.sizes(np.ones(6, dtype=bool)) == (23.0, 40.0)
    assert task.sizes(task.split.models) == (3.0, 0.0)
    assert task.sizes(task.split.classifier) == (20.0, 40.0)
    assert task.sizes(np.zeros(6, dtype=bool)) == (0.0, 0.0)
    assert task_of().sizes(np.ones(6, dtype=bool)) == (4.0, 2.0)


# Streams


def test_keys_are_those_of_the_seed_the_iteration_and_the_place():
    places = np.arange(6, dtype=np.uint64)
    for seed, iteration in ((0, 0), (5, 0), (5, 3), (2**64 - 1, 1)):
        expected = _random.stream_keys(seed, ITERATION + iteration, places)
        assert np.array_equal(task_of(seed=seed).keys(iteration), expected)


def test_no_two_items_iterations_or_seeds_share_a_key():
    keys = [task_of(seed=seed).keys(n).tolist() for seed in range(4) for n in range(5)]
    assert len({key for own in keys for key in own}) == 4 * 5 * 6


def test_keys_depend_on_no_label_weight_split_or_number_of_items():
    expected = task_of(seed=3).keys(2)
    other = task_of(seed=3, weights=np.arange(6.0), models=MODELS, n_threads=2)
    assert np.array_equal(replace(other, signs=-SIGNS).keys(2), expected)
    more = Task.of(np.zeros((9, 2)), np.resize(SIGNS, 9), seed=3)
    assert np.array_equal(more.keys(2)[:6], expected)


# What is kept apart


def overlapping_task(**changes):
    """Sixty vectors of two classes and twelve without label; a half is kept from the models."""
    random = np.random.default_rng(0)
    signs = np.where(np.arange(72) % 2, 1, -1).astype(np.int8)
    items = random.normal(size=(72, 2)) + 0.7 * signs[:, None]
    signs[60:] = 0
    models = (np.arange(72) % 4 < 2) & (signs != 0)
    return replace(Task.of(items, signs, models=models, seed=3), **changes)


def prepared(task, **settings):
    with threadpool_limits(limits=1, user_api="blas"):
        return prepare(task, DiagonalGMM(2, n_init=1, max_iter=10), Settings(**settings))


def bits_of(made):
    """Bits of everything that the items of the models decide."""
    arrays = [array for model in made.models for array in model.get_arrays().values()]
    arrays += [made.mapping.mean, made.mapping.scale, made.prior_mean]
    return [array.tobytes() for array in arrays]


@pytest.mark.parametrize("n_draws", ["exact", 2])
def test_what_is_kept_apart_is_in_neither_models_nor_conditioning_nor_prior(n_draws):
    task = overlapping_task()
    settings = {"n_draws": n_draws, "conditioning": True}
    before = prepared(task, **settings)
    assert before.prior_mean.any()
    apart = task.split.classifier & (task.signs != 0)
    items, signs = task.items.copy(), task.signs.copy()
    items[task.split.classifier] *= -9.0
    signs[apart] = -signs[apart]
    after = prepared(replace(task, items=items, signs=signs), **settings)
    assert bits_of(after) == bits_of(before)
    assert solve(after).u.tobytes() != solve(before).u.tobytes()
    # But each of these depends on the items of the models.
    items = task.items.copy()
    items[task.split.models] *= 3.0
    changed = bits_of(prepared(replace(task, items=items), **settings))
    pairs = zip(changed, bits_of(before), strict=True)
    assert not any(one == other for one, other in pairs)


def test_what_is_kept_apart_does_not_feed_back_into_the_models():
    settings = {"n_draws": 2, "coupling": 1.0, "max_iter": 2, "tol": 0.0}
    task = overlapping_task()
    apart = task.split.classifier & (task.signs != 0)
    other = replace(task, signs=np.where(apart, -task.signs, task.signs).astype(np.int8))
    one, two = (solve(prepared(own, **settings)) for own in (task, other))
    for first, second in zip(one.mapping.models, two.mapping.models, strict=True):
        for name, array in first.get_arrays().items():
            assert array.tobytes() == second.get_arrays()[name].tobytes()
    assert one.objective[:3] == two.objective[:3]
    assert one.u.tobytes() != two.u.tobytes()
