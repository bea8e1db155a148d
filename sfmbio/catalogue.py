"""Catalogue of the training records that serve as references: their ids and classes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from sfmbio.alignments.nearest import NearestReferences
from sfmcore.data.arrays import Float64Array, Int64Array
from sfmcore.data.names import shown_controls

# What Biopython calls a record that was given no name.
_NO_ID = "<unknown id>"


@dataclass(frozen=True)
class Nearest:
    """The nearest training sequence of every item, by its best local alignment.

    Attributes
    ----------
    ids : ndarray of shape (n_items,), object
        Id of the training record, a str; None where nothing is near.
    labels : ndarray of shape (n_items,), object
        Its class; None where nothing is near, or the record has no label.
    identity : ndarray of shape (n_items,)
        Identical columns over all columns of the alignment, from 0 to 1; NaN where nothing is near.
    e_value : ndarray of shape (n_items,)
        Alignments as good that chance would give among all references, at most 10; NaN where
        nothing is near.
    score : ndarray of shape (n_items,), int64
        Smith and Waterman's, with BLOSUM62 and gaps of 11 + length; 0 where nothing is near.
    references : ndarray of shape (n_items,), int64
        The reference's number in the model; -1 where nothing is near.
    """

    ids: npt.NDArray[np.object_]
    labels: npt.NDArray[np.object_]
    identity: Float64Array
    e_value: Float64Array
    score: Int64Array
    references: Int64Array

    def __len__(self) -> int:
        return len(self.references)


@dataclass(frozen=True)
class Catalogue:
    """The training record that each reference stands for.

    A sequence may have been given several times: the first record with a label stands for it, or
    the first of all if none has one.

    Attributes
    ----------
    names : list of str
        Ids, one for each reference.
    classes : ndarray of shape (n_references,), int64
        Numbers of the records' classes; -1 for a record without label.
    """

    names: list[str]
    classes: Int64Array

    @classmethod
    def of(
        cls, own: Int64Array, numbers: Int64Array, names: Sequence[str], n_references: int
    ) -> "Catalogue":
        """Take the record of every reference.

        Parameters
        ----------
        own : ndarray of shape (n_items,), int64
            The reference that each training item is; -1 if it is none.
        numbers : ndarray of shape (n_items,), int64
            Class of each, or -1.
        names : sequence of str
            Ids of the items.
        n_references : int

        Examples
        --------
        >>> own, numbers = np.array([1, 0, 1, -1]), np.array([-1, 2, 0, 1])
        >>> Catalogue.of(own, numbers, ["a", "b", "c", "d"], 2).names
        ['b', 'c']
        """
        order = np.lexsort((np.arange(len(own)), numbers < 0, own))
        order = order[own[order] >= 0]
        first = order[np.diff(own[order], prepend=-1) > 0]
        if len(first) != n_references:
            raise ValueError("every reference must be a training item")
        return cls([names[place] for place in first], numbers[first].astype(np.int64))

    def nearest(self, found: NearestReferences, classes: npt.NDArray[Any]) -> Nearest:
        """Say by ids and labels what was found.

        Parameters
        ----------
        found : NearestReferences
        classes : ndarray of shape (n_classes,)
            Labels of the classes.
        """
        # The last one stands for none: a number of -1 finds it.
        names = np.array([*self.names, None], dtype=object)
        labels = np.array([*classes.tolist(), None], dtype=object)
        numbers = np.append(self.classes, -1)
        return Nearest(
            names[found.references],
            labels[numbers[found.references]],
            found.identity,
            found.e_values,
            found.scores,
            found.references,
        )

    def get_arrays(self) -> dict[str, np.ndarray]:
        """Names and classes, for the model file."""
        encoded = [name.encode() for name in self.names]
        return {
            "names": np.frombuffer(b"".join(encoded), dtype=np.uint8),
            "name_offsets": np.cumsum([0, *map(len, encoded)], dtype=np.int64),
            "classes": self.classes,
        }

    @classmethod
    def of_arrays(
        cls, arrays: Mapping[str, np.ndarray], n_references: int, n_classes: int
    ) -> "Catalogue":
        """Take back what :meth:`get_arrays` gave.

        Raises
        ------
        KeyError, ValueError
            If an array is missing, or does not fit.
        """
        known = ("names", "name_offsets", "classes")
        for name in arrays.keys() - set(known):
            raise ValueError(f"{name} is nothing that is known of references")
        text, offsets, classes = (arrays[name] for name in known)
        if text.ndim != 1 or text.dtype != np.uint8:
            raise ValueError("names of references must be bytes")
        if offsets.shape != (n_references + 1,) or offsets.dtype != np.int64:
            raise ValueError(f"name_offsets must be int64 of shape ({n_references + 1},)")
        if offsets[0] != 0 or offsets[-1] != len(text) or np.any(offsets[1:] <= offsets[:-1]):
            raise ValueError("name_offsets must rise from 0 to the number of bytes")
        if classes.shape != (n_references,) or classes.dtype != np.int64:
            raise ValueError("every reference must have the number of its class")
        if np.any((classes < -1) | (classes >= n_classes)):
            raise ValueError(f"classes of references must be from -1 to {n_classes - 1}")
        whole = text.tobytes()
        # A name that is not UTF-8 raises UnicodeDecodeError, which is a ValueError.
        names = [whole[start:end].decode() for start, end in pairwise(offsets.tolist())]
        if any(name != shown_controls(name) for name in names):
            raise ValueError("a name of a reference must be one line of text")
        return cls(names, classes)


def names_of(X: Any, ids: Any, n_items: int, what: str, parameter: str) -> list[str]:
    """Names of a user's inputs.

    Parameters
    ----------
    X : inputs
        Biopython's records have names of their own.
    ids : iterable or None
        Names given beside X; None, or a missing one, for that of the record, or the place in X.
    n_items : int
        In X.
    what : str
        What the inputs are called, such as ``"X"``.
    parameter : str
        What `ids` is called.

    Returns
    -------
    list of str
        Without control characters, which are written out.

    Raises
    ------
    ValueError
        If `ids` is one string, has another length than X, or holds an empty name.

    Examples
    --------
    >>> names_of(["MKV", "LLA"], ["a", None], 2, "X", "ids")
    ['a', 'X[1]']
    """
    if ids is None:
        given = [getattr(item, "id", None) if hasattr(item, "seq") else None for item in X]
        given = [None if name in ("", _NO_ID) else name for name in given]
    elif isinstance(ids, str | bytes):
        raise ValueError(f"{parameter} must be a list of ids, not one id")
    else:
        given = list(ids)
    if len(given) != n_items:
        raise ValueError(f"{what} has {n_items} items, {parameter} has {len(given)}")
    names = [
        f"{what}[{place}]" if name is None else _shown(str(name))
        for place, name in enumerate(given)
    ]
    if "" in names:
        raise ValueError(f"{parameter}: item {names.index('')} is empty")
    return names


def _shown(text: str) -> str:
    """Text that can stand in a file: half a pair of surrogates is written out."""
    return shown_controls(text.encode("utf-8", "backslashreplace").decode())
