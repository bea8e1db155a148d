"""Digests of what a run works on: equal data, equal digest."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np


@runtime_checkable
class Identified(Protocol):
    """Something that can say what makes it what it is."""

    def identity(self) -> Any:
        """Arrays, numbers, text, and lists, tuples and mappings of them."""


def digest_of(value: Any) -> str:
    """SHA-256 of arrays, numbers and text, and of what holds them, 64 hexadecimal digits.

    Parameters
    ----------
    value : object
        None, a number, text, bytes, an array, something that has an `identity`, or lists, tuples
        and mappings of these.

    Raises
    ------
    TypeError
        If it is none of them.

    Examples
    --------
    >>> digest_of(["a", np.arange(3)]) == digest_of(("a", np.arange(3)))
    True
    >>> digest_of(["a", "b"]) == digest_of(["ab"])
    False
    """
    sink = hashlib.sha256()
    _feed(sink, value)
    return sink.hexdigest()


def _feed(sink: Any, value: Any) -> None:
    if isinstance(value, np.ndarray) and value.dtype.kind not in "OV":
        # NumPy's text is as wide as its longest word: the word itself is what counts.
        if value.dtype.kind in "US":
            _feed(sink, value.tolist())
            return
        sink.update(f"array {value.dtype.str} {value.shape};".encode())
        sink.update(np.ascontiguousarray(value).data)
    elif isinstance(value, bytes | bytearray):
        sink.update(f"bytes {len(value)};".encode())
        sink.update(value)
    elif isinstance(value, str):
        text = value.encode("utf-8", "surrogatepass")
        sink.update(f"text {len(text)};".encode())
        sink.update(text)
    elif value is None or isinstance(value, bool | int | float | np.generic):
        plain = value.item() if isinstance(value, np.generic) else value
        sink.update(f"{json.dumps(plain)};".encode())
    elif isinstance(value, Identified):
        _feed(sink, value.identity())
    elif isinstance(value, Mapping):
        sink.update(f"mapping {len(value)};".encode())
        for key in sorted(value):
            _feed(sink, key)
            _feed(sink, value[key])
    elif isinstance(value, Iterable):
        parts = list(value)
        sink.update(f"list {len(parts)};".encode())
        for part in parts:
            _feed(sink, part)
    else:
        raise TypeError(f"a {type(value).__name__} has no digest")
