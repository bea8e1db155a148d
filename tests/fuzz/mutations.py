"""Damage to bytes: what a bad disk, a cut transfer or a hostile sender does to a file."""

import gzip
import struct
import zlib
from random import Random

# Numbers at the edges of the types that lengths and sizes are stored in.
_EDGES = (0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
_BLOCK = 0xFF00  # as much as bgzip puts into one of its blocks
BGZIP_END = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")


def mutated(data: bytes, random: Random, other: bytes = b"") -> bytes:
    """Apply one to four changes; `other` is where foreign blocks come from."""
    for _ in range(random.choice((1, 1, 1, 2, 3, 4))):
        data = random.choice(_CHANGES)(data, random, other)
    return data


def _flipped(data: bytes, random: Random, other: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 8))):
        if changed:
            changed[_place(data, random)] ^= 1 << random.randrange(8)
    return bytes(changed)


def _overwritten(data: bytes, random: Random, other: bytes) -> bytes:
    at, value = _place(data, random), random.choice((0, 0x55, 0xFF, 0x0A, 0x3E, 0x22))
    count = min(random.choice((1, 2, 4, 64)), len(data) - at)
    return data[:at] + bytes([value]) * count + data[at + count :]


def _cut(data: bytes, random: Random, other: bytes) -> bytes:
    return data[: random.randrange(len(data) + 1)]


def _left_out(data: bytes, random: Random, other: bytes) -> bytes:
    at = _place(data, random)
    return data[:at] + data[at + random.choice((1, 2, 4, 16, 100)) :]


def _doubled(data: bytes, random: Random, other: bytes) -> bytes:
    at = _place(data, random)
    block = data[at : at + random.choice((1, 4, 32, 500))]
    return data[:at] + block * random.choice((2, 2, 3, 20)) + data[at + len(block) :]


def _spliced(data: bytes, random: Random, other: bytes) -> bytes:
    at, start = _place(data, random), _place(other, random)
    block = other[start : start + random.choice((2, 8, 64, 1000))]
    return data[:at] + block + data[at + random.choice((0, len(block))) :]


def _resized(data: bytes, random: Random, other: bytes) -> bytes:
    """Put a number at an edge where a length may stand."""
    size = random.choice("BHI")
    at = _place(data, random)
    top = (1 << 8 * struct.calcsize(size)) - 1
    number = min(random.choice(_EDGES), top) if random.random() < 0.8 else random.randrange(top)
    block = struct.pack(random.choice("<>") + size, number)
    return data[:at] + block + data[at + len(block) :]


def _place(data: bytes, random: Random) -> int:
    """A place in the data; headers, which say most, are often met."""
    end = len(data) if random.random() < 0.5 else min(len(data), 64)
    return random.randrange(end) if end else 0


_CHANGES = (_flipped, _overwritten, _cut, _left_out, _doubled, _spliced, _resized)


def packed(data: bytes, random: Random) -> bytes:
    """The data as gzip or bgzip, often damaged."""
    if random.random() < 0.5:
        result = gzip.compress(data, 1, mtime=0)
    else:
        blocks = [data[at : at + _BLOCK] for at in range(0, len(data), _BLOCK)]
        result = b"".join(map(_bgzip_block, blocks))
        result += BGZIP_END if random.random() < 0.7 else b""
    return mutated(result, random, data) if random.random() < 0.5 else result


def _bgzip_block(data: bytes) -> bytes:
    squeezer = zlib.compressobj(1, zlib.DEFLATED, -15)
    body = squeezer.compress(data) + squeezer.flush()
    start = b"\x1f\x8b\x08\x04" + bytes(5) + b"\xff\x06\x00BC\x02\x00"
    start += struct.pack("<H", len(body) + 25)
    return start + body + struct.pack("<II", zlib.crc32(data), len(data))
