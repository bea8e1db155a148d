"""Ends and relatives count where sequences that are held out say so."""

import numpy as np
import pytest

from sfmbio import ProteinClassifier
from sfmbio.beside_states.tuning import END_WEIGHTS, PROPERTY_WEIGHTS, RELATIVE_WEIGHTS
from sfmbio.preparation import ProteinPreparation
from sfmbio.sequences.encoding import encode_batch
from sfmcore.learning.members import Candidate, prepared_members
from sfmcore.learning.settings import Settings

RESIDUES = list("ACDEFGHIKLMNPQRSTVWY")


def with_signals(n_items=120, seed=0, n_classes=2):
    """Random sequences; those of class 1 begin with a leader of their own composition."""
    random = np.random.default_rng(seed)
    classes = np.arange(n_items) % n_classes
    sequences = []
    for number in classes:
        body = "".join(random.choice(RESIDUES, 150))
        leader = "".join(random.choice(list("LAVKR"), 20))
        sequences.append((leader if number == 1 else "") + body)
    return sequences, classes


def prepared(sequences, classes, weights=None, **parameters):
    preparation = ProteinPreparation(n_directions=16, **parameters)
    items = encode_batch(sequences)
    some = np.ones(len(items)) if weights is None else weights
    candidate = Candidate(ProteinClassifier().default_model()[0], preparation, Settings())
    return prepared_members([candidate], items, classes, some, seed=0, n_threads=1)[0].preparation


def test_ends_count_where_they_tell_the_classes_apart():
    sequences, classes = with_signals()
    assert prepared(sequences, classes).end_weight > 0
    shuffled = np.random.default_rng(3).permutation(classes)
    assert prepared(sequences, shuffled).end_weight == 0


def with_helices(n_items=120, seed=0, n_classes=2):
    """Leucine and lysine, as many of each; those of class 1 have them on two sides of a helix."""
    random = np.random.default_rng(seed)
    classes = np.arange(n_items) % n_classes
    helix = np.cos(np.deg2rad(100) * np.arange(36)) > 0
    sequences = []
    for number in classes:
        sides = np.roll(helix, random.integers(18)) if number == 1 else random.permutation(helix)
        some = random.random(36) < 0.3
        sides[some] = random.random(some.sum()) < 0.5
        sequences.append("".join(np.where(sides, "L", "K")))
    return sequences, classes


def test_properties_count_where_they_tell_two_classes_apart():
    sequences, classes = with_helices()
    made = prepared(sequences, classes)
    assert made.properties is not None
    assert made.properties.weight in PROPERTY_WEIGHTS
    shuffled = np.random.default_rng(3).permutation(classes)
    assert prepared(sequences, shuffled).properties is None
    assert prepared(*with_helices(n_classes=3)).properties is None


def test_properties_of_a_weight_that_was_given_serve_any_number_of_classes():
    for n_classes in (2, 3):
        sequences, classes = with_helices(n_classes=n_classes)
        made = prepared(sequences, classes, property_weight=0.7)
        assert made.properties.weight == 0.7
        assert made.n_vectors == made.apply(encode_batch(sequences[:2])).vectors.shape[1]
        assert prepared(sequences, classes, property_weight=0.0).properties is None


def test_a_weight_that_was_given_stays():
    sequences, classes = with_signals()
    made = prepared(sequences, classes, end_weight=0.7, relative_weight=2.0, length_weight=0.0)
    assert (made.end_weight, made.relative_weight, made.length_weight) == (0.7, 2.0, 0.0)
    assert made.n_vectors == made.apply(encode_batch(sequences[:2])).vectors.shape[1]


def test_weights_come_from_the_grids():
    sequences, classes = with_signals()
    made = prepared(sequences, classes)
    assert made.end_weight in END_WEIGHTS
    assert made.relative_weight in RELATIVE_WEIGHTS


def test_of_more_than_two_classes_the_relatives_keep_their_weight():
    sequences, classes = with_signals(n_classes=3)
    assert prepared(sequences, classes).relative_weight == 0.3


def test_repeated_shuffled_and_weightless_sequences_choose_the_same():
    sequences, classes = with_signals()
    first = prepared(sequences, classes)
    order = np.random.default_rng(0).permutation(2 * len(sequences)) % len(sequences)
    again = prepared([sequences[k] for k in order], classes[order])
    more, others = with_signals(seed=9)
    weights = np.repeat([1.0, 0.0], len(sequences))
    unseen = prepared(sequences + more, np.concatenate([classes, 1 - others]), weights)
    for other in (again, unseen):
        assert (other.end_weight, other.relative_weight) == (
            first.end_weight,
            first.relative_weight,
        )


def test_few_sequences_choose_nothing():
    sequences, classes = with_signals(20)
    made = prepared(sequences, classes)
    assert (made.end_weight, made.relative_weight) == (0.0, 0.3)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("end_weight", -1, "end_weight must be a number from 0"),
        ("end_weight", "best", "end_weight must be a number from 0"),
        ("length_weight", "held_out", "length_weight must be a number from 0"),
        ("property_weight", -1, "property_weight must be a number from 0"),
        ("relative_weight", 0, "relative_weight must be a number above 0"),
    ],
)
def test_weights_out_of_range_are_refused(name, value, message):
    with pytest.raises(ValueError, match=message):
        ProteinPreparation(**{name: value}).check_parameters()


def test_the_summary_tells_what_counts():
    sequences, classes = with_helices()
    made = prepared(sequences, classes, end_weight=0.7, property_weight=0.25, length_weight=0.0)
    expected = "squared lengths, against 1 of the states: words 0.49, ends 0.7, properties 0.25"
    assert made.summary()[1:] == [expected]


def test_properties_are_kept():
    sequences, classes = with_helices()
    preparation = ProteinPreparation(n_directions=16)
    made = prepared(sequences, classes)
    again = preparation.of_arrays(made.get_arrays(), 1)
    items = encode_batch(sequences[:5])
    assert made.properties is not None
    assert np.array_equal(again.apply(items).vectors, made.apply(items).vectors)


def test_chosen_weights_are_kept_and_strange_ones_refused():
    sequences, classes = with_signals()
    preparation = ProteinPreparation(n_directions=16)
    made = prepared(sequences, classes)
    arrays = made.get_arrays()
    again = preparation.of_arrays(arrays, 1)
    items = encode_batch(sequences[:5])
    assert np.array_equal(again.apply(items).vectors, made.apply(items).vectors)
    assert again.relative_weight == made.relative_weight
    for strange in ([np.nan, 0, 1], [0, -1, 1], [0, 0, 0], [0, 0]):
        with pytest.raises(ValueError, match="weights_beside must be"):
            preparation.of_arrays({**arrays, "weights_beside": np.array(strange, float)}, 1)
