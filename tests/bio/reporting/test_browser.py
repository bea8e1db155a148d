"""Pages of the programs in a headless browser: width, console, accessibility.

They need the extra `browser` and a Chromium: one on the path, that of SFM_CHROMIUM, or Playwright's
own (``playwright install chromium``).
"""

import pytest

from benchmarks.screenshots.browser import NoBrowserError, browser, look_at

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

BAD = """<!doctype html><html lang="en"><head><title>bad</title></head><body><main><h1>Bad</h1>
<p style="color:#ccc;background:#fff">pale</p><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">
<div style="width:5000px">wide</div><script>console.error("broken"); fetch("http://127.0.0.1:9/x")
</script></main></body></html>"""


@pytest.fixture(scope="module")
def running():
    try:
        with browser() as made:
            yield made
    except NoBrowserError as error:
        pytest.skip(str(error))


@pytest.fixture
def look(running):
    def call(path, width):
        try:
            return look_at(running, path, width)
        except NoBrowserError as error:
            pytest.skip(str(error))

    return call


def test_what_is_wrong_is_found(look, write):
    seen = look(write("bad.html", BAD), 400)
    assert "the page" in seen.too_wide
    assert "the page" in seen.off_paper
    assert any("broken" in message for message in seen.messages)
    assert any("asked for http://127.0.0.1:9/x" in message for message in seen.messages)
    rules = {violation.split(" ")[0] for violation in seen.violations}
    assert {"color-contrast", "image-alt"} <= rules


def check(look, path):
    for width in (1280, 400):
        seen = look(path, width)
        assert seen.too_wide == []
        assert seen.off_paper == []
        assert seen.messages == []
        assert seen.violations == []


def test_the_page_of_an_evaluation_can_be_read_by_all(look, run, small, peptides, tmp_path):
    page = tmp_path / "page.html"
    arguments = ["--partitions", 2, "--learning-curve", "--report", page]
    assert run("evaluate", peptides, *arguments, *small).code == 0
    check(look, page)


def test_the_page_of_a_training_can_be_read_by_all(look, run, small, peptides, tmp_path):
    page = tmp_path / "page.html"
    arguments = ["-o", tmp_path / "a.sfm", "--certify", 0.5, "--report", page]
    assert run("train", peptides, *arguments, *small).code == 0
    check(look, page)


def test_the_page_of_reasons_can_be_read_by_all(look, run, model, peptides, tmp_path):
    page = tmp_path / "page.html"
    first = peptides / "antimicrobial.fasta"
    arguments = ["-o", tmp_path / "a.tsv", "--html", page, "--first", 5]
    assert run("explain", model, first, *arguments).code == 0
    check(look, page)


def test_long_names_do_not_widen_a_page(look, run, small, write, tmp_path):
    page = tmp_path / "page.html"
    for kind, letters in (("a" * 120, "AVLIAVLLIVAVL"), ("<b>" * 30, "KDEKRDEKKDER")):
        records = "".join(f">{kind}{k}\n{letters}{letters[:k]}\n" for k in range(8))
        write(f"in/{kind}.fasta", records)
    labels = write(
        "labels.tsv",
        "id\tlabel\n"
        + "".join(
            f"{kind}{k}\t{'odd' * 40 if k % 2 else 'even'}\n"
            for kind in ("a" * 120, "<b>" * 30)
            for k in range(8)
        ),
    )
    arguments = ["--labels", labels, "--folds", 2, "--report", page]
    assert run("evaluate", tmp_path / "in", *arguments, *small).code == 0
    check(look, page)
