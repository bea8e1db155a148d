"""Arrays and a JSON header in one archive, sealed with a checksum.

The archive is an uncompressed zip. Its first member, ``header.json``, holds what the caller has to
say, and the type and shape of every array; each further member ``NAME.npy`` is one array.
``numpy.load`` opens it too. The archive's comment, which ends the bytes, is a SHA-256 digest of all
bytes before it. Nothing is pickled, and nothing depends on the clock, the machine's name or the
path: equal content gives equal bytes.

What a header means, and which of its versions can be read, is for the caller to say.
"""

import hashlib
import io
import json
import math
import re
import struct
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np

_HEADER = "header.json"
_DTYPES = frozenset(["|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8"])
# Plain names only: one unpacked with "unzip" must not leave its folder.
_NAME = re.compile(r"(?=.{1,200}\Z)\w[\w.+-]*(?:/\w[\w.+-]*)*", re.ASCII)
_MAX_NDIM = 32  # NumPy 1's limit
_SEAL = b"sfm-pacbayes sha256 "
_SEAL_SIZE = len(_SEAL) + 64
# What zipfile and json raise on bytes that are not what they seem.
_UNREADABLE = (
    zipfile.BadZipFile, struct.error, EOFError, LookupError, OverflowError, RuntimeError,
    TypeError, ValueError,
)  # fmt: skip


class ContainerError(Exception):
    """Bytes that are no sound container; the message goes on where a file's name ends."""


def pack(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> memoryview:
    """Return the bytes of a header and arrays.

    Parameters
    ----------
    header : mapping
        As JSON can hold it. ``arrays`` is added to it: type and shape of each array by name.
    arrays : mapping of str to ndarray
        Booleans, integers, float32 or float64. Names are ASCII letters, digits and ``_.+-``,
        with ``/`` between the parts of a nested name.

    Returns
    -------
    memoryview

    Raises
    ------
    TypeError, ValueError
        If the header or the arrays hold something that the bytes cannot.

    See Also
    --------
    unpack : The way back.

    Examples
    --------
    >>> packed = pack({"unit": "m"}, {"heights": np.arange(3.0)})
    >>> header, arrays = unpack(bytes(packed))
    >>> header["unit"], header["arrays"], arrays
    ('m', {'heights': {'dtype': '<f8', 'shape': [3]}}, {'heights': array([0., 1., 2.])})
    """
    stored = {name: _storable(name, array) for name, array in arrays.items()}
    specs: dict[str, Any] = {
        name: {"dtype": array.dtype.str, "shape": list(array.shape)}
        for name, array in stored.items()
    }
    text = json.dumps(
        {**header, "arrays": specs}, sort_keys=True, allow_nan=False, ensure_ascii=False
    )
    # In memory first: a pipe cannot seek back to fill in a size, and its bytes would differ.
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.comment = bytes(_SEAL_SIZE)
        _add(archive, _HEADER, text.encode())
        for name, array in stored.items():
            _add(archive, f"{name}.npy", _preamble(**specs[name]), array.data)
    packed = buffer.getbuffer()
    packed[-_SEAL_SIZE:] = _seal(packed[:-_SEAL_SIZE])
    return packed


def unpack(data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the header and the arrays, after checking every byte.

    Parameters
    ----------
    data : bytes
        From `pack`.

    Returns
    -------
    header : dict
        As packed, with ``arrays``.
    arrays : dict of str to ndarray
        As packed, in their order: writable, C order, native byte order.

    Raises
    ------
    ContainerError
        If the bytes are foreign, cut short or damaged, or hold other arrays than the header says.

    See Also
    --------
    pack : An example.
    """
    if data[-_SEAL_SIZE:] != _seal(memoryview(data)[:-_SEAL_SIZE]):
        if data[-_SEAL_SIZE:].startswith(_SEAL):
            raise ContainerError("is damaged: its content does not match its checksum")
        raise ContainerError(
            "is cut short or changed: it does not end with the checksum it was written with"
        )
    with _refusing(), zipfile.ZipFile(io.BytesIO(data)) as archive:
        header = _read_header(archive)
        specs = header["arrays"]
        _check_specs(specs)
        _check_members(archive, specs, len(data))
        names = [member[: -len(".npy")] for member in archive.namelist() if member != _HEADER]
        return header, {name: _read_array(archive, name, specs[name]) for name in names}


def glance(data: bytes) -> Any:
    """Return the header of bytes that may be damaged, or sealed in another way.

    For whoever has to tell a newer format from damage.

    Parameters
    ----------
    data : bytes

    Returns
    -------
    object
        Whatever JSON the first member holds.

    Raises
    ------
    ContainerError
        If there is no header, or it is damaged.

    Examples
    --------
    >>> glance(bytes(pack({"version": 7}, {}))[:-1] + b"?")
    {'arrays': {}, 'version': 7}
    """
    with _refusing(), zipfile.ZipFile(io.BytesIO(data)) as archive:
        return _read_header(archive)


def seems_packed(file: BinaryIO) -> bool:
    """Whether one of the ends of a file is that of a container, perhaps cut off elsewhere.

    It tells a container from a large file given by mistake, before that is read.

    Parameters
    ----------
    file : file object
        Open for reading; left at its start.

    Returns
    -------
    bool

    Examples
    --------
    >>> seems_packed(io.BytesIO(pack({}, {}))), seems_packed(io.BytesIO(b">seq1"))
    (True, False)
    """
    start = file.read(30 + len(_HEADER))
    file.seek(max(0, file.seek(0, io.SEEK_END) - _SEAL_SIZE))
    end = file.read()
    file.seek(0)
    begins = b"PK\x03\x04".startswith(start[:4]) and _HEADER.encode().startswith(start[30:])
    return begins or end.startswith(_SEAL)


# ---- Writing


def _storable(name: str, array: Any) -> np.ndarray:
    """Return the array in C order and little-endian, if a container may hold it."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name for an array in a file")
    if not isinstance(array, np.ndarray) or isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"array {name!r} must be a plain ndarray, not {type(array).__name__}")
    dtype = array.dtype.newbyteorder("<")
    if dtype.str not in _DTYPES:
        raise TypeError(f"array {name!r} has the type {array.dtype}, which no file holds")
    if array.ndim > _MAX_NDIM:
        raise ValueError(f"array {name!r} has more than {_MAX_NDIM} dimensions")
    return np.asarray(array, dtype=dtype, order="C")


