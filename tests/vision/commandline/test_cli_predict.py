"""``sfmvision predict``: one row for each image, in order, whatever is in the files."""

import os

import numpy as np
import pytest

from sfmcore.files.model_file import save_model
from sfmvision import SceneClassifier
from sfmvision.commandline.prediction import COLUMNS
from sfmvision.images.reading import read_image

HEADER = "id\tlabel\tconfidence\tstatus\tsecond_label\tsecond_confidence\tpatches\ttypicality\n"
CLASSES = ["blobs", "noise", "stripes"]
LABEL_COLUMNS = ("label", "confidence", "second_label", "second_confidence")


@pytest.fixture
def predict(run, model):
    """Predict by the model of the three classes."""

    def call(*arguments):
        return run("predict", model, *arguments)

    return call


def images_below(folder):
    """All images of a folder in the order of the bytes of their names."""
    suffixes = (".png", ".jpg", ".jpeg", ".gif")
    found = [p for p in folder.rglob("*") if p.suffix in suffixes and "/." not in str(p)]
    return sorted(found, key=lambda path: [os.fsencode(part) for part in path.parts])


# The table


def test_columns_are_fixed_and_each_image_has_a_row_in_order(predict, scenes):
    paths = [scenes / "stripes" / "5.png", scenes / "noise", scenes / "blobs" / "0.png"]
    result = predict(*paths)
    assert result.code == 0
    assert result.out.startswith(HEADER)
    assert tuple(HEADER.rstrip("\n").split("\t")) == COLUMNS
    expected = [paths[0], *(scenes / "noise" / f"{k}.png" for k in range(8)), paths[2]]
    assert [row["id"] for row in result.rows] == list(map(str, expected))
    assert {row["status"] for row in result.rows} == {"ok"}
    assert {row["patches"] for row in result.rows} == {"58"}
    assert result.messages == ["10 rows, 0 without label"]


def test_training_images_get_their_own_label(predict, scenes):
    rows = predict(scenes).rows
    own = [row["id"].split("/")[-2] for row in rows]
    assert len(rows) == 24
    # Measured: all of them.
    assert np.mean([row["label"] == label for row, label in zip(rows, own, strict=True)]) > 0.9


def test_confidences_are_the_two_largest_shares(predict, scenes, model):
    rows = predict(scenes).rows
    classifier = SceneClassifier.load(model)
    paths = [row["id"] for row in rows]
    shares = classifier.predict_proba(paths)
    assert [row["label"] for row in rows] == classifier.predict(paths).tolist()
    second = np.argsort(-shares, axis=1)[:, 1]
    assert [row["second_label"] for row in rows] == classifier.classes_[second].tolist()
    for row, own in zip(rows, np.sort(shares, axis=1), strict=True):
        assert row["confidence"] == f"{own[-1]:.4f}"
        assert row["second_confidence"] == f"{own[-2]:.4f}"


def test_output_file_equals_standard_output(predict, odd, own_scenes, tmp_path):
    shown = predict(own_scenes)
    result = predict(own_scenes, "-o", tmp_path / "out.tsv")
    assert (result.code, result.out) == (0, "")
    assert (tmp_path / "out.tsv").read_bytes() == shown.out.encode()
    assert result.err == shown.err
    assert predict(own_scenes, "-o", "-").out == shown.out


def test_an_image_has_the_same_row_alone_and_among_others(predict, odd, own_scenes):
    together = predict(own_scenes).rows
    for row in together[::5]:
        path = row["id"].replace("tab here", "tab\there")
        assert predict(path).rows == [row]


# What folders hold


def test_odd_files_have_a_row_with_their_status_each(predict, odd, own_scenes):
    result = predict(own_scenes)
    assert result.code == 0
    paths = images_below(own_scenes)
    assert len(paths) == 24 + len(odd)
    assert [row["id"] for row in result.rows] == [str(p).replace("\t", " ") for p in paths]
    for path, row in zip(paths, result.rows, strict=True):
        usable = odd.get(path, "ok") == "ok"
        assert row["status"] == odd.get(path, "ok")
        assert all(bool(row[column]) == usable for column in LABEL_COLUMNS)
        assert row["patches"] == ("0" if path.name == "tiny.png" else "58" if usable else "")


