"""Odd FASTA files and label tables, each with what a reader must make of it.

``python -m tests.bio.reading.odd_fasta FOLDER`` writes them all. Everything is made here, and what
is expected is computed from what was put in, never by the reader that is tested.
"""

import csv
import gzip
import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from Bio import bgzf

# Written out, not taken from the product: the codes are part of what is tested.
LETTERS = "ACDEFGHIKLMNPQRSTVWY"
UNKNOWN, BREAK = 20, 21
NOT_IN_PLACE = "header does not start its line"
PROTEIN = "MKVLAAGIVGSTWYHNQERDCPF"
MAX_HEADER = 1 << 20


class Row(NamedTuple):
    """What a record must be read as."""

    id: str
    codes: bytes
    status: str
    line: int


@dataclass(frozen=True)
class OddFile:
    """A file and what is expected of it.

    Attributes
    ----------
    name : str
        Name of the file, unique.
    data : bytes
        Its content.
    rows : list of Row
        The records that must come, in order.
    refusal : str
        Part of the sentence that refuses the file after them; empty if it is read to its end.
    says : tuple of str
        Parts of the sentences that the report must hold, and one for each of them.
    """

    name: str
    data: bytes
    rows: tuple[Row, ...] = ()
    refusal: str = ""
    says: tuple[str, ...] | None = None


@dataclass(frozen=True)
class OddTable:
    """A label table, and its labels or part of the refusal."""

    name: str
    data: bytes
    labels: dict[str, str] | None = None
    refusal: str = ""


def codes(sequence: str) -> bytes:
    """Codes of residues, in upper case."""
    return bytes(LETTERS.index(letter) for letter in sequence)


def ok(name: str, sequence: str, line: int) -> Row:
    """Row of a good record."""
    return Row(name, codes(sequence), "ok", line)


def bad(name: str, status: str, line: int) -> Row:
    """Row of a record that can't be used."""
    return Row(name, b"", status, line)


def fasta() -> list[OddFile]:
    """All odd FASTA files."""
    makers = (
        layouts, packed, residues, unknowns, marks, invalid, white, headers, empty, glued, words,
        pir, comments, nucleotides, others, binaries, damaged,
    )  # fmt: skip
    return [file for maker in makers for file in maker()]


# Layout


def layouts() -> Iterator[OddFile]:
    """The same three records, written in every way."""
    sequences = {"a": PROTEIN, "b": PROTEIN * 4, "c": "MK"}
    ends = {"lf": ["\n"], "crlf": ["\r\n"], "cr": ["\r"], "mixed": ["\n", "\r\n", "\r"]}
    for end_name, kinds in ends.items():
        for width in (1, 10, 60, 1000):
            for blank in (0, 1, 3):
                lines: list[str] = [""] * blank
                rows = []
                for name, sequence in sequences.items():
                    rows.append(ok(name, sequence, len(lines) + 1))
                    lines.append(f">{name} some words")
                    for start in range(0, len(sequence), width):
                        lines += [sequence[start : start + width], *[""] * blank]
                # A lone \r before a \n would be one line end, so blank lines keep to one kind.
                kinds_here = kinds if blank == 0 else kinds[:1]
                text = "".join(
                    line + kinds_here[at % len(kinds_here)] for at, line in enumerate(lines)
                )
                mark = "\ufeff" if width == 10 else ""
                whole = text if width != 60 else text.rstrip("\r\n")
                yield OddFile(
                    f"layout-{end_name}-{width}-{blank}.fa",
                    (mark + whole).encode(),
                    tuple(rows),
                    says=(),
                )


def in_bgzf(data: bytes) -> bytes:
    """Blocks of 50 bytes."""
    out = io.BytesIO()
    out_close, out.close = out.close, lambda: None  # type: ignore[method-assign]
    with bgzf.BgzfWriter(fileobj=out) as writer:
        for start in range(0, len(data), 50):
            writer.write(data[start : start + 50])
            writer.flush()
    packed = out.getvalue()
    out_close()
    return packed


