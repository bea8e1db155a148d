"""SceneClassifier: what it learns, what it takes and refuses, and how scikit-learn uses it."""

import pickle
import warnings
from copy import deepcopy
from pathlib import Path

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score

from sfmcore.files.model_file import load_model
from sfmvision import SceneClassifier
from sfmvision.images.reading import read_image
from sfmvision.preparation import ScenePreparation
from sfmvision.presets import PRESETS

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

CLASSES = ("blobs", "noise", "stripes")
SMALL = {"n_words": 8, "n_topics": 3, "n_sweeps": 10, "random_state": 0}
DRAWS = {"n_draws": 2, "coupling": 1.0, "max_iter": 2, "max_proposals": 5}
FAST = {"best": {}, "paper": {"grid": (5, 5), "n_restarts": 1, **DRAWS}}


@pytest.fixture(scope="module")
def X(picture):
    """Six RGB images of each class to learn from."""
    return [picture(kind, number) for kind in CLASSES for number in range(6)]


@pytest.fixture(scope="module")
def Y():
    return [kind for kind in CLASSES for _ in range(6)]


@pytest.fixture(scope="module")
def more(picture):
    """Four others of each class."""
    return [picture(kind, 100 + number) for kind in CLASSES for number in range(4)]


@pytest.fixture(scope="module")
def model(X, Y):
    return SceneClassifier(**SMALL).fit(X, Y)


def fitted(X, y, **parameters):
    return SceneClassifier(**{**SMALL, **parameters}).fit(X, y)


def same_bits(one, other, images):
    return all(
        np.array_equal(getattr(one, method)(images), getattr(other, method)(images))
        for method in ("predict_proba", "decision_function", "predict")
    )


# What it learns


@pytest.mark.parametrize("parameters", [{}, DRAWS, {"levels": ()}], ids=["exact", "draws", "bag"])
def test_new_images_get_the_label_of_their_texture(X, Y, more, parameters):
    model = fitted(X, Y, **parameters)
    assert model.classes_.tolist() == list(CLASSES)
    truth = np.repeat(CLASSES, 4)
    # A third by chance. Measured: 92 to 100 %.
    assert model.score(more, truth) > 0.8
    assert model.score(more, truth) == np.mean(model.predict(more) == truth)


@pytest.mark.parametrize("parameters", [{}, DRAWS], ids=["exact", "draws"])
def test_shapes_and_ranges_for_three_classes(X, Y, more, parameters):
    model = fitted(X, Y, **parameters)
    scores, shares = model.decision_function(more), model.predict_proba(more)
    assert scores.shape == shares.shape == (12, 3)
    np.testing.assert_allclose(shares.sum(1), 1.0, rtol=1e-12)
    assert shares.min() >= 0
    assert np.array_equal(model.predict(more), model.classes_[scores.argmax(1)])


def test_shapes_and_signs_for_two_classes(X, Y, more):
    model = fitted(X[:12], [label == "noise" for label in Y[:12]])
    scores, shares = model.decision_function(more), model.predict_proba(more)
    assert (scores.shape, shares.shape) == ((12,), (12, 2))
    assert np.array_equal(model.predict(more), scores > 0)
    assert model.predict(X[:12]).tolist() == [False] * 6 + [True] * 6


def test_the_codebook_is_shared_by_all_pairs(X, Y):
    model = fitted(X, Y, n_pairs=2)
    assert len(model.pairs_) == 6
    (words,) = {id(pair.preparation): pair.preparation for pair in model.pairs_}.values()
    assert words.codebook.centres_.shape == (8, 128)
    assert model.pairs_[0].mapping.positive.n_words == 9


@pytest.mark.parametrize("marker", [None, np.nan, ""])
def test_images_without_label_are_those_of_X_unlabeled(X, Y, more, marker):
    apart = SceneClassifier(**SMALL).fit(X, Y, X_unlabeled=more)
    marked = SceneClassifier(**SMALL).fit(X + more, Y + [marker] * 12)
    assert same_bits(marked, apart, more)
    assert apart.classes_.tolist() == list(CLASSES)
    assert not np.array_equal(apart.pairs_[0].u, fitted(X, Y).pairs_[0].u)