def test_unusable_files_are_all_named_with_their_reason(predict, odd, own_scenes):
    expected = [f"{path}: {odd[path]}" for path in images_below(own_scenes) if path in odd]
    expected = [line for line in expected if not line.endswith(": ok")]
    result = predict(own_scenes)
    assert result.messages == [
        *expected,
        f"{own_scenes}: skipped 1 .txt; 3 hidden",
        f"{24 + len(odd)} rows, 4 without label",
    ]
    # What is wrong is said even then.
    assert predict(own_scenes, "--quiet").messages == result.messages[:-1]


def test_strict_says_by_the_exit_code_that_something_was_left_out(predict, odd, own_scenes, scenes):
    strict = predict(own_scenes, "--strict")
    assert strict.code == 1
    assert strict.out == predict(own_scenes).out
    assert predict(scenes, "--strict").code == 0


def test_a_process_writes_the_table_and_nothing_else(start, model, odd, own_scenes, predict):
    expected = predict(own_scenes)
    process = start("predict", model, own_scenes, environment={"LC_ALL": "C"})
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, expected.out.encode())
    # Not even what the decoders themselves would print.
    assert all(line.startswith(b"sfmvision: ") for line in err.splitlines())
    assert len(err.splitlines()) == len(expected.messages)


def test_the_same_pixels_have_the_same_row_in_any_container(predict, odd, own_scenes, encode):
    for path in (own_scenes / "stripes" / "turned.jpg", own_scenes / "noise" / "deep.png"):
        copy = own_scenes / "copy.png"
        copy.write_bytes(encode(read_image(path), "PNG"))
        row, other = predict(path, copy).rows
        assert {**row, "id": ""} == {**other, "id": ""}


def test_missing_files_have_a_row_too(predict, scenes, tmp_path):
    paths = [tmp_path / "none.png", scenes / "noise" / "1.png", tmp_path / "no" / "where"]
    result = predict(*paths)
    assert result.code == 0
    assert [row["id"] for row in result.rows] == list(map(str, paths))
    missing = "can't be read: No such file or directory"
    assert [row["status"] for row in result.rows] == [missing, "ok", missing]
    assert result.messages[:2] == [f"{path}: {missing}" for path in paths[::2]]
    assert predict(*paths, "--strict").code == 1


def test_names_come_out_as_they_were_given(predict, scenes, monkeypatch):
    monkeypatch.chdir(scenes / "noise")
    given = ["./0.png", "..//noise/1.png", "2.png", ""]
    rows = predict(*given).rows
    assert [row["id"] for row in rows] == given
    assert [row["status"] for row in rows[:3]] == ["ok"] * 3
    assert rows[3]["status"] == "can't be read: No such file or directory"


def test_a_folder_without_an_image_has_a_row(predict, write):
    folder = write("in/notes.txt", "x").parent
    result = predict(folder, "--strict")
    assert result.code == 1
    assert [row["status"] for row in result.rows] == ["a folder without an image that can be read"]
    assert f"{folder}: skipped 1 .txt" in result.messages


def test_other_files_that_are_given_by_name_are_looked_into(predict, scenes, write, model):
    renamed = write("picture.dat", (scenes / "noise" / "0.png").read_bytes())
    result = predict(renamed, model, write("nothing.dat", b""))
    assert [row["status"] for row in result.rows] == ["ok", "not an image", "empty file"]


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no /dev/zero here")
def test_a_file_without_end_is_not_read(predict):
    expected = ["a device or a pipe, not an image file"]
    assert [row["status"] for row in predict("/dev/zero").rows] == expected


def test_names_that_are_not_utf8_come_out_as_text(start, model, scenes, tmp_path):
    folder = os.fsencode(tmp_path / "in")
    os.mkdir(folder)
    content = (scenes / "noise" / "0.png").read_bytes()
    names = [b"a\nb.png", b"caf\xe9.png", "é日.png".encode()]
    try:
        for name in names:
            with open(folder + b"/" + name, "wb") as file:
                file.write(content)
    except OSError:
        pytest.skip("this file system holds UTF-8 names only")
    process = start("predict", model, os.fsdecode(folder), "--quiet", environment={"LC_ALL": "C"})
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert err == b"sfmvision: paths that are not UTF-8 are written with their bytes as \\xNN\n"
    lines = out.decode().splitlines()[1:]
    expected = [f"{os.fsdecode(folder)}/{name}" for name in ("a b.png", r"caf\xe9.png", "é日.png")]
    assert [line.split("\t")[0] for line in lines] == expected
    assert len({line.split("\t", 1)[1] for line in lines}) == 1


