"""Maps that are learnt from some of very many items."""

import numpy as np
import pytest

from sfmcore.data.ragged import Ragged
from sfmcore.learning import mapping as module
from sfmcore.learning.mapping import learn_map
from sfmcore.learning.settings import Settings
from sfmcore.models.hmm import CategoricalHMM

SETTINGS = {
    "linear": Settings(),
    "kernel": Settings(n_landmarks=12, kernel_rank=5),
    "draws": Settings(n_draws=2, n_landmarks=12),
}


def sequences(n_items=80, seed=0):
    random = np.random.default_rng(seed)
    return Ragged.from_items(
        [random.integers(0, 4, random.integers(5, 30)) for _ in range(n_items)]
    )


@pytest.fixture(scope="module")
def models():
    data = sequences()
    return [CategoricalHMM(2, 4, random_state=k).estimate(data) for k in range(3)]


def learnt(models, items, settings, n_threads=1, weights=None):
    shares = np.ones(len(items)) if weights is None else weights
    keys = models[0].content_keys(items)
    return learn_map(models, settings, items, shares, keys=keys, seed=3, n_threads=n_threads)


@pytest.fixture
def room_for(monkeypatch, models):
    """Leave room for the raw features of so many items."""

    def leave(n_items, n_rows=1):
        n_linear = sum(model.n_features for model in models) + 1
        monkeypatch.setattr(module, "MOST_NUMBERS", n_items * n_rows * n_linear)

    return leave


@pytest.mark.parametrize("name", SETTINGS)
def test_rows_of_all_items_are_those_of_the_map(models, room_for, name):
    items, settings = sequences(), SETTINGS[name]
    n_draws = settings.n_draws
    room_for(30, 1 if n_draws == "exact" else n_draws)
    mapping, rows = learnt(models, items, settings)
    expected = mapping.features(items, n_draws, models[0].content_keys(items))
    assert np.array_equal(rows, expected)
    assert len(rows) == len(items) * (1 if n_draws == "exact" else n_draws)


def test_a_sample_gives_a_map_near_that_of_all_items(models, room_for):
    items, settings = sequences(), SETTINGS["kernel"]
    room_for(30)
    mapping, _ = learnt(models, items, settings)
    room_for(80)
    every, _ = learnt(models, items, settings)
    assert not np.array_equal(mapping.mean, every.mean)
    assert np.abs(mapping.mean - every.mean).max() < 0.2


def test_order_and_threads_do_not_matter(models, room_for):
    items, settings = sequences(), SETTINGS["kernel"]
    room_for(30)
    mapping, rows = learnt(models, items, settings)
    two, again = learnt(models, items, settings, n_threads=2)
    assert np.array_equal(rows, again)
    assert np.array_equal(mapping.kernel.landmarks, two.kernel.landmarks)
    order = np.random.default_rng(1).permutation(len(items))
    _, turned = learnt(models, items[order], settings)
    np.testing.assert_allclose(turned, rows[order], atol=1e-5)


def test_items_of_no_weight_are_not_in_the_sample(models, room_for):
    items, settings = sequences(), SETTINGS["kernel"]
    strange = Ragged.from_items([[0] * 40] * 40)
    both = items.joined(strange)
    weights = np.repeat([1.0, 0.0], [80, 40])
    room_for(30)
    mapping, rows = learnt(models, both, settings, weights=weights)
    alone, expected = learnt(models, items, settings)
    assert np.array_equal(mapping.mean, alone.mean)
    assert np.array_equal(rows[:80], expected)
    assert len(rows) == 120
