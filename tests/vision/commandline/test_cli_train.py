"""``sfmvision train``: odd folders, threads and caches, what is refused, what is left behind."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from sfmcore.version import __version__
from sfmvision import SceneClassifier
from sfmvision.preparation import ScenePreparation

PAPER = ["--preset", "paper", "--set", "grid=(5,5)", "--set", "max_iter=2"]
PAPER += ["--set", "max_proposals=5", "--set", "n_restarts=1"]
PRESETS = pytest.mark.parametrize("preset", [[], PAPER], ids=["best", "paper"])

GIVE = "give a folder that holds one folder of images for each class"


@pytest.fixture
def output(tmp_path):
    return tmp_path / "out.sfm"


@pytest.fixture
def train(run, output, small):
    """Train into the test's own folder."""

    def call(*arguments, output=output):
        return run("train", *small, *arguments, "-o", output)

    return call


@pytest.fixture
def no_work(monkeypatch):
    """Fail the test if an image is described: what is wrong must be said before."""

    def refuse(*_, **__):
        raise AssertionError("the work began before the refusal")

    monkeypatch.setattr(ScenePreparation, "describer", refuse)


def in_a_new_process(models, images):
    """Shares of the images by each model file, from a process that trained none of them."""
    code = (
        "import json, sys; from sfmvision import SceneClassifier; "
        "models, images = json.load(sys.stdin); "
        "shares = [SceneClassifier.load(path).predict_proba(images) for path in models]; "
        "json.dump([own.tolist() for own in shares], sys.stdout)"
    )
    found = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
        input=json.dumps([list(map(str, models)), list(map(str, images))]),
        capture_output=True,
        text=True,
        check=True,
    )
    return np.array(json.loads(found.stdout))


def test_a_folder_gives_one_class_for_each_folder_in_it(train, scenes, output):
    result = train(scenes)
    assert (result.code, result.out) == (0, "")
    assert result.messages[0] == f"{scenes}: 24 images of 3 classes: blobs 8, noise 8, stripes 8"
    assert result.messages[-1].endswith(f"; wrote {output}")
    assert SceneClassifier.load(output).classes_.tolist() == ["blobs", "noise", "stripes"]
    assert train(scenes, "--quiet").messages == []


def test_odd_files_are_left_out_by_name_and_the_others_are_learnt(train, odd, own_scenes, output):
    result = train(own_scenes)
    assert (result.code, result.out) == (0, "")
    unusable = {f"{path}: {status}" for path, status in odd.items() if status != "ok"}
    assert {line for line in result.messages if line.startswith(f"{own_scenes}/")} == unusable
    assert result.messages[:2] == [
        "warning: class 'empty' has no image",
        f"{own_scenes}: 36 images of 3 classes: blobs 11, noise 13, stripes 12; "
        "skipped 1 .txt; 3 hidden; empty: empty",
    ]
    assert "32 images used, 4 left out" in result.messages
    model = SceneClassifier.load(output)
    assert model.classes_.tolist() == ["blobs", "noise", "stripes"]
    usable = [path for path, status in odd.items() if status == "ok"]
    # Measured: all of them, the uniform one included.
    assert model.score(usable, [path.parent.name for path in usable]) > 0.7
    assert train(own_scenes, "--strict").code == 1


def test_training_by_the_command_is_training_by_the_estimator(train, scenes, output):
    train(scenes, "--seed", 4)
    paths = sorted(scenes.rglob("*.png"))
    levels = ((1, 1), (2, 2), (4, 4))
    model = SceneClassifier(
        n_words=8, n_topics=3, n_sweeps=10, n_gaussians=4, levels=levels, random_state=4
    )
    model.fit(paths, [path.parent.name for path in paths])
    model.save(output.with_suffix(".other"))
    assert output.with_suffix(".other").read_bytes() == output.read_bytes()


