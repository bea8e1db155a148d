"""Plain vectors as inputs: checking, standardising, and the mixture that models them."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import validate_data

from sfmcore.bound import FloatArray
from sfmcore.models.gmm import DiagonalGMM
from sfmcore.parameters import check_choice, check_number, check_whole
from sfmcore.scaling import Scaling

Rows = npt.NDArray[np.float64]

# The square of a larger number leaves the range of float32.
_LARGEST = 1e18


class VectorInputs:
    """What the estimators of vectors do with X, by their own parameters."""

    n_components: Any
    standardize: Any
    n_init: Any
    em_max_iter: Any
    em_tol: Any
    scaling_: Scaling

    def _check_inputs(self) -> None:
        for name in ("n_components", "n_init", "em_max_iter"):
            check_whole(name, getattr(self, name), 1)
        check_number("em_tol", self.em_tol, "of at least 0", lambda tol: tol >= 0)
        check_choice("standardize", self.standardize, (True, False))

    def _make_model(self) -> DiagonalGMM:
        return DiagonalGMM(
            self.n_components,
            n_init=self.n_init,
            max_iter=self.em_max_iter,
            tol=self.em_tol,
            # Both mixtures measure their floors by the same columns: those of all items.
            column_variance=1.0 if self.standardize else self.scaling_.scale**2,
        )

    def _encode(self, X: Any, *, first: bool = False) -> Rows:
        """Rows of finite numbers, in double precision."""
        rows: Rows = validate_data(
            self, X, reset=first, dtype=np.float64, order="C", accept_sparse=False
        )
        return rows

    def _fit_inputs(self, items: Rows, weights: FloatArray) -> None:
        self.scaling_ = Scaling.of(items, weights)

    def _prepared(self, items: Rows) -> Rows:
        if self.standardize:
            return self.scaling_.apply(items)
        if items.size and np.abs(items).max() > _LARGEST:
            raise ValueError(
                f"X holds numbers beyond {_LARGEST:g}, whose squares are features: "
                "scale it, or set standardize=True"
            )
        return items
