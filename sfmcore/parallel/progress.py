"""Progress bars: on standard error, and only when it is a terminal."""

from collections.abc import Iterable
from typing import TypeVar

from tqdm import tqdm

T = TypeVar("T")


def progress(
    items: Iterable[T],
    description: str,
    *,
    total: int | None = None,
    show: bool = True,
    unit: str = "it",
) -> Iterable[T]:
    """Pass the items on, with a bar if `show` and standard error is a terminal.

    Examples
    --------
    >>> list(progress([1, 2], "counting", show=False))
    [1, 2]
    """
    # disable=None is tqdm's word for "off unless the stream is a terminal".
    return tqdm(
        items,
        desc=description,
        total=total,
        unit=unit,
        leave=False,
        disable=None if show else True,
    )