def test_names_of_classes_may_be_any_text(train, own_scenes, output):
    (own_scenes / "blobs").rename(own_scenes / "été 日本")
    (own_scenes / "noise").rename(own_scenes / "two  words")
    assert train(own_scenes).code == 0
    assert SceneClassifier.load(output).classes_.tolist() == ["stripes", "two words", "été 日本"]


# Reproducibility


@PRESETS
def test_threads_and_caches_change_no_byte(train, scenes, tmp_path, preset):
    cache = tmp_path / "kept here"
    for name, options in (
        ("one", ["--threads", 1]),
        ("two", ["--threads", 2]),
        ("cached", ["--threads", 2, "--cache", cache]),
        ("cached again", ["--threads", 1, "--cache", cache]),
    ):
        assert train(scenes, *preset, *options, output=tmp_path / name).code == 0
    first = (tmp_path / "one").read_bytes()
    for name in ("two", "cached", "cached again"):
        assert (tmp_path / name).read_bytes() == first
    assert sum(path.is_file() for path in cache.rglob("*")) == 24


def test_the_cache_serves_the_second_run(train, scenes, tmp_path, monkeypatch):
    assert train(scenes, "--cache", tmp_path / "cache").code == 0

    def make(*_):
        raise AssertionError("made again")

    monkeypatch.setattr("sfmvision.descriptors.dense_sift.DenseSIFT.compute", make)
    assert train(scenes, "--cache", tmp_path / "cache").code == 0


def test_more_images_than_memory_is_given_to_change_no_byte(train, scenes, tmp_path, monkeypatch):
    assert train(scenes, output=tmp_path / "memory").code == 0
    monkeypatch.setattr("sfmvision.descriptors.encoding._FEW", 0)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    assert train(scenes, output=tmp_path / "folder").code == 0
    assert (tmp_path / "folder").read_bytes() == (tmp_path / "memory").read_bytes()
    assert list((tmp_path / "temporary").iterdir()) == []


def test_the_cache_is_no_part_of_the_model(train, run, scenes, output, tmp_path):
    train(scenes, "--cache", tmp_path / "kept here")
    assert b"kept here" not in output.read_bytes()
    shutil.rmtree(tmp_path / "kept here")
    result = run("predict", output, scenes)
    assert (result.code, len(result.rows)) == (0, 24)
    assert not (tmp_path / "kept here").exists()


def test_a_cache_that_cannot_be_written_is_warned_of_once(train, scenes, write):
    file = write("a file")
    result = train(scenes, "--cache", file)
    assert result.code == 0
    warned = [line for line in result.messages if line.startswith("warning: ")]
    assert warned == [f"warning: no descriptors are kept in {file}: Not a directory"]


def test_what_is_refused_is_not_taken_from_a_cache(train, odd, own_scenes, tmp_path):
    (cut,) = (path for path, status in odd.items() if status == "truncated JPEG")
    cached = [own_scenes, "--cache", tmp_path / "cache"]
    lenient = train(*cached, "--set", "allow_truncated=True")
    assert not any(line.startswith(str(cut)) for line in lenient.messages)
    assert f"{cut}: truncated JPEG" in train(*cached).messages
    assert "0 images used, 36 left out" in train(*cached, "--set", "max_pixels=100").messages


def test_same_seed_gives_the_same_file_and_another_seed_does_not(train, scenes, tmp_path):
    for name, seed in (("a", 7), ("b", 7), ("c", 8)):
        assert train(scenes, "--seed", seed, output=tmp_path / name).code == 0
    a, b, c = ((tmp_path / name).read_bytes() for name in "abc")
    assert a == b != c


@pytest.mark.slow
def test_a_new_process_predicts_the_same_bits(train, scenes, tmp_path):
    models = [tmp_path / "best", tmp_path / "paper"]
    for path, preset in zip(models, ([], PAPER), strict=True):
        assert train(scenes, *preset, output=path).code == 0
    images = sorted(scenes.rglob("*.png"))
    expected = [SceneClassifier.load(path).predict_proba(images) for path in models]
    assert np.array_equal(in_a_new_process(models, images), expected)
    assert not np.array_equal(*expected)