def _add(archive: zipfile.ZipFile, name: str, *parts: bytes | memoryview) -> None:
    """Add a member with nothing in its entry but its name, size and checksum."""
    info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    info.create_system = 3
    info.external_attr = 0o644 << 16
    info.file_size = sum(memoryview(part).nbytes for part in parts)
    with archive.open(info, "w") as member:
        for part in parts:
            member.write(part)


def _preamble(dtype: str, shape: list[int]) -> bytes:
    """Return the start of a .npy file (format 1.0), which the reader compares byte by byte.

    Not NumPy's own: its padding has changed between releases.
    """
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {tuple(shape)!r}, }}"
    size = -(-(10 + len(text) + 1) // 64) * 64 - 10
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", size) + text.ljust(size - 1).encode() + b"\n"


def _seal(body: bytes | memoryview) -> bytes:
    return _SEAL + hashlib.sha256(body).hexdigest().encode()


# ---- Reading


@contextmanager
def _refusing() -> Iterator[None]:
    """Turn whatever malformed bytes raise into one sentence."""
    try:
        yield
    except _UNREADABLE as error:
        raise ContainerError("is damaged: its content cannot be read") from error


def _read_header(archive: zipfile.ZipFile) -> Any:
    info = archive.getinfo(_HEADER)
    if info.compress_type != zipfile.ZIP_STORED:
        # Checked before reading, as a small member may unpack to a huge one.
        raise ValueError("compressed header")
    return json.loads(archive.read(info).decode())


def _check_specs(specs: Any) -> None:
    """Refuse types and shapes that no container holds."""
    if type(specs) is not dict:
        raise ValueError("bad header")
    for name, spec in specs.items():
        if not _NAME.fullmatch(name):
            raise ValueError("bad array name")
        if spec["dtype"] not in _DTYPES:
            raise ContainerError(f"holds array {name!r} of a type that no such file holds")
        shape = spec["shape"]
        if len(shape) > _MAX_NDIM or not all(type(n) is int and 0 <= n < 2**63 for n in shape):
            raise ValueError("bad shape")


def _check_members(
    archive: zipfile.ZipFile, arrays: Mapping[str, Mapping[str, Any]], limit: int
) -> None:
    """Refuse members that the header does not promise; done before any of them is read."""
    members = archive.infolist()
    found = {info.filename: info for info in members}
    wanted = {f"{key}.npy": key for key in arrays}
    for member, key in wanted.items():
        if member not in found:
            raise ContainerError(f"lacks the array {key!r} that its header lists")
    if len(members) != len(wanted) + 1:
        raise ContainerError("holds more than its header lists")
    for member, key in wanted.items():
        dtype, shape = arrays[key]["dtype"], arrays[key]["shape"]
        size = len(_preamble(dtype, shape)) + np.dtype(dtype).itemsize * math.prod(shape)
        info = found[member]
        stored = info.compress_type == zipfile.ZIP_STORED
        if not (stored and info.compress_size == info.file_size == size):
            raise ContainerError(f"holds the array {key!r} in another form than it says")
    if sum(info.file_size for info in members) > limit:
        raise ValueError("overlapping members")  # else a small file could fill the memory


def _read_array(archive: zipfile.ZipFile, key: str, spec: Mapping[str, Any]) -> np.ndarray:
    """Return one array, whose size has been checked."""
    data = archive.read(f"{key}.npy")
    preamble = _preamble(spec["dtype"], spec["shape"])
    if not data.startswith(preamble):
        raise ContainerError(f"holds the array {key!r} in another form than it says")
    array = np.ndarray(spec["shape"], np.dtype(spec["dtype"]), data, len(preamble))
    return array.astype(array.dtype.newbyteorder("="))  # a copy: aligned and writable
