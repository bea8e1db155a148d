"""Near copies of images: saved again, resized, brighter; and nothing else."""

import io

import cv2
import numpy as np
import pytest
from PIL import Image

from sfmvision.descriptors.near_copies import near_copies
from sfmvision.preparation import ScenePreparation


@pytest.fixture(scope="module")
def scenes():
    """Six smooth pictures of 160 x 192 pixels."""
    random = np.random.default_rng(0)
    small = random.integers(0, 256, (6, 10, 12, 3)).astype(np.uint8)
    return [cv2.resize(one, (192, 160), interpolation=cv2.INTER_CUBIC) for one in small]


def pairs_of(images, **options):
    found = near_copies(ScenePreparation().encode(images, estimator=None), **options)
    return list(zip(found.first.tolist(), found.second.tolist(), strict=True))


def saved_again(image):
    buffer = io.BytesIO()
    Image.fromarray(image).save(buffer, "JPEG", quality=50)
    return np.asarray(Image.open(buffer))


CHANGES = {
    "saved again": saved_again,
    "half the size": lambda image: cv2.resize(image, (96, 80), interpolation=cv2.INTER_AREA),
    "darker": lambda image: (image * 0.7).astype(np.uint8),
    "grey": lambda image: np.repeat(image.mean(axis=2, keepdims=True), 3, axis=2).astype(np.uint8),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_copy_is_found_and_no_other_image(scenes, change):
    assert pairs_of([*scenes, CHANGES[change](scenes[2])]) == [(2, 6)]


@pytest.mark.parametrize("change", [np.fliplr, np.flipud, lambda image: image[40:, 48:]])
def test_mirrored_and_much_cropped_images_are_others(scenes, change):
    assert pairs_of([*scenes, np.ascontiguousarray(change(scenes[2]))]) == []


def test_images_without_contrast_are_like_none():
    flat = np.full((96, 96, 3), 90, dtype=np.uint8)
    assert pairs_of([flat, flat + 20, flat]) == []


def test_neither_blocks_nor_threads_change_the_pairs(scenes, monkeypatch):
    images = [*scenes, *map(saved_again, scenes)]
    expected = [(number, number + 6) for number in range(6)]
    assert pairs_of(images) == expected
    monkeypatch.setattr("sfmvision.descriptors.near_copies._BLOCK", 5)
    assert pairs_of(images, n_threads=2) == expected
