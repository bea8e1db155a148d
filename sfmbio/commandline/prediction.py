"""Predicting a stream of records: one row for each, in order, in bounded memory."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TextIO

from sfmbio.catalogue import Nearest
from sfmbio.classifier import ProteinClassifier
from sfmbio.reading.chunks import in_chunks
from sfmbio.reading.record import Record
from sfmcore.commandline.output import one_line
from sfmcore.commandline.rows import (
    UNCLASSIFIED,
    Answer,
    Limits,
    answers,
    columns,
    row,
    unusable_row,
)
from sfmcore.data.ragged import Ragged
from sfmcore.parallel.tasks import stream_tasks

__all__ = ["COLUMNS", "UNCLASSIFIED", "write_predictions"]

COLUMNS = (
    "id", "label", "confidence", "status", "second_label", "second_confidence", "length",
    "nearest", "nearest_label", "identity", "e_value", "typicality",
)  # fmt: skip
# What stands under the last ones where nothing is near.
_NOTHING_NEAR = "\t\t\t"
_NO_LIMITS = Limits()
CHUNK_RECORDS = 512
CHUNK_RESIDUES = 1 << 16
"""As much as is worked on at a time by one thread."""


def write_predictions(
    classifier: ProteinClassifier,
    records: Iterable[Record],
    out: TextIO,
    *,
    limits: Limits = _NO_LIMITS,
    coverage: float | None = None,
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
    limits : Limits, optional
        Beyond them the label is ``unclassified``, and the status says why.
    coverage : float, optional
        Adds a column of the labels that can't be excluded.
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
        out.write("\t".join(columns(COLUMNS, coverage)) + "\n")
    n_rows = 0
    shared = {
        "classifier": classifier, "limits": limits, "coverage": coverage
    }  # fmt: skip
    for rows in stream_tasks(_rows, _chunks(records), shared, n_threads):
        out.writelines(rows)
        n_rows += len(rows)
    return n_rows


@dataclass(frozen=True)
class _Chunk:
    """Data of some records for rows: plain lists, which reach a worker fast."""

    names: list[str]
    statuses: list[str]
    codes: list[bytes]


def _chunks(records: Iterable[Record]) -> Iterator[_Chunk]:
    for some in in_chunks(records, CHUNK_RECORDS, CHUNK_RESIDUES):
        yield _Chunk(
            [record.id for record in some],
            [record.status for record in some],
            [record.codes for record in some],
        )


def _rows(
    chunk: _Chunk,
    n_threads: int,
    *,
    classifier: ProteinClassifier,
    limits: Limits,
    coverage: float | None,
) -> list[str]:
    records = list(zip(chunk.names, chunk.statuses, chunk.codes, strict=True))
    usable = Ragged.from_items([codes for _, status, codes in records if status == "ok"])
    results: Iterator[tuple[Answer, str]] = iter([])
    if len(usable):
        # Similarities to the training sequences serve both.
        made = classifier.prepared(usable)
        near = _near_fields(classifier.nearest_among(made[0]))
        results = zip(answers(classifier, usable, made, coverage=coverage), near, strict=True)
    rows = []
    for name, status, codes in records:
        if status == "ok":
            result, nearest = next(results)
            rows.append(row(name, result, limits, f"{len(codes)}\t{nearest}"))
        else:
            rows.append(unusable_row(name, status, f"\t{_NOTHING_NEAR}", sets=coverage is not None))
    return rows


def _near_fields(found: Nearest) -> Iterator[str]:
    """Id, label, identity and E-value of what is nearest to each record, with tabs between them."""
    rows = zip(found.ids, found.labels, found.identity, found.e_value, strict=True)
    for name, label, identity, e_value in rows:
        if name is None:
            yield _NOTHING_NEAR
            continue
        shown = "" if label is None else one_line(str(label))
        yield f"{one_line(name)}\t{shown}\t{identity:.4f}\t{e_value:.2e}"
