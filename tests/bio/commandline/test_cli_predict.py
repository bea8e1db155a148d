"""``sfmbio predict``: one row for each record, in order, whatever is in the files."""

import gzip
import signal
import struct
import time
from pathlib import Path

import numpy as np
import pytest
from Bio.SeqIO.FastaIO import SimpleFastaParser

from sfmbio import ProteinClassifier
from sfmbio.commandline.prediction import COLUMNS

HEADER = (
    "id\tlabel\tconfidence\tstatus\tsecond_label\tsecond_confidence\tlength"
    "\tnearest\tnearest_label\tidentity\te_value\ttypicality\n"
)
NEAR = ("nearest", "nearest_label", "identity", "e_value")
CLASSES = ["antimicrobial", "random", "transmembrane"]


@pytest.fixture
def predict(run, model):
    """Predict by the model of the peptides."""

    def call(*arguments, **keywords):
        return run("predict", model, *arguments, **keywords)

    return call


@pytest.fixture
def some(write):
    """Three good records."""
    return write("some.fa", ">a first\nGIGKFLHSAKKF\n>b\nLLVVAIGLLFVLALL\n>c\nKGASHFIHGR\n")


@pytest.fixture
def mixed(write):
    """Good and bad records in turns."""
    text = ">a\nMKVLA\n>b\nMK7\n>c\nLLVV\n>d\n\n>e\nKGAS\n"
    return write("mixed.fa", text)


@pytest.fixture(scope="session")
def many(tmp_path_factory):
    """More records than one chunk of prediction and one buffer of a pipe hold."""
    random = np.random.default_rng(0)
    letters = np.array(list("ACDEFGHIKLMNPQRSTVWY"))
    path = tmp_path_factory.mktemp("many") / "many.fa"
    lines = [
        f">r{number}\n{''.join(random.choice(letters, 1 + number % 7))}\n" for number in range(5000)
    ]
    path.write_text("".join(lines))
    return path


def states(result):
    return [row["status"] for row in result.rows]


# The table


def test_columns_are_fixed_and_each_record_has_a_row_in_order(predict, peptides):
    files = [peptides / f"{label}.fasta" for label in ("random", "antimicrobial")]
    result = predict(*files)
    assert result.code == 0
    assert result.out.startswith(HEADER)
    assert tuple(HEADER.rstrip("\n").split("\t")) == COLUMNS
    records = []
    for path in files:
        with open(path) as file:
            records += list(SimpleFastaParser(file))
    assert [row["id"] for row in result.rows] == [title.split()[0] for title, _ in records]
    assert [row["length"] for row in result.rows] == [str(len(text)) for _, text in records]
    assert set(states(result)) == {"ok"}


def test_training_peptides_get_mostly_their_own_label(predict, peptides):
    for label in CLASSES:
        rows = predict(peptides / f"{label}.fasta").rows
        # A third by chance. Measured: 78 to 92 % with two states.
        assert np.mean([row["label"] == label for row in rows]) > 0.7


def test_confidences_are_the_two_largest_shares(predict, peptides, model):
    rows = predict(peptides / "random.fasta").rows
    with open(peptides / "random.fasta") as file:
        sequences = [text for _, text in SimpleFastaParser(file)]
    classifier = ProteinClassifier.load(model)
    shares = classifier.predict_proba(sequences)
    assert [row["label"] for row in rows] == classifier.predict(sequences).tolist()
    order = np.argsort(-shares, axis=1)
    assert [row["second_label"] for row in rows] == classifier.classes_[order[:, 1]].tolist()
    for row, own in zip(rows, np.sort(shares, axis=1), strict=True):
        assert row["confidence"] == f"{own[-1]:.4f}"
        assert row["second_confidence"] == f"{own[-2]:.4f}"


