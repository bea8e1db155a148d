"""``sfmvision evaluate``: the table, the JSON of the contract, groups, and what is refused."""

import hashlib
import json
import shutil
import sys

import cv2
import pytest

from sfmvision import SceneClassifier
from sfmvision.preparation import ScenePreparation

CONTRACT = ["label", "n_positive", "n_negative", "accuracy_mean", "accuracy_std", "majority"]
FIGURES = ["confusion.png", "mistakes.png", "objective.png"]
# A topic model has a value of its objective after every tenth.
SWEEPS = ["--set", "n_sweeps=20"]
PAPER = ["--preset", "paper", "--set", "grid=(5,5)", "--set", "max_iter=2"]
PAPER += ["--set", "max_proposals=5", "--set", "n_restarts=1"]


@pytest.fixture
def evaluate(run, small):
    """Evaluate with few partitions and a small model."""

    def call(*arguments):
        return run("evaluate", "--partitions", 2, *small, *arguments)

    return call


@pytest.fixture
def no_work(monkeypatch):
    """Fail the test if an image is described: what is wrong must be said before."""

    def refuse(*_, **__):
        raise AssertionError("the work began before the refusal")

    monkeypatch.setattr(ScenePreparation, "describer", refuse)


@pytest.fixture
def learnt_from(monkeypatch):
    """Digests of the images that each partition learns from."""
    digests = []
    learn = SceneClassifier.learn

    def spy(self, problem, *rest):
        digests.append(sorted(source.digest for source in problem.items.sources))
        return learn(self, problem, *rest)

    monkeypatch.setattr(SceneClassifier, "learn", spy)
    return digests


def report_of(result):
    return json.loads(result.out)


def test_table_names_every_class_and_the_multiclass_accuracy(evaluate, scenes):
    result = evaluate(scenes)
    assert result.code == 0
    assert result.messages[0] == f"{scenes}: 24 images of 3 classes: blobs 8, noise 8, stripes 8"
    lines = result.out.splitlines()
    assert lines[0].split("  ")[0] == "class"
    assert [line.split()[:3] for line in lines[1:4]] == [
        ["blobs", "8", "16"],
        ["noise", "8", "16"],
        ["stripes", "8", "16"],
    ]
    for line in lines[1:4]:
        # Measured: all of them.
        assert float(line.split()[3]) > 80
    assert lines[4].startswith("multiclass accuracy: ")
    named = ["measure", "mean", "deviation", "confidence:", "sets", "sets"]
    assert [line.split()[0] for line in lines[6:]] == named


def test_json_has_the_keys_of_the_contract_and_says_what_the_table_says(evaluate, scenes, tmp_path):
    path = tmp_path / "report.json"
    result = evaluate(scenes, "--json", path, "--seed", 3)
    assert result.code == 0
    report = json.loads(path.read_text())
    assert report["protocol"].startswith("one-versus-rest")
    assert (report["partitions"], report["seed"], report["group_by"]) == (2, 3, "none")
    assert [list(row)[:6] for row in report["classes"]] == [CONTRACT] * 3
    for row, line in zip(report["classes"], result.out.splitlines()[1:], strict=False):
        name, *figures = line.split()
        assert name == row["label"]
        keys = [*CONTRACT[1:], "certified_mean"]
        shown = [float(figure) for figure in figures]
        assert shown == pytest.approx([row[key] for key in keys], abs=0.006)
    assert f"multiclass accuracy: {report['multiclass_accuracy_mean']:.2f} %" in result.out
    assert (report["preset"], report["parameters"]["n_words"]) == ("best", 8)
    assert not {"random_state", "cache", "n_jobs"} & report["parameters"].keys()


@pytest.mark.parametrize("preset", [[], PAPER], ids=["best", "paper"])
def test_threads_and_caches_change_no_byte(evaluate, own_scenes, odd, tmp_path, preset):
    outputs = []
    for name, options in (
        ("one", ["--threads", 1]),
        ("two", ["--threads", 2]),
        ("cached", ["--threads", 2, "--cache", tmp_path / "cache"]),
        ("again", ["--threads", 1, "--cache", tmp_path / "cache"]),
    ):
        path = tmp_path / f"{name}.json"
        result = evaluate(own_scenes, *preset, *options, "--quiet", "--json", path)
        assert result.code == 0
        outputs.append((result.out, path.read_bytes()))
    assert outputs[0] == outputs[1] == outputs[2] == outputs[3]


def test_another_seed_gives_other_halves(evaluate, scenes, learnt_from):
    for seed in (1, 1, 2):
        assert report_of(evaluate(scenes, "--json", "-", "--seed", seed))["seed"] == seed
    assert sorted(learnt_from[:2]) == sorted(learnt_from[2:4]) != sorted(learnt_from[4:])
    assert learnt_from[0] != learnt_from[1]
    assert all(len(digests) == 12 for digests in learnt_from)


