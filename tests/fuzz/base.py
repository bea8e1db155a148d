"""What a harness is: a maker of inputs, and a property that every input must keep."""

import re
from pathlib import Path
from random import Random
from typing import Protocol


class Finding(Exception):  # noqa: N818 - what is looked for, not an error of this program
    """An input broke the property; the text says how, alike for inputs that break it alike."""


class Harness(Protocol):
    """One kind of input. All of an input is in its bytes, so that it can be saved and replayed."""

    def make(self, random: Random) -> bytes:
        """Make an input; equal states of `random` give equal inputs."""

    def check(self, case: bytes) -> str:
        """Try an input in the current folder, which is empty; return what came of it.

        Whatever is raised is a finding, be it `Finding` or anything else.
        """

    def units(self, case: bytes) -> list[bytes]:
        """Parts of an input that minimising may leave out one by one."""

    def file(self, case: bytes) -> bytes:
        """The file that an input stands for."""


def require(holds: bool, sentence: str) -> None:
    """Raise a finding unless something holds."""
    if not holds:
        raise Finding(sentence)


def kind_of(error: Exception, path: str | Path) -> str:
    """Name and reason of an expected error, without what differs from input to input."""
    text = str(error).removeprefix(str(path)).lstrip(": ")
    text = re.sub(r"'(\\.|[^'\\])*'|\"(\\.|[^\"\\])*\"", "'...'", text)
    text = re.sub(r"0x[0-9a-f]+|[-+]?\d[\d.e+-]*", "#", text)
    return f"{type(error).__name__}: {text[:60]}"


def single_bytes(case: bytes) -> list[bytes]:
    """The bytes of an input one by one."""
    return [case[at : at + 1] for at in range(len(case))]
