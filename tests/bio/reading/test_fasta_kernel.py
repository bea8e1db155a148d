"""Reading FASTA against a reader by lines, and the kernel under it against its plain twin."""

import gzip
import io
import sys
import zlib
from itertools import chain, filterfalse

import numpy as np
import pytest
from Bio.SeqIO.FastaIO import SimpleFastaParser
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sfmbio.kernels import _fasta
from sfmbio.reading import fasta
from sfmbio.reading import report as report_module
from sfmbio.reading.fasta import read_fasta
from sfmbio.reading.opening import STDIN, TextSource
from sfmbio.reading.record import Record
from sfmbio.reading.repeated_ids import RepeatedIds
from sfmbio.reading.report import ReadReport
from sfmbio.sequences.alphabet import RESIDUES, find_invalid, shown
from sfmcore.data.errors import InputError
from tests.twins import bio as twins

TABLE = fasta._TABLE
# A source that gives no more bytes at a time than this.
chunks = st.sampled_from([1, 2, 7, 31, 100, 1000])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("kernel")


# Stretches of letters around whole vectors, and all else a file may hold, also where it may not.
letters = st.builds(
    lambda length, start: (RESIDUES * 8).encode()[start : start + length],
    st.one_of(st.integers(0, 8), st.integers(28, 70)),
    st.integers(0, 19),
)
other = st.sampled_from(
    [b">", b" ", b"\t", b"*", b"-", b".", b"X", b"x", b"u", b"B", b"4", b"\x00", b"\x1c", b"\x85",
     b"\x0b", b"\x1e", b"@", b"`", b"\x7f", b"\xc1", b"\xe9", b"\xc3\xa9", b"\xe2\x82", b"\xff",
     b"\n>", b"\n>id more", b">\n", b"\r>a\r"]
)  # fmt: skip
line_end = st.sampled_from([b"\n", b"\n", b"\r\n", b"\r"])
one_case = letters.flatmap(lambda text: st.sampled_from([text, text.lower()]))
pieces = st.lists(st.one_of(one_case, line_end, other, line_end), max_size=40)
texts = st.builds(
    lambda start, parts: start + b"".join(parts),
    st.sampled_from([b">", b">", b">first \n", b"", b"\n\r\n>", b"\xef\xbb\xbf>"]),
    pieces,
)


# The kernel


def given_in(data, chunk, error=None):
    """A source that gives at most `chunk` bytes at a time, and at its end an error."""
    source = io.BytesIO(data)

    def readinto(buffer):
        count = source.readinto(buffer[:chunk])
        if not count and error is not None:
            raise error
        return count

    return readinto


@given(texts.map(lambda text: b">" + text), chunks, st.sampled_from([1, 3, 64, 1 << 12]))
@settings(max_examples=300, deadline=None)
@example(b">a\r\nMK\r\n>b\r\r\nLL\n\r\n>", 1, 1)
def test_records_equal_twin(text, chunk, block):
    twin = list(twins.records(text, TABLE, _fasta.SKIPPED))
    records = _fasta.Records(given_in(text, chunk), TABLE, block)
    assert [(record, records.body) for record in records] == twin


@given(texts.map(lambda text: b">" + text), chunks)
@settings(deadline=None)
def test_an_error_comes_after_the_records_before_it(text, chunk):
    twin = [record for record, _ in twins.records(text, TABLE, _fasta.SKIPPED)]
    records = _fasta.Records(given_in(text, chunk, OSError("cut")), TABLE, 64)
    found = []
    with pytest.raises(OSError, match="cut"):
        found.extend(records)
    assert found == twin[:-1]
    universal = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    assert records.line == twin[-1][3]
    n_lines = universal.count(b"\n") - (records.line - 1)
    assert records.last_line == records.line - 1 + (n_lines if n_lines > 1 else 0)


@given(texts, chunks, st.sampled_from([1, 5, 1 << 17]))
@settings(deadline=None)
def test_peek_and_skip_go_through_the_lines(text, chunk, limit):
    records = _fasta.Records(given_in(text, chunk), TABLE, 8)
    universal = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    lines = io.BytesIO(universal)
    while shown_line := records.peek(limit):
        assert shown_line == lines.readline(limit)
        records.skip(len(shown_line))
        assert records.line == 1 + universal[: lines.tell()].count(b"\n")
    assert lines.read() == b""


