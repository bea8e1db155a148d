"""Makes the benchmarks importable: they lie beside the packages and are not installed."""

import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]

# At the end, so that everything that is installed still comes from where it is installed.
sys.path.append(str(REPOSITORY))


@pytest.fixture
def uci(monkeypatch):
    """The folder of the UCI files, which the repository does not hold."""
    from benchmarks import data_folder

    folder = REPOSITORY / data_folder()
    if not (folder / "uci").is_dir():
        pytest.skip(f"no UCI files at {folder}: set SFM_DATA to the folder that holds uci")
    monkeypatch.setenv("SFM_DATA", str(folder))
    return folder / "uci"