# Further images, and a certificate


def test_unlabeled_images_enter_training(train, scenes, odd, own_scenes, output, tmp_path):
    train(scenes)
    other = tmp_path / "other.sfm"
    result = train(scenes, "--unlabeled", own_scenes / "noise", output=other)
    assert result.code == 0
    assert "11 images without label" in result.messages
    assert f"{own_scenes / 'noise' / 'tiny.png'}: too small for a patch" in result.messages
    assert f"{own_scenes / 'noise'}: skipped 1 .txt; 2 hidden" in result.messages
    one, two = (SceneClassifier.load(path) for path in (output, other))
    assert one.classes_.tolist() == two.classes_.tolist()
    assert not np.array_equal(one.pairs_[0].u, two.pairs_[0].u)
    result = train(scenes, "--unlabeled", own_scenes / "noise", "--strict", output=other)
    assert result.code == 1


def test_unlabeled_images_of_which_none_can_be_used_are_refused(train, scenes, output, tmp_path):
    result = train(scenes, "--unlabeled", tmp_path / "none.png", tmp_path)
    assert result.code == 2
    assert f"{tmp_path / 'none.png'}: can't be read: No such file or directory" in result.messages
    assert result.messages[-1] == "--unlabeled: no usable image"
    assert not output.exists()


def test_training_says_its_certificate(train, run, scenes, output):
    result = train(scenes, "--certify", "0.5")
    assert (result.code, result.out) == (0, "")
    start = "certificate on 12 images that nothing was learnt from"
    assert sum(line.startswith(start) for line in result.messages) == 1
    report = SceneClassifier.load(output).certificate_
    assert report.certificates[0].n_items == 12
    assert start in run("info", output).out
    again = output.with_suffix(".two")
    assert train(scenes, "--certify", "0.5", "--threads", 2, output=again).code == 0
    assert again.read_bytes() == output.read_bytes()


# Folders that can't be learnt from


def test_one_class_only_is_refused(train, own_scenes, output):
    shutil.rmtree(own_scenes / "noise")
    shutil.rmtree(own_scenes / "blobs")
    result = train(own_scenes)
    assert result.code == 2
    assert result.messages[-1] == (
        f"{own_scenes}: only one class, 'stripes': give at least two folders of images"
    )
    assert not output.exists()


def test_a_class_whose_images_are_all_unusable_is_no_class(train, own_scenes):
    shutil.rmtree(own_scenes / "noise")
    for path in (own_scenes / "blobs").iterdir():
        path.write_bytes(b"")
    result = train(own_scenes)
    assert result.code == 2
    assert sum(line.endswith(": empty file") for line in result.messages) == 8
    assert "only one class, 'stripes'" in result.messages[-1]
    for path in (own_scenes / "stripes").iterdir():
        path.write_bytes(b"")
    result = train(own_scenes)
    assert result.code == 2
    assert result.messages[-1].startswith(f"{own_scenes}: no usable image: ")


def test_a_class_with_one_image_is_warned_of_and_learnt(train, own_scenes, output):
    (own_scenes / "single").mkdir()
    (own_scenes / "noise" / "0.png").rename(own_scenes / "single" / "0.png")
    result = train(own_scenes)
    assert result.code == 0
    assert "warning: class 'single' has only one image" in result.messages
    assert SceneClassifier.load(output).classes_.tolist()[2] == "single"


def test_the_same_image_under_two_labels_is_warned_of(train, own_scenes):
    shutil.copy(own_scenes / "noise" / "0.png", own_scenes / "blobs" / "z.png")
    result = train(own_scenes)
    assert result.code == 0
    names = f"{own_scenes / 'blobs' / 'z.png'}, {own_scenes / 'noise' / '0.png'}"
    assert f"warning: the same image under several labels: {names}" in result.messages


