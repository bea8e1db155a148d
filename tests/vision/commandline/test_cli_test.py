"""``sfmvision test``: a saved model on folders of labelled images."""

import json
from pathlib import Path

import pandas as pd
import pytest
from sklearn import metrics

from sfmvision.commandline import prediction

CLASSES = ["blobs", "noise", "stripes"]
GOLDEN = Path(__file__).parents[2] / "golden" / "models"


@pytest.fixture(scope="module")
def fresh(tmp_path_factory, picture, encode):
    """Images of the three classes that the model has not seen."""
    folder = tmp_path_factory.mktemp("fresh")
    for kind in CLASSES:
        (folder / kind).mkdir()
        for number in range(40, 45):
            (folder / kind / f"{number}.png").write_bytes(encode(picture(kind, number), "PNG"))
    return folder


@pytest.fixture
def own_fresh(fresh, tmp_path):
    """A copy of the folder that a test may change."""
    for path in fresh.rglob("*.png"):
        copy = tmp_path / "fresh" / path.relative_to(fresh)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    return tmp_path / "fresh"


@pytest.fixture
def test_of(run, tmp_path):
    """Run the command; its outcome and its JSON."""

    def call(*arguments, code=0):
        path = tmp_path / "test.json"
        result = run("test", *arguments, "--json", path)
        assert result.code == code, result.err
        return result, json.loads(path.read_text())

    return call


def test_figures_are_those_of_the_table_of_predict(run, test_of, model, fresh):
    _, found = test_of(model, fresh)
    table = pd.DataFrame(run("predict", model, fresh).rows)
    truth = table["id"].str.split("/").str[-2]
    expected = metrics.confusion_matrix(truth, table["label"], labels=CLASSES)
    assert found["confusion"] == expected.tolist()
    assert found["measures"]["macro_f1"] == pytest.approx(
        metrics.f1_score(truth, table["label"], average="macro")
    )
    assert found["reliability"]["mean_confidence"] == pytest.approx(
        table["confidence"].astype(float).mean(), abs=1e-4
    )
    assert found["certificate"]["classes"][0]["n_items"] == 15


def test_neither_threads_nor_chunks_change_anything(test_of, model, fresh, monkeypatch):
    _, one = test_of(model, fresh, "--threads", 1)
    monkeypatch.setattr("sfmvision.commandline.testing.CHUNK", 2)
    assert prediction.CHUNK == 8
    _, many = test_of(model, fresh, "--threads", 3)
    assert one == many


def test_images_of_training_are_named_and_prove_nothing(test_of, model, scenes, own_fresh):
    again = own_fresh / "noise" / "again.png"
    again.write_bytes((scenes / "noise" / "3.png").read_bytes())
    result, found = test_of(model, own_fresh)
    assert found["known"]["items"] == [{"id": str(again), "learnt_from": True}]
    assert (
        "1 image equals a training image, which flatters all figures except the bound (see "
        f"--drop-known): {again}"
    ) in result.messages
    assert found["certificate"]["classes"][0]["n_items"] == 15
    _, dropped = test_of(model, own_fresh, "--drop-known")
    assert dropped["n_items"] == 15
    assert dropped["certificate"] == found["certificate"]


def test_odd_images_are_named_and_counted(test_of, model, odd, own_scenes):
    result, found = test_of(model, own_scenes, "--strict", code=1)
    bad = [path for path, status in odd.items() if status != "ok"]
    assert found["left_out"]["unusable"] == len(bad)
    for path in bad:
        assert any(message.startswith(f"{path}: {odd[path]}") for message in result.messages)
    assert found["n_items"] == 24 + len(odd) - len(bad)


def test_a_truncated_image_is_read_if_told(test_of, model, own_fresh, picture, encode):
    photo = encode(picture("stripes", 50), "JPEG")
    (own_fresh / "stripes" / "cut.jpg").write_bytes(photo[: len(photo) // 2])
    _, found = test_of(model, own_fresh)
    assert found["left_out"]["unusable"] == 1
    _, found = test_of(model, own_fresh, "--allow-truncated")
    assert found["left_out"]["unusable"] == 0
    _, found = test_of(model, own_fresh, "--max-pixels", 48 * 56)
    assert found["n_items"] == 15


def test_unknown_classes_are_counted_and_left_out(test_of, model, own_fresh):
    (own_fresh / "noise").rename(own_fresh / "static")
    result, found = test_of(model, own_fresh, "--strict", code=1)
    assert found["left_out"]["unknown_labels"] == {"static": 5}
    assert found["n_items"] == 10
    assert (
        "5 images have labels that the model does not know, and are left out: 'static' 5"
        in result.messages
    )


def test_only_unknown_classes_are_refused(run, model, tmp_path, picture, encode):
    folder = tmp_path / "others" / "static"
    folder.mkdir(parents=True)
    (folder / "a.png").write_bytes(encode(picture("noise", 60), "PNG"))
    result = run("test", model, folder.parent)
    assert (result.code, result.out) == (2, "")
    assert result.messages[-1] == (
        f"{model}: knows none of the labels of the input, which are 'static' 1; it knows 'blobs', "
        "'noise', 'stripes'"
    )


def test_one_class_shows_what_is_not_defined(test_of, model, own_fresh):
    for kind in CLASSES[1:]:
        for path in (own_fresh / kind).iterdir():
            path.unlink()
        (own_fresh / kind).rmdir()
    result, found = test_of(model, own_fresh)
    assert found["measures"]["auroc"] is None
    assert any(message.startswith("all labels are of one class") for message in result.messages)


def test_nothing_to_test_is_refused(run, model, own_fresh, tmp_path):
    (tmp_path / "empty").mkdir()
    assert run("test", model, tmp_path / "empty").code == 2
    for path in own_fresh.rglob("*.png"):
        path.write_bytes(b"")
    result = run("test", model, own_fresh)
    assert (result.code, result.out) == (2, "")
    assert result.messages[-1] == f"{own_fresh}: no usable image"


def test_control_characters_reach_no_line(run, model, own_fresh):
    (own_fresh / "blobs" / "40.png").rename(own_fresh / "blobs" / "a\x1b[31m\nproved.png")
    (own_fresh / "noise").rename(own_fresh / "sta\x1b[31mtic")
    result = run("test", model, own_fresh)
    assert result.code == 0
    assert "\x1b" not in result.out + result.err


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*scenes*.sfm")), ids=lambda path: path.stem)
def test_models_of_every_format_are_tested(test_of, model, tmp_path, picture, encode, path):
    from sfmvision import SceneClassifier

    version = int(path.stem.split("_")[0].removeprefix("format"))
    folder = tmp_path / "tiles"
    for number, label in enumerate(SceneClassifier.load(path).classes_.tolist()):
        (folder / str(label)).mkdir(parents=True)
        image = encode(picture(CLASSES[number % 3], number, (64, 64)), "PNG")
        (folder / str(label) / "a.png").write_bytes(image)
    result, found = test_of(path, folder)
    assert found["known"]["checked"] is (version >= 9)
    trusting = any("does not know what it was trained on" in own for own in result.messages)
    assert trusting is (version < 9)