def test_the_nearest_training_records_are_named(predict, peptides, write, model):
    rows = predict(peptides / "antimicrobial.fasta").rows
    assert np.mean([row["nearest"] == row["id"] for row in rows]) > 0.9
    for row in rows:
        if row["nearest"] == row["id"]:
            assert (row["nearest_label"], row["identity"]) == ("antimicrobial", "1.0000")
            assert float(row["e_value"]) < 10
    # As Python has it, and nothing where nothing is near.
    fasta = write("q.fa", ">a\nGIGKFLHSAKKFGKAFVGEIMNS\n>b\nXXXXXXXX\n>c\nMK7\n")
    near, unknown, bad = predict(fasta).rows
    found = ProteinClassifier.load(model).nearest(["GIGKFLHSAKKFGKAFVGEIMNS"])
    assert near["nearest"] == found.ids[0]
    assert near["nearest_label"] == found.labels[0]
    assert near["identity"] == f"{found.identity[0]:.4f}"
    assert near["e_value"] == f"{found.e_value[0]:.2e}"
    for row in (unknown, bad):
        assert [row[name] for name in NEAR] == [""] * 4
    assert unknown["status"] == "ok"


def test_unlabelled_records_are_near_too_and_have_no_label(run, peptides, small, write, tmp_path):
    fasta = write("more.fa", ">u1\nWWHHCCYYWWHHCCYYWWHHCC\n")
    path = tmp_path / "with.sfm"
    assert run("train", peptides, "-o", path, *small, "--unlabeled", fasta).code == 0
    [row] = run("predict", path, fasta).rows
    assert [row[name] for name in NEAR[:3]] == ["u1", "", "1.0000"]


def test_a_model_without_training_sequences_names_none(run, peptides, small, some, tmp_path):
    path = tmp_path / "without.sfm"
    assert run("train", peptides, "-o", path, *small, "--set", "reference_residues=0").code == 0
    for row in run("predict", path, some).rows:
        assert [row[name] for name in NEAR] == [""] * 4


@pytest.mark.parametrize("settings", [["vote=raw"], ["n_draws=2", "max_iter=1", "vote=raw"]])
def test_label_is_that_of_the_classifier_however_it_votes(
    run, all_peptides, small, tmp_path, settings
):
    path = tmp_path / "other.sfm"
    # Rows of a kernel have one length, so that raw votes are the normalised ones.
    # Where relatives are weighed, no vote decides.
    settings = [*settings, "n_landmarks=0", "n_directions=0", "reference_residues=0", "n_pairs=3"]
    options = [text for setting in settings for text in ("--set", setting)]
    assert run("train", all_peptides, "-o", path, *small, *options).code == 0
    rows = run("predict", path, all_peptides).rows
    sequences = []
    for label in CLASSES:
        with open(all_peptides / f"{label}.fasta") as file:
            sequences += [text for _, text in SimpleFastaParser(file)]
    classifier = ProteinClassifier.load(path)
    labels = classifier.predict(sequences)
    assert [row["label"] for row in rows] == labels.tolist()
    assert np.array_equal(
        labels, classifier.classes_[classifier.predict_proba(sequences).argmax(1)]
    )
    # Otherwise this test says nothing.
    assert np.any(labels != classifier.classes_[classifier.vote_shares(sequences).argmax(1)])


def test_two_classes_have_shares_that_sum_to_one(run, two_classes, small, some, tmp_path):
    path = tmp_path / "two.sfm"
    run("train", two_classes, "-o", path, *small)
    for row in run("predict", path, some).rows:
        assert {row["label"], row["second_label"]} == {"greasy", "charged"}
        total = float(row["confidence"]) + float(row["second_confidence"])
        assert total == pytest.approx(1.0, abs=2e-4)
        assert float(row["confidence"]) >= float(row["second_confidence"])


def test_output_file_equals_standard_output(predict, mixed, tmp_path):
    shown = predict(mixed)
    result = predict(mixed, "-o", tmp_path / "out.tsv")
    assert (result.code, result.out) == (0, "")
    assert (tmp_path / "out.tsv").read_bytes() == shown.out.encode()
    assert result.err == shown.err
    assert predict(mixed, "-o", "-").out == shown.out


def test_standard_input_equals_a_file(predict, mixed):
    shown = predict(mixed)
    for data in (mixed.read_bytes(), gzip.compress(mixed.read_bytes())):
        result = predict("-", stdin=data)
        assert (result.code, result.out) == (0, shown.out)
        assert result.messages[0].startswith("<stdin>: record 2 ('b', line 3): ")


