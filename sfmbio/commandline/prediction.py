"""Predicting a stream of records: one row for each, in order, in bounded memory."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TextIO

from sfmbio.classifier import ProteinClassifier
from sfmbio.reading.record import Record
from sfmcore.commandline.rows import UNCLASSIFIED, best_two, row, unusable_row
from sfmcore.data.ragged import Ragged
from sfmcore.parallel.tasks import stream_tasks

__all__ = ["COLUMNS", "UNCLASSIFIED", "write_predictions"]

COLUMNS = ("id", "label", "confidence", "status", "second_label", "second_confidence", "length")
_CHUNK_RECORDS = 2048
_CHUNK_RESIDUES = 1 << 21


def write_predictions(
    classifier: ProteinClassifier,
    records: Iterable[Record],
    out: TextIO,
    *,
    min_confidence: float = 0.0,
    n_threads: int = 1,
    header: bool = True,
) -> int:
    """Write one tab-separated row for every record, in the order they come.

    Parameters
    ----------
    classifier : ProteinClassifier
        Fitted.
    records : iterable of Record
        Those that can't be used get a row with their status and no label.
    out : text file
    min_confidence : float, default=0.0
        Below it the label is ``unclassified``, and the status says why.
    n_threads : int, default=1
        Chunks of records that are worked on at a time; the rows do not depend on it.
    header : bool, default=True
        Whether the first row names the columns.

    Returns
    -------
    int
        Number of rows.
    """
    if header:
        out.write("\t".join(COLUMNS) + "\n")
    n_rows = 0
    shared = {"classifier": classifier, "min_confidence": min_confidence}
    for rows in stream_tasks(_rows, _chunks(records), shared, n_threads):
        out.writelines(rows)
        n_rows += len(rows)
    return n_rows


@dataclass(frozen=True)
class _Chunk:
    """What rows need of some records: plain lists, which reach a worker fast."""

    names: list[str]
    statuses: list[str]
    codes: list[bytes]


def _chunks(records: Iterable[Record]) -> Iterator[_Chunk]:
    chunk = _Chunk([], [], [])
    residues = 0
    for record in records:
        chunk.names.append(record.id)
        chunk.statuses.append(record.status)
        chunk.codes.append(record.codes)
        residues += len(record.codes)
        if len(chunk.names) >= _CHUNK_RECORDS or residues >= _CHUNK_RESIDUES:
            yield chunk
            chunk, residues = _Chunk([], [], []), 0
    if chunk.names:
        yield chunk


def _rows(
    chunk: _Chunk, n_threads: int, *, classifier: ProteinClassifier, min_confidence: float
) -> list[str]:
    records = list(zip(chunk.names, chunk.statuses, chunk.codes, strict=True))
    usable = [codes for _, status, codes in records if status == "ok"]
    results = iter(best_two(classifier, Ragged.from_items(usable)) if usable else [])
    return [
        row(name, next(results), min_confidence, str(len(codes)))
        if status == "ok"
        else unusable_row(name, status)
        for name, status, codes in records
    ]
