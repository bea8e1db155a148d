"""Which container an image has, and what it says before its pixels are decoded."""

import re
from collections.abc import Callable

from sfmvision.images.containers import avif, jpeg, others, png, tiff
from sfmvision.images.containers.header import Cut, Header, Unusable

HEAD = 64
"""How many bytes tell what kind of file it is."""

Parser = Callable[[bytes, Header], None]

# How the files begin that OpenCV decodes.
_KINDS: tuple[tuple[bytes, str, Parser], ...] = (
    (rb"\xff\xd8\xff", "JPEG", jpeg.parse),
    (rb"\x89PNG\r\n\x1a\n", "PNG", png.parse),
    (rb"GIF8[79]a", "GIF", others.parse_gif),
    (rb"RIFF.{4}WEBP", "WebP", others.parse_webp),
    (rb"II[*+]\x00|MM\x00[*+]", "TIFF", tiff.parse),
    (rb"BM", "BMP", others.parse_bmp),
    (rb".{4}ftypavi[fs]", "AVIF", avif.parse),
    (rb"P[1-6][\s#]", "PNM", others.parse_pnm),
    (rb"P[Ff]\s", "PFM", others.parse_pfm),
    (rb"\x00\x00\x00\x0cjP  \r\n\x87\n|\xff\x4f\xff\x51", "JPEG 2000", others.parse_jpeg_2000),
    (rb"#\?(RADIANCE|RGBE)", "Radiance", others.parse_radiance),
    (rb"\x59\xa6\x6a\x95", "Sun raster", others.parse_sun),
)
# Images all the same, so that "not an image" would mislead.
_FOREIGN = (
    (rb".{4}ftyp(hei[cxms]|hev[cxms]|mif1|msf1)", "HEIC"),
    (rb"\xff\x0a|\x00\x00\x00\x0cJXL ", "JPEG XL"),
    (rb"8BPS", "Photoshop"),
    (rb"\x00\x00\x01\x00", "icon"),
    (rb"\x76\x2f\x31\x01", "OpenEXR"),
    (rb"P7\s", "PAM"),
    (rb"\s*(<\?xml[^>]*>\s*)?<svg", "SVG"),
)


def kind_of(head: bytes) -> str:
    r"""Name the container by the first `HEAD` bytes of a file.

    Parameters
    ----------
    head : bytes

    Returns
    -------
    str
        The container, such as ``"JPEG"``.

    Raises
    ------
    Unusable
        If it is none that can be read.

    Examples
    --------
    >>> kind_of(b"GIF89a\1\0\1\0")
    'GIF'
    """
    if not head:
        raise Unusable("empty file")
    for start, kind, _ in _KINDS:
        if re.match(start, head, re.DOTALL):
            return kind
    for start, kind in _FOREIGN:
        if re.match(start, head, re.DOTALL):
            raise Unusable(f"{kind} image, which can't be read")
    raise Unusable("not an image")


def examine(data: bytes) -> Header:
    r"""Read what the container of an image says, and whether the data is whole.

    Parameters
    ----------
    data : bytes
        A file's content.

    Returns
    -------
    Header
        With `unusable` or `truncated` set if it isn't an image or not a whole one.

    Examples
    --------
    >>> header = examine(b"P5 3 2 255\n" + bytes(5))
    >>> header.kind, header.width, header.height, header.truncated
    ('PNM', 3, 2, True)
    """
    header = Header("")
    try:
        header.kind = kind_of(data[:HEAD])
        next(parse for _, kind, parse in _KINDS if kind == header.kind)(data, header)
    except Cut:
        header.truncated = True
    except Unusable as reason:
        header.unusable = str(reason)
    return header


def for_opencv(data: bytes, header: Header) -> bytes:
    """Give the same image so that OpenCV reads it in silence, and a truncated one with an end."""
    if header.kind == "PNG":
        return png.pixels_only(data)
    if not header.truncated:
        return data
    return data + {"JPEG": jpeg.END, "GIF": others.GIF_END}.get(header.kind, b"")
