"""Descriptors of images on disk, so that no image is worked on twice.

An entry is one file: 8 bytes that name the format, a CRC-32 of all that follows, the length of a
JSON header, the header, and the arrays as they lie in memory, each at a multiple of 64 bytes. The
header repeats what the entry is of. Nothing is pickled.
"""

import hashlib
import json
import os
import re
import secrets
import struct
import tempfile
import warnings
import weakref
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import numpy as np

_MAGIC = b"SFMDESC1"
_VERSION = 2  # raised whenever the same settings would give other arrays
_START = struct.Struct("<8sII")  # magic, checksum, length of the header
_CHECKED_FROM = 12  # after the checksum
_DIGEST = re.compile(r"[0-9a-f]{64}")
_DTYPES = frozenset(["|b1", "|u1", "<u2", "<i4", "<i8", "<f4", "<f8"])
_ALIGNMENT = 64

Arrays = dict[str, np.ndarray]


def content_digest(data: bytes | bytearray | memoryview) -> str:
    """SHA-256 of a file's bytes, by which the cache knows an image.

    Examples
    --------
    >>> content_digest(b"")[:8]
    'e3b0c442'
    """
    return hashlib.sha256(data).hexdigest()


class DescriptorCache:
    """Arrays of images in a folder, by the content of the image's file and the settings.

    An entry is written to a temporary name and renamed, so that it is whole or not there, whoever
    else writes it at the same time. A damaged entry counts as none, and is replaced by the next
    `put`. Where the folder cannot be written, one warning says so and the cache keeps nothing.

    An entry takes as much room as its arrays and 200 to 500 bytes: 137 bytes for a patch of 128
    values, a flag and a place, so 0.55 MB for an image of 4,000 patches. Nothing is ever deleted;
    the folder may be removed at any time. A process that is killed while it writes leaves a hidden
    file ``.*.tmp``, which is never read.

    Parameters
    ----------
    folder : str or path-like
        Made when the first entry is written. Entries stand in
        ``SETTINGS/FIRST TWO DIGITS/DIGEST``.
    settings : mapping
        Whatever the arrays depend on beside the file, as JSON can hold it. Other settings, or
        another version of the format, have entries of their own.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     cache = DescriptorCache(folder, {"step": 8})
    ...     digest = content_digest(b"bytes of an image")
    ...     missing = cache.get(digest)
    ...     cache.put(digest, {"values": np.arange(3, dtype=np.uint8)})
    ...     missing, cache.get(digest)
    (None, {'values': array([0, 1, 2], dtype=uint8)})
    """

    def __init__(self, folder: str | os.PathLike[str], settings: Mapping[str, Any]) -> None:
        self.folder = Path(folder)
        self.settings = dict(settings)
        text = json.dumps(
            {"version": _VERSION, "settings": self.settings},
            sort_keys=True, separators=(",", ":"), allow_nan=False,
        )  # fmt: skip
        self._key = hashlib.sha256(text.encode()).hexdigest()
        self._writes = True

    def path(self, digest: str) -> Path:
        """File of an entry.

        Raises
        ------
        ValueError
            If the digest is not 64 hexadecimal digits in lower case.
        """
        if not _DIGEST.fullmatch(digest):
            raise ValueError(f"a digest is 64 hexadecimal digits, not {digest!r}")
        return self.folder / self._key[:16] / digest[:2] / digest

    def get(self, digest: str) -> Arrays | None:
        """Read an entry.

        Parameters
        ----------
        digest : str
            From `content_digest`.

        Returns
        -------
        dict of str to ndarray, or None
            None if there is no entry, or it cannot be read or is damaged.
        """
        path = self.path(digest)
        try:
            with open(path, "rb", buffering=0) as file:
                data = bytearray(os.fstat(file.fileno()).st_size)
                if file.readinto(data) != len(data):
                    return None
        except OSError:
            return None
        with suppress(struct.error, ValueError, TypeError, LookupError):
            return _unpack(data, [self._key, digest])
        return None

    def put(self, digest: str, arrays: Mapping[str, np.ndarray]) -> None:
        """Write an entry, in the place of an old one if there is any.

        Parameters
        ----------
        digest : str
        arrays : mapping of str to ndarray
            Booleans, integers or floating-point numbers.

        Raises
        ------
        TypeError
            If an array is of a type that the cache does not hold.

        Warns
        -----
        UserWarning
            The first time that the folder cannot be written; nothing is written from then on.
        """
        path = self.path(digest)
        parts = _pack(arrays, [self._key, digest])
        if not self._writes:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(path, parts)
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        self._writes = False
        warnings.warn(
            f"no descriptors are kept in {self.folder}: {error.strerror or error}", stacklevel=3
        )


