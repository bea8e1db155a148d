"""The I-th of N parts."""


def part_of(count: int, shard: tuple[int, int]) -> range:
    """Places of the I-th of N parts of so many items; the parts differ by one item at most.

    Parameters
    ----------
    count : int
    shard : (int, int)
        I from 1 to N, and N.

    Examples
    --------
    >>> [part_of(5, (number, 3)) for number in (1, 2, 3)]
    [range(0, 1), range(1, 3), range(3, 5)]
    """
    number, parts = shard
    return range(count * (number - 1) // parts, count * number // parts)
