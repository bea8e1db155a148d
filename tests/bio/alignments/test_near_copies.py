"""Near copies are the pairs that a plain comparison of all pairs finds."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sfmbio.alignments.blosum62 import BLOSUM62
from sfmbio.alignments.gaps import GAP_EXTEND, GAP_OPEN
from sfmbio.alignments.near_copies import COVERAGE, IDENTITY, near_copies
from sfmbio.alignments.significance import e_values
from sfmbio.alignments.significant import E_VALUE
from sfmbio.sequences.alphabet import UNKNOWN
from sfmbio.sequences.encoding import encode_batch
from sfmcore.data.ragged import Ragged
from tests.twins import bio as twins


def relatives(seed):
    """Ancestors, and copies of them that are changed, cut or lengthened by about a twentieth."""
    random = np.random.default_rng(seed)
    made = []
    for length in (36, 40):
        ancestor = random.integers(0, 20, length)
        made += [ancestor, ancestor]
        for n_changed, n_cut in [(1, 0), (2, 0), (3, 0), (0, 3), (1, 5)]:
            child = ancestor.copy()
            places = random.permutation(length)[:n_changed]
            child[places] = random.integers(0, 20, n_changed)
            made.append(child[n_cut:])
        made.append(np.concatenate([ancestor, random.integers(0, 20, random.integers(2, 8))]))
    return [made[place].astype(np.uint8) for place in random.permutation(len(made))]


def plain_pairs(items):
    """Pairs of the first of equal sequences, each compared by the twin."""
    first = {}
    for place, item in enumerate(items):
        first.setdefault(item.tobytes(), place)
    places = sorted(first.values())
    total = sum(len(items[place]) for place in places)
    found = []
    for number, i in enumerate(places):
        for j in places[number + 1 :]:
            short, long = sorted((items[i], items[j]), key=lambda own: (len(own), own.tobytes()))
            score, same, columns, _, theirs = twins.compared(
                short, long, BLOSUM62, GAP_OPEN, GAP_EXTEND, UNKNOWN
            )
            value = e_values(np.array([score]), np.array([len(short)]), total)[0]
            alike = same >= IDENTITY * columns and theirs >= COVERAGE * len(long)
            if value <= E_VALUE and alike:
                found.append((i, j, same / columns))
    return found


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=10, deadline=None)
def test_pairs_are_those_of_the_plain_comparison_of_all_pairs(seed):
    items = relatives(seed)
    expected = plain_pairs(items)
    for n_threads in (1, 2):
        found = near_copies(Ragged.from_items(items), n_threads=n_threads)
        pairs = zip(found.first.tolist(), found.second.tolist(), found.similarity, strict=True)
        assert list(pairs) == expected


def test_equal_sequences_are_no_pair_and_the_first_stands_for_all():
    whole = "MKWVTFISLLFLFSSAYSRGVFRRDAHKSEVAHRFKDLGE"
    near = whole.replace("S", "T", 1)
    found = near_copies(encode_batch([near, whole, whole, near]))
    assert (found.first.tolist(), found.second.tolist()) == ([0], [1])


def test_a_part_is_no_copy_of_the_whole():
    whole = "MKWVTFISLLFLFSSAYSRGVFRRDAHKSEVAHRFKDLGE"
    assert len(near_copies(encode_batch([whole, whole[5:]]))) == 0
    assert len(near_copies(encode_batch([whole, whole[3:]]))) == 1


def test_of_none_or_one_there_is_no_pair():
    assert len(near_copies(Ragged.from_items([]))) == 0
    assert len(near_copies(encode_batch(["MKV"]))) == 0
