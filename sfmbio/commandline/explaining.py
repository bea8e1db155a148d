"""Explaining a stream of records: tables and a page, in bounded memory."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TextIO

from sfmbio.classifier import ProteinClassifier
from sfmbio.explaining.page import Page
from sfmbio.explaining.records import N_NEAREST, Reasons, reasons_of
from sfmbio.explaining.table import (
    COLUMNS,
    SUMMARY_COLUMNS,
    residue_rows,
    summary_row,
    unusable_residue_row,
    unusable_summary_row,
)
from sfmbio.reading.chunks import in_chunks
from sfmbio.reading.record import Record
from sfmcore.data.ragged import Ragged
from sfmcore.parallel.tasks import stream_tasks

_CHUNK_RECORDS = 512
_CHUNK_RESIDUES = 1 << 18


@dataclass(frozen=True)
class _Chunk:
    """Data of some records for reasons: plain lists, which reach a worker fast."""

    names: list[str]
    statuses: list[str]
    codes: list[bytes]
    n_shown: int
    """Number of first records whose reasons the page shows."""


@dataclass(frozen=True)
class _Written:
    """Rows of some records, and reasons of those that the page may show."""

    rows: list[str]
    summaries: list[str]
    shown: list[tuple[str, str, Reasons | None]]
    n_records: int


def write_reasons(
    classifier: ProteinClassifier,
    records: Iterable[Record],
    out: TextIO,
    *,
    summary: TextIO | None = None,
    page: Page | None = None,
    n_shown: int = 0,
    n_threads: int = 1,
) -> int:
    """Write a row for every residue of every record, in the order they come.

    Parameters
    ----------
    classifier : ProteinClassifier
        Fitted.
    records : iterable of Record
        Those that can't be used get a row with their status.
    out : text file
    summary : text file, optional
        Gets a row for every record.
    page : Page, optional
    n_shown : int, default=0
        Records that the page shows, at most.
    n_threads : int, default=1
        Chunks of records that are worked on at a time; the rows do not depend on it.

    Returns
    -------
    int
        Number of records.

    Raises
    ------
    ValueError
        If the models are no hidden Markov models.
    """
    out.write("\t".join(COLUMNS) + "\n")
    if summary is not None:
        summary.write("\t".join(SUMMARY_COLUMNS) + "\n")
    n_records = 0
    chunks = _chunks(records, n_shown if page is not None else 0)
    for written in stream_tasks(_written, chunks, {"classifier": classifier}, n_threads):
        out.writelines(written.rows)
        if summary is not None:
            summary.writelines(written.summaries)
        if page is not None:
            for name, status, reasons in written.shown:
                if reasons is None:
                    page.leave_out(name, status)
                else:
                    page.add(reasons)
            for _ in range(written.n_records - len(written.shown)):
                page.count()
        n_records += written.n_records
    return n_records


def _chunks(records: Iterable[Record], n_shown: int) -> Iterator[_Chunk]:
    for some in in_chunks(records, _CHUNK_RECORDS, _CHUNK_RESIDUES):
        yield _Chunk(
            [record.id for record in some],
            [record.status for record in some],
            [record.codes for record in some],
            n_shown,
        )
        n_shown = max(0, n_shown - len(some))


def _written(chunk: _Chunk, n_threads: int, *, classifier: ProteinClassifier) -> _Written:
    usable = [place for place, status in enumerate(chunk.statuses) if status == "ok"]
    items = Ragged.from_items([chunk.codes[place] for place in usable])
    found: Iterator[Reasons] = iter([])
    if len(items):
        made = classifier.prepared(items)
        found = reasons_of(
            [chunk.names[place] for place in usable],
            items,
            classifier.explain_prepared(made, rests=True),
            classifier.several_nearest_among(made[0], N_NEAREST),
        )
    rows, summaries = [], []
    shown: list[tuple[str, str, Reasons | None]] = []
    for place, (name, status) in enumerate(zip(chunk.names, chunk.statuses, strict=True)):
        reasons = next(found) if status == "ok" else None
        if reasons is None:
            rows.append(unusable_residue_row(name, status))
            summaries.append(unusable_summary_row(name, status))
        else:
            rows.append(residue_rows(reasons))
            summaries.append(summary_row(reasons))
        if place < chunk.n_shown:
            shown.append((name, status, reasons))
    return _Written(rows, summaries, shown, len(chunk.names))
