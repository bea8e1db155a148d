"""The sample of a training set does not depend on how its records come."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfmbio.reading.record import Record
from sfmbio.reading.sampling import ClassSample, even_share
from sfmcore.data.ragged import Ragged
from sfmcore.data.streams import TRAINING_SAMPLE
from sfmcore.kernels import _random

SEQUENCES = st.tuples(st.sampled_from("abc"), st.binary(min_size=1, max_size=9))


def sampled(entries, most, seed=0):
    sample = ClassSample(most, seed)
    for place, (label, codes) in enumerate(entries):
        sample.add(Record(f"r{place}", "", codes, "ok", "x.fa", place, place, "x"), label)
    sample.settle()
    return sample


def by_definition(entries, most, seed=0):
    """All records at once: each class by its keys, copies together, up to its share."""
    sizes = Counter()
    for label, codes in entries:
        sizes[label] += len(codes)
    if sum(sizes.values()) <= most:
        return Counter(entries)
    kept = Counter()
    for label, size in sizes.items():
        own = Counter(codes for name, codes in entries if name == label)
        batch = Ragged.from_items(list(own))
        content = _random.content_keys(batch.values, batch.offsets)
        keys = _random.stream_keys(seed, TRAINING_SAMPLE, content)
        so_far = 0
        for _, codes in sorted(zip(keys.tolist(), own, strict=True)):
            so_far += own[codes] * len(codes)
            if size > even_share(sizes, most) and so_far > even_share(sizes, most):
                if not any(name == label for name, _ in kept):
                    kept[label, codes] = own[codes]
                break
            kept[label, codes] = own[codes]
    return kept


@settings(max_examples=300)
@given(st.lists(SEQUENCES, min_size=1, max_size=60), st.integers(1, 200), st.randoms())
def test_any_order_gives_the_records_of_the_definition(entries, most, random):
    random.shuffle(entries)
    sample = sampled(entries, most)
    found = Counter(zip(sample.labels, sample.codes, strict=True))
    assert found == by_definition(entries, most)
    assert sample.given == Counter(label for label, _ in entries)


@given(st.lists(SEQUENCES, min_size=1, max_size=60), st.integers(1, 200))
def test_records_keep_their_order_and_their_codes(entries, most):
    sample = sampled(entries, most)
    places = [int(record.id[1:]) for record in sample.records]
    assert places == sorted(places)
    assert [entries[place] for place in places] == list(
        zip(sample.labels, sample.codes, strict=True)
    )


def test_no_limit_keeps_everything():
    entries = [("a", b"\x01\x02")] * 5
    assert len(sampled(entries, None).records) == 5


def test_the_seed_decides():
    entries = [("a", bytes([first, second])) for first in range(20) for second in range(20)]
    one, other = (set(sampled(entries, 200, seed).codes) for seed in (0, 1))
    assert one != other
    assert len(one) == len(other) == 100


def test_memory_is_bounded_while_records_come():
    random = np.random.default_rng(0)
    sample = ClassSample(1000, 0)
    for place in range(2000):
        codes = random.integers(20, size=10, dtype=np.uint8).tobytes()
        sample.add(Record("r", "", codes, "ok", "x.fa", place, place, "x"), "ab"[place % 2])
        assert sum(map(len, sample.codes)) <= 1260


@pytest.mark.parametrize("most", [1, 3, 10, 25])
def test_shares_add_up_to_what_is_wanted(most):
    sizes = {"a": 2, "b": 4, "c": 20}
    share = even_share(sizes, most)
    assert sum(min(share, size) for size in sizes.values()) == pytest.approx(most)
