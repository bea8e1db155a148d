"""The model file: what a container of arrays holds when it holds a model.

Its header gives the format version, the kind of model, its state and the packages that wrote it.
Equal models give equal bytes. Every later format keeps the header first in a zip archive, with its
``format`` and ``version``, so that an older release can say that it is too old.
"""

import importlib.metadata
import math
import os
import re
import stat
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from sfmcore.data.errors import ModelFileError
from sfmcore.files.atomic import atomic_write
from sfmcore.files.container import ContainerError, glance, pack, seems_packed, unpack
from sfmcore.version import __version__

_FORMAT = "sfm-pacbayes model"
# 2: certificates, and the parameters that came with them. 3: kernels on the features. 4: models and
# preparations by name. 5: maps that pairs may share. 6: relatives. 7: the records that references
# are, and further limits in certificates. 8: what held-out votes say. 9: digests of the items that
# it was made from. 10: what the probability of a label is worth. 11: properties of sequences. 12:
# how certain the weights of relatives are. 13: how many references are aligned with a sequence that
# has a clear relative. Files of all of them are read.
FORMAT_VERSION = 13
_KIND = re.compile(r"[A-Za-z][A-Za-z0-9 -]{0,79}")
_MAX_DEPTH = 50  # of the state: far above need, far below Python's own limit


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
        As for :func:`sfmcore.files.container.pack`.

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
    header = {
        "format": _FORMAT,
        "version": FORMAT_VERSION,
        "kind": kind,
        "packages": packages_in_use(),
        "state": _plain(dict(state), "state"),
    }
    packed = pack(header, dict(sorted(arrays.items())))
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
    header, arrays = _read(path)
    if header["kind"] != kind:
        raise ModelFileError(f"{os.fspath(path)} holds {_a(header['kind'])}, not {_a(kind)}")
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
    return _read(path)[0]


def packages_in_use() -> dict[str, str]:
    """Versions of the packages that numbers depend on, for whoever asks where a model is from."""
    versions = {"sfm-pacbayes": __version__}
    for name in ("numpy", "scikit-learn", "scipy"):
        with suppress(importlib.metadata.PackageNotFoundError):  # no reason to lose a model
            versions[name] = importlib.metadata.version(name)
    return versions


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


def _read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the header and the arrays of a model file that this version can read."""
    name, data = os.fspath(path), _read_bytes(path)
    with suppress(ContainerError):
        # Before the checksum: a newer format may be sealed in another way.
        _refuse_other_formats(name, glance(data))
    try:
        header, arrays = unpack(data)
        _check(header)
    except ContainerError as error:
        raise ModelFileError(f"{name} {error}") from error
    return header, arrays


def _read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of what may be a model file."""
    name = os.fspath(path)
    try:
        # Asked before opening, which would wait for the other end of a pipe.
        status = os.stat(path)
        if stat.S_ISDIR(status.st_mode):
            raise ModelFileError(f"{name} is a folder, not a model file")
        if not stat.S_ISREG(status.st_mode):
            raise ModelFileError(f"{name} is a device or a pipe, not a model file")
        if status.st_size == 0:
            raise ModelFileError(f"{name} is empty, so it is not a model file")
        with open(path, "rb") as file:
            if not seems_packed(file):
                raise ModelFileError(f"{name} is not a model file of sfm-pacbayes")
            return file.read()
    except FileNotFoundError as error:
        raise ModelFileError(f"{name} does not exist") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise ModelFileError(f"cannot read {name}: {reason}") from error


def _refuse_other_formats(name: str, header: Any) -> None:
    if type(header) is not dict or header.get("format") != _FORMAT:
        raise ModelFileError(f"{name} is not a model file of sfm-pacbayes")
    version = header.get("version")
    if type(version) is int and version > FORMAT_VERSION:
        raise ModelFileError(
            f"{name} was written by a newer version (format {version}); "
            f"this one reads up to {FORMAT_VERSION}: upgrade sfm-pacbayes"
        )


def _check(header: dict[str, Any]) -> None:
    """Refuse a header whose parts are not what every model file has."""
    version, kind = header.get("version"), header.get("kind")
    sound = type(version) is int and version > 0 and type(kind) is str and _KIND.fullmatch(kind)
    try:
        if not (sound and all(type(header.get(part)) is dict for part in ("packages", "state"))):
            raise ValueError("bad header")
        _plain(header["state"], "state")
    except (TypeError, ValueError) as error:
        raise ContainerError("is damaged: its content cannot be read") from error


def _a(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiouAEIOU' else 'a'} {kind}"
