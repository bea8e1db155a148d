"""Labels of records: from a table, the file's name, or the header."""

import re
from abc import ABC, abstractmethod
from pathlib import Path

from sfmbio.reading.astral import parse_sccs
from sfmbio.reading.record import Record, known_names
from sfmcore.data.errors import UserError
from sfmcore.data.names import as_name
from sfmcore.files.id_table import MAX_LISTED, listed_of, read_id_table

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
        listed = listed_of(self.unlabelled, self.n_unlabelled)
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
            raise NoLabel(f"{self._pattern.pattern!r} does not match the header")
        return label


class LabelTable(LabelSource):
    """Labels from a table, by id.

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
        names = known_names(record)
        name = next((name for name in names if name in self.labels), names[-1])
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
            listed = listed_of(unmet, len(unmet))
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
        As :func:`sfmcore.files.id_table.read_id_table` takes it, with a column ``label`` or else
        ``class``. A blank label is none, and ``NA`` is a label like any other.

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
    read = read_id_table(path)
    table = LabelTable(read.name, read.values)
    table.notes += read.notes
    if n_missing := sum(label == "NA" for label in read.values.values()):
        ids_have = "id has" if n_missing == 1 else "ids have"
        table.notes.append(
            f"{read.name}: {n_missing} {ids_have} the label 'NA', which is an ordinary label: "
            "leave it blank for none"
        )
    return table
