"""Rows of numbers: checked, and their columns scaled."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import validate_data

from sfmcore.data.arrays import Float64Array
from sfmcore.data.checks import check_choice
from sfmcore.preparation.base import Preparation
from sfmcore.preparation.scaling import (
    ColumnScaling,
    PowerScaling,
    QuantileScaling,
    Scaling,
    Unscaled,
)

ScalingName = Literal["standard", "power", "uniform", "normal"]
SCALINGS = ("standard", "power", "uniform", "normal", None)


class Columns(Preparation):
    """Scale the columns of X.

    Parameters
    ----------
    scaling : {"standard", "power", "uniform", "normal", None}, default="standard"
        Subtract the mean of every column and divide by its deviation; or bend it by Yeo and
        Johnson's power in between, so that it looks more normal; or take the ranks of its numbers
        among those of training, as they are or as normal scores; or leave it as it is.

    Examples
    --------
    >>> fitted = Columns().fit(np.array([[1.0], [3.0]]), np.ones(2), seed=0, n_threads=1)
    >>> fitted.apply(np.array([[5.0]])).tolist()
    [[3.0]]
    """

    makes_codes = False

    def __init__(self, scaling: ScalingName | None = "standard") -> None:
        self.scaling = scaling

    def check_parameters(self) -> None:
        """Refuse another scaling."""
        check_choice("scaling", self.scaling, SCALINGS)

    def encode(self, X: Any, estimator: Any, *, reset: bool = False) -> Float64Array:
        """Rows of finite numbers, in double precision."""
        rows: Float64Array = validate_data(
            estimator, X, reset=reset, dtype=np.float64, order="C", accept_sparse=False
        )
        return rows

    def fit(
        self, items: Float64Array, weights: Float64Array, *, seed: int, n_threads: int
    ) -> ColumnScaling:
        """Learn what is done with the columns; an item of weight 0 is not seen."""
        if self.scaling == "power":
            return PowerScaling.of(items, weights)
        if self.scaling in ("uniform", "normal"):
            return QuantileScaling.of(items, weights, normal=self.scaling == "normal")
        scaling = Scaling.of(items, weights)
        return scaling if self.scaling == "standard" else Unscaled(scaling.scale**2)

    def of_arrays(self, arrays: Mapping[str, np.ndarray], n_threads: int) -> ColumnScaling:
        """Take back what a scaling gave for the model file."""
        if self.scaling == "power":
            return PowerScaling.of_arrays(arrays)
        if self.scaling in ("uniform", "normal"):
            return QuantileScaling.of_arrays(arrays, normal=self.scaling == "normal")
        if self.scaling == "standard":
            return Scaling.of_arrays(arrays)
        return Unscaled.of_arrays(arrays)