def test_a_jpeg_that_is_damaged_inside_is_read_only_if_asked(predict, write, picture, encode):
    data = bytearray(encode(picture("stripes", 1, (96, 96)), "JPEG", quality=95))
    middle = len(data) // 2
    data[middle : middle + 40] = bytes(40)
    path = write("damaged.jpg", bytes(data))
    assert predict(path).rows[0]["status"] == "damaged JPEG: its pixels end before its data"
    assert predict(path, "--allow-truncated").rows[0]["status"] == "ok"


@pytest.mark.parametrize("threads", [1, 2])
def test_a_truncated_jpeg_can_be_read_as_far_as_it_goes(predict, odd, own_scenes, threads):
    cut, whole = own_scenes / "stripes" / "cut.jpg", own_scenes / "noise" / "0.png"
    strict, lenient = (
        predict(cut, whole, "--threads", threads, *options)
        for options in ((), ["--allow-truncated"])
    )
    assert [row["status"] for row in strict.rows] == ["truncated JPEG", "ok"]
    assert [row["status"] for row in lenient.rows] == ["ok", "ok"]
    assert lenient.rows[1] == strict.rows[1]


def test_the_largest_image_can_be_set(predict, run, scenes, model, write, picture, encode):
    small = scenes / "noise" / "0.png"
    large = write("large.png", encode(picture("noise", 1, (50, 57)), "PNG"))
    result = predict(small, large, "--max-pixels", 48 * 56)
    status = "image of 57 x 50 pixels is above max_pixels (2688)"
    assert [row["status"] for row in result.rows] == ["ok", status]
    # Also above what training allowed.
    classifier = SceneClassifier.load(model).set_params(max_pixels=48 * 56)
    classifier.save(strict := write("strict.sfm"))
    assert run("predict", strict, small, large).rows == result.rows
    rows = run("predict", strict, small, large, "--max-pixels", 50 * 57).rows
    assert rows == predict(small, large).rows


@pytest.mark.parametrize("value", ["0", "-1", "1e6", "many"])
def test_an_impossible_largest_image_is_refused(predict, scenes, value):
    result = predict(scenes, f"--max-pixels={value}")
    assert (result.code, result.out) == (2, "")
    assert "argument --max-pixels: must be " in result.err


def test_a_name_makes_no_line_of_its_own_on_standard_error(predict, write):
    path = write("a\nsfmvision: 5 rows,\r\tgood\u2028b/c.png", b"a text")
    shown = str(path).translate(dict.fromkeys(map(ord, "\n\r\t\u2028"), " "))
    assert predict(path).err == (
        f"sfmvision: {shown}: not an image\nsfmvision: 1 rows, 1 without label\n"
    )


# Confidence


def test_below_the_asked_confidence_an_image_is_unclassified(predict, scenes):
    plain = predict(scenes).rows
    limit = float(np.median([float(row["confidence"]) for row in plain]))
    asked = predict(scenes, "--min-confidence", limit, "--strict")
    assert asked.code == 0  # no reason for --strict
    changed = 0
    for before, after in zip(plain, asked.rows, strict=True):
        if after["label"] == "unclassified":
            changed += 1
            assert float(before["confidence"]) <= limit
            status = f"confidence below {limit:g}"
            assert after == {**before, "label": "unclassified", "status": status}
        else:
            assert after == before
            assert float(before["confidence"]) >= limit
    assert 0 < changed < 24


@pytest.mark.parametrize("value", ["1.01", "-0.1", "nan", "high", ""])
def test_an_impossible_confidence_is_refused(predict, scenes, value):
    result = predict(scenes, f"--min-confidence={value}")
    assert (result.code, result.out) == (2, "")
    assert "argument --min-confidence: must lie between 0 and 1" in result.err


# Reproducibility


def test_number_of_threads_changes_no_byte(predict, odd, own_scenes, scenes):
    # More images than a chunk of prediction holds, and bad ones among them.
    inputs = [own_scenes, scenes, own_scenes, scenes / "none.png", scenes]
    one, two, three = (predict(*inputs, "--threads", threads) for threads in (1, 2, 3))
    assert one.out == two.out == three.out
    assert one.err == two.err == three.err
    assert len(one.rows) == 2 * (24 + len(odd)) + 2 * 24 + 1


