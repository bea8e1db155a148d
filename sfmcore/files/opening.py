"""Opening a file or standard input, unpacked as its content says."""

import gzip
import io
import re
import sys
import zlib
from pathlib import Path
from typing import cast

from sfmcore.data.errors import InputError

STDIN = "<stdin>"
READ_ERRORS = (OSError, EOFError, zlib.error)
"""Errors of reading or unpacking a file; `reason_of` turns them into words."""

_BOM = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_BGZF_END = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")
# How files of other kinds begin.
_FOREIGN = (
    (rb"PK\x03\x04", "a ZIP archive or an Excel file"),
    (rb"BZh[1-9]1AY&SY", "bzip2 data"),
    (rb"\xfd7zXZ\x00", "xz data"),
    (rb"\x28\xb5\x2f\xfd", "Zstandard data"),
    (rb"\x1f\x9d", "data from compress"),
    (rb"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (rb"\xff\xfe|\xfe\xff|>\x00|\x00>", "UTF-16 text"),
    (rb"%PDF", "a PDF document"),
    (rb"{\\rtf", "an RTF document"),
    (rb"\xd0\xcf\x11\xe0", "an old Microsoft Office document"),
    (rb"(?s).{257}ustar", "a tar archive"),
    (rb"\x1f\x8b", "gzip data packed twice"),
    (rb"\xff\xd8\xff", "a binary file (JPEG)"),
    (rb"\x89PNG\r\n", "a binary file (PNG)"),
    (rb"GIF8[79]a", "a binary file (GIF)"),
    (rb"II\*\x00|MM\x00\*", "a binary file (TIFF)"),
    (rb"(?s)BM.{4}\x00\x00\x00\x00", "a binary file (BMP)"),
    (rb"(?s)RIFF.{4}WEBP", "a binary file (WebP)"),
    (rb"BAM\x01", "a binary file (BAM)"),
    (rb"CRAM[\x01-\x0f]", "a binary file (CRAM)"),
    (rb"BCF\x02", "a binary file (BCF)"),
    (rb"\x89HDF\r\n", "a binary file (HDF5)"),
    (rb"\x93NUMPY", "a binary file (NumPy)"),
    (rb"SQLite format 3\x00", "a binary file (SQLite)"),
    (rb"\x7fELF", "a binary file (a program)"),
)


class _Peeked(io.RawIOBase):
    """A binary stream whose first and latest bytes can be looked at; closing it closes no other."""

    def __init__(self, source: io.BufferedIOBase) -> None:
        self._source = source
        self.head = b""
        while len(self.head) < 512 and (more := source.read1(512 - len(self.head))):
            self.head += more
        self.tail = b""
        self._waiting = self.head.removeprefix(_BOM)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if data := self._waiting[: len(buffer)]:
            self._waiting = self._waiting[len(data) :]
            buffer[: len(data)] = data
            count = len(data)
        else:
            count = self._source.readinto1(buffer)
        latest = bytes(buffer[max(count - len(_BGZF_END), 0) : count])
        self.tail = (self.tail + latest)[-len(_BGZF_END) :]
        return count


class TextSource:
    """A file or standard input that holds text, unpacked if its content is gzip or bgzip.

    Parameters
    ----------
    source : str or Path
        A file, or ``"-"`` for standard input.

    Attributes
    ----------
    name : str
        The file's name as given, or ``"<stdin>"``.
    binary : io.RawIOBase
        The text as bytes, without a byte order mark. It gives what has come, and waits for no more.
    text : io.TextIOWrapper
        The same as lines of text; bytes that are not UTF-8 become surrogates, and so survive.
        Who reads one of them leaves the other alone.

    Raises
    ------
    InputError
        If it can't be opened, or holds something that is known not to be text.
    """

    def __init__(self, source: str | Path) -> None:
        self.name = STDIN if str(source) == "-" else str(source)
        self._opened: list[io.IOBase] = []
        try:
            if self.name is STDIN:
                if sys.stdin is None:
                    raise InputError(f"{STDIN}: standard input is closed")
                file = cast(io.BufferedIOBase, sys.stdin.buffer)
            else:
                file = open(source, "rb")  # noqa: SIM115 - closed by `close`
                self._opened.append(file)
            self._packed = content = _Peeked(file)
            self._is_bgzf = content.head[:4] == _GZIP + b"\x08\x04" and content.head[12:14] == b"BC"
            if content.head.startswith(_GZIP):
                unpacked = gzip.GzipFile(fileobj=io.BufferedReader(content, 1 << 17))
                content = _Peeked(cast(io.BufferedIOBase, unpacked))
        except READ_ERRORS as error:
            self.close()
            raise InputError(f"{self.name}: {reason_of(error)}") from None
        self._refuse_foreign(content.head)
        self.binary: io.RawIOBase = content
        buffer = io.BufferedReader(content, 1 << 17)
        self.text = io.TextIOWrapper(buffer, encoding="utf-8", errors="surrogateescape")

    def _refuse_foreign(self, head: bytes) -> None:
        kinds = [kind for start, kind in _FOREIGN if re.match(start, head)]
        if kinds:
            self.close()
            raise InputError(
                f"{self.name}: this looks like {kinds[0]}; text is expected, plain or packed "
                "with gzip or bgzip"
            )

    def cut_short(self) -> bool:
        """Whether bgzip data was read to its end and the mark of a complete file is missing.

        A bgzip file that is cut between two of its blocks is still valid gzip.
        """
        return self._is_bgzf and self._packed.tail != _BGZF_END

    def close(self) -> None:
        """Close the file; standard input stays open."""
        for file in self._opened:
            file.close()

    def __enter__(self) -> "TextSource":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def reason_of(error: Exception) -> str:
    """Say what went wrong in reading.

    Examples
    --------
    >>> reason_of(FileNotFoundError(2, "No such file or directory"))
    'No such file or directory'
    """
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if isinstance(error, EOFError):
        return "the gzip data is truncated"
    return f"the gzip data is corrupt ({error})"