def packed() -> Iterator[OddFile]:
    """Packed files, whose names tell nothing."""
    text = f"\ufeff>a\r\n{PROTEIN}\r\n>b\r\n{PROTEIN * 9}\r\n".encode()
    rows = (ok("a", PROTEIN, 1), ok("b", PROTEIN * 9, 3))
    half = len(text) // 2
    kinds = {
        "gzip": gzip.compress(text),
        "stored": gzip.compress(text, 0),
        "members": gzip.compress(text[:half]) + gzip.compress(text[half:]),
        "empty-members": gzip.compress(b"") + gzip.compress(text) + gzip.compress(b""),
        "bgzf": in_bgzf(text),
    }
    for name, data in kinds.items():
        yield OddFile(f"packed-{name}.txt", data, rows, says=())
    yield OddFile(
        "packed-bgzf-cut.fa", in_bgzf(text)[:-28], rows, says=("the bgzip end marker is missing",)
    )


# Letters


def one(name: str, text: str, row: Row, *says: str) -> OddFile:
    """A file of one record between two good ones."""
    assert row.line == 3
    n_lines = text.count("\n") + 1
    data = f">first\nMKV\n>x\n{text}\n>last\nLLA\n".encode("utf-8", "surrogateescape")
    return OddFile(
        name, data, (ok("first", "MKV", 1), row, ok("last", "LLA", 4 + n_lines)), says=says
    )


def residues() -> Iterator[OddFile]:
    """All residues in either case."""
    for name, text in (
        ("upper", LETTERS),
        ("lower", LETTERS.lower()),
        ("both", LETTERS.swapcase() + LETTERS),
        ("masked", "MKVlaagIVG"),
    ):
        yield one(f"residues-{name}.fa", text, ok("x", text.upper(), 3))


def unknowns() -> Iterator[OddFile]:
    """Letters without a residue of their own."""
    for letter in "BJOUXZbjouxz":
        row = Row("x", codes("MK") + bytes([UNKNOWN]) + codes("V"), "ok", 3)
        sentence = f"1 letter {letter.upper()} read as unknown residues"
        yield one(f"unknown-{letter.upper()}-{letter.islower()}.fa", f"MK{letter}V", row, sentence)
    between = codes("MK") + bytes([BREAK]) + codes("LA")
    yield one("astral.fa", "mkXla", Row("x", between, "ok", 3))
    both = codes("MK") + bytes([BREAK, UNKNOWN]) + codes("LA")
    yield one("astral-both.fa", "mkXxla", Row("x", both, "ok", 3), "1 letter X read as unknown")
    yield one("only-X.fa", "XX", Row("x", bytes([UNKNOWN] * 2), "ok", 3), "2 letters X read")


def marks() -> Iterator[OddFile]:
    """Gaps and stops."""
    inside = codes("MK") + bytes([BREAK]) + codes("V")
    stops, gaps = "stop inside sequences read as breaks", "left out"
    yield one("stop-end.fa", "MKV*", ok("x", "MKV", 3))
    yield one("stops-end.fa", "MKV***", ok("x", "MKV", 3))
    yield one("stop-own-line.fa", "MKV\n*", ok("x", "MKV", 3))
    yield one("stop-inside.fa", "MK*V", Row("x", inside, "ok", 3), f"1 {stops}")
    yield one("stop-inside-and-end.fa", "MK*V*", Row("x", inside, "ok", 3), f"1 {stops}")
    yield one("stop-start.fa", "*MK", Row("x", bytes([BREAK]) + codes("MK"), "ok", 3), f"1 {stops}")
    yield one("stop-before-gaps.fa", "MKV*--", ok("x", "MKV", 3), f"2 gaps {gaps}")
    for name, mark in (("dash", "-"), ("dot", ".")):
        yield one(f"gap-{name}-start.fa", f"{mark}MKV", ok("x", "MKV", 3), f"1 gap {gaps}")
        yield one(f"gap-{name}s.fa", f"M{mark * 3}KV{mark}", ok("x", "MKV", 3), f"4 gaps {gaps}")


