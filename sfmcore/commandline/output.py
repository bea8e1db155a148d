"""What commands write: messages, tables, and files that appear once they are complete."""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, TypeVar

from sfmcore.atomic import atomic_write
from sfmcore.commandline.errors import InputError

T = TypeVar("T")


def complain(program: str, messages: Iterable[str]) -> None:
    """Print sentences that matter even with ``--quiet``."""
    for message in messages:
        print(f"{program}: {message}", file=sys.stderr)


def tell(program: str, options: argparse.Namespace, message: str) -> None:
    """Print a sentence unless ``--quiet`` was given."""
    if not options.quiet:
        complain(program, [message])


@contextmanager
def output(path: str | None) -> Iterator[TextIO]:
    """Yield standard output, or a file that appears once it is complete."""
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


def refuse_strange_labels(names: Iterable[str]) -> None:
    """Refuse labels that a model file can't hold: bytes that are not UTF-8."""
    for name in names:
        try:
            name.encode()
        except UnicodeEncodeError:
            raise InputError(f"the label {name!r} is not text in UTF-8") from None


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
