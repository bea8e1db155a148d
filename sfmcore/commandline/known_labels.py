"""Labels of a test file, as those of a model."""

from collections import Counter

import numpy as np
import numpy.typing as npt

from sfmcore.data.errors import UserError
from sfmcore.data.names import as_name
from sfmcore.data.words import counted
from sfmcore.files.id_table import listed_of


class KnownLabels:
    """Numbers of the classes of a model, by what a file can call them.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        Those of the model; numbers are known by their digits.

    Attributes
    ----------
    unknown : Counter of str
        Labels that the model does not know, with the number of items that had them.

    Raises
    ------
    UserError
        If two classes would be called the same.

    Examples
    --------
    >>> labels = KnownLabels(np.array(["helix", "sheet"]))
    >>> labels.number("sheet"), labels.number("coil")
    (1, None)
    >>> labels.messages("sequence")
    ["1 sequence has a label that the model does not know, and is left out: 'coil' 1"]
    """

    def __init__(self, classes: npt.NDArray[np.generic]) -> None:
        self.names = [as_name(str(label)) for label in classes.tolist()]
        self.unknown: Counter[str] = Counter()
        self._numbers = {name: number for number, name in enumerate(self.names)}
        if len(self._numbers) < len(self.names):
            (name, _), *_ = Counter(self.names).most_common(1)
            raise UserError(f"the model has two classes that a file would call {name!r}")

    def number(self, label: str) -> int | None:
        """Number of a class; None for a label that is none, which is counted."""
        name = as_name(label)
        number = self._numbers.get(name)
        if number is None:
            self.unknown[name] += 1
        return number

    def messages(self, noun: str) -> list[str]:
        """Sentences about the labels that the model does not know; `noun` names an item."""
        total = self.unknown.total()
        if not total:
            return []
        have = "has a label" if total == 1 else "have labels"
        are = "is" if total == 1 else "are"
        return [
            f"{counted(total, noun)} {have} that the model does not know, and {are} left out: "
            f"{self._listed()}"
        ]

    def refusal(self, model: str) -> str:
        """Sentence for a file whose labels are all unknown to the model of that name."""
        known = listed_of(map(repr, self.names), len(self.names))
        return (
            f"{model}: knows none of the labels of the input, which are {self._listed()}; "
            f"it knows {known}"
        )

    def _listed(self) -> str:
        counts = [f"{name!r} {count}" for name, count in self.unknown.most_common()]
        return listed_of(counts, len(counts))
