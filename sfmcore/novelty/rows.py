"""Plain rows of items, which distances are taken between."""

from typing import Any

import numpy as np

from sfmcore.data.arrays import Float32Array
from sfmcore.data.ragged import Ragged
from sfmcore.data.with_vectors import items_of, plain_of, vectors_of

MOST_CODES = 1024
"""Columns for codes, at most; codes share columns where there are more of them."""


def plain_rows(made: Any, n_codes: int) -> Float32Array | None:
    r"""Rows of items as a preparation makes them.

    Those that the preparation made for it, where it made some. Otherwise an item of codes is the
    square roots of its codes' shares, whose distances are Hellinger's, the logarithm of its length
    and the vector beside it; a row of numbers is itself. Nothing of it is learnt from labels, so
    that a training item says of its own class no more than another would.

    Parameters
    ----------
    made : batch of items
    n_codes : int
        Columns for the codes; see :func:`count_codes`.

    Returns
    -------
    ndarray of shape (n_items, n_columns), float32, or None
        None for items that are neither codes nor rows of numbers.

    Examples
    --------
    >>> batch = Ragged.from_items([b"\x00\x00\x00\x01"])
    >>> plain_rows(batch, 2).round(2).tolist()
    [[0.8700000047683716, 0.5, 1.6100000143051147]]
    """
    plain = plain_of(made)
    if plain is not None:
        return plain
    items, vectors = items_of(made), vectors_of(made)
    if isinstance(items, Ragged):
        lengths = items.lengths
        cells = np.repeat(np.arange(len(items)), lengths) * n_codes + items.values % n_codes
        counts = np.bincount(cells, minlength=len(items) * n_codes).reshape(-1, n_codes)
        shares = np.sqrt(counts / np.maximum(lengths, 1)[:, None])
        parts = [shares, np.log1p(lengths)[:, None], vectors]
        return np.hstack(parts).astype(np.float32)
    if isinstance(items, np.ndarray) and items.ndim == 2 and items.dtype.kind in "fiub":
        return np.hstack([items, vectors]).astype(np.float32)
    return None


def count_codes(made: Any) -> int:
    """Columns for the codes of training items: one more than the largest code, within a limit.

    Parameters
    ----------
    made : batch of items
    """
    items = items_of(made)
    if not isinstance(items, Ragged) or len(items.values) == 0:
        return 1
    return min(int(items.values.max()) + 1, MOST_CODES)
