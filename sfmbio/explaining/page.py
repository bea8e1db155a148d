"""One HTML page that shows sequences with their residues coloured by evidence.

It needs nothing else: no script, no font and no picture from elsewhere.
"""

from sfmbio.explaining.coloured import LEGEND, colour_rules, reasons_html, text
from sfmbio.explaining.records import Reasons
from sfmcore.reporting.page import style

MOST_BYTES = 4_500_000
"""Records that would make a page larger than this are not shown."""


class Page:
    """A page to which records are added one by one.

    Parameters
    ----------
    model : str
        Name of the model's file.
    most : int
        Records shown, at most.

    Examples
    --------
    >>> page = Page("a.sfm", 10)
    >>> page.leave_out("<b>", "empty sequence")
    >>> "&lt;b&gt;" in page.text() and "<b>:" not in page.text()
    True
    """

    def __init__(self, model: str, most: int) -> None:
        self._model, self._most = model, most
        self._parts: list[str] = []
        self._size = 0
        self._n_records = 0

    @property
    def is_full(self) -> bool:
        """Whether no further record is shown."""
        return len(self._parts) >= self._most or self._size >= MOST_BYTES

    def add(self, reasons: Reasons) -> None:
        """Show a record, or count it if the page is full.

        Parameters
        ----------
        reasons : Reasons
        """
        self._n_records += 1
        if not self.is_full:
            self._keep(f"<section><h2>{text(reasons.name)}</h2>{reasons_html(reasons)}</section>")

    def leave_out(self, name: str, status: str) -> None:
        """Say why a record has no reasons, or count it if the page is full.

        Parameters
        ----------
        name, status : str
        """
        self._n_records += 1
        if not self.is_full:
            self._keep(
                f"<section><h2>{text(name)}</h2><p>not classified: {text(status)}</p></section>"
            )

    def count(self) -> None:
        """Count a record that is not shown."""
        self._n_records += 1

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
        note = f"{self._n_records} records"
        if shown < self._n_records:
            note = f"The first {shown} of {self._n_records} records are shown"
        title = f"Reasons by {text(self._model)}"
        head = (
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
            '<meta name="viewport" content="width=device-width,initial-scale=1">'
            f"<style>{style()}{colour_rules()}</style></head><body><header><h1>{title}</h1>"
        )
        legend = f'<p class="s">{note}. {LEGEND}</p></header><main>'
        return f"{head}{legend}{''.join(self._parts)}</main></body></html>\n"
