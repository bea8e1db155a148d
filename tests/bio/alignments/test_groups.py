"""Groups by identity: no two sequences of different groups are alike, whatever the order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfmbio.alignments import significant as module
from sfmbio.alignments.blosum62 import BLOSUM62
from sfmbio.alignments.gaps import GAP_EXTEND, GAP_OPEN
from sfmbio.alignments.groups import COVERAGE, identity_groups
from sfmbio.alignments.significance import e_values
from sfmbio.alignments.significant import E_VALUE
from sfmbio.sequences.alphabet import UNKNOWN
from sfmbio.sequences.encoding import encode_batch
from sfmcore.data.ragged import Ragged
from tests.twins import bio as twins


def families(seed, n_families=3, size=4, length=40):
    """Sequences that keep from a third to all of an ancestor, cut at random, and strangers."""
    random = np.random.default_rng(seed)
    made = []
    for _ in range(n_families):
        ancestor = random.integers(0, 20, length)
        for _ in range(size):
            kept = random.random(length) < random.uniform(0.35, 1.0)
            child = np.where(kept, ancestor, random.integers(0, 20, length))
            made.append(child[random.integers(0, 25) :])
    made += [random.integers(0, 20, random.integers(0, 40)) for _ in range(3)]
    made.append(made[0])
    return [made[number].astype(np.uint8) for number in random.permutation(len(made))]


def plain_groups(items, least):
    """Single linkage over all pairs, each compared by the twin."""
    total = sum(map(len, {item.tobytes(): item for item in items}.values()))
    group = list(range(len(items)))
    for i, one in enumerate(items):
        for j, other in enumerate(items[:i]):
            short, long = sorted((one, other), key=lambda item: (len(item), item.tobytes()))
            joined = short.tobytes() == long.tobytes()
            if not joined:
                score, same, columns, own, theirs = twins.compared(
                    short, long, BLOSUM62, GAP_OPEN, GAP_EXTEND, UNKNOWN
                )
                span = max(own, theirs) if len(short) == len(long) else own
                value = e_values(np.array([score]), np.array([len(short)]), total)[0]
                joined = (
                    value <= E_VALUE and same >= least * columns and span >= COVERAGE * len(short)
                )
            if joined:
                group = [group[j] if number == group[i] else number for number in group]
    names = {}
    return [names.setdefault(number, len(names)) for number in group]


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.25, 0.4, 0.6, 0.9, 1.0]))
@settings(max_examples=8, deadline=None)
def test_groups_are_those_of_the_plain_comparison_of_all_pairs(seed, least):
    items = families(seed)
    expected = plain_groups(items, least)
    assert identity_groups(Ragged.from_items(items), least).tolist() == expected
    with pytest.MonkeyPatch.context() as patch:
        # Many blocks, and one pair of each sequence at a time.
        patch.setattr(module, "_BLOCK", 3)
        patch.setattr(module, "_AT_ONCE", 1)
        assert identity_groups(Ragged.from_items(items), least, n_threads=2).tolist() == expected


def test_the_order_of_sequences_moves_no_sequence_to_another_group():
    items = families(7, n_families=6, size=6)
    groups = identity_groups(Ragged.from_items(items), 0.4)
    assert 6 <= len(set(groups.tolist())) < len(items)
    order = np.random.default_rng(1).permutation(len(items))
    again = identity_groups(Ragged.from_items([items[place] for place in order]), 0.4)
    assert np.array_equal(again[:, None] == again, groups[order][:, None] == groups[order])


def test_a_chain_is_one_group():
    # The ends have nothing in common, but each overlaps the middle by half.
    random = np.random.default_rng(0)
    whole = random.integers(0, 20, 120).astype(np.uint8)
    items = [whole[:60], whole[60:], whole[30:90]]
    assert identity_groups(Ragged.from_items(items), 0.9).tolist() == [0, 0, 0]
    assert identity_groups(Ragged.from_items(items[:2]), 0.9).tolist() == [0, 1]


def test_a_short_stretch_joins_nothing():
    random = np.random.default_rng(0)
    one, other = random.integers(0, 20, (2, 100)).astype(np.uint8)
    for length, together in [(45, False), (60, True)]:
        other[20 : 20 + length] = one[20 : 20 + length]
        groups = identity_groups(Ragged.from_items([one, other]), 0.3)
        assert (groups[0] == groups[1]) == together


def test_equal_sequences_are_one_group_even_where_chance_could_explain_it():
    items = encode_batch(["MK", "mk", "MKA", "XX", "XX"])
    assert identity_groups(items, 1.0).tolist() == [0, 0, 1, 2, 2]
    assert identity_groups(Ragged.from_items([[], [], [1]]), 0.3).tolist() == [0, 0, 1]
    assert identity_groups(Ragged.from_items([]), 0.3).tolist() == []


@pytest.mark.parametrize("least", [0.0, -0.5, 1.01, float("nan")])
def test_a_share_out_of_range_is_refused(least):
    with pytest.raises(ValueError, match="least must be above 0 and at most 1"):
        identity_groups(encode_batch(["MK"]), least)
