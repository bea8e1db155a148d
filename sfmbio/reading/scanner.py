"""FASTA text cut into records, as bytes, in one pass."""

import re
from collections.abc import Callable, Iterator
from itertools import chain

from sfmbio.sequences.alphabet import WHITE

MAX_HEADER = 1 << 20
"""Number of bytes of a header that are kept."""
COMMENT_MARKS = b";#!"
"""Characters that begin a comment before the first record."""

_BLOCK = 1 << 18
_BLANKS = re.compile(b"[%s]*" % re.escape(WHITE))


class NotFasta(ValueError):  # noqa: N818 - an answer to what was found
    """The text does not begin with a header.

    Attributes
    ----------
    line : int
        The line that is no header, from 1.
    start : bytes
        How it begins; empty if there is no such line.
    """

    def __init__(self, line: int, start: bytes) -> None:
        super().__init__(f"no header in line {line}")
        self.line = line
        self.start = start


class Scanner:
    r"""Iterates over the records of a text, each as its bytes without ``>`` and its line.

    A line ends with a line feed, a carriage return, or both; the records have line feeds only.
    Memory holds one block and the longest record, whose header is kept up to `MAX_HEADER`.

    Parameters
    ----------
    read : callable
        Given a number of bytes, returns as many or fewer; none at the end.

    Attributes
    ----------
    line : int
        Line of the header that comes next, from 1.
    n_comments : int
        Number of comment lines before the first record.
    n_cut : int
        Number of headers that were too long.

    Raises
    ------
    NotFasta
        When the first record is asked for, if there is none.

    Examples
    --------
    >>> import io
    >>> list(Scanner(io.BytesIO(b"; old style\r\n>a\r\nMKV\r\n>b\r\nLL").read))
    [(b'a\nMKV', 2), (b'b\nLL', 4)]
    """

    def __init__(self, read: Callable[[int], bytes | None]) -> None:
        self.line = 1
        self.n_comments = 0
        self.n_cut = 0
        self._blocks = _blocks(read)
        self._parts: list[bytes] = []
        # Length of the header that is being read, None below it.
        self._header: int | None = 0

    @property
    def last_line(self) -> int:
        """The last line that came whole; a header without a line below does not count."""
        n_lines = sum(part.count(b"\n") for part in self._parts)
        return self.line - 1 + (n_lines if n_lines > 1 else 0)

    def __iter__(self) -> Iterator[tuple[bytes, int]]:
        for text in chain([self._first_header()], self._blocks):
            pieces = text.split(b"\n>")
            self._add(pieces[0])
            for piece in pieces[1:]:
                yield self._finished()
                self._add(piece)
        yield self._finished()

    def _first_header(self) -> bytes:
        """Skip blank lines and comments; return what follows the first ``>``."""
        indent = b""
        in_comment = False
        for text in self._blocks:
            at = 0
            while at < len(text):
                if in_comment:
                    end = text.find(b"\n", at)
                    if end < 0:
                        break
                    at, in_comment = end + 1, False
                    self.line += 1
                    continue
                blank = _BLANKS.match(text, at)
                assert blank is not None  # it matches nothing, too
                line_start = text.rfind(b"\n", at, blank.end()) + 1
                self.line += text.count(b"\n", at, blank.end())
                # A few bytes will do for the message.
                indent = (text[line_start : blank.end()] if line_start else indent + blank[0])[:99]
                at = blank.end()
                if at == len(text):
                    break
                if text[at] in COMMENT_MARKS:
                    in_comment = True
                    indent = b""
                    self.n_comments += 1
                elif text[at] == ord(">") and not indent:
                    return text[at + 1 :]
                else:
                    raise NotFasta(self.line, self._one_line(indent + text[at : at + 999]))
        raise NotFasta(self.line, b"")

    def _one_line(self, start: bytes) -> bytes:
        for more in self._blocks:
            if b"\n" in start or len(start) > 200:
                break
            start += more[:999]
        return start.partition(b"\n")[0]

    def _add(self, text: bytes) -> None:
        """Add to the record at hand, but not to a header that is too long."""
        if self._header is not None:
            end = text.find(b"\n")
            length = end if end >= 0 else len(text)
            room = max(MAX_HEADER - self._header, 0)
            self._header += length
            if length > room:
                text = text[:room] + text[length:]
            if end >= 0:
                self._close_header()
        self._parts.append(text)

    def _close_header(self) -> None:
        self.n_cut += self._header is not None and self._header > MAX_HEADER
        self._header = None

    def _finished(self) -> tuple[bytes, int]:
        """Give the record at hand, and keep nothing of it: it may be large."""
        self._close_header()
        self._header = 0
        raw = b"".join(self._parts)
        self._parts.clear()
        line = self.line
        self.line += raw.count(b"\n") + 1
        return raw, line


def _blocks(read: Callable[[int], bytes | None]) -> Iterator[bytes]:
    r"""Text whose lines end with ``\n``; none of it ends there, so that ``\n>`` is never cut."""
    held = b""
    while new := read(_BLOCK):
        text, held = held + new, b""
        if b"\r" in text:
            if text.endswith(b"\r"):
                text, held = text[:-1], b"\r"
            text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if text.endswith(b"\n"):
            text, held = text[:-1], b"\n" + held
        if text:
            yield text
    if held:
        yield held.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
