"""The protocol of preparations: what is done with inputs before a generative model sees them."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from sfmcore.data.arrays import Float64Array, Int64Array, UInt64Array
from sfmcore.data.near_pairs import NearPairs
from sfmcore.data.storable import storable


class FittedPreparation(ABC):
    """Fitted state of a preparation; immutable."""

    @abstractmethod
    def apply(self, items: Any) -> Any:
        """Items as the models get them.

        Parameters
        ----------
        items : batch of items
            As :meth:`Preparation.encode` returns them.
        """

    def apply_to_training(self, items: Any) -> Any:
        """Result of :meth:`apply` for all training items, which may be computed by tasks.

        Tasks (:func:`sfmcore.parallel.tasks.run_tasks`) run where the plan in force says, and are
        kept and shown as it says.

        Parameters
        ----------
        items : batch of items
            As :meth:`Preparation.encode` returns them.
        """
        return self.apply(items)

    @property
    def model_parameters(self) -> dict[str, Any]:
        """Parameters of the models that only the preparation knows, such as a vocabulary's size."""
        return {}

    @property
    def n_vectors(self) -> int:
        """Columns of the extra vectors that it adds to the items."""
        return 0

    @property
    def n_references(self) -> int:
        """References whose similarities it adds to the items; 0 for none."""
        return 0

    @property
    def rows_are_as_met(self) -> bool:
        """Whether training items are no closer to each other than to other items."""
        return True

    @property
    def relative_weight(self) -> float:
        """Weight of those similarities in the kernel."""
        return 1.0

    def own_references(self, items: Any) -> Int64Array:
        """The reference that each item is; -1 if it is none.

        A training item is like itself as no other will be: what is learnt from its similarities
        leaves this one out.

        Parameters
        ----------
        items : batch of items
            As for :meth:`apply`.
        """
        return np.full(len(items), -1)

    def summary(self) -> list[str]:
        """Lines for a description of the model; none where there is nothing to say."""
        return []

    def get_arrays(self) -> dict[str, np.ndarray]:
        """Arrays for the model file."""
        return {}


@storable
class Unchanged(FittedPreparation):
    """Items as they are."""

    def apply(self, items: Any) -> Any:
        """Return the items."""
        return items

    def __reduce__(self) -> str:
        """There is one, in every process."""
        return "UNCHANGED"


UNCHANGED = Unchanged()
"""The one preparation that does nothing."""


class Preparation(BaseEstimator, ABC):
    """Transformation of a user's inputs before a generative model.

    A classifier encodes its X, fits the preparation to the training items, and applies what was
    learnt to every batch. Parameters are those of the constructor, as scikit-learn has it.
    """

    makes_codes: bool | None = None
    """Whether its items are ragged codes, or rows of numbers; None if unspecified."""
    machine_parameters: ClassVar[tuple[str, ...]] = ()
    """Parameters that change no prediction and belong to the machine; no model file holds them."""

    earlier: ClassVar[Mapping[str, Any]] = {}
    """Values of parameters that model files of earlier formats do not hold."""

    def check_parameters(self) -> None:
        """Refuse parameters that can't be used.

        Raises
        ------
        ValueError
            If one is out of range; the text begins with its name.
        """

    @abstractmethod
    def encode(self, X: Any, estimator: Any, *, reset: bool = False) -> Any:
        """Turn a user's X into a batch of items, or refuse it; a batch passes through.

        Parameters
        ----------
        X : inputs
        estimator : BaseEstimator
            Whose X it is: its `n_jobs` and `verbose` count, and it keeps `n_features_in_`.
        reset : bool, default=False
            Whether it is fitted to X.

        Raises
        ------
        ValueError
            If an input can't be used.
        """

    @abstractmethod
    def fit(
        self, items: Any, weights: Float64Array, *, seed: int, n_threads: int
    ) -> FittedPreparation:
        """Learn from training items.

        Parameters
        ----------
        items : batch of items
        weights : ndarray of shape (n_items,)
            An item of weight 0 is not seen.
        seed : int
        n_threads : int
            The result does not depend on it.
        """

    def tune(
        self,
        fitted: FittedPreparation,
        items: Any,
        classes: Int64Array,
        weights: Float64Array,
        *,
        seed: int,
    ) -> FittedPreparation:
        """Choose what labels decide, once the rest was learnt without them; here nothing.

        Parameters
        ----------
        fitted : FittedPreparation
            As :meth:`fit` returned it.
        items : batch of items
        classes : ndarray of shape (n_items,), int64
            Class of each item; -1 for an item without label.
        weights : ndarray of shape (n_items,)
            An item of weight 0 is not seen.
        seed : int
        """
        return fitted

    @abstractmethod
    def of_arrays(self, arrays: Mapping[str, np.ndarray], n_threads: int) -> FittedPreparation:
        """Take back what :meth:`FittedPreparation.get_arrays` gave, with these parameters.

        Raises
        ------
        KeyError, ValueError
            If an array is missing, or does not fit the parameters.
        """

    def check_fits(self, fitted: FittedPreparation) -> None:
        """Refuse to go on with parameters that were set to something else since fitting.

        Raises
        ------
        ValueError
            If items would be encoded in another way than those that were learnt from.
        """

    def content_keys(self, items: Any) -> UInt64Array | None:
        """Digests that equal items share; None for those of the items as the models get them."""
        return None

    def near_copies(
        self, items: Any, *, n_threads: int = 1, show_progress: bool = False
    ) -> NearPairs:
        """Pairs of different items that are nearly the same; here none.

        Two items of such a pair should have the same label, or one of the labels is wrong.

        Parameters
        ----------
        items : batch of items
            As :meth:`encode` returns them.
        n_threads : int, default=1
            The result does not depend on it.
        show_progress : bool, default=False
        """
        return NearPairs()


def applied(preparations: Sequence[FittedPreparation], items: Any) -> list[Any]:
    """Items as each of the preparations makes them; equal ones do it once."""
    made: dict[int, Any] = {}
    for own in preparations:
        if id(own) not in made:
            made[id(own)] = own.apply(items)
    return [made[id(own)] for own in preparations]
