"""Folders as they come: with leftovers of other programs, empty classes, links and odd names."""

import os
from pathlib import Path

import pytest

from sfmvision.images.errors import FolderError, InputError
from sfmvision.images.folders import Folder, duplicates, expand, scan
from sfmvision.images.reading import read_image


def below(root: Path, paths) -> list[str]:
    return [path.relative_to(root).as_posix() for path in paths]


def link(place: Path, target: Path) -> None:
    try:
        place.symlink_to(target)
    except OSError:
        pytest.skip("no links here")


def test_a_class_is_a_folder_and_all_is_sorted(write, tmp_path):
    names = ["street/b.jpg", "coast/z.png", "coast/Z.png", "coast/day/1.jpg", "coast/10.jpg"]
    for name in names:
        write(name)
    folder = scan(tmp_path)
    assert below(tmp_path, folder.images) == [
        *("coast/10.jpg", "coast/Z.png", "coast/day/1.jpg", "coast/z.png", "street/b.jpg")
    ]
    assert folder.labels == ("coast",) * 4 + ("street",)
    assert folder.classes == ("coast", "street")
    assert folder.summary() == "5 images of 2 classes: coast 4, street 1"
    assert folder.messages() == []


def test_the_order_is_that_of_the_bytes(write, tmp_path):
    for name in ["b/é.jpg", "b/z.jpg", "B/1.jpg", "b/\U0001f600.jpg", "b/\uff01.jpg"]:
        write(name)
    expected = ["B/1.jpg", "b/z.jpg", "b/é.jpg", "b/\uff01.jpg", "b/\U0001f600.jpg"]
    assert below(tmp_path, scan(tmp_path).images) == expected


def test_leftovers_of_other_programs_are_hidden(write, tmp_path):
    write("coast/a.jpg")
    for name in [
        *(".DS_Store", ".ipynb_checkpoints/a.jpg", "__MACOSX/coast/._a.jpg", "Thumbs.db"),
        *("coast/.DS_Store", "coast/.ipynb_checkpoints/a-checkpoint.jpg", "coast/._a.jpg"),
        *("coast/thumbs.db", "coast/desktop.ini", "coast/@eaDir/a.jpg/SYNOPHOTO_THUMB.jpg"),
    ]:
        write(name)
    folder = scan(tmp_path)
    assert folder.labels == ("coast",)
    assert folder.hidden == 10
    assert folder.summary() == "1 image of 1 class: coast 1; 10 hidden"


def test_the_case_of_a_suffix_does_not_matter(write, tmp_path):
    names = ["a/1.JPG", "a/2.jpeg", "a/3.WebP", "a/4.TIFF", "a/5.jfif", "a/6.Png"]
    for name in names:
        write(name)
    assert below(tmp_path, scan(tmp_path).images) == names


def test_other_files_are_counted_by_suffix(write, tmp_path):
    for name in ["README.txt", "a/1.jpg", "a/2.txt", "a/sub/3.TXT", "a/labels", "b/4.heic"]:
        write(name)
    folder = scan(tmp_path)
    assert folder.skipped == {".txt": 3, "": 1, ".heic": 1}
    assert folder.empty == ("b",)
    assert folder.summary() == (
        "1 image of 1 class: a 1; skipped 3 .txt, 1 .heic, 1 without suffix; empty: b"
    )
    assert folder.messages() == ["class 'b' has no image"]


def test_many_suffixes_are_not_all_listed(write, tmp_path):
    write("a/1.jpg")
    for number in range(20):
        write(f"a/x.{number:02}")
    assert scan(tmp_path).summary().endswith("1 .06, 1 .07, 12 others")


def test_images_without_a_class_are_counted(write, tmp_path):
    for name in ["1.jpg", "2.png", "a/3.jpg"]:
        write(name)
    folder = scan(tmp_path)
    assert folder.unlabelled == 2
    assert folder.summary() == "1 image of 1 class: a 1; 2 images in no class"
    assert folder.messages() == ["2 images lie outside the class folders and can't be used"]


def test_a_label_fits_into_a_table(write, tmp_path):
    write("tall\tbuilding \n s/a.jpg")
    write("the sea  été/b.jpg")
    assert scan(tmp_path).labels == ("tall building s", "the sea été")


@pytest.mark.parametrize(
    ("one", "other"), [("b", "b "), (" b", "b"), ("a  b", "a b"), ("a\tb", "a\nb")]
)
def test_classes_that_differ_only_in_white_space_are_refused(write, tmp_path, one, other):
    write(f"{one}/1.jpg")
    write(f"{other}/2.jpg")
    write("c/3.jpg")
    with pytest.raises(FolderError) as caught:
        scan(tmp_path)
    names = f"{one!r} and {other!r}"
    reason = f"the class folders {names} differ only in white space: rename one"
    assert str(caught.value) == f"{tmp_path}: {reason}"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ([], "no class folder, and 0 images without a class"),
        (["1.jpg", ".hidden/2.jpg"], "no class folder, and 1 image without a class"),
        (["a/1.txt", "b/2.txt", "b/3"], "no image in 2 class folders: skipped 2 .txt, 1 without"),
        (["a/.DS_Store"], "no image in 1 class folder: no other file"),
    ],
)
def test_a_folder_without_classes_is_an_error_at_once(write, tmp_path, files, expected):
    for name in files:
        write(name)
    with pytest.raises(FolderError) as caught:
        scan(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path}: {expected}")


