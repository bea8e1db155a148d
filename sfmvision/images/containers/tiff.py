"""TIFF and EXIF, which is TIFF without pixels: the first directory of tags."""

import numpy as np

from sfmvision.images.containers.header import Cut, Header, Unusable, numbers, take

_WIDTH, _HEIGHT, _BITS, _PHOTOMETRIC, _ORIENTATION, _SAMPLES = 256, 257, 258, 262, 274, 277
_PLANAR, _EXTRA, _FORMAT = 284, 338, 339
_PLACES = ((273, 279), (324, 325))  # offsets and sizes of strips, of tiles
_WANTED = {
    *(_WIDTH, _HEIGHT, _BITS, _PHOTOMETRIC, _ORIENTATION, _SAMPLES, _PLANAR, _EXTRA, _FORMAT),
    *(tag for pair in _PLACES for tag in pair),
}
_TYPES = {1: "u1", 3: "u2", 4: "u4", 13: "u4", 16: "u8", 18: "u8"}

_WHITE_IS_ZERO, _GREY, _RGB = 0, 1, 2
_STRAIGHT_ALPHA = 2
_UNSIGNED = 1


def parse(data: bytes, header: Header) -> None:
    """Read the first directory of a TIFF file.

    Parameters
    ----------
    data : bytes
    header : Header
        Is told the size and how to decode. The orientation stays 1, as OpenCV applies it here.

    Raises
    ------
    Cut
        If the directory or some of the pixels lie beyond the end.
    Unusable
        If the size is missing, or OpenCV would read it wrongly.
    """
    tags = read_tags(data)
    if not tags.get(_WIDTH) or not tags.get(_HEIGHT):
        raise Unusable("damaged TIFF: its size is missing")
    header.width, header.height = tags[_WIDTH][0], tags[_HEIGHT][0]

    photometric = tags.get(_PHOTOMETRIC, [_GREY])[0]
    bits = max(tags.get(_BITS, [1]))
    samples = tags.get(_SAMPLES, [1])[0]
    extra = tags.get(_EXTRA, [])
    unsigned = set(tags.get(_FORMAT, [_UNSIGNED])) == {_UNSIGNED} and bits <= 16
    planes = tags.get(_PLANAR, [1])[0] != 1 and samples > 1
    if photometric in (_WHITE_IS_ZERO, _GREY) and samples == 2 and extra[:1] in ([1], [2]):
        raise Unusable("grey TIFF with alpha, which can't be read")  # OpenCV drops the alpha
    header.premultiplied = bits <= 8 or extra[:1] != [_STRAIGHT_ALPHA]
    # OpenCV leaves 16 bits as stored then: black for white, or one plane in place of three.
    header.only_colour = unsigned and (photometric not in (_GREY, _RGB) or planes)
    if not unsigned and (photometric not in (_GREY, _RGB) or planes):
        raise Unusable("unsupported TIFF")

    for offsets, sizes in _PLACES:
        for offset, size in zip(tags.get(offsets, ()), tags.get(sizes, ()), strict=False):
            if offset + size > len(data):
                raise Cut


def read_tags(data: bytes) -> dict[int, list[int]]:
    """Read the first directory's tags that `parse` and `exif_orientation` look at.

    Parameters
    ----------
    data : bytes
        A TIFF or BigTIFF file, or the content of EXIF.

    Returns
    -------
    dict of int to list of int

    Raises
    ------
    Cut
        If the directory or a value lies beyond the end.
    """
    order = "<" if data[:2] == b"II" else ">"
    big = numbers(order + "H", data, 2) == (43,)
    word, count_type = ("Q", "Q") if big else ("I", "H")
    (start,) = numbers(order + word, data, 8 if big else 4)
    (n_tags,) = numbers(order + count_type, data, start)
    start += 8 if big else 2
    tag_size, room = (20, 8) if big else (12, 4)
    tags: dict[int, list[int]] = {}
    for at in range(start, start + n_tags * tag_size, tag_size):
        tag, kind, count = numbers(f"{order}HH{word}", data, at)
        # A tag of no values is as if it were absent.
        if tag not in _WANTED or tag in tags or kind not in _TYPES or not count:
            continue
        stored = np.dtype(order + _TYPES[kind])
        place = at + tag_size - room
        if count * stored.itemsize > room:
            (place,) = numbers(order + word, data, place)
        tags[tag] = np.frombuffer(take(data, place, count * stored.itemsize), stored).tolist()
    return tags


def exif_orientation(exif: bytes) -> int:
    """Read the orientation of EXIF; what isn't valid is as if it were absent.

    Examples
    --------
    >>> exif_orientation(bytes.fromhex("4d4d002a 00000008 0001 0112 0003 00000001 0006 0000"))
    6
    >>> exif_orientation(b"")
    1
    """
    try:
        orientation = read_tags(exif).get(_ORIENTATION) or [1]
    except Cut:
        return 1
    return orientation[0] if 1 <= orientation[0] <= 8 else 1
