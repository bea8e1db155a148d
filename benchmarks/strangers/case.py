"""A fit and the inputs that are judged by it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Case:
    """Training and test items of one half, and strangers by the name of their kind.

    Attributes
    ----------
    name : str
    classifier : SFMClassifier
        Unfitted.
    train, test : batch of items
    labels : ndarray
        Of the training items.
    strangers : dict of str to batch of items
    """

    name: str
    classifier: Any
    train: Any
    labels: np.ndarray
    test: Any
    strangers: dict[str, Any]


Cases = Callable[[int, int], Iterator[Case]]
"""Cases of a data set by the number of halves and the first seed."""
