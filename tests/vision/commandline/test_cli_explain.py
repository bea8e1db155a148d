"""``sfmvision explain``: a row for every patch, and pictures."""

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
