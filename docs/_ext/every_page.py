"""Tables of contents that hold every page, whoever adds one.

In the content of a ``toctree`` a line ``?name`` stands for a page that may be missing, and a line
``*`` for the pages of the same folder that no ``toctree`` of that folder names. A glob of Sphinx
would list again what other tables name.
"""

import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

_TABLE = re.compile(r"^(`{3,}|:{3,})\{toctree\}.*?^\1$", re.M | re.S)
_ENTRY = re.compile(r"^(?:[^<\n]*<)?\??([\w/.-]+)>?$", re.M)


def named(folder: Path) -> set[str]:
    """Pages that the tables of a folder's Markdown files name.

    Parameters
    ----------
    folder : Path

    Returns
    -------
    set of str
        As they stand there, without a suffix.
    """
    names: set[str] = set()
    for path in folder.glob("*.md"):
        for table in _TABLE.finditer(path.read_text(encoding="utf-8")):
            names |= set(_ENTRY.findall(table[0]))
    return names


def filled(text: str, folder: Path, own: str) -> str:
    """Fill in the two kinds of lines.

    Parameters
    ----------
    text : str
        Source of a page.
    folder : Path
        Where it lies.
    own : str
        Its name.

    Returns
    -------
    str
    """

    def fill(table: re.Match[str]) -> str:
        lines: list[str] = []
        for line in table[0].splitlines():
            if line.startswith("?"):
                lines += [line[1:]] if (folder / f"{line[1:]}.md").exists() else []
            elif line == "*":
                pages = {path.stem for path in folder.glob("*.md")}
                lines += sorted(pages - named(folder) - {own, "index"})
            else:
                lines.append(line)
        return "\n".join(lines)

    return _TABLE.sub(fill, text)


def _read(app: Sphinx, docname: str, source: list[str]) -> None:
    path = Path(app.srcdir, f"{docname}.md")
    if path.exists():
        source[0] = filled(source[0], path.parent, path.stem)


def _tables_of_pages(
    app: Sphinx, env: Any, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """Read tables again when pages come or go."""
    if not added and not removed:
        return []
    folder = Path(app.srcdir)
    return [
        path.relative_to(folder).with_suffix("").as_posix()
        for path in folder.rglob("*.md")
        if any(
            re.search(r"^(\*|\?.*)$", table[0], re.M)
            for table in _TABLE.finditer(path.read_text(encoding="utf-8"))
        )
    ]


def setup(app: Sphinx) -> dict[str, Any]:
    """Fill in every page as it is read."""
    app.connect("source-read", _read)
    app.connect("env-get-outdated", _tables_of_pages)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
