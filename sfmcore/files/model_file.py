"""The model file: arrays and JSON in one archive, sealed with a checksum.

A model file is an uncompressed zip archive. Its first member, ``header.json``, holds the format
version, the kind of model, its state, and the type and shape of every array; each further member
``NAME.npy`` is one array. ``numpy.load`` opens it too. The archive's comment, which ends the file,
is a SHA-256 digest of all bytes before it. Nothing is pickled, and nothing in the file depends on
the clock, the machine's name or the path: equal models give equal bytes.

Every later format keeps ``header.json`` first, with its ``format`` and ``version``, so that an
older release can say that it is too old.
"""

import hashlib
import importlib.metadata
import io
import json
import math
import os
import re
import stat
import struct
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

import numpy as np

from sfmcore.data.errors import ModelFileError
from sfmcore.files.atomic import atomic_write
from sfmcore.version import __version__

_FORMAT = "sfm-pacbayes model"
# 2: certificates, and the parameters that came with them. 3: kernels on the features. Files of
# formats 1 and 2 are read.
FORMAT_VERSION = 4
_HEADER = "header.json"
_DTYPES = frozenset(["|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8"])
_KIND = re.compile(r"[A-Za-z][A-Za-z0-9 -]{0,79}")
# Plain names only: one unpacked with "unzip" must not leave its folder.
_NAME = re.compile(r"(?=.{1,200}\Z)\w[\w.+-]*(?:/\w[\w.+-]*)*", re.ASCII)
_MAX_DEPTH = 50  # of the state: far above need, far below Python's own limit
_MAX_NDIM = 32  # NumPy 1's limit
_SEAL = b"sfm-pacbayes sha256 "
_SEAL_SIZE = len(_SEAL) + 64
# What zipfile and json raise on bytes that are not what they seem.
_UNREADABLE = (
    zipfile.BadZipFile, struct.error, EOFError, LookupError, OverflowError, RuntimeError,
    TypeError, ValueError,
)  # fmt: skip


def save_model(
    path: str | os.PathLike[str],
    kind: str,
    state: Mapping[str, Any],
    arrays: Mapping[str, np.ndarray],
) -> None:
    """Write a model file, whole or not at all.

    Parameters
    ----------
    path : str or path-like
        The file to write. An old file is replaced only once the new one is complete.
    kind : str
        What the file holds, in words that fit a sentence, such as ``"protein classifier"``.
    state : mapping
        Parameters and labels: None, bool, int, finite float and str, in lists and in mappings
        with str keys. NumPy scalars become Python's.
    arrays : mapping of str to ndarray
        Booleans, integers, float32 or float64. Names are ASCII letters, digits and ``_.+-``,
        with ``/`` between the parts of a nested name.

    Raises
    ------
    ModelFileError
        If the file cannot be written.
    TypeError, ValueError
        If the state or the arrays hold something a model file cannot.

    See Also
    --------
    load_model : Read it back.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "toy.model")
    ...     save_model(path, "toy", {"labels": ["a", "b"]}, {"weights": np.arange(3.0)})
    ...     load_model(path, "toy")
    ({'labels': ['a', 'b']}, {'weights': array([0., 1., 2.])})
    """
    if not _KIND.fullmatch(kind):
        raise ValueError(f"kind must be a few plain words, not {kind!r}")
    stored = {name: _storable(name, array) for name, array in sorted(arrays.items())}
    header = {
        "format": _FORMAT,
        "version": FORMAT_VERSION,
        "kind": kind,
        "packages": _packages(),
        "state": _plain(dict(state), "state"),
        "arrays": {
            name: {"dtype": array.dtype.newbyteorder("<").str, "shape": list(array.shape)}
            for name, array in stored.items()
        },
    }
    packed = _pack(header, stored)
    try:
        with atomic_write(path) as file:
            file.write(packed)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ModelFileError(f"cannot write {os.fspath(path)}: {reason}") from error


