"""Reading FASTA: every record becomes a row, usable or not, in one pass."""

import io
from collections.abc import Callable, Iterator
from itertools import chain, filterfalse
from pathlib import Path
from typing import cast

from Bio.SeqIO.FastaIO import SimpleFastaParser

from sfmbio.alphabet import RESIDUE_CODES, find_invalid, shown
from sfmbio.errors import InputError
from sfmbio.inputs import label_of
from sfmbio.opening import READ_ERRORS, STDIN, TextSource, reason_of
from sfmbio.record import Record
from sfmbio.repeated_ids import ID_BLOCK
from sfmbio.report import NUCLEOTIDE_SAMPLE, ReadReport


def read_fasta(source: str | Path, report: ReadReport | None = None) -> Iterator[Record]:
    r"""Read the records of a FASTA file one by one.

    Every header becomes one record, in the order of the file; a record that can't be used has no
    codes, and a status that says why. Memory does not grow with the file.

    Parameters
    ----------
    source : str or Path
        A file, or ``"-"`` for standard input; plain, gzip or bgzip, which the content tells.
    report : ReadReport, optional
        Counts what is met. Files that share a report are read one after another.

    Yields
    ------
    Record
        The next record.

    Raises
    ------
    InputError
        If the source can't be read or is not FASTA. It comes with the first record that is asked
        for, or at the place where packed data is broken.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "enzymes.fasta")
    ...     _ = path.write_text(">a first\nMKV\nLA\n>b\n>c\nLL7\n")
    ...     for record in read_fasta(path):
    ...         print(record.id, record.line, len(record.codes), record.status)
    a 1 5 ok
    b 4 0 empty sequence
    c 5 0 invalid character '7' (line 6)
    """
    report = ReadReport() if report is None else report
    # Read as ASCII, a character is a byte: only ASCII white space ends an id or a line, as in the
    # formats of this field, and the bytes of other characters stay together.
    with TextSource(source, "ascii") as opened:
        name = opened.name
        stem = "" if name is STDIN else label_of(source)
        report._begin(name)
        before, ids = report.records, report._ids.block
        number = line = 0
        # The lines since the latest header, which tell where a bad character stands.
        held: list[str] = []
        try:
            header, line = _first_header(opened)
            # `append` returns None, so `filterfalse` keeps every line and passes it on.
            lines = filterfalse(cast(Callable[[str], object], held.append), _lines_of(opened.text))
            # The parser can't take a line without a character.
            records = SimpleFastaParser(chain([header], filter(None, lines)))
            for number, (title, sequence) in enumerate(records, 1):
                if words := title.split(None, 1):
                    known_as = words[0]
                else:
                    known_as = ""
                    report.without_id += 1
                if not title.isascii():
                    title, known_as = _utf8(title), _utf8(known_as)
                letters = sequence.encode("ascii", "surrogateescape")
                codes = letters.translate(RESIDUE_CODES)
                status = "ok"
                # Most records hold residues only, and are spared the call.
                if number <= NUCLEOTIDE_SAMPLE or not codes.isascii() or not codes:
                    codes, status = report._look_closer(letters, number)
                    if not status:
                        status = _complaint(held, line + 1)
                record = Record(known_as, title, codes, status, name, number, line, stem)
                if not codes:
                    report._add_problem(record)
                report.records = before + number
                ids.append(known_as)
                if len(ids) == ID_BLOCK:
                    report._ids.flush()
                # The parser has read one line too far: the header of the next record.
                line += len(held)
                held.clear()
                yield record
            if number < NUCLEOTIDE_SAMPLE:
                report._judge()
            if opened.cut_short():
                report.notes.append(
                    f"{name}: the end mark of bgzip is missing: the file may be cut short"
                )
        except READ_ERRORS as error:
            place = f"after record {number}, near line {line + len(held)}"
            if not number:
                place = "before its first record was complete"
            raise InputError(f"{name}: {reason_of(error)}, {place}") from None


def _first_header(opened: TextSource) -> tuple[str, int]:
    """Give the first line that is not blank, and its number; it must be a header."""
    number = 1
    # A file of another kind may be one endless line.
    while text := opened.text.readline(1 << 17):
        if text.strip():
            break
        number += text.endswith("\n")
    else:
        blank = ", it has only blank lines" if number > 1 else ""
        raise InputError(f"{opened.name}: the file is empty{blank}")
    if text[0] != ">":
        start = _utf8(text.rstrip())
        shortened = repr(start if len(start) <= 30 else start[:30] + "...")
        raise InputError(
            f"{opened.name}: not FASTA: line {number} is {shortened}, where a '>' header must be"
        )
    return text if text.endswith("\n") else text + opened.text.readline(), number


def _lines_of(text: io.TextIOWrapper) -> Iterator[str]:
    """Iterate over the lines without their ends: blocks of them cost half of single ones."""

    def blocks() -> Iterator[list[str]]:
        while block := text.read(1 << 16):
            if not block.endswith("\n"):
                block += text.readline()
            yield block.removesuffix("\n").split("\n")

    return chain.from_iterable(blocks())


def _complaint(lines: list[str], first_line: int) -> str:
    """Say which character makes a record unusable, and on which line it stands."""
    first = advice = ""
    total = 0
    for number, text in enumerate(lines, first_line):
        if text.startswith(">"):
            break
        text = _utf8(text)
        position, count = find_invalid(text)
        if count and not total:
            first = f"invalid character {shown(text[position])} (line {number})"
            # Joined files often lack a line end between them.
            advice = ": a header must start its line" if text[position] == ">" else ""
        total += count
    return first + (f" and {total - 1} more" if total > 1 else "") + advice


def _utf8(text: str) -> str:
    return text.encode("ascii", "surrogateescape").decode("utf-8", "surrogateescape")
