"""Reading FASTA: every record becomes a row, usable or not, in one pass."""

from collections.abc import Iterator
from pathlib import Path

from sfmbio.kernels import _fasta
from sfmbio.reading.opening import READ_ERRORS, STDIN, TextSource, reason_of
from sfmbio.reading.record import Record
from sfmbio.reading.repeated_ids import ID_BLOCK
from sfmbio.reading.report import NUCLEOTIDE_SAMPLE, ReadReport
from sfmbio.reading.sources import label_of
from sfmbio.sequences.alphabet import RESIDUE_CODES, WHITE, find_invalid, shown
from sfmcore.data.errors import InputError

# How many bytes are read at a time: they fit in the second cache.
_BLOCK = 1 << 18
_TABLE = bytes(
    _fasta.SKIPPED if byte in WHITE else code if code < 128 else _fasta.OTHER
    for byte, code in enumerate(RESIDUE_CODES)
)


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
    with TextSource(source) as opened:
        name = opened.name
        stem = "" if name is STDIN else label_of(source)
        report.begin_file(name)
        before, ids = report.records, report.ids.block
        records = _fasta.Records(opened.binary.readinto, _TABLE, _BLOCK)
        number = 0
        try:
            _find_header(records, name)
            for number, (known_as, title, codes, line) in enumerate(records, 1):
                status = "ok"
                # Most records hold residues only, and are spared the call.
                if not codes or number <= NUCLEOTIDE_SAMPLE:
                    letters = records.body.replace(b"\n", b"")
                    codes, status = report.encode(letters, number)
                    if not status:
                        status = _complaint(records.body, line + 1)
                record = Record(known_as, title, codes, status, name, number, line, stem)
                if not codes:
                    report.add_problem(record)
                if not known_as:
                    report.without_id += 1
                report.records = before + number
                ids.append(known_as)
                if len(ids) == ID_BLOCK:
                    report.ids.flush()
                yield record
            if number < NUCLEOTIDE_SAMPLE:
                report.judge_letters()
            if opened.cut_short():
                report.notes.append(
                    f"{name}: the end mark of bgzip is missing: the file may be cut short"
                )
        except READ_ERRORS as error:
            place = f"after record {number}, near line {records.last_line}"
            if not number:
                place = "before its first record was complete"
            raise InputError(f"{name}: {reason_of(error)}, {place}") from None


def _find_header(records: _fasta.Records, name: str) -> None:
    """Go to the first line that is not blank; it must be a header."""
    # A file of another kind may be one endless line.
    while text := records.peek(1 << 17):
        if text.strip(WHITE):
            break
        records.skip(len(text))
    else:
        blank = ", it has only blank lines" if records.line > 1 else ""
        raise InputError(f"{name}: the file is empty{blank}")
    if not text.startswith(b">"):
        start = _utf8(text.rstrip(WHITE))
        shortened = repr(start if len(start) <= 30 else start[:30] + "...")
        raise InputError(
            f"{name}: not FASTA: line {records.line} is {shortened}, where a '>' header must be"
        )


def _complaint(body: bytes, first_line: int) -> str:
    """Say which character makes a record unusable, and on which line it stands."""
    first = advice = ""
    total = 0
    for number, text in enumerate(_utf8(body).split("\n"), first_line):
        position, count = find_invalid(text)
        if count and not total:
            first = f"invalid character {shown(text[position])} (line {number})"
            # Joined files often lack a line end between them.
            advice = ": a header must start its line" if text[position] == ">" else ""
        total += count
    return first + (f" and {total - 1} more" if total > 1 else "") + advice


def _utf8(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")