def test_standard_input_among_files_comes_in_its_place(predict, some, write):
    other = write("other.fa", ">z\nMKV\n")
    result = predict(other, "-", other, stdin=some.read_bytes())
    assert [row["id"] for row in result.rows] == ["z", "a", "b", "c", "z"]
    result = predict("-", "-", stdin=some.read_bytes())
    assert result.code == 2
    assert "standard input can be read only once" in result.err


def test_every_table_is_utf8_whatever_the_ids_hold(start, predict, model, write, tmp_path):
    ids = [b"caf\xe9", "café".encode(), b"\xff\xfe", b"a|b;c,d", b"s\x1b[1m"]
    shown = [rb"caf\xe9", "café".encode(), rb"\xff\xfe", b"a|b;c,d", rb"s\x1b[1m"]
    path = write("ids.fa", b"".join(b">" + name + b" rest\nMKV\n" for name in ids))
    sentence = (
        f"sfmbio: {path}: 3 headers with bytes that are not UTF-8 or control characters, which "
        r"are written as \xNN: caf\xe9"
    )
    for environment in ({"LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii:strict"}):
        process = start("predict", model, path, "--quiet", environment=environment)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, err.decode().splitlines()) == (0, [sentence])
        assert [line.split(b"\t")[0] for line in out.splitlines()[1:]] == shown
    assert predict(path, "--quiet", "-o", tmp_path / "out.tsv").code == 0
    assert (tmp_path / "out.tsv").read_bytes() == out


# Everything that files hold


def as_file(*records):
    return "".join(f">{name}\n{text}\n" for name, text in records)


CLEAN = as_file(("a", "GIGKFLHSAKKFGKAF"), ("b", "LLVVAIGLLFVLALLV"))
SPELLINGS = {
    "CRLF": CLEAN.replace("\n", "\r\n"),
    "bare CR": CLEAN.replace("\n", "\r"),
    "BOM": "\ufeff" + CLEAN,
    "no line end at the end": CLEAN.removesuffix("\n"),
    "blank lines": "\n\n" + CLEAN.replace("\n", "\n\n"),
    "spaces and tabs": CLEAN.replace("KF", " K\tF ").replace("LV\n", "LV \n"),
    "wrapped lines": CLEAN.replace("LL", "L\nL").replace("K", "K\n"),
    "stop at the end": CLEAN.replace("F\n>", "F*\n>"),
    "gaps": CLEAN.replace("KK", "K--..K"),
    "lower case": CLEAN.replace("GIGKFLHSAKKFGKAF", "gigkflhsakkfgkaf"),
    "gzip": gzip.compress(CLEAN.encode()),
    "two gzip members": gzip.compress(CLEAN[:20].encode()) + gzip.compress(CLEAN[20:].encode()),
}


@pytest.mark.parametrize("name", list(SPELLINGS))
def test_another_spelling_gives_the_same_table(predict, write, name):
    expected = predict(write("clean.fa", CLEAN)).out
    # The name does not say how it is packed.
    result = predict(write("other.fa", SPELLINGS[name]))
    assert (result.code, result.out) == (0, expected)


def test_bgzip_is_read_and_a_missing_end_is_told(predict, write):
    block = gzip.compress(CLEAN.encode(), mtime=0)
    body = block[10:]
    extra = struct.pack("<2sHH", b"BC", 2, len(body) + 18 - 1)
    bgzf = b"\x1f\x8b\x08\x04" + bytes(4) + b"\x00\xff" + struct.pack("<H", 6) + extra + body
    end = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")
    expected = predict(write("clean.fa", CLEAN)).out
    whole, cut = predict(write("a.gz", bgzf + end)), predict(write("b.gz", bgzf))
    assert whole.out == cut.out == expected
    assert "cut short" not in whole.err
    assert "the file may be truncated" in cut.err


