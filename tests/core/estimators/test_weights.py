"""Weights and missing labels: a weight of 2 is an item twice, 0 an absent one, NaN no label."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from sfmbio import ProteinClassifier
from sfmcore.estimators.classifier import SFMClassifier

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

LETTERS = np.array(["a", "b", "c"])


def make_vectors(n_classes, n_items=45, seed=0):
    numbers = np.arange(n_items) % n_classes
    random = np.random.default_rng([seed, n_classes])
    return random.normal(size=(n_items, 3)) + 1.5 * np.eye(3)[numbers], LETTERS[numbers]


def make_sequences(n_classes, n_items=36, seed=0):
    random = np.random.default_rng([seed, n_classes])
    residues = np.array(list("ADKLVW"))
    numbers = np.arange(n_items) % n_classes
    shares = np.full((n_classes, 6), 0.1)
    for number in range(n_classes):
        shares[number, 2 * number : 2 * number + 2] += 0.2
    items = [
        "".join(random.choice(residues, random.integers(6, 16), p=shares[k] / shares[k].sum()))
        for k in numbers
    ]
    return np.array(items, dtype=object), LETTERS[numbers]


def make_counts(n_items):
    """Weights that are counts: 0, 1, 2 and 3, in no order of the classes."""
    counts = np.random.default_rng(7).permutation(np.arange(n_items) % 4)
    assert set(counts.tolist()) == {0, 1, 2, 3}
    return counts


def vectors_fitted(X, y, weights=None, **parameters):
    small = {"n_components": 2, "n_init": 1, "em_max_iter": 30, "random_state": 0}
    return SFMClassifier(**{**small, **parameters}).fit(X, y, weights)


def sequences_fitted(X, y, weights=None, **parameters):
    small = {"n_states": 2, "n_pairs": 1, "n_init": 1, "em_max_iter": 15, "random_state": 0}
    if parameters.get("coupling", 0.0) > 0.0:
        small["n_shared_models"] = 0
    return ProteinClassifier(**{**small, **parameters}).fit(X, y, weights)


KINDS = {"vectors": (make_vectors, vectors_fitted), "sequences": (make_sequences, sequences_fitted)}
EXACT = [{}, {"conditioning": True}, {"conditioning": False}, {"C": "bound"}, {"n_pairs": 2}]
SCALINGS = [{"scaling": scaling} for scaling in ("power", "uniform", "normal", None)]
DRAWS = [{"n_draws": 2, "max_iter": 2}, {"n_draws": 2, "coupling": 1.0, "max_iter": 2}]


def arrays_of(model):
    """Parameters of all generative models."""
    models = [
        part for pair in model.pairs_ for part in (pair.mapping.positive, pair.mapping.negative)
    ]
    return [array for part in models for array in part.get_arrays().values()]


def same_models(one, other):
    pairs = zip(arrays_of(one), arrays_of(other), strict=True)
    return all(np.array_equal(array, twin) for array, twin in pairs)


def largest_difference(one, other, X, methods=("decision_function", "predict_proba")):
    return max(
        float(np.abs(getattr(one, name)(X) - getattr(other, name)(X)).max()) for name in methods
    )


def assert_close(one, other, X):
    """The same but for the rounding of sums in another order, which the search for u enlarges."""
    # Measured: 9e-11 and 1e-9 at most, mostly 1e-12.
    assert largest_difference(one, other, X, ["predict_proba"]) < 1e-9
    assert largest_difference(one, other, X, ["decision_function"]) < 1e-8
    assert np.array_equal(one.predict(X), other.predict(X))


def twice(kind, n_classes, **parameters):
    """Fits with counts as weights, and with the items as often; and items to ask about."""
    make, fit = KINDS[kind]
    X, y = make(n_classes)
    counts = make_counts(len(y))
    rows = np.repeat(np.arange(len(y)), counts)
    weighted = fit(X, y, counts, **parameters)
    return weighted, fit(X[rows], y[rows], **parameters), make(n_classes, seed=1)[0]


# Weights of 2 and more


@pytest.mark.parametrize("parameters", [*EXACT, *SCALINGS])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_mixtures_of_weighted_vectors_are_those_of_repeated_ones_to_the_bit(n_classes, parameters):
    weighted, repeated, _ = twice("vectors", n_classes, **parameters)
    assert same_models(weighted, repeated)
    for one, other in zip(weighted.pairs_, repeated.pairs_, strict=True):
        assert pickle.dumps(one.preparation) == pickle.dumps(other.preparation)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_hmms_of_weighted_sequences_are_those_of_repeated_ones_but_for_rounding(n_classes):
    # Baum-Welch adds up the sequences in another order.
    weighted, repeated, _ = twice("sequences", n_classes)
    for array, twin in zip(arrays_of(weighted), arrays_of(repeated), strict=True):
        np.testing.assert_allclose(array, twin, rtol=0, atol=1e-12)


@pytest.mark.parametrize("parameters", EXACT)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_a_weight_of_two_is_an_item_given_twice(kind, n_classes, parameters):
    weighted, repeated, items = twice(kind, n_classes, **parameters)
    assert_close(weighted, repeated, items)


@pytest.mark.parametrize("kind", KINDS)
def test_weights_are_not_left_out(kind):
    make, fit = KINDS[kind]
    X, y = make(2)
    weighted = fit(X, y, make_counts(len(y)) + 1)
    assert largest_difference(weighted, fit(X, y), X) > 1e-3


@pytest.mark.parametrize("kind", KINDS)
def test_a_weight_of_two_for_all_is_more_data_and_not_the_same(kind):
    # The priors of models and of u then weigh less.
    make, fit = KINDS[kind]
    X, y = make(2)
    doubled, twice_given = fit(X, y, np.full(len(y), 2.0)), fit([*X, *X], [*y, *y])
    assert_close(doubled, twice_given, X)
    assert largest_difference(doubled, fit(X, y), X) > 1e-3


@pytest.mark.parametrize("kind", KINDS)
def test_weights_of_one_are_no_weights_to_the_bit(kind):
    make, fit = KINDS[kind]
    X, y = make(3)
    assert largest_difference(fit(X, y, np.ones(len(y))), fit(X, y), X) == 0.0


# Weights of 0


@pytest.mark.parametrize("parameters", EXACT + DRAWS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_weight_of_zero_is_an_absent_item_to_the_bit(kind, parameters):
    make, fit = KINDS[kind]
    X, y = make(3)
    counts = make_counts(len(y))
    kept = counts > 0
    with_zeros = fit(X, y, counts, **parameters)
    without = fit(X[kept], y[kept], counts[kept], **parameters)
    assert same_models(with_zeros, without)
    assert largest_difference(with_zeros, without, X) == 0.0


@pytest.mark.parametrize("kind", KINDS)
def test_a_class_of_weight_zero_is_no_class(kind):
    make, fit = KINDS[kind]
    X, y = make(3)
    model = fit(X, y, np.where(y == "b", 0.0, 1.0))
    assert model.classes_.tolist() == ["a", "c"]
    without = fit(X[y != "b"], y[y != "b"], np.ones(np.sum(y != "b")))
    assert largest_difference(model, without, X) == 0.0


def test_columns_are_scaled_without_the_items_of_weight_zero():
    X, y = make_vectors(2)
    far = np.vstack([X, [[1e6, -1e6, 1e6]]])
    weighted = vectors_fitted(far, [*y, "a"], [*np.ones(45), 0.0])
    assert largest_difference(weighted, vectors_fitted(X, y), X) == 0.0


# Missing labels


@pytest.mark.parametrize(
    ("parameters", "marker"),
    [({}, None), ({}, np.nan), ({}, ""), ({}, "?"), *((draws, None) for draws in DRAWS)],
)
@pytest.mark.parametrize("kind", KINDS)
def test_items_that_are_marked_as_unlabelled_are_those_of_X_unlabeled(kind, parameters, marker):
    make, fit = KINDS[kind]
    X, y = make(3)
    more = make(3, n_items=12, seed=5)[0]
    unlabeled = "?" if marker == "?" else "auto"
    marked = fit([*X, *more], [*y, *[marker] * 12], unlabeled=unlabeled, **parameters)
    beside = clone(marked).fit(X, y, X_unlabeled=more)
    assert same_models(marked, beside)
    assert largest_difference(marked, beside, X) == 0.0
    assert marked.classes_.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("kind", KINDS)
def test_items_without_label_matter_to_u(kind):
    make, fit = KINDS[kind]
    X, y = make(2)
    more = make(2, n_items=12, seed=5)[0]
    marked = fit([*X, *more], [*y, *[None] * 12])
    assert largest_difference(marked, fit(X, y), X) > 1e-4


def test_minus_one_marks_what_the_parameter_says_and_is_refused_where_it_says_nothing():
    X, y = make_vectors(3)
    numbers = np.searchsorted(LETTERS, y)
    numbers[:6] = -1
    with pytest.raises(ValueError, match="y holds -1 in addition to 0, 1, 2"):
        vectors_fitted(X, numbers)
    model = vectors_fitted(X, numbers, unlabeled=-1)
    assert model.classes_.tolist() == [0, 1, 2]
    order = np.r_[6:45, 0:6]
    apart = vectors_fitted(X[order], numbers[order], unlabeled=-1)
    assert same_models(model, apart)
    assert vectors_fitted(X, numbers, unlabeled=None).classes_.tolist() == [-1, 0, 1, 2]


def test_minus_one_and_one_are_two_classes():
    X, y = make_vectors(2)
    signs = np.where(y == "a", -1, 1)
    model = vectors_fitted(X, signs)
    assert model.classes_.tolist() == [-1, 1]
    assert np.array_equal(model.decision_function(X), vectors_fitted(X, y).decision_function(X))


def test_unlabelled_items_may_have_weights():
    X, y = make_vectors(2)
    y = np.array([*y[:36], *[None] * 9], dtype=object)
    counts = np.ones(45)
    counts[36:] = [0, 1, 2, 3, 0, 1, 2, 3, 1]
    rows = np.repeat(np.arange(45), counts.astype(int))
    weighted, repeated = vectors_fitted(X, y, counts), vectors_fitted(X[rows], y[rows])
    assert_close(weighted, repeated, X)


# What is refused


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(44), r"sample_weight has shape \(44,\), 45 items were given"),
        (np.ones((45, 1)), r"sample_weight has shape \(45, 1\)"),
        (np.full(45, -1.0), "not negative"),
        (np.full(45, np.nan), "finite"),
        (np.full(45, np.inf), "finite"),
        (np.zeros(45), "not all zero"),
    ],
)
def test_what_is_no_weight_is_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        vectors_fitted(*make_vectors(2), weights)


def test_weights_that_leave_one_class_are_refused():
    X, y = make_vectors(2)
    with pytest.raises(ValueError, match="at least two classes are needed, y has 1 class, 'b'"):
        vectors_fitted(X, y, (y == "b").astype(float))
