"""Tables that say something about each id, such as its label, whoever wrote them."""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sfmcore.data.errors import InputError
from sfmcore.data.names import as_name, is_utf8
from sfmcore.files.opening import READ_ERRORS, TextSource, reason_of

MAX_LISTED = 20
"""How many ids or lines a message lists; the others are only counted."""

_QUOTED = re.compile(r'"(?:[^"\\]|\\.|"")*"')


@dataclass(frozen=True)
class IdTable:
    """Values of a table by id.

    Attributes
    ----------
    name : str
        The table's name, for messages.
    values : dict of str to str
        In the order of the table; empty where a field is blank.
    notes : list of str
        Sentences about the table itself.
    """

    name: str
    values: dict[str, str]
    notes: list[str] = field(default_factory=list)


def read_id_table(
    path: str | Path, ids: Sequence[str] = ("id",), values: Sequence[str] = ("label", "class")
) -> IdTable:
    r"""Read a table of ids and one more column.

    Parameters
    ----------
    path : str or Path
        Rows of an id and a value with a tab between them, or a comma or a semicolon as the first
        row has it. A field may stand in double quotes, in which two of them, or R's ``\"``, are
        one; if the first row begins with one, spaces may part the fields. Empty lines and lines
        that start with ``#`` are left out. If the first row holds a word of `ids` and one of
        `values`, in any order, it names the columns; so it does if it starts with a word of
        `ids`, and the value is then in the second, as without names. Rows with one field more
        than such a first row begin with their names, as R writes them.
    ids : sequence of str, default=("id",)
        Names of the column of ids; messages use the first.
    values : sequence of str, default=("label", "class")
        Names of the other column; of several in one table the first of these counts, and messages
        use it.

    Returns
    -------
    IdTable

    Raises
    ------
    InputError
        If it can't be read, holds no value or a line without id, or two values for one id.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "groups.csv")
    ...     _ = path.write_bytes(b'path,side,group\r\n"a, b.png",88,left\r\n')
    ...     read_id_table(path, ["path"], ["group"]).values
    {'a, b.png': 'left'}
    """
    noun = values[0]
    found: dict[str, str] = {}
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
            if columns is None and (columns := _named_columns(fields, ids, values)):
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
            own, value = (as_name(cells[at]) for at in columns)
            if found.setdefault(own, value) != value:
                clashes.append(
                    f"{own!r} is {found[own]!r} in line {line_of[own]} and {value!r} in line {line}"
                )
            line_of.setdefault(own, line)
    if incomplete:
        listed = listed_of(incomplete, len(incomplete))
        raise InputError(
            f"{name}: no {ids[0]} and {noun} with a tab or comma between them in {listed}"
        )
    if clashes:
        listed = listed_of(clashes, len(clashes))
        raise InputError(f"{name}: two {noun}s for one {ids[0]}: {listed}")
    if not any(found.values()):
        raise InputError(f"{name}: the table has no {noun}s")
    table = IdTable(name, found)
    if n_foreign:
        fields_are = "field is" if n_foreign == 1 else "fields are"
        table.notes.append(f"{name}: {n_foreign} {fields_are} not UTF-8: such bytes become \\xNN")
    return table


def listed_of(names: Iterable[str], total: int) -> str:
    """Names in a row; of many the first, with the number of the others.

    Examples
    --------
    >>> listed_of(["a", "b"], 5)
    'a, b and 3 more'
    """
    shown = list(names)[:MAX_LISTED]
    more = f" and {total - len(shown)} more" if total > len(shown) else ""
    return ", ".join(shown) + more


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


def _named_columns(
    fields: list[str], ids: Sequence[str], values: Sequence[str]
) -> tuple[int, int] | None:
    """Find both columns in a line of column names; None if it is another line."""
    names = [field.lstrip("#").strip().lower() for field in fields]
    own = [names.index(name) for name in ids if name in names]
    if not own or len(names) < 2:
        return None
    wanted = [names.index(name) for name in values if name in names]
    if wanted:
        return own[0], wanted[0]
    return (0, 1) if names[0] in ids else None
