"""Reading FASTA: what a writer wrote comes back, whatever the file looks like from outside."""

import errno
import gzip
import io
import os
import sys
import threading
import tracemalloc
from collections import Counter, deque
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from Bio import bgzf
from hypothesis import example, given
from hypothesis import strategies as st

from sfmbio.reading import repeated_ids, scanner
from sfmbio.reading import report as report_module
from sfmbio.reading.fasta import read_fasta, read_files
from sfmbio.reading.report import Duplicate, ReadReport
from sfmbio.reading.sources import FASTA_SUFFIXES, expand_inputs, label_of
from sfmbio.sequences.alphabet import BREAK, N_SYMBOLS, RESIDUES, UNKNOWN, encode
from sfmcore.data.errors import InputError


@pytest.fixture
def read(tmp_path):
    """Write bytes to x.fa and read them; returns the records and the report."""

    def write_and_read(data: bytes, name: str = "x.fa"):
        path = tmp_path / name
        path.write_bytes(data)
        report = ReadReport()
        return list(read_fasta(path, report)), report

    return write_and_read


@pytest.fixture
def feed_stdin(monkeypatch):
    def feed(data: bytes):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return feed


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fasta")


class Unclosed(io.BytesIO):
    def close(self):
        """Keep what was written: BgzfWriter closes its file."""


def pack_bgzf(data: bytes) -> bytes:
    packed = Unclosed()
    with bgzf.BgzfWriter(fileobj=packed) as writer:
        # Blocks far smaller than the usual 64 KiB, so that records lie across their borders.
        for start in range(0, len(data), 100):
            writer.write(data[start : start + 100])
            writer.flush()
    return packed.getvalue()


def pack_members(data: bytes) -> bytes:
    half = len(data) // 2
    return gzip.compress(data[:half]) + gzip.compress(data[half:])


PACKERS = {"plain": bytes, "gzip": gzip.compress, "members": pack_members, "bgzf": pack_bgzf}


def content(records):
    """All of the records that must not depend on the layout of the file."""
    return [replace(record, line=0, source="", stem="") for record in records]


# Reading what was written

headers = st.text(st.characters(exclude_categories=["C", "Z"]), max_size=12)
written = st.lists(
    st.tuples(
        headers,
        st.sampled_from(["", " ", " some words", "\tand a tab", " Protéine"]),
        st.one_of(st.text(RESIDUES, max_size=200), st.text("acdefxX*-bzuo", max_size=40)),
    ),
    min_size=1,
    max_size=8,
)


def write_fasta(records, line_end, width, blank):
    """Lines and the header's line number of each record."""
    lines, places = [], []
    for name, rest, sequence in records:
        lines += [""] * blank
        places.append(len(lines) + 1)
        lines.append(f">{name}{rest}")
        lines += [""] * blank
        for start in range(0, len(sequence), width):
            lines += [sequence[start : start + width], *[" \t"] * blank]
    return line_end.join([*lines, ""]).encode(), places


@given(
    records=written,
    line_end=st.sampled_from(["\n", "\r\n", "\r"]),
    width=st.sampled_from([1, 7, 60, 1000]),
    blank=st.integers(0, 2),
    packer=st.sampled_from(sorted(PACKERS)),
    mark=st.sampled_from([b"", b"\xef\xbb\xbf"]),
    last_line_end=st.booleans(),
    block=st.sampled_from([1, 3, 64, 1 << 18]),
)
def test_records_come_back_whatever_the_layout(
    folder, records, line_end, width, blank, packer, mark, last_line_end, block
):
    data, places = write_fasta(records, line_end, width, blank)
    path = folder / "layout.fa"
    path.write_bytes(PACKERS[packer](mark + (data if last_line_end else data.rstrip(b"\r\n"))))
    report = ReadReport()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scanner, "_BLOCK", block)
        found = list(read_fasta(path, report))
    assert [record.line for record in found] == places
    assert [record.number for record in found] == list(range(1, len(records) + 1))
    totals = Counter()
    for record, (name, rest, sequence) in zip(found, records, strict=True):
        assert record.id == (name or f"record_{record.number}")
        assert record.description == (name + rest).rstrip()
        assert record.codes == encode(sequence).codes
        assert record.status == ("ok" if record.codes else "empty sequence")
        assert (record.source, record.stem) == (str(path), "layout")
        totals.update(encode(sequence).replaced or {})
    assert report.replaced == totals
    assert report.gaps == sum(encode(sequence).gaps for _, _, sequence in records)
    assert report.stops == sum(encode(sequence).stops for _, _, sequence in records)
    assert report.records == len(records) == report.ok + len(report.problems)
    assert report.without_id.count == sum(not name for name, _, _ in records)


