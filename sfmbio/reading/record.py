"""One FASTA record."""

from dataclasses import dataclass


@dataclass(slots=True)
class Record:
    """One FASTA record, ready for a model or with the reason why it is not.

    Attributes
    ----------
    id : str
        First word of the header; ``record_N`` if a blank or nothing follows the ``>``, where N is
        the place in the input. Bytes that are not UTF-8 and control characters are written out.
    description : str
        The whole header without ``>``; bytes that are not UTF-8 are written out.
    codes : bytes
        The sequence in the codes of `sfmbio.sequences.alphabet`; empty if it can't be used.
    status : str
        ``"ok"``, or what is wrong with it.
    source : str
        The file's name as given, or ``"<stdin>"``.
    number : int
        Place in the file, from 1.
    line : int
        Line of the header, from 1.
    stem : str
        The file's name without folder and suffixes (see `label_of`); empty for standard input.
    """

    id: str
    description: str
    codes: bytes
    status: str
    source: str
    number: int
    line: int
    stem: str


def known_names(record: Record) -> list[str]:
    """Names by which a table may know a record, the best first.

    Examples
    --------
    >>> known_names(Record("record_7", " P02144 myoglobin", b"", "ok", "x.fa", 7, 13, "x"))
    ['record_7', 'P02144']
    """
    if record.description[:1].isspace():
        # A header such as "> a" names no id, but a table may know it.
        return [record.id, *record.description.split()[:1]]
    return [record.id]
