"""Whether the sanitizers report what they must, and nothing else."""

import subprocess
import sys
from pathlib import Path

from tests.sanitizers.building import environment

_EXPECTED = {
    "sound(100)": "",
    "read_past_the_end(100)": "heap-buffer-overflow",
    "overflow(2147483647)": "signed integer overflow",
}


def missed(folder: Path) -> list[str]:
    """Sentences about the planted functions that did not end as they should."""
    sentences = []
    for call, report in _EXPECTED.items():
        # The path is printed, since an installed copy without sanitizers may have the same name.
        code = (
            "from sfmcore.kernels import _planted, _random\n"
            f"print(_random.__file__, flush=True)\n_planted.{call}"
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=folder,
            env=environment(folder),
            capture_output=True,
            text=True,
            check=False,
        )
        if not done.stdout.startswith(str(folder)):
            sentences.append(f"{call}: the kernels are not those of the copy: {done.stdout}")
        if report not in done.stderr or (done.returncode != 0) != bool(report):
            sentences.append(f"{call}: ended with {done.returncode}: {done.stderr[-2000:]}")
    return sentences
