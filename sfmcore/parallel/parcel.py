"""Objects on their way to a worker, which may not know their classes.

A worker of Dask that can't unpickle what it gets falls silent, and its client waits. A parcel that
can't be opened says why.
"""

import pickle
from typing import Any

from sfmcore.data.errors import UserError


class Parcel:
    """An object that arrives in another process as itself, or as what says why it did not.

    Parameters
    ----------
    value : object

    Examples
    --------
    >>> pickle.loads(pickle.dumps(Parcel([1, 2])))
    [1, 2]
    """

    def __init__(self, value: Any) -> None:
        self.value = value

    def __reduce__(self) -> tuple[Any, ...]:
        return arrived, (wrapped(self.value),)


class Unopened:
    """A parcel that could not be opened here; another process may have what it takes.

    Parameters
    ----------
    content : bytes
    why : str
    """

    def __init__(self, content: bytes, why: str) -> None:
        self.content, self.why = content, why

    def __reduce__(self) -> tuple[Any, ...]:
        return arrived, (self.content,)


def opened(value: Any) -> Any:
    """Content of what arrived.

    Parameters
    ----------
    value : object
        As it arrived.

    Raises
    ------
    UserError
        If it could not be opened.

    Examples
    --------
    >>> opened(Parcel(3)), opened(3)
    (3, 3)
    """
    if isinstance(value, Unopened):
        raise UserError(
            f"a worker can't read what it was sent ({value.why}): install the same packages there"
        )
    # Within one process nothing was packed.
    return value.value if isinstance(value, Parcel) else value


def wrapped(value: Any) -> bytes:
    """An object as bytes, with the functions and classes of a notebook in them."""
    import cloudpickle  # it comes with Dask

    content: bytes = cloudpickle.dumps(value)
    return content


def arrived(content: bytes) -> Any:
    """The object of such bytes, or an :class:`Unopened`."""
    try:
        return pickle.loads(content)
    except Exception as error:  # whatever a class that is missing or another leads to
        return Unopened(content, f"{type(error).__name__}: {error}")
