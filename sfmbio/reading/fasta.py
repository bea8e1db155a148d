"""Reading FASTA: every record becomes a row, usable or not, in one pass."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from sfmbio.reading.record import Record
from sfmbio.reading.report import ReadReport, counted
from sfmbio.reading.scanner import MAX_HEADER, NotFasta, Scanner
from sfmbio.reading.sources import label_of
from sfmbio.sequences.alphabet import MARKS, RESIDUE_CODES, WHITE, Encoded, encode, shown
from sfmcore.data.errors import InputError
from sfmcore.data.names import decoded, shown_controls
from sfmcore.files.opening import READ_ERRORS, STDIN, TextSource, reason_of

_LETTERS = bytes(byte for byte in range(128) if chr(byte).isalpha())
_ALLOWED = _LETTERS + MARKS
_INVALID = re.compile(b"[^%b]+" % re.escape(_ALLOWED))
# Blanks between two letters of a line.
_WHITE_INSIDE = re.compile(
    b"(?<=[^%b])[%b]+(?=[^%b])"
    % (re.escape(WHITE), re.escape(WHITE.replace(b"\n", b"")), re.escape(WHITE))
)
_FIRST_WORD = re.compile(b"[^%b]*" % re.escape(WHITE))
# PIR's kinds of sequence: a title follows in the next line, and the sequence ends with *.
_PIR = re.compile(rb"(?:P1|F1|D[LC]|R[LC]|N[13]|XX);")
# Letter case as in a sentence; that of masked residues changes anywhere.
_WORD = re.compile(rb"[A-Z]?[a-z]+|[A-Z]+")
_LONG_WORD = re.compile(rb"[A-Za-z][a-z]{3}")
# Longer lines are not looked at for words.
_MAX_WORDS_LINE = 1000


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
        before = report.records
        scanner = Scanner(opened.binary.read)
        try:
            yield from _records(scanner, report, name, stem)
        except NotFasta as error:
            raise InputError(f"{name}: {_why_not_fasta(error, scanner)}") from None
        except READ_ERRORS as error:
            number = report.records - before
            place = f"after record {number}, near line {scanner.last_line}"
            if not number:
                place = "before its first record was complete"
            raise InputError(f"{name}: {reason_of(error)}, {place}") from None
        if scanner.n_comments:
            lines = counted(scanner.n_comments, "comment line")
            report.notes.append(f"{name}: {lines} before the first record left out")
        if scanner.n_cut:
            headers = counted(scanner.n_cut, "header")
            report.notes.append(f"{name}: {headers} cut after {MAX_HEADER} bytes")
        if opened.cut_short():
            report.notes.append(
                f"{name}: the bgzip end marker is missing: the file may be truncated"
            )


def read_files(sources: Iterable[str | Path], report: ReadReport) -> Iterator[Record]:
    """Read the records of many files; one that can't be read does not end the others.

    Parameters
    ----------
    sources : iterable of str or Path
        As of `read_fasta`.
    report : ReadReport
        Its `unreadable` gets a sentence for each file that can't be read to its end.

    Yields
    ------
    Record
        The next record, in the order of the files.

    Raises
    ------
    InputError
        At the end, if no file held a record.
    """
    for source in sources:
        try:
            yield from read_fasta(source, report)
        except InputError as error:
            report.unreadable.append(str(error))
    if not report.records and report.unreadable:
        raise InputError("; ".join(report.unreadable))


def _records(scanner: Scanner, report: ReadReport, source: str, stem: str) -> Iterator[Record]:
    number = 0
    for raw, first_line in scanner:
        parts = _cut_at_headers(raw, first_line)
        del raw  # as the body below: it may be large
        for header, body, line, starts_line in parts:
            number += 1
            known_as, title = _names(header, report)
            if starts_line:
                encoded, status = _read_body(header, body, line, report)
            else:
                encoded, status = None, f"header does not start its line (line {line})"
            del body
            has_id = bool(known_as)
            known_as = known_as or f"record_{report.records + 1}"
            codes = b"" if encoded is None else encoded.codes
            record = Record(known_as, title, codes, status, source, number, line, stem)
            report.add(record, encoded, has_id=has_id)
            yield record


def _cut_at_headers(raw: bytes, line: int) -> Iterator[tuple[bytes, bytes, int, bool]]:
    """Header, body and line of a record, and of those whose header does not start its line.

    A body that such a header follows ends with its ``>``.
    """
    starts_line = True
    start, end = 0, raw.find(b"\n")
    while end >= 0:
        at = raw.find(b">", end) + 1
        if not at:
            break
        body = raw[end + 1 : at]
        yield raw[start:end], body, line, starts_line
        line += 1 + body.count(b"\n")
        starts_line = False
        start, end = at, raw.find(b"\n", at)
    header = raw[start : end if end >= 0 else None]
    rest = [raw[end + 1 :] if end >= 0 else b""]
    del raw
    # Handed over, so that it goes when the reader has done with it.
    yield header, rest.pop(), line, starts_line


def _names(header: bytes, report: ReadReport) -> tuple[str, str]:
    """Give the id, empty if there is none, and the whole header as text."""
    header = header.rstrip(WHITE)
    word = _FIRST_WORD.match(header)
    first = b"" if word is None else word[0]
    title, known_as = decoded(header), decoded(first)
    # Beyond ASCII the shown bytes make the text longer than it is in UTF-8.
    is_changed = not header.isascii() and title.encode() != header
    if not known_as.isprintable():
        shown_id = shown_controls(known_as)
        is_changed |= shown_id != known_as
        known_as = shown_id
    if is_changed:
        report.n_escaped += 1
        report.escaped = report.escaped or known_as or title
    return known_as, title


def _read_body(
    header: bytes, body: bytes, line: int, report: ReadReport
) -> tuple[Encoded | None, str]:
    """Encode the text below a header; None and the reason if that can't be done."""
    codes = body.translate(RESIDUE_CODES, WHITE)
    n_white = len(body) - len(codes) - body.count(b"\n")
    if codes.isascii():
        encoded = Encoded(codes)
    else:
        # Most records hold residues only, and are spared all this.
        del codes
        if _PIR.match(header) and body.rstrip(WHITE).endswith(b"*"):
            return None, f"PIR, not FASTA: the line below its header is a title (line {line + 1})"
        if body.translate(None, _ALLOWED):
            return None, _complaint(body, line + 1)
        letters = body.translate(None, WHITE)
        encoded = encode(letters)
    if n_white:
        if status := _words(body, line + 1):
            return None, status
        report.white += sum(len(found[0]) for found in _WHITE_INSIDE.finditer(body))
    return encoded, "ok" if encoded.codes else "empty sequence"


