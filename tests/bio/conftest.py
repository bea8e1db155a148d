"""Where the real data is, for the tests of this folder."""

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def proteins() -> Path:
    """The folder of the real protein files, which the repository does not hold."""
    given = os.environ.get("SFM_DATA", "../shared/data")
    folder = REPOSITORY / given / "proteins"
    if not folder.is_dir():
        pytest.skip(f"no data at {given}")
    return folder
