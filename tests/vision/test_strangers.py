"""Images of no learnt class."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from sfmvision import SceneClassifier

SMALL = {"n_words": 12, "n_topics": 3, "n_gaussians": 3, "n_axes": 6, "random_state": 0}


@pytest.fixture(scope="module")
def learnt(picture):
    images = [picture(kind, number) for kind in ("blobs", "stripes") for number in range(40)]
    return SceneClassifier(**SMALL).fit(images, ["blobs"] * 40 + ["stripes"] * 40)


def test_noise_is_unlike_what_was_learnt_whatever_the_votes_say(learnt, picture):
    true = [picture(kind, number) for kind in ("blobs", "stripes") for number in range(40, 60)]
    noise = [picture("noise", number) for number in range(20)]
    p_true, p_noise = learnt.typicality(true), learnt.typicality(noise)
    is_true = np.repeat([True, False], [40, 20])
    assert roc_auc_score(is_true, np.concatenate([p_true, p_noise])) > 0.98
    assert np.mean(p_noise <= 0.05) > 0.9
    # A nominal tenth, of 40 images and by 80 held-out ones: four deviations.
    assert np.mean(p_true <= 0.1) <= 0.1 + 4 * np.sqrt(0.09 * (1 / 40 + 1 / 80))


def test_rows_that_typicality_compares_know_nothing_of_the_training_images(learnt, picture):
    other = SceneClassifier(**{**SMALL, "random_state": 1})
    other.fit([picture(kind, n) for kind in ("noise", "stripes") for n in range(8)], [0, 1] * 8)
    asked = learnt.preparation.encode([picture("blobs", 50)], learnt)
    rows = [model.pairs_[0].preparation.apply(asked).plain for model in (learnt, other)]
    assert np.array_equal(*rows)


def test_a_file_keeps_typicality(learnt, picture, tmp_path):
    images = [picture("noise", 3), picture("blobs", 70)]
    learnt.save(tmp_path / "model.sfm")
    again = SceneClassifier.load(tmp_path / "model.sfm")
    assert np.array_equal(again.typicality(images), learnt.typicality(images))
    assert np.array_equal(again.set_params(n_jobs=2).typicality(images), learnt.typicality(images))


def test_no_images_have_no_typicality(learnt):
    assert learnt.typicality([]).shape == (0,)
    assert learnt.predict([]).shape == (0,)
