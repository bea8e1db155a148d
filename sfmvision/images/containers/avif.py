"""AVIF: the boxes that hold its size, its depth and how it is rotated."""

from collections.abc import Iterator

from sfmvision.images.containers.header import Cut, Header, numbers, take

# The way to the properties, and how many bytes a box has before the boxes in it.
_OUTER = ((b"meta", 4), (b"iprp", 0), (b"ipco", 0))
# Quarter turns against the clock, then the axis of a mirror or none: the orientation of EXIF.
_ORIENTATIONS = {
    (0, -1): 1, (0, 1): 2, (2, -1): 3, (0, 0): 4, (1, 0): 5, (3, 1): 5, (3, -1): 6,
    (1, 1): 7, (3, 0): 7, (1, -1): 8, (2, 0): 2, (2, 1): 4,
}  # fmt: skip


def parse(data: bytes, header: Header) -> None:
    """Walk the boxes of an AVIF file; OpenCV applies no rotation here.

    Parameters
    ----------
    data : bytes
    header : Header
        Is told the size, the orientation and the depth.

    Raises
    ------
    Cut
        If a box isn't there to its end.
    """
    turns, mirror = 0, -1
    for name, at in _boxes(data, 0, len(data)):
        if name == b"ispe":
            width, height = numbers(">4xII", data, at)
            # There may be a thumbnail or tiles, which are smaller.
            header.width, header.height = max(
                (header.width, header.height), (width, height), key=lambda size: size[0] * size[1]
            )
        elif name == b"av1C":
            (flags,) = numbers(">2xB", data, at)
            depth = (8, 8, 10, 12)[flags >> 5 & 3]
            header.white = 2**depth - 1
        elif name == b"irot":
            turns = numbers(">B", data, at)[0] & 3
        elif name == b"imir":
            mirror = numbers(">B", data, at)[0] & 1
    header.orientation = _ORIENTATIONS[turns, mirror]


def _boxes(data: bytes, start: int, end: int, depth: int = 0) -> Iterator[tuple[bytes, int]]:
    """Give the name and the start of the content of each box, and of those on the way inside."""
    while start < end:
        (size,) = numbers(">I", data, start)
        name, content = take(data, start + 4, 4), start + 8
        if size == 1:
            (size,) = numbers(">Q", data, content)
            content += 8
        elif size == 0:
            size = end - start
        if start + size > end or start + size < content:
            raise Cut
        yield name, content
        if depth < len(_OUTER) and name == _OUTER[depth][0]:
            yield from _boxes(data, content + _OUTER[depth][1], start + size, depth + 1)
        start += size
