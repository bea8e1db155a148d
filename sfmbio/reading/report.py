"""What was met while reading: problems, replacements and warnings."""

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from sfmbio.reading.record import Record
from sfmbio.reading.repeated_ids import RepeatedIds
from sfmbio.sequences.alphabet import InvalidSequence, encode, looks_like_nucleotides

MAX_PROBLEMS = 10_000
"""How many unusable records a report keeps; the others are only counted."""
NUCLEOTIDE_SAMPLE = 1_000
"""How many records of a file are looked at for DNA, so that a warning comes early."""


class Problem(NamedTuple):
    """Where a record stands that can't be used, and why it can't."""

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


@dataclass
class ReadReport:
    r"""What was met while reading the files of a run, one file after another.

    Attributes
    ----------
    files : list of str
        The files that were opened.
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
    without_id : int
        Number of records whose header names no id.
    nucleotide_files : list of str
        The files that look like DNA or RNA.
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
    records: int = 0
    problems: list[Problem] = field(default_factory=list)
    n_problems: int = 0
    replaced: Counter[str] = field(default_factory=Counter)
    gaps: int = 0
    stops: int = 0
    without_id: int = 0
    nucleotide_files: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    ids: RepeatedIds = field(default_factory=RepeatedIds, repr=False)
    _starts: list[int] = field(default_factory=list, repr=False)
    _letters: int = field(default=0, repr=False)
    _nucleotides: int = field(default=0, repr=False)

    @property
    def ok(self) -> int:
        """Number of records that can be used."""
        return self.records - self.n_problems

    @property
    def n_duplicates(self) -> int:
        """Number of records whose id an earlier record has."""
        self.ids.flush()
        return self.ids.count

    @property
    def duplicates(self) -> list[Duplicate]:
        """The first ten of the records whose id an earlier record has."""
        self.ids.flush()
        return [
            Duplicate(name, self._place(first), self._place(again))
            for name, first, again in self.ids.examples
        ]

    def _place(self, index: int) -> tuple[str, int]:
        file = bisect_right(self._starts, index) - 1
        return self.files[file], index - self._starts[file] + 1

    def begin_file(self, name: str) -> None:
        """Note that a file was opened."""
        self.files.append(name)
        self._starts.append(self.records)
        self._letters = self._nucleotides = 0

    def encode(self, sequence: bytes, number: int) -> tuple[bytes, str]:
        """Encode and count; the status is empty if the sequence is invalid."""
        try:
            encoded = encode(sequence)
        except InvalidSequence:
            codes, status = b"", ""
        else:
            codes, replaced, gaps, stops = encoded
            status = "ok" if codes else "empty sequence"
            for letter, count in (replaced or {}).items():
                self.replaced[letter] += count
            self.gaps += gaps
            self.stops += stops
            if number <= NUCLEOTIDE_SAMPLE:
                self._letters += encoded.letters
                self._nucleotides += encoded.nucleotides
        if number == NUCLEOTIDE_SAMPLE:
            self.judge_letters()
        return codes, status

    def judge_letters(self) -> None:
        """Note the file if its first records look like nucleotides."""
        if looks_like_nucleotides(self._nucleotides, self._letters):
            self.nucleotide_files.append(self.files[-1])

    def add_problem(self, record: Record) -> None:
        """Note a record that can't be used."""
        self.n_problems += 1
        if len(self.problems) < MAX_PROBLEMS:
            problem = Problem(record.source, record.number, record.line, record.id, record.status)
            self.problems.append(problem)

    def messages(self) -> list[str]:
        """Sentences for standard error: first every unusable record, then the warnings."""
        where = self.files[0] if len(self.files) == 1 else f"{len(self.files)} files"
        lines = []
        for source, number, line, name, status in self.problems:
            known_as = repr(name) if name else "no id"
            lines.append(f"{source}: record {number} ({known_as}, line {line}): {status}")
        if rest := self.n_problems - len(self.problems):
            lines.append(f"{where}: {_count(rest, 'more record')} can't be used")
        lines += self.notes
        if self.without_id:
            lines.append(f"{where}: {_count(self.without_id, 'record')} without an id")
        if self.n_duplicates:
            pairs = [
                f"{name!r} (record {number} of {file}, record {again} of {again_file})"
                for name, (file, number), (again_file, again) in self.duplicates
            ]
            if rest := self.n_duplicates - len(pairs):
                pairs.append(f"and {rest} more")
            repeats = _count(self.n_duplicates, "record")
            lines.append(f"{where}: {repeats} with an id that came before: {', '.join(pairs)}")
        if self.replaced:
            # The commonest first, equal counts by letter, whatever the order they were met in.
            letters = sorted(self.replaced.items(), key=lambda item: (-item[1], item[0]))
            counts = [f"{_count(count, 'letter')} {letter}" for letter, count in letters]
            lines.append(f"{where}: {_join(counts)} read as unknown residues")
        if self.gaps:
            lines.append(f"{where}: {_count(self.gaps, 'gap')} left out")
        if self.stops:
            lines.append(f"{where}: {_count(self.stops, 'stop')} inside sequences read as breaks")
        lines += [
            f"{name}: nearly all letters are A, C, G, T, U or N: this looks like nucleotides, "
            "not proteins"
            for name in self.nucleotide_files
        ]
        return lines


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _join(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