def test_a_certificate_is_of_images_that_nothing_else_has_seen(X, Y, more):
    model = fitted(X, Y, certificate_fraction=0.5, certify_by="pac-bayes")
    report = model.certificate_
    assert report.certificates[0].n_items == 9
    assert list(report.labels) == list(CLASSES)
    assert all(part.gibbs_risk <= part.gibbs_bound <= 1 for part in report.certificates)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fresh = model.certify(more, np.repeat(CLASSES, 4), fresh=True)
    with pytest.warns(UserWarning, match="9 of 18 items equal items that the models were learnt"):
        model.certify(X, Y)
    assert fresh.certificates[0].n_items == 12
    with pytest.raises(AttributeError, match="no certificate"):
        _ = fitted(X, Y).certificate_


def test_the_codebook_does_not_see_the_images_of_the_certificate(X, Y, monkeypatch):
    seen = []
    learn = ScenePreparation.fit

    def spy(self, items, weights, **rest):
        seen.append(int((weights > 0).sum()))
        return learn(self, items, weights, **rest)

    monkeypatch.setattr(ScenePreparation, "fit", spy)
    fitted(X, Y, certificate_fraction=0.5, certify_by="pac-bayes")
    fitted(X, Y)
    assert seen == [9, 18]


def test_an_image_of_weight_0_is_as_if_it_were_not_there(X, Y, more):
    weighted = SceneClassifier(**SMALL).fit(X + more, Y + ["blobs"] * 12, [1.0] * 18 + [0.0] * 12)
    plain = SceneClassifier(**SMALL).fit(X, Y, [1.0] * 18)
    assert same_bits(weighted, plain, more)


# What it takes


def test_paths_and_arrays_of_the_same_pixels_give_the_same_bits(scenes):
    paths = sorted(scenes.rglob("*.png"))
    labels = [path.parent.name for path in paths]
    arrays = [read_image(path) for path in paths]
    mixed = [arrays[k] if k % 2 else str(path) for k, path in enumerate(paths)]
    models = [fitted(images, labels) for images in (paths, arrays, mixed)]
    assert same_bits(models[0], models[1], paths)
    assert same_bits(models[0], models[2], arrays)
    assert np.array_equal(models[0].predict_proba(paths), models[0].predict_proba(arrays))


def test_grey_colour_and_floats_are_mixed_freely(X, Y, model):
    mixed = [
        (image, image[:, :, 0], image / 255, (image / 255).astype(np.float32))[k % 4]
        for k, image in enumerate(X)
    ]
    assert fitted(mixed, Y).score(mixed, Y) > 0.8
    # Of a grey image all forms are the same to a hair.
    grey = X[1]
    assert np.array_equal(grey[:, :, 0], grey[:, :, 2])
    forms = [grey, grey[:, :, 0], grey[:, :, :1], grey / 255, grey[:, :, 0] / np.float32(255)]
    np.testing.assert_allclose(
        model.predict_proba(forms), model.predict_proba([grey] * 5), atol=0.02
    )


@pytest.mark.parametrize("kind", ["array", "tuple", "generator", "objects"])
def test_a_batch_may_be_anything_with_images_in_order(X, model, kind):
    forms = {"array": np.array(X), "tuple": tuple(X), "generator": iter(X)}
    objects = np.empty(len(X), dtype=object)
    objects[:] = X
    shares = model.predict_proba(forms.get(kind, objects))
    assert np.array_equal(shares, model.predict_proba(X))


def test_opponent_colours_take_grey_images_too(X, Y, more):
    mixed = [image if k % 3 else image[:, :, 0] for k, image in enumerate(X)]
    model = fitted(mixed, Y, colour="opponent")
    assert model.pairs_[0].preparation.codebook.centres_.shape[1] == 384
    assert model.score(mixed, Y) > 0.8
    assert model.predict([more[0], more[1], more[0][:, :, 0]]).shape == (3,)