def test_every_byte_is_read_as_the_table_says():
    for byte in set(range(256)) - set(b"\n\r>"):
        for place in (0, 31, 32, 40):
            sequence = bytearray(b"M" * 41)
            sequence[place] = byte
            text = b">a\n%b\n>b" % sequence
            twin = [record for record, _ in twins.records(text, TABLE, _fasta.SKIPPED)]
            found = list(_fasta.Records(given_in(text, 100), TABLE, 100))
            assert found == twin


@given(
    st.lists(st.binary(max_size=40).map(lambda line: line.replace(b"\n", b"")), min_size=1),
    st.sampled_from([RepeatedIds.PRIME, (1 << 64) - 1, 1 << 63, 3, 1]) | st.integers(1, 1 << 63),
)
def test_remainders_equal_twin(lines, modulus):
    text = b"\n".join(lines)
    found = _fasta.remainders(text, len(lines), modulus)
    assert found.tolist() == twins.remainders(text, modulus)


def test_arguments_out_of_range_are_refused():
    source = given_in(b">a\nMK\n", 10)
    for table in (TABLE[:-1], TABLE.replace(b"\x00", b"\x01", 1), bytes([1]) + TABLE[1:]):
        with pytest.raises(ValueError, match="both cases only"):
            _fasta.Records(source, table, 10)
    at = ord(">")
    with pytest.raises(ValueError, match="'>' must have no code"):
        _fasta.Records(source, TABLE[:at] + bytes([_fasta.SKIPPED]) + TABLE[at + 1 :], 10)
    with pytest.raises(ValueError, match="block must be at least 1"):
        _fasta.Records(source, TABLE, 0)
    with pytest.raises(ValueError, match="there are 0 bytes, not 1"):
        _fasta.Records(source, TABLE, 10).skip(1)
    with pytest.raises(ValueError, match="begin with a header"):
        next(_fasta.Records(given_in(b"\nMK", 10), TABLE, 10))
    with pytest.raises(ValueError, match="readinto gave 11 bytes, there was room for 10"):
        next(_fasta.Records(lambda buffer: 11, TABLE, 10))
    for n_lines in (1, 3):
        with pytest.raises(ValueError, match=f"there are 2 lines, not {n_lines}"):
            _fasta.remainders(b"a\nb", n_lines, 7)
    with pytest.raises(ValueError, match="modulus must not be 0"):
        _fasta.remainders(b"a", 1, 0)


# The reader


def read_by_lines(source, report):
    """Read FASTA a line at a time with Biopython's parser; `read_fasta` must give the same."""
    with TextSource(source) as opened:
        # Read as ASCII, a character is a byte.
        buffer = io.BufferedReader(opened.binary)
        text = io.TextIOWrapper(buffer, encoding="ascii", errors="surrogateescape")
        stem = "" if opened.name is STDIN else fasta.label_of(source)
        report.begin_file(opened.name)
        before, number = report.records, 0
        header, line = first_header(text, opened.name)
        # The lines since the latest header: the parser reads one too far.
        held = []
        lines = filterfalse(held.append, (line.removesuffix("\n") for line in text))
        records = SimpleFastaParser(chain([header], filter(None, lines)))
        for number, (title, sequence) in enumerate(records, 1):
            words = title.split(None, 1)
            known_as = utf8(words[0]) if words else ""
            report.without_id += not words
            raw = sequence.encode("ascii", "surrogateescape")
            codes, status = raw.translate(fasta.RESIDUE_CODES), "ok"
            if number <= fasta.NUCLEOTIDE_SAMPLE or not codes.isascii() or not codes:
                codes, status = report.encode(raw, number)
                status = status or complaint(held, line + 1)
            record = Record(known_as, utf8(title), codes, status, opened.name, number, line, stem)
            if not codes:
                report.add_problem(record)
            report.records = before + number
            report.ids.block.append(known_as)
            line += len(held)
            held.clear()
            yield record
        if number < fasta.NUCLEOTIDE_SAMPLE:
            report.judge_letters()


def first_header(text, name):
    number = 1
    while line := text.readline(1 << 17):
        if line.strip():
            break
        number += line.endswith("\n")
    else:
        raise InputError(f"{name}: the file is empty{', it has only blank lines' * (number > 1)}")
    if line[0] != ">":
        start = utf8(line.rstrip())
        start = repr(start if len(start) <= 30 else start[:30] + "...")
        raise InputError(f"{name}: not FASTA: line {number} is {start}, where a '>' header must be")
    return line if line.endswith("\n") else line + text.readline(), number


