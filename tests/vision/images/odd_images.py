"""A corpus of odd image files, made byte by byte, with what each must be read as.

What is expected is computed from the pixels that a file was made of and from what its format says,
never by a decoder. ``python -m tests.vision.images.odd_images FOLDER`` writes them all.
"""

import struct
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

CONVERT = "which can't be read: convert it to PNG"
WIDTH, HEIGHT = 7, 5


@dataclass(frozen=True)
class Odd:
    """A file, and what must come of it: pixels within a tolerance, or a refusal."""

    name: str
    data: bytes
    expected: np.ndarray | str
    tolerance: int = 0


def pattern(channels: int, largest: int = 255, width: int = WIDTH, height: int = HEIGHT):
    """Values from 0 to `largest`, both of which occur."""
    random = np.random.default_rng([channels, largest, width, height])
    values = random.integers(0, largest + 1, (height, width, channels))
    values[0, 0], values[0, 1] = 0, largest
    return values


def scaled(values, largest: int):
    """From 0..largest to 0..255, the nearest."""
    return (np.asarray(values, np.int64) * 255 * 2 + largest) // (2 * largest)


def rgb(values):
    """Three channels of grey or of colours."""
    values = np.asarray(values)
    return values if values.shape[2] == 3 else np.repeat(values[..., :1], 3, axis=2)


def on_white(colours, alpha):
    """Colours from 0 to 255 under alpha from 0 to 1."""
    return np.rint(rgb(colours) * alpha + 255 * (1 - alpha)).astype(int)


def turned(image, orientation: int):
    """As EXIF says, by its table: where the first row and the first column go."""
    sides = {  # first row is at the ..., first column at the ...
        1: "top left", 2: "top right", 3: "bottom right", 4: "bottom left",
        5: "left top", 6: "right top", 7: "right bottom", 8: "left bottom",
    }  # fmt: skip
    row, column = sides[orientation].split()
    if row in ("left", "right"):
        image = np.transpose(image, (1, 0, 2))
    if "bottom" in (row, column):
        image = image[::-1]
    if "right" in (row, column):
        image = image[:, ::-1]
    return image


def packed(rows, bits: int) -> list[bytes]:
    """Rows of values of fewer than 8 bits, the first in the highest bits."""
    result = []
    for row in np.asarray(rows).reshape(len(rows), -1):
        digits = "".join(f"{value:0{bits}b}" for value in row)
        digits += "0" * (-len(digits) % 8)
        result.append(bytes(int(digits[at : at + 8], 2) for at in range(0, len(digits), 8)))
    return result


def stored(values, bits: int, order: str = ">") -> list[bytes]:
    """Rows of values as bytes."""
    if bits < 8:
        return packed(values, bits)
    return [np.asarray(row).astype(f"{order}u{bits // 8}").tobytes() for row in values]


def exif(orientation: int, order: str = ">") -> bytes:
    mark = b"MM\0*" if order == ">" else b"II*\0"
    return mark + struct.pack(f"{order}IHHHIHHI", 8, 1, 274, 3, 1, orientation, 0, 0)


# PNG


def chunk(name: bytes, body: bytes, damage: int = 0) -> bytes:
    return (
        struct.pack(">I4s", len(body), name)
        + body
        + struct.pack(">I", zlib.crc32(name + body) ^ damage)
    )


def png(
    rows: list[bytes], depth: int, colour: int, before=b"", after=b"", *,
    width: int = WIDTH, height: int = HEIGHT, interlace: int = 0, filtered: bool = False,
) -> bytes:  # fmt: skip
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlace)
    body = b"".join(rows) if filtered else b"".join(b"\0" + row for row in rows)
    pixels = chunk(b"IDAT", zlib.compress(body))
    start = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
    return start + before + pixels + after + chunk(b"IEND", b"")


