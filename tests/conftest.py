"""Ways to run a command line and to write files, for the tests of all domains."""

import importlib
import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

# Read where OpenMP's library is loaded, so set before. With a process of tests on every core,
# threads that wait in a loop for each other keep those cores from the threads that they wait for,
# and a small model takes six times as long. No result depends on it.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

from sfmcore.kernels import _simd

REPOSITORY = Path(__file__).parents[1]


@dataclass
class Outcome:
    """What a command left behind: its exit code, and both of its streams."""

    code: int
    out: str
    err: str
    program: str

    @property
    def rows(self) -> list[dict[str, str]]:
        """The table on standard output."""
        header, *lines = self.out.split("\n")
        assert lines.pop() == "", "the table's last line has no end"
        columns = header.split("\t")
        return [dict(zip(columns, line.split("\t"), strict=True)) for line in lines]

    @property
    def messages(self) -> list[str]:
        """The lines on standard error without the program's name, which each must begin with."""
        start, lines = f"{self.program}: ", self.err.splitlines()
        assert all(line.startswith(start) for line in lines), self.err
        return [line.removeprefix(start) for line in lines]


@pytest.fixture(scope="session")
def in_width() -> Callable[[int], AbstractContextManager[None]]:
    """Let kernels use vectors of at most so many bits: ``with in_width(256): ...``."""

    @contextmanager
    def limited(bits: int) -> Iterator[None]:
        before = _simd.limit_width(bits)
        try:
            yield
        finally:
            _simd.limit_width(before)

    return limited


@pytest.fixture(scope="session")
def package() -> str:
    """The package whose command line is meant; each domain's folder names its own."""
    raise NotImplementedError


@pytest.fixture
def run(capsys, monkeypatch, package) -> Callable[..., Outcome]:
    """Call the command line in this process."""
    main = importlib.import_module(f"{package}.commandline.cli").main

    def call(*arguments: object, stdin: bytes = b"") -> Outcome:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as stop:  # argparse
            code = stop.code
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return Outcome(code, out, err, package)

    return call


# Not for the session, which would keep the first folder's package for all.
@pytest.fixture
def start(package) -> Callable[..., subprocess.Popen]:
    """Start the command line as a process of its own, with bytes on all its streams."""

    def call(
        *arguments: object, environment: dict[str, str] | None = None, closed: int = -1, **streams
    ) -> subprocess.Popen:
        def prepare() -> None:
            # These reach a process only where they are not ignored, as under some test runners and
            # under nohup.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            signal.signal(signal.SIGHUP, signal.SIG_DFL)
            if closed >= 0:
                os.close(closed)

        return subprocess.Popen(
            [sys.executable, "-m", package, *map(str, arguments)],
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


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a file below the test's own folder, and the folders on the way."""

    def call(name: str, content: str | bytes = b"") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return call
