"""Labels as they are given: the classes, and the items that have none."""

from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from sfmcore.data.arrays import BoolArray, Int64Array

UNLABELED = -1
"""Number of an item without label."""

_SHOWN = 6


def numbered_labels(
    y: npt.ArrayLike, n_items: int, unlabeled: Any = "auto"
) -> tuple[npt.NDArray[Any], Int64Array]:
    """Sorted classes, and the number of each item's class.

    Parameters
    ----------
    y : array-like of shape (n_items,)
    n_items : int
    unlabeled : "auto", None or a value, default="auto"
        Marker of unlabelled items in `y`. "auto": a missing value (None, NaN, NA) or
        an empty string; -1 beside two or more other numbers is refused, since it means "no
        label" to some and a class to others. None: nothing, every value is a class.

    Returns
    -------
    classes : ndarray of shape (n_classes,)
    numbers : ndarray of shape (n_items,), int64
        Places in `classes`; -1 for an item without label.

    Raises
    ------
    ValueError
        If there is not one entry for each item, a label is missing where none may be, labels
        are of several kinds or no classes, or it is not clear which items have no label.

    Examples
    --------
    >>> classes, numbers = numbered_labels(["b", "a", None, "b"], 4)
    >>> classes.tolist(), numbers.tolist()
    (['a', 'b'], [1, 0, -1, 1])
    >>> numbered_labels([-1, 1, -1], 3)[0].tolist()
    [-1, 1]
    >>> numbered_labels([-1, 1, 2], 3, unlabeled=-1)[1].tolist()
    [-1, 0, 1]
    """
    labels = _one_dimensional(y, n_items)
    without = _without_label(labels, unlabeled)
    try:
        rest = labels[~without]
        if labels.dtype == object and any(_is_missing(label) for label in rest.tolist()):
            raise TypeError("it holds None or NaN")
        if labels.dtype == object and len(rest) and not isinstance(rest[0], str):
            rest = np.array(rest.tolist())  # numbers that stood beside None
        assert_all_finite(rest, input_name="y")
        # Strings can be nothing else; to look at them would import pandas.
        if len(rest) and not isinstance(rest[0], str):
            check_classification_targets(rest)
        classes, numbers_of_rest = np.unique(rest, return_inverse=True)
    except TypeError as error:
        raise ValueError(f"y must hold labels of one kind, none missing: {error}") from error
    if isinstance(unlabeled, str) and unlabeled == "auto":
        _refuse_ambiguous(classes)
    numbers = np.full(n_items, UNLABELED, dtype=np.int64)
    numbers[~without] = numbers_of_rest
    return classes, numbers


def known_numbers(y: npt.ArrayLike, n_items: int, classes: npt.NDArray[Any]) -> Int64Array:
    """Class number of every label.

    Parameters
    ----------
    y : array-like of shape (n_items,)
    n_items : int
    classes : ndarray of shape (n_classes,)
        Those that were learnt.

    Raises
    ------
    ValueError
        If a label is of none of the classes.
    """
    own, numbers = numbered_labels(y, n_items, None)
    # As Python compares them: to NumPy 1 and "1" may be equal.
    known = {label: number for number, label in enumerate(classes.tolist())}
    unknown = [label for label in own.tolist() if label not in known]
    if unknown:
        raise ValueError(f"y holds labels that training did not: {unknown}")
    return np.array([known[label] for label in own.tolist()], dtype=np.int64)[numbers]


def require_two_classes(classes: npt.NDArray[Any], numbers: Int64Array, unlabeled: Any) -> None:
    """Refuse labels of fewer than two classes, and say where the others may have gone.

    Raises
    ------
    ValueError
        If there are fewer than two classes.

    Examples
    --------
    >>> classes, numbers = numbered_labels([1, -1, 1], 3, unlabeled=-1)
    >>> require_two_classes(classes, numbers, -1)
    Traceback (most recent call last):
    ...
    ValueError: at least two classes are needed, y has 1 class, 1; unlabeled=-1 removed 1 of 3 \
labels: if -1 is a class, set unlabeled=None or to another value
    """
    if len(classes) >= 2:
        return
    what = f"1 class, {classes.tolist()[0]!r}" if len(classes) else "none"
    text = f"at least two classes are needed, y has {what}"
    away = int(np.sum(numbers == UNLABELED))
    if away:
        text += f"; unlabeled={unlabeled!r} removed {away} of {len(numbers)} labels"
        if not (isinstance(unlabeled, str) and unlabeled == "auto"):
            text += f": if {unlabeled!r} is a class, set unlabeled=None or to another value"
    raise ValueError(text)


