"""Where the label of a record comes from: a table, its file's name, or its header."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from pathlib import Path

from sfmbio.reading.astral import parse_sccs
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
                known_as = record.id or f"record {record.number} of {record.source}"
                self.unlabelled.append(known_as)
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
        # A table can't hold a tab or a line end.
        label = " ".join(record.stem.split())
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
        label = " ".join((text or "").split())
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
        The label of each id.

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
        self._unmet = set(labels)

    def _label(self, record: Record) -> str:
        self._unmet.discard(record.id)
        if record.id not in self.labels:
            raise NoLabel(f"not in {self.name}")
        return self.labels[record.id]

    @property
    def unmet(self) -> list[str]:
        """The ids of the table that no record had so far, in the table's order."""
        return [name for name in self.labels if name in self._unmet]

    def messages(self) -> list[str]:
        """Sentences about what did not fit together."""
        lines = super().messages()
        if unmet := self.unmet:
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
        Lines of an id, a tab and a label. Empty lines and lines that start with ``#`` are left
        out. If the first line holds the words ``id`` and ``label``, or else ``id`` and ``class``,
        in any order, it names the columns; so it does if it starts with ``id``, and the label is
        then in the second, as without names.

    Returns
    -------
    LabelTable
        Called with a record, gives its label or None.

    Raises
    ------
    InputError
        If it can't be read, holds no label or a line without one, or two labels for one id.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "labels.tsv")
    ...     _ = path.write_bytes(b"id\tlength\tclass\r\nd1\t88\tall alpha\r\n")
    ...     read_label_table(path).labels
    {'d1': 'all alpha'}
    """
    labels: dict[str, str] = {}
    line_of: dict[str, int] = {}
    incomplete: list[str] = []
    clashes: list[str] = []
    with TextSource(path) as opened:
        name = opened.name
        columns: tuple[int, int] | None = None
        for line, fields in _rows(opened):
            # Column names often stand behind a comment mark.
            if columns is None and (columns := _named_columns(fields)):
                continue
            if fields[0].startswith("#"):
                continue
            columns = columns or (0, 1)
            record_id, label = (fields[at] if at < len(fields) else "" for at in columns)
            if not record_id or not label:
                incomplete.append(f"{name}:{line}")
            elif labels.setdefault(record_id, label) != label:
                clashes.append(
                    f"{record_id!r} is {labels[record_id]!r} in line {line_of[record_id]} and "
                    f"{label!r} in line {line}"
                )
            line_of.setdefault(record_id, line)
    if incomplete:
        listed = _listed(incomplete, len(incomplete))
        raise InputError(f"{name}: no id and label with a tab between them in {listed}")
    if clashes:
        raise InputError(f"{name}: two labels for one id: {_listed(clashes, len(clashes))}")
    if not labels:
        raise InputError(f"{name}: the table has no labels")
    return LabelTable(name, labels)


def _rows(opened: TextSource) -> Iterator[tuple[int, list[str]]]:
    """Give the number and the fields of each line that is not blank."""
    try:
        for line, text in enumerate(opened.text, 1):
            fields = [field.strip() for field in text.split("\t")]
            if any(fields):
                yield line, fields
    except READ_ERRORS as error:
        raise InputError(f"{opened.name}: {reason_of(error)}") from None


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
