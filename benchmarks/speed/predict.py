"""Whole runs of ``sfmbio predict``: seconds, residues per second and peak memory by file size.

    python -m benchmarks.speed.predict [--sizes 2000 200000] [--threads 2] [--json FILE]

The files repeat the SCOP pool under new ids; the model is trained on the four classes first. Peak
memory is that of the child process, as the kernel counts it.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

from Bio.SeqIO.FastaIO import SimpleFastaParser

from benchmarks import data_folder
from benchmarks.speed.timing import give_up


def write_fasta(pool: list[tuple[str, str]], size: int, path: Path) -> int:
    """Write `size` records; return their residues."""
    residues = 0
    with path.open("w") as out:
        for number, (title, sequence) in enumerate(islice(cycle(pool), size)):
            lines = "\n".join(sequence[k : k + 60] for k in range(0, len(sequence), 60))
            out.write(f">query{number} {title}\n{lines}\n")
            residues += len(sequence)
    return residues


def run(arguments: list[str]) -> tuple[float, float]:
    """Seconds and peak memory in MiB of one run of the command line."""
    started = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "sfmbio", *arguments, "--quiet"])
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        give_up(f"sfmbio {' '.join(arguments)} ended with {process.returncode}")
    return time.perf_counter() - started, usage.ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[2_000, 200_000])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    proteins = data_folder() / "proteins"
    source = proteins / "scop_1_53" / "scop.1.53.1e-25.fasta"
    if not source.exists():
        give_up(f"no data at {source}")
    with source.open() as lines:
        pool = list(SimpleFastaParser(lines))
    results = []
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder, "model.sfm")
        run(["train", str(proteins / "four_class"), "-o", str(model)])
        print(f"{'records':>10} {'seconds':>8} {'residues/s':>12} {'peak MiB':>9}")
        for size in options.sizes:
            fasta = Path(folder, f"{size}.fasta")
            residues = write_fasta(pool, size, fasta)
            table = Path(folder, "table.tsv")
            threads = ["--threads", str(options.threads)]
            seconds, peak = run(["predict", str(model), str(fasta), "-o", str(table), *threads])
            with table.open() as rows:
                if sum(1 for _ in rows) != size + 1:
                    give_up(f"{size} records did not give {size} rows")
            fasta.unlink()
            print(f"{size:>10} {seconds:>8.1f} {residues / seconds:>12,.0f} {peak:>9.0f}")
            results.append(
                {"records": size, "seconds": seconds, "residues": residues, "peak_mib": peak,
                 "threads": options.threads}
            )  # fmt: skip
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