def test_bad_records_have_a_row_with_their_status_and_the_others_are_predicted(predict, write):
    text = ">a\nMKVLA\n>b\nMK7\n>c\nLLVV\n>d\n\n>\nKGAS\n>e\nLA#\nL1\n>f\n*-*\n>g\nMKVLA\n"
    path = write("mixed.fa", text)
    result = predict(path)
    assert result.code == 0
    found = [(row["id"], row["status"]) for row in result.rows]
    assert found == [
        ("a", "ok"),
        ("b", "invalid character '7' (line 4)"),
        ("c", "ok"),
        ("d", "empty sequence"),
        ("record_5", "ok"),
        ("e", "invalid character '#' (line 12) and 1 more"),
        ("f", "empty sequence"),
        ("g", "ok"),
    ]
    for row in result.rows:
        usable = row["status"] == "ok"
        for column in ("label", "confidence", "second_label", "second_confidence", "length"):
            assert bool(row[column]) == usable
        assert usable or not any(row[column] for column in set(COLUMNS) - {"id", "status"})
    # All of the bad ones are named, by record and line, and only they.
    named = [line for line in result.messages if line.startswith(f"{path}: record ")]
    assert named == [
        f"{path}: record 2 ('b', line 3): invalid character '7' (line 4)",
        f"{path}: record 4 ('d', line 7): empty sequence",
        f"{path}: record 6 ('e', line 11): invalid character '#' (line 12) and 1 more",
        f"{path}: record 7 ('f', line 14): empty sequence",
    ]
    assert any(
        line.startswith(f"{path}: 1 record without an id, named") for line in result.messages
    )
    assert result.messages[-1] == "8 rows, 4 without label"
    # A bad neighbour changes nothing.
    alone = predict(write("alone.fa", ">a\nMKVLA\n>g\nMKVLA\n")).rows
    assert [result.rows[0], result.rows[-1]] == alone


def test_a_file_of_bad_records_only_is_a_table_without_labels(predict, write):
    result = predict(write("bad.fa", ">a\n1\n>b\n\n"))
    assert result.code == 0
    assert [row["label"] for row in result.rows] == ["", ""]


def test_strict_says_by_the_exit_code_that_something_was_left_out(predict, mixed, some):
    strict = predict(mixed, "--strict")
    assert strict.code == 1
    assert strict.out == predict(mixed).out
    assert predict(some, "--strict").code == 0


def test_stops_and_unknowns_inside_are_read_and_counted(predict, write):
    path = write("odd.fa", ">a\nMKV*LA\n>b\nBZJUOX\n>c\nmkvXlav\n")
    result = predict(path)
    assert states(result) == ["ok"] * 3
    assert [row["length"] for row in result.rows] == ["6", "6", "7"]
    assert f"{path}: 1 stop inside sequences read as breaks" in result.messages
    assert any("read as unknown residues" in line and "1 letter U" in line for line in
               result.messages)  # fmt: skip


def test_duplicate_ids_are_kept_and_warned_of(predict, write, some):
    result = predict(write("twice.fa", ">a\nMKV\n>b\nLLL\n>a\nAAA\n"), some)
    assert [row["id"] for row in result.rows] == ["a", "b", "a", "a", "b", "c"]
    (line,) = (line for line in result.messages if "a repeated id" in line)
    assert line.startswith("2 files: 3 records with a repeated id: 'a' (record 1 of ")


def test_dna_is_predicted_and_warned_of(predict, write):
    path = write("genes.fa", as_file(*((f"n{number}", "ACGT" * 20) for number in range(3))))
    result = predict(path)
    assert states(result) == ["ok"] * 3
    assert sum("nucleotides, not proteins" in line for line in result.messages) == 1
    assert any(line.startswith(f"{path}: ") for line in result.messages)


@pytest.mark.parametrize("length", [1, 200_000])
def test_a_record_of_any_length_has_a_row(predict, write, length):
    text = "".join(np.random.default_rng(0).choice(list("ACDEFGHIKLMNPQRSTVWY"), length))
    result = predict(write("long.fa", as_file(("a", "MKV"), ("long", text), ("z", "MKV"))))
    assert [row["length"] for row in result.rows] == ["3", str(length), "3"]
    assert result.rows[0]["confidence"] == result.rows[2]["confidence"]
    assert result.rows[1]["label"] in CLASSES


