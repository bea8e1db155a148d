"""From descriptors to documents and vectors: what stands in them, and what they depend on."""

import numpy as np
import pytest

from sfmvision.codebook.codebook import Codebook
from sfmvision.codebook.layout import spatial_histogram
from sfmvision.codebook.scene_words import SceneWords, checked_levels, hellinger
from sfmvision.descriptors.batch import Describer, InMemory
from sfmvision.descriptors.dense_sift import DenseSIFT
from sfmvision.descriptors.encoding import encoded
from sfmvision.images.reading import MAX_PIXELS

LEVELS = ((1, 1), (2, 3))
SIFT = DenseSIFT(step=8)


def batch_of(images):
    describer = Describer(SIFT, None, False, MAX_PIXELS, InMemory())
    return encoded(list(images), describer, n_threads=1, show_progress=False)


@pytest.fixture(scope="module")
def batch(scenes):
    """Images, and a last one that has contrast on its left side only."""
    half = np.full((48, 96), 0.5)
    half[:, 20:24] = 1.0
    return batch_of([*sorted(scenes.rglob("*.png"))[::2], half])


@pytest.fixture(scope="module")
def codebook(batch):
    sample = np.concatenate([one.values[~one.flat] for one in batch])
    return Codebook(6, random_state=0).fit(sample)


def test_a_document_counts_the_words_of_its_image(batch, codebook):
    prepared = SceneWords(codebook, LEVELS, 1.0).apply(batch)
    assert len(prepared) == len(batch)
    for document, one in zip(prepared.items, batch, strict=True):
        words = codebook.words(one.values, one.flat)
        assert np.array_equal(np.bincount(document, minlength=7), np.bincount(words, minlength=7))
    # Patches without contrast are the last word.
    assert np.sum(prepared.items[-1] == 6) == batch[-1].flat.sum() > 0
    assert SceneWords(codebook, LEVELS, 1.0).n_words == 7


@pytest.mark.parametrize("weight", [1.0, 0.25, 3.0])
def test_a_vector_is_the_spatial_histogram_at_its_weight(batch, codebook, weight):
    prepared = SceneWords(codebook, LEVELS, weight).apply(batch)
    assert prepared.vectors.shape == (len(batch), 7 * (1 + 6))
    assert prepared.vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(prepared.vectors, axis=1), weight, rtol=1e-6)
    for vector, one in zip(prepared.vectors, batch, strict=True):
        words = codebook.words(one.values, one.flat)
        histogram = spatial_histogram(words, one.centres, one.shape, 7, LEVELS)
        # Every level sums to 1, and so do the squares of the vector, all in all.
        np.testing.assert_allclose(vector, weight * np.sqrt(histogram / 2), atol=1e-6)


@pytest.mark.parametrize(("levels", "weight"), [((), 1.0), (LEVELS, 0.0)])
def test_without_levels_or_weight_there_is_no_vector(batch, codebook, levels, weight):
    prepared = SceneWords(codebook, levels, weight).apply(batch)
    assert prepared.vectors.shape == (len(batch), 0)
    assert len(prepared.items) == len(batch)


@pytest.mark.parametrize("n_threads", [2, 5])
def test_number_of_threads_changes_no_bit(batch, codebook, n_threads):
    one, other = (SceneWords(codebook, LEVELS, 1.0, n).apply(batch) for n in (1, n_threads))
    assert np.array_equal(one.items.values, other.items.values)
    assert np.array_equal(one.items.offsets, other.items.offsets)
    assert np.array_equal(one.vectors, other.vectors)


def test_an_image_does_not_depend_on_the_others(batch, codebook):
    inputs = SceneWords(codebook, LEVELS, 1.0)
    together = inputs.apply(batch)
    for number in range(len(batch)):
        alone = inputs.apply(batch[[number]])
        assert np.array_equal(alone.items[0], together.items[number])
        assert np.array_equal(alone.vectors[0], together.vectors[number])


def test_no_image_makes_no_document(batch, codebook):
    prepared = SceneWords(codebook, LEVELS, 1.0).apply(batch[:0])
    assert (len(prepared), prepared.vectors.shape) == (0, (0, 49))


def test_hellinger_compares_shares():
    assert np.array_equal(hellinger(np.zeros(3, np.float32)), np.zeros(3))
    one = np.array([1, 2, 5], np.float32)
    np.testing.assert_allclose(hellinger(one), hellinger(7 * one), rtol=1e-6)


@pytest.mark.parametrize("levels", [(), [], [[1, 2]], ((1, 1), [2, 4]), np.array([[3, 3]])])
def test_levels_become_plain_pairs(levels):
    found = checked_levels(levels)
    assert found == tuple(tuple(int(side) for side in pair) for pair in levels)
    assert all(type(side) is int for pair in found for side in pair)


@pytest.mark.parametrize(
    "levels", [None, 5, "abc", {}, [5], [(1,)], [(1, 2, 3)], [(1, 0)], [(1, 1.5)], ["ab"], [None]]
)
def test_other_levels_are_refused_by_name(levels):
    with pytest.raises(ValueError, match=r"^levels must be "):
        checked_levels(levels)