@given(
    records=written,
    line_end=st.sampled_from(["\n", "\r\n", "\r"]),
    blank=st.integers(0, 1),
    data=st.data(),
)
def test_the_first_bad_character_and_its_line_are_named(folder, records, line_end, blank, data):
    text, places = write_fasta(records, "\n", 7, blank)
    lines = text.decode().split("\n")[:-1]
    bad = data.draw(
        st.dictionaries(st.integers(0, len(lines) - 1), st.sampled_from("4#é\x00"), min_size=1)
    )
    bad = {at: symbol for at, symbol in bad.items() if at + 1 not in places and at + 1 > places[0]}
    for at, symbol in bad.items():
        lines[at] = lines[at][:3] + symbol + lines[at][3:] + symbol
    path = folder / "bad.fa"
    path.write_text(line_end.join(lines), newline="")
    for record, end in zip(read_fasta(path), [*places[1:], len(lines) + 1], strict=True):
        inside = sorted(at + 1 for at in bad if record.line < at + 1 < end)
        if not inside:
            assert record.status in ("ok", "empty sequence")
            continue
        symbol = {"\x00": "\\x00"}.get(bad[inside[0] - 1], bad[inside[0] - 1])
        more = 2 * len(inside) - 1
        assert record.status == f"invalid character '{symbol}' (line {inside[0]}) and {more} more"
        assert record.codes == b""


def test_mixed_line_ends_are_each_one_line(read):
    records, _ = read(b">a\rMK\r\n>b\nLL\r\n\r>c\r\r\nV9")
    assert [(record.id, record.line) for record in records] == [("a", 1), ("b", 3), ("c", 6)]
    assert records[2].status == "invalid character '9' (line 8)"


def test_ids_have_no_carriage_return_and_are_text_whatever_bytes_they_hold(read, tmp_path):
    records, report = read(
        b">sp|P1|X_HUMAN\r\nMK\r\n>caf\xe9\xa0 na\xefve\r\nMK\r\n>\xc3\xa0\xc2\xa0b c\r\nMK\r\n"
        b">a\x1b[1m\x07\r\nMK\r\n>u\xe2\x80\xa8v\r\nMK\r\n"
    )
    assert [record.id for record in records] == [
        "sp|P1|X_HUMAN",
        r"caf\xe9\xa0",
        "\u00e0\u00a0b",
        r"a\x1b[1m\x07",
        r"u\u2028v",
    ]
    assert records[1].description == r"caf\xe9\xa0 na\xefve"
    assert report.messages() == [
        f"{tmp_path / 'x.fa'}: 3 headers with bytes that are not UTF-8 or control characters, "
        r"which are written as \xNN: caf\xe9\xa0"
    ]


def test_a_description_that_is_not_utf8_is_told_too(read):
    records, report = read(b">a na\xefve\nMK\n")
    assert (records[0].id, records[0].description) == ("a", r"a na\xefve")
    assert report.n_escaped == 1


def test_blanks_inside_sequence_lines_are_ignored(read):
    records, _ = read(b">a\n  MK V\t\tL \n\t\n A\n")
    assert records[0].codes == encode("MKVLA").codes


@pytest.mark.parametrize("sequence", [b"", b"\n", b"\n\n", b"---\n", b"*\n", b" - . *\n*\n"])
@pytest.mark.parametrize("where", [0, 1, 2])
def test_a_record_without_sequence_is_a_row_with_a_status(read, sequence, where):
    parts = [b">a\nMK\n", b">b\nLL\n"]
    parts.insert(where, b">none here\n" + sequence)
    records, report = read(b"".join(parts))
    assert [record.status == "ok" for record in records] == [at != where for at in range(3)]
    assert (records[where].id, records[where].status) == ("none", "empty sequence")
    assert report.n_problems == 1


def test_a_record_without_id_is_called_by_its_place_in_the_input(read, tmp_path):
    records, report = read(b">\nMK\n>  \nLL\n>c d\nVV\n> seq 0\nAA\n> seq 1\nGG\n")
    assert [(r.id, r.description, r.status) for r in records] == [
        ("record_1", "", "ok"),
        ("record_2", "", "ok"),
        ("c", "c d", "ok"),
        ("record_4", " seq 0", "ok"),
        ("record_5", " seq 1", "ok"),
    ]
    assert (report.without_id.count, report.n_duplicates) == (4, 0)
    path = tmp_path / "x.fa"
    shown = ", ".join(f"'record_{n}' ({path}, line {2 * n - 1})" for n in (1, 2, 4, 5))
    assert report.messages() == [
        f"{path}: 4 records without an id, named by place in the input: {shown}"
    ]


