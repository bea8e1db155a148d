"""Moments of descriptors and colours as one vector."""

import cv2
import numpy as np
import pytest

from sfmvision.codebook.moments import Moments, colour_part, texture_part
from sfmvision.descriptors.batch import Describer, ImageBatch, InMemory
from sfmvision.descriptors.dense_sift import DenseSIFT


def described(images):
    describer = Describer(DenseSIFT(step=8, bin_sizes=(4, 6)), 480, False, 10**8, InMemory())
    return list(ImageBatch(tuple(describer.source(image) for image in images), describer))


def make_images(n_images=6, seed=0, side=65):
    random = np.random.default_rng(seed)
    noise = random.integers(0, 256, (n_images, side, side, 3)).astype(np.uint8)
    return [cv2.GaussianBlur(image, (0, 0), 1.5) for image in noise]


def learnt(images, **changed):
    known = {"n_sample": 2000, "n_gaussians": 3, "n_axes": 5, "colour_weight": 0.5, "mirror": True}
    return Moments.of(images, n_images=len(images), seed=1, **{**known, **changed})


def test_parts_are_of_the_lengths_that_are_asked_for():
    images = described(make_images())
    moments = learnt(images)
    vector = moments.apply(images[0]).astype(float)
    assert vector.shape == (moments.n_features,)
    split = moments.texture.n_features
    texture, colour = np.linalg.norm(vector[:split]), np.linalg.norm(vector[split:])
    assert np.hypot(texture, colour) == pytest.approx(1.0, rel=1e-6)
    assert colour / texture == pytest.approx(0.5, rel=1e-5)


def test_an_image_and_its_mirror_image_are_alike():
    images = make_images()
    whole = described(images)
    moments = learnt(whole)
    turned = described([np.ascontiguousarray(image[:, ::-1]) for image in images])
    plain = learnt(whole, mirror=False)
    for one, other in zip(whole, turned, strict=True):
        # Descriptors are bytes, so the two differ by their rounding.
        gap = np.linalg.norm(moments.apply(one) - moments.apply(other))
        assert gap < 0.2 * np.linalg.norm(plain.apply(one) - plain.apply(other))


def test_without_weight_there_are_no_colours():
    images = described(make_images())
    moments = learnt(images, colour_weight=0.0)
    assert moments.colour is None
    assert len(moments.apply(images[0])) == moments.texture.n_features


def test_images_too_small_for_colours_have_texture_alone():
    images = described(make_images(side=30))
    assert not len(colour_part(images[0])[0])
    moments = learnt(images)
    assert moments.colour is None
    assert np.isfinite(moments.apply(images[0])).all()


def test_places_are_centred_and_flat_patches_left_out():
    image = make_images()[0]
    image[:, :30] = 99
    (one,) = described([image])
    values, places = texture_part(one)
    assert len(values) == len(places) == np.count_nonzero(~one.flat) < len(one.flat)
    assert np.abs(places[:, :2]).max() <= 0.5
    assert set(np.exp(places[:, 2]).round(3).tolist()) == {4.0, 6.0}


def test_arrays_make_the_same_moments():
    images = described(make_images())
    moments = learnt(images)
    again = Moments.of_arrays(moments.get_arrays(), n_columns=128, colour_weight=0.5, mirror=True)
    assert np.array_equal(again.apply(images[2]), moments.apply(images[2]))
    with pytest.raises(ValueError, match="there is no part 'taste_mean'"):
        Moments.of_arrays(
            {"taste_mean": np.zeros(3)}, n_columns=128, colour_weight=0.5, mirror=True
        )