def _words(body: bytes, first_line: int) -> str:
    """Say which line is one of words rather than residues; nothing if none is."""
    if not re.search(b"[A-WYZ]", body) or not re.search(b"[a-z]", body):
        return ""  # one letter case throughout, as ASTRAL writes
    end = -1
    for found in _WHITE_INSIDE.finditer(body):
        if found.start() < end:
            continue
        start, end = body.rfind(b"\n", 0, found.start()) + 1, body.find(b"\n", found.end())
        end = len(body) if end < 0 else end
        if end - start <= _MAX_WORDS_LINE and _are_words(body[start:end].split()):
            text = b" ".join(body[start:end].split()).decode("ascii")
            shortened = repr(text if len(text) <= 40 else text[:40] + "...")
            number = first_line + body.count(b"\n", 0, start)
            return f"words, not residues: {shortened} (line {number})"
    return ""


def _are_words(pieces: list[bytes]) -> bool:
    if not all(map(_WORD.fullmatch, pieces)) or not any(map(_LONG_WORD.match, pieces)):
        return False
    # Sequences are written in blocks of ten, too.
    size = len(pieces[0])
    in_blocks = all(len(piece) == size for piece in pieces[:-1]) and len(pieces[-1]) <= size
    return not (in_blocks and size % 5 == 0)


def _complaint(body: bytes, first_line: int) -> str:
    """Say which character makes a record unusable, and on which line it is."""
    total = 0
    first = ""
    for found in _INVALID.finditer(body):
        text = found[0].decode("utf-8", "surrogateescape")
        if not total:
            number = first_line + body.count(b"\n", 0, found.start())
            first = f"invalid character {shown(text[0])} (line {number})"
        total += len(text)
    more = f" and {total - 1} more" if total > 1 else ""
    # Joined files often lack a line end between them.
    return f"{first}{more}{': a header must start its line' if b'>' in body else ''}"


def _why_not_fasta(error: NotFasta, scanner: Scanner) -> str:
    start = error.start.rstrip(WHITE)
    if not start:
        comments = "comments and " if scanner.n_comments else ""
        has_lines = scanner.n_comments or error.line > 1
        return f"the file is empty{f', it has only {comments}blank lines' if has_lines else ''}"
    if b"\0" in start:
        return "a binary file, not FASTA"
    text = start.decode("utf-8", "surrogateescape")
    shortened = repr(text if len(text) <= 30 else text[:30] + "...")
    return f"not FASTA: line {error.line} is {shortened} instead of a '>' header"
