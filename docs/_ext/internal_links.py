"""Links within the site are checked when it is built, and those that leave it are listed.

Every ``href`` and ``src`` of every page must lead to a file of the site, and its fragment to an
element there; one that does not is a warning. ``external_links.txt`` in the folder of the build
holds the others, each with the pages that have it.
"""

from collections import defaultdict
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from sphinx.application import Sphinx
from sphinx.util import logging

LOG = logging.getLogger(__name__)


class Page(HTMLParser):
    """Targets of the links of one page, and the anchors that it has.

    Attributes
    ----------
    targets : set of str
    anchors : set of str
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take down what an element links to, and what it is called."""
        for name, value in attrs:
            if value is None:
                continue
            if name in ("href", "src"):
                self.targets.add(value)
            elif name == "id" or (name == "name" and tag == "a"):
                self.anchors.add(value)


def check(site: Path) -> tuple[list[str], dict[str, set[str]], int]:
    """Look after every link of a built site.

    Parameters
    ----------
    site : Path

    Returns
    -------
    dead : list of str
        A sentence for each.
    external : dict of str to set of str
        Pages by the address that they link to.
    n_internal : int
        Links that were followed.
    """
    pages = {
        path.relative_to(site).as_posix(): Page(path.read_text(encoding="utf-8"))
        for path in sorted(site.rglob("*.html"))
        if "_static" not in path.parts  # the theme's own
    }
    dead: list[str] = []
    external: dict[str, set[str]] = defaultdict(set)
    n_internal = 0
    for name, page in pages.items():
        for target in sorted(page.targets):
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                if parts.scheme in ("http", "https"):
                    external[target].add(name)
                continue
            n_internal += 1
            path = (site / name).parent / unquote(parts.path) if parts.path else site / name
            path = path.resolve() / "index.html" if path.is_dir() else path.resolve()
            if not path.exists():
                dead.append(f"{name} links to {target}, which does not exist")
            elif parts.fragment and path.suffix == ".html":
                other = pages[path.relative_to(site.resolve()).as_posix()]
                if unquote(parts.fragment) not in other.anchors:
                    dead.append(f"{name} links to {target}, and there is no such anchor")
    return dead, dict(external), n_internal


def _finish(app: Sphinx, error: Exception | None) -> None:
    if error is not None or app.builder.name != "html":
        return
    site = Path(app.outdir)
    dead, external, n_internal = check(site)
    for sentence in dead:
        LOG.warning(sentence, type="dead_link")
    lines = [f"{address}\t{' '.join(sorted(pages))}\n" for address, pages in external.items()]
    (site / "external_links.txt").write_text("".join(sorted(lines)), encoding="utf-8")
    LOG.info("links: %d within the site, %d dead; %d addresses outside", n_internal, len(dead),
             len(external))  # fmt: skip


def setup(app: Sphinx) -> dict[str, Any]:
    """Check once the site is written."""
    # After sphinx-gallery, which links names in code only then.
    app.connect("build-finished", _finish, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
