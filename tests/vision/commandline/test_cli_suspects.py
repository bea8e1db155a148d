"""``sfmvision suspects``: what is suspect in a folder of images."""

import json
import shutil

import cv2
import numpy as np
import pytest

from sfmcore.commandline.suspects import COLUMNS


@pytest.fixture
def search(run, own_scenes, small):
    def call(*more):
        return run("suspects", own_scenes, "--folds", "2", *small, *more)

    return call


def test_a_copy_in_another_folder_is_a_conflict(search, own_scenes):
    shutil.copy(own_scenes / "noise" / "3.png", own_scenes / "stripes" / "copy.png")
    result = search()
    assert result.code == 0
    assert result.out.split("\n")[0].split("\t") == list(COLUMNS)
    rows = {row["id"]: row for row in result.rows}
    one, other = (str(own_scenes / name) for name in ("stripes/copy.png", "noise/3.png"))
    assert "conflict" in rows[one]["reason"].split(",")
    assert (rows[one]["other"], rows[one]["other_label"]) == (other, "noise")
    assert rows[other]["other"] == one
    assert any("images are suspect" in line for line in result.messages)


def test_a_brighter_and_smaller_copy_is_one_too(search, own_scenes):
    # A larger picture, since the small copies that are compared have 16 rows and columns.
    small = np.random.default_rng(0).integers(0, 200, (9, 9, 3)).astype(np.uint8)
    whole = cv2.resize(small, (192, 192), interpolation=cv2.INTER_CUBIC)
    half = cv2.resize(whole, (96, 96), interpolation=cv2.INTER_AREA)
    cv2.imwrite(str(own_scenes / "blobs" / "whole.png"), whole)
    cv2.imwrite(str(own_scenes / "stripes" / "half.png"), half + 20)
    found = {row["id"]: row["other"] for row in search().rows if row["other"]}
    one, other = (str(own_scenes / name) for name in ("blobs/whole.png", "stripes/half.png"))
    assert found == {one: other, other: one}


def test_all_lists_every_image_and_the_unusable_ones_last(search, own_scenes, tmp_path):
    (own_scenes / "noise" / "text.jpg").write_bytes(b"a text")
    report = tmp_path / "out.json"
    result = search("--all", "--json", report)
    assert result.code == 0
    assert len(result.rows) == 25
    last = result.rows[-1]
    assert last["id"] == str(own_scenes / "noise" / "text.jpg")
    assert (last["status"], last["label"]) == ("not an image", "")
    assert any("text.jpg" in line for line in result.messages)
    assert json.loads(report.read_text())["n_items"] == 24
    assert search("--strict").code == 1


def test_an_image_in_the_wrong_folder_comes_first(search, own_scenes):
    (own_scenes / "stripes" / "0.png").rename(own_scenes / "noise" / "stray.png")
    rows = search("--all").rows
    assert rows[0]["id"] == str(own_scenes / "noise" / "stray.png")
    assert rows[0]["suggested"] == "stripes"


def test_a_name_with_control_characters_stays_in_its_field(search, own_scenes):
    (own_scenes / "noise" / "0.png").rename(own_scenes / "noise" / "a\tb\x1b[31m.png")
    result = search("--all")
    assert len(result.rows) == 24
    assert any(row["id"].endswith("a b [31m.png") for row in result.rows)
    assert "\x1b" not in result.out + result.err


def test_a_class_smaller_than_the_folds_is_named(run, own_scenes, small):
    result = run("suspects", own_scenes, "--folds", "9", *small)
    assert result.code == 2
    assert result.messages[-1] == (
        "fewer images than --folds 9 in 3 classes: blobs 8, noise 8, stripes 8; lower --folds, or "
        "leave out classes of one"
    )


def test_one_class_only_is_refused(search, own_scenes):
    for name in ("noise", "stripes"):
        shutil.rmtree(own_scenes / name)
    result = search()
    assert result.code == 2
    assert "only one class, 'blobs'" in result.messages[-1]


def test_an_output_that_is_an_image_is_refused(search, own_scenes):
    result = search("-o", own_scenes / "noise" / "0.png")
    assert result.code == 2
    assert "would overwrite an input" in result.messages[-1]
