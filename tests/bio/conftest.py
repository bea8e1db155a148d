"""Where the real data is, and ways to run the command line, for the tests of this folder."""

import io
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from sfmbio.cli import main

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def proteins() -> Path:
    """The folder of the real protein files, which the repository does not hold."""
    given = os.environ.get("SFM_DATA", "../shared/data")
    folder = REPOSITORY / given / "proteins"
    if not folder.is_dir():
        pytest.skip(f"no data at {given}")
    return folder


@dataclass
class Outcome:
    """What a command left behind: its exit code, and both of its streams."""

    code: int
    out: str
    err: str

    @property
    def rows(self) -> list[dict[str, str]]:
        """The table on standard output."""
        return table_rows(self.out)

    @property
    def messages(self) -> list[str]:
        """The lines on standard error without the program's name, which each must begin with."""
        lines = self.err.splitlines()
        assert all(line.startswith("sfmbio: ") for line in lines), self.err
        return [line.removeprefix("sfmbio: ") for line in lines]


def table_rows(text: str) -> list[dict[str, str]]:
    header, *lines = text.split("\n")
    assert lines.pop() == "", "the table's last line has no end"
    columns = header.split("\t")
    return [dict(zip(columns, line.split("\t"), strict=True)) for line in lines]


@pytest.fixture(scope="session")
def peptides() -> Path:
    """The folder of the example data: 206 peptides of each of three classes."""
    return REPOSITORY / "data" / "peptides"


@pytest.fixture(scope="session")
def small() -> list[str]:
    """Options that make training fast: what is learnt matters little here."""
    return ["--states", "2", "--set", "n_init=1", "--set", "em_max_iter=8"]


@pytest.fixture
def run(capsys, monkeypatch):
    """Call the command line in this process."""

    def call(*arguments: object, stdin: bytes = b"") -> Outcome:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as stop:  # argparse
            code = stop.code
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return Outcome(code, out, err)

    return call


@pytest.fixture(scope="session")
def start():
    """Start the command line as a process of its own, with bytes on all its streams."""

    def call(
        *arguments: object, environment: dict[str, str] | None = None, closed: int = -1, **streams
    ) -> subprocess.Popen:
        def prepare() -> None:
            # Ctrl-C reaches a process only where it is not ignored, as under some test runners.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            if closed >= 0:
                os.close(closed)

        return subprocess.Popen(
            [sys.executable, "-m", "sfmbio", *map(str, arguments)],
            # Unbuffered, output that fails would fail at once and not at the end.
            env={
                **{k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"},
                "PYTHONPATH": str(REPOSITORY),
                **(environment or {}),
            },
            preexec_fn=prepare,
            **{**dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE), **streams},
        )

    return call


@pytest.fixture(scope="session")
def model(tmp_path_factory, peptides, small) -> Path:
    """A model file of the three classes of peptides."""
    path = tmp_path_factory.mktemp("model") / "peptides.sfm"
    assert main(["train", str(peptides), "-o", str(path), "--quiet", *small]) == 0
    return path


@pytest.fixture
def write(tmp_path):
    """Write a file into the test's own folder."""

    def call(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return call


@pytest.fixture
def two_classes(write) -> Path:
    """A folder with two files of four sequences, one file for each class."""
    greasy = ("AVLIAVLLIVAVL", "LLAVIVALLIAV", "VVLAILLA", "ILVLAVLIAAV")
    charged = ("KDEKRDEKKDER", "EKDRKKEDEKRD", "RRDEKEKD", "DKEKRDEEK")
    for label, sequences in (("greasy", greasy), ("charged", charged)):
        records = [f">{label[0]}{number}\n{text}\n" for number, text in enumerate(sequences, 1)]
        path = write(f"two/{label}.fasta", "".join(records))
    return path.parent
