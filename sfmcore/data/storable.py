"""Classes that a file of results may contain, by name."""

from typing import TypeVar

T = TypeVar("T", bound=type)

_KNOWN: dict[str, type] = {}


def storable(cls: T) -> T:
    """Let results in a checkpoint hold objects of a class; a decorator.

    Such an object is its attributes and nothing else: it is written as them, and comes back without
    a call of its constructor. A file can't name any other class.

    Parameters
    ----------
    cls : type

    Examples
    --------
    >>> @storable
    ... class Point:
    ...     pass
    >>> class_of(name_of(Point)) is Point
    True
    """
    _KNOWN[name_of(cls)] = cls
    return cls


def name_of(cls: type) -> str:
    """Name of a class in a file."""
    return f"{cls.__module__}.{cls.__qualname__}"


def class_of(name: str) -> type | None:
    """Class of a name; None if no class of that name was declared storable."""
    return _KNOWN.get(name)