def test_opponent_colours_tell_apart_what_has_the_same_intensity(picture):
    images = [picture("noise", 2 * k + 1) // 4 + 90 for k in range(8)]
    wave = 60 * np.sin(np.arange(56) / 1.3)
    for image in images[4:]:
        image[:, :, 0] += wave.astype(np.int8).view(np.uint8)
        image[:, :, 1] -= np.round(wave * 0.299 / 0.587).astype(np.int8).view(np.uint8)
    labels = [0] * 4 + [1] * 4
    halves = [images[::2], labels[::2], images[1::2], labels[1::2]]
    assert fitted(*halves[:2], colour="opponent").score(*halves[2:]) == 1.0
    grey = [image @ [0.299, 0.587, 0.114] for image in images]
    spread = [np.std(image) for image in grey]
    np.testing.assert_allclose(spread[4:], np.mean(spread[:4]), rtol=0.05)


def test_images_of_different_sizes_are_learnt_together(picture):
    shapes = [(48, 56), (64, 40), (17, 90), (130, 33), (40, 40), (16, 16)]
    images = [picture(kind, k, shape) for kind in CLASSES for k, shape in enumerate(shapes)]
    labels = [kind for kind in CLASSES for _ in shapes]
    model = fitted(images, labels, max_side=100)
    assert model.score(images, labels) > 0.8


def test_a_uniform_image_has_a_label(model):
    shares = model.predict_proba([np.full((48, 48), level, np.uint8) for level in (0, 128, 255)])
    # They differ in brightness alone, which colours see.
    assert np.isfinite(shares).all()


def test_uniform_images_may_stand_among_the_others(X, Y):
    images = [*X, np.zeros((48, 56), np.uint8), np.full((48, 56), 9, np.uint8)]
    assert fitted(images, [*Y, "noise", "blobs"]).score(X, Y) > 0.8


def test_no_image_gives_no_prediction(model):
    assert model.predict([]).shape == (0,)
    assert model.predict_proba([]).shape == (0, 3)


# What it refuses


def test_all_bad_images_are_named_at_once(X, Y, model, odd, own_scenes):
    paths = list(odd)
    bad = [number for number, path in enumerate(paths) if odd[path] != "ok"]
    images = [*paths, X[0], None, X[1].astype(int), X[2][:8, :8]]
    calls = (
        lambda: SceneClassifier(**SMALL).fit(images, [0, 1] * (len(images) // 2)),
        lambda: SceneClassifier(**SMALL, n_jobs=2).fit(X, Y, X_unlabeled=images),
        lambda: model.predict(images),
        lambda: model.predict_proba(images),
        lambda: model.decision_function(images),
    )
    for call in calls:
        with pytest.raises(ValueError, match=r"^7 images can't be used: ") as caught:
            call()
        text = str(caught.value)
        for number in bad:
            assert f"item {number}: {paths[number]}: {odd[paths[number]]}" in text
        assert "item 13: <array>: of type NoneType, neither pixels nor a path" in text
        assert "item 14: <array>: pixels must be uint8 or floats, not int64" in text
        assert "item 15: <array>: too small for a patch" in text


def test_a_batch_without_any_contrast_is_refused(model):
    images = [np.full((48, 48), level, np.uint8) for level in range(0, 240, 40)]
    with pytest.raises(ValueError, match="no patch of any image has contrast"):
        SceneClassifier(**SMALL).fit(images, [0, 1] * 3)


@pytest.mark.parametrize("one", ["a.jpg", b"a.jpg", Path("a.jpg")])
def test_one_path_instead_of_a_list_is_refused(X, Y, model, one):
    with pytest.raises(ValueError, match="X must be a list of images, not one"):
        model.predict(one)
    with pytest.raises(ValueError, match="X must be a list of images, not one"):
        fitted(one, Y)


def test_one_array_instead_of_a_list_is_refused(X, model):
    with pytest.raises(ValueError, match="48 images can't be used"):
        model.predict(X[0])
    with pytest.raises(ValueError, match="48 images can't be used"):
        model.predict(X[0][:, :, 0])
    with pytest.raises(ValueError, match="X must be a list of images, not int"):
        model.predict(5)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["a"] * 5, r"X has 18 items, y has shape \(5,\)"),
        (["a"] * 18, "at least two classes are needed, y has 1 class, 'a'"),
        (["a", None] * 9, "y has 1 class, 'a'; unlabeled='auto' removed 9 of 18 labels"),
        ([-1, 0, 1] * 6, "y holds -1 in addition to 0, 1"),
    ],
)
def test_labels_that_are_no_classes_are_refused(X, y, message):
    with pytest.raises(ValueError, match=message):
        fitted(X, y)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("n_words", (0, 2.5, "ten", None, True, 65535)),
        ("n_topics", (0, 65536)),
        ("step", (0, 1.5, "8")),
        ("bin_sizes", ((), 4, None, (4, 0), "48", [4.0])),
        ("levels", (None, 5, [5], ((1, 1, 1),), ((0, 1),))),
        ("window", ("round", None)),
        ("root", (1, None)),
        ("colour", ("red", None)),
        ("max_side", (4, 50.5)),
        ("n_sample", (0,)),
        ("layout_weight", (-1, np.nan, np.inf, 1e7, "much")),
        ("n_sweeps", (0,)),
        ("alpha", (0, 1e9, "auto")),
        ("allow_truncated", (1, None)),
        ("max_pixels", (0, 1e6)),
        ("cache", (5, "", b"folder", True)),
        ("C", (0, "best")),
        ("n_pairs", (0,)),
        ("random_state", (-1,)),
        ("n_jobs", (0, 1.5, "all")),
    ],
)
def test_bad_parameters_are_refused_by_name_when_fitted(X, Y, name, values):
    for value in values:
        model = SceneClassifier(**{**SMALL, name: value})  # the constructor takes anything
        with pytest.raises(ValueError, match=rf"^{name} must"):
            model.fit(X, Y)


