"""Confidence on the command line: sets of labels, groups in training, info and evaluate."""

import json
import shutil

import numpy as np
import pytest

from sfmbio import ProteinClassifier
from sfmbio.commandline.prediction import COLUMNS
from sfmcore.estimators.confidence import Confidence
from sfmcore.files.model_file import load_model, save_model


@pytest.fixture
def output(tmp_path):
    return tmp_path / "out.sfm"


@pytest.fixture
def old_model(model, tmp_path):
    """The model as a file of before it knew of held-out votes."""
    classifier = ProteinClassifier.load(model)
    classifier.take_confidence(Confidence())
    path = tmp_path / "old.sfm"
    classifier.save(path)
    return path


def test_sets_of_labels_are_the_last_column(run, model, peptides):
    plain = run("predict", model, peptides)
    result = run("predict", model, peptides, "--coverage", "0.9")
    assert result.out.splitlines()[0].split("\t") == [*COLUMNS, "labels"]
    for before, row in zip(plain.rows, result.rows, strict=True):
        labels = row.pop("labels").split("|")
        assert row == before
        assert labels[0] == row["label"]
        assert len(set(labels)) == len(labels)
    sizes = [len(row["labels"].split("|")) for row in result.rows]
    wide = run("predict", model, peptides, "--coverage", "0.999").rows
    assert np.mean([len(row["labels"].split("|")) for row in wide]) > np.mean(sizes)


def test_training_says_what_sets_rest_on(run, model, peptides):
    result = run("predict", model, peptides, "--coverage", "0.9")
    (line,) = (line for line in result.messages if line.startswith("sets of labels"))
    assert line.startswith("sets of labels are based on 120 held-out sequences: coverage is 90 %")
    assert "with probability 95 %" in line


def test_a_record_that_cannot_be_used_has_an_empty_set(run, model, write):
    path = write("odd.fasta", ">a\nAVLI7\n>b\nAVLIAVLLIVAV\n")
    rows = run("predict", model, path, "--coverage", "0.9").rows
    assert rows[0]["labels"] == ""
    assert rows[0]["status"] != "ok"
    assert rows[1]["labels"] != ""


def test_shards_with_sets_are_the_whole_table(run, model, peptides):
    whole = run("predict", model, peptides, "--coverage", "0.8").out
    parts = [
        run("predict", model, peptides, "--coverage", "0.8", "--shard", f"{k}/3").out
        for k in (1, 2, 3)
    ]
    assert "".join(parts) == whole


@pytest.mark.parametrize("value", ["0", "1", "1.5", "-0.1", "most", "nan"])
def test_a_coverage_that_is_none_is_refused(run, model, peptides, value):
    result = run("predict", model, peptides, "--coverage", value)
    assert result.code == 2
    assert "--coverage" in result.err


def test_a_model_of_before_has_no_sets_and_says_so(run, old_model, peptides):
    result = run("predict", old_model, peptides, "--coverage", "0.9")
    assert result.code == 2
    assert result.messages == [
        f"{old_model}: --coverage needs held-out items, which this model lacks: train it again "
        "with this version"
    ]
    assert run("predict", old_model, peptides).code == 0


def test_a_label_that_could_be_two_is_refused(run, two_classes, small, output):
    shutil.move(two_classes / "greasy.fasta", two_classes / "greasy|oily.fasta")
    assert run("train", two_classes, "-o", output, *small).code == 0
    result = run("predict", output, two_classes, "--coverage", "0.9")
    assert result.code == 2
    assert "the label 'greasy|oily' contains" in result.messages[0]


def test_info_says_what_confidence_rests_on(run, two_classes, small, output, model, old_model):
    run("train", two_classes, "-o", output, *small)
    lines = run("info", output).out.splitlines()
    assert any(line.startswith("probabilities are calibrated on held-out votes") for line in lines)
    assert any(line.startswith("sets of labels are based on 8 held-out") for line in lines)
    # Of three classes relatives are weighed, which is a calibration too.
    assert "not calibrated" not in run("info", model).out
    assert "sets of labels are based on 120 held-out" in run("info", model).out
    state, arrays = load_model(output, "protein classifier")
    for name in ("calibrated", "sets"):
        del state[name]
    for name in [own for own in arrays if own.startswith(("calibration/", "sets/"))]:
        del arrays[name]
    save_model(output, "protein classifier", state, arrays)
    assert "confidence is not calibrated" in run("info", output).out


def test_without_calibration_info_says_why(run, two_classes, small, output):
    run("train", two_classes, "-o", output, *small, "--set", "calibrate=False")
    assert "trained with calibrate=False" in run("info", output).out


