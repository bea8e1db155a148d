"""Where the label of a record comes from: a table, its file's name, or its header."""

import csv
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from pathlib import Path

from sfmbio.reading.astral import parse_sccs
from sfmbio.reading.names import as_name, is_utf8
from sfmbio.reading.opening import READ_ERRORS, TextSource, reason_of
from sfmbio.reading.record import Record
from sfmcore.data.errors import InputError, UserError

MAX_LISTED = 20
"""How many ids or lines a message lists; the others are only counted."""
ASTRAL_LEVELS = {
    "class": "scop_class",
    "fold": "fold",
    "superfamily": "superfamily",
    "family": "family",
}


_QUOTED = re.compile(r'"(?:[^"\\]|\\.|"")*"')


class NoLabel(Exception):  # noqa: N818 - an answer, not a fault
    """A record has no label; the text says why."""


class LabelSource(ABC):
    """Gives the label of a record, and remembers which records it had none for.

    Attributes
    ----------
    n_unlabelled : int
        Number of records it had no label for.
    unlabelled : list of str
        The ids of the first of them, at most `MAX_LISTED`.
    """

    def __init__(self) -> None:
        self.n_unlabelled = 0
        self.unlabelled: list[str] = []
        self._reason = ""

    def __call__(self, record: Record) -> str | None:
        """Give the label of `record`, or None if there is none."""
        try:
            return self._label(record)
        except NoLabel as error:
            self._reason = self._reason or str(error)
            self.n_unlabelled += 1
            if len(self.unlabelled) < MAX_LISTED:
                self.unlabelled.append(record.id)
            return None

    @abstractmethod
    def _label(self, record: Record) -> str:
        """Give the label, or raise NoLabel with the reason why there is none."""

    def messages(self) -> list[str]:
        """Sentences about what did not fit together."""
        if not self.n_unlabelled:
            return []
        have = "record has" if self.n_unlabelled == 1 else "records have"
        listed = _listed(self.unlabelled, self.n_unlabelled)
        return [f"{self.n_unlabelled} {have} no label: {listed} ({self._reason})"]


class FileLabels(LabelSource):
    """The label of a record is the name of its file without folder and suffixes."""

    def _label(self, record: Record) -> str:
        label = as_name(record.stem)
        if not label:
            why = "the file's name is blank" if record.stem else "standard input has no file name"
            raise NoLabel(why)
        return label


class AstralLabels(LabelSource):
    """The label of a record is its place in SCOP, down to a level of `ASTRAL_LEVELS`."""

    def __init__(self, level: str) -> None:
        super().__init__()
        self._attribute = ASTRAL_LEVELS[level]

    def _label(self, record: Record) -> str:
        try:
            return getattr(parse_sccs(record.description), self._attribute)
        except ValueError as error:
            raise NoLabel(f"{record.id!r}: {error}") from None


class HeaderLabels(LabelSource):
    """The label of a record is what a pattern finds in its header.

    Parameters
    ----------
    pattern : str
        A regular expression. Its first group is the label, or all it matches if it has no group.
        White space in the label becomes one space, as a table can't hold a tab.
    """

    def __init__(self, pattern: str) -> None:
        super().__init__()
        self._pattern = re.compile(pattern)

    def _label(self, record: Record) -> str:
        found = self._pattern.search(record.description)
        text = found[min(1, self._pattern.groups)] if found else ""
        label = as_name(text or "")
        if not label:
            raise NoLabel(f"{self._pattern.pattern!r} finds nothing in the header")
        return label


