"""Descriptors of images on disk, so that no image is worked on twice.

An entry is one file, a container of :mod:`sfmcore.files.container` whose header repeats what the
entry is of.
"""

import hashlib
import json
import os
import re
import tempfile
import warnings
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np

from sfmcore.files.atomic import atomic_write
from sfmcore.files.container import ContainerError, pack, unpack

# Raised whenever the same settings would give other arrays, or an entry has another form.
_VERSION = 3
_DIGEST = re.compile(r"[0-9a-f]{64}")

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

    An entry takes as much room as its arrays, 400 bytes, and 270 for each array: 141 bytes for a
    patch of 128 values, a flag, a place and a size, and 2 KB in all, so 0.6 MB for an image of
    4,000 patches. No entry is ever deleted; the folder may be removed at any time. A process that
    is killed while it writes leaves a hidden file ``.*.tmp``, which is never read, and removed by
    the next `put` of the same entry.

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
        try:
            header, arrays = unpack(self.path(digest).read_bytes())
        except (OSError, ContainerError):
            return None
        return arrays if header.get("entry") == [self._key, digest] else None

    def put(self, digest: str, arrays: Mapping[str, np.ndarray]) -> None:
        """Write an entry, in the place of an old one if there is any.

        Parameters
        ----------
        digest : str
        arrays : mapping of str to ndarray
            As for :func:`sfmcore.files.container.pack`.

        Raises
        ------
        TypeError, ValueError
            If an array is of a type, or has a name, that the cache does not hold.

        Warns
        -----
        UserWarning
            The first time that the folder cannot be written; nothing is written from then on.
        """
        path = self.path(digest)
        packed = pack({"format": "sfmvision descriptors", "entry": [self._key, digest]}, arrays)
        if not self._writes:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # What a power failure may lose is found by the seal, and can be made again.
            with atomic_write(path, sync=False) as file:
                file.write(packed)
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
