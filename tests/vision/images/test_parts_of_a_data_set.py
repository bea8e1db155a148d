"""A tree of parts, one level above its classes, is not taken for classes."""

import pytest

from sfmvision.images.errors import FolderError
from sfmvision.images.folders import scan


def make(root, *names):
    for name in names:
        path = root / name / "1.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    return root


@pytest.mark.parametrize(
    ("folders", "words"),
    [
        (["train/cat", "train/dog", "val/cat", "val/dog"], "'train' and 'val' look like parts of"),
        (
            ["Train/cat", "TEST/cat"],
            "'TEST' and 'Train' look like parts of a data set, not classes",
        ),
        (["cat", "dog", "test"], "'test' looks like a part of a data set, not classes: move it"),
        (["cat", "dog", "val", "holdout"], "'holdout' and 'val' look like parts.*: move them"),
        (
            ["2019/cat", "2019/dog", "2020/cat", "2020/dog"],
            r"folders of the same names \('cat', 'd",
        ),
    ],
)
def test_what_looks_like_parts_is_refused_with_the_way_out(tmp_path, folders, words):
    make(tmp_path, *folders)
    with pytest.raises(FolderError, match=words) as caught:
        scan(tmp_path)
    assert "or say --these-are-classes" in str(caught.value)
    classes = sorted({name.split("/")[0] for name in folders})
    assert sorted(scan(tmp_path, any_names=True).classes) == classes


@pytest.mark.parametrize(
    "folders",
    [
        ["cat/a", "cat/b", "dog/a", "dog/c"],
        ["cat/a", "dog/a"],
        ["cat", "dog", "trained"],
    ],
)
def test_other_trees_are_classes(tmp_path, folders):
    make(tmp_path, *folders)
    assert scan(tmp_path).classes == tuple(sorted({name.split("/")[0] for name in folders}))


def test_names_and_counts_are_said_of_few_classes_and_sizes_of_many(tmp_path):
    make(tmp_path, "cat", "dog")
    assert scan(tmp_path).summary() == "2 images of 2 classes: cat 1, dog 1"
    make(tmp_path, *(f"class{number}" for number in range(300)))
    assert scan(tmp_path).summary() == "302 images of 302 classes: 1 of each"
