"""Properties as vectors: their scales, their kernel, and the arrays that a file keeps."""

import numpy as np
import pytest

from sfmbio.properties.columns import N_PROPERTIES, property_columns
from sfmbio.properties.learnt import Properties
from sfmcore.data.ragged import Ragged


def drawn(n_items, seed=0):
    random = np.random.default_rng(seed)
    return Ragged.from_items(
        [random.integers(0, 20, random.integers(5, 60)) for _ in range(n_items)]
    )


@pytest.fixture(scope="module")
def items():
    return drawn(120)


@pytest.fixture(scope="module")
def properties(items):
    return Properties.of(items, weight=0.5, seed=0)


def test_the_first_part_are_deviations_of_unit_length(items, properties):
    columns = property_columns(items)
    z = np.clip((columns - columns.mean(axis=0)) / columns.std(axis=0), -3, 3)
    z *= np.sqrt(0.25) / np.linalg.norm(z, axis=1, keepdims=True)
    np.testing.assert_allclose(properties.vectors(items)[:, :N_PROPERTIES], z, atol=1e-6)


def test_products_of_the_second_part_are_a_laplacian_kernel_on_ranks(items, properties):
    made = properties.vectors(items)[:, N_PROPERTIES:].astype(np.float64)
    columns = property_columns(items)
    # 120 sequences and 65 knots: a rank is known to a knot's width.
    ranks = np.array(
        [[np.mean(own < value) + np.mean(own == value) / 2 for value in own] for own in columns.T]
    )
    distances = np.abs(ranks[:, :, None] - ranks[:, None, :]).mean(axis=0)
    np.testing.assert_allclose(made @ made.T, 0.25 * np.exp(-3.0 * distances), atol=0.02)


def test_other_sequences_have_vectors_of_at_most_the_weight(properties):
    made = properties.vectors(drawn(50, seed=1))
    assert made.dtype == np.float32
    assert made.shape == (50, properties.n_vectors)
    lengths = np.sum(made.astype(np.float64) ** 2, axis=1)
    assert lengths.max() <= 0.5 + 1e-5
    assert lengths.min() > 0.3
    doubled = properties.weighing(1.0).vectors(drawn(50, seed=1))
    np.testing.assert_allclose(doubled, made * np.sqrt(2.0), atol=1e-6)


def test_order_and_repetition_change_nothing(items, properties):
    order = np.random.default_rng(0).permutation(2 * len(items)) % len(items)
    again = Properties.of(items[order], weight=0.5, seed=0)
    for name, own in properties.get_arrays().items():
        assert again.get_arrays()[name].tobytes() == own.tobytes()


def test_bits_follow_neither_threads_nor_neighbours(items, properties):
    whole = properties.vectors(items)
    more = Properties.of(items, weight=0.5, seed=0, n_threads=3)
    assert more.vectors(items).tobytes() == whole.tobytes()
    assert properties.vectors(items[7:9]).tobytes() == whole[7:9].tobytes()


def test_one_sequence_and_equal_sequences_are_enough():
    for items in (drawn(1), Ragged.from_items([[3, 3, 3]] * 5)):
        made = Properties.of(items, weight=1.0, seed=0).vectors(items)
        assert np.isfinite(made).all()
        assert np.sum(made[0] ** 2) > 0.4


def test_arrays_bring_it_back(items, properties):
    again = Properties.of_arrays(properties.get_arrays(), 1e6, 1)
    assert again.vectors(items).tobytes() == properties.vectors(items).tobytes()


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("scales", lambda a: -a, "deviations of properties must be above 0"),
        ("scales", lambda a: a[:1], "scales of properties must be 2 x"),
        ("scales", lambda a: a * np.nan, "of properties must be finite"),
        ("knots", lambda a: a[::-1], "knots must rise"),
        ("knots", lambda a: a.astype(np.float32), "knots of properties must be 65 x"),
        ("landmarks", lambda a: a[1:], "landmarks of properties must be"),
        ("landmarks", lambda a: np.full_like(a, np.inf), "of properties must be finite"),
        ("whitening", lambda a: a[:, 1:], "whitening of properties must be a square"),
        ("whitening", lambda a: a * np.nan, "of properties must be finite"),
        ("whitening", lambda a: a[0, 0], "whitening of properties must be a square"),
        ("whitening", lambda a: a[:0, :0], "landmarks of properties must be 1 x"),
        ("weight", lambda a: 0 * a, "property_weight must be above 0"),
        ("weight", lambda a: a * np.nan, "property_weight must be above 0"),
        ("weight", lambda a: np.ones(2), "property_weight must be above 0"),
    ],
)
def test_strange_arrays_are_refused(properties, name, change, message):
    arrays = properties.get_arrays()
    arrays[f"property_{name}"] = change(arrays[f"property_{name}"])
    with pytest.raises(ValueError, match=message):
        Properties.of_arrays(arrays, 1e6, 1)
