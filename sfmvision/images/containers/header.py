"""What is known about an image before its pixels are decoded."""

import struct
from dataclasses import dataclass


class Cut(Exception):  # noqa: N818 - an answer of a parser, which no user sees
    """The data ends before what its container announces."""


class Unusable(Exception):  # noqa: N818
    """The container can't be used; the text is the reason."""


@dataclass(slots=True)
class Header:
    """What the container of an image says, and how its pixels must be decoded.

    Attributes
    ----------
    kind : str
        The container: ``"JPEG"``, ``"PNG"`` and so on.
    width, height : int
        Size before any rotation, in pixels; 0 if it isn't known.
    truncated : bool
        Whether the data ends too early.
    unusable : str
        Why it can't be used; empty if it may be.
    orientation : int
        As in EXIF, 1 to 8, what is still to be applied after OpenCV has decoded.
    white : int
        What OpenCV gives for the brightest value; 0 for the largest of the pixels' type.
    transparent : int
        Grey value, as OpenCV gives it, that means transparent; -1 for none.
    premultiplied : bool
        Whether the colours are multiplied by alpha already.
    only_colour : bool
        Whether OpenCV is right only if it is asked for three channels of 8 bits.
    """

    kind: str
    width: int = 0
    height: int = 0
    truncated: bool = False
    unusable: str = ""
    orientation: int = 1
    white: int = 0
    transparent: int = -1
    premultiplied: bool = False
    only_colour: bool = False


def take(data: bytes, at: int, size: int) -> bytes:
    """Give `size` bytes of the data, or raise Cut if they aren't all there."""
    piece = data[at : at + size]
    if len(piece) < size:
        raise Cut
    return piece


def numbers(layout: str, data: bytes, at: int) -> tuple[int, ...]:
    """Unpack numbers as `struct` describes them, or raise Cut if they aren't all there."""
    return struct.unpack(layout, take(data, at, struct.calcsize(layout)))