def test_made_ids_differ_between_files_and_are_listed_up_to_a_limit(tmp_path):
    report = ReadReport()
    ids = []
    for name in ("one.fa", "two.fa"):
        (tmp_path / name).write_bytes(b">\nMKV\n" * 7)
        ids += [record.id for record in read_fasta(tmp_path / name, report)]
    assert ids == [f"record_{number}" for number in range(1, 15)]
    (line,) = report.messages()
    assert line.startswith("2 files: 14 records without an id")
    assert line.endswith(f"'record_10' ({tmp_path / 'two.fa'}, line 5) and 4 more")


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        (b"LLA>b", "'>' (line 3)", "b"),
        (b'MKV">b t', "'\"' (line 3) and 1 more", "b"),
        (b"MKV1>b", "'1' (line 3) and 1 more", "b"),
        (b"\0>b", r"'\x00' (line 3) and 1 more", "b"),
        (b" >b", "'>' (line 3)", "b"),
        (b"LLA>", "'>' (line 3)", "record_2"),
    ],
)
def test_a_header_inside_a_line_has_a_row_of_its_own(read, text, first, second):
    records, report = read(b">a\nMKV\n" + text + b"\nMKV\nLLA>d\n>c\nMK\n")
    assert [(r.id, r.number, r.line) for r in records] == [
        ("a", 1, 1),
        (second, 2, 3),
        ("d", 3, 5),
        ("c", 4, 6),
    ]
    assert [record.status for record in records] == [
        f"invalid character {first}: a header must start its line",
        "header does not start its line (line 3)",
        "header does not start its line (line 5)",
        "ok",
    ]
    assert [record.codes for record in records[:3]] == [b"", b"", b""]
    assert report.n_problems == 3


# Text that is no sequence


@pytest.mark.parametrize(
    "words",
    [
        b"Resource temporarily unavailable",
        b"  Killed by signal\t",
        b"error reading file",
        b"Segmentation fault",
        b"an OUT of MEMORY event",
    ],
)
def test_a_line_of_words_is_not_read_as_residues(read, words):
    records, report = read(b">a\nACDE\n" + words + b"\nMK\n>b\nMK\n")
    shown = " ".join(words.decode().split())
    assert records[0].status == f"words, not residues: '{shown}' (line 3)"
    assert (records[0].codes, records[1].status) == (b"", "ok")
    assert report.white == 0


def test_a_long_line_of_words_is_shortened(read):
    records, _ = read(b">a\nACDE\n" + b"this is some talk " * 5 + b"\n")
    assert records[0].status == (
        "words, not residues: 'this is some talk this is some talk this...' (line 3)"
    )


@pytest.mark.parametrize(
    "line",
    [
        b"MKVLAAGIVG LLLAAKGGVA MKV",  # blocks of ten
        b"MKVLAAGIVG lllaakggva mkv",  # one of them masked
        b"mkvlaagivg lllaakggva",
        b"MK V LAAGIVG",
        b"MKvla AGivg llKM",  # masked wherever it may be
        b"Mk vl",  # too short to be words
    ],
)
def test_white_space_inside_sequences_is_left_out_and_counted(read, tmp_path, line):
    records, report = read(b">a\nMKV\n" + line + b" \n")
    assert (records[0].status, records[0].codes) == ("ok", encode(b"MKV" + line).codes)
    n_white = line.count(b" ")
    words = "1 white-space character" if n_white == 1 else f"{n_white} white-space characters"
    assert report.white == n_white
    assert f"{tmp_path / 'x.fa'}: {words} inside sequences left out" in report.messages()


def test_words_of_astral_in_lower_case_throughout_are_read(read):
    records, report = read(b">a\nmkvl aagX\nivg\n")
    assert (records[0].status, report.white) == ("ok", 1)


@pytest.mark.parametrize("title", [b"a title", b"", b"Titles, with 3 signs (EC 1.1.1.1)"])
def test_pir_is_called_by_its_name(read, title):
    records, _ = read(b">P1;PROT1\n" + title + b"\nMKVLA\nMK*\n>F1;X\nsome words\nMK\n*\n\n")
    assert [record.status for record in records] == [
        "PIR, not FASTA: the line below its header is a title (line 2)",
        "PIR, not FASTA: the line below its header is a title (line 6)",
    ]
    assert [record.codes for record in records] == [b"", b""]


def test_an_id_as_of_pir_alone_is_read(read):
    records, _ = read(b">P1;PROT1\nMKVLA\n>P12;x\nMK*\n")
    assert [record.status for record in records] == ["ok", "ok"]


@pytest.mark.parametrize("width", [60, 10_000_000])
def test_a_record_of_ten_million_residues(read, width):
    codes = np.random.default_rng(0).integers(0, 20, 10_000_000, dtype=np.uint8)
    letters = np.frombuffer(RESIDUES.encode(), dtype=np.uint8)[codes].tobytes()
    lines = [letters[start : start + width] for start in range(0, len(letters), width)]
    records, _ = read(b">titin\n" + b"\n".join(lines) + b"\n>next\nMK\n")
    assert records[0].codes == codes.tobytes()
    assert records[1].line == len(lines) + 2


def test_a_bad_character_at_the_end_of_a_long_record_has_its_line(read):
    records, _ = read(b">a\n" + b"MKVLA\n" * 100_000 + b"LL7\n>b\nMK\n")
    assert records[0].status == "invalid character '7' (line 100002)"
    assert (records[1].line, records[1].status) == (100_003, "ok")


def test_a_header_longer_than_any_block_stays_whole(read):
    name = b"n" * 1_000_000
    records, _ = read(b">" + name + b" d\nMK\n>" + name + b"2\nLL\n")
    assert [record.id for record in records] == [name.decode(), name.decode() + "2"]
    assert [len(record.codes) for record in records] == [2, 2]