def test_a_folder_stands_for_its_fasta_files_in_order_of_name(predict, write):
    write("in/b.fa", ">b\nMKV\n")
    write("in/a.FASTA", ">a\nMKV\n")
    write("in/c.faa.gz", gzip.compress(b">c\nMKV\n"))
    write("in/deep/d.fa", ">d\nMKV\n")
    result = predict(write("in/notes.txt", "x").parent)
    assert [row["id"] for row in result.rows] == ["a", "b", "c"]
    assert any("not read: deep, notes.txt" in line for line in result.messages)


UNREADABLE = {
    "empty": (b"", "the file is empty"),
    "blank": (b"\n \n\t\n", "only blank lines"),
    "no header": (b"MKVLA\n", "not FASTA: line 1 is 'MKVLA' instead of a '>' header"),
    "FASTQ": (b"@a\nACGT\n+\n!!!!\n", "not FASTA: line 1 is '@a'"),
    "truncated gzip": (gzip.compress(CLEAN.encode())[:30], "the gzip data is truncated"),
    "damaged gzip": (gzip.compress(CLEAN.encode())[:-8] + bytes(8), "the gzip data is corrupt"),
    "zip": (b"PK\x03\x04" + bytes(100), "a ZIP archive"),
}


@pytest.mark.parametrize("name", list(UNREADABLE))
def test_an_unreadable_file_is_refused_in_a_sentence(predict, write, tmp_path, name):
    content, reason = UNREADABLE[name]
    path = write("bad.fa", content)
    result = predict(path, "-o", tmp_path / "out.tsv")
    assert (result.code, result.out) == (2, "")
    assert len(result.messages) == 1
    assert result.messages[0].startswith(f"{path}: ")
    assert reason in result.messages[0]
    assert not (tmp_path / "out.tsv").exists()
    assert predict(path).code == 2


def test_an_unreadable_first_file_leaves_standard_output_empty(predict, write):
    assert predict(write("bad.fa", "MKV\n")).out == ""


