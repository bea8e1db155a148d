"""Options of ``sfmbio train`` and ``evaluate``; nothing large is imported for them."""

import argparse

IDENTITY = "identity"
GROUPED_BY = ("sequence", "superfamily")
"""The keys of :data:`sfmbio.reading.datasets.GROUPINGS`, which brings NumPy."""
MOST_RESIDUES = 60_000_000
"""Residues that ``train`` learns from unless told otherwise: 200,000 proteins or so."""
_CHOICES = ("none", *GROUPED_BY)


def grouping(text: str) -> str:
    """Value of ``--group-by``, for argparse: a name, or ``identity:X`` with X from 0 to 1.

    Examples
    --------
    >>> grouping("identity:.30"), grouping("sequence")
    ('identity:0.3', 'sequence')
    """
    name, _, value = text.partition(":")
    if name != IDENTITY:
        if text not in _CHOICES:
            known = ", ".join([*_CHOICES, f"{IDENTITY}:X"])
            raise argparse.ArgumentTypeError(f"invalid choice: {text!r} (choose from {known})")
        return text
    try:
        least = float(value)
    except ValueError:
        least = -1.0
    if not 0.0 < least <= 1.0:
        raise argparse.ArgumentTypeError(
            f"identity must be above 0 and at most 1, as in identity:0.3, got {text!r}"
        )
    return f"{IDENTITY}:{least!r}"


def add_save_groups(parser: argparse.ArgumentParser) -> None:
    """Add ``--save-groups``."""
    parser.add_argument(
        "--save-groups", metavar="TSV",
        help="write the groups of --group-by as a table for --groups",
    )  # fmt: skip