@pytest.mark.parametrize("grid", [3, (3,), (3, 4, 5), "ab", (0, 1), (1.5, 2)])
def test_a_bad_grid_is_refused_by_name(X, Y, grid):
    with pytest.raises(ValueError, match=r"^grid must"):
        fitted(X, Y, grid=grid, step=None)
    with pytest.raises(ValueError, match=r"^exactly one of grid and step must be given"):
        fitted(X, Y, grid=grid)


def test_an_unfitted_classifier_says_so(X, Y, tmp_path):
    model = SceneClassifier()
    for call in (model.predict, model.predict_proba, model.decision_function):
        with pytest.raises(NotFittedError):
            call(X)
    with pytest.raises(NotFittedError):
        model.score(X, Y)
    with pytest.raises(NotFittedError):
        model.save(tmp_path / "a.model")


# Reproducibility


@pytest.mark.parametrize("preset", list(PRESETS))
def test_same_seed_gives_the_same_bits_whatever_the_number_of_threads(X, Y, more, preset, tmp_path):
    def fit(n_jobs, seed=0):
        parameters = {**SMALL, **FAST[preset], "random_state": seed, "n_jobs": n_jobs}
        model = SceneClassifier.from_preset(preset, **parameters).fit(X, Y)
        model.save(tmp_path / f"{n_jobs} {seed}")
        return model

    one, two = fit(1), fit(2)
    assert same_bits(one, two, more)
    assert (tmp_path / "1 0").read_bytes() == (tmp_path / "2 0").read_bytes()
    assert not same_bits(one, fit(1, seed=1), more)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_cache_changes_no_bit(X, Y, more, model, tmp_path, n_jobs):
    for _ in range(2):
        cached = fitted(X, Y, cache=tmp_path / "cache", n_jobs=n_jobs)
        assert same_bits(cached, model, more)
    assert sum(path.is_file() for path in (tmp_path / "cache").rglob("*")) == 30


@pytest.mark.parametrize("parameters", [{}, DRAWS], ids=["exact", "draws"])
def test_prediction_of_an_image_does_not_depend_on_the_batch(X, Y, more, parameters):
    model = fitted(X, Y, **parameters)
    shares, scores = model.predict_proba(more), model.decision_function(more)
    for number in (0, 5, 11):
        assert np.array_equal(model.predict_proba([more[number]])[0], shares[number])
        assert np.array_equal(model.decision_function([more[number]])[0], scores[number])
    order = np.random.default_rng(0).permutation(12)
    assert np.array_equal(model.predict_proba([more[k] for k in order]), shares[order])
    assert np.array_equal(model.predict_proba([more[3]] * 3), shares[[3, 3, 3]])


def test_a_large_seed_is_as_good_as_a_small_one(X, Y):
    assert fitted(X, Y, random_state=2**40).score(X, Y) > 0.8