def _one_dimensional(y: npt.ArrayLike | None, n_items: int) -> npt.NDArray[Any]:
    if y is None:
        raise ValueError("a classifier requires y to be passed, but the target y is None")
    try:
        labels = np.asarray(y)
    except ValueError as error:  # lists of unequal length
        raise ValueError("y must hold one label for each item, not lists of labels") from error
    if labels.dtype.kind == "U" and not hasattr(y, "dtype"):
        # NumPy turns NaN and numbers that stand among strings into strings.
        given = np.array(y, dtype=object)
        if any(not isinstance(label, str) for label in given.ravel().tolist()):
            labels = given
    if labels.dtype.kind == "f" and not isinstance(getattr(y, "dtype", None), np.dtype):
        labels = _whole_again(y, labels)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = column_or_1d(labels, warn=True)
    if labels.ndim != 1 or len(labels) != n_items:
        raise ValueError(f"X has {n_items} items, y has shape {labels.shape}")
    return labels


def _whole_again(y: Any, labels: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Whole numbers that NumPy made floats because one is missing, as they were given.

    As in a list with None or NaN, and in pandas' nullable integers. Beyond 2**53 two different ones
    can become the same float.
    """
    given = np.array(y.tolist() if hasattr(y, "tolist") else y, dtype=object)
    present = [label for label in given.ravel().tolist() if not _is_missing(label)]
    whole = all(isinstance(label, Integral) and not isinstance(label, bool) for label in present)
    return given if present and whole and given.shape == labels.shape else labels


def _is_missing(label: Any) -> bool:
    """None, NaN, and pandas' NA and NaT, which are not equal to themselves."""
    if label is None:
        return True
    equal = label == label
    return not isinstance(equal, bool | np.bool_) or not equal


def _without_label(labels: npt.NDArray[Any], unlabeled: Any) -> BoolArray:
    """Which items the marker says have no label."""
    none = np.zeros(len(labels), dtype=bool)
    if unlabeled is None:
        return none
    is_auto = isinstance(unlabeled, str) and unlabeled == "auto"
    kind = labels.dtype.kind
    if kind == "O":
        known = np.array([not _is_missing(label) for label in labels.tolist()], dtype=bool)
        _refuse_mixed(labels[known])
        if is_auto:
            return ~known | np.array([isinstance(v, str) and not v for v in labels.tolist()])
        if _is_missing(unlabeled):
            return ~known
        own = _kind(unlabeled)
        same = [_kind(v) is own and bool(v == unlabeled) for v in labels.tolist()]
        return np.array(same, dtype=bool)
    if is_auto:
        return np.isnan(labels) if kind in "fmM" else labels == "" if kind == "U" else none
    # To NumPy 0 is False and 1 is "1" in some versions; to a reader they are not.
    if isinstance(unlabeled, str) != (kind == "U"):
        return none
    if isinstance(unlabeled, bool | np.bool_) != (kind == "b"):
        return none
    if _is_missing(unlabeled):
        return np.isnan(labels) if kind in "fmM" else none
    return np.asarray(labels == unlabeled, dtype=bool)


def _kind(label: Any) -> type:
    """Type of a label, NumPy's own taken for Python's; all numbers are of one kind."""
    plain = label.item() if isinstance(label, np.generic) else label
    return float if type(plain) is int else type(plain)


def _refuse_mixed(labels: npt.NDArray[Any]) -> None:
    nested = {type(label).__name__ for label in labels.tolist() if np.ndim(label) > 0}
    if nested:
        raise ValueError(f"y must hold one label for each item, not {', '.join(sorted(nested))}")
    others = {type(label).__name__ for label in labels.tolist() if not isinstance(label, str)}
    if others and any(isinstance(label, str) for label in labels.tolist()):
        raise ValueError(f"y mixes strings with {', '.join(sorted(others))}")


def _refuse_ambiguous(classes: npt.NDArray[Any]) -> None:
    """Refuse -1 with two or more other numbers; with only one it can only be a class."""
    if classes.dtype.kind not in "if" or len(classes) < 3 or -1 not in classes:
        return
    others = classes[classes != -1].tolist()
    shown = ", ".join(map(str, others[:_SHOWN])) + (", ..." if len(others) > _SHOWN else "")
    raise ValueError(
        f"y holds -1 in addition to {shown}: if -1 marks items without label, set unlabeled=-1; "
        "if it is a class, set unlabeled=None"
    )
