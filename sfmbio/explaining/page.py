"""One HTML page that shows sequences with their residues coloured by evidence."""

from sfmbio.explaining.coloured import LEGEND, colour_rules, reasons_html
from sfmbio.explaining.records import Reasons
from sfmcore.reporting.reasons import ReasonsPage


class Page(ReasonsPage):
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
        super().__init__(model, most, "record", LEGEND, colour_rules())

    def add(self, reasons: Reasons) -> None:
        """Show a record, or count it if the page is full.

        Parameters
        ----------
        reasons : Reasons
        """
        self.show(reasons.name, lambda: reasons_html(reasons))