def complaint(lines, first_line):
    bad = []
    for number, line in enumerate(lines, first_line):
        if line.startswith(">"):
            break
        position, count = find_invalid(utf8(line))
        bad += [(number, utf8(line)[position : position + 1])] * count
    number, symbol = bad[0]
    more = f" and {len(bad) - 1} more" if len(bad) > 1 else ""
    advice = ": a header must start its line" if symbol == ">" else ""
    return f"invalid character {shown(symbol)} (line {number}){more}{advice}"


def utf8(text):
    return text.encode("ascii", "surrogateescape").decode("utf-8", "surrogateescape")


def outcome(read, path):
    """All that a reader gives: its records, its report after each and at the end, its error."""
    report, steps, error = ReadReport(), [], ""

    def state():
        facts = {name: value for name, value in vars(report).items() if name != "ids"}
        return repr(facts), report.duplicates, report.messages()

    try:
        for record in read(path, report):
            steps.append((record, state()))
    except InputError as caught:
        error = str(caught)
    return steps, state(), error


@given(
    text=texts,
    sample=st.sampled_from([0, 1, 2, 1000]),
    block=st.sampled_from([1, 3, 64, 1 << 18]),
    id_block=st.sampled_from([1, 3, 1000]),
    pack=st.sampled_from([bytes, bytes, gzip.compress]),
)
@settings(max_examples=300, deadline=None)
@example(b"\xef\xbb\xbf\r\n \x1c\t\n>a\xe9 \xc3\xa9 \x0b\nMK VX\nx\x1f*\n>a\xe9\n", 0, 3, 3, bytes)
def test_reading_equals_reading_by_lines(folder, text, sample, block, id_block, pack):
    path = folder / "x.fa"
    path.write_bytes(pack(text))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fasta, "NUCLEOTIDE_SAMPLE", sample)
        patch.setattr(report_module, "NUCLEOTIDE_SAMPLE", sample)
        patch.setattr(fasta, "ID_BLOCK", id_block)
        patch.setattr(fasta, "_BLOCK", block)
        assert outcome(read_fasta, path) == outcome(read_by_lines, path)


@pytest.mark.parametrize("blanks", [0, 1, (1 << 17) - 1, 1 << 17, (1 << 17) + 1])
@pytest.mark.parametrize("start", [b"", b"\n", b"\r\r\n"])
@pytest.mark.parametrize("rest", [b">a\nMK\n", b"MK\n>a\n", b"\n>a\nMK", b"", b"M" * 200_000])
def test_a_long_blank_start_equals_reading_by_lines(folder, start, blanks, rest):
    path = folder / "blank.fa"
    path.write_bytes(start + b" " * blanks + rest)
    assert outcome(read_fasta, path) == outcome(read_by_lines, path)


def a_file(n_records=2000, seed=0):
    random = np.random.default_rng(seed)
    symbols = np.frombuffer(RESIDUES.encode() * 20 + b"x*-\n\n\n \t4", dtype=np.uint8)
    lines = []
    for number, length in enumerate(random.integers(0, 700, n_records)):
        lines.append(b">r%d of many\n" % number)
        lines.append(symbols[random.integers(len(symbols), size=length)].tobytes() + b"\n")
    return b"".join(lines)


@pytest.mark.parametrize("ends", [b"\n", b"\r\n", b"\r"])
def test_a_file_of_many_blocks_equals_reading_by_lines(folder, ends):
    path = folder / "many.fa"
    path.write_bytes(a_file().replace(b"\n", ends))
    found, twin = ReadReport(), ReadReport()
    assert list(read_fasta(path, found)) == list(read_by_lines(path, twin))
    assert found.messages() == twin.messages()


@pytest.mark.parametrize("kept", [0.01, 0.2, 0.5, 0.9, 0.9999])
def test_a_cut_file_gives_all_records_that_came_whole(folder, kept):
    path = folder / "cut.fa"
    packed = gzip.compress(a_file())
    packed = packed[: int(kept * len(packed))]
    text = zlib.decompressobj(wbits=31).decompress(packed)
    path.write_bytes(text)
    twin = list(read_by_lines(path, ReadReport()))[:-1]
    path.write_bytes(packed)
    found = []
    with pytest.raises(InputError) as caught:
        found.extend(read_fasta(path, ReadReport()))
    assert found == twin
    start = f"{path}: the gzip data ends too early, after record {len(twin)}, near line "
    assert str(caught.value).startswith(start)
    n_lines = text.count(b"\n")
    assert n_lines - 1 <= int(str(caught.value).removeprefix(start)) <= n_lines


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
