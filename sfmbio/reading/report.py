"""Report of reading: problems, replacements and warnings."""

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from sfmbio.reading.record import Record
from sfmbio.reading.repeated_ids import RepeatedIds
from sfmbio.sequences.alphabet import Encoded, is_nucleotide_record, looks_like_nucleotides
from sfmcore.data.words import counted as counted

MAX_PROBLEMS = 10_000
"""How many unusable records a report keeps; the others are only counted."""
MAX_PLACES = 10
"""How many records a warning lists; the others are only counted."""


class Problem(NamedTuple):
    """Place of a record that can't be used, and why it can't."""

    source: str
    number: int
    line: int
    id: str
    status: str


class Duplicate(NamedTuple):
    """An id met again: the file and record number of both places."""

    id: str
    first: tuple[str, int]
    again: tuple[str, int]


class Places:
    """Counts records, and keeps the places of the first ones.

    Examples
    --------
    >>> places = Places()
    >>> places.add(Record("a", "a", b"", "ok", "x.fa", 3, 7, "x"))
    >>> str(places)
    "'a' (x.fa, line 7)"
    """

    def __init__(self) -> None:
        self.count = 0
        self._shown: list[str] = []

    def add(self, record: Record) -> None:
        """Count a record."""
        self.count += 1
        if len(self._shown) < MAX_PLACES:
            self._shown.append(f"{record.id!r} ({record.source}, line {record.line})")

    def __str__(self) -> str:
        rest = self.count - len(self._shown)
        return ", ".join(self._shown) + (f" and {rest} more" if rest else "")

    def __iadd__(self, other: "Places") -> "Places":
        self.count += other.count
        self._shown = (self._shown + other._shown)[:MAX_PLACES]
        return self