class LabelTable(LabelSource):
    """The label of a record stands in a table by its id.

    Parameters
    ----------
    name : str
        The table's name, for messages.
    labels : dict of str to str
        The label of each id; empty if it has none.

    Attributes
    ----------
    notes : list of str
        Sentences about the table itself.

    Examples
    --------
    >>> table = LabelTable("labels.tsv", {"a": "kinase", "b": "protease"})
    >>> table(Record("a", "a", b"", "ok", "x.fa", 1, 1, "x"))
    'kinase'
    >>> table.messages()
    ['labels.tsv: 1 id is not in the input: b']
    """

    def __init__(self, name: str, labels: dict[str, str]) -> None:
        super().__init__()
        self.name = name
        self.labels = labels
        self.notes: list[str] = []
        self._unmet = set(labels)
        self._first = ""

    def _label(self, record: Record) -> str:
        name = record.id
        if name not in self.labels and record.description[:1].isspace():
            # A header such as "> a" names no id, but a table may know it.
            name = next(iter(record.description.split()), name)
        self._first = self._first or name
        self._unmet.discard(name)
        if name not in self.labels:
            raise NoLabel(f"not in {self.name}")
        if not self.labels[name]:
            raise NoLabel(f"blank in {self.name}")
        return self.labels[name]

    @property
    def unmet(self) -> list[str]:
        """The ids of the table that no record had so far, in the table's order."""
        return [name for name in self.labels if name in self._unmet]

    def messages(self) -> list[str]:
        """Sentences about what did not fit together."""
        lines = super().messages() + self.notes
        unmet = self.unmet
        if self._first and len(unmet) == len(self.labels):
            lines.append(
                f"{self.name}: no id of the table is in the input: the first of the table is "
                f"{unmet[0]!r}, the first of the input is {self._first!r}"
            )
        elif unmet:
            are = "id is" if len(unmet) == 1 else "ids are"
            listed = _listed(unmet, len(unmet))
            lines.append(f"{self.name}: {len(unmet)} {are} not in the input: {listed}")
        return lines


def parse_label_spec(text: str) -> LabelSource:
    r"""Turn the value of ``--label-from`` into a source of labels.

    Parameters
    ----------
    text : str
        ``file``, ``astral:`` and one of `ASTRAL_LEVELS`, or ``header:`` and a regular expression.

    Returns
    -------
    LabelSource
        Called with a record, gives its label or None.

    Raises
    ------
    UserError
        If the text is none of these, or the expression is not valid.

    Examples
    --------
    >>> labels = parse_label_spec(r"header:\[(.+?)\]")
    >>> labels(Record("a", "a protein X [Homo sapiens]", b"", "ok", "x.fa", 1, 1, "x"))
    'Homo sapiens'
    """
    kind, _, detail = text.partition(":")
    if text == "file":
        return FileLabels()
    if kind == "astral" and detail in ASTRAL_LEVELS:
        return AstralLabels(detail)
    if kind == "header" and detail:
        try:
            return HeaderLabels(detail)
        except (re.error, OverflowError, RecursionError) as error:
            raise UserError(f"{text!r}: not a valid regular expression: {error}") from None
    levels = ", ".join(f"astral:{level}" for level in ASTRAL_LEVELS)
    raise UserError(f"{text!r}: labels can come from file, {levels} or header:REGEX")


