"""Evidence of patches: that it adds up, where it is, and the picture of it."""

import numpy as np
import pytest

from sfmcore import SFMClassifier
from sfmvision import SceneClassifier
from sfmvision.codebook.layout import spatial_histogram, word_cells
from sfmvision.explaining.overlay import evidence_map, overlay
from sfmvision.explaining.patches import Patches, explain_patches

QUICK = {
    "n_words": 6,
    "n_topics": 2,
    "n_gaussians": 3,
    "n_axes": 4,
    "bin_sizes": (4, 6),
    "random_state": 0,
    "n_jobs": 1,
}
SETTINGS = {
    "best": {},
    "layout": {"levels": ((1, 1), (2, 2)), "n_gaussians": 0},
    "everything, kernel": {"levels": ((2, 1),), "n_landmarks": 20},
    "no mirror, no colours": {"mirror": False, "colour_weight": 0.0},
    "draws": {"n_draws": 2, "layout_weight": 0.0, "conditioning": False},
}


@pytest.fixture(scope="module")
def images(picture):
    kinds = ("blobs", "noise", "stripes")
    made = [picture(kind, number) for number in range(8) for kind in kinds]
    return made, list(kinds) * 8


@pytest.mark.parametrize("name", SETTINGS)
def test_evidence_adds_up_to_the_score(images, name):
    made, labels = images
    model = SceneClassifier(**{**QUICK, **SETTINGS[name]}).fit(made[:18], labels[:18])
    found, where = model.explain_patches(made[18:])
    scores = model.decision_function(made[18:])
    np.testing.assert_allclose(found.score, np.diff(np.sort(scores, axis=1))[:, -1], rtol=1e-12)
    total = found.totals + found.terms["constant"] + found.baseline + found.remainder
    np.testing.assert_allclose(total, found.score, atol=1e-9)
    most = 0.01 * np.ptp(found.score) if name in ("everything, kernel", "draws") else 1e-6
    assert np.abs(found.remainder).max() < most
    assert np.diff(found.offsets).tolist() == [len(patches.sides) for patches in where]


def test_a_map_adds_up_to_the_evidence_and_stays_in_the_image(images):
    made, labels = images
    model = SceneClassifier(**QUICK).fit(made[:18], labels[:18])
    found, where = model.explain_patches(made[18:20])
    for place, patches in enumerate(where):
        drawn = evidence_map(patches, found[place])
        assert drawn.shape == made[18 + place].shape[:2]
        assert drawn.sum() == pytest.approx(found[place].sum(), abs=1e-9)


def test_colours_follow_the_sign():
    pixels = np.full((2, 2), 128, np.uint8)
    drawn = overlay(pixels, np.array([[1.0, -1.0], [0.0, 0.0]]))
    assert drawn[0, 0, 2] > drawn[0, 0, 0]  # blue
    assert drawn[0, 1, 0] > drawn[0, 1, 2]  # orange
    assert drawn[1].tolist() == [[128] * 3] * 2
    assert overlay(pixels, np.zeros((2, 2))).tolist() == [[[128] * 3] * 2] * 2


def test_a_patch_beyond_the_edge_is_drawn_within():
    patches = Patches(np.array([[0.0, 0.0]]), np.array([4.0]), np.array([False]), (3, 3))
    drawn = evidence_map(patches, np.array([4.0]))
    assert drawn[:2, :2].tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert drawn.sum() == 4.0


def test_cells_of_words_are_those_of_the_histogram():
    random = np.random.default_rng(0)
    words, centres = random.integers(0, 4, 30), random.uniform(0, 10, (30, 2))
    levels = ((1, 1), (2, 3))
    cells = word_cells(words, centres, (10, 10), 4, levels)
    histogram = spatial_histogram(words, centres, (10, 10), 4, levels)
    counted = np.bincount(cells.ravel(), minlength=len(histogram)) / 30
    np.testing.assert_allclose(histogram, counted, rtol=1e-6)


def test_other_models_are_refused():
    X = np.random.default_rng(0).normal(size=(12, 2))
    model = SFMClassifier(random_state=0, n_components=1).fit(X, [0, 1] * 6)
    with pytest.raises(ValueError, match="requires topic models"):
        explain_patches(model.pairs_, model.classes_, X, [X], 1)
