"""The nearest reference: what a search through all finds, and nothing where there is none."""

import numpy as np
import pytest

from sfmbio.alignments.identity import align_pairs
from sfmbio.alignments.nearest import LARGEST_E_VALUE, nearest_references, several_nearest
from sfmbio.alignments.references import References
from sfmbio.alignments.significance import e_values
from sfmbio.sequences.alphabet import UNKNOWN
from sfmcore.data.ragged import Ragged


def descendants(random, ancestor, count, kept):
    made = []
    for _ in range(count):
        other = random.integers(0, 20, len(ancestor))
        child = np.where(random.random(len(ancestor)) < kept, ancestor, other)
        place = random.integers(0, len(child) - 5)
        made.append(np.delete(child, slice(place, place + random.integers(0, 4))).astype(np.uint8))
    return made


@pytest.fixture(scope="module")
def case():
    """References of six families, and queries: relatives, strangers, a copy, an unknown one."""
    random = np.random.default_rng(4)
    ancestors = random.integers(0, 20, (6, 110))
    known = [child for one in ancestors for child in descendants(random, one, 8, 0.55)]
    references = References.of(Ragged.from_items(known), most_residues=10**6, weight=1.0, seed=0)
    queries = [child for one in ancestors for child in descendants(random, one, 5, 0.5)]
    queries += [random.integers(0, 20, 90).astype(np.uint8) for _ in range(10)]
    queries += [known[17], np.full(80, UNKNOWN, dtype=np.uint8)]
    items = Ragged.from_items(queries)
    return references, items, references.similarities(items)


def test_the_nearest_is_what_a_search_through_all_finds(case):
    references, items, similar = case
    found = nearest_references(references, items, similar)
    n_known = len(references.items)
    which, hits = np.divmod(np.arange(len(items) * n_known), n_known)
    every = align_pairs(items, references.items, which, hits)
    scores, identity = (
        values.reshape(len(items), n_known) for values in (every.scores, every.identity)
    )
    relatives = np.arange(30)
    assert np.array_equal(found.scores[relatives], scores[relatives].max(axis=1))
    # What is said of one that is not the best is still true of it.
    some = np.flatnonzero(found.references >= 0)
    assert np.array_equal(found.scores[some], scores[some, found.references[some]])
    assert np.array_equal(found.identity[some], identity[some, found.references[some]])
    total = len(references.items.values)
    assert np.array_equal(found.e_values[some], e_values(found.scores, items.lengths, total)[some])
    assert np.all(found.e_values[some] <= LARGEST_E_VALUE)


def test_a_copy_is_found_with_all_of_it_and_what_is_unknown_with_nothing(case):
    references, items, similar = case
    found = nearest_references(references, items, similar)
    copy, unknown = len(items) - 2, len(items) - 1
    assert references.items[found.references[copy]].tobytes() == items[copy].tobytes()
    assert found.identity[copy] == 1.0
    assert found.e_values[copy] < 1e-30
    assert (found.references[unknown], found.scores[unknown]) == (-1, 0)
    assert np.isnan([found.identity[unknown], found.e_values[unknown]]).all()


def test_strangers_are_near_to_nothing_or_say_by_how_little(case):
    references, items, similar = case
    strangers = nearest_references(references, items, similar).e_values[30:40]
    # One by chance in a thousand tries would be below.
    assert np.all(np.isnan(strangers) | (strangers > 1e-4))


def test_nothing_depends_on_the_batch_or_on_threads(case):
    references, items, similar = case
    once = nearest_references(references, items, similar)
    again = nearest_references(references, items, similar, n_threads=2)
    order = np.arange(len(items))[::-3]
    some = items[order]
    parts = nearest_references(references, some, references.similarities(some))
    for name in ("references", "scores", "identity", "e_values"):
        assert np.array_equal(getattr(once, name), getattr(again, name), equal_nan=True)
        assert np.array_equal(getattr(once, name)[order], getattr(parts, name), equal_nan=True)


def test_of_references_that_are_as_near_the_first_decides():
    random = np.random.default_rng(0)
    text = random.integers(0, 20, 60).astype(np.uint8)
    items = Ragged.from_items([text[:50], text[10:], text])
    references = References.of(items, most_residues=10**4, weight=1.0, seed=0)
    middle = Ragged.from_items([text[15:45]])
    found = nearest_references(references, middle, references.similarities(middle))
    assert found.identity.tolist() == [1.0]
    # All three hold it: the first in the model.
    assert found.references.tolist() == [0]


def test_no_items_have_no_nearest(case):
    references, items, _ = case
    none = items[np.arange(0)]
    found = nearest_references(references, none, references.similarities(none))
    assert len(found.references) == 0


def test_the_second_nearest_is_found_however_far_it_is_behind_the_nearest(case):
    references, items, similar = case
    copy = [len(items) - 2]
    first, second = several_nearest(references, items[copy], similar[copy], 2)
    # The others of its family have a third of the score.
    assert second.scores[0] < first.scores[0] / 2
    every = align_pairs(
        items[copy],
        references.items,
        np.zeros(len(references.items), dtype=np.int64),
        np.arange(len(references.items)),
    )
    assert second.scores[0] == np.sort(every.scores)[-2]
