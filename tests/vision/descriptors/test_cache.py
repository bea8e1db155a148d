"""The descriptor cache: what comes back, damage, interruption, full disks and neighbours."""

import errno
import multiprocessing
import os
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from sfmvision.descriptors import cache as cache_module
from sfmvision.descriptors.cache import DescriptorCache, TemporaryDescriptorCache, content_digest

DIGEST = content_digest(b"an image")
SETTINGS = {"step": 8, "sizes": [16, 24], "colour": False}


def make_arrays(n_patches=5, n_columns=4, seed=0):
    random = np.random.default_rng([seed, n_patches])
    return {
        "values": random.integers(0, 256, (n_patches, n_columns)).astype(np.uint8),
        "flat": random.random(n_patches) < 0.5,
        "centres": random.uniform(0, 99, (n_patches, 2)).astype(np.float32),
    }


def assert_same(found, expected):
    assert found is not None
    assert list(found) == list(expected)
    for name, array in expected.items():
        assert found[name].dtype == array.dtype
        assert np.array_equal(found[name], array)


def put_twice_with_one_warning(cache, digest, message):
    with pytest.warns(UserWarning, match=message):
        cache.put(digest, make_arrays())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cache.put(digest, make_arrays())


def put_often(folder, seed):
    """Write the entry again and again, in another process."""
    cache = DescriptorCache(folder, SETTINGS)
    for _ in range(50):
        cache.put(DIGEST, make_arrays(300, seed=seed))


@pytest.mark.parametrize("n_patches", [0, 1, 5, 4000])
def test_arrays_come_back(tmp_path, n_patches):
    cache, arrays = DescriptorCache(tmp_path, SETTINGS), make_arrays(n_patches)
    assert cache.get(DIGEST) is None
    cache.put(DIGEST, arrays)
    found = cache.get(DIGEST)
    assert_same(found, arrays)
    assert all(array.flags.writeable and array.flags.c_contiguous for array in found.values())
    assert_same(DescriptorCache(tmp_path, dict(reversed(SETTINGS.items()))).get(DIGEST), arrays)


dtypes = st.sampled_from(["|b1", "|u1", "<u2", "<i4", ">i4", "<i8", "<f4", ">f8"])


@given(
    st.dictionaries(
        st.from_regex(r"\A[a-zA-Z0-9_][a-z._-]{0,3}(/[a-zA-Z0-9_][a-z._-]{0,3}){0,2}\Z"),
        dtypes.flatmap(lambda dtype: npst.arrays(dtype, npst.array_shapes(min_dims=0, min_side=0))),
        max_size=3,
    )
)
@settings(max_examples=60, deadline=None)
def test_any_arrays_come_back(arrays):
    with TemporaryDescriptorCache({}) as cache:
        cache.put(DIGEST, arrays)
        found = cache.get(DIGEST)
    assert list(found) == list(arrays)
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype.newbyteorder("=")
        assert found[name].shape == array.shape
        assert np.array_equal(found[name], array, equal_nan=array.dtype.kind == "f")


def test_entries_are_apart_by_content_and_settings(tmp_path):
    cache = DescriptorCache(tmp_path, SETTINGS)
    cache.put(DIGEST, make_arrays())
    assert cache.get(content_digest(b"another image")) is None
    other = DescriptorCache(tmp_path, {**SETTINGS, "step": 4})
    assert other.get(DIGEST) is None
    other.put(DIGEST, make_arrays(seed=1))
    assert_same(cache.get(DIGEST), make_arrays())


def test_entry_of_another_version_is_a_miss(tmp_path, monkeypatch):
    DescriptorCache(tmp_path, SETTINGS).put(DIGEST, make_arrays())
    monkeypatch.setattr(cache_module, "_VERSION", cache_module._VERSION + 1)
    assert DescriptorCache(tmp_path, SETTINGS).get(DIGEST) is None


def test_file_in_the_place_of_another_is_a_miss(tmp_path):
    cache, other = DescriptorCache(tmp_path, SETTINGS), content_digest(b"another image")
    cache.put(DIGEST, make_arrays())
    cache.path(other).parent.mkdir(parents=True, exist_ok=True)
    cache.path(DIGEST).rename(cache.path(other))
    assert cache.get(other) is None


def test_damage_at_any_byte_is_a_miss_and_is_replaced(tmp_path):
    cache, arrays = DescriptorCache(tmp_path, SETTINGS), make_arrays()
    cache.put(DIGEST, arrays)
    path = cache.path(DIGEST)
    whole = path.read_bytes()
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(damaged)
        assert cache.get(DIGEST) is None
    cache.put(DIGEST, arrays)
    assert_same(cache.get(DIGEST), arrays)


def test_cut_or_longer_file_is_a_miss(tmp_path):
    cache = DescriptorCache(tmp_path, SETTINGS)
    cache.put(DIGEST, make_arrays())
    path = cache.path(DIGEST)
    whole = path.read_bytes()
    for data in [*(whole[:n] for n in range(len(whole))), whole + b"\0", b"\0" * len(whole)]:
        path.write_bytes(data)
        assert cache.get(DIGEST) is None


def test_interrupted_write_leaves_no_entry(tmp_path, monkeypatch):
    cache = DescriptorCache(tmp_path, SETTINGS)

    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", interrupt)
        with pytest.raises(KeyboardInterrupt):
            cache.put(DIGEST, make_arrays())
    assert cache.get(DIGEST) is None
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []
    cache.put(DIGEST, make_arrays())
    assert_same(cache.get(DIGEST), make_arrays())


