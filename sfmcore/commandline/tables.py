"""Plain tables for a terminal."""

from collections.abc import Sequence


def aligned(rows: Sequence[tuple[str, ...]]) -> str:
    """Columns of equal width: the first to the left, the others to the right.

    Examples
    --------
    >>> print(aligned([("class", "n"), ("a", "10")]))
    class   n
    a      10
    """
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows
    ]
    return "\n".join(lines)
