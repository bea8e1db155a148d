"""Similarities to references: relatives stand out, and nothing depends on who else is there."""

import numpy as np
import pytest

from sfmbio.alignments.references import NOISE, References
from sfmcore.data.ragged import Ragged

N_FAMILIES = 4


def family(random, ancestor, count, kept=0.5):
    """Descendants: each residue of the ancestor kept with a probability, some places cut."""
    made = []
    for _ in range(count):
        other = random.choice(20, len(ancestor)).astype(np.uint8)
        child = np.where(random.random(len(ancestor)) < kept, ancestor, other)
        place = random.integers(10, len(child) - 10)
        made.append(np.delete(child, slice(place, place + random.integers(0, 4))))
    return made


@pytest.fixture(scope="module")
def sequences():
    random = np.random.default_rng(0)
    ancestors = [random.choice(20, 120).astype(np.uint8) for _ in range(N_FAMILIES)]
    related = [child for one in ancestors for child in family(random, one, 8)]
    return Ragged.from_items(related), np.repeat(np.arange(N_FAMILIES), 8)


@pytest.fixture(scope="module")
def references(sequences):
    return References.of(sequences[0], most_residues=10**6, weight=1.0, seed=3)


def test_relatives_stand_out_of_the_noise(sequences, references):
    items, families = sequences
    corrected = references.corrected(items)
    own = references.own(items)
    of_reference = families[np.argsort(own)]
    same = families[:, None] == of_reference
    same[np.arange(len(items)), own] = False
    others = families[:, None] != of_reference
    assert np.median(corrected[same]) > 80
    assert np.mean(corrected[others] < NOISE) > 0.8
    assert abs(np.quantile(corrected[others], 0.25)) < 4


def test_profiles_see_more_remote_relatives_than_sequences_do():
    random = np.random.default_rng(5)
    ancestor = random.choice(20, 150).astype(np.uint8)
    strangers = [random.choice(20, 150).astype(np.uint8) for _ in range(40)]
    items = Ragged.from_items([*family(random, ancestor, 20, 0.6), *strangers])
    remote = Ragged.from_items(family(random, ancestor, 30, 0.22))
    made = References.of(items, most_residues=10**6, weight=1.0, seed=0)
    plain = References(made.items, _plain(made), made.plain_levels, made.plain_levels, 1.0)
    members = made.own(items[np.arange(20)])
    profiled, single = made.corrected(remote), plain.corrected(remote)
    assert profiled[:, members].mean() > 1.3 * single[:, members].mean()
    strange = np.setdiff1d(np.arange(len(made.items)), members)
    assert profiled[:, strange].mean() < 8


def _plain(made):
    from sfmbio.alignments.blosum62 import BLOSUM62

    return BLOSUM62[made.items.values]


def test_a_profile_says_no_more_of_its_members_than_the_sequence_does(sequences, references):
    # Learning leaves an item's own reference out, but not the profiles it is a part of.
    items = sequences[0]
    plain = References(
        references.items,
        _plain(references),
        references.plain_levels,
        references.plain_levels,
        1.0,
    )
    near = plain.corrected(items) > 75
    assert near.sum() > len(items)
    difference = references.corrected(items)[near] - plain.corrected(items)[near]
    # The level of the item itself is that of its scores with profiles.
    assert np.abs(difference).max() < 8


def test_nothing_depends_on_the_batch_or_on_threads(sequences, references):
    items = sequences[0]
    every = references.corrected(items)
    assert np.array_equal(references.corrected(items[[5]])[0], every[5])
    other = References.of(items, most_residues=10**6, weight=1.0, seed=3, n_threads=2)
    assert np.array_equal(other.profiles, references.profiles)
    assert np.array_equal(other.corrected(items), every)


def test_order_and_repetition_of_sequences_do_not_matter(sequences, references):
    items = sequences[0]
    order = np.random.default_rng(1).permutation(len(items))
    again = References.of(
        items[np.append(order, order[:5])], most_residues=10**6, weight=1.0, seed=3
    )
    assert np.array_equal(again.corrected(items), references.corrected(items))


def test_references_are_no_longer_than_allowed(sequences):
    items = sequences[0]
    few = References.of(items, most_residues=500, weight=1.0, seed=3)
    assert 3 <= len(few.items) <= 4
    one = References.of(items, most_residues=1, weight=1.0, seed=3)
    assert len(one.items) == 1
    assert one.similarities(items).n_references == 1
    assert len(one.similarities(items[np.arange(0)])) == 0


def test_arrays_come_back(sequences, references):
    arrays = references.get_arrays()
    again = References.of_arrays(arrays, 1.0, 1)
    assert np.array_equal(again.corrected(sequences[0]), references.corrected(sequences[0]))
    wrong = {
        "references": [arrays["references"] + 22, arrays["references"].astype(int)],
        "reference_offsets": [arrays["reference_offsets"][:-1], np.zeros(2, "i8")],
        "levels": [arrays["levels"][1:], np.full(len(arrays["levels"]), np.nan)],
        "plain_levels": [arrays["levels"][1:]],
        "profiles": [arrays["profiles"][1:], np.full_like(arrays["profiles"], 100)],
    }
    for name, values in wrong.items():
        for value in values:
            with pytest.raises(ValueError, match=r"references|levels|profiles|offsets"):
                References.of_arrays({**arrays, name: value}, 1.0, 1)