@pytest.mark.slow
def test_partitions_are_twenty_unless_told_otherwise(run, scenes):
    fast = ["--set", "n_sweeps=1", "--topics", 2, "--words", 4, "--threads", 1, "--json", "-"]
    assert report_of(run("evaluate", scenes, *fast))["partitions"] == 20
    result = run("evaluate", scenes, *fast, "--partitions", 1)
    assert report_of(result)["classes"][0]["accuracy_std"] is None


def test_odd_files_are_left_out_by_name(evaluate, odd, own_scenes):
    result = evaluate(own_scenes, "--json", "-")
    assert result.code == 0
    report = report_of(result)
    counts = {row["label"]: row["n_positive"] for row in report["classes"]}
    assert counts == {"blobs": 11, "noise": 11, "stripes": 10}
    named = {line for line in result.messages if line.startswith(f"{own_scenes}/")}
    assert named == {f"{path}: {status}" for path, status in odd.items() if status != "ok"}
    assert evaluate(own_scenes, "--strict").code == 1


# Groups


def test_equal_files_are_kept_in_one_half(evaluate, own_scenes, learnt_from):
    for path in sorted(own_scenes.rglob("*.png")):
        shutil.copy(path, path.with_name(f"copy of {path.name}"))
    evaluate(own_scenes, "--partitions", 3)
    # By chance a copy is on the other side.
    assert any(len(set(digests)) > 12 for digests in learnt_from)
    del learnt_from[:]
    report = report_of(evaluate(own_scenes, "--group-by", "content", "--json", "-"))
    assert report["group_by"] == "content"
    assert "each content in one half" in report["protocol"]
    assert [(len(digests), len(set(digests))) for digests in learnt_from] == [(24, 12)] * 2
    # Also where the labels differ, which is warned of.
    shutil.copy(own_scenes / "noise" / "0.png", own_scenes / "blobs" / "other.png")
    del learnt_from[:]
    result = evaluate(own_scenes, "--group-by", "content", "--partitions", 4)
    assert any("the same image under several labels" in line for line in result.messages)
    for digests in learnt_from:
        assert {digests.count(digest) for digest in digests} <= {2, 3}


def test_a_class_of_one_group_is_refused_by_name(evaluate, own_scenes):
    shutil.rmtree(own_scenes / "noise")
    (own_scenes / "noise").mkdir()
    for number in range(3):
        shutil.copy(own_scenes / "blobs" / "0.png", own_scenes / "noise" / f"{number}.png")
    assert evaluate(own_scenes).code == 0
    result = evaluate(own_scenes, "--group-by", "content")
    assert (result.code, result.out) == (2, "")
    assert result.messages[-1] == "a class with only one group can't be split into halves: noise"


@pytest.fixture
def folds(run, small):
    """Evaluate on folds, with a small model."""

    def call(*arguments):
        return run("evaluate", *small, *arguments)

    return call


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("start", ["", "./", "scenes/", "./scenes/"])
def test_groups_of_a_table_are_kept_in_one_fold(
    folds, own_scenes, write, learnt_from, monkeypatch, start
):
    monkeypatch.chdir(own_scenes.parent)
    paths = sorted(own_scenes.rglob("*.png"))
    # Numbers 0 and 4 of all classes are one group, and so on.
    rows = [f"{start}{path.relative_to(own_scenes)},g{int(path.stem) % 4}\n" for path in paths]
    table = write("groups.csv", "path,group\n" + "".join(rows))
    bad = write("scenes/noise/9.png", b"")
    table.write_text(table.read_text() + f"{start}noise/9.png,g9\n")
    given = f"./{own_scenes.name}"
    result = folds(given, "--groups", table, "--folds", 4, "--json", "-")
    assert result.code == 0, result.err
    report = report_of(result)
    assert report["protocol"] == (
        "one-versus-rest, stratified 4-fold cross-validation, each group in one fold"
    )
    assert report["group_by"] == "table"
    assert [len(digests) for digests in learnt_from] == [18] * 4
    assert result.messages[-1].startswith("4 folds in ")
    bad.unlink()
    groups_of = {digest(path): int(path.stem) % 4 for path in paths}
    for digests in learnt_from:
        assert len({groups_of[name] for name in digests}) == 3


def test_images_without_a_group_are_named_before_the_work(evaluate, scenes, write, no_work):
    paths = sorted(path.relative_to(scenes) for path in scenes.rglob("*.png"))
    table = write("groups.tsv", "".join(f"{path}\t{path.stem}\n" for path in paths[2:]))
    result = evaluate(scenes, "--groups", table)
    assert (result.code, result.out) == (2, "")
    assert result.messages[-1] == (
        f"{table}: no group for 'blobs/0.png' and 1 more; the first id of the table is "
        "'blobs/2.png'"
    )
    result = evaluate(scenes, "--groups", table, "--group-by", "content")
    assert result.code == 2
    assert result.messages == ["--groups and --group-by both define the groups: give one of them"]


