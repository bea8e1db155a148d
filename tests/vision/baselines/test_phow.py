"""PHOWClassifier: what it learns, what it takes and refuses, and how scikit-learn uses it."""

import pickle

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.svm import SVC

import sfmvision.baselines.phow
from sfmvision.baselines.additive import chi_square_map
from sfmvision.baselines.phow import PHOWClassifier
from sfmvision.baselines.pyramid import PyramidHistogram
from sfmvision.images.reading import read_image

CLASSES = ("blobs", "noise", "stripes")
SMALL = {"n_words": 8, "step": 6, "random_state": 0}


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
    return PHOWClassifier(**SMALL).fit(X, Y)


def fitted(X, y, **parameters):
    return PHOWClassifier(**{**SMALL, **parameters}).fit(X, y)


def same_bits(one, other, images):
    return np.array_equal(one.decision_function(images), other.decision_function(images))


# What it learns


@pytest.mark.parametrize(
    "parameters",
    [{}, {"C": (0.1, 1, 10)}, {"grid": (8, 8), "step": None, "n_words": 5}],
    ids=["defaults", "chosen C", "grid"],
)
def test_new_images_get_the_label_of_their_texture(X, Y, more, parameters):
    model = fitted(X, Y, **parameters)
    assert model.classes_.tolist() == list(CLASSES)
    scores = model.decision_function(more)
    assert scores.shape == (12, 3)
    assert np.array_equal(model.predict(more), model.classes_[scores.argmax(1)])
    assert model.score(more, np.repeat(CLASSES, 4)) > 0.9  # measured: 100 %


def test_shapes_and_signs_for_two_classes(X, Y, more):
    model = fitted(X[:12], [label == "noise" for label in Y[:12]])
    scores = model.decision_function(more)
    assert scores.shape == (12,)
    assert model.coef_.shape == (1, 3, 20 * 9)
    assert np.array_equal(model.predict(more), scores > 0)
    assert model.predict(X[:12]).tolist() == [False] * 6 + [True] * 6


def test_scores_are_those_of_a_linear_machine_on_mapped_pyramids(X, Y, more, model):
    # Here without kernel matrix and blocks, and each machine by scikit-learn from the features.
    pyramid = PyramidHistogram(**SMALL).fit(X)
    known, new = (
        chi_square_map(pyramid.transform(images)).reshape(len(images), -1).astype(float)
        for images in (X, more)
    )
    expected = []
    for label in CLASSES:
        machine = SVC(C=10.0, kernel="linear", tol=1e-6).fit(known, np.array(Y) == label)
        expected.append(machine.decision_function(new))
    np.testing.assert_allclose(model.decision_function(more), np.array(expected).T, atol=5e-3)


def test_attributes_are_those_of_the_parts(model):
    assert model.n_words_ == 9
    assert model.codebook_.centres_.shape == (8, 128)
    assert model.coef_.shape == (3, 3, 20 * 9)
    assert model.intercept_.shape == (3,)
    assert model.C_.tolist() == [10.0] * 3
    assert not hasattr(model, "cv_accuracy_")


@pytest.mark.parametrize("labels", [(2, 0, 1), ("c", "a", "b"), (-1.0, 5.0, 2.0)])
def test_labels_may_be_of_any_kind(X, Y, more, model, labels):
    names = dict(zip(CLASSES, labels, strict=True))
    other = fitted(X, [names[label] for label in Y])
    assert other.classes_.tolist() == sorted(labels)
    assert other.predict(more).tolist() == [names[label] for label in model.predict(more)]


# The choice of C


def test_each_class_has_its_own_C_and_the_smaller_of_equal_ones(X, Y, monkeypatch):
    accuracy = np.array([[0.7, 0.9, 0.9], [0.8, 0.8, 0.8], [0.5, 0.6, 0.7]])
    monkeypatch.setattr(sfmvision.baselines.phow, "cross_validated", lambda *arguments: accuracy)
    model = fitted(X, Y, C=[100, 1, 10, 10])
    assert model.C_.tolist() == [10.0, 1.0, 100.0]
    assert np.array_equal(model.cv_accuracy_, accuracy)
    assert same_bits(model, fitted(X, Y, C=(1, 10, 100)), X)
    assert not hasattr(model.set_params(C=1).fit(X, Y), "cv_accuracy_")


def test_a_chosen_C_learns_what_the_same_C_does_if_given(X, Y, more):
    # So weak a loss that only the larger class is right, and one that separates the classes.
    model = fitted(X, Y, C=(1e-6, 10.0), n_folds=3)
    assert model.cv_accuracy_.shape == (3, 2)
    assert np.all(model.cv_accuracy_[:, 0] < model.cv_accuracy_[:, 1])
    assert model.C_.tolist() == [10.0] * 3
    assert same_bits(model, fitted(X, Y), more)


def test_a_small_class_has_fewer_folds_and_a_warning(X, Y):
    with pytest.warns(UserWarning, match="the smallest class has 2 items: 2 folds instead of 5"):
        fitted(X[:8], Y[:8], C=(1, 10))
    with pytest.warns(UserWarning, match="using the simplest setting") as caught:
        model = fitted([X[0], X[6]], ["a", "b"], C=(1, 10))
    assert model.C_.tolist() == [1.0]
    assert caught[0].filename == __file__


# What it takes


