"""``sfmbio train``: labels from everywhere, what is refused, and what is left behind."""

import gzip
import os
import re
import signal
import time

import numpy as np
import pytest

from sfmbio import ProteinClassifier
from sfmbio.commandline.cli import main
from sfmbio.reading.datasets import read_sequences
from sfmbio.reading.labels import parse_label_spec
from sfmbio.reading.report import ReadReport
from sfmbio.reading.sampling import ClassSample
from sfmcore.version import __version__

ASTRAL_OLD = """\
>d1 1.1.1.1.1 Hemoglobin I {Ark clam}
avliavllivavl
>d2 1.2.1.1.1 Something {Man}
llavivalliav
>d3 2.1.1.1.1 Other {Man}
kdekrdekkder
>d4 2.1.2.1.2 Other {Man}
ekdrkkedekrd
"""
# Letters for classes, and no fifth number.
ASTRAL_NEW = re.sub(
    r" ([12])(\.\S+)\.\d+ ", lambda found: f" {' ab'[int(found[1])]}{found[2]} ", ASTRAL_OLD
)


@pytest.fixture
def train(run, tmp_path, small):
    """Train into the test's own folder."""

    def call(*arguments, output=tmp_path / "out.sfm", **keywords):
        return run("train", *small, *arguments, "-o", output, **keywords)

    return call


@pytest.fixture
def output(tmp_path):
    return tmp_path / "out.sfm"


@pytest.fixture
def no_fit(monkeypatch):
    """Fail the test if anything is learnt: what is wrong must be said before."""

    def fit(*_, **__):
        raise AssertionError("the work began before the refusal")

    monkeypatch.setattr(ProteinClassifier, "fit", fit)


def classes_of(path):
    return ProteinClassifier.load(path).classes_.tolist()


def test_a_folder_gives_one_class_for_each_file(train, two_classes, output):
    result = train(two_classes)
    assert (result.code, result.out) == (0, "")
    assert result.messages[0] == "8 sequences in 2 classes: charged 4, greasy 4"
    assert result.messages[-1].endswith(f"; wrote {output}")
    model = ProteinClassifier.load(output)
    assert model.classes_.tolist() == ["charged", "greasy"]
    assert model.predict(["KKDE", "VLLA"]).tolist() == ["charged", "greasy"]


@pytest.mark.parametrize("name", ["two/charged.fasta", "table.tsv", "more.fa"])
def test_an_output_that_is_also_read_is_refused(train, two_classes, write, no_fit, name):
    write("table.tsv", "c1\ta\ng1\tb\n")
    write("more.fa", ">m\nMKV\n")
    folder = two_classes.parent
    before = (folder / name).read_bytes()
    inputs = (two_classes, "--labels", folder / "table.tsv", "--unlabeled", folder / "more.fa")
    result = train(*inputs, output=folder / name)
    message = f"{folder / name}: this output would overwrite an input: give another name"
    assert (result.code, result.messages) == (2, [message])
    assert (folder / name).read_bytes() == before


def test_a_table_without_a_name_is_not_left_out(train, two_classes, no_fit):
    result = train(two_classes, "--labels", "")
    assert result.code == 2
    assert result.messages == ["--labels: an empty name"]


def test_standard_input_is_no_table_and_no_sequences_at_once(train, no_fit):
    result = train("-", "--labels", "-", stdin=b">a\nAVLI\n>b\nKDEK\n")
    assert result.code == 2
    assert result.messages == ["-: standard input can be read only once"]


def test_files_are_as_good_as_their_folder(train, two_classes, output, tmp_path):
    train(two_classes)
    files = [two_classes / "charged.fasta", two_classes / "greasy.fasta"]
    assert train(*files, output=tmp_path / "other.sfm").code == 0
    assert (tmp_path / "other.sfm").read_bytes() == output.read_bytes()


