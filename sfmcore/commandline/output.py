"""Output of commands: messages, tables, and files that are written atomically."""

import argparse
import json
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, TextIO, TypeVar

from sfmcore.data.errors import InputError, UserError
from sfmcore.data.names import one_line as one_line
from sfmcore.data.names import without_controls
from sfmcore.files.atomic import atomic_write, check_writable

T = TypeVar("T")
UNCLASSIFIED = "unclassified"
"""Label of an input without any class of sufficient confidence."""


def complain(program: str, messages: Iterable[str]) -> None:
    """Print sentences that matter even with ``--quiet``, each on one line."""
    for message in messages:
        print(f"{program}: {without_controls(message)}", file=sys.stderr)


def tell(program: str, options: argparse.Namespace, message: str) -> None:
    """Print a sentence unless ``--quiet`` was given."""
    if not options.quiet:
        complain(program, [message])


@contextmanager
def output(path: str | None) -> Iterator[TextIO]:
    """Yield standard output, or a file that is written atomically."""
    if path is None or path == "-":
        yield sys.stdout
        return
    with atomic_write(path, "w", errors="surrogateescape") as file:
        yield file


def write_json(path: str, value: dict[str, Any]) -> None:
    """Write an object as JSON, to a file or to standard output (``-``)."""
    with output(path) as file:
        json.dump(value, file, indent=2)
        file.write("\n")


def checked_outputs(paths: Mapping[str, str | None]) -> list[str]:
    """Files that a command writes, all of them writable and none of them named twice.

    Parameters
    ----------
    paths : mapping of str to (str or None)
        Path of each option that was given one; ``-o -`` alone is standard output.

    Raises
    ------
    UserError
        If a name is empty, stands for standard output, or is given twice.
    OSError
        If a file can't be written.
    """
    given: dict[str, str] = {}
    for option, path in paths.items():
        if path == "" or (path == "-" and option != "-o"):
            raise UserError(f"{option} {path!r}: give a file name")
        if path in (None, "-"):
            continue
        if path in given:
            raise UserError(f"{path}: is given to both {given[path]} and {option}")
        given[path] = option
        check_writable(path)
    return list(given)


def refuse_overwriting(path: str | None, inputs: Iterable[str | os.PathLike[str]]) -> None:
    """Refuse an output file that is one of the inputs, as ``-o *.png`` makes of the first."""
    try:
        old = os.stat(path) if path not in (None, "-") else None
    except OSError:
        return
    if old is None or not stat.S_ISREG(old.st_mode):
        return
    for name in inputs:
        with suppress(OSError, ValueError):  # reading it will say so
            if os.path.samestat(old, os.stat(name)):
                raise UserError(f"{path}: this output would overwrite an input: give another name")


def refuse_strange_labels(names: Iterable[str]) -> None:
    """Refuse labels that a model file can't hold, and the word for no label."""
    for name in names:
        if name == UNCLASSIFIED:
            raise InputError(
                f"the label {name!r} is what `predict` prints if no class is certain enough: "
                "give the class another name"
            )
        try:
            name.encode()
        except UnicodeEncodeError:
            raise InputError(f"the label {name!r} is not valid UTF-8") from None


def started(items: Iterable[T]) -> Iterator[T]:
    """The same items; the first is made here, and its errors raised, before any output."""
    iterator = iter(items)
    none = object()
    first: Any = next(iterator, none)

    def everything() -> Iterator[T]:
        if first is not none:
            yield first
            yield from iterator

    return everything()
