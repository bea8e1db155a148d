"""`sfmbio train` on many records: seconds and peak memory.

Ten classes, each drawn from a random hidden Markov model of its own as in
:mod:`benchmarks.speed.classes`; 100 to 500 residues a record. A model of the training files labels
200 further records of every class.

    python -m benchmarks.speed.large --out DIR [--records 200000] [--set NAME=VALUE]

The files are written to DIR once, and each run adds a line to ``large.jsonl`` there.
"""

from pathlib import Path
from typing import Any

from benchmarks.speed.classes import drawn_class
from benchmarks.speed.large_runs import run_large, train_and_test

N_CLASSES = 10
NEW_PER_CLASS = 200
SHORTEST, LONGEST = 100, 500
# Sequences that are drawn side by side.
_BLOCK = 20_000
_LETTERS = bytes.maketrans(bytes(range(20)), b"ACDEFGHIKLMNPQRSTVWY")


def write_class(path: Path, number: int, n_records: int, first_block: int) -> int:
    """Write one class's records; return their residues."""
    residues = 0
    with path.open("wb") as out:
        for block, first in enumerate(range(0, n_records, _BLOCK), first_block):
            size = min(_BLOCK, n_records - first)
            drawn = drawn_class(number, 0, size, stream=block, shortest=SHORTEST, longest=LONGEST)
            for place, codes in enumerate(drawn, first):
                sequence = codes.tobytes().translate(_LETTERS)
                out.write(b">c%d_%d_%d\n%s\n" % (number, first_block, place, sequence))
                residues += len(sequence)
    return residues


def make_files(folder: Path, n_records: int) -> tuple[Path, Path, int]:
    """Folders of the training and of the new records, and the training residues."""
    own = folder / f"{n_records}_records"
    training, new, done = own / "train", own / "new", own / "residues"
    if not done.exists():
        training.mkdir(parents=True, exist_ok=True)
        new.mkdir(exist_ok=True)
        residues = 0
        for number in range(N_CLASSES):
            share = n_records // N_CLASSES + (number < n_records % N_CLASSES)
            residues += write_class(training / f"class{number}.fasta", number, share, 1)
            write_class(new / f"class{number}.fasta", number, NEW_PER_CLASS, 1_000_000)
        done.write_text(str(residues), encoding="ascii")
    return training, new, int(done.read_text(encoding="ascii"))


def measure(folder: Path, n_records: int, n_threads: int, settings: list[str]) -> dict[str, Any]:
    """Train, and label the new records."""
    training, new, residues = make_files(folder, n_records)
    found = train_and_test("sfmbio", training, new, n_threads, settings)
    return {"n_records": n_records, "n_residues": residues, **found}


if __name__ == "__main__":
    run_large(__doc__, "large", "records", 200_000, measure)
