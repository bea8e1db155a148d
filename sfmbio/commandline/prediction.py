"""Predicting a stream of records: one row for each, in order, in bounded memory."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TextIO

from sfmbio.classifier import ProteinClassifier
from sfmbio.reading.record import Record
from sfmcore.commandline.rows import UNCLASSIFIED, best_two, in_order, row, unusable_row
from sfmcore.data.ragged import Ragged

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

    Returns
    -------
    int
        Number of rows.
    """
    out.write("\t".join(COLUMNS) + "\n")
    n_rows = 0
    rows_of = partial(_rows, classifier, min_confidence=min_confidence)
    for rows in in_order(rows_of, _chunks(records), n_threads):
        out.writelines(rows)
        n_rows += len(rows)
    return n_rows


def _chunks(records: Iterable[Record]) -> Iterator[list[Record]]:
    chunk: list[Record] = []
    residues = 0
    for record in records:
        chunk.append(record)
        residues += len(record.codes)
        if len(chunk) >= _CHUNK_RECORDS or residues >= _CHUNK_RESIDUES:
            yield chunk
            chunk, residues = [], 0
    if chunk:
        yield chunk


def _rows(classifier: ProteinClassifier, chunk: list[Record], min_confidence: float) -> list[str]:
    usable = [record.codes for record in chunk if record.status == "ok"]
    results = iter(best_two(classifier, Ragged.from_items(usable)) if usable else [])
    return [
        row(record.id, next(results), min_confidence, str(len(record.codes)))
        if record.status == "ok"
        else unusable_row(record.id, record.status)
        for record in chunk
    ]