def test_a_header_beyond_all_sense_is_cut(read, monkeypatch, tmp_path):
    monkeypatch.setattr(scanner, "MAX_HEADER", 10)
    monkeypatch.setattr(scanner, "_BLOCK", 4)
    text = b">" + b"n" * 10 + b"\nMK\n>" + b"m" * 11 + b"\nLL\n>" + b"o" * 50 + b" t\n>p\nAA\n>"
    records, report = read(text + b"q" * 12)
    assert [(r.id, r.line, len(r.codes)) for r in records] == [
        ("n" * 10, 1, 2),
        ("m" * 10, 3, 2),
        ("o" * 10, 5, 0),
        ("p", 6, 2),
        ("q" * 10, 8, 0),
    ]
    assert any("3 headers cut after" in text for text in report.messages())


# What is not FASTA


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the file is empty"),
        (b"\xef\xbb\xbf", "the file is empty"),
        (b"\n \r\n\t\r\n", "the file is empty, it has only blank lines"),
        (b"MKVLA\n", "not FASTA: line 1 is 'MKVLA' instead of a '>' header"),
        (b"\n\r\nMKVLA\n>a\nMK\n", "not FASTA: line 3 is 'MKVLA' instead of a '>' header"),
        (b"; old style\nMK", "not FASTA: line 2 is 'MK' instead of a '>' header"),
        (b"# a\n! b\n", "the file is empty, it has only comments and blank lines"),
        (b" >a\nMK\n", "not FASTA: line 1 is ' >a' instead of a '>' header"),
        (
            b"M" * 31 + b"\n",
            "not FASTA: line 1 is '" + "M" * 30 + "...' instead of a '>' header",
        ),
        (
            b"M\xff\x1b[1m\n",
            "not FASTA: line 1 is 'M\\udcff\\x1b[1m' instead of a '>' header",
        ),
        (b"M\x00\xff\n>a\nMK\n", "a binary file, not FASTA"),
    ],
)
def test_what_is_not_fasta_is_refused_with_the_line(read, tmp_path, pack, data, reason):
    with pytest.raises(InputError) as caught:
        read(pack(data))
    assert str(caught.value) == f"{tmp_path / 'x.fa'}: {reason}"


def test_endless_text_without_a_line_end_is_refused_early(read):
    with pytest.raises(InputError, match="not FASTA: line 1 is 'MMM"):
        read(b"M" * 1_000_000)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"PK\x03\x04rest", "ZIP archive"),
        (b"BZh91AY&SYrest", "bzip2"),
        (b"\xfd7zXZ\x00rest", "xz data"),
        (b"\x28\xb5\x2f\xfdrest", "Zstandard"),
        (b"\x1f\x9drest", "compress"),
        (b"7z\xbc\xaf\x27\x1crest", "7-Zip"),
        (">a\nMK".encode("utf-16"), "UTF-16"),
        (">a\nMK".encode("utf-16-le"), "UTF-16"),
        (">a\nMK".encode("utf-16-be"), "UTF-16"),
        (b"%PDF-1.7\n", "PDF"),
        (b"{\\rtf1 >a", "RTF"),
        (b"\xd0\xcf\x11\xe0rest", "Microsoft Office"),
        (b"proteins.fa".ljust(257, b"\x00") + b"ustar\x0000", "tar archive"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF", r"a binary file \(JPEG\)"),
        (b"\x89PNG\r\n\x1a\n", r"\(PNG\)"),
        (b"GIF89a", r"\(GIF\)"),
        (b"II*\x00", r"\(TIFF\)"),
        (b"MM\x00*", r"\(TIFF\)"),
        (b"BM\x36\x0c\x00\x00\x00\x00\x00\x00", r"\(BMP\)"),
        (b"RIFF\x10\x00\x00\x00WEBP", r"\(WebP\)"),
        (b"BAM\x01", r"\(BAM\)"),
        (b"CRAM\x03", r"\(CRAM\)"),
        (b"BCF\x02\x02", r"\(BCF\)"),
        (b"\x89HDF\r\n\x1a\n", r"\(HDF5\)"),
        (b"\x93NUMPY", r"\(NumPy\)"),
        (b"SQLite format 3\x00", r"\(SQLite\)"),
        (b"\x7fELF", "a program"),
    ],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_other_kinds_of_files_are_called_by_their_name(read, data, kind, pack):
    with pytest.raises(InputError, match=f"x.fa: this looks like .*{kind}"):
        read(pack(data))


def test_gzip_inside_gzip_is_refused(read):
    with pytest.raises(InputError, match="packed twice"):
        read(gzip.compress(gzip.compress(b">a\nMK\n")))


def test_a_name_that_can_not_be_opened_gives_the_reason_of_the_system(tmp_path, monkeypatch):
    with pytest.raises(InputError, match=r"none\.fa: No such file or directory$"):
        next(read_fasta(tmp_path / "none.fa"))
    with pytest.raises(InputError, match=r": Is a directory$"):
        next(read_fasta(tmp_path))

    def refuse(*_):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(InputError, match=r"^x\.fa: Permission denied$"):
        next(read_fasta("x.fa"))


