"""What the commands do about files that can't be read among others, and how much they say."""

import csv
import gzip
import io
import json
import os

import pytest

from sfmbio import ProteinClassifier
from tests.bio.reading import odd_fasta

BAD = {
    "empty": (b"", "the file is empty"),
    "text": (b"some words\n", "not FASTA: line 1 is 'some words' instead of a '>' header"),
    "picture": (b"\xff\xd8\xff\xe0\x00\x10JFIF", "this looks like a binary file (JPEG); text is"),
    "archive": (b"PK\x03\x04" + bytes(30), "this looks like a ZIP archive"),
    "alignments": (gzip.compress(b"BAM\x01" + bytes(30)), "a binary file (BAM)"),
}


@pytest.fixture
def three(write):
    """A folder of three files, of which the second is to be bad."""

    def make(content):
        write("in/p1.fa", ">a\nAVLI\n>b\nLLAV\n>c\nIVAL\n>d\nVVLA\n")
        write("in/p3.fa", ">e\nKDEK\n>f\nEEDK\n>g\nRKDE\n>h\nDDEK\n")
        return write("in/p2.fa", content)

    return make


@pytest.mark.parametrize("name", BAD)
def test_predict_gives_the_rows_of_the_good_files_and_ends_with_two(
    run, model, three, tmp_path, name
):
    content, reason = BAD[name]
    bad = three(content)
    result = run("predict", model, bad.parent)
    assert result.code == 2
    assert [row["id"] for row in result.rows] == list("abcdefgh")
    assert all(row["label"] for row in result.rows)
    assert result.messages[0].startswith(f"{bad}: {reason}"[:60])
    assert reason in result.messages[0]
    assert result.messages[1:] == [
        "8 rows, 0 without label",
        "1 of 3 files can't be read, see above",
    ]
    written = run("predict", model, bad.parent, "-o", tmp_path / "out.tsv", "--strict")
    assert (written.code, written.out) == (2, "")
    assert (tmp_path / "out.tsv").read_text() == result.out


def test_files_given_one_by_one_go_on_too(run, model, write):
    good, raw = write("good.fa", ">a\nMKV\n"), write("raw.txt", "MKV\n")
    for paths in ((good, raw), (raw, good)):
        result = run("predict", model, *paths, "--threads", 2)
        assert (result.code, [row["id"] for row in result.rows]) == (2, ["a"])
        assert result.messages[0].startswith(f"{raw}: not FASTA")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is closed to the superuser")
def test_a_file_that_may_not_be_read_goes_by_the_same_rule(run, model, three):
    closed = three(b">x\nMKV\n")
    closed.chmod(0)
    result = run("predict", model, closed.parent)
    assert (result.code, len(result.rows)) == (2, 8)
    assert result.messages[0] == f"{closed}: Permission denied"


@pytest.mark.parametrize("threads", [1, 2])
def test_inputs_of_which_none_can_be_read_leave_no_table(run, model, write, tmp_path, threads):
    paths = [write("a.fa", ""), write("b.fa", "MKV\n")]
    result = run("predict", model, *paths, "-o", tmp_path / "out.tsv", "--threads", threads)
    assert (result.code, result.out, len(result.messages)) == (2, "", 1)
    assert all(str(path) in result.messages[0] for path in paths)
    assert not (tmp_path / "out.tsv").exists()
    assert run("predict", model, *paths).out == ""


def test_train_learns_from_the_good_files_and_ends_with_two(run, three, small, tmp_path):
    bad = three(b"")
    output = tmp_path / "out.sfm"
    result = run("train", bad.parent, *small, "-o", output)
    assert result.code == 2
    assert result.messages[:2] == [
        f"{bad}: the file is empty",
        "8 sequences in 2 classes: p1 4, p3 4",
    ]
    assert result.messages[-1] == "1 of 3 files can't be read, see above"
    assert ProteinClassifier.load(output).classes_.tolist() == ["p1", "p3"]
    bad.unlink()
    assert run("train", bad.parent, *small, "-o", tmp_path / "clean.sfm").code == 0
    assert (tmp_path / "clean.sfm").read_bytes() == output.read_bytes()


def test_further_sequences_of_a_bad_file_are_left_out(run, two_classes, write, small, tmp_path):
    good, bad = write("more.fa", ">u\nMKV\n"), write("bad.fa", "")
    options = ["--unlabeled", good, bad]
    result = run("train", two_classes, *small, "-o", tmp_path / "out.sfm", *options)
    assert result.code == 2
    assert f"{bad}: the file is empty" in result.messages
    assert "1 sequence without label" in result.messages
    assert result.messages[-1] == "1 of 4 files can't be read, see above"
    assert (tmp_path / "out.sfm").exists()


