"""Where the real data is, and small data to train on, for the tests of this folder."""

import os
from pathlib import Path

import pytest

from sfmbio.commandline.cli import main

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def proteins() -> Path:
    """The folder of the real protein files, which the repository does not hold."""
    given = os.environ.get("SFM_DATA", "../shared/data")
    folder = REPOSITORY / given / "proteins"
    if not folder.is_dir():
        pytest.skip(f"no data at {given}")
    return folder


@pytest.fixture(scope="session")
def package() -> str:
    return "sfmbio"


@pytest.fixture(scope="session")
def all_peptides() -> Path:
    """The folder of the example data: 206 peptides of each of three classes."""
    return REPOSITORY / "data" / "peptides"


@pytest.fixture(scope="session")
def peptides(tmp_path_factory, all_peptides) -> Path:
    """A folder with the first 40 peptides of each class, which a command reads in a moment."""
    folder = tmp_path_factory.mktemp("data") / "peptides"
    folder.mkdir()
    for path in all_peptides.glob("*.fasta"):
        records = path.read_text(encoding="ascii").split(">")[1:41]
        (folder / path.name).write_text("".join(f">{record}" for record in records))
    return folder


@pytest.fixture(scope="session")
def small() -> list[str]:
    """Options that make training fast: what is learnt matters little here."""
    settings = ["n_init=1", "em_max_iter=8", "n_pairs=2", "n_landmarks=100"]
    return ["--states", "2", *(text for setting in settings for text in ("--set", setting))]


@pytest.fixture(scope="session")
def model(tmp_path_factory, peptides, small) -> Path:
    """A model file of the three classes of peptides."""
    path = tmp_path_factory.mktemp("model") / "peptides.sfm"
    assert main(["train", str(peptides), "-o", str(path), "--quiet", *small]) == 0
    return path


@pytest.fixture
def two_classes(write) -> Path:
    """A folder with two files of four sequences, one file for each class."""
    greasy = ("AVLIAVLLIVAVL", "LLAVIVALLIAV", "VVLAILLA", "ILVLAVLIAAV")
    charged = ("KDEKRDEKKDER", "EKDRKKEDEKRD", "RRDEKEKD", "DKEKRDEEK")
    for label, sequences in (("greasy", greasy), ("charged", charged)):
        records = [f">{label[0]}{number}\n{text}\n" for number, text in enumerate(sequences, 1)]
        path = write(f"two/{label}.fasta", "".join(records))
    return path.parent
