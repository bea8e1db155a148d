"""Pages of ``sfmvision`` in a headless browser; see ``tests/bio/reporting/test_browser.py``."""

import pytest

from benchmarks.screenshots.browser import NoBrowserError, browser, look_at

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")


def test_the_page_of_an_evaluation_can_be_read_by_all(run, small, own_scenes, tmp_path):
    page = tmp_path / "page.html"
    # Some mistakes to look at.
    for number in range(4):
        (own_scenes / "noise" / f"{number}.png").rename(own_scenes / "blobs" / f"n{number}.png")
    arguments = ["--partitions", 2, "--report", page]
    assert run("evaluate", own_scenes, *arguments, *small).code == 0
    assert "image/jpeg" in page.read_text()
    check(page)


def test_the_page_of_reasons_can_be_read_by_all(run, model, scenes, tmp_path):
    page = tmp_path / "page.html"
    paths = sorted(scenes.rglob("*.png"))[:3]
    assert run("explain", model, *paths, "-o", tmp_path / "a.tsv", "--html", page).code == 0
    check(page)


def check(page):
    try:
        with browser() as running:
            looks = [look_at(running, page, width) for width in (1280, 400)]
    except NoBrowserError as error:
        pytest.skip(str(error))
    for seen in looks:
        assert (seen.too_wide, seen.off_paper, seen.messages, seen.violations) == ([], [], [], [])