def test_drawn_votes_do_not_depend_on_the_images_around(run, scenes, small, tmp_path):
    path = tmp_path / "draws.sfm"
    options = ["--preset", "paper", "--set", "max_iter=1", "--set", "n_restarts=0"]
    options += ["--set", "grid=(5,5)", "--set", "max_proposals=5"]
    assert run("train", scenes, "-o", path, *options, *small).code == 0
    rows = run("predict", path, scenes, "--threads", 2).rows
    for row in rows[::7]:
        assert run("predict", path, row["id"]).rows == [row]


# Bad usage


def test_what_is_no_model_is_refused_in_a_sentence(run, scenes, model, write, tmp_path):
    whole = model.read_bytes()
    protein = tmp_path / "protein.sfm"
    save_model(protein, "protein classifier", {}, {})
    for path, reason in (
        (scenes / "noise" / "0.png", "is not a model file of sfm-pacbayes"),
        (tmp_path / "none.sfm", "does not exist"),
        (tmp_path, "is a folder, not a model file"),
        (write("empty.sfm"), "is empty"),
        (write("cut.sfm", whole[: len(whole) // 2]), "is cut short or changed"),
        (protein, "holds a protein classifier, not a scene classifier"),
    ):
        result = run("predict", path, scenes)
        assert (result.code, result.out) == (2, "")
        assert len(result.messages) == 1
        assert str(path) in result.messages[0]
        assert reason in result.messages[0]


def test_a_model_and_a_path_are_required(run, model):
    assert run("predict").code == 2
    result = run("predict", model)
    assert result.code == 2
    assert "required: PATH" in result.err


def test_an_output_that_cannot_be_written_is_refused(predict, scenes, tmp_path):
    for output, reason in (
        (tmp_path / "no" / "out.tsv", "No such file or directory"),
        (tmp_path, "Is a directory"),
    ):
        result = predict(scenes, "-o", output)
        assert (result.code, result.messages) == (2, [f"{output}: {reason}"])


def test_an_output_that_is_an_input_is_refused(run, own_scenes, model, tmp_path):
    image, own_model = own_scenes / "noise" / "0.png", tmp_path / "m.sfm"
    own_model.write_bytes(model.read_bytes())
    other = tmp_path / "other.tsv"
    other.symlink_to(image)
    for output in (image, own_model, other):
        before = output.read_bytes()
        result = run("predict", own_model, own_scenes, "-o", output)
        reason = f"{output}: this output would overwrite an input: give another name"
        assert (result.code, result.messages) == (2, [reason])
        assert output.read_bytes() == before


def test_a_reader_that_goes_away_is_no_error(start, model):
    # 3,000 rows are more than a pipe holds.
    process = start("predict", model, *(f"none{k}.png" for k in range(3000)), "--quiet")
    assert process.stdout.readline() == HEADER.encode()
    process.stdout.close()
    err = process.stderr.read()
    assert (process.wait(timeout=60), err) == (141, b"")


def test_a_model_lowers_the_limit_of_pixels_and_does_not_lift_it(
    run, model, scenes, tmp_path, monkeypatch
):
    image = sorted(scenes.rglob("*.png"))[0]
    lifted = tmp_path / "lifted.sfm"
    SceneClassifier.load(model).set_params(max_pixels=10**9).save(lifted)
    monkeypatch.setattr("sfmvision.commandline.reading.MAX_PIXELS", 10)
    (row,) = run("predict", lifted, image).rows
    assert row["status"].endswith("is above max_pixels (10)")
    (row,) = run("predict", lifted, image, "--max-pixels", 10**6).rows
    assert row["status"] == "ok"


def test_a_path_of_odd_bytes_gives_a_row_of_text(run, model, scenes, tmp_path):
    image = sorted(scenes.rglob("*.png"))[0]
    odd = os.fsdecode(os.path.join(os.fsencode(tmp_path), b"caf\xe9\x1b[31m\tred.png"))
    os.link(image, odd)
    result = run("predict", model, odd)
    (row,) = result.rows
    assert row["status"] == "ok"
    assert row["id"].endswith("caf\\xe9 [31m red.png")
    result.out.encode()
