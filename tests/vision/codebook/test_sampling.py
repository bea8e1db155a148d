"""The sample of descriptors against a plain twin, in any order and from threads."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfmvision.codebook.sampling import DescriptorSampler, sample_descriptors


def make_images(lengths, seed=0, flat_share=0.3):
    """Images whose rows name the image and the patch, and of which some are flat."""
    images = []
    for index, length in enumerate(lengths):
        values = np.zeros((length, 3), dtype=np.uint8)
        values[:, 0], values[:, 1] = index, np.arange(length)
        flat = np.random.default_rng([seed, index]).random(length) < flat_share
        images.append((index, values, flat))
    return images


def counts(rows, n_images):
    return np.bincount(rows[:, 0], minlength=n_images)


cases = st.lists(st.integers(0, 30), min_size=1, max_size=12)


@given(cases, st.integers(1, 100), st.integers(0, 1000))
@settings(max_examples=100, deadline=None)
def test_images_give_alike_and_never_a_flat_patch(lengths, n_sample, seed):
    images = make_images(lengths, seed)
    rows = sample_descriptors(images, n_sample, seed=seed)
    usable = np.array([(~flat).sum() for _, _, flat in images])
    assert len(rows) == min(n_sample, usable.sum())
    assert len(np.unique(rows, axis=0)) == len(rows)
    for image, patch, _ in rows:
        assert not images[image][2][patch]
    given_ = counts(rows, len(images))
    # An image that has rows left is at most one behind the one that gives most.
    behind = given_ < usable
    assert (given_[behind] >= given_.max() - 1).all()


@given(cases, st.integers(1, 60), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_order_of_arrival_does_not_matter(lengths, n_sample, random):
    images = make_images(lengths)
    shuffled = images.copy()
    random.shuffle(shuffled)
    expected = sample_descriptors(images, n_sample, seed=3)
    assert np.array_equal(sample_descriptors(iter(shuffled), n_sample, seed=3), expected)


def test_threads_do_not_matter():
    images = make_images([40] * 60)
    expected = sample_descriptors(images, 100, seed=0)
    sampler = DescriptorSampler(100, seed=0)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda image: sampler.add(*image), images))
    assert np.array_equal(sampler.rows(), expected)


def test_twin_that_holds_everything_gives_the_same():
    # With room for all rows nothing is let go early: its rounds are the sample of any size.
    images = make_images([20, 3, 0, 30, 11])
    everything = sample_descriptors(images, 1000, seed=5)
    for n_sample in (1, 4, 13, 29):
        rows = sample_descriptors(images, n_sample, seed=5)
        for image, n_given in enumerate(counts(rows, 5)):
            own = everything[everything[:, 0] == image]
            assert np.array_equal(rows[rows[:, 0] == image], own[:n_given])


def test_memory_is_bounded():
    sampler = DescriptorSampler(50, seed=0)
    for image in make_images([200] * 30, flat_share=0):
        sampler.add(*image)
        held = [rows for _, rows in sampler._images.values()]
        assert sum(len(rows) for rows in held) <= 100
        assert all(rows.base is None for rows in held)  # a view would hold more
    assert len(sampler.rows()) == 50


def test_every_patch_and_every_image_has_its_turn():
    images = make_images([10] * 4, flat_share=0)
    drawn = np.concatenate([sample_descriptors(images, 2, seed=seed) for seed in range(400)])
    # 800 draws: 200 an image and 20 a patch are expected, six deviations allowed.
    assert (np.abs(counts(drawn, 4) - 200) < 75).all()
    places = np.bincount(10 * drawn[:, 0].astype(int) + drawn[:, 1], minlength=40)
    assert places.min() > 0
    assert places.max() < 47


def test_one_image_and_one_patch():
    values = np.array([[1, 2]], dtype=np.uint8)
    assert sample_descriptors([(5, values, np.array([False]))], 9, seed=0).tolist() == [[1, 2]]
    assert sample_descriptors([(5, values, np.array([True]))], 9, seed=0).shape == (0, 2)


def test_refuses_what_does_not_fit():
    with pytest.raises(ValueError, match="no image"):
        sample_descriptors([], seed=0)
    with pytest.raises(ValueError, match="n_sample"):
        DescriptorSampler(0, seed=0)
    with pytest.raises(ValueError, match="seed"):
        DescriptorSampler(1, seed=-1)
    image = make_images([3])[0]
    with pytest.raises(ValueError, match="image 0 was added before"):
        sample_descriptors([image, image], seed=0)
    with pytest.raises(ValueError, match="image 1 has descriptors of 2 columns, others have 3"):
        sample_descriptors([image, (1, image[1][:, :2], image[2])], seed=0)
    with pytest.raises(ValueError, match="one boolean for each"):
        sample_descriptors([(0, image[1], image[2][:2])], seed=0)
