"""Start-up of ``sfmbio``, each call a process of its own, beside the least it could take.

For ``--version`` that is Python itself; for one record it is Python with scikit-learn, whose
classes the model's are made of.

    python -m benchmarks.speed.startup [--json FILE]

Not with PYTHONDONTWRITEBYTECODE: a checkout is then compiled at every start, and an installation
is not.
"""

import subprocess
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import sklearn

from benchmarks.speed.case import Case, Prepared
from benchmarks.speed.jobs import trained_model
from benchmarks.speed.processes import run_job
from benchmarks.speed.running import main

_PEPTIDES = Path(__file__).parents[2] / "data" / "peptides"
_ONE_RECORD = ">query\nGIGKFLHSAKKFGKAFVGEIMNS\n"


def _python(program: str) -> None:
    subprocess.run([sys.executable, "-c", program], check=True)


def version() -> Prepared:
    """``sfmbio --version``."""
    details: dict[str, Any] = {}
    return Prepared(
        lambda: run_job("sfmbio", ["--version"], details),
        "s for one run",
        partial(_python, "pass"),
        f"Python {sys.version.split()[0]} alone",
        details=details,
    )


def one_record() -> Prepared:
    """``sfmbio predict`` of one record, by a model of the peptides in this repository."""
    model = trained_model(_PEPTIDES)
    folder = TemporaryDirectory()
    fasta, tsv = Path(folder.name, "one.fasta"), Path(folder.name, "table.tsv")
    fasta.write_text(_ONE_RECORD)
    details: dict[str, Any] = {}
    arguments = ["predict", str(model), str(fasta), "-o", str(tsv), "--threads", "1"]

    def ours(_: Any = folder) -> None:
        run_job("sfmbio", arguments, details)

    return Prepared(
        ours,
        "s for one run",
        partial(_python, "import sklearn.base"),
        f"import of scikit-learn {sklearn.__version__}",
        details=details,
    )


def cases() -> list[Case]:
    """All cases."""
    return [
        Case("sfmbio --version", version, "Python alone"),
        Case("sfmbio predict, 1 record", one_record, "import of scikit-learn"),
    ]


if __name__ == "__main__":
    main(cases(), __doc__)
