"""Errors that a user's input or request caused, and how several become one sentence."""

from collections.abc import Sequence

_SHOWN = 10


class UserError(Exception):
    """Something the user asked for can't be done; the text is one plain sentence.

    A command line prints the text without a traceback and ends with exit code 2.
    """


class InputError(UserError, ValueError):
    """An input can't be read or used.

    Examples
    --------
    >>> str(InputError("proteins.fa: the file is empty"))
    'proteins.fa: the file is empty'
    """


class ModelFileError(UserError):
    """A model file can't be written, read or used; the text names the file and the reason."""


def refuse(problems: Sequence[str], singular: str, plural: str) -> None:
    """Raise an error that counts the problems and names the first ones.

    Parameters
    ----------
    problems : sequence of str
        None if all is well.
    singular, plural : str
        What an input is called.

    Raises
    ------
    ValueError
        If there is a problem.

    Examples
    --------
    >>> refuse(["item 3 is empty"], "sequence", "sequences")
    Traceback (most recent call last):
    ...
    ValueError: 1 sequence can't be used: item 3 is empty
    """
    if not problems:
        return
    shown = "; ".join(problems[:_SHOWN])
    more = f"; and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
    count = f"{len(problems)} {plural}" if len(problems) > 1 else f"1 {singular}"
    raise ValueError(f"{count} can't be used: {shown}{more}")
