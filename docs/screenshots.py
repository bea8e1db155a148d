"""Pictures of the pages of the built site, wide and narrow, to look at: what overflows is named.

    python docs/screenshots.py build/site build/shots [--pages GLOB ...] [--widths 1280 400]

Chromium draws the pages; it must be on the PATH (``apt-get install chromium``). The exit code is 1
if a page is wider than the window.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")
# Asks the page, in a frame of the width, how wide and how tall it is: Chromium's own window can't
# be narrower than 500 pixels.
FRAME = """<!doctype html><style>body {{ margin: 0 }} iframe {{ border: 0 }}</style>
<iframe id="page" src="{page}" width="{width}" height="900"></iframe>
<pre id="said"></pre><script>
const page = document.getElementById("page"), said = document.getElementById("said");
page.onload = () => setTimeout(() => {{
  const root = page.contentDocument.documentElement, wide = [];
  for (const one of page.contentDocument.querySelectorAll("body *")) {{
    const box = one.getBoundingClientRect();
    let inner = one.parentElement, clipped = false;
    for (; inner; inner = inner.parentElement) {{
      const overflow = page.contentWindow.getComputedStyle(inner).overflowX;
      if (inner !== root && inner.tagName !== "BODY" && overflow !== "visible") clipped = true;
    }}
    if (!clipped && box.width > 0 && box.right > {width} + 1)
      wide.push(one.tagName.toLowerCase() + "." + one.className);
  }}
  said.textContent = "SIZE " + root.scrollWidth + " " + root.scrollHeight + " " + wide.slice(0, 3);
  page.height = Math.min(root.scrollHeight, {most}); said.style.display = "none";
}}, 400);
</script>"""


def chromium(*options: str) -> str:
    """Run Chromium without a window, and return what it prints.

    Raises
    ------
    SystemExit
        If it is not there.
    """
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        raise SystemExit(f"none of {', '.join(NAMES)} is on the PATH")
    with tempfile.TemporaryDirectory() as profile:
        command = [
            path, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            "--allow-file-access-from-files", "--virtual-time-budget=8000",
            f"--user-data-dir={profile}", *options,
        ]  # fmt: skip
        ended = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return ended.stdout


def draw(page: Path, width: int, picture: Path, most: int) -> str:
    """Draw one page, and return what is too wide in it; nothing if all is well.

    Parameters
    ----------
    page : Path
    width : int
        Of the window, in pixels.
    picture : Path
        PNG file that is written.
    most : int
        Pixels that are drawn from the top, at most.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False) as file:
        file.write(FRAME.format(page=page.resolve().as_uri(), width=width, most=most))
    address = Path(file.name).as_uri()
    found = re.search(r"SIZE (\d+) (\d+) ([^<]*)", chromium("--dump-dom", address))
    if found is None:
        return "could not be measured"
    height = min(int(found[2]), most)
    chromium(f"--screenshot={picture}", f"--window-size={width},{height}", address)
    Path(file.name).unlink()
    if int(found[1]) > width or found[3]:
        return f"{found[1]} pixels wide: {found[3]}"
    return ""


def main() -> int:
    """Draw the pages."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("site", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", nargs="+", default=["index.html", "auto_gallery/*.html"])
    parser.add_argument("--widths", nargs="+", type=int, default=[1280, 400])
    parser.add_argument("--most", type=int, default=12_000, help="pixels from the top")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    failures = 0
    for pattern in options.pages:
        for page in sorted(options.site.glob(pattern)):
            for width in options.widths:
                name = page.relative_to(options.site).with_suffix("").as_posix().replace("/", "-")
                wide = draw(page, width, options.folder / f"{name}-{width}.png", options.most)
                failures += bool(wide)
                print(f"{name} at {width}: {wide or 'fits'}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