def test_random_state_instances_of_one_seed_give_the_same_bits(X, Y, more):
    one, same = (fitted(X, Y, random_state=np.random.RandomState(5)) for _ in range(2))
    assert same_bits(one, same, more)


# The model file


@pytest.mark.parametrize("parameters", [{}, DRAWS], ids=["exact", "draws"])
def test_a_loaded_classifier_predicts_the_same_bits(X, Y, more, tmp_path, parameters):
    model = fitted(X, Y, **parameters)
    model.save(tmp_path / "model")
    loaded = SceneClassifier.load(tmp_path / "model")
    assert same_bits(loaded, model, more)
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


def test_the_model_file_holds_the_codebook_and_nothing_of_the_machine(X, Y, tmp_path):
    fitted(X, Y, cache=tmp_path / "cache", n_jobs=2).save(tmp_path / "model")
    state, arrays = load_model(tmp_path / "model", "scene classifier")
    assert arrays["inputs0/centres"].shape == (8, 128)
    assert arrays["inputs0/levels"].shape == (0, 2)
    assert arrays["inputs0/moments_texture_means"].shape == (64, 35)
    assert arrays["inputs0/moments_colour_axes"].shape == (32, 96)
    assert not {"n_jobs", "verbose"} & state["parameters"].keys()
    assert "cache" not in state["prepare"]["parameters"]
    assert b"cache" not in (tmp_path / "model").read_bytes()


def test_parameters_may_be_of_numpy(X, Y, more, model, tmp_path):
    other = fitted(
        X,
        Y,
        n_words=np.int64(8),
        step=np.int32(8),
        root=np.bool_(True),
        bin_sizes=np.array([4, 6, 8, 10, 12, 16]),
        n_gaussians=np.int64(64),
        colour_weight=np.float64(0.7),
        mirror=np.bool_(True),
        layout_weight=np.float32(3),
        max_side=np.int64(480),
        cache=tmp_path / "cache",
    )
    assert same_bits(other, model, more)
    other.save(tmp_path / "one")
    model.save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_parameters_that_no_longer_fit_are_not_saved(X, Y, tmp_path):
    model = fitted(X, Y)
    for changed in ({"levels": ((1, 1),)}, {"layout_weight": 2.0}, {"colour": "opponent"}):
        other = pickle.loads(pickle.dumps(model)).set_params(**changed)
        with pytest.raises(ValueError, match="the parameters do not fit what was learnt"):
            other.save(tmp_path / "model")
    assert not (tmp_path / "model").exists()


CHANGED = {
    "grid": {"grid": (5, 5), "step": None},
    "step": {"step": 9},
    "bin_sizes": {"bin_sizes": (4, 6)},
    "window": {"window": "gaussian"},
    "root": {"root": False},
    "colour": {"colour": "opponent"},
    "max_side": {"max_side": 32},
}


@pytest.mark.parametrize("name", list(CHANGED))
@pytest.mark.parametrize("loaded", [False, True], ids=["fitted", "loaded"])
def test_images_are_described_as_in_fit_or_not_at_all(X, Y, model, tmp_path, name, loaded):
    model.save(tmp_path / "model")
    other = SceneClassifier.load(tmp_path / "model") if loaded else deepcopy(model)
    other.set_params(**CHANGED[name])
    calls = (
        *(lambda m=m: m(X) for m in (other.predict, other.predict_proba, other.decision_function)),
        *(lambda m=m: m(X, Y) for m in (other.score, other.certify)),
        lambda: other.predict([]),
        lambda: other.predict([None]),  # before it is looked at
    )
    for call in calls:
        with pytest.raises(ValueError, match=rf"^{name} must be .*, as in fit, got "):
            call()
    with pytest.raises(ValueError, match=rf"the parameters do not fit .*: {name} must be .*in fit"):
        other.save(tmp_path / "other")
    assert not (tmp_path / "other").exists()
    # Set back, all is well; fitted again, the new ones hold.
    other.set_params(**{own: model.short_params()[own] for own in CHANGED[name]})
    assert same_bits(other, model, X[:2])
    other.set_params(**CHANGED[name]).fit(X, Y, X_unlabeled=X[:2]).predict(X)


