"""Digests: equal data, equal digest, and no two that only look alike."""

from itertools import combinations

import numpy as np
import pytest

from sfmcore.data.ragged import Ragged
from sfmcore.files.digests import digest_of

DIFFERENT = [
    None, 0, 1, 1.5, True, "", "1", b"1", [], [1], [[1]], [1, 1], ["a", "b"], ["ab"], ["", "ab"],
    {"a": 1}, {"a": 2}, {"b": 1}, np.arange(3), np.arange(3.0), np.arange(4), np.zeros((2, 3)),
    np.zeros((3, 2)), Ragged.from_items([[1, 2], [3]]), Ragged.from_items([[1], [2, 3]]),
]  # fmt: skip


def test_different_things_have_different_digests():
    for one, other in combinations(DIFFERENT, 2):
        assert digest_of(one) != digest_of(other), (one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["a", "b"], np.array(["a", "b"])),
        (np.array(["a"]), np.array(["a"], dtype="U9")),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (np.arange(6).reshape(2, 3), np.asfortranarray(np.arange(6).reshape(2, 3))),
        (np.arange(6)[::2], np.array([0, 2, 4])),
        (np.float64(0.5), 0.5),
    ],
)
def test_equal_things_have_equal_digests(one, other):
    assert digest_of(one) == digest_of(other)


@pytest.mark.parametrize("value", [object(), np.array([object()])])
def test_other_things_have_none(value):
    with pytest.raises(TypeError, match="has no digest"):
        digest_of(value)
