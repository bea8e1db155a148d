"""Feature rows of training items, dense or sparse."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, issparse, vstack

Rows: TypeAlias = npt.NDArray[np.float32] | csr_array
"""float32 rows of shape (n_rows, n_features)."""


class RowStore:
    """Takes rows a few at a time, and keeps of sparse ones what is not zero.

    Parameters
    ----------
    n_rows, n_columns : int
        Of all rows in the end.
    sparse : bool

    Examples
    --------
    >>> store = RowStore(2, 3, sparse=True)
    >>> store.add(np.float32([[0, 2, 0], [0, 0, 0]]))
    >>> store.rows().nnz
    1
    """

    def __init__(self, n_rows: int, n_columns: int, *, sparse: bool) -> None:
        self._parts: list[csr_array] = []
        self._dense = None if sparse else np.empty((n_rows, n_columns), dtype=np.float32)
        self._shape = n_rows, n_columns
        self._filled = 0

    def add(self, rows: npt.NDArray[np.float32]) -> None:
        """Take the next dense rows."""
        end = self._filled + len(rows)
        if self._dense is None:
            self._parts.append(csr_array(rows))
        else:
            self._dense[self._filled : end] = rows
        self._filled = end

    def rows(self) -> Rows:
        """All rows.

        Raises
        ------
        ValueError
            If some are missing.
        """
        if self._filled != self._shape[0]:
            raise ValueError(f"{self._filled} of {self._shape[0]} rows are there")
        if self._dense is not None:
            return self._dense
        if not self._parts:
            return csr_array(self._shape, dtype=np.float32)
        return vstack(self._parts, format="csr")


def chosen(rows: Rows, mask: npt.NDArray[np.bool_]) -> Rows:
    """The rows of a mask; all of them are not copied."""
    if mask.all():
        return rows
    return rows[mask] if issparse(rows) else np.ascontiguousarray(rows[mask])
