"""A page of reasons, to which items are added one by one until it is full.

It needs nothing else: no script, no font and no picture from elsewhere, and no library.
"""

from collections.abc import Callable
from html import escape

from sfmcore.data.words import counted
from sfmcore.reporting.page import style

MOST_BYTES = 4_500_000
"""Items that would make a page larger than this are not shown."""


def text(name: str) -> str:
    r"""Text that can't be taken for HTML, and is UTF-8.

    Examples
    --------
    >>> text("<b>"), text("caf\udce9")
    ('&lt;b&gt;', 'caf\\udce9')
    """
    return escape(name.encode("utf-8", "backslashreplace").decode())


class ReasonsPage:
    """A page of the first items, as far as they fit.

    Parameters
    ----------
    model : str
        Name of the model's file.
    most : int
        Items shown, at most.
    noun : str
        What an item is called, such as "record".
    legend : str
        HTML that says how to read it.
    rules : str, default=""
        Style rules beside those of all pages.

    Examples
    --------
    >>> page = ReasonsPage("a.sfm", 1, "record", "Blue is for the label.")
    >>> page.show("<b>", lambda: "<p>it is so</p>")
    >>> page.leave_out("c", "empty sequence")
    >>> "<h2>&lt;b&gt;</h2><p>it is so</p>" in page.text(), page.is_full
    (True, True)
    >>> "The first 1 of 2 records are shown" in page.text()
    True
    """

    def __init__(self, model: str, most: int, noun: str, legend: str, rules: str = "") -> None:
        self._model, self._most, self._noun = model, most, noun
        self._legend, self._rules = legend, rules
        self._parts: list[str] = []
        self._size = 0
        self._n_items = 0

    @property
    def is_full(self) -> bool:
        """Whether no further item is shown."""
        return len(self._parts) >= self._most or self._size >= MOST_BYTES

    def show(self, name: str, make: Callable[[], str]) -> None:
        """Show an item, or count it if the page is full.

        Parameters
        ----------
        name : str
        make : callable
            Returns HTML, in which all names are escaped; not called if the page is full.
        """
        self._n_items += 1
        if not self.is_full:
            self._keep(f"<section><h2>{text(name)}</h2>{make()}</section>")

    def leave_out(self, name: str, status: str) -> None:
        """Say why an item has no reasons, or count it if the page is full.

        Parameters
        ----------
        name, status : str
        """
        self.show(name, lambda: f"<p>not classified: {text(status)}</p>")

    def count(self) -> None:
        """Count an item that is not shown."""
        self._n_items += 1

    def _keep(self, part: str) -> None:
        size = len(part.encode())
        if self._size + size > MOST_BYTES:
            self._size = MOST_BYTES
            return
        self._parts.append(part)
        self._size += size

    def text(self) -> str:
        """The page."""
        shown = len(self._parts)
        note = counted(self._n_items, self._noun)
        if shown < self._n_items:
            note = f"The first {shown} of {note} are shown"
        title = f"Reasons by {text(self._model)}"
        head = (
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
            '<meta name="viewport" content="width=device-width,initial-scale=1">'
            f"<style>{style()}{self._rules}</style></head><body><header><h1>{title}</h1>"
        )
        legend = f'<p class="s">{note}. {self._legend}</p></header><main>'
        return f"{head}{legend}{''.join(self._parts)}</main></body></html>\n"
