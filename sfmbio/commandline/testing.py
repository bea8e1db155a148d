"""Testing a model on a stream of labelled records: each is judged once, chunk by chunk."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from sfmbio.classifier import ProteinClassifier
from sfmbio.commandline.prediction import CHUNK_RECORDS, CHUNK_RESIDUES
from sfmbio.reading.chunks import in_chunks
from sfmbio.reading.labels import LabelSource
from sfmbio.reading.record import Record
from sfmcore.commandline.assessments import Item
from sfmcore.commandline.known_labels import KnownLabels
from sfmcore.data.ragged import Ragged
from sfmcore.evaluation.testing import Block, block_of
from sfmcore.parallel.tasks import stream_tasks


@dataclass(frozen=True)
class _Chunk:
    """Codes and classes of some records: plain lists, which reach a worker fast."""

    codes: list[bytes]
    numbers: list[int]


def judged_blocks(
    classifier: ProteinClassifier,
    records: Iterable[Record],
    labels: LabelSource,
    known: KnownLabels,
    items: list[Item],
    *,
    drop_known: bool,
    n_threads: int = 1,
    codes: list[bytes] | None = None,
) -> Iterator[Block]:
    """What the classifier says of every record that has a label which it knows.

    Parameters
    ----------
    classifier : ProteinClassifier
        Fitted.
    records : iterable of Record
        Those that can't be used are left out.
    labels : LabelSource
        Counts the records that have none.
    known : KnownLabels
        Counts the labels that the classifier does not know.
    items : list of Item
        Gets an entry for each record that is judged.
    drop_known : bool
    n_threads : int, default=1
        Chunks of records that are worked on at a time; what is said does not depend on it.
    codes : list of bytes, optional
        Gets the residues of each record that is judged, for whoever looks at mistakes later.
    """
    shared = {"classifier": classifier, "drop_known": drop_known}
    chunks = _chunks(records, labels, known, items, codes)
    yield from stream_tasks(_judged, chunks, shared, n_threads)


def _chunks(
    records: Iterable[Record],
    labels: LabelSource,
    known: KnownLabels,
    items: list[Item],
    codes: list[bytes] | None,
) -> Iterator[_Chunk]:
    for some in in_chunks(records, CHUNK_RECORDS, CHUNK_RESIDUES):
        chunk = _Chunk([], [])
        for record in some:
            # Of every record: a table then knows which of its ids are in the input.
            label = labels(record)
            if record.status != "ok" or label is None:
                continue
            number = known.number(label)
            if number is not None:
                chunk.codes.append(record.codes)
                chunk.numbers.append(number)
                items.append(Item(record.id, record.source, record.line))
                if codes is not None:
                    codes.append(record.codes)
        if chunk.numbers:
            yield chunk


def _judged(
    chunk: _Chunk, n_threads: int, *, classifier: ProteinClassifier, drop_known: bool
) -> Block:
    numbers = np.array(chunk.numbers, dtype=np.int64)
    return block_of(classifier, Ragged.from_items(chunk.codes), numbers, drop_known=drop_known)
