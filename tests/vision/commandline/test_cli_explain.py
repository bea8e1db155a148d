"""``sfmvision explain``: a row for every patch, and pictures."""

import base64
import io
import re
from collections import defaultdict

import numpy as np
import pytest
from PIL import Image

from sfmvision import SceneClassifier
from sfmvision.commandline.explaining import COLUMNS


@pytest.fixture
def files(scenes, tmp_path):
    """Two images with a file between them that is none."""
    good = sorted(scenes.rglob("*.png"))[:2]
    bad = tmp_path / "bad.png"
    bad.write_text("no image")
    return good[0], bad, good[1]


def test_rows_add_up_to_the_score_and_bad_images_have_one(run, model, files):
    result = run("explain", model, *files)
    assert result.code == 0
    assert result.out.splitlines()[0].split("\t") == list(COLUMNS)
    rows = defaultdict(list)
    for row in result.rows:
        rows[row["id"]].append(row)
    assert list(rows) == [str(path) for path in files]
    assert [row["status"] for row in rows[str(files[1])]] == ["not an image"]
    found = SceneClassifier.load(model).explain([str(files[0]), str(files[2])])
    for place, path in enumerate((files[0], files[2])):
        own = rows[str(path)]
        total = sum(float(row["evidence"]) for row in own)
        assert total == pytest.approx(found.score[place], abs=1e-5)
        assert {row["label"] for row in own} == {found.label[place]}
        assert [int(row["patch"]) for row in own][3:] == list(range(1, len(found[place]) + 1))


def test_pictures_are_drawn(run, model, files, tmp_path):
    result = run("explain", model, *files, "--overlay", tmp_path / "drawn", "-o", tmp_path / "t")
    assert result.code == 0
    names = sorted(path.name for path in (tmp_path / "drawn").iterdir())
    assert names == [f"0001_{files[0].stem}.png", f"0003_{files[2].stem}.png"]
    drawn = np.asarray(Image.open(tmp_path / "drawn" / names[0]))
    assert drawn.ndim == 3


def test_rows_do_not_depend_on_threads(run, model, files):
    one, three = (run("explain", model, files[0], "--threads", n) for n in (1, 3))
    assert one.out == three.out


def test_strict_counts_what_has_no_reasons(run, model, files):
    assert run("explain", model, *files, "--strict").code == 1


def test_a_page_shows_images_with_their_evidence(run, model, files, tmp_path):
    page = tmp_path / "page.html"
    result = run("explain", model, *files, "--html", page)
    assert result.code == 0
    assert result.out == run("explain", model, *files).out
    html = page.read_text()
    assert "3 images. The second picture" in html
    sections = re.findall(r"<section><h2>(.*?)</h2>(.*?)</section>", html, re.S)
    assert [name for name, _ in sections] == [str(path) for path in files]
    assert sections[1][1] == "<p>not classified: not an image</p>"
    found = SceneClassifier.load(model).explain([str(files[0]), str(files[2])])
    for place, (name, body) in enumerate((sections[0], sections[2])):
        label, runner_up, score = re.search(
            r"<strong>(\w+)</strong> against (\w+): score ([\d.]+)", body
        ).groups()
        assert (label, runner_up) == (found.label[place], found.runner_up[place])
        assert float(score) == pytest.approx(found.score[place], abs=5e-4)
        sums = [float(text) for text in re.findall(r'class="n">([+-][\d.]+)<', body)]
        assert sum(sums) == pytest.approx(found.score[place], abs=5e-3)
        pictures = re.findall(r'<img src="data:image/jpeg;base64,([^"]+)" alt="([^"]+)">', body)
        assert [alt for _, alt in pictures] == [
            f"The image {name}",
            f"Where it speaks for {label}, and where for {runner_up}",
        ]
        for data, _ in pictures:
            assert Image.open(io.BytesIO(base64.b64decode(data))).size == (56, 48)


def test_a_page_of_the_first_images_counts_the_others(run, model, scenes, tmp_path):
    page = tmp_path / "page.html"
    paths = sorted(scenes.rglob("*.png"))[:10]
    assert run("explain", model, *paths, "--html", page, "--first", 3).code == 0
    html = page.read_text()
    assert "The first 3 of 10 images are shown" in html
    assert html.count("<section>") == 3


def test_names_on_the_page_are_escaped(run, model, files, tmp_path):
    page, evil = tmp_path / "page.html", tmp_path / '<b onload="x">&.png'
    evil.write_bytes(files[0].read_bytes())
    assert run("explain", model, evil, "--html", page).code == 0
    html = page.read_text()
    assert "<b " not in html
    assert html.count("&lt;b onload=&quot;x&quot;&gt;&amp;.png") == 2  # heading and alt text


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--html", "-"], "--html '-': give a file name"),
        (["--html", ""], "--html '': give a file name"),
        (["-o", "a", "--html", "a"], "a: is given to both -o and --html"),
    ],
)
def test_a_page_needs_a_file_of_its_own(
    run, model, files, tmp_path, monkeypatch, options, sentence
):
    monkeypatch.chdir(tmp_path)
    result = run("explain", model, *files, *options)
    assert (result.code, result.messages) == (2, [sentence])


def test_a_page_overwrites_no_image(run, model, files):
    before = files[0].read_bytes()
    assert run("explain", model, *files, "--html", files[0]).code == 2
    assert files[0].read_bytes() == before
