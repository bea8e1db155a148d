"""Both ends and the length of a sequence, against counting by hand."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sfmbio.sequences.alphabet import N_SYMBOLS
from sfmbio.words.ends import FIRST, LAST, N_END_COLUMNS, end_vectors, length_vectors
from sfmcore.data.ragged import Ragged

sequences = st.lists(st.lists(st.integers(0, N_SYMBOLS - 1), min_size=1, max_size=80), max_size=5)


def twin(item, weight):
    """Windows one by one: those at the end weigh half of those at the beginning."""
    parts = []
    for size, last, share in [(n, False, 2) for n in FIRST] + [(n, True, 1) for n in LAST]:
        window = item[-size:] if last else item[:size]
        counts = np.array([window.count(symbol) for symbol in range(N_SYMBOLS)])
        parts.append(np.sqrt(weight * share / 9 * counts / len(window)))
    return np.concatenate(parts)


@given(sequences, st.floats(0.1, 4.0))
@settings(max_examples=100, deadline=None)
def test_ends_equal_twin(items, weight):
    made = end_vectors(Ragged.from_items(items), weight)
    assert made.shape == (len(items), N_END_COLUMNS)
    for item, vector in zip(items, made, strict=True):
        np.testing.assert_allclose(vector, twin(item, weight), atol=1e-6)


def test_a_sequence_has_the_same_vectors_beside_any_others():
    random = np.random.default_rng(0)
    items = [random.integers(0, N_SYMBOLS, length) for length in (3, 70, 900)]
    whole = Ragged.from_items(items)
    for number, item in enumerate(items):
        alone = Ragged.from_items([item])
        assert np.array_equal(end_vectors(alone, 0.5)[0], end_vectors(whole, 0.5)[number])
        assert np.array_equal(length_vectors(alone, 0.5)[0], length_vectors(whole, 0.5)[number])


def test_lengths_are_as_far_apart_as_their_logarithms_say():
    lengths = [20, 40, 80, 160]
    points = length_vectors(Ragged.from_items([[0] * length for length in lengths]), 1.0)
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    np.testing.assert_allclose(steps, steps[0], rtol=1e-5)
    far = length_vectors(Ragged.from_items([[0] * 20, [0] * 1000]), 1.0)
    assert np.linalg.norm(far[1] - far[0]) > 1.99
