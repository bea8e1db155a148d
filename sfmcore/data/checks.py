"""Refusing parameters that can't be used, by their names."""

import math
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np


def check_whole(name: str, value: Any, least: int) -> None:
    """Refuse what is not a whole number of at least `least`.

    Examples
    --------
    >>> check_whole("n_init", 0, 1)
    Traceback (most recent call last):
    ...
    ValueError: n_init must be a whole number of at least 1, got 0
    """
    # bool is an Integral, but nobody means 1 by True here.
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}")


def check_number(name: str, value: Any, what: str, fits: Callable[[float], bool]) -> None:
    """Refuse what is not a finite number that fits; `what` says in words what does.

    Examples
    --------
    >>> check_number("clip", "wide", "above 0", lambda clip: clip > 0)
    Traceback (most recent call last):
    ...
    ValueError: clip must be a number above 0, got 'wide'
    """
    try:
        number = float(value) if isinstance(value, Real) else math.nan
    except OverflowError:
        number = math.inf
    if isinstance(value, bool) or not math.isfinite(number) or not fits(number):
        raise ValueError(f"{name} must be a number {what}, got {value!r}")


def check_choice(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    """Refuse what is none of the choices.

    Examples
    --------
    >>> check_choice("refit", "false", (True, False))
    Traceback (most recent call last):
    ...
    ValueError: refit must be True or False, got 'false'
    """
    plain = value.item() if isinstance(value, np.generic) else value
    # By type as well: 1 == True.
    if not any(type(plain) is type(choice) and plain == choice for choice in choices):
        *others, last = map(repr, choices)
        raise ValueError(f"{name} must be {', '.join(others)} or {last}, got {value!r}")