# Packed data


def a_thousand_records() -> bytes:
    rng = np.random.default_rng(1)
    letters = np.frombuffer(RESIDUES.encode(), dtype=np.uint8)
    lines = []
    for number in range(1000):
        lines += [b">r%d" % number, letters[rng.integers(0, 20, 300)].tobytes()]
    return b"\n".join(lines)


@pytest.mark.parametrize("pack", [gzip.compress, pack_members, pack_bgzf])
@pytest.mark.parametrize("kept", [0.3, 0.7])
def test_gzip_that_ends_early_is_an_error_after_the_whole_records(tmp_path, pack, kept):
    packed = pack(a_thousand_records())
    path = tmp_path / "x.fa.gz"
    path.write_bytes(packed[: int(len(packed) * kept)])
    found = []
    with pytest.raises(InputError) as caught:
        found.extend(read_fasta(path))
    assert 0 < len(found) <= 1000 * kept
    assert [record.id for record in found] == [f"r{number}" for number in range(len(found))]
    assert all(len(record.codes) == 300 for record in found)
    start = f"{path}: the gzip data is truncated, after record {len(found)}, near line "
    assert str(caught.value).startswith(start)
    line = int(str(caught.value).removeprefix(start))
    assert found[-1].line < line <= 2000 * kept


