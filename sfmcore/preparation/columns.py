"""Plain vectors as inputs: checking, scaling, and the mixture that models them."""

from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils.validation import validate_data

from sfmcore.data.arrays import Float64Array
from sfmcore.data.checks import check_choice, check_number, check_whole
from sfmcore.models.gmm import DiagonalGMM
from sfmcore.preparation.scaling import (
    PowerScaling,
    QuantileScaling,
    Scaling,
    Unscaled,
    VectorPreparation,
)

ScalingName = Literal["standard", "power", "uniform", "normal"]
SCALINGS = ("standard", "power", "uniform", "normal", None)


class VectorInputs:
    """What the estimators of vectors do with X, by their own parameters."""

    n_components: Any
    scaling: Any
    n_init: Any
    em_max_iter: Any
    em_tol: Any
    # 0 where a classifier may go without mixtures.
    _fewest_components: ClassVar[int] = 1

    def _check_inputs(self) -> None:
        check_whole("n_components", self.n_components, self._fewest_components)
        for name in ("n_init", "em_max_iter"):
            check_whole(name, getattr(self, name), 1)
        check_number("em_tol", self.em_tol, "of at least 0", lambda tol: tol >= 0)
        check_choice("scaling", self.scaling, SCALINGS)

    def _make_model(self, inputs: Any) -> DiagonalGMM | None:
        if self.n_components == 0:
            return None
        return DiagonalGMM(
            self.n_components,
            n_init=self.n_init,
            max_iter=self.em_max_iter,
            tol=self.em_tol,
            # Both mixtures measure their floors by the same columns: those of all items.
            column_variance=inputs.column_variance,
        )

    def _encode(self, X: Any, *, first: bool = False) -> Float64Array:
        """Float64Array of finite numbers, in double precision."""
        rows: Float64Array = validate_data(
            self, X, reset=first, dtype=np.float64, order="C", accept_sparse=False
        )
        return rows

    def _kind_of_inputs(self) -> Any:
        return self.scaling

    def _fit_inputs(self, items: Float64Array, weights: Float64Array) -> VectorPreparation:
        """Learn what is done with the columns; an item of weight 0 is not seen."""
        if self.scaling == "power":
            return PowerScaling.of(items, weights)
        if self.scaling in ("uniform", "normal"):
            return QuantileScaling.of(items, weights, normal=self.scaling == "normal")
        scaling = Scaling.of(items, weights)
        return scaling if self.scaling == "standard" else Unscaled(scaling.scale**2)