def test_quiet_leaves_only_what_is_wrong(train, two_classes, write):
    assert train(two_classes, "--quiet", "--set", "em_tol=0.1").err == ""
    write("two/greasy.fasta", ">a\nMKV\n>b\nMK1\n>c\nAAV\n")
    result = train(two_classes, "--quiet", "--set", "em_tol=0.1")
    assert [line.split(":")[-1] for line in result.messages] == [" invalid character '1' (line 4)"]


# Labels


def test_labels_of_a_table(train, write, output):
    fasta = write("all.fa", ">a x\nAVLI\n>b\nKDEK\n>c\nLLAV\n>d\nRDEK\n")
    table = write("labels.tsv", "id\tlabel\nb\tcharged\na\tgreasy\nc\tgreasy\nd\tcharged\n")
    result = train(fasta, "--labels", table)
    assert result.code == 0
    assert result.messages[0] == "4 sequences in 2 classes: charged 2, greasy 2"
    assert ProteinClassifier.load(output).predict(["AVLI", "KDEK"]).tolist() == [
        "greasy",
        "charged",
    ]


def test_a_table_that_misses_records_and_names_unknown_ones_is_reported(train, write):
    fasta = write("all.fa", ">a\nAVLI\n>b\nKDEK\n>c\nLLAV\n>d\nRDEK\n>e\nMMM\n>f\nMKV\n")
    table = write("labels.tsv", "b\tk\na\tg\nc\tg\nd\tk\nghost\tg\nspectre\tk\n")
    result = train(fasta, "--labels", table)
    assert result.code == 0
    assert f"2 records have no label: e, f (not in {table})" in result.messages
    assert f"{table}: 2 ids are not in the input: ghost, spectre" in result.messages
    assert "4 sequences in 2 classes: g 2, k 2" in result.messages
    assert train(fasta, "--labels", table, "--strict").code == 1


def test_a_table_without_any_record_of_the_input_is_refused(train, write, output):
    fasta = write("all.fa", ">a\nAVLI\n>b\nKDEK\n")
    result = train(fasta, "--labels", write("labels.tsv", "x\tg\ny\tk\n"))
    assert result.code == 2
    assert result.messages[-1] == f"no usable record with a label in {fasta}"
    assert not output.exists()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "the table has no labels"),
        ("a\n", "no id and label with a tab or comma between them"),
        ("a\tg\na\tk\n", "two labels for one id"),
        (None, "No such file"),
    ],
)
def test_a_bad_table_is_refused(train, write, tmp_path, two_classes, content, reason, no_fit):
    table = tmp_path / "labels.tsv"
    if content is not None:
        write("labels.tsv", content)
    result = train(two_classes, "--labels", table)
    assert result.code == 2
    assert result.messages[-1].startswith(f"{table}: ")
    assert reason in result.messages[-1]


@pytest.mark.parametrize("text", [ASTRAL_OLD, ASTRAL_NEW], ids=["numbers", "letters"])
@pytest.mark.parametrize(
    ("level", "classes"),
    [
        ("class", {"1", "2"}),
        ("fold", {"1.1", "1.2", "2.1"}),
        ("superfamily", {"1.1.1", "1.2.1", "2.1.1", "2.1.2"}),
        ("family", {"1.1.1.1", "1.2.1.1", "2.1.1.1", "2.1.2.1"}),
    ],
)
def test_labels_of_astral_headers(train, write, output, text, level, classes):
    assert train(write("astral.fa", text), "--label-from", f"astral:{level}").code == 0
    found = {label.replace("a", "1").replace("b", "2") for label in classes_of(output)}
    assert found == classes


def test_records_without_a_classification_are_left_out_and_named(train, write):
    fasta = write("astral.fa", ASTRAL_OLD + ">d5 nothing\nAAA\n>d6\nAAA\n")
    result = train(fasta, "--label-from", "astral:class")
    assert result.code == 0
    (line,) = (m for m in result.messages if "no label" in m)
    assert line.startswith("2 records have no label: d5, d6 (")
    assert train(fasta, "--label-from", "astral:class", "--strict").code == 1


