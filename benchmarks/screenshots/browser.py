"""What a headless browser makes of a page: its width, its errors, its accessibility, its look."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_HEIGHT = 900
# CSS pixels of a sheet of A4 between margins of 15 mm.
_PAPER = 680
# What reaches beyond the right edge, scrolled parts aside, which have a bar of their own.
_TOO_WIDE = """() => {
  const edge = document.documentElement.clientWidth;
  const scrolled = element => {
    for (let own = element.parentElement; own; own = own.parentElement)
      if (['auto', 'scroll', 'hidden'].includes(getComputedStyle(own).overflowX)) return true;
    return false;
  };
  const found = [...document.body.querySelectorAll('*')].filter(
    element => element.getBoundingClientRect().right > edge + 1 && !scrolled(element));
  const names = found.map(element => element.tagName + ': ' + element.textContent.slice(0, 60));
  return document.documentElement.scrollWidth > edge ? ['the page', ...names] : names;
}"""


class NoBrowserError(Exception):
    """There is no browser, or nothing that drives one; the text says which."""


@dataclass(frozen=True)
class Look:
    """What was met on a page.

    Attributes
    ----------
    too_wide : list of str
        Elements that reach beyond the right edge of the window.
    off_paper : list of str
        Elements that reach beyond the right edge of an A4 sheet.
    messages : list of str
        Errors and warnings of the console, and addresses that the page asked for.
    violations : list of str
        Rules of axe-core that it breaks, each with the elements.
    """

    too_wide: list[str]
    off_paper: list[str]
    messages: list[str]
    violations: list[str]


@contextmanager
def browser() -> Iterator[Any]:
    """Yield a headless Chromium: that of ``SFM_CHROMIUM``, of the path, or Playwright's own.

    Raises
    ------
    NoBrowserError
    """
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        raise NoBrowserError("Playwright is missing: pip install 'sfm-pacbayes[browser]'") from None
    found = os.environ.get("SFM_CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    with sync_playwright() as playwright:
        # A container's root has no sandbox; the pages are our own.
        options = {"executable_path": found, "args": ["--no-sandbox"]}
        try:
            started = playwright.chromium.launch(**options)
        except Error as error:
            reason = error.message.strip().splitlines()[0]
            raise NoBrowserError(f"no Chromium can be started: {reason}") from None
        try:
            yield started
        finally:
            started.close()


@contextmanager
def opened(running: Any, path: Path, width: int) -> Iterator[tuple[Any, list[str]]]:
    """Yield a page of a file in a window of some width, and what it complains of."""
    messages: list[str] = []
    page = running.new_page(viewport={"width": width, "height": _HEIGHT})
    address = path.resolve().as_uri()
    page.on("console", lambda own: messages.append(f"{own.type}: {own.text}"))
    page.on("pageerror", lambda own: messages.append(f"error: {own}"))
    page.on(
        "request",
        lambda own: (
            None
            if own.url.split("#")[0] == address or own.url.startswith("data:")
            else messages.append(f"asked for {own.url}")
        ),
    )
    try:
        page.goto(address)
        yield page, messages
    finally:
        page.close()


def look_at(running: Any, path: Path, width: int) -> Look:
    """Open a page and look for what is wrong with it.

    Parameters
    ----------
    running : playwright Browser
    path : Path
    width : int
        Of the window, in CSS pixels.

    Raises
    ------
    NoBrowserError
        If axe-core is missing.
    """
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ImportError:
        raise NoBrowserError("axe-core is missing: pip install 'sfm-pacbayes[browser]'") from None
    with opened(running, path, width) as (page, messages):
        too_wide = page.evaluate(_TOO_WIDE)
        found = Axe().run(page).response["violations"]
        page.emulate_media(media="print")
        page.set_viewport_size({"width": _PAPER, "height": _HEIGHT})
        off_paper = page.evaluate(_TOO_WIDE)
    violations = [
        f"{rule['id']} ({rule['impact']}): {node['html'][:200]}: {node['failureSummary']}"
        for rule in found
        for node in rule["nodes"]
    ]
    return Look(too_wide, off_paper, messages, violations)
