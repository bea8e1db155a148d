"""Fisher vectors against a plain twin, and what they must be."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfmvision.codebook.fisher import FisherEncoder


def make_rows(n_rows, n_columns=6, seed=0):
    random = np.random.default_rng([seed, n_rows])
    rows = random.integers(0, 256, (n_rows, n_columns)).astype(np.uint8)
    return rows, random.uniform(-0.5, 0.5, (n_rows, 3)).astype(np.float32)


def learnt(n_axes=4, n_components=3, seed=0):
    return FisherEncoder.of(
        *make_rows(200, seed=seed), n_axes=n_axes, n_components=n_components, seed=seed
    )


def vector_twin(encoder, rows, places):
    along = (rows - encoder.mean.astype(float)) @ encoder.axes.T.astype(float)
    columns = np.hstack([along, (places - encoder.place_mean) / encoder.place_scale])
    distances = (columns[:, None] - encoder.means) / np.sqrt(encoder.variances)
    logs = np.log(encoder.weights) - 0.5 * np.sum(distances**2 + np.log(encoder.variances), axis=2)
    shares = np.exp(logs - logs.max(1, keepdims=True))
    shares /= shares.sum(1, keepdims=True)
    roots = np.sqrt(encoder.weights)
    zeroth = (shares.mean(0) - encoder.weights) / roots
    first = np.mean(shares[:, :, None] * distances, axis=0) / roots[:, None]
    second = np.mean(shares[:, :, None] * (distances**2 - 1), axis=0) / roots[:, None] / np.sqrt(2)
    vector = np.concatenate([zeroth, first.ravel(), second.ravel()])
    vector = np.sign(vector) * np.sqrt(np.abs(vector))
    return vector / np.linalg.norm(vector)


@given(st.integers(1, 60), st.integers(1, 6), st.integers(1, 5), st.integers(0, 100))
@settings(max_examples=50, deadline=None)
def test_vector_equals_twin(n_rows, n_axes, n_components, seed):
    encoder = learnt(n_axes, n_components, seed)
    rows, places = make_rows(n_rows, seed=seed + 1)
    found = encoder.encode(rows, places)
    assert found.dtype == np.float32
    assert found.shape == (encoder.n_features,) == (n_components * (1 + 2 * (n_axes + 3)),)
    # Square roots magnify the rounding of what is near 0.
    twin = vector_twin(encoder, rows, places)
    np.testing.assert_allclose(found * np.abs(found), twin * np.abs(twin), atol=1e-5)


def test_axes_are_orthogonal_and_coordinates_have_deviation_one():
    rows, places = make_rows(500)
    encoder = FisherEncoder.of(rows, places, n_axes=4, n_components=2, seed=0)
    along = (rows - encoder.mean) @ encoder.axes.T
    np.testing.assert_allclose(np.cov(along.T, bias=True), np.eye(4), atol=1e-3)


def test_axes_without_variance_are_left_out():
    rows, places = make_rows(100)
    rows[:, 2:] = 7
    assert len(FisherEncoder.of(rows, places, n_axes=6, n_components=2, seed=0).axes) == 2


def test_an_image_without_patches_has_zeros():
    assert not learnt().encode(*make_rows(0)).any()


def test_order_of_patches_hardly_changes_the_vector():
    encoder = learnt()
    rows, places = make_rows(80)
    order = np.random.default_rng(0).permutation(80)
    found = encoder.encode(rows[order], places[order])
    np.testing.assert_allclose(found, encoder.encode(rows, places), atol=1e-4)


def test_number_of_threads_changes_no_bit():
    rows, places = make_rows(5000)
    made = [
        FisherEncoder.of(rows, places, n_axes=4, n_components=5, seed=3, n_threads=threads)
        for threads in (1, 2)
    ]
    np.testing.assert_array_equal(*(encoder.encode(rows, places) for encoder in made))


def test_arrays_make_the_same_encoder():
    encoder = learnt()
    again = FisherEncoder.of_arrays(encoder.get_arrays(), n_columns=6, n_places=3)
    np.testing.assert_array_equal(again.encode(*make_rows(9)), encoder.encode(*make_rows(9)))


@pytest.mark.parametrize("name", ["axes", "weights", "variances", "place_scale"])
def test_arrays_that_are_no_encoder_are_refused(name):
    arrays = learnt().get_arrays()
    for wrong in (arrays[name][:-1], arrays[name] * np.nan, arrays[name].astype(np.float16)):
        with pytest.raises(ValueError, match="must be"):
            FisherEncoder.of_arrays({**arrays, name: wrong}, n_columns=6, n_places=3)
    del arrays[name]
    with pytest.raises(ValueError, match="the arrays must be"):
        FisherEncoder.of_arrays(arrays, n_columns=6, n_places=3)