def test_a_batch_is_described_as_in_fit_too(X, Y, model):
    def batch(**parameters):
        other = SceneClassifier(**{**SMALL, **parameters})
        return other.preparation.encode(X, other)

    assert np.array_equal(model.predict(batch()), model.predict(X))
    with pytest.raises(ValueError, match=r"^max_side must be 480, as in fit, got 32"):
        model.predict(batch(max_side=32))
    other = SceneClassifier(**SMALL).fit(batch(step=9), Y)
    with pytest.raises(ValueError, match=r"^step must be 9, as in fit, got 8"):
        other.predict(X)


def test_what_changes_no_descriptor_may_be_set_after_fit(X, Y, more, model, tmp_path):
    other = deepcopy(model)
    other.set_params(allow_truncated=True, max_pixels=10**9, cache=tmp_path / "cache", n_jobs=2)
    other.set_params(bin_sizes=[4, 6, 8, 10, 12, 16], step=np.int64(8))
    assert same_bits(other, model, more)
    other.save(tmp_path / "model")
    assert SceneClassifier.load(tmp_path / "model").short_params()["max_pixels"] == 10**9


# scikit-learn


def test_tags_say_that_no_table_of_numbers_is_taken():
    tags = SceneClassifier().__sklearn_tags__()
    assert not tags.input_tags.two_d_array
    assert tags.estimator_type == "classifier"


def test_get_params_set_params_and_clone(X):
    model = SceneClassifier(n_words=7, C=3.0, levels=((1, 1),))
    assert model.get_params()["prepare__n_words"] == model.short_params()["n_words"] == 7
    assert model.set_params(n_words=8, vote="raw").get_params()["vote"] == "raw"
    copy = clone(model)
    assert copy.short_params() == model.short_params()
    with pytest.raises(NotFittedError):
        copy.predict(X)
    with pytest.raises(ValueError, match="depth"):
        model.set_params(depth=3)
    expected = "SceneClassifier(prepare=ScenePreparation(n_words=3))"
    assert repr(SceneClassifier(n_words=3)) == expected


@pytest.mark.parametrize("preset", list(PRESETS))
def test_presets_set_what_they_name_and_can_be_changed(preset):
    model = SceneClassifier.from_preset(preset, n_topics=5)
    defaults = SceneClassifier().short_params()
    assert model.short_params() == {**defaults, **PRESETS[preset], "n_topics": 5}
    model.check_parameters()


def test_an_unknown_preset_is_refused():
    with pytest.raises(ValueError, match="preset must be one of best, paper, got 'fast'"):
        SceneClassifier.from_preset("fast")


def test_pickle_and_joblib_round_trips(X, Y, more, tmp_path):
    model = fitted(X, Y, cache=tmp_path / "cache", **DRAWS)
    joblib.dump(model, tmp_path / "model")
    assert same_bits(pickle.loads(pickle.dumps(model)), model, more)
    assert same_bits(joblib.load(tmp_path / "model"), model, more)


def test_workers_of_joblib_predict_the_same_bits(X, model):
    # By its own methods, as the function of a test module can't be imported by a worker.
    tasks = [joblib.delayed(model.predict_proba)(part) for part in (X[:5], X[5:])]
    parts = joblib.Parallel(n_jobs=2, backend="threading")(tasks)
    assert np.array_equal(np.concatenate(parts), model.predict_proba(X))


def test_cross_validation_and_grid_search_over_paths(scenes):
    paths = sorted(scenes.rglob("*.png"))
    labels = [path.parent.name for path in paths]
    assert cross_val_score(SceneClassifier(**SMALL), paths, labels, cv=2).mean() > 0.8
    grid = {"step": np.array([8, 12]), "bin_sizes": [(4,), (4, 6)]}
    search = GridSearchCV(SceneClassifier(**SMALL), grid, cv=2).fit(paths, labels)
    assert search.best_score_ > 0.8


def test_convergence_is_warned_of_once(X, Y):
    with pytest.warns(ConvergenceWarning, match="Algorithm 1 of 3 of 3 pairs") as caught:
        fitted(X, Y, tol=0.0, **DRAWS)
    assert len(caught) == 1
    assert caught[0].filename == __file__
