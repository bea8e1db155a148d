"""Predicting a stream of records: one row for each, in order, in bounded memory."""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
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
    for rows in _rows_in_order(classifier, _chunks(records), min_confidence, n_threads):
        out.writelines(rows)
        n_rows += len(rows)
    return n_rows


def _rows_in_order(
    classifier: ProteinClassifier,
    chunks: Iterable[list[Record]],
    min_confidence: float,
    n_threads: int,
) -> Iterator[list[str]]:
    """Rows chunk by chunk: this thread reads on while the others compute."""
    if n_threads == 1:
        for chunk in chunks:
            yield _rows(classifier, chunk, min_confidence)
        return
    pool = ThreadPoolExecutor(n_threads)
    waiting: deque[Future[list[str]]] = deque()
    try:
        for chunk in chunks:
            waiting.append(pool.submit(_rows, classifier, chunk, min_confidence))
            if len(waiting) > n_threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


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
    rows = []
    usable = [record.codes for record in chunk if record.status == "ok"]
    if usable:
        scores, shares = classifier._decisions(Ragged.from_items(usable))
        if scores.ndim == 1:
            scores = np.column_stack([-scores, scores])
        # By score, as `predict`: with draws the shares may rank two close classes otherwise.
        ranked = np.argsort(-scores, axis=1, kind="stable")[:, :2]
        top = np.take_along_axis(shares, ranked, axis=1)
        names = classifier.classes_.astype(str)[ranked].tolist()
        results = iter(zip(names, top.tolist(), strict=True))
    for record in chunk:
        if record.status != "ok":
            rows.append(f"{record.id}\t\t\t{record.status}\t\t\t\n")
            continue
        (label, second), (confidence, runner_up) = next(results)
        status = "ok"
        if confidence < min_confidence:
            label, status = UNCLASSIFIED, f"confidence below {min_confidence:g}"
        rows.append(
            f"{record.id}\t{label}\t{confidence:.4f}\t{status}\t{second}\t{runner_up:.4f}"
            f"\t{len(record.codes)}\n"
        )
    return rows
