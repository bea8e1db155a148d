"""What is found once of some items, and looked up afterwards."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sfmcore.data.ragged import Ragged

Arrays = dict[str, npt.NDArray[Any]]
_found: dict[str, Arrays] = {}


def kept(name: str, batches: tuple[Ragged, ...], make: Callable[[], Arrays]) -> Arrays:
    """Arrays that depend on some items only, made where nobody has made them yet.

    They are kept in memory as long as the process lasts, and in the folder SFM_SEARCHES if that
    environment variable is set.

    Parameters
    ----------
    name : str
        What they are; good for a file's name.
    batches : tuple of Ragged
    make : callable
    """
    digest = hashlib.sha256()
    for batch in batches:
        digest.update(np.int64(len(batch)).tobytes() + batch.offsets.tobytes())
        digest.update(batch.values.tobytes())
    key = f"{name}-{digest.hexdigest()[:20]}"
    if key not in _found:
        folder = os.environ.get("SFM_SEARCHES")
        _found[key] = make() if folder is None else _from_file(Path(folder) / f"{key}.npz", make)
    return _found[key]


def _from_file(path: Path, make: Callable[[], Arrays]) -> Arrays:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        # Under another name first: who finds the file finds all of it.
        part = path.with_name(f"{os.getpid()}-{path.name}")
        np.savez(part, **make())
        part.replace(path)
    with np.load(path) as file:
        return {name: file[name] for name in file.files}