# What is unlike anything learnt from


def test_typicality_is_a_column_and_a_limit_on_it_refuses_labels(run, model, peptides, write):
    path = write("odd.fasta", ">w\n" + "W" * 400 + "\n>bad\nAVLI7\n")
    plain = run("predict", model, peptides, path)
    limited = run("predict", model, peptides, path, "--reject-below", "0.05")
    refused = 0
    for before, row in zip(plain.rows, limited.rows, strict=True):
        assert before["typicality"] == row["typicality"]
        if before["status"] != "ok":
            assert row["typicality"] == ""
            assert row == before
        elif float(before["typicality"]) <= 0.05:
            refused += 1
            assert (row["label"], row["status"]) == ("unclassified", "unlike anything learnt from")
            assert row["second_label"] == before["second_label"]
        else:
            assert row == before
    # Of 120 training peptides a twentieth or fewer, and 400 tryptophans surely.
    assert 1 <= refused < 12
    assert limited.rows[-2]["status"] == "unlike anything learnt from"


def test_a_limit_below_any_p_value_is_refused(run, model, peptides):
    result = run("predict", model, peptides, "--reject-below", "0.0001")
    assert result.code == 2
    assert "with 120 held-out sequences no p-value can be below 0.0083" in result.err


def test_a_model_of_before_knows_nothing_typical_and_says_so(run, old_model, peptides):
    result = run("predict", old_model, peptides, "--reject-below", "0.01")
    assert result.code == 2
    assert "needs typicality, which this model lacks" in result.messages[0]
    assert {row["typicality"] for row in run("predict", old_model, peptides).rows} == {""}


@pytest.mark.parametrize("value", ["-0.1", "1.5", "rarely"])
def test_a_share_that_is_none_is_refused(run, model, peptides, value):
    result = run("predict", model, peptides, "--reject-below", value)
    assert result.code == 2
    assert "--reject-below" in result.err


# Groups in training


def test_groups_change_confidence_and_no_vote(run, peptides, small, output, write, tmp_path):
    ids = [
        line[1:].split()[0]
        for path in sorted(peptides.glob("*.fasta"))
        for line in path.read_text().splitlines()
        if line.startswith(">")
    ]
    table = write("groups.tsv", "".join(f"{name}\tg{k % 40}\n" for k, name in enumerate(ids)))
    assert run("train", peptides, "-o", output, *small, "--groups", table).code == 0
    plain = tmp_path / "plain.sfm"
    run("train", peptides, "-o", plain, *small)
    one, other = (ProteinClassifier.load(path) for path in (output, plain))
    sequences = ["AVLIAVLLIVAVL", "KDEKRDEKKDER"]
    assert np.array_equal(one.vote_shares(sequences), other.vote_shares(sequences))
    assert not np.array_equal(one.predict_proba(sequences), other.predict_proba(sequences))


def test_group_by_of_training_is_that_of_evaluate(run, peptides, small, output):
    result = run("train", peptides, "-o", output, *small, "--group-by", "sequence")
    assert result.code == 0
    result = run("train", peptides, "-o", output, *small, "--group-by", "luck")
    assert result.code == 2
    assert "--group-by" in result.err


def test_both_ways_to_name_groups_are_refused(run, peptides, small, output, write):
    table = write("groups.tsv", "a\tg\n")
    options = ("--group-by", "sequence", "--groups", table)
    result = run("train", peptides, "-o", output, *small, *options)
    assert result.code == 2
    assert "give one" in result.messages[-1]


def test_a_record_without_group_is_named(run, two_classes, small, output, write):
    table = write("groups.tsv", "g1\tx\n")
    result = run("train", two_classes, "-o", output, *small, "--groups", table)
    assert result.code == 2
    assert not output.exists()


# evaluate


def test_evaluate_prints_and_writes_reliability(run, all_peptides, small, tmp_path):
    path = tmp_path / "out.json"
    result = run("evaluate", all_peptides, "--partitions", "2", "--json", path, *small)
    found = json.loads(path.read_text())["reliability"]
    assert f"calibration error {found['calibration_error']:.4f}" in result.out
    assert f"log loss {found['log_loss']:.4f}" in result.out
    assert set(found["sets"]) == {"0.9", "0.95"}
    for coverage, own in found["sets"].items():
        assert f"sets of labels at {100 * float(coverage):g} %" in result.out
        assert own["covered"] > float(coverage) - 0.04
        assert 1 <= own["mean_size"] <= 3
    assert 0 <= found["calibration_error"] < 0.15