def read_label_table(path: str | Path) -> LabelTable:
    r"""Read a table of ids and labels.

    Parameters
    ----------
    path : str or Path
        Rows of an id and a label with a tab between them, or a comma or a semicolon as the first
        row has it. A field may stand in double quotes, in which two of them, or R's ``\"``, are
        one; if the first row begins with one, spaces may part the fields. Empty lines and lines
        that start with ``#`` are left out. If the first row holds the words ``id`` and ``label``,
        or else ``id`` and ``class``, in any order, it names the columns; so it does if it starts
        with ``id``, and the label is then in the second, as without names. Rows with one field
        more than such a first row begin with their names, as R writes them. A blank label is
        none, and ``NA`` is a label like any other.

    Returns
    -------
    LabelTable
        Called with a record, gives its label or None.

    Raises
    ------
    InputError
        If it can't be read, holds no label or a line without id, or two labels for one id.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "labels.csv")
    ...     _ = path.write_bytes(b'id,length,class\r\n"d1",88,"all alpha"\r\n')
    ...     read_label_table(path).labels
    {'d1': 'all alpha'}
    """
    labels: dict[str, str] = {}
    line_of: dict[str, int] = {}
    incomplete: list[str] = []
    clashes: list[str] = []
    n_foreign = 0
    with TextSource(path) as opened:
        name = opened.name
        columns: tuple[int, int] | None = None
        n_names = 0
        for line, fields in _rows(opened):
            # Column names often stand behind a comment mark.
            if columns is None and (columns := _named_columns(fields)):
                n_names = len(fields)
                continue
            if fields[0].startswith("#"):
                continue
            columns = columns or (0, 1)
            cells = fields[1:] if len(fields) == n_names + 1 > 1 else fields
            if max(columns) >= len(cells) or not cells[columns[0]]:
                incomplete.append(f"{name}:{line}")
                continue
            n_foreign += sum(not is_utf8(cells[at]) for at in columns)
            record_id, label = (as_name(cells[at]) for at in columns)
            if labels.setdefault(record_id, label) != label:
                clashes.append(
                    f"{record_id!r} is {labels[record_id]!r} in line {line_of[record_id]} and "
                    f"{label!r} in line {line}"
                )
            line_of.setdefault(record_id, line)
    if incomplete:
        listed = _listed(incomplete, len(incomplete))
        raise InputError(f"{name}: no id and label with a tab or comma between them in {listed}")
    if clashes:
        raise InputError(f"{name}: two labels for one id: {_listed(clashes, len(clashes))}")
    if not any(labels.values()):
        raise InputError(f"{name}: the table has no labels")
    table = LabelTable(name, labels)
    if n_foreign:
        fields_are = "field is" if n_foreign == 1 else "fields are"
        table.notes.append(f"{name}: {n_foreign} {fields_are} not UTF-8: such bytes become \\xNN")
    if n_missing := sum(label == "NA" for label in labels.values()):
        ids_have = "id has" if n_missing == 1 else "ids have"
        table.notes.append(
            f"{name}: {n_missing} {ids_have} the label 'NA', which is a label like any other: "
            "leave it blank for none"
        )
    return table


def _rows(opened: TextSource) -> Iterator[tuple[int, list[str]]]:
    """Give the number and the fields of each line that is not blank."""
    try:
        lines = list(opened.text)
    except READ_ERRORS as error:
        raise InputError(f"{opened.name}: {reason_of(error)}") from None
    first = next((text for text in lines if text.strip() and text[0] != "#"), "")
    delimiter = _delimiter(first)
    for line, text in enumerate(lines, 1):
        try:
            fields = [field.strip() for field in _fields(text, delimiter)]
        except csv.Error as error:
            reason = "a quote is not closed" if "end of data" in str(error) else str(error)
            raise InputError(f"{opened.name}: line {line}: {reason}") from None
        if any(fields):
            yield line, fields


def _delimiter(first: str) -> str:
    """Find what parts the fields of a table by its first row."""
    bare = _QUOTED.sub("", first)
    found = [mark for mark in "\t,;" if mark in bare]
    if not found and first.startswith('"') and " " in bare:
        return " "
    return found[0] if found else "\t"


def _fields(line: str, delimiter: str) -> list[str]:
    """Give the fields of a line; each line is a row of its own, so that a quote ends there."""
    text = line.rstrip("\r\n")
    if text.startswith("#"):
        return text.split(delimiter)  # quotes in a comment need no end
    try:
        return _row(text, delimiter)
    except csv.Error:
        if '\\"' not in text:
            raise
        # R writes a quote inside a field so.
        return _row(text, delimiter, escapechar="\\")


def _row(text: str, delimiter: str, escapechar: str | None = None) -> list[str]:
    rows = csv.reader(
        [text], delimiter=delimiter, skipinitialspace=True, strict=True, escapechar=escapechar
    )
    return next(rows, [])


def _named_columns(fields: list[str]) -> tuple[int, int] | None:
    """Find the columns of ids and labels in a line of column names; None if it is another line."""
    names = [field.lstrip("#").strip().lower() for field in fields]
    if "id" not in names or len(names) < 2:
        return None
    wanted = [names.index(name) for name in ("label", "class") if name in names]
    if wanted:
        return names.index("id"), wanted[0]
    return (0, 1) if names[0] == "id" else None


def _listed(names: Iterable[str], total: int) -> str:
    shown = list(names)[:MAX_LISTED]
    more = f" and {total - len(shown)} more" if total > len(shown) else ""
    return ", ".join(shown) + more