def invalid() -> Iterator[OddFile]:
    """Each character that stands for nothing."""
    shown = {"\0": "'\\x00'", "\x1b": "'\\x1b'", "\x7f": "'\\x7f'", "'": '"\'"', "\\": "'\\\\'"}
    shown |= {"\u00a0": "'\\xa0'", "\u2028": "'\\u2028'", "\u200b": "'\\u200b'"}
    shown |= {chr(0xDC00 + byte): f"byte 0x{byte:02X}" for byte in (0x80, 0xC3, 0xE9, 0xFF)}
    shown["\ufeff"] = "'\\ufeff'"
    plain = '0159!"#$%&()+,/:;<=?@[]^_`{|}~éßЖ序'
    for symbol in [*plain, *shown]:
        status = f"invalid character {shown.get(symbol, repr(symbol))} (line 5)"
        number = "-".join(f"{byte:02x}" for byte in symbol.encode("utf-8", "surrogateescape"))
        yield one(f"invalid-{number}.fa", f"MKV\nLA{symbol}V", bad("x", status, 3))
    numbered = "        1 mkvlaagivg mkvlaagivg\n       21 mkvla\n//\n  a1234567\n"
    count = sum(symbol in "0123456789/" for symbol in numbered)
    status = f"invalid character '1' (line 4) and {count - 1} more"
    yield one("invalid-numbered.fa", numbered, bad("x", status, 3))


def white() -> Iterator[OddFile]:
    """White space of all kinds."""
    for name, text, n_white in (
        ("blocks", "MKVLAAGIVG MKVLAAGIVG MKV", 2),
        ("tabs", "MKV\tLA", 1),
        ("both", "MKV \t LA", 3),
        ("vertical", "MKV\x0bLA\x0cGI\x1cVG", 3),
        ("around", "  MKV  \n\t LA \t", 0),
        ("masked-blocks", "MKVLAAGIVG mkvlaagivg", 1),
        ("letters", "M K V", 2),
    ):
        says = f"{n_white} white-space character{'' if n_white == 1 else 's'} inside"
        row = ok("x", "".join(text.upper().split()).replace("\x1c", ""), 3)
        yield one(f"white-{name}.fa", text, row, *([says] if n_white else []))


# Headers


def headers() -> Iterator[OddFile]:
    """Names that are missing, foreign, long or twice there."""

    def file(name: str, header: bytes, known_as: str, *says: str) -> OddFile:
        data = b">first\nMKV\n>" + header + b"\nMKV\n"
        rows = (ok("first", "MKV", 1), ok(known_as, "MKV", 3))
        return OddFile(f"header-{name}.fa", data, rows, says=says)

    unnamed, foreign = "1 record without an id, named", "1 header with bytes that are not UTF-8"
    yield file("none", b"", "record_2", unnamed)
    yield file("blank", b" \t ", "record_2", unnamed)
    yield file("blank-first", b" seq 0", "record_2", unnamed)
    yield file("tab-first", b"\tseq", "record_2", unnamed)
    yield file("tab", b"seq\tmore", "seq")
    yield file("pipes", b"sp|P1|X_HUMAN words OS=Homo", "sp|P1|X_HUMAN")
    yield file("carriage", b"seq\r", "seq")
    yield file("white-end", b"seq  \t", "seq")
    yield file("two-marks", b">seq", ">seq")
    yield file("mark-inside", b"seq>b c>d", "seq>b")
    yield file("quotes", b'"seq"', '"seq"')
    yield file("commas", b"a,b;c", "a,b;c")
    yield file("utf8", "sé序".encode(), "sé序")
    yield file("wide-blank", "a\u00a0b c".encode(), "a\u00a0b")
    yield file("latin1", b"s\xe9q2", r"s\xe9q2", foreign)
    yield file("latin1-words", b"s n\xe9", "s", foreign)
    yield file("cut-utf8", b"s\xc3", r"s\xc3", foreign)
    yield file("escape", b"s\x1b[31m", r"s\x1b[31m", foreign)
    yield file("nul", b"s\0t", r"s\x00t", foreign)
    yield file("next-line", b"s\xc2\x85t", r"s\x85t", foreign)
    yield file("line-separator", "s\u2028t".encode(), r"s\u2028t", foreign)
    yield file("separator", b"s\x1ct", "s")
    yield file("number", b"7", "7")
    yield file("hash", b"#seq", "#seq")
    yield file("semicolon", b";seq", ";seq")
    yield file("same", b"first", "first", "1 record with a repeated id: 'first'")
    yield file("case", b"First", "First")
    yield file("long", b"n" * 300_000, "n" * 300_000)
    yield file("longest", b"n" * MAX_HEADER, "n" * MAX_HEADER)
    yield file("too-long", b"n" * (MAX_HEADER + 9), "n" * MAX_HEADER, "1 header cut after")
    nameless = b"".join(b">\nMKV\n" for _ in range(3))
    rows = tuple(ok(f"record_{n}", "MKV", 2 * n - 1) for n in (1, 2, 3))
    yield OddFile("header-none-thrice.fa", nameless, rows, says=("3 records without an id",))


