"""MMseqs2, DIAMOND and phmmer: searches on one thread, every alignment of E below 10."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.tables.dataset import Half
from benchmarks.tables.kept import Arrays, kept
from benchmarks.tables.searching.hits import Hits
from benchmarks.tables.searching.letters import write_fasta
from benchmarks.tables.timing import timed
from sfmcore.data.ragged import Ragged

Search = Callable[[Half], Hits]
_TOOK = ("seconds", "processor_seconds")


def _mmseqs2(folder: Path) -> None:
    """Run MMseqs2 at the highest of its usual sensitivities."""
    _run(
        "mmseqs", "easy-search", folder / "queries.fa", folder / "targets.fa", folder / "hits.tsv",
        folder / "scratch", "-s", "7.5", "-e", "10", "--threads", "1", "-v", "1",
        "--format-output", "query,target,evalue,bits",
    )  # fmt: skip


def _diamond(folder: Path) -> None:
    """Run DIAMOND at its highest sensitivity."""
    _run("diamond", "makedb", "--in", folder / "targets.fa", "-d", folder / "db", "--quiet")
    _run(
        "diamond", "blastp", "--ultra-sensitive", "-d", folder / "db", "-q", folder / "queries.fa",
        "-o", folder / "hits.tsv", "-e", "10", "--threads", "1", "--quiet",
        "--outfmt", "6", "qseqid", "sseqid", "evalue", "bitscore",
    )  # fmt: skip


def by_program(name: str, run: Callable[[Path], None]) -> Search:
    """Make a search of what reads two FASTA files of a folder and writes a table of hits."""

    def search(half: Half) -> Hits:
        targets, queries = half.X, half.X_test

        def make() -> Arrays:
            with TemporaryDirectory() as scratch:
                folder = Path(scratch)
                write_fasta(folder / "targets.fa", targets)
                write_fasta(folder / "queries.fa", queries)
                with timed() as took:
                    run(folder)
                text = (folder / "hits.tsv").read_text(encoding="ascii")
            rows = [line.split("\t") for line in text.splitlines()]
            return _arrays(np.array(rows, dtype=float).reshape(-1, 4), took)

        return _hits(kept(name, (targets, queries), make))

    return search


def phmmer(half: Half) -> Hits:
    """Find the best hit of phmmer (HMMER 3, in pyhmmer), by its own thresholds."""
    targets, queries = half.X, half.X_test
    return _hits(kept("phmmer", (targets, queries), lambda: _best_of_phmmer(targets, queries)))


def _best_of_phmmer(targets: Ragged, queries: Ragged) -> Arrays:
    # Only this search needs pyhmmer.
    from benchmarks.tables.proteins.best_hit import NO_HIT, best_hits

    with timed() as took:
        index, bits, e_value = best_hits(targets, queries)
    found = np.flatnonzero(index != NO_HIT)
    return _arrays(np.column_stack([found, index[found], e_value[found], bits[found]]), took)


def _arrays(table: np.ndarray, took: dict[str, float]) -> Arrays:
    return {"hits": table, "took": np.array([took[name] for name in _TOOK])}


def _hits(arrays: Arrays) -> Hits:
    query, target, e_value, bits = arrays["hits"].astype(np.float64).T
    took = dict(zip(_TOOK, arrays["took"].tolist(), strict=True))
    return Hits(query.astype(np.int64), target.astype(np.int64), e_value, bits, took)


def _run(program: str, *arguments: str | Path) -> None:
    if shutil.which(program) is None:
        raise FileNotFoundError(f"{program} is not installed")
    done = subprocess.run(
        [program, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{program} failed: {done.stderr.strip() or done.stdout.strip()}")


mmseqs2 = by_program("mmseqs2", _mmseqs2)
diamond = by_program("diamond", _diamond)