def test_images_without_contrast_are_refused(train, write, encode, output):
    for number in range(4):
        content = encode(np.full((48, 48), 60 * number, np.uint8), "PNG")
        folder = write(f"in/{'ab'[number % 2]}/{number}.png", content).parents[1]
    result = train(folder)
    assert result.code == 2
    assert result.messages[-1] == "no patch of any image has contrast: there is no word to learn"


@pytest.mark.parametrize("command", ["train", "evaluate"])
def test_what_is_no_folder_of_classes_is_refused(run, command, scenes, write, tmp_path, output):
    empty = tmp_path / "empty"
    empty.mkdir()
    flat = scenes / "noise"
    for folder, reason in (
        (tmp_path / "none", "no such folder"),
        (empty, f"no class folder, and 0 images without a class: {GIVE}"),
        (flat, f"no class folder, and 8 images without a class: {GIVE}"),
        (write("in/a/notes.txt", "x").parents[1], "no image in 1 class folder: skipped 1 .txt"),
        (scenes / "noise" / "0.png", "not a folder"),
    ):
        result = run(command, folder, *(["-o", output] if command == "train" else []))
        assert (result.code, result.out) == (2, "")
        assert result.messages == [f"{folder}: {reason}"]


@pytest.mark.parametrize("command", ["train", "evaluate"])
def test_a_class_whose_name_is_no_label_is_refused(run, command, own_scenes, output, no_work):
    folder = os.fsencode(own_scenes)
    arguments = [command, own_scenes, *(["-o", output] if command == "train" else [])]
    try:
        os.rename(folder + b"/noise", folder + b"/caf\xe9")
    except OSError:
        pytest.skip("this file system holds UTF-8 names only")
    result = run(*arguments)
    assert (result.code, result.out) == (2, "")
    assert result.messages[-1] == r"the label 'caf\udce9' is not valid UTF-8"
    os.rename(folder + b"/caf\xe9", folder + b"/  ")
    result = run(*arguments)
    assert (result.code, result.out) == (2, "")
    assert result.messages[-1] == f"{own_scenes}/  : the name of a class can't be only spaces"


# Parameters


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ("grid=3", "exactly one of grid and step must be given"),
        ("grid=(3,)", "exactly one of grid and step must be given"),
        ("step=None", "exactly one of grid and step must be given"),
        ("step=0", "step must be a whole number of at least 1, got 0"),
        ("step=wide", "step must be a whole number of at least 1, got 'wide'"),
        ("bin_sizes=()", "bin_sizes must be whole numbers, got ()"),
        ("bin_sizes=4", "bin_sizes must be whole numbers, got 4"),
        ("bin_sizes=None", "bin_sizes must be whole numbers, got None"),
        ("bin_sizes=(4,0)", "bin_sizes must be a whole number of at least 1, got 0"),
        ("levels=5", "levels must be pairs of rows and columns, got 5"),
        ("levels=[5]", "levels must be pairs of rows and columns, got [5]"),
        ("levels=None", "levels must be pairs of rows and columns, got None"),
        ("levels={}", "levels must be pairs of rows and columns, got {}"),
        ("levels=(1,2,3)", "levels must be pairs of rows and columns, got (1, 2, 3)"),
        ("levels=((1,1,1),)", "levels must be pairs of rows and columns, got ((1, 1, 1),)"),
        ("levels=((0,1),)", "levels must be a whole number of at least 1, got 0"),
        ("layout_weight=-1", "layout_weight must be a number from 0 to 1e6, got -1"),
        ("layout_weight=1e300", "layout_weight must be a number from 0 to 1e6, got 1e+300"),
        ("window=round", "window must be 'flat' or 'gaussian', got 'round'"),
        ("root=1", "root must be True or False, got 1"),
        ("colour=red", "colour must be 'grey' or 'opponent', got 'red'"),
        ("max_side=4", "max_side must be a whole number of at least 16, got 4"),
        ("n_sample=0", "n_sample must be a whole number of at least 1, got 0"),
        ("n_sweeps=1.5", "n_sweeps must be a whole number of at least 1, got 1.5"),
        ("alpha=0", "alpha must be a number from 1e-6 to 1e6, got 0"),
        ("cache=5", "cache must be the name of a folder or None, got 5"),
        ("cache=", "cache must be the name of a folder or None, got ''"),
        ("allow_truncated=1", "allow_truncated must be True or False, got 1"),
        ("max_pixels=0", "max_pixels must be a whole number of at least 1, got 0"),
        ("unlabeled=[1]", "unlabeled must be a string, a whole number or None, got [1]"),
        ("coupling=1", "coupling feeds the classifier back into the drawn hidden variables"),
    ],
)
def test_bad_parameters_are_refused_by_name_before_the_work(
    train, scenes, output, no_work, setting, reason
):
    result = train(scenes, "--set", setting)
    assert (result.code, result.out) == (2, "")
    assert len(result.messages) == 1
    assert result.messages[0].startswith(reason)
    assert not output.exists()


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["n_words=65535"], "n_words must be a number of at most 65534, got 65535"),
        (["n_topics=65536"], "n_topics must be a number of at most 65535, got 65536"),
        (["grid=3", "step=None"], "grid must be whole numbers, got 3"),
        (["grid=(3,)", "step=None"], "grid must be two whole numbers, got (3,)"),
        (["grid=(3,4,5)", "step=None"], "grid must be two whole numbers, got (3, 4, 5)"),
        (["grid=ab", "step=None"], "grid must be whole numbers, got 'ab'"),
    ],
)
def test_bad_sizes_are_refused_by_name(run, scenes, output, no_work, options, reason):
    settings = [text for option in options for text in ("--set", option)]
    result = run("train", scenes, "-o", output, *settings)
    assert (result.code, result.messages) == (2, [reason])