def test_labels_of_a_pattern_in_the_header(train, write, output):
    fasta = write("all.fa", ">a OS=Man X=1\nAVLI\n>b OS=Mouse\nKDEK\n>c X=1\nAAA\n")
    result = train(fasta, "--label-from", r"header:OS=(\w+)")
    assert result.code == 0
    assert classes_of(output) == ["Man", "Mouse"]
    assert any("1 record has no label: c" in line for line in result.messages)


def test_labels_of_file_names_leave_the_suffixes_out(train, write, output):
    write("in/a.b.fasta", ">x\nAVLI\n")
    write("in/c.faa.gz", gzip.compress(b">y\nKDEK\n"))
    assert train(output.parent / "in").code == 0
    assert classes_of(output) == ["a.b", "c"]


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("header:(", "not a valid regular expression"),
        ("header:", "labels can come from"),
        ("astral:domain", "labels can come from"),
        ("names", "labels can come from"),
    ],
)
def test_a_bad_source_of_labels_is_refused(train, two_classes, source, reason, no_fit):
    result = train(two_classes, "--label-from", source)
    assert result.code == 2
    assert len(result.messages) == 1
    assert reason in result.messages[0]


def test_table_and_source_of_labels_exclude_each_other(train, two_classes, write):
    result = train(two_classes, "--labels", write("l.tsv", "a\tb\n"), "--label-from", "file")
    assert result.code == 2
    assert "not allowed with" in result.err


def test_standard_input_has_no_file_name_to_label_by(train, output):
    result = train("-", stdin=b">a\nAVLI\n>b\nKDEK\n")
    assert result.code == 2
    assert "standard input has no file name" in result.err
    assert not output.exists()


def test_standard_input_is_labelled_by_a_table(train, write, output):
    table = write("labels.tsv", "a\tg\nb\tk\n")
    assert train("-", "--labels", table, stdin=b">a\nAVLI\n>b\nKDEK\n").code == 0
    assert classes_of(output) == ["g", "k"]


def test_labels_of_names_that_are_not_utf8_are_written_out(train, write, output):
    write("in/b.fasta", ">y\nKDEK\n>z\nKDRR\n")
    folder = os.fsencode(write("in/a.fasta", ">x\nAVLI\n>w\nAVLL\n").parent)
    try:
        os.rename(folder + b"/a.fasta", folder + b"/caf\xe9.fasta")
    except OSError:
        pytest.skip("this file system holds UTF-8 names only")
    result = train(os.fsdecode(folder))
    assert result.code == 0
    assert result.messages[0] == r"4 sequences in 2 classes: b 2, caf\xe9 2"
    assert classes_of(output) == ["b", r"caf\xe9"]


# Classes


def test_one_class_only_is_refused(train, two_classes, output, no_fit):
    result = train(two_classes / "greasy.fasta")
    assert result.code == 2
    assert result.messages[-1].startswith("only one class, 'greasy': ")
    assert not output.exists()


def test_a_class_with_one_record_is_warned_of_and_learnt(train, two_classes, write, output):
    write("two/single.fasta", ">s\nSNQTSNTQSNQT\n")
    result = train(two_classes)
    assert result.code == 0
    assert "warning: class 'single' has only one record" in result.messages
    assert classes_of(output) == ["charged", "greasy", "single"]


def test_a_class_whose_records_are_all_unusable_is_no_class(train, two_classes, write):
    write("two/greasy.fasta", ">a\nMK1\n>b\n")
    result = train(two_classes)
    assert result.code == 2
    assert sum("greasy.fasta: record" in line for line in result.messages) == 2
    assert "only one class, 'charged'" in result.messages[-1]


# Sequences


