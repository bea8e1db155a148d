"""All usable records of the inputs in memory: what training and evaluation need."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from sfmbio.reading.astral import parse_sccs
from sfmbio.reading.fasta import read_files
from sfmbio.reading.labels import LabelSource
from sfmbio.reading.record import Record
from sfmbio.reading.report import ReadReport
from sfmbio.reading.sampling import ClassSample
from sfmbio.reading.sources import expand_inputs
from sfmcore.data.errors import InputError
from sfmcore.data.ragged import Ragged
from sfmcore.parallel.progress import progress


@dataclass(frozen=True)
class Sequences:
    """Sequences with what is known of them, in input order.

    Attributes
    ----------
    records : list of Record
        The usable records, without their codes.
    batch : Ragged
        Their codes, in the alphabet of :mod:`sfmbio.sequences.alphabet`.
    labels : ndarray of str, shape (n_records,)
        Empty strings where no labels were asked for.
    given : dict of str to int
        Number of usable records of every label, sorted by label: of more than there are here if
        these are a sample.
    """

    records: list[Record]
    batch: Ragged
    labels: npt.NDArray[np.str_]
    given: dict[str, int]

    def counts(self) -> dict[str, int]:
        """Number of records of every label, sorted by label."""
        return dict(sorted(Counter(self.labels.tolist()).items()))


def read_sequences(
    inputs: Iterable[str | Path],
    report: ReadReport,
    labels: LabelSource | None = None,
    *,
    left_out: list[Record] | None = None,
    sample: ClassSample | None = None,
    show_progress: bool = False,
) -> Sequences:
    """Read every usable record, and its label if a source of labels is given.

    Records that can't be used are counted in `report`, which also names the files that can't be
    read; records without a label are left out and
    counted by `labels`.

    Parameters
    ----------
    inputs : iterable of str or Path
        FASTA files, folders of them, or ``"-"``.
    report : ReadReport
    labels : LabelSource, optional
    left_out : list of Record, optional
        Gets every other record; the status of one without a label says so.
    sample : ClassSample, optional
        Takes the records, and may keep some of them only. By default all are kept.
    show_progress : bool, default=False

    Raises
    ------
    InputError
        If no file can be read, or no record is left.
    """
    sources = expand_inputs(list(inputs), report)
    sample = ClassSample() if sample is None else sample
    for record in progress(
        read_files(sources, report), "reading", unit=" records", show=show_progress
    ):
        name = labels(record) if labels else ""
        if record.status != "ok" or name is None:
            if left_out is not None:
                record.codes = b""
                record.status = "no label" if record.status == "ok" else record.status
                left_out.append(record)
            continue
        sample.add(record, name)
    if not sample.records:
        refuse_no_record(sources, report, labels)
    sample.settle()
    batch, sample.codes = Ragged.from_items(sample.codes), []
    given = dict(sorted(sample.given.items()))
    return Sequences(sample.records, batch, np.array(sample.labels), given)


def refuse_no_record(
    sources: Iterable[str | Path], report: ReadReport, labels: LabelSource | None
) -> NoReturn:
    """Say that no record of the files is usable, or none of the usable ones has a label.

    Raises
    ------
    InputError
    """
    why = " with a label" if labels and report.ok else ""
    raise InputError(f"no usable record{why} in {', '.join(map(str, sources))}")


def _superfamily(record: Record, codes: bytes) -> str:
    return parse_sccs(record.description).superfamily


GROUPINGS: dict[str, Callable[[Record, bytes], str | bytes]] = {
    "sequence": lambda record, codes: codes,
    "superfamily": _superfamily,
}
"""Functions that group records, by name."""


def groups_of(sequences: Sequences, grouping: str) -> list[str | bytes]:
    """Group of every record: those that an evaluation must keep on one side.

    Parameters
    ----------
    sequences : Sequences
    grouping : {"sequence", "superfamily"}
        Equal sequences (in any letter case), or the superfamily of an ASTRAL header.

    Raises
    ------
    InputError
        If records name no superfamily; all of them are counted, the first are listed.
    """
    groups: list[str | bytes] = []
    problems = []
    for record, codes in zip(sequences.records, sequences.batch, strict=True):
        try:
            groups.append(GROUPINGS[grouping](record, codes.tobytes()))
        except ValueError as error:
            problems.append(f"{record.source}, line {record.line}, {record.id!r}: {error}")
    if problems:
        shown = "\n  ".join(problems[:20])
        have = "record has" if len(problems) == 1 else "records have"
        raise InputError(f"{len(problems)} {have} no {grouping}:\n  {shown}")
    return groups
