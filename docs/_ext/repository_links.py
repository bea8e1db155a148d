"""Links of Markdown pages that leave the folder of the documentation, and links back into it.

``../CONTRIBUTING.md`` is a page here, and in that page, which is the file of the repository,
``docs/installing.md`` is one. Everything else outside is named and not linked: the site does not
know where the repository is.
"""

import posixpath
import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

PAGES = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
"""Files of the repository that are pages, by their names there."""
_LINK = re.compile(r"\[([^\]\n]*)\]\((?!https?:|mailto:|#|<)([^)\s#]+)(#[^)\s]*)?\)")
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)


def rewritten(text: str, folder: str, root: Path) -> str:
    """Rewrite links outside of fenced code.

    Parameters
    ----------
    text : str
        Source of a page.
    folder : str
        Where it lies, seen from the root of the repository, such as ``docs/results``.
    root : Path
        That root.

    Returns
    -------
    str
    """
    kept: list[str] = []
    end = 0
    for fence in _FENCE.finditer(text):
        kept += [_rewrite(text[end : fence.start()], folder, root), fence[0]]
        end = fence.end()
    return "".join([*kept, _rewrite(text[end:], folder, root)])


def _rewrite(text: str, folder: str, root: Path) -> str:
    def link(found: re.Match[str]) -> str:
        shown, target, anchor = found[1], found[2], found[3] or ""
        path = posixpath.normpath(posixpath.join(folder, target))
        page = PAGES.get(path)
        if page is not None:
            path = f"docs/{page}"
        elif not path.startswith("docs/"):
            # A link to nothing is left as it is, and fails the build.
            return shown if (root / path).exists() else found[0]
        return f"[{shown}]({posixpath.relpath(path, folder)}{anchor})"

    return _LINK.sub(link, text)


def _read(app: Sphinx, docname: str, source: list[str]) -> None:
    root = Path(app.srcdir).parent
    path = Path(app.srcdir, f"{docname}.md")
    if path.exists():
        folder = path.parent.relative_to(root).as_posix()
        source[0] = rewritten(source[0], folder, root)


def _include(app: Sphinx, path: Path, docname: str, source: list[str]) -> None:
    # A file at the root that is a page: the page itself lies in docs.
    root = Path(app.srcdir).parent
    if Path(app.srcdir, path).resolve().parent == root:
        source[0] = rewritten(source[0], "", root).replace("](docs/", "](")


def setup(app: Sphinx) -> dict[str, Any]:
    """Rewrite every page as it is read."""
    app.connect("source-read", _read)
    app.connect("include-read", _include)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