def empty() -> Iterator[OddFile]:
    """Records without sequence."""
    for name, text in (
        ("nothing", ""),
        ("blank-line", "\n"),
        ("blank-lines", "\n\n \n\t\n"),
        ("gaps", "---\n"),
        ("stop", "*\n"),
        ("all", " - . *\n*\n"),
    ):
        n_lines = text.count("\n")
        row = bad("x", "empty sequence", 1)
        yield OddFile(f"empty-{name}-only.fa", f">x y\n{text}".encode(), (row,))
        yield OddFile(
            f"empty-{name}-first.fa",
            f">x y\n{text}>a\nMKV\n".encode(),
            (row, ok("a", "MKV", 2 + n_lines)),
        )
        yield OddFile(
            f"empty-{name}-last.fa",
            f">a\nMKV\n>x\n{text}".encode(),
            (ok("a", "MKV", 1), bad("x", "empty sequence", 3)),
        )
    yield OddFile("empty-mark-only.fa", b">", (bad("record_1", "empty sequence", 1),))


def glued() -> Iterator[OddFile]:
    """Headers that do not start their line."""
    for name, text, complaint in (
        ("letter", "LLA>b t", "'>' (line 2)"),
        ("quote", 'MKV">b t', "'\"' (line 2) and 1 more"),
        ("digit", "MKV1>b", "'1' (line 2) and 1 more"),
        ("nul", "\0>b", "'\\x00' (line 2) and 1 more"),
        ("blank", " >b", "'>' (line 2)"),
        ("comment", "; >b", "';' (line 2) and 1 more"),
    ):
        data = f">a\n{text}\nMKV\n>c\nMKV\n".encode()
        rows = (
            bad("a", f"invalid character {complaint}: a header must start its line", 1),
            bad("b", f"{NOT_IN_PLACE} (line 2)", 2),
            ok("c", "MKV", 4),
        )
        yield OddFile(f"glued-{name}.fa", data, rows)
    rows = (
        bad("a", "invalid character '>' (line 2): a header must start its line", 1),
        bad("b", f"{NOT_IN_PLACE} (line 2)", 2),
        bad("c", f"{NOT_IN_PLACE} (line 3)", 3),
    )
    yield OddFile("glued-twice.fa", b">a\nMK>b\nMK>c\nMK\n", rows)
    yield OddFile("glued-end.fa", b">a\nMK>", (rows[0], bad("record_2", rows[1].status, 2)))


# Text that is no sequence


def words() -> Iterator[OddFile]:
    """Lines of words."""
    for number, text in enumerate(
        ("Resource temporarily unavailable", "Killed by signal", "no such file", "Bus error")
    ):
        status = f"words, not residues: {text!r} (line 5)"
        yield one(f"words-{number}.fa", f"ACDE\n{text}\nMKV", bad("x", status, 3))


def pir() -> Iterator[OddFile]:
    """PIR, which looks like FASTA."""
    status = "PIR, not FASTA: the line below its header is a title (line 2)"
    for code in ("P1", "F1", "DL", "DC", "RL", "RC", "N1", "N3", "XX"):
        data = f">{code};PROT\nsome title (EC 1.1)\nMKVLA\nMKV*\n".encode()
        yield OddFile(f"pir-{code}.pir", data, (bad(f"{code};PROT", status, 1),))
    data = b">P1;A\n\nMKV\n*\n\n>a\nMKV\n"
    yield OddFile("pir-blank-title.pir", data, (bad("P1;A", status, 1), ok("a", "MKV", 6)))
    yield OddFile("pir-id-only.fa", b">P1;A\nMKV\n", (ok("P1;A", "MKV", 1),))