def test_paths_and_arrays_of_the_same_pixels_give_the_same_bits(scenes):
    paths = sorted(scenes.rglob("*.png"))
    labels = [path.parent.name for path in paths]
    arrays = [read_image(path) for path in paths]
    one, other = fitted(paths, labels), fitted(iter(arrays), labels)
    assert same_bits(one, other, paths)
    assert np.array_equal(one.decision_function(paths), one.decision_function(arrays))


def test_a_uniform_image_has_a_label(model):
    scores = model.decision_function([np.full((48, 48), level, np.uint8) for level in (0, 255)])
    assert np.isfinite(scores).all()
    assert np.array_equal(scores[0], scores[1])


def test_no_image_gives_no_prediction(model):
    assert model.predict([]).shape == (0,)
    assert model.decision_function([]).shape == (0, 3)


# What it refuses


def test_all_bad_images_are_named_at_once(X, model, odd):
    images = [*odd, X[0], None]
    for call in (model.predict, model.decision_function):
        with pytest.raises(ValueError, match=r"^5 images can't be used: item 4: "):
            call(images)
    with pytest.raises(ValueError, match=r"^5 images can't be used: item 4: "):
        fitted(images, [0, 1] * (len(images) // 2))


def test_a_batch_without_any_contrast_is_refused():
    images = [np.full((48, 48), level, np.uint8) for level in range(0, 240, 40)]
    with pytest.raises(ValueError, match="no patch of any image has contrast"):
        fitted(images, [0, 1] * 3)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["a"] * 5, r"X has 18 items, y has shape \(5,\)"),
        (["a"] * 18, "at least two classes are needed, y has 1 class, 'a'"),
        (["a", None] * 9, "y must hold labels of one kind, none missing"),
        (None, "requires y to be passed"),
    ],
)
def test_labels_that_are_no_classes_are_refused(X, y, message):
    with pytest.raises(ValueError, match=message):
        fitted(X, y)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("n_words", (0, 2.5, "ten", None, True, 65535)),
        ("step", (0, 1.5, "8")),
        ("bin_sizes", ((), 4, None, (4, 0))),
        ("levels", (None, 5, ((0, 1),), ())),
        ("window", ("round",)),
        ("root", (1,)),
        ("colour", ("red",)),
        ("max_side", (4, 50.5)),
        ("n_sample", (0,)),
        ("allow_truncated", (1, None)),
        ("max_pixels", (0,)),
        ("cache", (5, "", b"folder")),
        ("C", (0, "best", None, (), (1, -1), [np.nan], "12", (1, True), [[1, 2]])),
        ("n_folds", (1, 2.5)),
        ("random_state", (-1,)),
        ("n_jobs", (0, 1.5)),
    ],
)
def test_bad_parameters_are_refused_by_name_before_an_image_is_read(Y, name, values):
    for value in values:
        with pytest.raises(ValueError, match=rf"^{name} must"):
            fitted(["no such file"] * 18, Y, **{name: value})


def test_grid_or_step_is_needed_but_not_both(X, Y):
    with pytest.raises(ValueError, match="exactly one of grid and step must be given"):
        fitted(X, Y, grid=(5, 5))


def test_an_unfitted_classifier_says_so(X):
    for call in (PHOWClassifier().predict, PHOWClassifier().decision_function):
        with pytest.raises(NotFittedError):
            call(X)


# Reproducibility


def test_same_seed_gives_the_same_bits_whatever_the_number_of_threads(X, Y, more):
    one, two = (fitted(X, Y, C=(0.1, 1, 10), n_jobs=n_jobs) for n_jobs in (1, 2))
    assert np.array_equal(one.coef_, two.coef_)
    assert np.array_equal(one.intercept_, two.intercept_)
    assert np.array_equal(one.cv_accuracy_, two.cv_accuracy_)
    assert same_bits(one, two, more)
    assert not same_bits(one, fitted(X, Y, C=(0.1, 1, 10), random_state=1), more)


def test_prediction_of_an_image_does_not_depend_on_the_batch(more, model):
    scores = model.decision_function(more)
    for number in (0, 5, 11):
        assert np.array_equal(model.decision_function([more[number]])[0], scores[number])


def test_random_state_instances_of_one_seed_give_the_same_bits(X, Y, more):
    one, same = (fitted(X, Y, random_state=np.random.RandomState(5)) for _ in range(2))
    assert same_bits(one, same, more)


def test_a_cache_changes_no_bit(X, Y, more, model, tmp_path):
    cached = fitted(X, Y, cache=tmp_path / "cache", n_jobs=2)
    assert same_bits(cached, model, more)
    assert sum(path.is_file() for path in (tmp_path / "cache").rglob("*")) == 30


# In scikit-learn


def test_clones_and_pickles(more, model):
    assert clone(model).get_params() == model.get_params()
    assert same_bits(pickle.loads(pickle.dumps(model)), model, more)


def test_cross_validation_and_grid_search_over_paths(scenes):
    paths = sorted(scenes.rglob("*.png"))
    labels = [path.parent.name for path in paths]
    assert cross_val_score(PHOWClassifier(**SMALL), paths, labels, cv=2).mean() > 0.9
    grid = {"n_folds": [2], "C": [1.0, (1.0, 10.0)], "n_words": np.array([5, 8])}
    search = GridSearchCV(PHOWClassifier(**SMALL), grid, cv=2).fit(paths, labels)
    assert search.best_score_ > 0.9


def test_it_learns_the_same_whatever_scikit_learn_returns_elsewhere(X, Y, more, model):
    pytest.importorskip("pandas")
    with sklearn.config_context(transform_output="pandas"):
        assert same_bits(fitted(X, Y), model, more)