def load_model(
    path: str | os.PathLike[str], kind: str
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Read a model file, after checking every byte of it.

    The checks cover the container: whatever is returned is what some program saved. Whether the
    values make a sound model is for the caller to check.

    Parameters
    ----------
    path : str or path-like
        The file to read.
    kind : str
        The kind it must hold.

    Returns
    -------
    state : dict
        The state as saved.
    arrays : dict of str to ndarray
        The arrays as saved: writable, C order, native byte order.

    Raises
    ------
    ModelFileError
        If the file is missing, unreadable, foreign, cut short, damaged, of a newer format or of
        another kind.

    See Also
    --------
    save_model : Write one, with an example.
    read_header : What a file says about itself.
    """
    name, data = os.fspath(path), _read_sealed(path)
    with _refusing(name), zipfile.ZipFile(io.BytesIO(data)) as archive:
        header = _checked_header(name, archive)
        if header["kind"] != kind:
            raise ModelFileError(f"{name} holds {_a(header['kind'])}, not {_a(kind)}")
        _check_members(name, archive, header["arrays"], len(data))
        arrays = {
            key: _read_array(name, archive, key, spec) for key, spec in header["arrays"].items()
        }
    return header["state"], arrays


def read_header(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read what a model file says about itself, whatever kind of model it holds.

    Parameters
    ----------
    path : str or path-like
        The file to read.

    Returns
    -------
    dict
        ``format``, ``version``, ``kind``, ``packages`` (the versions that wrote it), ``state``,
        and ``arrays`` (``dtype`` and ``shape`` by name).

    Raises
    ------
    ModelFileError
        As in `load_model`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "toy.model")
    ...     save_model(path, "toy", {}, {"weights": np.arange(3.0)})
    ...     header = read_header(path)
    >>> header["kind"], header["arrays"]
    ('toy', {'weights': {'dtype': '<f8', 'shape': [3]}})
    """
    name, data = os.fspath(path), _read_sealed(path)
    with _refusing(name), zipfile.ZipFile(io.BytesIO(data)) as archive:
        header = _checked_header(name, archive)
        _check_members(name, archive, header["arrays"], len(data))
    return header


# ---- Writing


def _packages() -> dict[str, str]:
    """Versions of the packages that numbers depend on, for whoever asks where a model is from."""
    versions = {"sfm-pacbayes": __version__}
    for name in ("numpy", "scikit-learn", "scipy"):
        with suppress(importlib.metadata.PackageNotFoundError):  # no reason to lose a model
            versions[name] = importlib.metadata.version(name)
    return versions


def _storable(name: str, array: Any) -> np.ndarray:
    """Return the array in C order and little-endian, if a model file may hold it."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name for an array in a model file")
    if not isinstance(array, np.ndarray) or isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"array {name!r} must be a plain ndarray, not {type(array).__name__}")
    dtype = array.dtype.newbyteorder("<")
    if dtype.str not in _DTYPES:
        raise TypeError(f"array {name!r} has the type {array.dtype}, which no model file holds")
    if array.ndim > _MAX_NDIM:
        raise ValueError(f"array {name!r} has more than {_MAX_NDIM} dimensions")
    return np.asarray(array, dtype=dtype, order="C")


def _plain(value: Any, where: str, depth: int = 0) -> Any:
    """Return a copy in Python's own types that JSON gives back exactly, or say what is not so."""
    if depth > _MAX_DEPTH:
        raise ValueError(f"{where} is nested too deeply")
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Mapping):
        plain = {}
        for key, item in value.items():
            if not isinstance(key, str):
                raise TypeError(f"{where} has the key {key!r}, which is not a str")
            plain[_plain(key, f"a key of {where}")] = _plain(item, f"{where}[{key!r}]", depth + 1)
        return plain
    if isinstance(value, list):
        return [_plain(item, f"{where}[{i}]", depth + 1) for i, item in enumerate(value)]
    if type(value) is float and not math.isfinite(value):
        raise ValueError(f"{where} is {value}, which JSON cannot hold")
    if type(value) is str:
        value.encode()  # half a surrogate pair would not come back as it went
    elif value is not None and type(value) not in (bool, int, float):
        # A tuple too: it would come back as a list.
        raise TypeError(f"{where} is a {type(value).__name__}, which a model file cannot hold")
    return value


