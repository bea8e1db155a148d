"""What docs/testing.md prints is what the commands print."""

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_readme import Alike, assert_alike

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the example data, and a program of this checkout."""
    shutil.copytree(ROOT / "data", tmp_path / "data")
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "sfmbio"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sfmbio "$@"\n')
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


# Ten seconds of whole commands.
@pytest.mark.slow
def test_commands_print_what_the_page_says(folder):
    (block,) = re.findall(r"^```console\n(.*?)^```", PAGE, flags=re.M | re.S)
    parts = re.split(r"^\$ ", block, flags=re.M)[1:]
    assert len(parts) == 4
    for part in parts:
        command, _, output = part.partition("\n")
        result = subprocess.run(
            ["bash", "-c", command], capture_output=True, text=True, encoding="utf-8", check=False
        )
        assert result.returncode == 0, (command, result.stderr)
        assert_alike(output, result.stdout + result.stderr)
    assert (folder / "test.json").is_file()


def test_python_of_the_page_runs():
    (block,) = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.M | re.S)
    test = doctest.DocTestParser().get_doctest(block, {}, "testing.md", "testing.md", 0)
    assert test.examples
    assert doctest.DocTestRunner(checker=Alike()).run(test).failed == 0


def test_links_of_the_page_lead_somewhere():
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", PAGE)
    assert targets
    for target in targets:
        assert (ROOT / "docs" / target).exists(), target