def test_what_is_not_a_folder_is_an_error(write, tmp_path):
    with pytest.raises(InputError, match=r"absent: no such folder"):
        scan(tmp_path / "absent")
    with pytest.raises(InputError, match=r"a\.jpg: not a folder"):
        scan(write("a.jpg"))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads anything")
def test_a_folder_without_permission(write, tmp_path):
    write("a/1.jpg")
    closed = write("a/closed/2.jpg").parent
    closed.chmod(0)
    try:
        with pytest.raises(FolderError) as caught:
            scan(tmp_path)
        assert caught.value.path == str(closed)
        assert expand([tmp_path]) == [tmp_path / "a/1.jpg", closed]
    finally:
        closed.chmod(0o700)


def test_links_are_followed_but_in_no_circle(write, tmp_path):
    root = tmp_path / "root"
    write("root/a/1.jpg")
    write("elsewhere/2.jpg")
    link(root / "a/back", root / "a")
    link(root / "a/up", root)
    link(root / "a/self", root / "a/self")
    link(root / "b", tmp_path / "elsewhere")
    folder = scan(root)
    assert below(root, folder.images) == ["a/1.jpg", "b/2.jpg"]
    assert folder.labels == ("a", "b")
    assert below(root, expand([root])) == ["a/1.jpg", "b/2.jpg"]


def test_a_broken_link_to_an_image_is_not_lost(write, tmp_path):
    write("a/1.jpg")
    link(tmp_path / "a/2.jpg", tmp_path / "absent.jpg")
    assert below(tmp_path, scan(tmp_path).images) == ["a/1.jpg", "a/2.jpg"]
    with pytest.raises(InputError, match=r"2\.jpg: can't be read: No such file"):
        read_image(tmp_path / "a/2.jpg")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_no_image(write, tmp_path):
    write("a/1.jpg")
    os.mkfifo(tmp_path / "a/2.jpg")
    assert scan(tmp_path).skipped == {".jpg": 1}


def test_a_name_that_is_not_unicode_is_listed(write, tmp_path):
    write("a/1.jpg")
    name = os.fsdecode(b"\xff.jpg")
    try:
        write(f"a/{name}")
    except OSError:
        pytest.skip("this file system takes only Unicode")
    assert scan(tmp_path).images == (tmp_path / "a/1.jpg", tmp_path / "a" / name)


# What a prediction reads


def test_every_path_that_is_given_has_a_row(write, tmp_path):
    text, image = write("notes.txt"), write("z.jpg")
    absent, hidden = tmp_path / "absent.jpg", write(".hidden.jpg")
    given = [image, text, absent, hidden, image]
    assert expand(given) == given
    names = [str(path) for path in given]
    assert expand(names) == names


def test_a_folder_gives_its_images_at_any_depth(write, tmp_path):
    for name in ["b.jpg", "a/2.JPG", "a/b/1.png", "a/notes.txt", "a/.DS_Store", "z.tif"]:
        write(name)
    notes: list[str] = []
    listed = expand([tmp_path / "z.tif", tmp_path], notes)
    assert below(tmp_path, listed) == ["z.tif", "a/2.JPG", "a/b/1.png", "b.jpg", "z.tif"]
    assert notes == [f"{tmp_path}: skipped 1 .txt; 1 hidden"]


def test_a_folder_without_an_image_keeps_its_row(write, tmp_path):
    write("a/notes.txt")
    assert expand([tmp_path / "a"]) == [tmp_path / "a"]
    with pytest.raises(InputError, match="a folder without an image that can be read"):
        read_image(tmp_path / "a")


# The same image under two labels


def test_the_same_bytes_under_two_labels_are_found(write, tmp_path):
    write("coast/1.jpg", b"same")
    write("coast/2.jpg", b"same")
    write("street/3.jpg", b"same")
    write("street/4.jpg", b"size")
    write("coast/5.jpg", b"twice")
    write("coast/6.jpg", b"twice")
    write("coast/7.jpg", b"")
    write("street/8.jpg", b"")
    groups = [below(tmp_path, group) for group in duplicates(scan(tmp_path))]
    assert groups == [["coast/1.jpg", "coast/2.jpg", "street/3.jpg"]]


def test_only_files_whose_sizes_clash_are_read(write, tmp_path, monkeypatch):
    write("coast/1.jpg", b"one")
    write("street/2.jpg", b"another")
    folder = scan(tmp_path)
    monkeypatch.setattr("sfmvision.images.folders._digest", None)
    assert duplicates(folder) == []


def test_a_file_that_vanished_is_no_duplicate(tmp_path):
    paths = (tmp_path / "a/1.jpg", tmp_path / "b/2.jpg")
    assert duplicates(Folder(paths, ("a", "b"))) == []
