"""Plain twins of the kernels: slow, short, and what the tests compare with."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np


def project(
    items: Sequence[Sequence[int]],
    places: Sequence[int],
    groups: Sequence[int],
    n_groups: int,
    weight: float,
    rows: np.ndarray,
) -> np.ndarray:
    """Weighted square roots of the shares of one pattern's words, times their rows."""
    out = np.zeros((len(items), rows.shape[1]))
    for number, codes in enumerate(items):
        words = Counter(
            tuple(groups[codes[t + place]] for place in places)
            for t in range(len(codes) - places[-1])
        )
        for word, count in words.items():
            place = 0
            for group in word:
                place = place * n_groups + int(group)
            out[number] += weight * np.sqrt(count / words.total()) * rows[place]
    return out


def records(
    text: bytes, table: bytes, skipped: int
) -> Iterator[tuple[tuple[str, str, bytes, int], bytes]]:
    """Every record's id, header, codes and line, and what stands below its header."""
    lines = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    starts = [number for number, line in enumerate(lines) if line.startswith(b">")]
    for start, end in zip(starts, [*starts[1:], None], strict=True):
        # Read as ASCII, so that only its white space ends a word.
        header = lines[start][1:].decode("ascii", "surrogateescape").rstrip()
        words = header.split() or [""]
        name, title = (
            part.encode("ascii", "surrogateescape").decode("utf-8", "surrogateescape")
            for part in (words[0], header)
        )
        body = b"\n".join([*lines[start + 1 : end], *([b""] if end else [])])
        codes = [code for code in body.translate(table) if code != skipped]
        yield (name, title, bytes(codes) if max(codes, default=0) < 128 else b"", start + 1), body


def remainders(lines: bytes, modulus: int) -> list[int]:
    """Each line as one number, whose first byte counts least, modulo another."""
    return [int.from_bytes(line, "little") % modulus for line in lines.split(b"\n")]
