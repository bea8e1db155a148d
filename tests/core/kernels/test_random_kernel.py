"""Keys and uniform numbers of the kernel against their plain twins, and their randomness."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sfmcore.data.ragged import Ragged
from sfmcore.kernels import _random
from tests.twins import core as twins

WORD = st.integers(0, 2**64 - 1)


def keys_of(words):
    return np.array(words, dtype=np.uint64)


@given(WORD, WORD, st.lists(WORD, max_size=5))
def test_stream_keys_equal_twin(seed, purpose, identities):
    keys = _random.stream_keys(seed, purpose, keys_of(identities))
    assert keys.dtype == np.uint64
    assert keys.tolist() == [twins.stream_key(seed, purpose, i) for i in identities]


@given(st.lists(st.binary(max_size=40), max_size=6))
def test_content_keys_equal_twin(items):
    batch = Ragged.from_items(items)
    keys = _random.content_keys(batch.values, batch.offsets)
    assert keys.tolist() == [twins.content_key(item) for item in items]


@given(st.lists(WORD, max_size=4), st.integers(0, 40))
def test_uniforms_equal_twin(keys, count):
    found = _random.uniforms(keys_of(keys), count)
    assert found.shape == (len(keys), count)
    for row, key in zip(found, keys, strict=True):
        assert np.array_equal(row, twins.uniform_stream(key, count))


def test_twin_equals_published_xoshiro(monkeypatch):
    # What the authors' C code gives from the state {1, 2, 3, 4}, which no key leads to: the
    # seeding is put aside.
    published = [41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205]
    state = iter([1, 2, 3, 4])
    monkeypatch.setattr(twins, "mix64", lambda _: next(state))
    found = twins.uniform_stream(0, 5) * 2**53
    assert found.tolist() == [number >> 11 for number in published]


def test_mix64_equals_published_splitmix():
    # The first numbers of SplitMix64 from the seed 1234567.
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    state, found = 1234567, []
    for _ in published:
        state = (state + 0x9E3779B97F4A7C15) & ((1 << 64) - 1)
        found.append(twins.mix64(state))
    assert found == published


def test_another_seed_purpose_or_identity_gives_other_keys():
    identities = np.arange(50, dtype=np.uint64)
    keys = np.concatenate(
        [
            _random.stream_keys(seed, purpose, identities)
            for seed in range(20)
            for purpose in range(20)
        ]
    )
    assert len(np.unique(keys)) == len(keys) == 20_000


def test_seed_and_purpose_are_not_interchangeable():
    identities = np.arange(3, dtype=np.uint64)
    assert not np.array_equal(
        _random.stream_keys(1, 2, identities), _random.stream_keys(2, 1, identities)
    )


def test_one_bit_more_flips_half_of_a_key():
    identities = np.uint64(1) << np.arange(64, dtype=np.uint64)
    base = _random.stream_keys(7, 1, np.zeros(1, dtype=np.uint64))
    changed = _random.stream_keys(7, 1, identities) ^ base
    flipped = np.unpackbits(changed.view(np.uint8)).reshape(64, 64).sum(axis=1)
    # 64 keys of 64 bits: the mean has deviation 4 / 8 = 0.5 around 32.
    assert abs(flipped.mean() - 32) < 2.5
    assert flipped.min() > 10


def test_length_and_codes_are_not_interchangeable():
    # Length 1 and word 5 against length 5 and word 1; then length and word alike.
    items = [b"\5", b"\1\0\0\0\0", b"\1", b"\2\0", b"\3\0\0"]
    batch = Ragged.from_items(items)
    assert len(set(_random.content_keys(batch.values, batch.offsets).tolist())) == len(items)


def test_all_short_items_have_different_content_keys():
    items = [b""]
    for _ in range(5):
        items += [item + bytes([code]) for item in items for code in range(6)]
    items = sorted(set(items))
    batch = Ragged.from_items(items)
    assert len(items) == sum(6**n for n in range(6))
    assert len(np.unique(_random.content_keys(batch.values, batch.offsets))) == len(items)


@given(st.lists(st.lists(st.integers(0, 65535), max_size=9), min_size=1, max_size=5))
def test_content_keys_of_wide_codes_equal_twin(items):
    wide = [np.array(item, dtype="<u2") for item in items]
    offsets = np.cumsum([0, *map(len, wide)])
    keys = _random.content_keys(np.concatenate(wide), offsets)
    assert keys.tolist() == [twins.content_key(item.tobytes()) for item in wide]


def test_content_keys_follow_content_and_not_place():
    items = [b"", b"\0", b"\0\0", b"abcdefgh", b"abcdefgh\0", b"abcdefgi", b"", b"abcdefgh"]
    batch = Ragged.from_items(items)
    keys = _random.content_keys(batch.values, batch.offsets).tolist()
    assert keys[0] == keys[6]
    assert keys[3] == keys[7]
    assert len(set(keys)) == len(set(items))
    alone = Ragged.from_items(items[3:4])
    assert _random.content_keys(alone.values, alone.offsets).tolist() == keys[3:4]


@pytest.mark.parametrize("across", ["along one stream", "first numbers of many streams"])
def test_uniforms_are_uniform(across):
    if across == "along one stream":
        numbers = _random.uniforms(keys_of([12345]), 200_000).ravel()
    else:
        streams = _random.stream_keys(0, 1, np.arange(100_000, dtype=np.uint64))
        numbers = _random.uniforms(streams, 2).ravel()
    assert 0 <= numbers.min() < numbers.max() < 1
    counts = np.bincount((numbers * 1000).astype(int), minlength=1000)
    # A fixed seed, so no chance is left: the limits are those of a fair test at 1e-4.
    assert 1e-4 < stats.chisquare(counts).pvalue < 1 - 1e-4


def test_neighbouring_streams_are_not_correlated():
    streams = _random.stream_keys(3, 1, np.arange(20_000, dtype=np.uint64))
    numbers = _random.uniforms(streams, 2)
    pairs = np.histogram2d(numbers[:-1, 0], numbers[1:, 0], bins=20, range=[[0, 1]] * 2)[0]
    assert stats.chisquare(pairs.ravel()).pvalue > 1e-4
    pairs = np.histogram2d(numbers[:, 0], numbers[:, 1], bins=20, range=[[0, 1]] * 2)[0]
    assert stats.chisquare(pairs.ravel()).pvalue > 1e-4


@pytest.mark.parametrize("offsets", [[], [0, 5], [-1, 2], [0, 3, 1], [10**12, 10**12]], ids=repr)
def test_content_keys_refuse_foreign_offsets(offsets):
    with pytest.raises(ValueError, match="offsets"):
        _random.content_keys(np.zeros(3, np.uint8), np.array(offsets, dtype=np.int64))


def test_wrong_dtypes_are_refused():
    with pytest.raises(ValueError, match="dtype"):
        _random.stream_keys(0, 0, np.zeros(2, dtype=np.int64))
    with pytest.raises(ValueError, match="dtype"):
        _random.uniforms(np.zeros(2), 1)
    with pytest.raises(ValueError, match="count"):
        _random.uniforms(np.zeros(2, dtype=np.uint64), -1)
    with pytest.raises(OverflowError):
        _random.stream_keys(-1, 0, np.zeros(2, dtype=np.uint64))


def test_read_only_arrays_are_accepted():
    identities = np.arange(4, dtype=np.uint64)
    expected = _random.stream_keys(5, 6, identities)
    identities.flags.writeable = False
    assert np.array_equal(_random.stream_keys(5, 6, identities), expected)
    expected.flags.writeable = False
    assert _random.uniforms(expected, 1).shape == (4, 1)
