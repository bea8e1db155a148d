"""A model file taken apart, and put together again with a seal that holds."""

import hashlib
import io
import json
import struct
import zipfile
from typing import Any

_SEAL = b"sfm-pacbayes sha256 "
_SEAL_SIZE = len(_SEAL) + 64
Members = dict[str, bytes]


def sealed(body: bytes) -> bytes:
    """A zip archive that ends where its comment begins, with the digest as its comment."""
    return body + _SEAL + hashlib.sha256(body).hexdigest().encode()


def resealed(data: bytes) -> bytes:
    """The same bytes with a digest that fits them, whatever was done to them."""
    return sealed(data[:-_SEAL_SIZE])


def opened(data: bytes) -> tuple[Any, Members]:
    """Header of a model file, and its other members as they are."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    return json.loads(members.pop("header.json")), members


def closed(header: Any, members: Members) -> bytes:
    """A model file of a header, which may hold anything, and of members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.comment = bytes(_SEAL_SIZE)
        for name, content in {"header.json": json.dumps(header).encode(), **members}.items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content)
    return sealed(buffer.getvalue()[:-_SEAL_SIZE])


def array_bytes(member: bytes) -> tuple[bytes, bytes]:
    """What comes before the numbers of a .npy member, and the numbers."""
    size = 10 + struct.unpack_from("<H", member, 8)[0]
    return member[:size], member[size:]


def preamble(dtype: str, shape: list[int]) -> bytes:
    """What comes before the numbers in a model file's arrays, which its reader compares."""
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {tuple(shape)!r}, }}"
    size = -(-(10 + len(text) + 1) // 64) * 64 - 10
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", size) + text.ljust(size - 1).encode() + b"\n"
