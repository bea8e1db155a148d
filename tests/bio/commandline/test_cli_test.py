"""``sfmbio test``: a saved model on labelled records, and what can be wrong with either."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from Bio.SeqIO.FastaIO import SimpleFastaParser
from sklearn import metrics

from sfmbio import ProteinClassifier
from sfmbio.commandline import testing
from sfmbio.commandline.cli import main
from sfmcore.bounds.inequalities import binomial_bound
from sfmcore.estimators.judged import Judged

CLASSES = ["antimicrobial", "random", "transmembrane"]
GOLDEN = Path(__file__).parents[2] / "golden" / "models"


@pytest.fixture(scope="module")
def parts(tmp_path_factory, peptides):
    """Two folders with every second record of each class."""
    folder = tmp_path_factory.mktemp("parts")
    for place, name in enumerate(("train", "test")):
        (folder / name).mkdir()
        for label in CLASSES:
            with open(peptides / f"{label}.fasta") as file:
                records = list(SimpleFastaParser(file))[place::2]
            text = "".join(f">{title}\n{sequence}\n" for title, sequence in records)
            (folder / name / f"{label}.fasta").write_text(text)
    return folder


@pytest.fixture(scope="module")
def learnt(parts, small):
    """Model files by name: of the first part, certified, and of two of its classes."""
    paths = {name: parts / f"{name}.sfm" for name in ("plain", "certified", "two")}
    train = parts / "train"
    two = [train / f"{label}.fasta" for label in CLASSES[:2]]
    options = {"plain": [train], "certified": [train, "--certify", "0.5"], "two": two}
    for name, path in paths.items():
        given = [str(own) for own in (*options[name], "-o", path, "--quiet", *small)]
        assert main(["train", *given]) == 0
    return paths


@pytest.fixture
def test_of(run, tmp_path):
    """Run the command; its outcome and its JSON."""

    def call(*arguments, code=0):
        path = tmp_path / "test.json"
        result = run("test", *arguments, "--json", path)
        assert result.code == code, result.err
        return result, json.loads(path.read_text())

    return call


def table_of(run, *arguments):
    """What ``predict`` says, and the true label by the name of the file."""
    text = run("predict", *arguments).out
    return pd.read_csv(io.StringIO(text), sep="\t", quoting=csv.QUOTE_NONE)


# The figures


@pytest.mark.parametrize(("name", "n_classes"), [("plain", 3), ("two", 2)])
def test_figures_are_those_of_the_table_of_predict(run, test_of, parts, learnt, name, n_classes):
    files = [parts / "test" / f"{label}.fasta" for label in CLASSES[:n_classes]]
    _, found = test_of(learnt[name], *files)
    truth, tables = [], []
    for path in files:
        tables.append(table_of(run, learnt[name], path, "--coverage", "0.9"))
        truth += [path.stem] * len(tables[-1])
    table, classes = pd.concat(tables), CLASSES[:n_classes]
    expected = metrics.confusion_matrix(truth, table["label"], labels=classes)
    assert found["confusion"] == expected.tolist()
    report = metrics.classification_report(truth, table["label"], output_dict=True)
    for row in found["classes"]:
        own = report[row["label"]]
        assert row["n_items"] == own["support"]
        for ours, theirs in (("precision", "precision"), ("recall", "recall"), ("f1", "f1-score")):
            assert row[ours] == pytest.approx(own[theirs])
    assert found["measures"]["accuracy"] == pytest.approx(report["accuracy"])
    assert found["measures"]["balanced_accuracy"] == pytest.approx(report["macro avg"]["recall"])
    assert found["measures"]["matthews"] == pytest.approx(
        metrics.matthews_corrcoef(truth, table["label"])
    )
    # Four digits of each confidence are in the table.
    assert found["reliability"]["mean_confidence"] == pytest.approx(
        table["confidence"].mean(), abs=1e-4
    )
    sets = [set(labels.split("|")) for labels in table["labels"]]
    covered = np.mean([own in labels for own, labels in zip(truth, sets, strict=True)])
    assert found["reliability"]["sets"]["0.9"]["covered"] == pytest.approx(covered)
    assert found["reliability"]["sets"]["0.9"]["mean_size"] == np.mean([len(own) for own in sets])
    if n_classes == 2:
        # Both probabilities are in the table: confidence, and what is left of 1.
        is_second = table["label"] == CLASSES[1]
        share = np.where(is_second, table["confidence"], 1 - table["confidence"])
        positive = np.array(truth) == CLASSES[1]
        assert found["reliability"]["log_loss"] == pytest.approx(
            metrics.log_loss(positive, share), abs=2e-3
        )
        assert found["classes"][1]["auroc"] == pytest.approx(
            metrics.roc_auc_score(positive, share), abs=2e-3
        )


def test_scores_rank_as_those_of_the_model(test_of, parts, learnt):
    _, found = test_of(learnt["plain"], parts / "test")
    sequences, truth = [], []
    for label in CLASSES:
        with open(parts / "test" / f"{label}.fasta") as file:
            own = [sequence for _, sequence in SimpleFastaParser(file)]
        sequences += own
        truth += [label] * len(own)
    scores = ProteinClassifier.load(learnt["plain"]).decision_function(sequences)
    for row, column in zip(found["classes"], scores.T, strict=True):
        positive = np.array(truth) == row["label"]
        assert row["auroc"] == pytest.approx(metrics.roc_auc_score(positive, column))
        assert row["average_precision"] == pytest.approx(
            metrics.average_precision_score(positive, column)
        )


def test_the_limit_counts_errors_on_new_records(test_of, parts, learnt):
    result, found = test_of(learnt["plain"], parts / "test")
    proof = found["certificate"]
    wrong = round(proof["label_risk"] * proof["classes"][0]["n_items"])
    counted = binomial_bound(wrong, proof["classes"][0]["n_items"], 0.7 * 0.05)
    assert proof["label_bound"] == pytest.approx(counted)
    line = result.out.splitlines()[-1]
    assert line.startswith(f"certified on {proof['classes'][0]['n_items']} sequences that equal no")
    assert line.endswith("(binomial tail of the label's own errors)")


def test_what_is_printed_is_what_is_written(test_of, parts, learnt):
    result, found = test_of(learnt["plain"], parts / "test")
    lines = result.out.splitlines()
    assert lines[0].split()[:4] == ["class", "items", "predicted", "precision"]
    for line, row in zip(lines[1:4], found["classes"], strict=True):
        label, items, predicted, *figures = line.split()
        assert (label, int(items), int(predicted)) == (
            row["label"], row["n_items"], row["n_predicted"]
        )  # fmt: skip
        names = ("precision", "recall", "f1", "matthews", "auroc", "average_precision")
        assert figures == [f"{row[name]:.4f}" for name in names]
    assert lines[5].split()[1] == f"{found['measures']['accuracy']:.4f}"
    matrix = [[int(cell) for cell in line.split()[1:]] for line in lines[7:10]]
    assert matrix == found["confusion"]
    assert result.messages[-1] == f"{found['n_items']} sequences tested, 0 left out"


def test_neither_threads_nor_chunks_change_anything(test_of, parts, learnt, monkeypatch):
    _, one = test_of(learnt["plain"], parts / "test", "--threads", 1)
    monkeypatch.setattr(testing, "CHUNK_RECORDS", 20)
    _, many = test_of(learnt["plain"], parts / "test", "--threads", 3)
    assert one == many


def test_json_on_standard_output_stands_alone(run, parts, learnt):
    result = run("test", learnt["plain"], parts / "test", "--json", "-")
    assert json.loads(result.out)["left_out"]["unusable"] == 0


def test_labels_come_from_where_training_takes_them(test_of, write, parts, learnt):
    _, expected = test_of(learnt["plain"], parts / "test")
    everything, rows = "", "id\tlabel\n"
    for label in CLASSES:
        with open(parts / "test" / f"{label}.fasta") as file:
            for number, (_, sequence) in enumerate(SimpleFastaParser(file)):
                everything += f">{label}{number} is=[{label}]\n{sequence}\n"
                rows += f"{label}{number}\t{label}\n"
    path, table = write("all.fasta", everything), write("labels.tsv", rows)
    for options in (["--labels", table], ["--label-from", r"header:is=\[(\w+)\]"]):
        _, found = test_of(learnt["plain"], path, *options)
        assert found["confusion"] == expected["confusion"]


# Records of training


def test_records_of_training_are_named_and_prove_nothing(test_of, write, parts, learnt):
    known = (parts / "train" / "random.fasta").read_text().splitlines()
    mixed = "".join(f"{line.lower() if line[0] != '>' else line}\n" for line in known[:24])
    test = (parts / "test" / "random.fasta").read_text()
    path = write("random.fasta", mixed + test)
    result, found = test_of(learnt["plain"], path)
    _, clean = test_of(learnt["plain"], parts / "test" / "random.fasta")
    assert found["known"]["n_items"] == 12 + clean["known"]["n_items"]
    first = {"id": known[0][1:].split()[0], "file": str(path), "line": 1, "learnt_from": True}
    assert found["known"]["items"][0] == first
    (message,) = (text for text in result.messages if "equal training sequences" in text)
    assert message.startswith(f"{found['known']['n_items']} sequences equal training sequences, ")
    assert f"'{first['id']}' ({path}, line 1)" in message
    assert message.endswith(f"and {found['known']['n_items'] - 10} more")
    assert found["certificate"] == clean["certificate"]
    _, dropped = test_of(learnt["plain"], path, "--drop-known")
    assert dropped["known"]["dropped"] is True
    assert dropped["n_items"] == found["n_items"] - found["known"]["n_items"]
    assert dropped["known"]["items"] == found["known"]["items"]


def test_only_records_of_training_prove_nothing_and_leave_nothing(run, parts, learnt):
    result = run("test", learnt["plain"], parts / "train")
    assert result.code == 0
    assert result.out.splitlines()[-1] == (
        "certified: nothing, since all sequences equal training sequences"
    )
    result = run("test", learnt["plain"], parts / "train", "--drop-known")
    assert (result.code, result.out) == (2, "")
    assert "nothing is left to test: of 60 items 60 equal items of training" in result.err


def test_records_kept_for_a_certificate_are_told_from_others(test_of, parts, learnt):
    result, found = test_of(learnt["certified"], parts / "train")
    kept = [item for item in found["known"]["items"] if not item["learnt_from"]]
    # A peptide may stand in both parts of training.
    assert 27 <= len(kept) <= 32
    assert any(
        message.startswith(f"{len(kept)} of these were kept from training for the model's")
        for message in result.messages
    )
    assert found["certificate"] is None


# What can be wrong


def test_unknown_labels_are_counted_and_left_out(test_of, write, parts, learnt):
    test = parts / "test"
    others = [write("coil.fasta", ">a\nMKV\n>b\nLLV\n"), write("knot.fasta", ">c\nKGAS\n")]
    _, expected = test_of(learnt["plain"], test)
    result, found = test_of(learnt["plain"], test, *others, "--strict", code=1)
    assert found["left_out"]["unknown_labels"] == {"coil": 2, "knot": 1}
    assert found["confusion"] == expected["confusion"]
    assert (
        "3 sequences have labels that the model does not know, and are left out: 'coil' 2, 'knot' 1"
        in result.messages
    )
    assert result.messages[-1].endswith("sequences tested, 3 left out")


def test_only_unknown_labels_are_refused_by_name(run, write, learnt):
    result = run("test", learnt["plain"], write("coil.fasta", ">a\nMKV\n"))
    assert (result.code, result.out) == (2, "")
    assert result.messages[-1] == (
        f"{learnt['plain']}: knows none of the labels of the input, which are 'coil' 1; it knows "
        "'antimicrobial', 'random', 'transmembrane'"
    )


def test_one_class_shows_what_is_not_defined(test_of, parts, learnt):
    result, found = test_of(learnt["plain"], parts / "test" / "random.fasta")
    assert found["measures"]["auroc"] is None
    assert found["measures"]["accuracy"] is not None
    rows = result.out.splitlines()[1:4]
    assert [row.split()[1] for row in rows] == ["0", "20", "0"]
    assert all(row.split()[-2:] == ["-", "-"] for row in rows)
    assert any(message.startswith("all labels are of one class") for message in result.messages)


def test_classes_without_record_are_counted(run, parts, learnt):
    files = [parts / "test" / f"{label}.fasta" for label in CLASSES[:2]]
    assert "1 class has no sequence here" in run("test", learnt["plain"], *files).messages


def test_records_without_label_are_counted(test_of, write, parts, learnt):
    path = parts / "test" / "random.fasta"
    with open(path) as file:
        ids = [title.split()[0] for title, _ in SimpleFastaParser(file)]
    rows = "".join(f"{name}\trandom\n" for name in ids[:12])
    table = write("labels.tsv", f"id\tlabel\n{rows}")
    result, found = test_of(learnt["plain"], path, "--labels", table, "--strict", code=1)
    assert found["n_items"] == 12
    assert found["left_out"]["unlabelled"] == len(ids) - 12
    assert f"{len(ids) - 12} records have no label" in result.err


def test_no_label_at_all_is_refused(run, write, learnt):
    path = write("a.fasta", ">a\nMKV\n")
    result = run("test", learnt["plain"], path, "--label-from", "header:is=(x)")
    assert (result.code, result.out) == (2, "")
    assert result.messages[-1] == f"no usable record with a label in {path}"


def test_unusable_records_are_named_and_counted(test_of, write, parts, learnt):
    text = (parts / "test" / "random.fasta").read_text()
    path = write("random.fasta", f"{text}>bad\nMK7\n>none\n\n")
    result, found = test_of(learnt["plain"], path, "--strict", code=1)
    assert found["left_out"]["unusable"] == 2
    assert "('bad', line" in result.err
    assert found["n_items"] == text.count(">")


@pytest.mark.parametrize("content", ["", "\n\n", ">a\n\n>b\nMK7\n"])
def test_nothing_to_test_is_refused(run, write, learnt, content):
    result = run("test", learnt["plain"], write("random.fasta", content))
    assert (result.code, result.out) == (2, "")
    assert "random.fasta" in result.messages[-1]


def test_missing_files_and_models_are_refused(run, tmp_path, parts, learnt):
    missing = tmp_path / "missing"
    for arguments in ((learnt["plain"], missing), (missing, parts / "test")):
        result = run("test", *arguments)
        assert (result.code, result.out) == (2, "")
        assert f"{missing}" in result.messages[-1]


def test_a_file_that_can_not_be_read_fails_after_the_others(run, write, parts, learnt):
    broken = write("random.fasta.gz", b"\x1f\x8b\x08\x00 no more of it")
    result = run("test", learnt["plain"], parts / "test", broken)
    assert result.code == 2
    assert result.out.startswith("class ")
    assert "1 of 4 files can't be read" in result.messages[-1]


def test_inputs_and_model_are_not_overwritten(run, parts, learnt):
    before = learnt["plain"].read_bytes()
    result = run("test", learnt["plain"], parts / "test", "--json", learnt["plain"])
    assert result.code == 2
    assert "would overwrite an input" in result.err
    assert learnt["plain"].read_bytes() == before


def test_records_that_get_no_number_are_counted(test_of, write, parts, learnt, monkeypatch):
    judge = ProteinClassifier.judge

    def without_first(self, items):
        judged = judge(self, items)
        scores = judged.scores.copy()
        scores[0] = np.nan
        return Judged(scores, judged.shares, judged.votes, judged.margins)

    monkeypatch.setattr(ProteinClassifier, "judge", without_first)
    path = write("random.fasta", ">first\nMKVLAAGG\n>second\nKGASHFIHGR\n")
    result, found = test_of(learnt["plain"], path, "--strict", code=1)
    assert found["n_items"] == 1
    assert found["left_out"]["without_number"] == [{"id": "first", "file": str(path), "line": 1}]
    assert "1 sequence is left out, since the model gives no number for it: 'first'" in result.err


def test_control_characters_reach_no_line(run, write, tmp_path, learnt):
    text = ">a\x1b[31mb\nMKV\n"
    path = write("\x1b[31mcoil\nproved.fasta", text)
    result = run("test", learnt["plain"], path, write("random.fasta", text + ">b\nKGASHF\n"))
    assert result.code == 0
    assert "\x1b" not in result.out + result.err
    assert not any(line.startswith("proved.fasta") for line in result.err.splitlines())
    assert "coil" in result.err


def test_two_classes_that_are_called_the_same_are_refused(run, tmp_path, write):
    model = ProteinClassifier(n_states=2, n_init=1, random_state=0)
    path = tmp_path / "a.sfm"
    model.fit(["AVLIAV", "LLAVIV", "KDEKRD", "EKDRKK"], ["a b", "a b", "a  b", "a  b"]).save(path)
    result = run("test", path, write("x.fasta", ">a\nMKV\n"))
    assert result.code == 2
    assert "two classes that a file would call 'a b'" in result.err


# Models of earlier formats


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*proteins*.sfm")), ids=lambda path: path.stem)
def test_models_of_every_format_are_tested(test_of, write, path):
    version = int(path.stem.split("_")[0].removeprefix("format"))
    labels = ["0", "1"] if "two_classes" in path.stem else CLASSES[1:]
    files = [
        write(f"{label}.fasta", f">{label}{k}\n{text}\n>b\nMKVLAAGGLLW\n")
        for k, (label, text) in enumerate(zip(labels, ("KGASHFIHGR", "LLVVAIGLLF"), strict=True))
    ]
    result, found = test_of(path, *files)
    assert found["n_items"] == 4
    assert found["known"]["checked"] is (version >= 9)
    assert (found["reliability"]["sets"] != {}) is (version >= 8)
    unsure = "confidence is the share of votes, which is not calibrated" in result.out
    assert unsure is not found["calibrated"]
    assert ("sets of labels: none, as nothing was held out" in result.out) is (version < 8)
    trusting = any("does not know what it was trained on" in own for own in result.messages)
    assert trusting is (version < 9)
    assert ("sequences, if none was in training: " in result.out) is (version < 9)


def test_known_records_can_not_be_dropped_without_digests(run, write):
    path = GOLDEN / "format8_proteins_best.sfm"
    result = run("test", path, write("random.fasta", ">a\nMKV\n"), "--drop-known")
    assert (result.code, result.out) == (2, "")
    assert result.messages == [
        f"{path}: it does not know what it was trained on, so --drop-known has nothing to go by: "
        "train it again with this version"
    ]