def test_all_bad_records_are_named_at_once_and_left_out(train, two_classes, write, output):
    text = ">a\nMKV\n>b\nMK1V\n>c\n\n>d\nMKV\nLA#\n>\nMKVL\n>e\nMKL\n"
    path = write("two/greasy.fasta", text)
    result = train(two_classes)
    assert result.code == 0
    assert [line for line in result.messages if line.startswith(f"{path}: record")] == [
        f"{path}: record 2 ('b', line 3): invalid character '1' (line 4)",
        f"{path}: record 3 ('c', line 5): empty sequence",
        f"{path}: record 4 ('d', line 7): invalid character '#' (line 9)",
    ]
    assert any("1 record without an id" in line for line in result.messages)
    assert "7 sequences in 2 classes: charged 4, greasy 3" in result.messages
    assert train(two_classes, "--strict").code == 1
    assert output.exists()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the file is empty"),
        (b"\n\n \n", "only blank lines"),
        (b"MKVL\n", "not FASTA: line 1 is 'MKVL'"),
        (b"id,sequence\n", "not FASTA"),
        (gzip.compress(b">a\nMKVL\n" * 1000)[:40], "the gzip data is truncated"),
    ],
    ids=["empty", "blank", "bare sequence", "table", "truncated gzip"],
)
def test_inputs_that_are_all_unreadable_are_refused_by_name(train, write, content, reason, no_fit):
    path = write("bad/zzz.fasta", content)
    result = train(path.parent)
    assert result.code == 2
    assert result.messages[0].startswith(f"{path}: ")
    assert reason in result.messages[0]


def test_a_folder_without_fasta_is_refused(train, write, no_fit):
    folder = write("in/notes.txt", "hello").parent
    result = train(folder)
    assert result.code == 2
    assert f"{folder}: no FASTA file in this folder" in result.messages[-1]
    assert "notes.txt" in result.messages[-1]


def test_missing_inputs_are_all_named(train, two_classes, tmp_path):
    result = train(tmp_path / "one.fa", two_classes, tmp_path / "three.fa")
    assert result.code == 2
    assert len(result.messages) == 1
    assert f"{tmp_path / 'one.fa'}: No such file" in result.messages[0]
    assert f"{tmp_path / 'three.fa'}: No such file" in result.messages[0]


def test_gzip_is_known_by_its_content(train, two_classes, output, tmp_path):
    train(two_classes)
    for path in two_classes.iterdir():
        path.write_bytes(gzip.compress(path.read_bytes()))
    assert train(two_classes, output=tmp_path / "other.sfm").code == 0
    assert (tmp_path / "other.sfm").read_bytes() == output.read_bytes()


def test_line_ends_marks_and_case_change_no_bit(train, two_classes, output, tmp_path):
    train(two_classes)
    text = (two_classes / "greasy.fasta").read_bytes()
    for number, other in enumerate(
        (
            text.replace(b"\n", b"\r\n"),
            text.replace(b"\n", b"\r"),
            b"\xef\xbb\xbf" + text,
            text.replace(b"\n", b"\n\n").replace(b"VL", b"V \tL-"),
            text.replace(b"A", b"a").replace(b"V", b"v"),
            text.replace(b"\n>", b"*\n>"),
        )
    ):
        assert other != text
        (two_classes / "greasy.fasta").write_bytes(other)
        again = tmp_path / f"{number}.sfm"
        assert train(two_classes, output=again).code == 0
        assert again.read_bytes() == output.read_bytes()


def test_duplicate_ids_and_dna_are_warned_of(train, two_classes, write):
    path = write("two/dna.fasta", ">n\n" + "ACGT" * 30 + "\n>n\n" + "GGCA" * 30 + "\n")
    result = train(two_classes)
    assert result.code == 0
    assert any("1 record with a repeated id: 'n'" in line for line in result.messages)
    assert any(f"{path}: " in line and "nucleotides" in line for line in result.messages)


def test_sequences_of_length_one_and_of_200000_residues(train, write, output):
    long = "".join(np.random.default_rng(0).choice(list("AVLIG"), 200_000))
    write("in/greasy.fa", f">a\n{long}\n>b\nA\n")
    write("in/charged.fa", ">c\nK\n>d\nD\n")
    assert train(output.parent / "in").code == 0
    assert ProteinClassifier.load(output).predict(["K", long]).tolist() == ["charged", "greasy"]