@dataclass
class ReadReport:
    r"""Problems and notes from reading the files of a run, one file after another.

    Attributes
    ----------
    files : list of str
        The files that were opened.
    unreadable : list of str
        Why a file can't be read, or not to its end; one sentence each.
    records : int
        Number of records read.
    problems : list of Problem
        The records that can't be used, at most `MAX_PROBLEMS` of them.
    n_problems : int
        Number of all records that can't be used.
    replaced : Counter of str
        How often each letter was read as unknown.
    gaps : int
        Number of gaps left out.
    stops : int
        Number of ``*`` inside sequences, read as breaks.
    white : int
        Number of white-space characters between the letters of a line, left out.
    without_id : Places
        The records whose header names no id.
    n_escaped : int
        Number of headers with bytes that are not UTF-8, or an id with control characters.
    escaped : str
        The first id or header of these, as it is written.
    nucleotide_files : list of str
        The files that look like DNA or RNA.
    nucleotide_records : Places
        Records of other files that do.
    notes : list of str
        Further sentences for the user.
    ids : RepeatedIds
        Of all records so far.

    Examples
    --------
    >>> report = ReadReport(files=["a.fa"], replaced=Counter(U=3, B=1), gaps=2)
    >>> print(*report.messages(), sep="\n")
    a.fa: 3 letters U and 1 letter B read as unknown residues
    a.fa: 2 gaps left out
    """

    files: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    records: int = 0
    problems: list[Problem] = field(default_factory=list)
    n_problems: int = 0
    replaced: Counter[str] = field(default_factory=Counter)
    gaps: int = 0
    stops: int = 0
    white: int = 0
    without_id: Places = field(default_factory=Places)
    n_escaped: int = 0
    escaped: str = ""
    nucleotide_files: list[str] = field(default_factory=list)
    nucleotide_records: Places = field(default_factory=Places)
    notes: list[str] = field(default_factory=list)
    ids: RepeatedIds = field(default_factory=RepeatedIds, repr=False)
    _starts: list[int] = field(default_factory=list, repr=False)
    # Of the file at hand.
    _letters: int = field(default=0, repr=False)
    _nucleotides: int = field(default=0, repr=False)
    _suspects: Places = field(default_factory=Places, repr=False)

    @property
    def ok(self) -> int:
        """Number of records that can be used, where none was forgotten."""
        return self.records - self.n_problems

    @property
    def n_duplicates(self) -> int:
        """Number of records whose id an earlier record has."""
        self.ids.flush()
        return self.ids.count

    @property
    def duplicates(self) -> list[Duplicate]:
        """The first of the records whose id an earlier record has."""
        self.ids.flush()
        return [
            Duplicate(name, self._place(first), self._place(again))
            for name, first, again in self.ids.examples
        ]

    def _place(self, index: int) -> tuple[str, int]:
        file = bisect_right(self._starts, index) - 1
        return self.files[file], index - self._starts[file] + 1

    def begin_file(self, name: str) -> None:
        """Note that a file was opened; the one before is at its end."""
        self._judge_letters()
        self.files.append(name)
        self._starts.append(self.records)

    def begin_part(self) -> None:
        """Forget what was met so far, but not how many records there were nor their ids."""
        fresh = ReadReport(
            files=self.files, unreadable=self.unreadable, records=self.records, ids=self.ids
        )
        fresh._starts = self._starts
        self.ids.forget_examples()
        self.__dict__.update(vars(fresh))

    def add(self, record: Record, encoded: Encoded | None, *, has_id: bool) -> None:
        """Count a record of the latest file.

        Parameters
        ----------
        record : Record
        encoded : Encoded or None
            What its sequence was read as; None if it could not be.
        has_id : bool
            Whether its header names the id.
        """
        if has_id:
            self.ids.add(record.id, self.records)
        else:
            self.without_id.add(record)
        self.records += 1
        if not record.codes:
            self.n_problems += 1
            if len(self.problems) < MAX_PROBLEMS:
                where = record.source, record.number, record.line
                self.problems.append(Problem(*where, record.id, record.status))
        if encoded is not None:
            if encoded.replaced:
                self.replaced.update(encoded.replaced)
            self.gaps += encoded.gaps
            self.stops += encoded.stops
            self._letters += encoded.letters
            self._nucleotides += encoded.nucleotides
            if is_nucleotide_record(encoded):
                self._suspects.add(record)

    def _judge_letters(self) -> None:
        """Note the latest file, or records of it, if they look like nucleotides."""
        if looks_like_nucleotides(self._nucleotides, self._letters):
            self.nucleotide_files.append(self.files[-1])
        else:
            self.nucleotide_records += self._suspects
        self._letters = self._nucleotides = 0
        self._suspects = Places()

    def messages(self) -> list[str]:
        """Sentences for standard error: first what can't be used, then the warnings."""
        self._judge_letters()
        where = self.files[0] if len(self.files) == 1 else f"{len(self.files)} files"
        lines = self.unreadable.copy()
        for source, number, line, name, status in self.problems:
            lines.append(f"{source}: record {number} ({name!r}, line {line}): {status}")
        if rest := self.n_problems - len(self.problems):
            lines.append(f"{where}: {counted(rest, 'more record')} can't be used")
        lines += self.notes
        if count := self.without_id.count:
            lines.append(
                f"{where}: {counted(count, 'record')} without an id, named by place in "
                f"the input: {self.without_id}"
            )
        if self.n_escaped:
            headers = counted(self.n_escaped, "header")
            lines.append(
                f"{where}: {headers} with bytes that are not UTF-8 or control characters, which "
                f"are written as \\xNN: {self.escaped}"
            )
        if self.n_duplicates:
            pairs = [
                f"{name!r} (record {number} of {file}, record {again} of {again_file})"
                for name, (file, number), (again_file, again) in self.duplicates
            ]
            if rest := self.n_duplicates - len(pairs):
                pairs.append(f"and {rest} more")
            repeats = counted(self.n_duplicates, "record")
            lines.append(f"{where}: {repeats} with a repeated id: {', '.join(pairs)}")
        if self.replaced:
            # The commonest first, equal counts by letter, whatever the order they were met in.
            letters = sorted(self.replaced.items(), key=lambda item: (-item[1], item[0]))
            counts = [f"{counted(count, 'letter')} {letter}" for letter, count in letters]
            lines.append(f"{where}: {_join(counts)} read as unknown residues")
        if self.gaps:
            lines.append(f"{where}: {counted(self.gaps, 'gap')} left out")
        if self.white:
            white = counted(self.white, "white-space character")
            lines.append(f"{where}: {white} inside sequences left out")
        if self.stops:
            lines.append(f"{where}: {counted(self.stops, 'stop')} inside sequences read as breaks")
        lines += [
            f"{name}: nearly all letters are A, C, G, T, U or N: this looks like nucleotides, "
            "not proteins"
            for name in self.nucleotide_files
        ]
        if count := self.nucleotide_records.count:
            look = "record looks" if count == 1 else "records look"
            lines.append(
                f"{where}: {count} {look} like nucleotides, not proteins: {self.nucleotide_records}"
            )
        return lines


def _join(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
