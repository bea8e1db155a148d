"""Whole runs of ``sfmbio predict`` by the size of the file: seconds and peak memory.

The files repeat the SCOP pool under new ids; the model is trained on the four classes first.

    python -m benchmarks.speed.predict [--sizes 2000 200000 1000000] [--threads 2] [--json FILE]
"""

from collections.abc import Sequence
from functools import cache, partial
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from Bio.SeqIO.FastaIO import SimpleFastaParser

from benchmarks import data_folder
from benchmarks.speed.case import Case, Disagreement, Prepared, Skipped
from benchmarks.speed.environment import start_fairly
from benchmarks.speed.jobs import four_classes, trained_model
from benchmarks.speed.processes import run_job
from benchmarks.speed.running import make_parser, run_command_line

SIZES = (2_000, 200_000)


def write_fasta(pool: list[tuple[str, str]], size: int, path: Path) -> int:
    """Write `size` records; return their residues."""
    residues = 0
    with path.open("w") as out:
        for number, (title, sequence) in enumerate(islice(cycle(pool), size)):
            lines = "\n".join(sequence[k : k + 60] for k in range(0, len(sequence), 60))
            out.write(f">query{number} {title}\n{lines}\n")
            residues += len(sequence)
    return residues


@cache
def read_pool() -> list[tuple[str, str]]:
    """Titles and sequences of the SCOP pool."""
    source = data_folder() / "proteins" / "scop_1_53" / "scop.1.53.1e-25.fasta"
    if not source.exists():
        raise Skipped(f"no data at {source}")
    with source.open() as lines:
        return list(SimpleFastaParser(lines))


def prediction(size: int, n_threads: int) -> Prepared:
    """One run, which must give a row for every record."""
    pool, model = read_pool(), trained_model(four_classes())
    # It goes when nothing holds the case any more.
    folder = TemporaryDirectory()
    fasta, tsv = Path(folder.name, "records.fasta"), Path(folder.name, "table.tsv")
    details: dict[str, Any] = {"n_records": size, "n_threads": n_threads}
    details["n_residues"] = write_fasta(pool, size, fasta)
    arguments = [str(model), str(fasta), "-o", str(tsv), "--threads", str(n_threads)]

    def ours(_: Any = folder) -> None:
        run_job("sfmbio", ["predict", *arguments], details)
        with tsv.open() as rows:
            if sum(1 for _ in rows) != size + 1:
                raise Disagreement(f"{size} records did not give {size} rows")

    return Prepared(ours, "s for one file, start-up included", details=details)


def cases(sizes: Sequence[int] = SIZES, n_threads: int = 1) -> list[Case]:
    """All cases."""
    threads = "" if n_threads == 1 else f", {n_threads} threads"
    return [
        Case(f"sfmbio predict, {size} records{threads}", partial(prediction, size, n_threads))
        for size in sizes
    ]


def main() -> None:
    """Command line of this module, with sizes and threads of its own."""
    parser = make_parser(__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), help="records")
    parser.add_argument("--threads", type=int, default=1, help="of the command")
    options = parser.parse_args()
    start_fairly()
    groups = {"predict": cases(options.sizes, options.threads)}
    raise SystemExit(run_command_line(groups, options))


if __name__ == "__main__":
    main()
