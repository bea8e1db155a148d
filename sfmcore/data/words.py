"""Numbers of things in words."""

from collections.abc import Mapping, Sequence

_MOST_NAMES = 12
MOST_LISTED = 20
"""Names that a message lists."""


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


def listed(names: Sequence[str]) -> str:
    """Names in a row; of many, the first.

    Examples
    --------
    >>> listed(["coast", "forest"])
    'coast, forest'
    >>> listed([str(number) for number in range(40)])[-14:]
    '19 and 20 more'
    """
    more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    return ", ".join(names[:MOST_LISTED]) + more


def lonely_classes(counts: Mapping[str, int], noun: str) -> list[str]:
    """Warning about classes with a single item, or none.

    Parameters
    ----------
    counts : mapping of str to int
        Items of each class.
    noun : str
        What an item is called.

    Examples
    --------
    >>> lonely_classes({"coast": 1, "forest": 30}, "image")
    ["warning: class 'coast' has only one image"]
    >>> lonely_classes({"coast": 1, "forest": 1}, "image")
    ["warning: 2 classes have only one image: 'coast', 'forest'"]
    """
    lonely = [repr(name) for name, count in counts.items() if count == 1]
    if len(lonely) == 1:
        return [f"warning: class {lonely[0]} has only one {noun}"]
    if lonely:
        return [f"warning: {len(lonely)} classes have only one {noun}: {listed(lonely)}"]
    return []
