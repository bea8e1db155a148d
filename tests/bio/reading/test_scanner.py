"""Cutting FASTA text into records, against a plain reading of its lines."""

import io
import sys

import pytest
from Bio.SeqIO.FastaIO import SimpleFastaParser
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sfmbio.reading import scanner
from sfmbio.reading.fasta import read_fasta
from sfmbio.reading.scanner import NotFasta, Scanner

pieces = st.sampled_from(
    [b">", b">", b"\n", b"\n", b"\r\n", b"\r", b"MKV", b" ", b"\t", b"\x1c", b"\n>", b"\r>a\r",
     b">id more", b";", b"#", b"\n! x", b"\xe9", b"\x00", b"n" * 9]
)  # fmt: skip
texts = st.lists(pieces, max_size=30).map(b"".join)
chunks = st.sampled_from([1, 2, 3, 7, 1000])


def given_in(data, chunk, error=None):
    """A source that gives at most `chunk` bytes at a time, and at its end an error."""
    source = io.BytesIO(data)

    def read(limit):
        got = source.read(min(limit, chunk))
        if not got and error is not None:
            raise error
        return got

    return read


def lines_of(text):
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")


def by_lines(text):
    """The records of a text with their lines, the number of comments, and what else is met."""
    lines = lines_of(text)
    n_comments = 0
    for number, line in enumerate(lines, 1):  # noqa: B007 - also used below
        bare = line.strip(b" \t\n\v\f\r\x1c\x1d\x1e\x1f")
        if bare.startswith((b";", b"#", b"!")):
            n_comments += 1
        elif bare:
            break
    else:
        return None, n_comments, (number, b"")
    if not line.startswith(b">"):
        return None, n_comments, (number, line)
    starts = [at for at, line in enumerate(lines) if at >= number - 1 and line.startswith(b">")]
    records = [
        (b"\n".join(lines[start:end])[1:], start + 1)
        for start, end in zip(starts, [*starts[1:], None], strict=True)
    ]
    return records, n_comments, None


@given(texts, chunks)
@settings(max_examples=500, deadline=None)
@example(b">a\r\nMK\r\n>b\r\r\nLL\n\r\n>", 1)
@example(b">a\r\nMK\n\r", 3)
@example(b"\r\n \r;\r\n>\r\n\r\n", 1)
def test_records_equal_those_by_lines(text, chunk):
    expected, n_comments, why = by_lines(text)
    found = Scanner(given_in(text, chunk))
    if expected is None:
        with pytest.raises(NotFasta) as caught:
            list(found)
        assert (caught.value.line, caught.value.start) == why
    else:
        assert list(found) == expected
        assert found.line == len(lines_of(text)) + 1
    assert (found.n_comments, found.n_cut) == (n_comments, 0)


@given(texts.map(lambda text: b">" + text), chunks)
@settings(deadline=None)
def test_an_error_comes_after_the_records_before_it(text, chunk):
    expected, _, _ = by_lines(text)
    found = Scanner(given_in(text, chunk, OSError("cut")))
    records = []
    with pytest.raises(OSError, match="cut"):
        records.extend(found)
    # Whether a > follows the last line end can't be known.
    assert records == expected[:-1]
    assert found.line == expected[-1][1]
    assert found.line - 1 <= found.last_line <= len(lines_of(text))


@given(texts.map(lambda text: b">" + text), chunks, st.integers(1, 12))
@settings(deadline=None)
def test_headers_are_cut_and_nothing_else_changes(text, chunk, limit):
    def cut(raw):
        header, end, body = raw.partition(b"\n")
        return header[:limit] + end + body

    expected, _, _ = by_lines(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scanner, "MAX_HEADER", limit)
        found = Scanner(given_in(text, 1))
        assert list(found) == [(cut(raw), line) for raw, line in expected]
        assert found.n_cut == sum(len(raw.partition(b"\n")[0]) > limit for raw, _ in expected)


@pytest.mark.parametrize("blanks", [0, 1, (1 << 18) - 1, 1 << 18, (1 << 18) + 1])
@pytest.mark.parametrize("start", [b"", b"\n", b"\r\r\n", b"; x\n", b";"])
@pytest.mark.parametrize("rest", [b"\n>a\nMK\n", b"MK\n>a\n", b">a\nMK", b"", b"M" * 400_000])
def test_a_long_blank_start_equals_reading_by_lines(start, blanks, rest):
    text = start + b" " * blanks + rest
    expected, _, why = by_lines(text)
    found = Scanner(io.BytesIO(text).read)
    if expected is None:
        with pytest.raises(NotFasta) as caught:
            list(found)
        assert caught.value.line == why[0]
        # A few hundred bytes of a long line will do.
        assert caught.value.start[:90] == why[1][:90]
    else:
        assert list(found) == expected


@given(st.lists(st.tuples(st.sampled_from(["a", "b c", ""]), st.text("MKV\n ", max_size=20))))
@settings(deadline=None)
def test_records_equal_those_of_another_reader(records):
    text = ">first\nMK\n" + "".join(f">{title}\n{body}\n" for title, body in records)
    found = Scanner(io.BytesIO(text.encode()).read)
    ours = []
    for raw, _ in found:
        title, _, body = raw.decode().partition("\n")
        ours.append((title, "".join(body.split())))
    assert ours == [
        (title, "".join(body.split())) for title, body in SimpleFastaParser(io.StringIO(text))
    ]


class Pieces(io.RawIOBase):
    """A pipe that gives one piece for each read."""

    def __init__(self, *pieces):
        self.left = list(pieces)

    def readable(self):
        return True

    def readinto(self, buffer):
        piece = self.left.pop(0) if self.left else b""
        buffer[: len(piece)] = piece
        return len(piece)


def test_records_come_before_a_pipe_ends(monkeypatch):
    # 512 bytes tell what kind of content it is.
    head = b">a\n" + b"M" * 508 + b"\n"
    pipe = Pieces(head, b">b\nLL\n>c\nVV\n", b"AA\n>", b"d\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(pipe)))
    arrived = [(record.id, record.line, len(pipe.left)) for record in read_fasta("-")]
    assert arrived == [("a", 1, 2), ("b", 3, 2), ("c", 5, 1), ("d", 8, 0)]
