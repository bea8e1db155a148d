"""The file of results.

One JSON object a line. The first holds the seed and the versions; each further one what one method
reached on one partition of one set. Lines are only ever added, each in one write, so a run that is
stopped loses what it was at and nothing else.
"""

import importlib.metadata
import json
import platform
from pathlib import Path
from typing import Any

import sfmcore

Key = tuple[str, str, int]


def versions() -> dict[str, str]:
    """Versions of what the figures depend on."""
    found = {name: importlib.metadata.version(name) for name in ("numpy", "scikit-learn", "scipy")}
    return {"python": platform.python_version(), "sfm-pacbayes": sfmcore.__version__, **found}


class Results:
    """Results of one seed in a file, which is made if it is missing.

    Parameters
    ----------
    path : Path
    seed : int or None
        None reads, whatever the seed, and leaves the file as it is.

    Attributes
    ----------
    header : dict
        The file's first line.
    rows : dict
        Results by set, method and partition.

    Raises
    ------
    ValueError
        If the file is of another seed.
    OSError
        If the file can't be read or, with a seed, made.
    """

    def __init__(self, path: Path, seed: int | None) -> None:
        self.path = path
        content = path.read_bytes() if seed is None or path.exists() else b""
        # A last line without an end was cut short when a run was stopped.
        whole = content[: content.rfind(b"\n") + 1]
        lines = [json.loads(line) for line in whole.splitlines()]
        self.header: dict[str, Any] = lines[0] if lines else {}
        self.rows = {key_of(row): row for row in lines[1:]}
        if seed is None:
            return
        if lines and self.header["seed"] != seed:
            raise ValueError(f"{path} holds results of seed {self.header['seed']}, not {seed}")
        if len(whole) < len(content):
            with path.open("r+b") as file:
                file.truncate(len(whole))
        if not lines:
            path.parent.mkdir(parents=True, exist_ok=True)
            self.header = {"seed": seed, "unit": "percent", "versions": versions()}
            self._append(self.header)

    def add(self, row: dict[str, Any]) -> None:
        """Keep a result and write it to the file."""
        self._append(row)
        self.rows[key_of(row)] = row

    def _append(self, value: dict[str, Any]) -> None:
        # Unbuffered: one write, at the end of the file even if another run adds to it.
        with self.path.open("ab", buffering=0) as file:
            file.write(json.dumps(value).encode() + b"\n")


def key_of(row: dict[str, Any]) -> Key:
    """Set, method and partition of a result."""
    return row["set"], row["method"], row["partition"]
