"""Result of an explanation: how much every part of an input speaks for its label."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sfmcore.data.arrays import Float64Array, Int64Array


@dataclass(frozen=True)
class Explanation:
    """Evidence of the parts of every item for its label and against the runner-up.

    A score is the label's value of ``decision_function`` less the runner-up's (of two classes its
    distance from 0). It is the sum of the baseline (the score of an item that holds nothing
    special), the evidence of the parts, the further terms, and the remainder.

    Attributes
    ----------
    evidence : ndarray of shape (n_parts,)
        Of all parts of all items, one item after another; above 0 where a part is for the label.
    offsets : ndarray of shape (n_items + 1,), int64
        Item `i` has ``evidence[offsets[i]:offsets[i + 1]]``.
    label, runner_up : ndarray of shape (n_items,)
    score, baseline, remainder : ndarray of shape (n_items,)
    kinds : mapping of str to ndarray of shape (n_parts,)
        The evidence by what it comes from; they add up to it.
    terms : mapping of str to ndarray of shape (n_items,)
        What no part of the item can be given, such as its length.

    Examples
    --------
    >>> import numpy as np
    >>> from sfmcore import SFMClassifier
    >>> X = np.array([[0.0, 5.0], [1.0, 5.5], [8.0, 5.0], [9.0, 5.5]] * 5)
    >>> model = SFMClassifier(n_components=1, random_state=0).fit(X, ["a", "a", "b", "b"] * 5)
    >>> found = model.explain(X[:1])
    >>> found.label.tolist(), bool(found[0][0] > found[0][1])
    (['a'], True)
    """

    evidence: Float64Array
    offsets: Int64Array
    label: npt.NDArray[Any]
    runner_up: npt.NDArray[Any]
    score: Float64Array
    baseline: Float64Array
    remainder: Float64Array
    kinds: Mapping[str, Float64Array]
    terms: Mapping[str, Float64Array]

    def __len__(self) -> int:
        return len(self.score)

    def __getitem__(self, item: int) -> Float64Array:
        """Evidence of the parts of one item."""
        place = range(len(self))[item]
        return self.evidence[self.offsets[place] : self.offsets[place + 1]]

    @property
    def totals(self) -> Float64Array:
        """Sum of the evidence of every item, shape (n_items,)."""
        before = np.concatenate([[0.0], np.cumsum(self.evidence)])
        return before[self.offsets[1:]] - before[self.offsets[:-1]]