def test_too_many_folds_are_a_sentence(folds, scenes):
    result = folds(scenes, "--folds", 9)
    assert (result.code, result.out) == (2, "")
    assert result.messages[-1] == (
        "9 folds need as many items of every class; these have fewer: blobs 8, noise 8, stripes 8"
    )


# What is refused


def test_a_class_with_one_image_is_refused_by_name(evaluate, own_scenes):
    (own_scenes / "rare").mkdir()
    (own_scenes / "noise" / "0.png").rename(own_scenes / "rare" / "0.png")
    result = evaluate(own_scenes)
    assert (result.code, result.out) == (2, "")
    assert result.messages[-1] == "a class with only one item can't be split into halves: rare"


def test_one_class_only_is_refused(evaluate, own_scenes):
    shutil.rmtree(own_scenes / "noise")
    shutil.rmtree(own_scenes / "blobs")
    result = evaluate(own_scenes)
    assert (result.code, result.out) == (2, "")
    assert "only one class, 'stripes'" in result.messages[-1]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (
            ["--partitions", "0"],
            "argument --partitions: must be a whole number of 1 to 999999999, got '0'",
        ),
        (["--group-by", "sequence"], "argument --group-by: invalid choice: 'sequence'"),
        (["--set", "verbose=1"], "verbose has its own option: --quiet"),
        (["--unlabeled", "x"], "unrecognized arguments: --unlabeled"),
        (["--certify", "0.5"], "unrecognized arguments: --certify"),
    ],
)
def test_bad_usage_is_refused_by_option(evaluate, scenes, arguments, reason):
    result = evaluate(scenes, *arguments)
    assert (result.code, result.out) == (2, "")
    assert reason in result.err.splitlines()[-1]


def test_bad_values_are_refused_before_the_work(evaluate, scenes, no_work):
    result = evaluate(scenes, "--set", "levels=5")
    assert result.code == 2
    assert result.messages == ["levels must be pairs of rows and columns, got 5"]


def test_json_that_cannot_be_written_is_refused_before_the_work(
    evaluate, scenes, tmp_path, no_work
):
    path = tmp_path / "no" / "report.json"
    result = evaluate(scenes, "--json", path)
    assert (result.code, result.messages) == (2, [f"{path}: No such file or directory"])


def test_json_in_the_place_of_an_image_is_refused(evaluate, own_scenes):
    image = own_scenes / "noise" / "0.png"
    before = image.read_bytes()
    result = evaluate(own_scenes, "--json", image)
    assert result.code == 2
    assert (
        result.messages[-1] == f"{image}: this output would overwrite an input: give another name"
    )
    assert image.read_bytes() == before


# Figures


def test_figures_are_three_images(evaluate, scenes, tmp_path):
    folder = tmp_path / "deep" / "figures"
    plain = evaluate(scenes, *SWEEPS)
    result = evaluate(scenes, *SWEEPS, "--figures", folder)
    assert (result.code, result.out) == (0, plain.out)
    assert sorted(path.name for path in folder.iterdir()) == FIGURES
    for path in folder.iterdir():
        assert f"wrote {path}" in result.messages
        assert cv2.imread(str(path)).std() > 0


def test_figures_take_names_of_classes_as_they_are(evaluate, own_scenes, tmp_path):
    for kind, name in (("blobs", "$\\frac{a$"), ("noise", "_hidden"), ("stripes", "été 50 %")):
        (own_scenes / kind).rename(own_scenes / name)
    result = evaluate(own_scenes, *SWEEPS, "--figures", tmp_path / "figures")
    assert result.code == 0
    assert sorted(path.name for path in (tmp_path / "figures").iterdir()) == FIGURES


def test_figures_without_matplotlib_are_refused_before_the_work(
    evaluate, scenes, tmp_path, no_work, monkeypatch
):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = evaluate(scenes, "--figures", tmp_path / "figures")
    assert (result.code, result.out) == (2, "")
    assert result.messages == ["--figures needs matplotlib: pip install 'sfm-pacbayes[plot]'"]
    assert not (tmp_path / "figures").exists()


def test_figures_in_a_folder_that_cannot_be_made_are_refused_before_the_work(
    evaluate, scenes, write, no_work
):
    file = write("a file")
    for folder, reason in ((file, "File exists"), (file / "figures", "Not a directory")):
        result = evaluate(scenes, "--figures", folder)
        assert (result.code, result.out) == (2, "")
        assert result.messages == [f"--figures {folder}: {reason}"]


def test_figures_that_cannot_be_written_are_refused_before_the_work(
    evaluate, scenes, tmp_path, no_work
):
    (tmp_path / "mistakes.png").mkdir()
    result = evaluate(scenes, "--figures", tmp_path)
    assert (result.code, result.out) == (2, "")
    assert result.messages == [f"--figures {tmp_path}: Is a directory"]