class TemporaryDescriptorCache(DescriptorCache):
    """A cache in a temporary folder, which is removed at the end of the ``with`` block.

    For one run that meets its images several times, such as an evaluation. A copy in another
    process uses the same folder, and leaves its end to this one.

    Parameters
    ----------
    settings : mapping
        As for `DescriptorCache`.

    Examples
    --------
    >>> with TemporaryDescriptorCache({}) as cache:
    ...     cache.put("0" * 64, {"flat": np.array([True])})
    ...     cache.get("0" * 64), cache.folder.exists()
    ({'flat': array([ True])}, True)
    >>> cache.folder.exists()
    False
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        try:
            self._temporary = tempfile.TemporaryDirectory(
                prefix="sfmvision-", ignore_cleanup_errors=True
            )
        except OSError as error:
            super().__init__("no temporary folder", settings)
            self._give_up(error)
        else:
            super().__init__(self._temporary.name, settings)
            # Left to itself the folder would be removed too, but with a ResourceWarning.
            weakref.finalize(self, self._temporary.cleanup)

    def __reduce__(self) -> tuple[Any, ...]:
        return DescriptorCache, (self.folder, self.settings), {"_writes": self._writes}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._writes = False  # a late entry must not bring the folder back
        if self._temporary is not None:
            self._temporary.cleanup()


def _pack(arrays: Mapping[str, np.ndarray], entry: list[str]) -> list[bytes | memoryview]:
    """Return the bytes of an entry, in parts."""
    stored = {}
    for name, array in arrays.items():
        plain = np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C")
        if plain.dtype.str not in _DTYPES:
            raise TypeError(f"the cache cannot hold {name!r} of type {array.dtype}")
        stored[name] = plain
    specs = [[name, array.dtype.str, list(array.shape)] for name, array in stored.items()]
    header = json.dumps({"entry": entry, "arrays": specs}).encode()
    header += b" " * (-(_START.size + len(header)) % _ALIGNMENT)
    parts: list[bytes | memoryview] = [header]
    for array in stored.values():
        parts += [array.reshape(-1).view(np.uint8).data, bytes(-array.nbytes % _ALIGNMENT)]
    checksum = zlib.crc32(struct.pack("<I", len(header)))
    for part in parts:
        checksum = zlib.crc32(part, checksum)
    return [_START.pack(_MAGIC, checksum, len(header)), *parts]


def _unpack(data: bytearray, entry: list[str]) -> Arrays | None:
    """Return the arrays, views of the data; None if the bytes are not those of this entry."""
    magic, checksum, length = _START.unpack_from(data)
    if magic != _MAGIC or zlib.crc32(memoryview(data)[_CHECKED_FROM:]) != checksum:
        return None
    first = _START.size + length
    header = json.loads(data[_START.size : first])
    if header["entry"] != entry:
        return None
    arrays = {}
    for name, dtype, shape in header["arrays"]:
        array = np.ndarray(shape, np.dtype(dtype), data, first)
        arrays[name] = array.astype(array.dtype.newbyteorder("="), copy=False)
        first += -(-array.nbytes // _ALIGNMENT) * _ALIGNMENT
    return arrays if first == len(data) else None


def _write(path: Path, parts: list[bytes | memoryview]) -> None:
    """Write a file under a hidden name and rename it.

    Without the `fsync` of `sfmcore.files.atomic`: what a power failure may lose or spoil is found
    by the checksum, and can be made again.
    """
    hidden = path.parent / f".{path.name[:16]}.{secrets.token_hex(8)}.tmp"
    try:
        with open(hidden, "xb") as file:
            file.writelines(parts)
        os.replace(hidden, path)
    except BaseException:
        with suppress(OSError):
            hidden.unlink()
        raise