@pytest.mark.parametrize(
    ("option", "value", "name"),
    [("words", 4, "n_words"), ("topics", 2, "n_topics"), ("cache", "folder", "cache")],
)
def test_a_parameter_is_given_once(run, scenes, output, no_work, option, value, name):
    result = run("train", scenes, "-o", output, f"--{option}", value, "--set", f"{name}={value!r}")
    assert result.code == 2
    assert result.messages == [
        f"--{option} and --set {name} set the same parameter: give one of them"
    ]


def test_options_reach_the_classifier(train, scenes, output):
    settings = ("bin_sizes=(4,6)", "levels=()", "colour=opponent", "n_draws=2", "max_iter=1")
    options = [text for setting in settings for text in ("--set", setting)]
    assert train(scenes, "--seed", 3, *options).code == 0
    model = SceneClassifier.load(output)
    found = model.short_params()
    assert (found["n_words"], found["n_topics"], model.random_state) == (8, 3, 3)
    assert (list(found["bin_sizes"]), list(found["levels"])) == ([4, 6], [])
    assert (found["colour"], model.n_draws) == ("opponent", 2)
    assert train(scenes, *PAPER).code == 0
    found = SceneClassifier.load(output).short_params()
    assert (list(found["grid"]), found["step"], found["coupling"]) == ([5, 5], None, 1.0)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--set", "depth=3"], "must be NAME=VALUE with a NAME of C, allow_truncated, "),
        (["--set", "n_jobs=3"], "n_jobs has its own option: --threads"),
        (["--set", "certificate_fraction=0.5"], "has its own option: --certify"),
        (["--words", "0"], "argument --words: must be a whole number of 1 to 999999999, got '0'"),
        (["--topics", "ten"], "argument --topics: must be a whole number"),
        (
            ["--threads", "0"],
            "argument --threads: must be a whole number of 1 to 999999999, got '0'",
        ),
        (["--seed", "-1"], "argument --seed: "),
        (["--preset", "fast"], "argument --preset: invalid choice: 'fast'"),
        (["--certify", "1"], "argument --certify: must be below 1"),
        (["--unlabeled"], "argument --unlabeled: expected at least one argument"),
        (["--figures", "x"], "unrecognized arguments: --figures x"),
    ],
)
def test_bad_usage_is_refused_by_option(train, scenes, arguments, reason):
    result = train(scenes, *arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("usage: sfmvision ")
    assert reason in result.err.splitlines()[-1]


# Output


def test_an_output_that_cannot_be_written_is_refused_before_the_work(
    train, scenes, tmp_path, no_work
):
    for output, reason in (
        (tmp_path / "no" / "m.sfm", "No such file or directory"),
        (scenes, "Is a directory"),
    ):
        result = train(scenes, output=output)
        assert (result.code, result.messages) == (2, [f"{output}: {reason}"])
    result = train(scenes, output="-")
    assert (result.code, result.messages) == (
        2,
        ["-o -: a model can't go to standard output, give a file name"],
    )


def test_an_output_that_is_an_input_is_refused(train, own_scenes, write, encode, picture):
    more = write("more.png", encode(picture("noise", 40), "PNG"))
    for image in (own_scenes / "noise" / "0.png", more):
        before = image.read_bytes()
        result = train(own_scenes, "--unlabeled", more, output=image)
        assert result.code == 2
        reason = f"{image}: this output would overwrite an input: give another name"
        assert result.messages[-1] == reason
        assert image.read_bytes() == before


def test_an_image_that_changes_meanwhile_is_said_in_a_sentence(
    train, own_scenes, output, monkeypatch
):
    # Nothing is kept, so every image is read once more.
    monkeypatch.setattr("sfmvision.descriptors.batch.InMemory.put", lambda *_: None)
    path = own_scenes / "noise" / "3.png"
    learn = SceneClassifier.fit

    def fit(self, *arguments, **keywords):
        path.unlink()
        return learn(self, *arguments, **keywords)

    monkeypatch.setattr(SceneClassifier, "fit", fit)
    result = train(own_scenes)
    assert result.code == 2
    assert result.messages[-1] == f"{path}: can't be read: No such file or directory"
    assert not output.exists()


def test_an_interrupted_training_leaves_nothing_behind(start, scenes, tmp_path):
    # More images than are kept in memory.
    for kind in ("blobs", "noise", "stripes"):
        for copy in range(3):
            shutil.copytree(scenes / kind, tmp_path / "in" / kind / str(copy))
    temporary, output = tmp_path / "temporary", tmp_path / "out.sfm"
    temporary.mkdir()
    output.write_bytes(b"old")
    arguments = ["--set", "n_sweeps=100000", "--threads", 2, "--these-are-classes"]
    environment = {"TMPDIR": str(temporary), "PYTHONWARNINGS": "error::ResourceWarning"}
    process = start("train", tmp_path / "in", "-o", output, *arguments, environment=environment)
    try:
        while b"72 images" not in (line := process.stderr.readline()):
            assert line, "it ended before it began"
        deadline = time.monotonic() + 60
        while not list(temporary.rglob("*/??/*")) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert list(temporary.iterdir())
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, out, err) == (130, b"", b"sfmvision: interrupted\n")
    assert list(temporary.iterdir()) == []
    assert output.read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "out.sfm", "temporary"]


# The program


@pytest.mark.parametrize("command", [[], ["train"], ["predict"], ["evaluate"], ["info"]])
def test_help_names_the_command_and_its_options(run, command):
    result = run(*command, "--help")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(" ".join(["usage: sfmvision", *command]))
    expected = {
        "train": ("--unlabeled", "--certify", "--preset", "--words", "--topics", "--cache"),
        "predict": ("--min-confidence", "--output", "--threads", "--strict", "--quiet"),
        "evaluate": ("--partitions", "--group-by", "--json", "--figures", "--seed"),
        "info": ("MODEL",),
    }
    names = expected[command[0]] if command else tuple(expected)
    assert all(name in result.out for name in names)


def test_version(run):
    result = run("--version")
    assert (result.code, result.err) == (0, "")
    assert result.out == f"sfmvision (sfm-pacbayes) {__version__}\n"