def test_corrupt_gzip_is_an_error(tmp_path):
    packed = bytearray(gzip.compress(a_thousand_records()))
    for place, expected in ((len(packed) // 2, "corrupt"), (-6, "corrupt .*CRC")):
        broken = packed.copy()
        broken[place] ^= 0xFF
        path = tmp_path / "x.fa"
        path.write_bytes(broken)
        with pytest.raises(InputError, match=f"x.fa: the gzip data is {expected}.*after record"):
            list(read_fasta(path))


def test_gzip_cut_before_its_first_record_is_an_error(tmp_path):
    path = tmp_path / "x.fa"
    for kept in (3, 15):
        path.write_bytes(gzip.compress(b">a\nMK\n")[:kept])
        with pytest.raises(InputError, match=r"x\.fa: the gzip data is truncated"):
            list(read_fasta(path))


def test_gzip_cut_inside_a_long_first_record_is_an_error(tmp_path):
    path = tmp_path / "x.fa"
    packed = gzip.compress(a_thousand_records().replace(b"\n>", b"\n"))
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(InputError, match=r"truncated, before its first record was complete$"):
        list(read_fasta(path))


def test_bgzip_cut_between_two_blocks_is_noticed(read):
    whole = pack_bgzf(a_thousand_records())
    _, report = read(whole)
    assert report.notes == []
    records, report = read(whole[:-28])
    assert len(records) == 1000
    assert "the bgzip end marker is missing" in report.messages()[0]


# Standard input


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
def test_standard_input_is_read_like_a_file(read, feed_stdin, pack):
    data = b"\xef\xbb\xbf\n>a b\r\nMK\r\n\r\n>c\r\nL1L\r\n"
    feed_stdin(pack(data))
    records = list(read_fasta("-"))
    assert content(records) == content(read(data)[0])
    assert [record.line for record in records] == [2, 5]
    assert records[1].status == "invalid character '1' (line 6)"
    assert {(record.source, record.stem) for record in records} == {("<stdin>", "")}
    assert not sys.stdin.buffer.closed


def test_standard_input_without_content_is_refused(feed_stdin):
    feed_stdin(b"")
    with pytest.raises(InputError, match=r"^<stdin>: the file is empty$"):
        next(read_fasta("-"))


def test_closed_standard_input_is_refused(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match=r"^<stdin>: standard input is closed$"):
        next(read_fasta("-"))


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_pipe_that_gives_one_byte_at_a_time_is_understood(monkeypatch, pack):
    readable, writable = os.pipe()
    packed = pack(b">a\nMK\n>b\nLL\n")

    def write():
        with open(writable, "wb", buffering=0) as pipe:
            for place in range(len(packed)):
                pipe.write(packed[place : place + 1])

    writer = threading.Thread(target=write)
    with open(readable) as pipe:
        monkeypatch.setattr(sys, "stdin", pipe)
        writer.start()
        assert [record.id for record in read_fasta("-")] == ["a", "b"]
        writer.join()


# The report


def test_all_bad_records_are_listed_with_the_rest_going_on(read, tmp_path):
    records, report = read(b">a x\nMK4V\n4\n>b\nMK\n>c\n>\nM#\n")
    assert [record.status == "ok" for record in records] == [False, True, False, False]
    path = tmp_path / "x.fa"
    assert report.messages() == [
        f"{path}: record 1 ('a', line 1): invalid character '4' (line 2) and 1 more",
        f"{path}: record 3 ('c', line 6): empty sequence",
        f"{path}: record 4 ('record_4', line 7): invalid character '#' (line 8)",
        f"{path}: 1 record without an id, named by place in the input: 'record_4' ({path}, line 7)",
    ]


def test_problems_are_kept_up_to_a_limit_and_counted_beyond(read, monkeypatch):
    monkeypatch.setattr(report_module, "MAX_PROBLEMS", 5)
    _, report = read(b">a\n" * 8 + b">b\nMK\n")
    assert (len(report.problems), report.n_problems, report.ok) == (5, 8, 1)
    assert report.messages()[5].endswith("3 more records can't be used")


def test_replaced_letters_gaps_and_stops_are_one_sentence_each(read, tmp_path):
    _, report = read(b">a\nMUUU\n>b\nBZ-.\n>c\nM*K*\n")
    path = tmp_path / "x.fa"
    assert report.messages() == [
        f"{path}: 3 letters U, 1 letter B and 1 letter Z read as unknown residues",
        f"{path}: 2 gaps left out",
        f"{path}: 1 stop inside sequences read as breaks",
    ]


def test_a_report_counts_over_all_files_of_a_run(tmp_path):
    report = ReadReport()
    for name in ("one.fa", "two.fa"):
        (tmp_path / name).write_bytes(b">a\nMU\n>b\n")
        list(read_fasta(tmp_path / name, report))
    assert (report.records, report.ok, report.replaced) == (4, 2, {"U": 2})
    one, two = str(tmp_path / "one.fa"), str(tmp_path / "two.fa")
    assert report.duplicates == [
        Duplicate("a", (one, 1), (two, 1)),
        Duplicate("b", (one, 2), (two, 2)),
    ]
    assert "2 files: 2 letters U read as unknown residues" in report.messages()


@given(
    st.lists(st.lists(st.sampled_from(["", *"abcdé"]), min_size=1, max_size=30), max_size=5),
    st.sampled_from([1, 2, 7, 1000]),
)
@example([["a", "b"], ["b", "a", "a"]], 2)
def test_duplicate_ids_are_those_a_dictionary_finds(folder, files, block):
    report = ReadReport()
    first, expected = {}, []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(repeated_ids, "ID_BLOCK", block)
        for place, ids in enumerate(files):
            path = folder / f"ids{place}.fa"
            text = "".join(f">{name}\nMK\n" for name in ids)
            path.write_text(text)
            for number, record in enumerate(read_fasta(path, report), 1):
                here = (str(path), number)
                if ids[number - 1] and first.setdefault(record.id, here) != here:
                    expected.append(Duplicate(record.id, first[record.id], here))
    assert report.n_duplicates == len(expected)
    assert report.duplicates == expected[:10]
    said = [text for text in report.messages() if "a repeated id" in text]
    assert len(said) == bool(expected)
    if len(expected) > 10:
        assert said[0].endswith(f"and {len(expected) - 10} more")


def test_ids_that_differ_in_two_characters_are_not_taken_for_duplicates(folder):
    path = folder / "many.fa"
    characters = "0123456789abcdefghijklmnopqrstuvwxyz"
    ids = {
        f"{one}{'0' * apart}{other}{'0' * (20 - apart)}"
        for one in characters
        for other in characters
        for apart in range(20)
    }
    path.write_text("".join(f">{name}\nM\n" for name in sorted(ids)))
    report = ReadReport()
    for _ in read_fasta(path, report):
        pass
    assert (report.records, report.n_duplicates) == (len(ids), 0)


def test_memory_does_not_follow_the_file(folder, monkeypatch):
    monkeypatch.setattr(repeated_ids, "ID_BLOCK", 1000)
    path = folder / "large.fa"
    sequence = "MKVLAAGIVG" * 30
    with path.open("w") as file:
        for number in range(60_000):
            file.write(f">identifier{number:020d} and a description\n{sequence}\n")
    report = ReadReport()
    tracemalloc.start()
    try:
        for _ in read_fasta(path, report):
            pass
        peak = tracemalloc.get_traced_memory()[1]
        assert report.n_duplicates == 0
        kept = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert path.stat().st_size > 20_000_000
    assert peak < 3_000_000
    assert kept < 24 * 60_000


def test_nucleotides_are_warned_of_once(tmp_path):
    path = tmp_path / "genes.fa"
    path.write_bytes(b"".join(b">g%d\nACGTNACGTACGTACGTACGT\n" % number for number in range(1500)))
    report = ReadReport()
    list(read_fasta(path, report))
    warned = [text for text in report.messages() if "nucleotides" in text]
    assert warned == [
        f"{path}: nearly all letters are A, C, G, T, U or N: this looks like nucleotides, "
        "not proteins"
    ]
    assert report.nucleotide_records.count == 0


@pytest.mark.parametrize(
    ("sequence", "expected"),
    [(b"ACGT" * 13, True), (b"acgu" * 13, True), (b"ACGT" * 12, False), (b"MKVLAACG" * 20, False)],
)
def test_a_file_is_judged_at_its_end(read, sequence, expected):
    _, report = read(b">a\n" + sequence + b"\n")
    report.messages()
    assert bool(report.nucleotide_files) is expected


@pytest.mark.parametrize(
    ("sequence", "expected"),
    [
        (b"GATTACA" * 5 + b"GC", True),  # 37 letters
        (b"GAUUACA" * 3, True),
        (b"ACGT" * 5, True),
        (b"ACGT" * 4 + b"ACG", False),  # too short to tell
        (b"AATG" * 24 + b"MKVLF", True),  # 96 of 101
        (b"AATG" * 24 + b"MKVLFW", False),
        (b"A" * 40, False),
        (b"AAN" * 20, False),
        (b"TAATAA" * 10, False),
    ],
)
def test_single_records_of_nucleotides_are_warned_of(read, tmp_path, sequence, expected):
    _, report = read(b">p\n" + b"MKVLFWDE" * 30 + b"\n>n x\n" + sequence + b"\n>q\nMK\n")
    path = tmp_path / "x.fa"
    sentence = f"{path}: 1 record looks like nucleotides, not proteins: 'n' ({path}, line 3)"
    found = [text for text in report.messages() if "nucleotides" in text]
    assert found == ([sentence] if expected else [])


def test_a_file_with_one_short_record_of_nucleotides_is_warned_of(read):
    _, report = read(b">n\n" + b"GATTACA" * 5 + b"GC\n")
    assert "1 record looks like nucleotides" in report.messages()[0]


def test_each_file_is_judged_by_its_own_letters(tmp_path):
    report = ReadReport()
    for name, sequence in (("a.fa", b"ACGT" * 500), ("b.fa", b"MKVLAACG" * 10)):
        (tmp_path / name).write_bytes(b">x\n" + sequence)
        list(read_fasta(tmp_path / name, report))
    report.messages()
    assert report.nucleotide_files == [str(tmp_path / "a.fa")]
    assert report.nucleotide_records.count == 0


@pytest.mark.parametrize("marks", [b";", b"#", b"!"])
def test_comments_before_the_first_record_are_left_out_with_a_note(read, tmp_path, marks):
    records, report = read(b"\n" + marks + b" one > two\n" + marks + b"\n \n>a\nMK\n")
    assert [(record.id, record.line, record.status) for record in records] == [("a", 5, "ok")]
    path = tmp_path / "x.fa"
    assert report.messages() == [f"{path}: 2 comment lines before the first record left out"]


def test_a_comment_inside_a_record_is_no_sequence(read):
    records, _ = read(b">a\n; MK\nMKV\n")
    assert records[0].status == "invalid character ';' (line 2)"


# Many files


def test_a_file_that_can_not_be_read_does_not_end_the_others(tmp_path):
    names = ["p1.fa", "p2.fa", "cut.fa", "p3.fa"]
    cut = gzip.compress(a_thousand_records())
    contents = [b">a\nMK\n", b"", cut[: len(cut) // 2], b">b\nLL\n"]
    for name, content_ in zip(names, contents, strict=True):
        (tmp_path / name).write_bytes(content_)
    report = ReadReport()
    ids = [record.id for record in read_files([tmp_path / name for name in names], report)]
    assert (ids[0], ids[-1]) == ("a", "b")
    # As many as came whole.
    assert ids[1:-1] == [f"r{number}" for number in range(len(ids) - 2)]
    assert len(ids) > 100
    assert report.unreadable[0] == f"{tmp_path / 'p2.fa'}: the file is empty"
    assert report.unreadable[1].startswith(f"{tmp_path / 'cut.fa'}: the gzip data is truncated")
    assert report.messages()[:2] == report.unreadable


def test_files_of_which_none_can_be_read_are_an_error_that_names_all(tmp_path):
    for name in ("a.fa", "b.fa"):
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(InputError) as caught:
        list(read_files([tmp_path / "a.fa", tmp_path / "b.fa"], ReadReport()))
    assert str(caught.value) == "; ".join(
        f"{tmp_path / name}: the file is empty" for name in ("a.fa", "b.fa")
    )


# Memory and time


@pytest.mark.parametrize(
    ("start", "line", "factor"),
    [
        (b">a\n", b"MKVLAAGIVG" * 6 + b"\n", 3.2),
        (b">a\n", b"MKVLAAGIVG" * 100_000, 3.2),
        (b">a\n", b"MKVLAAGIXG" * 6 + b"\n", 4.2),
        (b">a\n", b"MKVLAAGI4G" * 6 + b"\n", 3.2),
        (b">", b"n" * 100_000, 1.0),
        (b"", b"\n" * 100_000, 0.3),
        (b"", b" " * 100_000, 0.3),
        (b";", b"c" * 100_000, 0.3),
        (b"", (b"#" + b"c" * 998 + b"\n") * 100, 0.3),
    ],
    ids=["lines", "line", "unknown", "invalid", "header", "blank", "spaces", "comment", "comments"],
)
def test_memory_is_a_small_multiple_of_one_record(folder, start, line, factor):
    path = folder / "one.fa"
    size = 6_000_000
    path.write_bytes(start + line * (size // len(line)) + b"\n>b\nMK\n")
    tracemalloc.start()
    try:
        last = deque(read_fasta(path), maxlen=1)[0]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (last.id, last.status) == ("b", "ok")
    assert peak < factor * size + 2_500_000


# Files and folders


def test_a_folder_gives_its_fasta_files_by_name(tmp_path):
    wanted = ["B.FASTA", "a.fa", "b.faa.gz", "c.Fas.BGZ", "d.pep", "e.mfa", "f.fsa"]
    others = ["README.md", "genome.fna", "labels.tsv", "proteins.gz", "fa"]
    for name in [*wanted, *others, ".hidden.fa"]:
        (tmp_path / name).touch()
    (tmp_path / "folder.fa").mkdir()
    (tmp_path / "gone.fasta").symlink_to(tmp_path / "nowhere")
    report = ReadReport()
    found = expand_inputs([tmp_path], report)
    # A link to nothing is listed, so that reading it says what is wrong.
    assert [path.name for path in found] == sorted([*wanted, "gone.fasta"])
    assert report.notes == [
        f"{tmp_path}: not read: README.md, fa, folder.fa, genome.fna, labels.tsv and 1 more"
    ]


def test_inputs_keep_their_order_and_files_need_no_suffix(tmp_path):
    (tmp_path / "class").mkdir()
    for name in ("z.txt", "class/k.fa", "class/j.fa"):
        (tmp_path / name).touch()
    given_paths = [str(tmp_path / "z.txt"), "-", tmp_path / "class"]
    assert expand_inputs(given_paths) == [
        tmp_path / "z.txt",
        "-",
        tmp_path / "class/j.fa",
        tmp_path / "class/k.fa",
    ]


def test_a_folder_without_fasta_says_what_was_looked_for_and_what_is_there(tmp_path):
    (tmp_path / "notes.docx").touch()
    with pytest.raises(InputError) as caught:
        expand_inputs([tmp_path])
    assert all(suffix in str(caught.value) for suffix in (*FASTA_SUFFIXES, ".gz", "notes.docx"))
    (tmp_path / "notes.docx").unlink()
    with pytest.raises(InputError, match=r"there is nothing$"):
        expand_inputs([tmp_path])


def test_all_missing_inputs_are_named_at_once(tmp_path):
    with pytest.raises(InputError, match=r"a\.fa: No such file.*; .*b\.fa: No such file"):
        expand_inputs([tmp_path / "a.fa", tmp_path / "b.fa"])


def test_standard_input_can_stand_only_once():
    with pytest.raises(InputError, match="only once"):
        expand_inputs(["-", "-"])


@pytest.mark.parametrize(
    ("path", "label"),
    [
        ("a.b.fasta.gz", "a.b"),
        ("folder/cyto.fasta", "cyto"),
        ("CYTO.FASTA.BGZ", "CYTO"),
        ("1.1.fa", "1.1"),
        ("1.1", "1.1"),
        ("a.fa.fa", "a.fa"),
        ("class.txt", "class"),
        ("plain.gz", "plain"),
    ],
)
def test_label_of_a_file_is_its_name_without_suffixes(path, label):
    assert label_of(path) == label_of(Path(path)) == label


# The real files


def test_the_pool_has_its_known_symbols(proteins):
    report = ReadReport()
    records = list(read_fasta(proteins / "scop_1_53" / "scop.1.53.1e-25.fasta", report))
    assert (len(records), report.ok, report.n_duplicates) == (4352, 4352, 0)
    counts = np.bincount(
        np.frombuffer(b"".join(record.codes for record in records), dtype=np.uint8)
    )
    assert (len(counts), np.count_nonzero(counts)) == (N_SYMBOLS, 22)
    assert counts[UNKNOWN] == 457
    breaks = [record.codes.count(BREAK) for record in records]
    assert Counter(breaks) == {0: 4280, 1: 72}
    assert report.replaced == {"X": 457}
    assert len(report.messages()) == 1
    assert report.nucleotide_files == []


def test_the_four_classes_have_their_known_sizes(proteins):
    sizes = {}
    report = ReadReport()
    for path in expand_inputs([proteins / "four_class"], report):
        records = list(read_fasta(path, report))
        sizes[records[0].stem] = len(records)
    assert sizes == {
        "metabolism": 804,
        "information": 950,
        "intracellular": 694,
        "extracellular": 992,
    }
    assert report.n_problems == report.n_duplicates == 0


def test_the_subcellular_files_have_their_known_rare_letters(proteins):
    report = ReadReport()
    found = {}
    for name in ("cyto", "mito", "nuclear", "secreted"):
        before = report.replaced.copy()
        records = list(read_fasta(proteins / "subcellular" / f"{name}.fasta", report))
        found[name] = len(records), dict(report.replaced - before)
    assert found == {
        "cyto": (3004, {"U": 5, "X": 1}),
        "mito": (1299, {"X": 2, "U": 1}),
        "nuclear": (3314, {"U": 1, "X": 1}),
        "secreted": (1605, {"X": 89, "U": 17, "B": 1}),
    }
    assert (report.records, report.ok) == (9222, 9222)
    assert report.replaced == {"U": 24, "X": 93, "B": 1}
    assert not report.nucleotide_files
