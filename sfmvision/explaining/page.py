"""One HTML page that shows images next to the evidence of their patches."""

import numpy as np
import numpy.typing as npt

from sfmcore.data.names import one_line
from sfmcore.reporting.reasons import ReasonsPage
from sfmvision.explaining.pictured import LEGEND, PictureReasons, reasons_html

_LEGEND = f"{LEGEND} Evidence of patches, the constant and the baseline add up to the score."


class Page(ReasonsPage):
    """A page to which images are added one by one.

    Parameters
    ----------
    model : str
        Name of the model's file.
    most : int
        Images shown, at most.

    Examples
    --------
    >>> page = Page("a.sfm", 10)
    >>> page.leave_out("<b>.png", "not an image")
    >>> "&lt;b&gt;.png" in page.text() and "1 image." in page.text()
    True
    """

    def __init__(self, model: str, most: int) -> None:
        super().__init__(model, most, "image", _LEGEND)

    def add(self, name: str, pixels: npt.NDArray[np.generic], reasons: PictureReasons) -> None:
        """Show an image, or count it if the page is full.

        Parameters
        ----------
        name : str
        pixels : ndarray of shape (height, width) or (height, width, 3)
        reasons : PictureReasons
        """
        self.show(one_line(name), lambda: reasons_html(name, pixels, reasons))
