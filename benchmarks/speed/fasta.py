"""Reading FASTA against pyhmmer, dnaio and Biopython, on a file that is made up.

Every reader goes through all records and keeps none. Ours and pyhmmer's give codes of residues,
the others strings; ours also notes where each record stands and whether it can be used.

    python -m benchmarks.speed.fasta [--json FILE]
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import Bio
import numpy as np
from Bio import SeqIO
from Bio.SeqIO.FastaIO import SimpleFastaParser

from benchmarks.speed.case import Case, Prepared, agree, needed
from benchmarks.speed.running import main
from sfmbio.reading.fasta import read_fasta
from sfmbio.sequences.alphabet import RESIDUES

N_RECORDS = 100_000
_WIDTH = 60
# A reader gives records, and one more function the length of a record.
Reader = tuple[str, Callable[[], Iterable[object]], Callable[[Any], int]]


@cache
def make_file(n_records: int) -> tuple[TemporaryDirectory[str], Path]:
    """A file of proteins, 60 residues a line, that goes when the process does."""
    folder = TemporaryDirectory()
    path = Path(folder.name, "proteins.fasta")
    random = np.random.default_rng(0)
    letters = np.frombuffer(RESIDUES.encode(), dtype=np.uint8)
    with path.open("w") as out:
        for number, length in enumerate(1 + random.gamma(2.0, 150.0, n_records).astype(int)):
            text = letters[random.integers(len(letters), size=length)].tobytes().decode()
            lines = "\n".join(text[k : k + _WIDTH] for k in range(0, length, _WIDTH))
            out.write(f">protein{number} made up, {length} residues\n{lines}\n")
    return folder, path


def with_pyhmmer(path: Path) -> Reader:
    """Easel's reader, which gives codes as ours does."""
    pyhmmer = needed("pyhmmer")
    alphabet = pyhmmer.easel.Alphabet.amino()

    def records() -> Iterator[object]:
        with pyhmmer.easel.SequenceFile(
            path, format="fasta", digital=True, alphabet=alphabet
        ) as sequences:
            yield from sequences

    return f"pyhmmer {pyhmmer.__version__} SequenceFile", records, len


def with_dnaio(path: Path) -> Reader:
    """A reader in C for reads of sequencers."""
    dnaio = needed("dnaio")

    def records() -> Iterator[object]:
        with dnaio.open(path, fileformat="fasta", open_threads=0) as sequences:
            yield from sequences

    return f"dnaio {dnaio.__version__}", records, len


def with_simple_parser(path: Path) -> Reader:
    """Titles and sequences as strings."""

    def records() -> Iterator[object]:
        with path.open() as lines:
            yield from SimpleFastaParser(lines)

    return f"Biopython {Bio.__version__} SimpleFastaParser", records, lambda r: len(r[1])


def with_seqio(path: Path) -> Reader:
    """Biopython's records."""

    def records() -> Iterator[object]:
        with path.open() as lines:
            yield from SeqIO.parse(lines, "fasta")

    return f"Biopython {Bio.__version__} SeqIO", records, len


def reading(n_records: int, make: Callable[[Path], Reader]) -> Prepared:
    """All records of the file."""
    _, path = make_file(n_records)
    name, records, length = make(path)

    def check() -> None:
        ours = [len(record.codes) for record in read_fasta(path)]
        agree("lengths", ours, [length(record) for record in records()])

    return Prepared(
        lambda: deque(read_fasta(path), maxlen=0),
        "s for one file",
        lambda: deque(records(), maxlen=0),
        name,
        check,
        details={"n_records": n_records, "file_bytes": path.stat().st_size},
    )


def cases(n_records: int = N_RECORDS) -> list[Case]:
    """All cases."""
    readers = [
        ("pyhmmer", with_pyhmmer),
        ("dnaio", with_dnaio),
        ("SimpleFastaParser", with_simple_parser),
        ("SeqIO", with_seqio),
    ]
    return [
        Case(f"FASTA, {n_records} records", partial(reading, n_records, make), name)
        for name, make in readers
    ]


if __name__ == "__main__":
    main(cases(), __doc__)
