"""Benchmarks: ``speed`` against peers, ``tables`` of the paper, ``certificate``, ``reasons``."""

import os
from pathlib import Path


def data_folder() -> Path:
    """Folder of the big data sets: the environment variable SFM_DATA, or ../shared/data."""
    return Path(os.environ.get("SFM_DATA", "../shared/data"))