def filter_rows(rows: list[bytes], kind: int, step: int) -> list[bytes]:
    """Filter the rows of a PNG; `step` is the bytes of a pixel."""
    result, above = [], bytes(len(rows[0]))
    for row in rows:
        line = bytearray([kind])
        for at, value in enumerate(row):
            left, up = row[at - step] if at >= step else 0, above[at]
            corner = above[at - step] if at >= step else 0
            guess = left + up - corner
            paeth = min((left, up, corner), key=lambda near: abs(guess - near))
            line.append((value - (0, left, up, (left + up) // 2, paeth)[kind]) % 256)
        result.append(bytes(line))
        above = row
    return result


ADAM7 = (
    (0, 0, 8, 8),
    (0, 4, 8, 8),
    (4, 0, 8, 4),
    (0, 2, 4, 4),
    (2, 0, 4, 2),
    (0, 1, 2, 2),
    (1, 0, 2, 1),
)


def interlaced(values, bits: int) -> list[bytes]:
    rows = []
    for top, left, down, right in ADAM7:
        part = values[top::down, left::right]
        if part.size:
            rows += stored(part, bits)
    return rows


def pngs() -> Iterator[Odd]:
    for depth in (1, 2, 4, 8, 16):
        largest = 2**depth - 1
        grey = pattern(1, largest)
        seen = rgb(scaled(grey, largest))
        rows = stored(grey, depth)
        yield Odd(f"grey-{depth}.png", png(rows, depth, 0), seen)
        key = int(grey[2, 3, 0])
        hidden = np.where(grey == key, 255, seen)
        yield Odd(
            f"grey-{depth}-key.png",
            png(rows, depth, 0, chunk(b"tRNS", struct.pack(">H", key))),
            hidden,
        )
    for depth in (8, 16):
        largest = 2**depth - 1
        colours = pattern(3, largest)
        colours[1] = colours[2, 3] ^ [0, 0, 1]  # nearly the key
        rows, seen = stored(colours, depth), scaled(colours, largest)
        hidden = np.where((colours == colours[2, 3]).all(axis=2)[..., None], 255, seen)
        key = struct.pack(">3H", *colours[2, 3].tolist())
        yield Odd(f"rgb-{depth}.png", png(rows, depth, 2), seen)
        yield Odd(f"rgb-{depth}-key.png", png(rows, depth, 2, chunk(b"tRNS", key)), hidden)
        for colour, channels in ((4, 2), (6, 4)):
            values = pattern(channels, largest)
            expected = on_white(scaled(values[..., :-1], largest), values[..., -1:] / largest)
            yield Odd(
                f"alpha-{colour}-{depth}.png",
                png(stored(values, depth), depth, colour),
                expected,
                1,
            )
        for kind in range(5):
            line = filter_rows(rows, kind, 3 * depth // 8)
            yield Odd(f"filter-{kind}-{depth}.png", png(line, depth, 2, filtered=True), seen)
        yield Odd(
            f"adam7-{depth}.png", png(interlaced(colours, depth), depth, 2, interlace=1), seen
        )
    for depth in (1, 2, 4, 8):
        n_colours = min(2**depth, 6)
        palette = pattern(3, 255, n_colours, 1)[0]
        numbers = pattern(1, n_colours - 1)
        entries = chunk(b"PLTE", palette.astype(np.uint8).tobytes())
        rows, seen = stored(numbers, depth), palette[numbers[..., 0]]
        yield Odd(f"palette-{depth}.png", png(rows, depth, 3, entries), seen)
        alpha = np.full(n_colours, 255)
        alpha[:2] = 0, 99
        clear = chunk(b"tRNS", bytes(alpha[:2].tolist()))
        expected = on_white(seen, (alpha / 255)[numbers])
        yield Odd(f"palette-{depth}-alpha.png", png(rows, depth, 3, entries + clear), expected, 1)
    grey = pattern(1)
    rows, seen = stored(grey, 8), rgb(grey)
    yield Odd("adam7-1.png", png(interlaced(grey % 2, 1), 1, 0, interlace=1), rgb(grey % 2 * 255))
    for orientation, order in product(range(1, 9), "<>"):
        body = chunk(b"eXIf", exif(orientation, order))
        name = "big" if order == ">" else "little"
        yield Odd(
            f"exif-{orientation}-{name}.png", png(rows, 8, 0, body), turned(seen, orientation)
        )
    yield Odd("exif-after.png", png(rows, 8, 0, after=chunk(b"eXIf", exif(6))), turned(seen, 6))
    yield Odd("exif-9.png", png(rows, 8, 0, chunk(b"eXIf", exif(9))), seen)
    yield Odd("exif-cut.png", png(rows, 8, 0, chunk(b"eXIf", exif(6)[:19])), seen)
    yield Odd("exif-sum.png", png(rows, 8, 0, chunk(b"eXIf", exif(6), 1)), seen)
    yield Odd("text-sum.png", png(rows, 8, 0, chunk(b"tEXt", b"key\0value", 1)), seen)
    bomb = chunk(b"zTXt", b"key\0\0" + zlib.compress(bytes(3_000_000)))
    yield Odd("text-bomb.png", png(rows, 8, 0, bomb), seen)
    yield Odd("profile.png", png(rows, 8, 0, chunk(b"iCCP", b"not a profile")), seen)
    yield Odd("gamma.png", png(rows, 8, 0, chunk(b"gAMA", struct.pack(">I", 20000))), seen)
    clear = chunk(b"tRNS", b"\0\7")
    for name, before in (("PLTE", chunk(b"PLTE", bytes(6), 1)), ("tRNS", clear[:-1] + b"!")):
        data = png(packed(grey % 2, 1), 1, 3 if name == "PLTE" else 0, before)
        yield Odd(f"{name}-sum.png", data, f"damaged PNG: wrong checksum of {name}")
    whole = png(rows, 8, 0)
    for name, at in (("IHDR", 32), ("IDAT", -13), ("IEND", -1)):
        data = bytearray(whole)
        data[at] ^= 1
        yield Odd(f"{name}-sum.png", bytes(data), f"damaged PNG: wrong checksum of {name}")
    yield Odd("no-end.png", whole[:-12], "truncated PNG")
    yield Odd("half.png", whole[: len(whole) * 2 // 3], "truncated PNG")
    yield Odd("more.png", whole + b"\0further bytes", seen)
    few = png(rows[:3], 8, 0)
    yield Odd("few-rows.png", few, "truncated PNG")
    yield Odd("no-pixels.png", whole[:33] + chunk(b"IEND", b""), "damaged or unsupported PNG")
    yield Odd("late.png", whole[:8] + clear + whole[8:], "damaged PNG: IHDR isn't the first chunk")
    yield Odd("no-width.png", png(rows, 8, 0, width=0), "damaged or unsupported PNG")
    yield Odd("depth-3.png", png(rows, 3, 0), "damaged or unsupported PNG")
    body = zlib.compress(b"".join(b"\0" + row for row in rows))
    split = b"".join(chunk(b"IDAT", body[at : at + 5]) for at in range(0, len(body), 5))
    yield Odd("split.png", whole[:33] + split + chunk(b"IEND", b""), seen)
    moving = chunk(b"acTL", struct.pack(">2I", 1, 0))
    frame = chunk(b"fcTL", struct.pack(">5I2H2B", 0, WIDTH, HEIGHT, 0, 0, 1, 1, 0, 0))
    frame += chunk(b"fdAT", struct.pack(">I", 1) + zlib.compress(bytes((WIDTH + 1) * HEIGHT)))
    yield Odd("apng.png", png(rows, 8, 0, moving, frame), seen)
    missing = "damaged image: a colour that isn't in its palette"
    yield Odd("beyond.png", png(rows, 8, 3, chunk(b"PLTE", bytes(9))), missing)
    yield Odd("no-palette.png", png(rows, 8, 3), missing)


# BMP


def bmp(
    rows: list[bytes], bits: int, palette=b"", *, size: int = 40, compression: int = 0, masks=(),
    colours: int = 0, down: bool = False, width: int = WIDTH, height: int = HEIGHT, shift: int = 0,
) -> bytes:  # fmt: skip
    rows = rows if compression in (1, 2) else [row + bytes(-len(row) % 4) for row in rows]
    body = b"".join(rows if down or compression in (1, 2) else rows[::-1])
    if size == 12:
        header = struct.pack("<IHHHH", 12, width, height, 1, bits)
    else:
        tall = -height if down else height
        header = struct.pack(
            "<IiiHHIIiiII", size, width, tall, 1, bits, compression, len(body), 0, 0, colours, 0
        )
    extra = struct.pack(f"<{len(masks)}I", *masks)
    header = (header + extra).ljust(size, b"\0")
    start = 14 + len(header) + len(palette) + shift
    end = 14 + len(header) + len(palette) + len(body)
    return b"BM" + struct.pack("<IHHI", end, 0, 0, start) + header + palette + body


def with_masks(values, masks, bits: int) -> list[bytes]:
    """Rows of pixels, each channel of 8 bits put where its mask is."""
    words = np.zeros(values.shape[:2], np.uint64)
    for channel, mask in enumerate(masks):
        if mask:
            low = (mask & -mask).bit_length() - 1
            wide = mask >> low
            words |= (values[..., channel].astype(np.uint64) * wide // 255) << np.uint64(low)
    return stored(words[..., None], bits, "<")


def entries(colours, size: int = 4) -> bytes:
    """A palette of blue, green, red and perhaps a byte more."""
    return b"".join(bytes([*colour[::-1]]).ljust(size, b"\0") for colour in colours.tolist())


def bmps() -> Iterator[Odd]:
    colours = pattern(3)
    blue_first = stored(colours[..., ::-1], 8)
    for size in (12, 40, 52, 56, 64, 108, 124):
        yield Odd(f"header-{size}-24.bmp", bmp(blue_first, 24, size=size), colours)
    yield Odd("down.bmp", bmp(blue_first, 24, down=True), colours)
    filler = np.dstack([colours[..., ::-1], np.zeros((HEIGHT, WIDTH), int)])
    yield Odd("32.bmp", bmp(stored(filler, 8), 32), colours)
    five = with_masks(colours, (0x7C00, 0x3E0, 0x1F), 16)
    about_five = colours * 31 // 255 * 255 / 31
    yield Odd("16.bmp", bmp(five, 16), about_five, 1)
    for bits, size in product((1, 4, 8), (12, 40, 108)):
        n_colours = 2**bits
        palette = pattern(3, 255, n_colours, 1)[0]
        numbers = pattern(1, n_colours - 1)
        table = entries(palette, 3 if size == 12 else 4)
        data = bmp(packed(numbers, bits), bits, table, size=size)
        yield Odd(f"palette-{bits}-{size}.bmp", data, palette[numbers[..., 0]])
        data = bmp(packed(numbers, bits), bits, table, size=size, shift=-6)
        early = "damaged BMP: its pixels begin before its palette or header ends"
        yield Odd(f"early-{bits}-{size}.bmp", data, early)
    palette = pattern(3, 255, 5, 1)[0]
    numbers = pattern(1, 4)
    data = bmp(stored(numbers, 8), 8, entries(palette), colours=5)
    yield Odd("few-colours.bmp", data, palette[numbers[..., 0]])
    data = bmp(stored(numbers + 1, 8), 8, entries(palette), colours=5)
    yield Odd("beyond.bmp", data, "damaged image: a colour that isn't in its palette")
    ramp = np.repeat(np.arange(256)[:, None], 3, axis=1)
    greys = pattern(1)
    yield Odd("grey-8.bmp", bmp(stored(greys, 8), 8, entries(ramp)), rgb(greys))
    yield Odd(
        "black-and-white.bmp",
        bmp(packed(greys % 2, 1), 1, entries(ramp[[0, 255]])),
        rgb(greys % 2 * 255),
    )
    data = bmp(packed(greys % 2, 1), 1, entries(ramp[[255, 0]]))
    yield Odd("white-and-black.bmp", data, rgb(255 - greys % 2 * 255))
    data = bmp(stored(greys % 2, 8), 8, entries(ramp[[0, 255]]), colours=2)
    yield Odd("two-greys.bmp", data, f"BMP of 8 bits with 2 greys, {CONVERT}")
    data = bmp(packed(greys % 16, 4), 4, entries(ramp[:16]))
    yield Odd("dark.bmp", data, f"BMP of 4 bits with 16 greys, {CONVERT}")

    red, green, blue = 0xFF0000, 0xFF00, 0xFF
    readable = {
        "usual": (red, green, blue),
        "high": (red << 8, green << 8, blue << 8),
    }
    for (name, masks), size in product(readable.items(), (40, 52)):
        data = bmp(with_masks(colours, masks, 32), 32, size=size, compression=3, masks=masks)
        yield Odd(f"masks-{name}-{size}.bmp", data, colours)
    four = pattern(4)
    for name, masks in {
        "usual": (red, green, blue, 0xFF000000),
        "swapped": (blue, green, red, 0xFF000000),
        "high": (red << 8, green << 8, blue << 8, 0xFF),
    }.items():
        for size in (56, 108, 124):
            data = bmp(with_masks(four, masks, 32), 32, size=size, compression=3, masks=masks)
            expected = on_white(four[..., :3], four[..., 3:] / 255)
            yield Odd(f"masks-alpha-{name}-{size}.bmp", data, expected, 1)
    for name, masks in {"565": (0xF800, 0x7E0, 0x1F), "555": (0x7C00, 0x3E0, 0x1F)}.items():
        data = bmp(with_masks(colours, masks, 16), 16, compression=3, masks=masks)
        levels = np.array([31, 63 if name == "565" else 31, 31])
        yield Odd(f"masks-{name}.bmp", data, colours * levels // 255 * 255 / levels, 1)
    for name, size, bits, masks in (
        ("swapped", 40, 32, (blue, green, red)),
        ("swapped", 52, 32, (blue, green, red)),
        ("ten", 40, 32, (0x3FF00000, 0xFFC00, 0x3FF)),
        ("none", 40, 32, (0, 0, 0)),
        ("444", 40, 16, (0xF00, 0xF0, 0xF)),
        ("5551", 56, 16, (0x7C00, 0x3E0, 0x1F, 0x8000)),
        ("4444", 108, 16, (0xF00, 0xF0, 0xF, 0xF000)),
    ):
        data = bmp(with_masks(four, masks, bits), bits, size=size, compression=3, masks=masks)
        shown = " ".join(f"{mask:x}" for mask in masks)
        yield Odd(
            f"masks-{name}-{size}-refused.bmp", data, f"BMP with the masks {shown}, {CONVERT}"
        )
    runs = [b"\7\3\0\0", b"\3\1\4\2\0\0", b"\0\7\4\3\2\1\0\1\2\0\0\0", b"\7\0\0\0", b"\7\4\0\1"]
    rows = [[3] * 7, [1] * 3 + [2] * 4, [4, 3, 2, 1, 0, 1, 2], [0] * 7, [4] * 7]
    data = bmp(runs, 8, entries(palette), compression=1, colours=5)
    yield Odd("rle8.bmp", data, palette[np.array(rows)][::-1])
    yield Odd(
        "rle8-short.bmp",
        bmp([b"\7\3\0\1"], 8, entries(palette), compression=1, colours=5),
        "truncated BMP",
    )
    data = bmp([b"\7\x31\0\1"], 4, entries(palette), compression=2, colours=5)
    yield Odd("rle4.bmp", data, f"BMP of 4 bits, packed, {CONVERT}")
    for compression, what in ((4, "JPEG"), (5, "PNG"), (6, "compression 6")):
        data = bmp(blue_first, 24, compression=compression)
        yield Odd(f"inside-{compression}.bmp", data, f"BMP with {what} inside, {CONVERT}")
    data = bmp(blue_first, 24, size=64, compression=3)
    yield Odd("os2-huffman.bmp", data, f"BMP with compression 3 inside, {CONVERT}")
    yield Odd("runs-24.bmp", bmp(blue_first, 24, compression=1), "damaged BMP: runs of 24 bits")
    data = b"BM" + struct.pack("<IHHI", 0, 0, 0, 30) + struct.pack("<IIIHH", 16, 7, 5, 1, 24)
    what = f"BMP with an OS/2 header of 16 bytes, {CONVERT}"
    yield Odd("header-16.bmp", data + b"".join(blue_first), what)
    yield Odd(
        "two-bits.bmp",
        bmp(packed(numbers % 4, 2), 2, entries(palette[:4])),
        f"BMP of 2 bits, {CONVERT}",
    )
    yield Odd("cut.bmp", bmp(blue_first, 24)[:-9], "truncated BMP")
    yield Odd("more.bmp", bmp(blue_first, 24) + b"further", colours)
    yield Odd("no-offset.bmp", bmp(blue_first, 24, shift=-54), early)


# TIFF


def tiff(
    planes: list[list[bytes]], tags: dict[int, list[int]], *, order: str = "<", big: bool = False,
    rows_per_strip: int = HEIGHT, compress: Callable[[bytes], bytes] = bytes,
) -> bytes:  # fmt: skip
    """Strips of rows, plane by plane, and a directory; tags are short numbers or long ones."""
    mark = b"II" if order == "<" else b"MM"
    data = mark + struct.pack(
        f"{order}HHHQ" if big else f"{order}HI", *((43, 8, 0, 0) if big else (42, 0))
    )
    strips = [
        compress(b"".join(rows[at : at + rows_per_strip]))
        for rows in planes
        for at in range(0, len(rows), rows_per_strip)
    ]
    places = []
    for strip in strips:
        places.append(len(data))
        data += strip + bytes(len(strip) % 2)
    known = {256: [WIDTH], 257: [HEIGHT], 259: [1], 278: [rows_per_strip]}
    known |= {273: places, 279: [len(strip) for strip in strips]}
    listed = b""
    known |= tags
    word, room = ("Q", 8) if big else ("I", 4)
    for tag, values in sorted(known.items()):
        if not values:
            continue
        kind = 4 if max(values) > 65535 or tag in (273, 279) else 3
        body = struct.pack(f"{order}{len(values)}{'I' if kind == 4 else 'H'}", *values)
        if len(body) > room:
            data, body = data + body + bytes(len(body) % 2), struct.pack(order + word, len(data))
        listed += struct.pack(f"{order}HH{word}", tag, kind, len(values)) + body.ljust(room, b"\0")
    n_tags = sum(1 for values in known.values() if values)
    start, data = len(data), data + struct.pack(order + ("Q" if big else "H"), n_tags) + listed
    data += bytes(8)
    at = 8 if big else 4
    return data[:at] + struct.pack(order + word, start) + data[at + room :]


def tiff_of(values, bits: int, colours: int, *, separate: bool = False, order: str = "<", **more):
    """A TIFF of whole numbers, all channels together or each in its plane."""
    values = np.asarray(values)
    n_channels = values.shape[2]
    planes = [values[..., [k]] for k in range(n_channels)] if separate else [values]
    tags = {258: [bits] * n_channels, 262: [colours], 277: [n_channels]}
    tags |= {284: [2 if separate else 1]} | more.pop("tags", {})
    return tiff([stored(plane, bits, order) for plane in planes], tags, order=order, **more)


def flipped(data: bytes) -> bytes:
    """The bits of each byte in the other order."""
    return bytes(int(f"{byte:08b}"[::-1], 2) for byte in data)


def pack_bits(data: bytes) -> bytes:
    return b"".join(
        bytes([len(data[at : at + 9]) - 1]) + data[at : at + 9] for at in range(0, len(data), 9)
    )


def tiffs() -> Iterator[Odd]:
    orders = {"<": "little", ">": "big"}
    for bits, order, colours in product((1, 2, 4, 8, 16), orders, (0, 1)):
        largest = 2**bits - 1
        grey = pattern(1, largest)
        seen = rgb(scaled(grey if colours else largest - grey, largest))
        data = tiff_of(grey, bits, colours, order=order, rows_per_strip=2)
        unknown = (bits, order, colours) == (16, ">", 0)
        refused = f"TIFF of 16 bits whose 0 is white in the byte order MM, {CONVERT}"
        expected = refused if unknown else seen
        yield Odd(f"grey-{bits}-{orders[order]}-{colours}.tif", data, expected, 1)
    for bits, order, separate in product((8, 16), orders, (False, True)):
        largest = 2**bits - 1
        name = f"{bits}-{orders[order]}{'-planes' if separate else ''}"
        values = pattern(3, largest)
        data = tiff_of(values, bits, 2, order=order, separate=separate, rows_per_strip=2)
        yield Odd(f"rgb-{name}.tif", data, scaled(values, largest))
        for extra in (0, 1, 2, None):
            four = pattern(4, largest)
            alpha = four[..., 3:] / largest
            if extra == 1:
                four[..., :3] = four[..., :3] * alpha
            tags = {338: [] if extra is None else [extra]}
            data = tiff_of(four, bits, 2, order=order, separate=separate, tags=tags)
            seen = scaled(four[..., :3], largest)
            if extra == 1:
                expected = np.minimum(seen + 255 - scaled(four[..., 3:], largest), 255)
            elif extra == 2:
                expected = on_white(seen, alpha)
            else:
                expected = seen
            if separate and extra == 0:
                expected = f"TIFF of separate planes with further samples, {CONVERT}"
            yield Odd(f"extra-{extra}-{name}.tif", data, expected, 1)
    values = pattern(3)
    together = {258: [8] * 3, 262: [2], 277: [3]}
    rows = stored(values, 8)
    deflate = tiff([rows], together | {259: [8]}, compress=zlib.compress, rows_per_strip=2)
    yield Odd("deflate.tif", deflate, values)
    yield Odd("packbits.tif", tiff([rows], together | {259: [32773]}, compress=pack_bits), values)
    steps = np.diff(values, axis=1, prepend=0) % 256
    data = tiff([stored(steps, 8)], together | {259: [8], 317: [2]}, compress=zlib.compress)
    yield Odd("predictor.tif", data, values)
    wide = pattern(3, 65535)
    for order in orders:
        tags = {258: [16] * 3, 262: [2], 277: [3], 259: [8]}
        data = tiff([stored(wide, 16, order)], tags, order=order, compress=zlib.compress)
        yield Odd(f"deflate-16-{orders[order]}.tif", data, scaled(wide, 65535))
    for bits, image in ((8, values), (16, wide)):
        tags = {258: [bits] * 3, 262: [2], 277: [3], 284: [2], 259: [8]}
        planes = [stored(image[..., [k]], bits, "<") for k in range(3)]
        data = tiff(planes, tags, compress=zlib.compress)
        refused = f"TIFF of separate planes of 16 bits, compressed, {CONVERT}"
        yield Odd(f"deflate-{bits}-planes.tif", data, values if bits == 8 else refused)
    grey = pattern(1)
    for bits in (1, 8):
        part = [flipped(row) for row in stored(grey % 2**bits, bits)]
        data = tiff([part], {258: [bits], 262: [1], 277: [1], 266: [2]})
        yield Odd(f"fill-order-{bits}.tif", data, rgb(scaled(grey % 2**bits, 2**bits - 1)))
    for order in orders:
        data = tiff_of(values, 8, 2, order=order, big=True)
        refused = f"TIFF of 64 bits in the byte order MM, {CONVERT}"
        yield Odd(f"bigtiff-{orders[order]}.tif", data, values if order == "<" else refused)
    for orientation in range(1, 9):
        data = tiff_of(values, 8, 2, tags={274: [orientation]})
        yield Odd(f"orientation-{orientation}.tif", data, turned(values, orientation))
    yield Odd(
        "orientation-16.tif", tiff_of(wide, 16, 2, tags={274: [6]}), turned(scaled(wide, 65535), 6)
    )
    for bits in (1, 2, 4, 8):
        palette = pattern(3, 255, 2**bits, 1)[0]
        numbers = pattern(1, 2**bits - 1)
        table = {320: (palette.T * 257).ravel().tolist()}
        data = tiff_of(numbers, bits, 3, tags=table)
        yield Odd(f"palette-{bits}.tif", data, palette[numbers[..., 0]])
    table = {320: palette.T.ravel().tolist()}
    refused = f"TIFF whose palette has 8 bits instead of 16, {CONVERT}"
    yield Odd("palette-narrow.tif", tiff_of(numbers, 8, 3, tags=table), refused)
    inks = pattern(4)
    seen = (255 - inks[..., :3]) * (255 - inks[..., 3:]) / 255
    for separate in (False, True):
        name = "cmyk-planes.tif" if separate else "cmyk.tif"
        yield Odd(name, tiff_of(inks, 8, 5, separate=separate), seen, 1)
    refused = f"TIFF of inks, other than CMYK of 8 bits, {CONVERT}"
    yield Odd("cmyk-16.tif", tiff_of(inks * 257, 16, 5), refused)
    yield Odd("inks.tif", tiff_of(inks, 8, 5, tags={332: [2]}), refused)
    pair = pattern(2)
    for order in orders:
        data = tiff_of(pair, 8, 1, order=order, tags={338: [2]})
        expected = on_white(pair[..., :1], pair[..., 1:] / 255)
        yield Odd(f"grey-alpha-{orders[order]}.tif", data, expected, 1)
    for bits, colours, extra in ((16, 1, 2), (8, 1, 0), (8, 1, 1), (8, 0, 2)):
        data = tiff_of(pair * (257 if bits == 16 else 1), bits, colours, tags={338: [extra]})
        what = "other than 8 bits whose 0 is black, not multiplied"
        refused = f"TIFF of grey and alpha, {what}, {CONVERT}"
        yield Odd(f"grey-alpha-{bits}-{colours}-{extra}.tif", data, refused)
    tenths = pattern(1, 10)
    for order in orders:
        part = [(row / 10).astype(f"{order}f4").tobytes() for row in tenths]
        data = tiff([part], {258: [32], 262: [1], 277: [1], 339: [3]}, order=order)
        yield Odd(f"floats-{orders[order]}.tif", data, rgb(np.rint(tenths * 25.5)), 1)
    tags = {258: [32], 262: [1], 277: [1], 339: [3]}
    part = [row.astype("<f4").tobytes() for row in tenths]
    yield Odd("floats-10.tif", tiff([part], tags), "values from 0 to 10, expected from 0 to 1")
    part[2] = np.full(WIDTH, np.nan, "<f4").tobytes()
    yield Odd("floats-nan.tif", tiff([part], tags), "values that are infinite or not a number")
    refused = f"TIFF of floats, other than grey of 32 bits whose 0 is black, {CONVERT}"
    yield Odd("floats-0.tif", tiff([part], tags | {262: [0]}), refused)
    for bits, sign in ((8, 2), (16, 2), (32, 1), (32, 2)):
        data = tiff_of(grey, bits, 1, tags={339: [sign]})
        refused = f"TIFF of whole numbers of {bits} bits, whose white is unknown, {CONVERT}"
        yield Odd(f"numbers-{bits}-{sign}.tif", data, refused)
    for colours, name in ((6, "YCbCr"), (8, "CIELab"), (9, "ICCLab")):
        yield Odd(f"in-{name}.tif", tiff_of(values, 8, colours), f"TIFF in {name}, {CONVERT}")
    refused = f"TIFF that doesn't say what its colours mean, {CONVERT}"
    yield Odd("no-colours.tif", tiff([rows], {258: [8] * 3, 277: [3]}), refused)
    whole = tiff_of(values, 8, 2, rows_per_strip=2)
    yield Odd("cut.tif", whole[:-30], "truncated TIFF")
    yield Odd("half.tif", whole[: len(whole) // 2], "truncated TIFF")
    data = tiff([rows], together | {273: [8], 279: [42], 278: [2]})
    yield Odd("few-strips.tif", data, "damaged TIFF: strips are missing")
    data = tiff([rows], together | {273: [10**6], 279: [105]})
    yield Odd("far.tif", data, "truncated TIFF")
    at = whole.index(struct.pack("<HHI", 258, 3, 3))
    many = whole[: at + 4] + struct.pack("<I", 2**31) + whole[at + 8 :]
    yield Odd("huge-count.tif", many, f"damaged TIFF: tag 258 has {2**31} values")


# GIF


def gif_codes(numbers, bits: int) -> bytes:
    """Codes of LZW that are never more than single colours."""
    clear, width = 1 << bits, bits + 1
    digits = []
    for since, number in enumerate([*np.ravel(numbers).tolist(), None]):
        if since % (clear - 2) == 0:  # before codes become longer
            digits.append(clear)
        digits.append(clear + 1 if number is None else number)
    text = "".join(f"{code:0{width}b}"[::-1] for code in digits)
    text += "0" * (-len(text) % 8)
    data = bytes(int(text[at : at + 8][::-1], 2) for at in range(0, len(text), 8))
    blocks = [data[at : at + 200] for at in range(0, len(data), 200)]
    return bytes([bits]) + b"".join(bytes([len(block)]) + block for block in blocks) + b"\0"


def gif_frame(
    numbers,
    *,
    clear: int | None = None,
    at=(0, 0),
    palette=b"",
    interlace: bool = False,
    disposal: int = 0,
):
    numbers = np.asarray(numbers)[..., 0]
    height, width = numbers.shape
    control = b"!\xf9\4" + bytes([disposal << 2 | (clear is not None), 0, 0, clear or 0, 0])
    flags = 0x40 * interlace | (0x80 | (len(palette) // 3).bit_length() - 2 if palette else 0)
    if interlace:
        numbers = np.concatenate([numbers[0::8], numbers[4::8], numbers[2::4], numbers[1::2]])
    place = struct.pack("<4HB", *at, width, height, flags)
    return control + b"," + place + palette + gif_codes(numbers, 3)


def gif(frames: list[bytes], palette=b"", end: bytes = b";") -> bytes:
    flags = 0x80 | (len(palette) // 3).bit_length() - 2 if palette else 0
    screen = struct.pack("<2H3B", WIDTH, HEIGHT, flags, 0, 0)
    return b"GIF89a" + screen + palette + b"".join(frames) + end


def gifs() -> Iterator[Odd]:
    palette = pattern(3, 255, 8, 1)[0]
    table = palette.astype(np.uint8).tobytes()
    numbers = pattern(1, 7)
    seen = palette[numbers[..., 0]]
    hidden = np.where(numbers == 3, 255, seen)
    first, clear = gif_frame(numbers), gif_frame(numbers, clear=3)
    other = gif_frame(7 - numbers)
    yield Odd("plain.gif", gif([first], table), seen)
    yield Odd("transparent.gif", gif([clear], table), hidden)
    yield Odd("interlaced.gif", gif([gif_frame(numbers, interlace=True)], table), seen)
    yield Odd("local.gif", gif([gif_frame(numbers, palette=table)], bytes(24)), seen)
    yield Odd("local-only.gif", gif([gif_frame(numbers, palette=table)]), seen)
    for name, later in {
        "opaque": other,
        "transparent": gif_frame(7 - numbers, clear=5),
        "palette": gif_frame(numbers, palette=bytes(24)),
        "small": gif_frame(numbers[:2, :2], at=(2, 2)),
    }.items():
        yield Odd(f"then-{name}.gif", gif([first, later], table), seen)
        yield Odd(f"transparent-then-{name}.gif", gif([clear, later], table), hidden)
    for disposal in (1, 2, 3):
        data = gif([gif_frame(numbers, clear=3, disposal=disposal), other], table)
        yield Odd(f"disposal-{disposal}.gif", data, hidden)
    inner = np.full((HEIGHT, WIDTH, 3), 255)
    inner[1:4, 2:6] = seen[1:4, 2:6]
    yield Odd("inside.gif", gif([gif_frame(numbers[1:4, 2:6], at=(2, 1))], table), inner)
    inner = np.where(inner == 255, 255, np.where(numbers == 3, 255, inner))
    data = gif([gif_frame(numbers[1:4, 2:6], at=(2, 1), clear=3)], table)
    yield Odd("inside-transparent.gif", data, inner)
    greys = np.repeat(np.arange(8, dtype=np.uint8), 3).tobytes()
    yield Odd("greys.gif", gif([first], greys), rgb(numbers))
    yield Odd(
        "greys-transparent.gif", gif([clear], greys), np.where(numbers == 3, 255, rgb(numbers))
    )
    comment = b"!\xfe\3abc\0"
    yield Odd("comment.gif", gif([comment, first, comment], table), seen)
    yield Odd("more.gif", gif([first], table) + b"more", seen)
    yield Odd("no-end.gif", gif([first], table, b""), "truncated GIF")
    yield Odd("cut-later.gif", gif([first, other[:-9]], table, b""), "truncated GIF")
    yield Odd("cut.gif", gif([first[:-9]], table, b""), "truncated GIF")
    yield Odd("no-frame.gif", gif([comment], table), "damaged or unsupported GIF")
    yield Odd("block.gif", gif([b"?", first], table), "damaged GIF: an unknown block")
    data = gif([gif_frame(numbers)], table[:12])
    yield Odd("beyond.gif", data, "damaged image: a colour that isn't in its palette")


# Portable maps


def pnms() -> Iterator[Odd]:
    for white, channels, text in product(
        (1, 15, 100, 255, 256, 1023, 65535), (1, 3), (True, False)
    ):
        values = pattern(channels, white)
        kind = {(1, True): 2, (3, True): 3, (1, False): 5, (3, False): 6}[channels, text]
        header = b"P%d\n# made here\n%d %d\n%d\n" % (kind, WIDTH, HEIGHT, white)
        if text:
            body = " ".join(map(str, values.ravel())).encode()
        else:
            body = b"".join(stored(values, 8 if white < 256 else 16))
        suffix = "pgm" if channels == 1 else "ppm"
        yield Odd(f"P{kind}-{white}.{suffix}", header + body, rgb(scaled(values, white)), 1)
        if white in (100, 255, 1023) and not text:
            yield Odd(f"P{kind}-{white}-cut.{suffix}", header + body[:-1], "truncated PNM")
    bits = pattern(1, 1)
    header = b"P%d %d %d\n"
    body = b" ".join(b"%d" % bit for bit in bits.ravel())
    yield Odd("P1.pbm", header % (1, WIDTH, HEIGHT) + body, rgb(255 - bits * 255))
    yield Odd(
        "P1-close.pbm", header % (1, WIDTH, HEIGHT) + body.replace(b" ", b""), rgb(255 - bits * 255)
    )
    yield Odd("P1-cut.pbm", header % (1, WIDTH, HEIGHT) + body[:-4], "truncated PNM")
    yield Odd(
        "P4.pbm", header % (4, WIDTH, HEIGHT) + b"".join(packed(bits, 1)), rgb(255 - bits * 255)
    )
    yield Odd("P2-above.pgm", b"P2 2 1 9 10 0", "damaged or unsupported PNM")
    yield Odd("P2-word.pgm", b"P2 2 1 9 a 0", "damaged or unsupported PNM")
    yield Odd("P5-white-0.pgm", b"P5 2 1 0 \0\0", "damaged or unsupported PNM")
    yield Odd("P5-above.pgm", b"P5 2 1 100 \xc8\x32", np.array([[[255] * 3, [128] * 3]]), 1)
    tenths = pattern(1, 10)
    for order, scale in (("<", -1), (">", 1)):
        body = b"".join((row / 10).astype(f"{order}f4").tobytes() for row in tenths[::-1])
        data = b"Pf\n%d %d\n%d\n" % (WIDTH, HEIGHT, scale) + body
        name = f"Pf-{'little' if scale < 0 else 'big'}"
        yield Odd(f"{name}.pfm", data, rgb(np.rint(tenths * 25.5)), 1)
        yield Odd(f"{name}-cut.pfm", data[:-3], "truncated PFM")
    yield Odd("PF.pfm", b"PF\n1 1\n-1\n" + bytes(12), f"colour PFM image, {CONVERT}")


# Sun raster


def sun(rows: list[bytes], depth: int, kind: int = 1, palette=b"", width: int = WIDTH) -> bytes:
    body = b"".join(rows if kind == 2 else [row + bytes(len(row) % 2) for row in rows])
    numbers = (width, HEIGHT, depth, len(body), kind, bool(palette), len(palette))
    return struct.pack(">8I", 0x59A66A95, *numbers) + palette + body


def suns() -> Iterator[Odd]:
    colours, grey = pattern(3), pattern(1)
    for kind in (0, 1):
        yield Odd(f"24-{kind}.ras", sun(stored(colours[..., ::-1], 8), 24, kind), colours)
        yield Odd(f"8-{kind}.ras", sun(stored(grey, 8), 8, kind), rgb(grey))
        yield Odd(f"1-{kind}.ras", sun(packed(grey % 2, 1), 1, kind), rgb(255 - grey % 2 * 255))
    yield Odd("24-3.ras", sun(stored(colours, 8), 24, 3), colours)
    palette = pattern(3, 255, 8, 1)[0]
    numbers = pattern(1, 7)
    table = palette.T.astype(np.uint8).tobytes()
    yield Odd("palette.ras", sun(stored(numbers, 8), 8, 1, table), palette[numbers[..., 0]])
    even = pattern(1, 127, 8)  # below 80, which begins a run
    run = stored(even, 8)
    run[2] = b"\x80\7\x09"
    expected = even.copy()
    expected[2] = 9
    yield Odd("runs.ras", sun(run, 8, 2, width=8), rgb(expected))
    refused = f"Sun raster, packed, of rows of an odd length, {CONVERT}"
    yield Odd("runs-odd.ras", sun(stored(grey % 128, 8), 8, 2), refused)
    for depth, kind in ((4, 1), (32, 1), (32, 3), (24, 4), (24, 5), (8, 0xFFFF)):
        refused = f"Sun raster of {depth} bits, type {kind}, {CONVERT}"
        yield Odd(f"refused-{depth}-{kind}.ras", sun(stored(colours, 8), depth, kind), refused)
    refused = f"Sun raster of 24 bits, type 1 and a palette, {CONVERT}"
    yield Odd("palette-24.ras", sun(stored(colours, 8), 24, 1, table), refused)
    yield Odd("cut.ras", sun(stored(grey, 8), 8)[:-9], "truncated Sun raster")


# JPEG, of blocks that are one colour each


def segment(marker: int, body: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body


def jpeg(blocks, ids=(1, 2, 3, 4), *, segments=b"", restart: int = 0, frame: int = 0xC0) -> bytes:
    """A JPEG of 8 x 8 blocks without detail; `blocks` holds the value of each, channel by channel.

    The quantizer is 8, so that a value is what is coded plus 128. Code i, of four bits, says that
    i bits follow; the one code of details ends a block.
    """
    blocks = np.asarray(blocks)
    height, width, channels = blocks.shape
    parts = [segments, segment(0xDB, b"\0" + b"\x08" * 64)]
    components = b"".join(bytes([ids[k], 0x11, 0]) for k in range(channels))
    parts.append(
        segment(frame, struct.pack(">BHHB", 8, height * 8, width * 8, channels) + components)
    )
    parts.append(segment(0xC4, b"\0" + bytes([0, 0, 0, 12] + [0] * 12) + bytes(range(12))))
    parts.append(segment(0xC4, b"\x10" + bytes([1] + [0] * 15) + b"\0"))
    if restart:
        parts.append(segment(0xDD, struct.pack(">H", restart)))
    scan = b"".join(bytes([ids[k], 0]) for k in range(channels))
    ends = b"\0\0\0" if frame == 0xC2 else b"\0\x3f\0"
    parts.append(segment(0xDA, bytes([channels]) + scan + ends))
    text, before, n_restarts = "", [0] * channels, 0
    coded = b""
    pixels = blocks.reshape(-1, channels).tolist()
    for number, pixel in enumerate(pixels):
        for k, value in enumerate(pixel):
            step = value - 128 - before[k]
            before[k] = value - 128
            size = abs(step).bit_length()
            text += f"{size:04b}"
            text += f"{step if step > 0 else step + (1 << size) - 1:0{size}b}" if size else ""
            text += "" if frame == 0xC2 else "0"
        last = number + 1 == len(pixels)
        if last or (restart and (number + 1) % restart == 0):
            text += "1" * (-len(text) % 8)
            piece = bytes(int(text[at : at + 8], 2) for at in range(0, len(text), 8))
            coded += piece.replace(b"\xff", b"\xff\0")
            text, before = "", [0] * channels
            if not last:
                coded += bytes([0xFF, 0xD0 + n_restarts % 8])
                n_restarts += 1
    return b"\xff\xd8" + b"".join(parts) + coded + b"\xff\xd9"


def adobe(transform: int) -> bytes:
    return segment(0xEE, b"Adobe" + struct.pack(">HHHB", 100, 0, 0, transform))


def large(values):
    return np.repeat(np.repeat(np.asarray(values), 8, axis=0), 8, axis=1)


def jpegs() -> Iterator[Odd]:
    grey, colours, inks = pattern(1), pattern(3), pattern(4)
    seen = large(rgb(grey))
    whole = jpeg(grey)
    yield Odd("grey.jpg", whole, seen)
    yield Odd("rgb-ids.jpg", jpeg(colours, b"RGB"), large(colours))
    yield Odd("rgb-adobe.jpg", jpeg(colours, segments=adobe(0)), large(colours))
    luma, cb, cr = (colours[..., k].astype(float) for k in range(3))
    mixed = [luma + 1.402 * (cr - 128), luma - 0.344136 * (cb - 128) - 0.714136 * (cr - 128)]
    mixed.append(luma + 1.772 * (cb - 128))
    expected = large(np.dstack(mixed).clip(0, 255))
    jfif = segment(0xE0, b"JFIF\0\1\1\0\0\1\0\1\0\0")
    yield Odd("ycc.jpg", jpeg(colours, segments=jfif), expected, 1)
    yield Odd("ycc-plain.jpg", jpeg(colours), expected, 1)
    # Adobe stores inks inverted.
    expected = large(inks[..., :3] * inks[..., 3:] / 255)
    yield Odd("cmyk-adobe.jpg", jpeg(inks, segments=adobe(0)), expected, 1)
    unknown = "CMYK JPEG without Adobe's mark, so that its colours are unknown"
    yield Odd("cmyk.jpg", jpeg(inks), unknown)
    for orientation, order in product(range(1, 9), "<>"):
        extra = segment(0xE1, b"Exif\0\0" + exif(orientation, order))
        name = "big" if order == ">" else "little"
        data = jpeg(grey, segments=extra)
        yield Odd(f"exif-{orientation}-{name}.jpg", data, turned(seen, orientation))
    xmp = segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0<x tiff:Orientation='6'/>")
    yield Odd("xmp.jpg", jpeg(grey, segments=xmp), seen)
    thumbnail = segment(0xE1, b"Exif\0\0" + exif(1) + whole)
    yield Odd("thumbnail.jpg", jpeg(grey, segments=thumbnail), seen)
    yield Odd("thumbnail-cut.jpg", jpeg(grey, segments=thumbnail)[:-2], "truncated JPEG")
    for restart in (1, 3):
        yield Odd(f"restart-{restart}.jpg", jpeg(colours, b"RGB", restart=restart), large(colours))
    yield Odd("comment.jpg", jpeg(grey, segments=segment(0xFE, b"\xff\xd9 a comment")), seen)
    yield Odd("more.jpg", whole + b"more\xff\xd8", seen)
    yield Odd("fill.jpg", whole[:2] + b"\xff\xff" + whole[2:], seen)
    yield Odd("no-end.jpg", whole[:-2], "truncated JPEG")
    yield Odd("half.jpg", whole[: len(whole) * 2 // 3], "truncated JPEG")
    yield Odd("no-pixels.jpg", whole[: whole.index(b"\xff\xda")] + b"\xff\xd9", "truncated JPEG")
    yield Odd("dc-only.jpg", jpeg(grey, frame=0xC2), "damaged JPEG: scans are missing")
    details = segment(0xDA, b"\1\1\0\1\x3f\0") + bytes(WIDTH * HEIGHT // 8) + b"\x1f"
    yield Odd("progressive.jpg", jpeg(grey, frame=0xC2)[:-2] + details + b"\xff\xd9", seen)
    yield Odd("hierarchical.jpg", jpeg(grey, frame=0xC5), "damaged or unsupported JPEG")
    field = pattern(1, 255, 30, 30)
    long = jpeg(field)
    yield Odd("long.jpg", long, large(rgb(field)))
    middle = len(long) - (len(long) - long.index(b"\xff\xda")) // 2
    again = "damaged JPEG: a large part of its data is one repeated byte"
    for byte in (0x55, 0xAA):
        data = long[:middle] + bytes([byte]) * (len(long) - 2 - middle) + b"\xff\xd9"
        yield Odd(f"overwritten-{byte:x}.jpg", data, again)
    data = long[:middle] + bytes(len(long) - 2 - middle) + b"\xff\xd9"
    yield Odd("overwritten-0.jpg", data, "damaged JPEG: its pixels end before its data")
    lost = long[:middle] + long[-2:]
    yield Odd("lost.jpg", lost, "damaged JPEG: its data ends before its pixels")


# WebP, of one colour


def webp_chunk(name: bytes, body: bytes) -> bytes:
    return name + struct.pack("<I", len(body)) + body + bytes(len(body) % 2)


def lossless(red: int, green: int, blue: int, alpha: int = 255) -> bytes:
    """A lossless picture whose codes have one symbol each, and so no bits for a pixel."""
    text = f"{WIDTH - 1:014b}"[::-1] + f"{HEIGHT - 1:014b}"[::-1] + ("1" if alpha < 255 else "0")
    text += "000" + "0" + "0" + "0"  # version; no transform, no cache, no groups of codes
    for symbol in (green, red, blue, alpha):
        text += "1" + "0" + "1" + f"{symbol:08b}"[::-1]
    text += "1" + "0" + "0" + "0"  # distances
    text += "0" * (-len(text) % 8)
    return b"\x2f" + bytes(int(text[at : at + 8][::-1], 2) for at in range(0, len(text), 8)) + b"\0"


def webp(chunks: bytes) -> bytes:
    return b"RIFF" + struct.pack("<I", len(chunks) + 4) + b"WEBP" + chunks


def webp_extended(flags: int, chunks: bytes) -> bytes:
    size = struct.pack("<I", WIDTH - 1)[:3] + struct.pack("<I", HEIGHT - 1)[:3]
    return webp(webp_chunk(b"VP8X", struct.pack("<I", flags) + size) + chunks)


def webps() -> Iterator[Odd]:
    seen = np.tile([200, 90, 30], (HEIGHT, WIDTH, 1))
    picture = webp_chunk(b"VP8L", lossless(200, 90, 30))
    clear = webp_chunk(b"VP8L", lossless(200, 90, 30, 100))
    yield Odd("plain.webp", webp(picture), seen)
    yield Odd("alpha.webp", webp(clear), on_white(seen, 100 / 255), 1)
    for orientation in (1, 3, 6, 8):
        data = webp_extended(8, picture + webp_chunk(b"EXIF", exif(orientation)))
        yield Odd(f"exif-{orientation}.webp", data, turned(seen, orientation))
    edges = struct.pack("<I", 0)[:3] * 2 + struct.pack("<I", WIDTH - 1)[:3]
    edges += struct.pack("<I", HEIGHT - 1)[:3] + struct.pack("<I", 100)[:3] + b"\2"
    frames = webp_chunk(b"ANIM", bytes(6)) + webp_chunk(b"ANMF", edges + picture)
    frames += webp_chunk(b"ANMF", edges + webp_chunk(b"VP8L", lossless(0, 0, 9)))
    yield Odd("moving.webp", webp_extended(2, frames), seen)
    yield Odd("cut.webp", webp(picture)[:-3], "truncated WebP")
    yield Odd("more.webp", webp(picture) + b"more", seen)
    yield Odd("empty.webp", webp(b""), "damaged or unsupported WebP")


def foreign() -> Iterator[Odd]:
    for name, data, what in (
        ("heic", b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "HEIC"),
        ("jxl", b"\xff\x0a\xfa\x1f", "JPEG XL"),
        ("container.jxl", b"\0\0\0\x0cJXL \r\n\x87\n", "JPEG XL"),
        ("psd", b"8BPS\0\1", "Photoshop"),
        ("ico", b"\0\0\1\0\1\0", "icon"),
        ("exr", b"\x76\x2f\x31\x01", "OpenEXR"),
        ("pam", b"P7\nWIDTH 1\n", "PAM"),
        ("hdr", b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 1\n\0\0\0\0", "Radiance"),
        ("svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>", "SVG"),
    ):
        yield Odd(f"foreign.{name}", data, f"{what} image, {CONVERT}")
    yield Odd("empty.png", b"", "empty file")
    yield Odd("text.jpg", b"a text, whatever its name", "not an image")
    yield Odd("bm.bmp", b"BM is how this text begins, and it goes on for a while", "not an image")
    yield Odd(
        "jpeg2000-cut.jp2",
        b"\0\0\0\x0cjP  \r\n\x87\n\0\0\0\x14ftyp",
        "damaged or unsupported JPEG 2000",
    )


def every() -> list[Odd]:
    """Make all of them; no two have one name."""
    makers = (pngs, bmps, tiffs, gifs, pnms, suns, jpegs, webps, foreign)
    files = [odd for make in makers for odd in make()]
    assert len({odd.name for odd in files}) == len(files)
    return files


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for odd in every():
        (folder / odd.name).write_bytes(odd.data)