def comments() -> Iterator[OddFile]:
    """Lines before the first record."""
    said = "comment line{} before the first record left out"
    for name, text, count in (
        ("semicolon", "; x\n", 1),
        ("hash", "# > x\n", 1),
        ("exclamation", "!x\n\n", 1),
        ("many", "\n;\n #x\n!\n", 3),
    ):
        row = ok("a", "MKV", text.count("\n") + 1)
        says = (f"{count} {said.format('' if count == 1 else 's')}",)
        yield OddFile(f"comment-{name}.fa", f"{text}>a\nMKV\n".encode(), (row,), says=says)
    yield OddFile("comment-only.fa", b"; x\n# y", refusal="only comments and blank lines")
    yield OddFile("comment-pearson.fa", b";A\nMKV*\n", refusal="line 2 is 'MKV*'")
    status = "invalid character ';' (line 2)"
    yield OddFile("comment-inside.fa", b">a\n; MK\n", (bad("a", status, 1),))


def nucleotides() -> Iterator[OddFile]:
    """DNA and RNA among proteins, and alone."""
    one_record = "1 record looks like nucleotides, not proteins: 'n'"
    for name, text in (("37", "GATTACA" * 5 + "GC"), ("20", "ACGT" * 5), ("lower", "gattaca" * 9)):
        data = f">p\n{PROTEIN * 20}\n>n\n{text}\n".encode()
        rows = (ok("p", PROTEIN * 20, 1), ok("n", text.upper(), 3))
        yield OddFile(f"dna-{name}.fa", data, rows, says=(one_record,))
        short = len(text) < 50
        said = one_record if short else "nearly all letters are A, C, G, T, U or N"
        alone = (ok("n", text.upper(), 1),)
        yield OddFile(f"dna-{name}-alone.fa", f">n\n{text}\n".encode(), alone, says=(said,))
    for name, text in (
        ("19", "ACGT" * 4 + "ACG"),
        ("repeat", "A" * 90 + PROTEIN),
        ("alanine", "A" * 45),
    ):
        yield OddFile(f"protein-{name}.fa", f">n\n{text}\n".encode(), (ok("n", text, 1),), says=())


# Files of other kinds


def others() -> Iterator[OddFile]:
    """Text of other formats."""
    for name, text, line in (
        ("fastq", "@a\nACGT\n+\n!!!!\n", 1),
        ("genbank", "LOCUS       X 10 aa\nORIGIN\n        1 mkv\n//\n", 1),
        ("embl", "ID   X; SV 1\nSQ   Sequence 3\n     mkv\n//\n", 1),
        ("clustal", "CLUSTAL W (1.83)\n\na MKV\n", 1),
        ("phylip", " 2 3\na MKV\nb LLA\n", 1),
        ("newick", "(a,b);\n", 1),
        ("csv", "id,sequence\na,MKV\n", 1),
        ("html", "<!DOCTYPE html>\n<p>a</p>\n", 1),
        ("json", '{"a": "MKV"}\n', 1),
        ("bare", "MKVLA\n>a\nMKV\n", 1),
        ("bare-later", "\n \n\nMKVLA\n", 4),
        ("indented", " >a\nMKV\n", 1),
        ("wide-indent", "\u00a0>a\nMKV\n", 1),
        ("log", "Traceback (most recent call last):\n", 1),
    ):
        yield OddFile(f"other-{name}.fa", text.encode(), refusal=f"not FASTA: line {line} is ")
    yield OddFile("other-stockholm.fa", b"# STOCKHOLM 1.0\na MKV\n", refusal="line 2 is 'a MKV'")
    yield OddFile("other-gcg.fa", b"!!AA_SEQUENCE 1.0\nx  Length: 3 ..\n", refusal="line 2 is")
    for name, data in (("nothing", b""), ("mark", b"\xef\xbb\xbf"), ("gzip", gzip.compress(b""))):
        yield OddFile(f"empty-file-{name}.fa", data, refusal="the file is empty")
    for name, data in (("lf", b"\n\n"), ("cr", b"\r\r"), ("all", b" \n\t\r\n\x0c\n")):
        yield OddFile(f"empty-file-{name}.fa", data, refusal="only blank lines")


