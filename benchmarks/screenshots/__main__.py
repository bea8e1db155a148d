"""Screenshots of a report for the docs: ``python -m benchmarks.screenshots [FOLDER]``.

Evaluates the peptides, checks the page at two widths as the tests do, and writes
``report_1280.png``, ``report_400.png`` and ``report_mistakes.png``. It needs the extras `report`
and `browser`, and a Chromium.
"""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image

from benchmarks.screenshots.browser import NoBrowserError, browser, look_at, opened
from sfmbio.commandline.cli import main as sfmbio

ROOT = Path(__file__).parents[2]
WIDTHS = (1280, 400)
_HEIGHTS = {1280: 1900, 400: 1500}
# Of a palette: a page has few colours, and a file of so many is a third as large.
_COLOURS = 256
_MOST_BYTES = 200_000


def main() -> int:
    """Make them all; 1 if the page has a fault, or there is no browser."""
    parser = argparse.ArgumentParser(prog="benchmarks.screenshots", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "docs")
    parser.add_argument("--page", type=Path, help="a page that is there, in the place of a new one")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        path = options.page
        if path is None:
            path = Path(made, "report.html")
            inputs = str(ROOT / "data" / "peptides")
            if sfmbio(["evaluate", inputs, "--learning-curve", "--report", str(path)]):
                return 1
        try:
            with browser() as running:
                return _shoot(running, path, options.folder)
        except NoBrowserError as error:
            print(error, file=sys.stderr)
            return 1


def _shoot(running: Any, path: Path, folder: Path) -> int:
    faults = 0
    for width in WIDTHS:
        seen = look_at(running, path, width)
        for fault in (*seen.too_wide, *seen.off_paper, *seen.messages, *seen.violations):
            print(f"{width} pixels: {fault}", file=sys.stderr)
            faults += 1
        print(f"{width} pixels: {faults} faults (width, paper, console, axe-core)")
        with opened(running, path, width) as (page, _):
            target = folder / f"report_{width}.png"
            clip = {"x": 0, "y": 0, "width": width, "height": _HEIGHTS[width]}
            page.screenshot(path=target, clip=clip, full_page=True)
            _reduce(target)
    with opened(running, path, WIDTHS[0]) as (page, _):
        target = folder / "report_mistakes.png"
        top = page.locator("#mistakes").bounding_box()
        clip = {"x": 100, "y": top["y"] - 20, "width": 1000, "height": 900}
        page.screenshot(path=target, clip=clip, full_page=True)
        _reduce(target)
    return int(faults > 0)


def _reduce(path: Path) -> None:
    """Write it again with a palette."""
    with Image.open(path) as image:
        small = image.convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE)
    small.save(path, optimize=True)
    size = path.stat().st_size
    assert size < _MOST_BYTES, f"{path} has {size} bytes"
    print(f"wrote {path}, {size // 1000} kB")


if __name__ == "__main__":
    sys.exit(main())
