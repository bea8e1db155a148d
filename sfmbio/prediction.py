"""Predicting a stream of records: one row for each, in order, in bounded memory."""

from collections.abc import Iterable, Iterator
from typing import TextIO

import numpy as np

from sfmbio.classifier import ProteinClassifier
from sfmbio.record import Record
from sfmcore.ragged import Ragged

COLUMNS = ("id", "label", "confidence", "status", "second_label", "second_confidence", "length")
UNCLASSIFIED = "unclassified"
_CHUNK_RECORDS = 2048
_CHUNK_RESIDUES = 1 << 21


def write_predictions(
    classifier: ProteinClassifier,
    records: Iterable[Record],
    out: TextIO,
    *,
    min_confidence: float = 0.0,
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

    Returns
    -------
    int
        Number of rows.
    """
    out.write("\t".join(COLUMNS) + "\n")
    n_rows = 0
    for chunk in _chunks(records):
        out.writelines(_rows(classifier, chunk, min_confidence))
        n_rows += len(chunk)
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


def _rows(
    classifier: ProteinClassifier, chunk: list[Record], min_confidence: float
) -> Iterator[str]:
    usable = [record.codes for record in chunk if record.status == "ok"]
    if usable:
        shares = classifier.predict_proba(Ragged.from_items(usable))
        ranked = np.argsort(-shares, axis=1, kind="stable")[:, :2]
        top = np.take_along_axis(shares, ranked, axis=1)
        names = classifier.classes_.astype(str)[ranked].tolist()
        results = iter(zip(names, top.tolist(), strict=True))
    for record in chunk:
        if record.status != "ok":
            yield f"{record.id}\t\t\t{record.status}\t\t\t{len(record.codes)}\n"
            continue
        (label, second), (confidence, runner_up) = next(results)
        status = "ok"
        if confidence < min_confidence:
            label, status = UNCLASSIFIED, f"confidence below {min_confidence:g}"
        yield (
            f"{record.id}\t{label}\t{confidence:.4f}\t{status}\t{second}\t{runner_up:.4f}"
            f"\t{len(record.codes)}\n"
        )
