"""An image that Pillow has opened: how its pixels are meant, before they are decoded."""

import sys
from collections.abc import Callable
from dataclasses import dataclass

from PIL.ImageFile import ImageFile

from sfmvision.images.errors import Unusable

_SWAPPED = {"16L": "16B", "16B": "16L", "16N": "16B" if sys.byteorder == "little" else "16L"}


@dataclass
class Picture:
    """An image, and what Pillow's mode doesn't say about its pixels.

    Attributes
    ----------
    image : ImageFile
    lower : ImageFile or None
        The same with the lower bytes of 16 bits where `image` has the higher.
    white : int
        The brightest value.
    inverted : bool
        Whether 0 is white.
    key : tuple of int
        The value of transparent pixels; empty for none.
    packed : bool
        Whether red, green, blue and alpha are the two bytes of grey and the two of alpha.
    opaque : bool
        Whether a fourth channel is something else than alpha.
    premultiplied : bool
        Whether the colours are multiplied by alpha already.
    orientation : int
        As in EXIF, 1 to 8.
    covered : (int, int, int, int) or None
        Left, top, right and bottom of the part that has pixels; None for all.
    check : callable or None
        Called once the pixels are decoded.
    """

    image: ImageFile
    lower: ImageFile | None = None
    white: int = 255
    inverted: bool = False
    key: tuple[int, ...] = ()
    packed: bool = False
    opaque: bool = False
    premultiplied: bool = False
    orientation: int = 1
    covered: tuple[int, int, int, int] | None = None
    check: Callable[[], None] | None = None

    def load(self) -> None:
        """Decode the pixels.

        Raises
        ------
        Unusable
            If there is a colour that isn't in the palette.
        """
        palette, n_colours = self.image.palette, 0
        if palette is not None and palette.mode:
            size = 4 if palette.rawmode == "BGRX" else len(palette.mode)
            n_colours = len(palette.palette) // size
        self.image.load()
        if self.lower is not None:
            self.lower.load()
        if self.check is not None:
            self.check()
        if self.image.mode == "P":
            brightest = self.image.getextrema()[1]
            assert isinstance(brightest, int | float)
            if brightest >= n_colours:
                raise Unusable("damaged image: a colour that isn't in its palette")


def decode_as(image: ImageFile, change: Callable[[str], str]) -> None:
    """Change how the decoders of an image unpack its pixels.

    Parameters
    ----------
    image : ImageFile
    change : callable
        Takes a raw mode of Pillow and returns another.
    """
    tiles = []
    for tile in image.tile:
        args = tile.args
        assert args is not None
        changed = change(args) if isinstance(args, str) else (change(args[0]), *args[1:])
        tiles.append(type(tile)(tile.codec_name, tile.extents, tile.offset, changed))
    image.tile = tiles


def lower_bytes(image: ImageFile) -> ImageFile:
    """Have the lower bytes of 16 bits unpacked: where the higher are in the other order.

    Pillow has no image of several channels of 16 bits, and gives the higher bytes.

    Parameters
    ----------
    image : ImageFile
        With raw modes such as ``"RGB;16B"``.
    """
    decode_as(image, lambda mode: mode[:-3] + _SWAPPED[mode[-3:]])
    return image
