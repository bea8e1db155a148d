"""P-values of typicality: what they mean, and that a model file keeps them."""

import numpy as np
import pytest
from scipy.stats import binom

from sfmcore import SFMClassifier
from sfmcore.data.ragged import Ragged
from sfmcore.data.similarities import Similarities
from sfmcore.data.with_vectors import WithVectors
from sfmcore.learning.evidence import ReferenceClasses
from sfmcore.novelty.rows import plain_rows
from sfmcore.novelty.typicality import Typicality, conformal_p_values
from sfmcore.novelty.weights import learn_weights

N_CLASSES = 3
# Chance of a false alarm, of a test with a tolerance.
_ALARM = 1e-6


def drawn(n_items, seed, n_columns=6):
    """Rows around one centre for each class, and their labels."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, N_CLASSES, n_items)
    return random.normal(0, 1, (n_items, n_columns)) + 2.5 * np.eye(n_columns)[labels], labels


def fitted(n_items=1200, seed=0, **parameters):
    X, y = drawn(n_items, seed)
    return SFMClassifier(n_components=1, random_state=0, **parameters).fit(X, y)


@pytest.fixture(scope="module")
def model():
    return fitted()


@pytest.mark.parametrize("level", [0.01, 0.05, 0.25, 0.5])
def test_of_fresh_items_as_many_are_rejected_as_the_level_says(model, level):
    X, _ = drawn(4000, 1)
    rejected = int(np.sum(model.typicality(X) <= level))
    # Of calibration scores as many lie below the level's quantile as chance has it: the binomial
    # tails of both samples, and a twentieth for what the folds' fewer rows are worth.
    n_scores = len(model.typicality_.scores)
    low, high = (binom.ppf(q, n_scores, level) / n_scores for q in (_ALARM, 1 - _ALARM))
    assert (
        binom.ppf(_ALARM, 4000, low * 0.95) <= rejected <= binom.ppf(1 - _ALARM, 4000, high * 1.05)
    )


def test_strangers_have_small_p_values(model):
    random = np.random.default_rng(2)
    far = random.normal(0, 1, (200, 6)) - 6.0
    assert np.median(model.typicality(far)) < 0.005
    true, _ = drawn(200, 3)
    assert np.median(model.typicality(true)) > 0.3


def test_farther_is_never_more_typical(model):
    steps = np.linspace(1, 50, 30)[:, None] * np.array([[-1.0, -1, -1, 1, 1, 1]])
    p = model.typicality(steps)
    assert np.all(np.diff(p) <= 0)
    assert p[-1] == 1 / (1 + len(model.typicality_.scores))


def test_no_result_depends_on_threads_or_neighbours(model):
    X, _ = drawn(300, 4)
    alone = model.typicality(X)
    parts = np.concatenate([model.typicality(X[:7]), model.typicality(X[7:])])
    assert np.array_equal(alone, parts)
    other = fitted(n_jobs=3)
    assert np.array_equal(other.typicality(X), alone)
    for name, array in model.typicality_.get_arrays().items():
        assert np.array_equal(other.typicality_.get_arrays()[name], array, equal_nan=True), name


def test_the_order_of_training_items_does_not_matter():
    X, y = drawn(200, 5)
    back = np.arange(200)[::-1]
    one, other = (
        SFMClassifier(n_components=1, random_state=0).fit(a, b).typicality_
        for a, b in ((X, y), (X[back], y[back]))
    )
    assert np.allclose(one.weights, other.weights, rtol=1e-4, atol=1e-5)


def test_a_model_file_keeps_it(model, tmp_path):
    X, _ = drawn(100, 6)
    model.save(tmp_path / "model.sfm")
    again = SFMClassifier.load(tmp_path / "model.sfm")
    assert np.array_equal(again.typicality(X), model.typicality(X))


def test_where_it_is_not_known_it_says_so(model):
    X, y = drawn(10, 7)
    y[:3] = [0, 1, 2]
    small = SFMClassifier(n_components=1, random_state=0).fit(X, y)
    assert small.typicality_ is None
    with pytest.raises(ValueError, match="typicality is not available"):
        small.typicality(X)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_two_classes_and_items_without_label(n_classes):
    X, y = drawn(300, 8)
    X, y = X[y < n_classes], y[y < n_classes].astype(str).astype(object)
    y[::5] = None
    model = SFMClassifier(n_components=1, random_state=0).fit(X, y)
    assert len(model.typicality_.scores) == sum(label is not None for label in y)
    fresh, labels = drawn(300, 9)
    p = model.typicality(fresh[labels < n_classes])
    assert 0.35 < np.median(p) < 0.65


def with_relatives(n_items, seed, n_references=40):
    """Codes with similarities: an item is like references of its own class."""
    random = np.random.default_rng(seed)
    numbers = random.integers(0, 4, n_items)
    dense = np.zeros((n_items, n_references), dtype=np.float32)
    for item, number in enumerate(numbers):
        own = random.choice(np.arange(number, n_references, 4), 2)
        dense[item, own] = random.gamma(2.0, 20.0, 2)
    codes = Ragged.from_items([random.integers(0, 5, 30).astype(np.uint8) for _ in numbers])
    vectors = np.zeros((n_items, 0), dtype=np.float32)
    return WithVectors(codes, vectors, Similarities.of(dense)), numbers


def relatives_only():
    members = ReferenceClasses(np.arange(40), np.arange(40) % 4, 4)
    made = Typicality(np.ones(2), np.linspace(0, 9, 99), None, 5, members, False, 4)
    return made


def test_more_of_a_relative_is_more_typical():
    items, _ = with_relatives(50, 0)
    none = WithVectors(items.items, items.vectors, Similarities.of(np.zeros((50, 40), "f4")))
    made = relatives_only()
    assert made.p_values(items).min() > made.p_values(none).max()


def test_arrays_go_round_and_bad_ones_are_refused(model):
    arrays = model.typicality_.get_arrays()
    again = Typicality.of_arrays(arrays, N_CLASSES, 0)
    assert again.weights.tolist() == model.typicality_.weights.tolist()
    for name, bad in {
        "weights": -arrays["weights"] - 1,
        "scores": arrays["scores"][::-1],
        "kind": np.array([0, 0]),
        "surroundings/scale": 0 * arrays["surroundings/scale"],
        "surroundings/means": arrays["surroundings/means"][:2],
        "surroundings/anchor_classes": arrays["surroundings/anchor_classes"] + 3,
        "surroundings/directions": arrays["surroundings/directions"].astype(float),
    }.items():
        with pytest.raises(ValueError, match=r"typicality|surroundings"):
            Typicality.of_arrays({**arrays, name: bad}, N_CLASSES, 0)
    with pytest.raises(KeyError):
        Typicality.of_arrays({n: a for n, a in arrays.items() if n != "scores"}, N_CLASSES, 0)


def test_arrays_of_relatives_are_checked():
    arrays = relatives_only().get_arrays()
    assert Typicality.of_arrays(arrays, 4, 40).members.references.tolist() == list(range(40))
    with pytest.raises(ValueError, match="references of typicality"):
        Typicality.of_arrays(arrays, 4, 39)
    with pytest.raises(ValueError, match="classes of typicality"):
        Typicality.of_arrays(arrays, 3, 40)
    with pytest.raises(ValueError, match="2 numbers"):
        Typicality.of_arrays({**arrays, "weights": np.ones(3)}, 4, 40)


def test_conformal_p_values_count_equal_scores():
    assert conformal_p_values(np.array([1.0, 1.0, 2.0]), np.array([1.0])).tolist() == [0.75]


def test_no_weight_is_below_zero_and_what_tells_nothing_gets_none():
    random = np.random.default_rng(0)
    typical = random.normal(0, 1, (400, 3)) + np.array([1.0, -1.0, 0.0])
    typical[:, 2] = 4.0
    strange = random.normal(0, 1, (300, 3))
    strange[:, 2] = 4.0
    weights = learn_weights(typical, strange)
    assert weights[0] > 0
    assert weights[1] == 0
    assert weights[2] == 0


def test_where_no_column_tells_all_count():
    same = np.array([[0.0, 1.0], [2.0, 5.0]])
    assert learn_weights(same, same).tolist() == [1.0, 0.5]


def test_rows_of_codes_and_of_numbers():
    codes = Ragged.from_items([b"\x00\x01\x01\x01", b""])
    rows = plain_rows(codes, 3)
    assert rows[0].tolist() == pytest.approx([0.5, np.sqrt(0.75), 0, np.log(5)])
    assert rows[1].tolist() == [0, 0, 0, 0]
    assert plain_rows(np.eye(2), 1).tolist() == np.eye(2).tolist()
    assert plain_rows(["a", "b"], 1) is None
