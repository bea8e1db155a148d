"""The documentation site: its pages hang together, its gallery is sound, and it builds."""

import ast
import importlib
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from textwrap import dedent

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
GALLERY = sorted((DOCS / "gallery").glob("*.py"))
PAGES = sorted([*DOCS.glob("*.md"), *DOCS.glob("results/*.md")])
TABLE = re.compile(r"^(?:`{3,}|:{3,})\{toctree\}\n(.*?)^(?:`{3,}|:{3,})$", re.M | re.S)
FENCE = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)


@pytest.fixture
def extension(monkeypatch):
    """A module of docs/_ext, which Sphinx and its libraries run (the extra `docs`)."""
    for library in ("docutils", "sphinx"):
        pytest.importorskip(library)
    monkeypatch.syspath_prepend(str(DOCS / "_ext"))
    return importlib.import_module


def links(text: str) -> list[str]:
    """Targets of the links of a Markdown text that stay in the repository."""
    return re.findall(r"\[[^\]\n]*\]\((?!https?:|mailto:)([^)\s]+)\)", FENCE.sub("", text))


def anchors(text: str) -> set[str]:
    """Anchors of the headings, as GitHub and MyST make them."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", heading).strip().lower()
        found.add(re.sub(r"[^\w\- ]", "", plain).replace(" ", "-"))
    return found


@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
def test_an_example_compiles_and_says_what_it_is_about(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    title, underline, empty, *prose = (ast.get_docstring(tree) or "").splitlines()
    assert set(underline) == {"="}
    assert len(underline) == len(title)
    assert empty == ""
    assert len(" ".join(prose)) > 100
    # Prose stands in blocks of comments between the blocks of code.
    assert path.read_text(encoding="utf-8").count("\n# %%\n") >= 4


def test_the_gallery_is_numbered_in_the_order_of_reading():
    assert [path.stem.split("_")[1] for path in GALLERY] == [
        f"{number:02}" for number in range(1, len(GALLERY) + 1)
    ]
    assert len(GALLERY) >= 10


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_links_of_a_page_lead_to_a_file_and_an_anchor(path):
    for target in links(path.read_text(encoding="utf-8")):
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        if "auto_gallery" in target:  # made of the gallery's scripts
            assert (DOCS / "gallery" / f"{file.stem}.py").exists() or file.name == "index", target
            continue
        if not file.suffix:  # a page without its suffix, or a page of the reference
            file = next((file.with_suffix(end) for end in (".md", ".rst")
                         if file.with_suffix(end).exists()), file)  # fmt: skip
        assert file.exists(), target
        if anchor and file.suffix == ".md":
            assert anchor in anchors(file.read_text(encoding="utf-8")), target


def test_every_page_is_reached_from_the_first_one(extension):
    filled = extension("every_page").filled
    reached, coming = set(), {"index"}
    while coming:
        page = coming.pop()
        reached.add(page)
        path = DOCS / f"{page}.md"
        if not path.exists():
            assert page.startswith(("auto_gallery/", "api/")), page
            continue
        text = filled(path.read_text(encoding="utf-8"), path.parent, path.stem)
        for table in TABLE.findall(text):
            for line in table.splitlines():
                name = re.sub(r".*<(.*)>", r"\1", line.strip())
                if name and not name.startswith(":"):
                    assert not name.startswith(("?", "*"))
                    coming.add(str(Path(page).parent / name))
        coming -= reached
    pages = {path.relative_to(DOCS).with_suffix("").as_posix() for path in PAGES}
    assert pages <= reached


def test_a_new_page_is_listed_once_and_a_missing_one_left_out(extension, tmp_path):
    filled = extension("every_page").filled
    for name in ("index", "guide", "first", "new"):
        (tmp_path / f"{name}.md").write_text(f"# {name}\n")
    (tmp_path / "index.md").write_text("```{toctree}\nGuide <guide>\nfirst\n```\n")
    made = filled("* kept\n\n```{toctree}\n?missing\n?new\n*\n```\n", tmp_path, "guide")
    assert made == "* kept\n\n```{toctree}\nnew\nnew\n```\n"
    (tmp_path / "guide.md").write_text("```{toctree}\n?missing\n?new\n*\n```\n")
    assert filled("```{toctree}\n?new\n*\n```", tmp_path, "guide") == "```{toctree}\nnew\n```"


def test_links_out_of_the_folder_become_pages_or_plain_words(extension):
    rewritten = extension("repository_links").rewritten
    text = "[a](../CONTRIBUTING.md#rules) [b](../setup.py) [c](theory.md) [d](../nothing.md)\n"
    expected = "[a](contributing.md#rules) b [c](theory.md) [d](../nothing.md)\n"
    assert rewritten(text, "docs", ROOT) == expected
    assert rewritten(f"```\n{text}```\n", "docs", ROOT) == f"```\n{text}```\n"
    assert rewritten("[a](../../CHANGELOG.md)", "docs/results", ROOT) == "[a](../changelog.md)"


def test_dead_links_and_anchors_are_found(extension, tmp_path):
    check = extension("internal_links").check
    (tmp_path / "folder").mkdir()
    (tmp_path / "index.html").write_text(
        '<a href="folder/b.html#here">1</a><a href="#top">2</a><h1 id="top">3</h1>'
        '<a href="folder/b.html#there">4</a><img src="none.png"><a href="https://x.org/">5</a>'
    )
    (tmp_path / "folder" / "b.html").write_text('<p id="here"><a href="../index.html">up</a>')
    dead, external, n_internal = check(tmp_path)
    assert n_internal == 5
    assert [sentence.split(" links to ")[1] for sentence in dead] == [
        "folder/b.html#there, and there is no such anchor",
        "none.png, which does not exist",
    ]
    assert external == {"https://x.org/": {"index.html"}}


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("e^-C ≤ ½", r"e^{-C} \le \tfrac{1}{2}"),
        ("|u - u₀|² / (2m)", r"|u - u_{0}|^{2} / (2m)"),
        ("R(B_Q) ≤ min over θ", r"R(B_{Q}) \le \ \text{min over}\ θ"),
        ("√(2 π_k) φ\N{COMBINING MACRON}", r"\sqrt{2 π_{k}} \overline{φ}"),
        ("P_w₁w₂(disagree)", r"P_{w_{1}w_{2}}(\text{disagree})"),
        ("kl⁻¹(a | b)    or    c", r"\text{kl}^{-1}(a | b)\qquad \text{or}\qquad c"),
    ],
)
def test_equations_in_plain_text_become_formulas(extension, text, tex):
    assert re.sub(" +", " ", extension("equations").to_tex(text)) == tex


def test_equations_of_the_theory_are_numbered_without_gaps_and_can_be_typeset(extension):
    pytest.importorskip("docutils")
    mathml = extension("mathml").mathml
    text = (DOCS / "theory.md").read_text(encoding="utf-8")
    numbers = []
    for block in re.findall(r"(?:^    .*\S.*\n)+", text, re.M):
        for formula, number in extension("equations").equations(dedent(block)):
            assert mathml(formula, display=True).startswith("<math")
            numbers += [] if number is None else [number]
    whole = sorted({int(re.sub("[a-z]", "", number)) for number in numbers})
    assert len(numbers) == len(set(numbers))
    assert whole == list(range(1, whole[-1] + 1))
    assert whole[-1] >= 34


def test_the_reference_names_what_can_be_imported_and_all_that_packages_export():
    named = set()
    for path in (DOCS / "api").glob("*.rst"):
        text = path.read_text(encoding="utf-8")
        named |= set(re.findall(r"^   (sfm\w+\.[\w.]+)$", text, re.M))
    assert len(named) > 60
    for name in named:
        home, _, own = name.rpartition(".")
        assert hasattr(importlib.import_module(home), own), name
    packages = ("sfmcore", "sfmbio", "sfmvision", "sfmcore.baselines", "sfmcore.plots")
    exported = {
        f"{package}.{name}"
        for package in packages
        for name in importlib.import_module(package).__all__
        if not name.startswith("_")
    }
    assert exported <= named


def test_the_extra_installs_what_the_configuration_names(monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("PYTHONPATH", "")
    configuration = runpy.run_path(str(DOCS / "conf.py"))
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = {re.split(r"[><=]", one)[0] for one in extras["optional-dependencies"]["docs"]}
    distributions = {
        "myst_parser": "myst-parser",
        "numpydoc": "numpydoc",
        "sphinx": "sphinx",
        "sphinx_design": "sphinx-design",
        "sphinx_gallery": "sphinx-gallery",
    }
    own = {path.stem for path in (DOCS / "_ext").glob("*.py")}
    theirs = {one.split(".")[0] for one in configuration["extensions"]} - own
    assert {distributions[name] for name in theirs} <= wanted
    assert configuration["html_theme"].replace("_", "-") in wanted
    assert own < set(configuration["extensions"])


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A copy of the documentation beside links to the packages."""
    pytest.importorskip("sphinx_gallery")
    pytest.importorskip("pydata_sphinx_theme")
    folder = tmp_path_factory.mktemp("site")
    made_here = shutil.ignore_patterns("auto_gallery", "generated")
    shutil.copytree(DOCS, folder / "docs", ignore=made_here)
    for name in ("sfmcore", "sfmbio", "sfmvision", "data"):
        (folder / name).symlink_to(ROOT / name)
    for name in ("CONTRIBUTING.md", "CHANGELOG.md"):
        shutil.copy(ROOT / name, folder)
    return folder


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    """Build the site, without running the gallery."""
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-D", "plot_gallery=0"]
    return subprocess.run(
        [*command, "-b", "html", "docs", "site"], cwd=folder, capture_output=True, text=True
    )


# Half a minute: a hundred pages of reference.
@pytest.mark.slow
def test_the_site_builds_without_a_warning_and_a_dead_link_fails_it(copied):
    ended = build(copied)
    assert ended.returncode == 0, ended.stderr
    assert len(list((copied / "site").rglob("*.html"))) > 120
    assert "eq-12c" in (copied / "site" / "theory.html").read_text(encoding="utf-8")
    (copied / "docs" / "added.md").write_text("# Added\n\n[dead](formats.md#no-such-part)\n")
    ended = build(copied)
    assert ended.returncode != 0
    assert "no-such-part" in ended.stderr
    # Nobody had to put the new page into a table.
    assert "isn't included in any toctree" not in ended.stderr