def _pack(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> memoryview:
    """Return the bytes of a model file."""
    text = json.dumps(header, sort_keys=True, allow_nan=False, ensure_ascii=False)
    # In memory first: a pipe cannot seek back to fill in a size, and its bytes would differ.
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.comment = bytes(_SEAL_SIZE)
        _add(archive, _HEADER, text.encode())
        for name, array in arrays.items():
            spec = header["arrays"][name]
            _add(archive, f"{name}.npy", _preamble(spec["dtype"], spec["shape"]), array.data)
    packed = buffer.getbuffer()
    packed[-_SEAL_SIZE:] = _seal(packed[:-_SEAL_SIZE])
    return packed


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
def _refusing(name: str) -> Iterator[None]:
    """Turn whatever malformed bytes raise into one sentence."""
    try:
        yield
    except _UNREADABLE as error:
        raise ModelFileError(f"{name} is damaged: its content cannot be read") from error


def _read_sealed(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a model file whose checksum holds."""
    name = os.fspath(path)
    try:
        # Asked before opening, which would wait for the other end of a pipe.
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            raise ModelFileError(f"{name} is a folder, not a model file")
        if not stat.S_ISREG(mode):
            raise ModelFileError(f"{name} is a device or a pipe, not a model file")
        with open(path, "rb") as file:
            # The ends tell a model from a large file given by mistake.
            start = file.read(30 + len(_HEADER))
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _SEAL_SIZE))
            end = file.read()
            if size == 0:
                raise ModelFileError(f"{name} is empty, so it is not a model file")
            if not (_starts_like_a_model(start) or end.startswith(_SEAL)):
                raise ModelFileError(f"{name} is not a model file of sfm-pacbayes")
            file.seek(0)
            data = file.read()
    except FileNotFoundError as error:
        raise ModelFileError(f"{name} does not exist") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise ModelFileError(f"cannot read {name}: {reason}") from error
    if data[-_SEAL_SIZE:] != _seal(memoryview(data)[:-_SEAL_SIZE]):
        _refuse_unsealed(name, data)
    return data


def _starts_like_a_model(start: bytes) -> bool:
    """Whether these bytes begin a zip archive whose first member is the header, or are cut off."""
    return b"PK\x03\x04".startswith(start[:4]) and _HEADER.encode().startswith(start[30:])


def _refuse_unsealed(name: str, data: bytes) -> NoReturn:
    """Say what is wrong with a file whose checksum does not hold."""
    with suppress(*_UNREADABLE), zipfile.ZipFile(io.BytesIO(data)) as archive:
        _checked_header(name, archive)  # a newer format may be sealed in another way
    if data[-_SEAL_SIZE:].startswith(_SEAL):
        raise ModelFileError(f"{name} is damaged: its content does not match its checksum")
    raise ModelFileError(
        f"{name} is cut short or changed: it does not end with the checksum it was written with"
    )


def _checked_header(name: str, archive: zipfile.ZipFile) -> dict[str, Any]:
    """Return the header, if this version can read what it describes."""
    info = archive.getinfo(_HEADER)
    if info.compress_type != zipfile.ZIP_STORED:
        # Checked before reading, as a small member may unpack to a huge one.
        raise ValueError("compressed header")
    header = json.loads(archive.read(info).decode())
    if type(header) is not dict or header.get("format") != _FORMAT:
        raise ModelFileError(f"{name} is not a model file of sfm-pacbayes")
    version = header["version"]
    if type(version) is not int or version < 1:
        raise ValueError("bad version")
    if version > FORMAT_VERSION:
        raise ModelFileError(
            f"{name} was written by a newer version (format {version}); "
            f"this one reads up to {FORMAT_VERSION}: upgrade sfm-pacbayes"
        )
    if not _KIND.fullmatch(header["kind"]):
        raise ValueError("bad kind")
    if not all(type(header[part]) is dict for part in ("arrays", "packages", "state")):
        raise ValueError("bad header")
    _plain(header["state"], "state")
    arrays = header["arrays"]
    for key, spec in arrays.items():
        if not _NAME.fullmatch(key):
            raise ValueError("bad array name")
        if spec["dtype"] not in _DTYPES:
            raise ModelFileError(f"{name} holds array {key!r} of a type that no model file holds")
        shape = spec["shape"]
        if len(shape) > _MAX_NDIM or not all(type(n) is int and 0 <= n < 2**63 for n in shape):
            raise ValueError("bad shape")
    return header


def _check_members(
    name: str, archive: zipfile.ZipFile, arrays: Mapping[str, Mapping[str, Any]], limit: int
) -> None:
    """Refuse members that the header does not promise; done before any of them is read."""
    members = archive.infolist()
    found = {info.filename: info for info in members}
    wanted = {f"{key}.npy": key for key in arrays}
    for member, key in wanted.items():
        if member not in found:
            raise ModelFileError(f"{name} lacks the array {key!r} that its header lists")
    if len(members) != len(wanted) + 1:
        raise ModelFileError(f"{name} holds more than its header lists")
    for member, key in wanted.items():
        dtype, shape = arrays[key]["dtype"], arrays[key]["shape"]
        size = len(_preamble(dtype, shape)) + np.dtype(dtype).itemsize * math.prod(shape)
        info = found[member]
        stored = info.compress_type == zipfile.ZIP_STORED
        if not (stored and info.compress_size == info.file_size == size):
            raise ModelFileError(f"{name} holds the array {key!r} in another form than it says")
    if sum(info.file_size for info in members) > limit:
        raise ValueError("overlapping members")  # else a small file could fill the memory


def _read_array(
    name: str, archive: zipfile.ZipFile, key: str, spec: Mapping[str, Any]
) -> np.ndarray:
    """Return one array, whose size has been checked."""
    data = archive.read(f"{key}.npy")
    preamble = _preamble(spec["dtype"], spec["shape"])
    if not data.startswith(preamble):
        raise ModelFileError(f"{name} holds the array {key!r} in another form than it says")
    array = np.ndarray(spec["shape"], np.dtype(spec["dtype"]), data, len(preamble))
    return array.astype(array.dtype.newbyteorder("="))  # a copy: aligned and writable


def _a(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiouAEIOU' else 'a'} {kind}"
