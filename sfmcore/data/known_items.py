"""Which items a classifier was made from, by their digests."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from sfmcore.data.arrays import BoolArray, Int64Array, UInt64Array

UNKNOWN = -1
"""Role of an item that the classifier was not made from."""
KEPT = 0
"""Role of an item that nothing was learnt from: a certificate and sets were measured on it."""
FITTED = 1
"""Role of an item that u was learnt from, and no model."""
SEEN = 2
"""Role of an item that the models were learnt from too."""


@dataclass(frozen=True)
class KnownItems:
    """Digests of the items that a classifier was made from, and what each was used for.

    Attributes
    ----------
    digests : ndarray of shape (n_digests,), uint64
        Sorted, each once.
    roles : ndarray of shape (n_digests,), uint8
        `KEPT`, `FITTED` or `SEEN`.
    """

    digests: UInt64Array
    roles: npt.NDArray[np.uint8]

    @classmethod
    def of(cls, digests: UInt64Array, seen: BoolArray | None = None) -> Self:
        """Of items that a classifier was learnt from.

        Parameters
        ----------
        digests : ndarray of shape (n_items,), uint64
            Equal items have equal ones.
        seen : ndarray of shape (n_items,), bool, optional
            Items that the models were learnt from; all of them by default.

        Examples
        --------
        >>> known = KnownItems.of(np.array([7, 3, 7], dtype=np.uint64))
        >>> known.roles_of(np.array([3, 4, 7], dtype=np.uint64)).tolist()
        [2, -1, 2]
        """
        roles = np.full(len(digests), SEEN, dtype=np.uint8)
        if seen is not None:
            roles[~seen] = FITTED
        return cls._joined(digests, roles)

    def with_kept(self, digests: UInt64Array) -> Self:
        """The same with items that were kept for a certificate.

        Parameters
        ----------
        digests : ndarray of shape (n_items,), uint64
        """
        kept = np.full(len(digests), KEPT, dtype=np.uint8)
        return self._joined(
            np.concatenate([self.digests, digests]), np.concatenate([self.roles, kept])
        )

    @classmethod
    def _joined(cls, digests: UInt64Array, roles: npt.NDArray[np.uint8]) -> Self:
        """Each digest once, with the largest of its roles."""
        unique, places = np.unique(digests, return_inverse=True)
        largest = np.zeros(len(unique), dtype=np.uint8)
        np.maximum.at(largest, places, roles)
        return cls(unique, largest)

    def roles_of(self, digests: UInt64Array) -> Int64Array:
        """What items of these digests were used for; `UNKNOWN` for other items.

        Parameters
        ----------
        digests : ndarray of shape (n_items,), uint64

        Returns
        -------
        ndarray of shape (n_items,), int64
            Rising with how much was learnt from an item.
        """
        places = np.minimum(np.searchsorted(self.digests, digests), len(self.digests) - 1)
        return np.where(
            self.digests[places] == digests, self.roles[places].astype(np.int64), UNKNOWN
        )

    def get_arrays(self) -> dict[str, np.ndarray]:
        """Digests and roles, for the model file."""
        return {"digests": self.digests, "roles": self.roles}

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, np.ndarray]) -> Self:
        """Take back what :meth:`get_arrays` gave.

        Parameters
        ----------
        arrays : mapping of str to ndarray

        Raises
        ------
        KeyError, ValueError
            If an array is missing, or does not fit.
        """
        digests, roles = arrays["digests"], arrays["roles"]
        if digests.ndim != 1 or digests.dtype != np.uint64 or not len(digests):
            raise ValueError("digests of known items must be uint64, at least one")
        if np.any(digests[1:] <= digests[:-1]):
            raise ValueError("digests of known items must rise")
        if roles.shape != digests.shape or roles.dtype != np.uint8 or roles.max() > SEEN:
            raise ValueError(f"roles of known items must be from 0 to {SEEN}, one for each")
        return cls(digests, roles)