def binaries() -> Iterator[OddFile]:
    """Files that hold no text, with their first bytes as their formats say."""
    for name, start, kind in (
        ("jpeg", b"\xff\xd8\xff\xe0\0\x10JFIF\0", "binary file (JPEG)"),
        ("png", b"\x89PNG\r\n\x1a\n", "binary file (PNG)"),
        ("gif", b"GIF89a\x01\0\x01\0", "binary file (GIF)"),
        ("tiff", b"II*\0\x08\0\0\0", "binary file (TIFF)"),
        ("tiff-big", b"MM\0*\0\0\0\x08", "binary file (TIFF)"),
        ("bmp", b"BM\x36\0\0\0\0\0\0\0\x36\0\0\0", "binary file (BMP)"),
        ("webp", b"RIFF\x24\0\0\0WEBPVP8 ", "binary file (WebP)"),
        ("zip", b"PK\x03\x04\x14\0", "a ZIP archive"),
        ("bzip2", b"BZh91AY&SY", "bzip2 data"),
        ("xz", b"\xfd7zXZ\0", "xz data"),
        ("zstd", b"\x28\xb5\x2f\xfd", "Zstandard data"),
        ("compress", b"\x1f\x9d\x90", "data from compress"),
        ("7z", b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
        ("pdf", b"%PDF-1.7\n", "a PDF document"),
        ("rtf", b"{\\rtf1 >a", "an RTF document"),
        ("doc", b"\xd0\xcf\x11\xe0", "an old Microsoft Office document"),
        ("tar", b"x.fa".ljust(257, b"\0") + b"ustar\0", "a tar archive"),
        ("cram", b"CRAM\x03\0", "binary file (CRAM)"),
        ("hdf5", b"\x89HDF\r\n\x1a\n", "binary file (HDF5)"),
        ("numpy", b"\x93NUMPY\x01\0", "binary file (NumPy)"),
        ("sqlite", b"SQLite format 3\0", "binary file (SQLite)"),
        ("elf", b"\x7fELF\x02\x01", "binary file (a program)"),
        ("unknown", b"\x02\x03\0\0\x01", "a binary file, not FASTA"),
        ("utf16", ">a\nMK\n".encode("utf-16"), "UTF-16 text"),
        ("utf16-le", ">a\nMK\n".encode("utf-16-le"), "UTF-16 text"),
        ("utf16-be", ">a\nMK\n".encode("utf-16-be"), "UTF-16 text"),
    ):
        yield OddFile(f"binary-{name}.fa", start + bytes(40), refusal=kind)
    yield OddFile("binary-bam.fa", in_bgzf(b"BAM\x01" + bytes(40)), refusal="binary file (BAM)")
    yield OddFile("binary-bcf.fa", in_bgzf(b"BCF\x02\x02"), refusal="binary file (BCF)")
    twice = gzip.compress(gzip.compress(b">a\nMK\n"))
    yield OddFile("binary-gzip-twice.fa", twice, refusal="gzip data packed twice")


def damaged() -> Iterator[OddFile]:
    """Packed files that break off or are changed."""
    # Beyond the first 512 bytes, which tell what kind of content it is.
    sequence = PROTEIN * 40
    text = f">a\n{sequence}\n>b\n{sequence}\n".encode()
    whole = gzip.compress(text, mtime=0)
    first = ok("a", sequence, 1)
    early, corrupt = "the gzip data is truncated", "the gzip data is corrupt"
    for name, data in (("header", whole[:5]), ("first", whole[:12])):
        yield OddFile(f"damaged-{name}.fa", data, refusal=early)
    # The last record of the first member may go on in the second.
    cut = whole + gzip.compress(b"MKV\n" * 99, mtime=0)[:14]
    yield OddFile("damaged-second.fa", cut, (first,), f"{early}, after record 1, near line")
    wrong_sum = whole[:-8] + bytes(8)
    yield OddFile("damaged-sum.fa", wrong_sum, (first,), f"{corrupt} (CRC")
    yield OddFile("damaged-behind.fa", whole + b"junk", (first,), "Not a gzipped file")


# Label tables


def tables() -> list[OddTable]:
    """All odd label tables; every good one gives a to `one` and b to `two`."""
    return [*good_tables(), *odd_tables()]


def good_tables() -> Iterator[OddTable]:
    """The same labels by every writer."""
    rows = [("a", "one"), ("b", "two")]
    expected = dict(rows)
    marks_ = {"tab": "\t", "comma": ",", "semicolon": ";"}
    for mark_name, mark in marks_.items():
        for quoting, quoted in ((csv.QUOTE_MINIMAL, "plain"), (csv.QUOTE_ALL, "quoted")):
            for end_name, end in (("lf", "\n"), ("crlf", "\r\n"), ("cr", "\r")):
                for named in (False, True):
                    out = io.StringIO()
                    writer = csv.writer(out, delimiter=mark, quoting=quoting, lineterminator=end)
                    writer.writerows(([("id", "label")] if named else []) + rows)
                    name = f"table-{mark_name}-{quoted}-{end_name}-{'named' if named else 'bare'}"
                    yield OddTable(name, out.getvalue().encode(), expected)
    # As R's write.table and write.csv write a data frame, with row names and without.
    for mark_name, mark in {**marks_, "space": " "}.items():
        lines = [mark.join(("1", "a", "one")), mark.join(("2", "b", "two"))]
        numbered = "\n".join(f'"{line}"'.replace(mark, f'"{mark}"') for line in lines)
        for start in ([], [""]):
            names = mark.join(f'"{name}"' for name in (*start, "id", "label"))
            yield OddTable(
                f"table-R-{mark_name}-{len(start)}", f"{names}\n{numbered}\n".encode(), expected
            )


def odd_tables() -> Iterator[OddTable]:
    """Blank labels, foreign bytes, quotes, and what can't be read."""

    def table(name: str, text: str | bytes, labels: dict[str, str] | str) -> OddTable:
        data = text.encode() if isinstance(text, str) else text
        if isinstance(labels, str):
            return OddTable(f"table-{name}", data, refusal=labels)
        return OddTable(f"table-{name}", data, labels)

    yield table("blank-label", "a\tone\nb\t\n", {"a": "one", "b": ""})
    yield table("blank-quoted", 'a,"one"\nb,""\n', {"a": "one", "b": ""})
    yield table("na", "a\tone\nb\tNA\n", {"a": "one", "b": "NA"})
    yield table("latin1", b"caf\xe9\tt\xff\n", {r"caf\xe9": r"t\xff"})
    yield table("escape", "a\tx\x1b[1m\n", {"a": r"x\x1b[1m"})
    yield table("doubled", 'a\t"say ""so"""\n', {"a": 'say "so"'})
    yield table("doubled-R", '"id" "label"\n"1" "a" "say \\"so\\""\n', {"a": 'say "so"'})
    yield table("quote-inside", 'a\t5" end\n', {"a": '5" end'})
    yield table("mark-quoted", '"a","one, two"\n', {"a": "one, two"})
    yield table("tab-quoted", '"a","one\ttwo"\n', {"a": "one two"})
    yield table("comma-in-tabs", "a\tone, two\n", {"a": "one, two"})
    yield table("comment-quote", "# it's \"x\na\tone\n", {"a": "one"})
    yield table("class", "id,n,class\na,1,one\n", {"a": "one"})
    yield table("behind", "label;id\none;a\n", {"a": "one"})
    yield table("bom", "\ufeffid,label\na,one\n", {"a": "one"})
    yield table("gzip", gzip.compress(b"a,one\n"), {"a": "one"})
    yield table("wide", "a\tsé序\n", {"a": "sé序"})
    yield table("again", "a\tone\na\tone\n", {"a": "one"})
    yield table("empty", "", "the table has no labels")
    yield table("comments", "# a\tone\n", "the table has no labels")
    yield table("all-blank", "a\t\nb\t\n", "the table has no labels")
    yield table("clash", "a\tone\na\ttwo\n", "'a' is 'one' in line 1 and 'two' in line 2")
    yield table("clash-blank", "a\tone\na\t\n", "'a' is 'one' in line 1 and '' in line 2")
    yield table("short", "a\tone\nb\n", "between them in ")
    yield table("no-id", "\tone\n", "between them in ")
    yield table("spaces", "a one\n", "between them in ")
    yield table("open-quote", 'a\t"one\nb\ttwo\n', "line 1: a quote is not closed")
    yield table("broken-quote", '"a"x,one\n', "line 1: ',' expected after")
    yield table("zip", b"PK\x03\x04" + bytes(40), "a ZIP archive or an Excel file")
    yield table("utf16", "a\tone\n".encode("utf-16"), "UTF-16 text")
    yield table("jpeg", b"\xff\xd8\xff\xe0" + bytes(40), "binary file (JPEG)")
    yield table("cut", gzip.compress(b"a\tone\n")[:-9], "the gzip data is truncated")


def main() -> None:
    """Write all files to a folder."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for file in [*fasta(), *tables()]:
        (folder / file.name).write_bytes(file.data)


if __name__ == "__main__":
    main()
