"""Groups that an evaluation keeps together, as ``--group-by`` and ``--groups`` name them."""

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from sfmbio.alignments.groups import identity_groups
from sfmbio.commandline.options import IDENTITY
from sfmbio.reading.datasets import Sequences, groups_of
from sfmbio.reading.record import Record, known_names
from sfmbio.reading.report import counted
from sfmcore.commandline.output import output
from sfmcore.commandline.program import Program
from sfmcore.data.errors import InputError, UserError
from sfmcore.data.names import as_name
from sfmcore.files.atomic import check_writable
from sfmcore.files.groups import groups_in
from sfmcore.files.id_table import IdTable
from sfmcore.parallel.threads import effective_threads


def check_save_groups(options: argparse.Namespace) -> None:
    """See that the table of ``--save-groups`` can be written, before any work.

    Raises
    ------
    UserError
        If there are no groups to write, or the table is one that is read or the JSON.
    OSError
        If the file can't be written.
    """
    path = options.save_groups
    if path is None:
        return
    if path in ("", "-"):
        raise UserError(
            f"--save-groups {path!r}: groups can't go to standard output, give a file name"
        )
    if options.group_by == "none":
        raise UserError("--save-groups needs --group-by")
    if options.json is not None and Path(path) == Path(options.json):
        raise UserError(f"{path}: is given to both --save-groups and --json")
    check_writable(path)


def find_groups(
    options: argparse.Namespace, program: Program, sequences: Sequences, table: IdTable | None
) -> Sequence[str | bytes] | None:
    """Group of every sequence, by the table or by ``--group-by``; None where there are none.

    Groups by identity are counted, and those of ``--group-by`` written where that was asked for.

    Parameters
    ----------
    options : argparse.Namespace
    program : Program
        Which says what was found. A command without ``--save-groups`` writes none.
    sequences : Sequences
    table : IdTable or None
        That of ``--groups``.

    Raises
    ------
    InputError
        If a record has no group, or the groups can't be a table.
    """
    if table is not None:
        return groups_in(table, map(known_names, sequences.records))
    if options.group_by == "none":
        return None
    save = getattr(options, "save_groups", None)
    if save is not None:
        # First: the groups may take minutes.
        _refuse_unnameable(save, sequences)
    name, _, value = options.group_by.partition(":")
    groups: Sequence[str | bytes]
    if name == IDENTITY:
        numbers = identity_groups(
            sequences.batch,
            float(value),
            n_threads=effective_threads(options.threads),
            show_progress=not options.quiet,
        )
        groups = [str(number + 1) for number in numbers.tolist()]
        largest = max(Counter(groups).values())
        program.tell(
            options,
            f"{counted(len(set(groups)), 'group')} by {name} {value}, "
            f"the largest of {counted(largest, 'sequence')}",
        )
    else:
        groups = groups_of(sequences, name)
    if save is not None:
        _write_groups(save, sequences.records, groups)
    return groups


def _refuse_unnameable(path: str, sequences: Sequences) -> None:
    """Refuse ids that a table could not tell apart, or would not read as they are."""
    known: dict[str, tuple[Record, bytes]] = {}
    for record, codes in zip(sequences.records, sequences.batch, strict=True):
        where = f"{record.source}, line {record.line}"
        if record.id.startswith("#") or as_name(record.id) != record.id:
            raise InputError(
                f"{path}: a table of groups can't hold the id {record.id!r} ({where}): "
                "give it another id"
            )
        first, text = known.setdefault(record.id, (record, codes.tobytes()))
        if text != codes.tobytes():
            raise InputError(
                f"{path}: a table of groups can't distinguish two sequences called "
                f"{record.id!r} ({first.source}, line {first.line}, and {where}): give one of "
                "them another id"
            )


def _write_groups(path: str, records: Sequence[Record], groups: Sequence[str | bytes]) -> None:
    """Write a row for every id; groups that are sequences are numbered."""
    numbers: dict[str | bytes, str] = {}
    with output(path) as out:
        out.write("id\tgroup\n")
        for record, group in zip(records, groups, strict=True):
            number = numbers.setdefault(group, str(len(numbers) + 1))
            out.write(f"{_field(record.id)}\t{number if isinstance(group, bytes) else group}\n")


def _field(text: str) -> str:
    """A field as the reader of tables takes it: quoted if it holds a quote."""
    return '"' + text.replace('"', '""') + '"' if '"' in text else text
