"""What the README prints is what the commands print."""

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the example data, as the tutorial's reader has it."""
    shutil.copytree(ROOT / "data", tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    # The console script of the environment that runs the tests.
    bin_folder = str(Path(sys.executable).parent)
    monkeypatch.setenv("PATH", bin_folder + os.pathsep + os.environ["PATH"])
    return tmp_path


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.M | re.S)


def steps() -> list[tuple[str, str]]:
    """Every command of the tutorial with the output printed below it."""
    found = []
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def normalised(text: str) -> str:
    text = re.sub(r"in \d+\.\d s", "in some s", text)
    text = re.sub(r"^written with .*", "written with versions", text, flags=re.M)
    return re.sub(r" +", " ", text)


def assert_alike(printed: str, real: str) -> None:
    """Same words; numbers may differ a little between processors, times and versions at will."""
    printed, real = (normalised(text) for text in (printed, real))
    assert NUMBER.sub("#", printed) == NUMBER.sub("#", real)
    for ours, theirs in zip(NUMBER.findall(printed), NUMBER.findall(real), strict=True):
        tolerance = 1.0 if abs(float(ours)) > 1 else 0.2
        assert float(ours) == pytest.approx(float(theirs), abs=tolerance if "." in ours else 0)


class Alike(doctest.OutputChecker):
    """Takes numbers that differ a little for equal, as :func:`assert_alike` does."""

    def check_output(self, want, got, optionflags):
        if super().check_output(want, got, optionflags):
            return True
        try:
            assert_alike(want, got)
        except AssertionError:
            return False
        return True


# Half a minute of whole commands, which would take the default suite over its five minutes.
@pytest.mark.slow
def test_commands_of_the_tutorial_print_what_the_readme_says(folder):
    assert len(steps()) >= 6
    for command, output in steps():
        result = subprocess.run(
            ["bash", "-c", command], capture_output=True, text=True, encoding="utf-8", check=False
        )
        assert result.returncode == 0, (command, result.stderr)
        assert_alike(output, result.stdout + result.stderr)


def test_table_of_the_install_command_is_what_it_prints(folder):
    (install,) = re.findall(r"<!-- install -->\n```sh\n(.*?)\n```\n<!-- end -->", README)
    command = install.split("&&")[-1].strip()
    assert command == "sfmbio evaluate data/peptides"
    result = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, encoding="utf-8", check=True
    )
    table = blocks("text")[0]
    assert_alike(table, result.stdout)


def test_python_of_the_readme_runs(folder):
    names = {}
    for number, block in enumerate(blocks("python")):
        # A block knows what the blocks before it made, as for a reader who types them.
        test = doctest.DocTestParser().get_doctest(block, names, f"README {number}", "README.md", 0)
        assert test.examples
        result = doctest.DocTestRunner(checker=Alike()).run(test, clear_globs=False)
        names = test.globs
        assert result.failed == 0


def test_links_of_the_readme_lead_somewhere():
    targets = re.findall(r"\]\((?!https?:)([^)#]+)\)", README)
    assert targets
    for target in targets:
        assert (ROOT / target).exists(), target