def test_unlabeled_sequences_enter_training(train, two_classes, write, output, tmp_path):
    train(two_classes)
    more = write("more.fa", ">u\nAVLKDE\n>v\nKKAVLL\n>w\nLL7\n")
    other = tmp_path / "other.sfm"
    result = train(two_classes, "--unlabeled", more, output=other)
    assert result.code == 0
    assert "2 sequences without label" in result.messages
    assert any("record 3 ('w', line 5): invalid character '7'" in line for line in result.messages)
    one, two = (ProteinClassifier.load(path) for path in (output, other))
    assert not np.array_equal(one.pairs_[0].u, two.pairs_[0].u)
    result = train(two_classes, "--unlabeled", more, "--strict", output=other)
    assert result.code == 1
    result = train(two_classes, "--unlabeled", tmp_path / "none.fa", output=other)
    assert result.code == 2
    assert "none.fa: No such file" in result.err


# Parameters


@pytest.mark.parametrize("preset", ["best", "paper"])
def test_one_and_two_threads_give_the_same_file(train, peptides, tmp_path, preset):
    for threads in (1, 2):
        result = train(
            peptides / "antimicrobial.fasta",
            peptides / "random.fasta",
            peptides / "transmembrane.fasta",
            *("--preset", preset, "--threads", threads, "--set", "max_iter=1"),
            *("--set", "n_restarts=0", "--set", "max_proposals=8"),
            output=tmp_path / str(threads),
        )
        assert result.code == 0
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()


def test_same_seed_gives_the_same_file_and_another_seed_does_not(train, two_classes, tmp_path):
    for name, seed in (("a", 7), ("b", 7), ("c", 8)):
        assert train(two_classes, "--seed", seed, output=tmp_path / name).code == 0
    a, b, c = ((tmp_path / name).read_bytes() for name in "abc")
    assert a == b != c


