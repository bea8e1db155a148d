"""Sets of labels and groups of ``sfmvision``."""

from sfmvision.commandline.prediction import COLUMNS


def test_sets_of_labels_are_the_last_column(run, model, scenes, write):
    broken = write("broken.png", b"no image")
    result = run("predict", model, scenes, broken, "--coverage", "0.9")
    assert result.out.splitlines()[0].split("\t") == [*COLUMNS, "labels"]
    *rows, last = result.rows
    assert all(row["labels"].split("|")[0] == row["label"] for row in rows)
    assert last["labels"] == ""


def test_groups_of_training_are_read(run, scenes, small, tmp_path, write):
    lines = [
        f"{path.relative_to(scenes)}\tg{number % 5}\n"
        for number, path in enumerate(sorted(scenes.rglob("*.*")))
    ]
    output = tmp_path / "out.sfm"
    table = write("groups.tsv", "".join(lines))
    assert run("train", scenes, "-o", output, *small, "--groups", table).code == 0
    assert "probabilities are calibrated" in run("info", output).out
    assert run("train", scenes, "-o", output, *small, "--group-by", "content").code == 0
