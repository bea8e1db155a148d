"""Records in chunks, for work that goes chunk by chunk."""

from collections.abc import Iterable, Iterator

from sfmbio.reading.record import Record


def in_chunks(
    records: Iterable[Record], most_records: int, most_residues: int
) -> Iterator[list[Record]]:
    """Give the records in their order, some at a time.

    Parameters
    ----------
    records : iterable of Record
    most_records, most_residues : int
        A chunk ends with the record that makes it as large as either.

    Examples
    --------
    >>> records = [Record("a", "a", b"AC", "ok", "x.fa", n, n, "x") for n in range(5)]
    >>> [len(chunk) for chunk in in_chunks(records, 4, 1000)]
    [4, 1]
    >>> [len(chunk) for chunk in in_chunks(records, 4, 3)]
    [2, 2, 1]
    """
    chunk: list[Record] = []
    residues = 0
    for record in records:
        chunk.append(record)
        residues += len(record.codes)
        if len(chunk) >= most_records or residues >= most_residues:
            yield chunk
            chunk, residues = [], 0
    if chunk:
        yield chunk