def test_gzip_that_breaks_off_later_has_rows_of_what_came_whole(predict, write, tmp_path):
    random = np.random.default_rng(0)
    letters = np.array(list("ACDEFGHIKLMNPQRSTVWY"))
    text = as_file(*((f"r{n}", "".join(random.choice(letters, 200))) for n in range(2000)))
    packed = gzip.compress(text.encode())
    path = write("cut.fa", packed[: len(packed) // 2])
    result = predict(path)
    assert result.code == 2
    count = len(result.rows)
    assert 100 < count < 1100
    assert [row["id"] for row in result.rows] == [f"r{number}" for number in range(count)]
    assert f"{path}: the gzip data is truncated, after record {count}, near" in result.err
    assert result.messages[-1] == "1 of 1 file can't be read, see above"


def test_a_folder_without_fasta_is_refused(predict, write):
    folder = write("in/notes.txt", "x").parent
    result = predict(folder)
    assert (result.code, result.out) == (2, "")
    assert f"{folder}: no FASTA file in this folder" in result.messages[0]


def test_missing_files_are_all_named_before_any_output(predict, some, tmp_path):
    result = predict(some, tmp_path / "x.fa", tmp_path / "y.fa")
    assert (result.code, result.out) == (2, "")
    for name in ("x.fa", "y.fa"):
        assert f"{tmp_path / name}: No such file or directory" in result.messages[0]


# Confidence


def test_below_the_asked_confidence_a_record_is_unclassified(predict, all_peptides):
    plain = predict(all_peptides / "random.fasta").rows
    asked = predict(all_peptides / "random.fasta", "--min-confidence", "0.8").rows
    unsure = [float(row["confidence"]) < 0.8 for row in plain]
    assert 0 < sum(unsure) < len(plain)
    for before, after, is_unsure in zip(plain, asked, unsure, strict=True):
        changed = {"label": "unclassified", "status": "confidence below 0.8"} if is_unsure else {}
        assert after == {**before, **changed}


def test_a_record_of_just_the_asked_confidence_is_classified(predict, some, model):
    shares = ProteinClassifier.load(model).predict_proba(["GIGKFLHSAKKF"])
    limit = repr(float(shares.max()))
    assert predict(some, "--min-confidence", limit).rows[0]["status"] == "ok"
    limit = repr(float(np.nextafter(shares.max(), 1)))
    assert predict(some, "--min-confidence", limit).rows[0]["label"] == "unclassified"


def test_least_and_largest_confidence_that_can_be_asked_for(predict, some):
    assert predict(some, "--min-confidence", "0").out == predict(some).out
    rows = predict(some, "--min-confidence", "1").rows
    assert {row["label"] for row in rows} == {"unclassified"}


@pytest.mark.parametrize("value", ["1.01", "-0.1", "nan", "high", ""])
def test_an_impossible_confidence_is_refused(predict, some, value):
    result = predict(some, f"--min-confidence={value}")
    assert (result.code, result.out) == (2, "")
    assert "argument --min-confidence: must lie between 0 and 1" in result.err


def test_unclassified_records_are_no_reason_for_strict(predict, some):
    assert predict(some, "--min-confidence", "1", "--strict").code == 0


# Reproducibility


def test_number_of_threads_changes_no_byte(predict, many):
    tables = [predict(many, "--threads", threads).out for threads in (1, 2, 3)]
    assert tables[0] == tables[1] == tables[2]
    assert len(tables[0].splitlines()) == 5001


def test_bad_records_keep_their_place_among_chunks(predict, many, write):
    lines = many.read_text().splitlines()
    for number in (0, 2047, 2048, 4999):
        lines[2 * number + 1] = "1"
    result = predict(write("bad.fa", "\n".join(lines)), "--threads", 2)
    assert [row["id"] for row in result.rows] == [f"r{number}" for number in range(5000)]
    bad = [number for number, status in enumerate(states(result)) if status != "ok"]
    assert bad == [0, 2047, 2048, 4999]


def test_drawn_votes_do_not_depend_on_the_file_around(run, peptides, small, tmp_path, write):
    path = tmp_path / "draws.sfm"
    options = ["--preset", "paper", "--set", "max_iter=1", "--set", "n_restarts=0"]
    assert (
        run("train", peptides, "-o", path, *options, *small, "--set", "max_proposals=8").code == 0
    )
    rows = run("predict", path, peptides).rows
    with open(peptides / "transmembrane.fasta") as file:
        title, text = list(SimpleFastaParser(file))[7]
    alone = run("predict", path, write("one.fa", f">{title}\n{text}\n")).rows
    assert alone == [row for row in rows if row["id"] == title]


# Bad usage


def test_what_is_no_model_is_refused_in_a_sentence(run, some, model, write, tmp_path):
    whole = model.read_bytes()
    for path, reason in (
        (some, "is not a model file of sfm-pacbayes"),
        (tmp_path / "none.sfm", "does not exist"),
        (tmp_path, "is a folder, not a model file"),
        (write("empty.sfm", b""), "is empty"),
        (write("cut.sfm", whole[: len(whole) // 2]), "is cut short or changed"),
        (write("bad.sfm", whole.replace(b"transmembrane", b"transmembrain", 1)), "is damaged"),
    ):
        result = run("predict", path, some)
        assert (result.code, result.out) == (2, "")
        assert len(result.messages) == 1
        assert str(path) in result.messages[0]
        assert reason in result.messages[0]


def test_a_model_given_as_sequences_is_refused(predict, model):
    result = predict(model)
    assert (result.code, result.out) == (2, "")
    assert f"{model}: this looks like a ZIP archive" in result.messages[0]


def test_a_model_and_an_input_are_required(run, model):
    assert run("predict").code == 2
    result = run("predict", model)
    assert result.code == 2
    assert "required: INPUT" in result.err


@pytest.mark.parametrize("name", ["some", "model", "link"])
def test_an_output_that_is_also_read_is_refused(run, model, write, tmp_path, name):
    paths = {"model": write("m.sfm", model.read_bytes()), "some": write("a.fa", ">a\nMKV\n")}
    paths["link"] = tmp_path / "link.tsv"
    paths["link"].symlink_to(paths["some"])
    before = paths[name].read_bytes()
    result = run("predict", paths["model"], tmp_path / "a.fa", "-o", paths[name])
    message = f"{paths[name]}: this output would overwrite an input: give another name"
    assert (result.code, result.out, result.messages) == (2, "", [message])
    assert paths[name].read_bytes() == before


def test_an_input_without_a_name_is_not_the_present_folder(predict, some):
    result = predict(some, "")
    assert (result.code, result.out, result.messages) == (2, "", ["'': an empty name"])


def test_an_output_that_cannot_be_written_is_refused(predict, some, tmp_path):
    for output, reason in (
        (tmp_path / "no" / "out.tsv", "No such file or directory"),
        (tmp_path, "Is a directory"),
    ):
        result = predict(some, "-o", output)
        assert (result.code, result.messages) == (2, [f"{output}: {reason}"])


# Streams and signals


def test_quiet_leaves_only_what_is_wrong_on_standard_error(predict, some, mixed):
    assert predict(some, "--quiet").err == ""
    assert predict(some).messages == ["3 rows, 0 without label"]
    result = predict(mixed, "--quiet")
    assert [line.split(": ")[1] for line in result.messages] == [
        "record 2 ('b', line 3)",
        "record 4 ('d', line 7)",
    ]


def test_a_reader_that_goes_away_is_no_error(start, model, many):
    # 5,000 rows are more than a pipe holds.
    process = start("predict", model, many, many, "--quiet")
    assert process.stdout.readline() == HEADER.encode()
    process.stdout.close()
    assert (process.wait(timeout=60), process.stderr.read()) == (141, b"")


def test_closed_streams_do_no_harm(start, model, mixed):
    process = start("predict", model, mixed, closed=1)
    _, err = process.communicate(timeout=60)
    # A table that goes nowhere is no success.
    assert process.returncode == 2
    assert err == b"sfmbio: standard output is closed\n"
    process = start("predict", model, mixed, closed=2)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    # What goes to standard error must not turn up in the table.
    assert out.startswith(HEADER.encode())
    assert out.count(b"\n") == 6


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_said_in_a_sentence(start, model, some):
    with open("/dev/full", "wb") as full:
        process = start("predict", model, some, "--quiet", stdout=full)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (2, b"sfmbio: No space left on device\n")


@pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=["INT", "TERM", "HUP"]
)
def test_an_interrupted_prediction_leaves_nothing_behind(start, model, tmp_path, number):
    output = tmp_path / "out.tsv"
    output.write_text("old")
    process = start("predict", model, "-", "-o", output)
    try:
        process.stdin.write(b">a\nMKV\n>b\nLLV\n")
        process.stdin.flush()
        # The hidden file shows that the work has begun.
        deadline = time.monotonic() + 60
        while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        assert len(list(tmp_path.iterdir())) == 2
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, out, err) == (130, b"", b"sfmbio: interrupted\n")
    assert [path.name for path in tmp_path.iterdir()] == ["out.tsv"]
    assert output.read_text() == "old"


# Real data


@pytest.mark.slow
def test_every_record_of_astral_gets_its_row_in_order(run, proteins, tmp_path):
    folder = proteins / "four_class"
    files = sorted(folder.glob("*.fasta"))
    assert len(files) == 4
    path = tmp_path / "four.sfm"
    settings = ["--set", "em_max_iter=30", "--set", "n_init=1"]
    assert run("train", *files, "-o", path, "--states", 5, *settings).code == 0
    scop = proteins / "scop_1_53" / "scop.1.53.1e-25.fasta"
    with open(scop) as file:
        ids = [line[1:].split()[0] for line in file if line.startswith(">")]
    result = run("predict", path, scop)
    assert result.code == 0
    assert len(ids) == len(result.rows) == 4352
    assert [row["id"] for row in result.rows] == ids
    assert {row["label"] for row in result.rows} <= {file.stem for file in files}
    assert set(states(result)) == {"ok"}
