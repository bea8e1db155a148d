"""Kinds of image files, recognised by their first bytes."""

import re

from sfmvision.images.errors import Unsupported, Unusable

HEAD = 64
"""Number of bytes that show the kind of a file."""

# How the files begin that are read.
_KINDS = (
    (rb"\xff\xd8\xff", "JPEG"),
    (rb"\x89PNG\r\n\x1a\n", "PNG"),
    (rb"GIF8[79]a", "GIF"),
    (rb"RIFF.{4}WEBP", "WebP"),
    (rb"II[*+]\x00|MM\x00[*+]", "TIFF"),
    (rb"BM", "BMP"),
    (rb".{4}ftypavi[fs]", "AVIF"),
    (rb"P[1-6](\s+\d|\s*#)", "PNM"),
    (rb"Pf\s", "PFM"),
    (rb"\x00\x00\x00\x0cjP  \r\n\x87\n|\xff\x4f\xff\x51", "JPEG 2000"),
    (rb"\x59\xa6\x6a\x95", "Sun raster"),
)
# Images all the same, so that "not an image" would mislead.
_FOREIGN = (
    (rb".{4}ftyp(hei[cxms]|hev[cxms]|mif1|msf1)", "HEIC"),
    (rb"\xff\x0a|\x00\x00\x00\x0cJXL ", "JPEG XL"),
    (rb"8BPS", "Photoshop"),
    (rb"\x00\x00\x01\x00", "icon"),
    (rb"\x76\x2f\x31\x01", "OpenEXR"),
    (rb"P7\s", "PAM"),
    (rb"PF\s", "colour PFM"),
    (rb"#\?(RADIANCE|RGBE)", "Radiance"),
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
    for start, kind in _KINDS:
        if re.match(start, head, re.DOTALL):
            return kind
    for start, kind in _FOREIGN:
        if re.match(start, head, re.DOTALL):
            raise Unsupported(f"{kind} image")
    raise Unusable("not an image")
