"""Items as a generative model takes them, with nothing learnt."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import validate_data

from sfmcore.data.arrays import Float64Array
from sfmcore.data.checks import check_choice
from sfmcore.data.ragged import Ragged
from sfmcore.preparation.base import UNCHANGED, FittedPreparation, Preparation


class AsGiven(Preparation):
    """Leave the items as they are.

    Parameters
    ----------
    kind_of_data : {"rows", "codes"}, default="rows"
        Rows of finite numbers; or ragged items of codes (:class:`~sfmcore.data.ragged.Ragged`),
        such as symbols of a sequence or words of a document.

    Examples
    --------
    >>> AsGiven("codes").encode([[0, 1], [2]], estimator=None)
    Ragged(2 items, 3 codes)
    """

    def __init__(self, kind_of_data: Literal["rows", "codes"] = "rows") -> None:
        self.kind_of_data = kind_of_data

    @property
    def makes_codes(self) -> bool:  # type: ignore[override]
        """Whether its items are ragged codes."""
        return self.kind_of_data == "codes"

    def check_parameters(self) -> None:
        """Refuse another kind of data."""
        check_choice("kind_of_data", self.kind_of_data, ("rows", "codes"))

    def encode(self, X: Any, estimator: Any, *, reset: bool = False) -> Any:
        """Rows in double precision, or a batch of codes."""
        if self.kind_of_data == "codes":
            return X if isinstance(X, Ragged) else Ragged.from_items(X)
        return validate_data(estimator, X, reset=reset, dtype=np.float64, order="C")

    def fit(
        self, items: Any, weights: Float64Array, *, seed: int, n_threads: int
    ) -> FittedPreparation:
        """Learn nothing."""
        return UNCHANGED

    def of_arrays(self, arrays: Mapping[str, np.ndarray], n_threads: int) -> FittedPreparation:
        """Nothing was stored."""
        return UNCHANGED
