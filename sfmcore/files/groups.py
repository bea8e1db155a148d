"""Groups of items that a table names: what an evaluation must keep together."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from sfmcore.data.errors import InputError
from sfmcore.files.id_table import IdTable, read_id_table


def read_groups(path: str | Path, ids: Sequence[str] = ("id",)) -> IdTable:
    """Read a table of ids and groups.

    Parameters
    ----------
    path : str or Path
        As :func:`sfmcore.files.id_table.read_id_table` takes it, with a column ``group``.
    ids : sequence of str, default=("id",)
        Names of the column of ids.

    Returns
    -------
    IdTable

    Raises
    ------
    InputError
        As that function does.
    """
    table = read_id_table(path, ids, ["group"])
    if n_missing := sum(group == "NA" for group in table.values.values()):
        have = "row has" if n_missing == 1 else "rows have"
        table.notes.append(
            f"{table.name}: {n_missing} {have} the group 'NA', which is an ordinary group"
        )
    return table


def groups_in(table: IdTable, items: Iterable[Sequence[str]]) -> list[str]:
    """Group of every item.

    Parameters
    ----------
    table : IdTable
    items : iterable of sequence of str
        The names by which the table may know an item, the best first.

    Returns
    -------
    list of str

    Raises
    ------
    InputError
        If an item is not in the table, or its group is blank.

    Examples
    --------
    >>> groups_in(IdTable("groups.tsv", {"a": "1", "b": "2"}), [["b"], ["x", "a"]])
    ['2', '1']
    """
    groups: list[str] = []
    missing: list[str] = []
    for names in items:
        group = next((table.values[name] for name in names if table.values.get(name)), None)
        if group is None:
            missing.append(names[0])
        else:
            groups.append(group)
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise InputError(
            f"{table.name}: no group for {missing[0]!r}{more}; the first id of the table is "
            f"{next(iter(table.values))!r}"
        )
    return groups
