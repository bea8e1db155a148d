"""Numbers of things in words."""

from collections.abc import Mapping

_MOST_NAMES = 12


def counted(number: int, noun: str) -> str:
    """Number and noun, such as ``1 row`` and ``2 rows``.

    Examples
    --------
    >>> counted(1, "row"), counted(0, "class")
    ('1 row', '0 classes')
    """
    ending = "" if number == 1 else "es" if noun.endswith("s") else "s"
    return f"{number} {noun}{ending}"


def counted_names(counts: Mapping[str, int]) -> str:
    """Names with their counts; of many the smallest and the largest count alone.

    Examples
    --------
    >>> counted_names({"brick": 64, "grass": 60})
    'brick 64, grass 60'
    >>> counted_names({f"family{n}": n for n in range(4, 300)})
    '4 to 299 of each'
    """
    if len(counts) <= _MOST_NAMES:
        return ", ".join(f"{name} {count}" for name, count in counts.items())
    least, most = min(counts.values()), max(counts.values())
    return f"{least} of each" if least == most else f"{least} to {most} of each"