def test_evaluate_measures_on_the_good_files_and_ends_with_two(run, three, small):
    bad = three(b"")
    result = run("evaluate", "--partitions", 1, *small, bad.parent, "--json", "-")
    assert result.code == 2
    assert {one["label"] for one in json.loads(result.out)["classes"]} == {"p1", "p3"}
    assert result.messages[0] == f"{bad}: the file is empty"
    assert result.messages[-2].startswith("1 partition in ")
    assert result.messages[-1] == "1 of 3 files can't be read, see above"


# Foreign bytes in names


def test_labels_of_every_source_are_utf8_in_model_table_and_json(run, write, small, tmp_path):
    fasta = write(
        "all.fa",
        b">a [caf\xe9]\nAVLI\n>b [x]\nKDEK\n>c [caf\xe9]\nLLAV\n>d [x]\nRDEK\n",
    )
    table = write("labels.tsv", b"a\tcaf\xe9\nb\tx\nc\tcaf\xe9\nd\tx\n")
    for number, source in enumerate((["--label-from", r"header:\[(.*)\]"], ["--labels", table])):
        model = tmp_path / f"{number}.sfm"
        result = run("train", fasta, *source, *small, "-o", model)
        assert result.code == 0
        assert any(r"4 sequences in 2 classes: caf\xe9 2, x 2" in m for m in result.messages)
        rows = run("predict", model, fasta).rows
        assert {row["label"] for row in rows} <= {r"caf\xe9", "x"}
    result = run("evaluate", "--partitions", 1, *small, fasta, *source, "--json", "-")
    assert [one["label"] for one in json.loads(result.out)["classes"]] == [r"caf\xe9", "x"]


def test_all_odd_files_in_one_run_give_all_rows_in_order(start, model, tmp_path):
    expected = []
    files = odd_fasta.fasta()
    for number, file in enumerate(files):
        (tmp_path / f"{number:03}.fa").write_bytes(file.data)
        for row in file.rows:
            # Such ids count the records of the whole input.
            is_made = row.id.startswith("record_")
            known_as = f"record_{len(expected) + 1}" if is_made else row.id
            length = str(len(row.codes)) if row.status == "ok" else ""
            expected.append([known_as, row.status, length])
    process = start("predict", model, tmp_path, "--quiet")
    out, err = process.communicate(timeout=300)
    assert process.returncode == 2
    table = csv.reader(
        io.StringIO(out.decode(), newline=""), delimiter="\t", quoting=csv.QUOTE_NONE
    )
    csv.field_size_limit(1 << 22)
    rows = list(table)[1:]
    assert [[row[0], row[3], row[6]] for row in rows] == expected
    assert all(bool(row[1]) == (row[3] == "ok") for row in rows)
    said = err.decode()
    for number, file in enumerate(files):
        named = f"sfmbio: {tmp_path / f'{number:03}.fa'}: "
        assert not file.refusal or named in said
    unreadable = sum(bool(file.refusal) for file in files)
    assert said.endswith(f"{unreadable} of {len(files)} files can't be read, see above\n")


# How much is said


def test_many_classes_are_counted_and_the_first_are_listed(
    run, write, small, tmp_path, monkeypatch
):
    def fit(self, *_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(ProteinClassifier, "fit", fit)
    text = "".join(f">r{n} [c{n % 300:03}]\nAVLI\n" for n in range(598))
    fasta = write("all.fa", text)
    result = run(
        "train", fasta, "--label-from", r"header:\[(.*)\]", *small, "-o", tmp_path / "o.sfm"
    )
    listed = ", ".join(f"c{n:03} 2" for n in range(20))
    assert result.messages == [
        "warning: 2 classes have only one record: 'c298', 'c299'",
        f"598 sequences in 300 classes: {listed} and 280 more",
        "learning 300 classes, each against all others",
        "interrupted",
    ]


def test_one_row_and_one_sequence_are_singular(run, model, write):
    result = run("predict", model, write("one.fa", ">a\nMKV\n"))
    assert result.messages == ["1 row, 0 without label"]


def test_one_record_without_a_group_is_singular(run, write, small):
    astral = write("x.fa", ">a a.1.1.1 x\nAVLI\n>b b.1.1.1 x\nKDEK\n>c\nLLAV\n")
    table = write("labels.tsv", "a\tx\nb\ty\nc\tx\n")
    options = ["--labels", table, "--group-by", "superfamily", "--partitions", 1]
    result = run("evaluate", *options, *small, astral)
    assert result.code == 2
    assert "1 record has no superfamily:" in result.err