def test_options_reach_the_classifier(train, two_classes, output):
    result = train(
        two_classes,
        *("--preset", "paper", "--seed", "5", "--set", "n_restarts=1", "--set", "max_iter=2"),
        *("--set", "C=bound", "--set", "refit=False", "--set", "vote=raw"),
    )
    assert result.code == 0
    parameters = ProteinClassifier.load(output).short_params()
    expected = {
        "n_states": 2, "n_init": 1, "em_max_iter": 8, "random_state": 5, "n_draws": 5,
        "coupling": 1.0, "conditioning": False, "n_restarts": 1, "C": "bound", "refit": False,
        "vote": "raw",
    }  # fmt: skip
    assert {name: parameters[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ("coupling=1", "coupling feeds the classifier back.*set n_draws to an integer"),
        ("coupling=much", "coupling must be a number from 0 to 1, got 'much'"),
        ("n_draws=0", "n_draws must be a whole number of at least 1, got 0"),
        ("n_draws=some", "n_draws must be a positive integer or 'exact', got 'some'"),
        ("C=0", "C must be a number above 0, or 'bound', got 0"),
        ("C=1e999", "C must be a number above 0"),
        ("refit=false", "refit must be True or False, got 'false'"),
        ("em_max_iter=0", "em_max_iter must be a whole number of at least 1"),
        ("em_tol=low", "em_tol must be a number of at least 0"),
    ],
)
def test_a_bad_value_is_refused_by_name(train, two_classes, output, setting, reason, no_fit):
    result = train(two_classes, "--set", setting)
    assert result.code == 2
    assert len(result.messages) == 1
    assert re.match(reason, result.messages[0])
    assert not output.exists()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--set", "colour=blue"], "must be NAME=VALUE with a NAME of C, "),
        (["--set", "coupling"], "must be NAME=VALUE"),
        (["--set", "random_state=3"], "random_state has its own option: --seed"),
        (["--set", "n_jobs=3"], "n_jobs has its own option: --threads"),
        (["--set", "verbose=1"], "verbose has its own option: --quiet"),
        (["--states", "0"], "argument --states: must be a whole number of 1 to 999999999, got '0'"),
        (["--states", "ten"], "argument --states: must be a whole number"),
        (["--seed", "-1"], "argument --seed: "),
        (
            ["--threads", "0"],
            "argument --threads: must be a whole number of 1 to 999999999, got '0'",
        ),
        (["--preset", "swift"], "argument --preset: invalid choice: 'swift'"),
        (["--save-groups", "g.tsv"], "unrecognized arguments: --save-groups"),
    ],
)
def test_bad_usage_is_refused_by_option(train, two_classes, arguments, reason):
    result = train(two_classes, *arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("usage: sfmbio ")
    assert reason in result.err.splitlines()[-1]


def test_input_and_output_are_required(run, two_classes):
    assert "required: INPUT" in run("train", "-o", "x").err
    result = run("train", two_classes)
    assert result.code == 2
    assert "required: -o/--output" in result.err


# Output


def test_an_output_that_cannot_be_written_is_refused_before_the_work(
    train, two_classes, tmp_path, no_fit
):
    for output, reason in (
        (tmp_path / "no" / "such" / "m.sfm", "No such file or directory"),
        (two_classes, "Is a directory"),
        (f"{tmp_path}/new/", "Is a directory"),
        (two_classes / "greasy.fasta" / "m.sfm", "Not a directory"),
    ):
        result = train(two_classes, output=output)
        assert result.code == 2
        assert result.messages == [f"{output}: {reason}"]
    result = train(two_classes, output="-")
    assert (result.code, result.messages) == (
        2,
        ["-o -: a model can't go to standard output, give a file name"],
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_an_output_without_permission_is_refused_before_the_work(
    train, two_classes, tmp_path, no_fit
):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o555)
    old = tmp_path / "old.sfm"
    old.write_bytes(b"old")
    old.chmod(0o444)
    for output in (closed / "m.sfm", old):
        result = train(two_classes, output=output)
        assert (result.code, result.messages) == (2, [f"{output}: Permission denied"])


def test_an_old_model_is_replaced_only_by_a_whole_new_one(train, two_classes, output):
    output.write_bytes(b"old")
    assert train(two_classes, "--set", "coupling=1").code == 2
    assert output.read_bytes() == b"old"
    assert train(two_classes).code == 0
    assert classes_of(output) == ["charged", "greasy"]


@pytest.mark.parametrize(
    ("number", "threads"),
    [
        (signal.SIGINT, 1),
        (signal.SIGTERM, 2),
        pytest.param(signal.SIGHUP, 2, marks=pytest.mark.slow),
        *(
            pytest.param(number, threads, marks=pytest.mark.long)
            for number, threads in ((signal.SIGINT, 2), (signal.SIGTERM, 1), (signal.SIGHUP, 1))
        ),
    ],
)
def test_an_interrupted_training_leaves_nothing_behind(start, peptides, tmp_path, number, threads):
    output = tmp_path / "out.sfm"
    output.write_bytes(b"old")
    arguments = ["--states", "10", "--set", "n_init=1000000", "--threads", threads]
    process = start("train", peptides, "-o", output, *arguments)
    try:
        while b"3 classes" not in (line := process.stderr.readline()):
            assert line, "it ended before it began"
        time.sleep(0.1)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, out, err) == (130, b"", b"sfmbio: interrupted\n")
    assert [path.name for path in tmp_path.iterdir()] == ["out.sfm"]
    assert output.read_bytes() == b"old"


def test_an_interrupt_while_writing_leaves_nothing_behind(
    train, two_classes, tmp_path, output, monkeypatch
):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("sfmcore.files.atomic.os.replace", interrupt)
    result = train(two_classes)
    assert (result.code, result.messages[-1]) == (130, "interrupted")
    assert [path.name for path in tmp_path.iterdir()] == ["two"]