def test_half_written_file_of_a_killed_process_is_ignored(tmp_path):
    cache = DescriptorCache(tmp_path, SETTINGS)
    cache.put(DIGEST, make_arrays())
    path = cache.path(DIGEST)
    path.rename(path.with_name(f".{DIGEST[:40]}.0123456789abcdef.tmp"))
    assert cache.get(DIGEST) is None
    cache.put(DIGEST, make_arrays())
    assert_same(cache.get(DIGEST), make_arrays())
    assert os.listdir(path.parent) == [DIGEST]


def test_full_disk_warns_once_and_goes_on(tmp_path, monkeypatch):
    cache = DescriptorCache(tmp_path, SETTINGS)
    cache.put(DIGEST, make_arrays())

    def refuse(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", refuse)
    other = content_digest(b"another image")
    put_twice_with_one_warning(cache, other, "No space left on device")
    assert cache.get(other) is None
    assert_same(cache.get(DIGEST), make_arrays())
    assert list(cache.path(other).parent.glob(".*")) == []


def test_folder_that_cannot_be_made_warns_once(tmp_path):
    file = tmp_path / "file"
    file.touch()
    cache = DescriptorCache(file, SETTINGS)
    assert cache.get(DIGEST) is None
    put_twice_with_one_warning(cache, DIGEST, "no descriptors are kept")
    assert cache.get(DIGEST) is None


def test_folder_in_the_place_of_an_entry_is_a_miss(tmp_path):
    cache = DescriptorCache(tmp_path, SETTINGS)
    cache.path(DIGEST).mkdir(parents=True)
    assert cache.get(DIGEST) is None


def test_threads_share_a_cache(tmp_path):
    cache = DescriptorCache(tmp_path, SETTINGS)
    digests = [content_digest(bytes([i % 7])) for i in range(70)]

    def visit(digest):
        found = cache.get(digest)
        if found is None:
            cache.put(digest, make_arrays(200))
        return found

    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(visit, digests):
            if found is not None:
                assert_same(found, make_arrays(200))
    assert all(cache.get(digest) is not None for digest in digests)


def test_two_processes_write_one_entry(tmp_path):
    context = multiprocessing.get_context("fork" if os.name == "posix" else "spawn")
    writers = [context.Process(target=put_often, args=(tmp_path, seed)) for seed in (1, 2)]
    candidates = [make_arrays(300, seed=seed)["values"] for seed in (1, 2)]
    cache = DescriptorCache(tmp_path, SETTINGS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads
        for writer in writers:
            writer.start()
    n_found = 0
    while any(writer.is_alive() for writer in writers) or not n_found:
        found = cache.get(DIGEST)
        if found is not None:
            n_found += 1
            assert any(np.array_equal(found["values"], values) for values in candidates)
        elif n_found:
            pytest.fail("an entry was gone while it was replaced")
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0


def test_temporary_folder_is_removed():
    with TemporaryDescriptorCache(SETTINGS) as cache:
        cache.put(DIGEST, make_arrays())
        other = pickle.loads(pickle.dumps(cache))
        assert_same(other.get(DIGEST), make_arrays())
        del other
        assert_same(cache.get(DIGEST), make_arrays())
    assert not cache.folder.exists()
    cache.put(DIGEST, make_arrays())
    assert not cache.folder.exists()


def test_temporary_folder_is_removed_after_an_error():
    folders = []

    def fail():
        with TemporaryDescriptorCache(SETTINGS) as cache:
            cache.put(DIGEST, make_arrays())
            folders.append(cache.folder)
            raise RuntimeError("in the block")

    with pytest.raises(RuntimeError, match="in the block"):
        fail()
    assert not folders[0].exists()


def test_no_temporary_folder_warns_and_keeps_nothing(monkeypatch):
    def refuse(*_, **__):
        raise FileNotFoundError(errno.ENOENT, "no usable temporary directory")

    monkeypatch.setattr(cache_module.tempfile, "TemporaryDirectory", refuse)
    with pytest.warns(UserWarning, match="no usable temporary directory"):
        cache = TemporaryDescriptorCache(SETTINGS)
    with cache:
        pickle.loads(pickle.dumps(cache)).put(DIGEST, make_arrays())
        cache.put(DIGEST, make_arrays())
        assert cache.get(DIGEST) is None
    assert not cache.folder.exists()


def test_refuses_what_it_cannot_hold(tmp_path):
    cache = DescriptorCache(tmp_path, SETTINGS)
    with pytest.raises(TypeError, match="array 'names' has the type object"):
        cache.put(DIGEST, {"names": np.array([None])})
    for name in ("", "../x", "é"):
        with pytest.raises(ValueError, match="no name for an array"):
            cache.put(DIGEST, {name: np.zeros(1)})
    assert os.listdir(tmp_path) == []
    for digest in ("../../x", DIGEST.upper(), DIGEST[:-1], DIGEST + "\n"):
        with pytest.raises(ValueError, match="64 hexadecimal digits"):
            cache.get(digest)
    with pytest.raises(ValueError, match="JSON"):
        DescriptorCache(tmp_path, {"step": float("nan")})
    with pytest.raises(TypeError, match="JSON"):
        DescriptorCache(tmp_path, {"step": object()})
