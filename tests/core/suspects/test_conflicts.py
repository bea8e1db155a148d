"""Equal and nearly equal items under different labels."""

import numpy as np
import pytest

from sfmcore.data.near_pairs import NearPairs
from sfmcore.data.ragged import Ragged
from sfmcore.preparation.as_given import AsGiven
from sfmcore.preparation.columns import Columns
from sfmcore.suspects.conflicts import Copies, find_conflicts, find_copies


def conflicts(content, labels, near=()):
    first, second, similarity = (
        (np.array(own) for own in zip(*near, strict=True)) if near else ([],) * 3
    )
    pairs = NearPairs(
        np.asarray(first, dtype=np.int64),
        np.asarray(second, dtype=np.int64),
        np.asarray(similarity),
    )
    return find_conflicts(Copies(np.array(content), pairs), np.array(labels), 3)


def test_the_odd_one_of_several_copies_is_found_alone():
    found = conflicts([0, 0, 0, 0, 1], [2, 2, 1, 2, 1])
    assert found.found.tolist() == [False, False, True, False, False]
    assert found.label[2] == 2
    assert found.other[2] == 0
    assert found.share[2] == pytest.approx(0.75)
    assert found.share.tolist().count(0.0) == 4


def test_of_two_that_differ_both_are_found():
    found = conflicts([0, 0], [0, 1])
    assert found.found.all()
    assert found.other.tolist() == [1, 0]
    assert found.share.tolist() == [0.5, 0.5]


def test_equal_items_of_one_label_are_no_conflict():
    found = conflicts([0, 0, 1], [0, 0, 1])
    assert not found.found.any()
    assert found.other.tolist() == found.label.tolist() == [-1, -1, -1]


def test_near_items_count_and_the_nearest_is_named():
    near = [(0, 1, 0.96), (0, 2, 0.99)]
    found = conflicts([0, 1, 2], [0, 1, 1], near)
    # The others are near the first alone: one for their label, and one against it.
    assert found.found.tolist() == [True, True, True]
    assert found.other.tolist() == [2, 0, 0]


def test_an_equal_item_is_named_before_a_near_one():
    found = conflicts([0, 1, 0], [0, 1, 1], [(0, 1, 0.97)])
    assert found.other[0] == 2


def test_equal_rows_are_found_whatever_the_sign_of_zero():
    rows = np.array([[0.0, 1.0], [2.0, 1.0], [-0.0, 1.0]])
    assert find_copies(Columns(), rows).content.tolist() == [0, 1, 0]


def test_equal_codes_are_found():
    items = Ragged.from_items([[1, 2], [1], [1, 2]])
    copies = find_copies(AsGiven("codes"), items)
    assert copies.content.tolist() == [0, 1, 0]
    assert len(copies.near) == 0