def test_a_disk_that_fills_up_is_said_in_a_sentence(train, two_classes, output, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sfmcore.files.atomic.os.fsync", full)
    result = train(two_classes)
    assert result.code == 2
    assert result.messages[-1] == f"cannot write {output}: No space left on device"
    assert not output.exists()


def test_too_little_memory_is_said_in_a_sentence(train, two_classes, monkeypatch):
    def fit(*_, **__):
        raise MemoryError("Unable to allocate 9.31 TiB")

    monkeypatch.setattr(ProteinClassifier, "fit", fit)
    result = train(two_classes)
    assert result.code == 2
    assert result.messages[-1] == "out of memory: Unable to allocate 9.31 TiB"


# The program


@pytest.mark.parametrize("command", [[], ["train"], ["predict"], ["evaluate"], ["info"]])
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_names_the_command_and_its_options(run, command, option):
    result = run(*command, option)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(" ".join(["usage: sfmbio", *command]))
    expected = {
        "train": ("--labels", "--label-from", "--unlabeled", "--preset", "--states", "--seed"),
        "predict": ("--min-confidence", "--output", "--threads", "--strict", "--quiet"),
        "evaluate": ("--partitions", "--group-by", "--json", "--preset", "--labels"),
        "info": ("MODEL",),
    }
    names = expected[command[0]] if command else tuple(expected)
    assert all(name in result.out for name in names)


def test_version(run):
    result = run("--version")
    assert (result.code, result.err) == (0, "")
    assert result.out == f"sfmbio (sfm-pacbayes) {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [([], "required: COMMAND"), (["learn"], "invalid choice: 'learn'"), (["--fast"], "required")],
)
def test_a_missing_or_unknown_command_is_refused(run, arguments, reason):
    result = run(*arguments)
    assert (result.code, result.out) == (2, "")
    assert reason in result.err


def test_exit_code_of_the_process_is_that_of_the_command(start, tmp_path):
    process = start("train", tmp_path, "-o", tmp_path / "m.sfm")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, b"")
    assert err.decode().startswith(f"sfmbio: {tmp_path}: no FASTA file in this folder")
    assert err.count(b"\n") == 1


def test_main_can_be_called_outside_the_main_thread(two_classes, tmp_path, small):
    # Only the main thread may set signal handlers.
    from concurrent.futures import ThreadPoolExecutor

    arguments = ["train", str(two_classes), "-o", str(tmp_path / "m.sfm"), "--quiet", *small]
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(main, arguments).result() == 0


def test_states_are_given_once(run, peptides, tmp_path):
    result = run("train", peptides, "-o", tmp_path / "m.sfm", "--states", 3, "--set", "n_states=4")
    assert result.code == 2
    assert result.messages == [
        "--states and --set n_states set the same parameter: give one of them"
    ]


def test_of_large_files_a_sample_is_learnt_from(train, tmp_path, output):
    random = np.random.default_rng(0)
    given, kept = tmp_path / "given", tmp_path / "kept"
    given.mkdir()
    kept.mkdir()
    for name, alphabet in (("a", "avli"), ("b", "kder")):
        sequences = ("".join(random.choice(list(alphabet), 20)) for _ in range(40))
        records = [f">{name}{place}\n{text}\n" for place, text in enumerate(sequences)]
        (given / f"{name}.fasta").write_text("".join(records))
    done = train(given, "--most-residues", 600)
    assert done.code == 0
    said = done.err
    count = int(re.search(r"a sample of (\d+) of them with (\d+) residues", said)[1])
    assert 0 < count < 80
    assert "80 sequences in 2 classes: a 40, b 40" in said
    sampled = read_sequences([given], ReadReport(), parse_label_spec("file"),
                             sample=ClassSample(600, 0))  # fmt: skip
    assert len(sampled.records) == count
    for name in "ab":
        chosen = {record.id for record in sampled.records}
        records = (given / f"{name}.fasta").read_text().split(">")[1:]
        own = [f">{text}" for text in records if text.split()[0] in chosen]
        (kept / f"{name}.fasta").write_text("".join(own))
    whole = output.read_bytes()
    output.unlink()
    assert train(kept).code == 0
    assert output.read_bytes() == whole


@pytest.mark.parametrize("number", ["0", "-5", "many"])
def test_a_sample_has_residues(train, two_classes, no_fit, number):
    done = train(two_classes, "--most-residues", number)
    assert done.code == 2
    assert "must be a whole number" in done.err
