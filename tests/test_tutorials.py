"""What the README and the tutorials print is what the commands print."""

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = (
    "README.md",
    "docs/proteins.md",
    "docs/images.md",
    "docs/vectors.md",
    "docs/testing.md",
)
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


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text_of(page), flags=re.M | re.S)


def steps(page: str) -> list[tuple[str, str]]:
    """Every command of a page with the output printed below it."""
    found = []
    for block in blocks(page, "console"):
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
@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "console")])
def test_commands_print_what_the_page_says(folder, page):
    assert len(steps(page)) >= 2
    for command, output in steps(page):
        result = subprocess.run(
            ["bash", "-c", command], capture_output=True, text=True, encoding="utf-8", check=False
        )
        assert result.returncode == 0, (command, result.stderr)
        assert_alike(output, result.stdout + result.stderr)


# The README's own command, on all the peptides twenty times.
@pytest.mark.slow
def test_table_of_the_install_command_is_what_it_prints(folder):
    readme = text_of("README.md")
    (install,) = re.findall(r"<!-- install -->\n```sh\n(.*?)\n```\n<!-- end -->", readme)
    command = install.split("&&")[-1].strip()
    assert command == "sfmbio evaluate data/peptides"
    result = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, encoding="utf-8", check=True
    )
    assert_alike(blocks("README.md", "text")[0], result.stdout)


# The pages' own fits, on their own data.
@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")])
def test_python_of_the_page_runs(folder, page):
    if 'load("peptides.sfm")' in blocks(page, "python")[0]:
        # Made by the commands above it.
        subprocess.run(
            ["sfmbio", "train", "data/peptides", "-o", "peptides.sfm", "--quiet"], check=True
        )
    names = {}
    for number, block in enumerate(blocks(page, "python")):
        # A block knows what the blocks before it made, as for a reader who types them.
        name = f"{page} {number}"
        test = doctest.DocTestParser().get_doctest(block, names, name, page, 0)
        assert test.examples
        result = doctest.DocTestRunner(checker=Alike()).run(test, clear_globs=False)
        names = test.globs
        assert result.failed == 0


def anchors_of(page: Path) -> set[str]:
    """Anchors that a page's headings have on the usual forges."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\((?!https?:)([^)#]+)(?:#([^)]+))?\)", text_of(page))
    assert links
    for target, anchor in links:
        path = (ROOT / page).parent / target
        assert path.exists(), target
        assert not anchor or anchor in anchors_of(path), anchor
