"""``sfmbio suspects``: what is suspect, in a table and as JSON, and what is refused."""

import json

import numpy as np
import pytest

from sfmcore.commandline.suspects import COLUMNS

GREASY, CHARGED = "AVLIFMW", "KDERNQH"


def sequences(letters, count, seed):
    random = np.random.default_rng(seed)
    return ["".join(random.choice(list(letters), 24)) for _ in range(count)]


def fasta(prefix, texts):
    return "".join(f">{prefix}{number}\n{text}\n" for number, text in enumerate(texts, 1))


@pytest.fixture
def folder(write):
    """Two classes of twelve; g13 is charged and lies among the greasy ones, as c12 and g14 do."""
    greasy, charged = sequences(GREASY, 12, 0), sequences(CHARGED, 13, 1)
    write("two/greasy.fasta", fasta("g", [*greasy, charged[-1], charged[-2]]))
    return write("two/charged.fasta", fasta("c", charged[:-1])).parent


@pytest.fixture
def search(run, folder, small):
    def call(*more):
        return run("suspects", folder, "--folds", "3", *small, *more)

    return call


def test_suspects_are_a_ranked_table_with_reasons(search):
    result = search()
    assert result.code == 0
    assert result.out.split("\n")[0].split("\t") == list(COLUMNS)
    rows = {row["id"]: row for row in result.rows}
    assert rows["g13"]["reason"] == "label"
    assert (rows["g13"]["label"], rows["g13"]["suggested"]) == ("greasy", "charged")
    assert rows["g14"]["reason"] == "label,conflict"
    assert (rows["g14"]["other"], rows["g14"]["other_label"]) == ("c12", "charged")
    assert rows["c12"]["other"] == "g14"
    assert all(row["status"] == "ok" for row in result.rows)
    scores = [float(row["score"]) for row in result.rows]
    assert scores == sorted(scores, reverse=True)
    assert any("of 26 sequences are suspect: label" in line for line in result.messages)


def test_all_lists_every_record_and_the_unusable_ones_last(search, folder, write):
    write("two/charged.fasta", (folder / "charged.fasta").read_text() + ">bad\nMK7\n>none\n")
    short, whole = search().rows, search("--all").rows
    assert (whole[-2]["id"], whole[-1]["id"]) == ("bad", "none")
    assert whole[-2]["status"].startswith("invalid character '7'")
    assert whole[-1]["status"] == "empty sequence"
    assert whole[-1]["label"] == whole[-1]["score"] == ""
    assert len(whole) == 28
    assert [row for row in whole if row["reason"]] == short
    assert search("--all", "--strict").code == 1


def test_records_without_a_label_are_listed_too(run, folder, small, write):
    ids = [*(f"g{n}\tgreasy\n" for n in range(1, 15)), *(f"c{n}\tcharged\n" for n in range(1, 12))]
    table = write("labels.tsv", "".join(ids) + "c12\t\n")
    result = run("suspects", folder, "--labels", table, "--folds", "3", *small, "--all")
    assert result.code == 0
    assert (result.rows[-1]["id"], result.rows[-1]["status"]) == ("c12", "no label")
    assert any("no label" in line for line in result.messages)


def test_file_and_json_say_the_same(search, tmp_path):
    table, report = tmp_path / "out.tsv", tmp_path / "out.json"
    result = search("-o", table, "--json", report)
    assert result.out == ""
    found = json.loads(report.read_text())
    rows = [dict(zip(COLUMNS, line.split("\t"), strict=True))
            for line in table.read_text().splitlines()[1:]]  # fmt: skip
    assert [row["id"] for row in found["suspects"]] == [row["id"] for row in rows]
    assert [f"{row['score']:.4f}" for row in found["suspects"]] == [row["score"] for row in rows]
    assert found["n_suspects"] == len(rows)
    assert found["n_items"] == 26
    assert found["folds"] == 3
    assert found["reasons"]["conflict"] == 2
    greasy = found["classes"][1]
    assert (greasy["label"], greasy["n_items"]) == ("greasy", 14)
    assert sum(greasy["labelled_as"].values()) == pytest.approx(1.0)


def test_limits_decide_what_is_listed(search):
    strict = {row["id"] for row in search("--min-score", "0.95", "--stranger-below", "0").rows}
    loose = {row["id"] for row in search("--min-score", "0.05", "--stranger-below", "0").rows}
    assert strict < loose or strict == loose
    strange = search("--stranger-below", "0.9").rows
    assert any("stranger" in row["reason"] for row in strange)


def test_groups_stay_in_one_fold(search):
    apart = {row["id"]: row for row in search("--all").rows}
    together = {row["id"]: row for row in search("--all", "--group-by", "sequence").rows}
    # A copy no longer votes for its own label.
    assert float(together["g14"]["probability"]) != float(apart["g14"]["probability"])
    assert together["g14"]["other"] == "c12"


def test_a_checkpoint_changes_nothing_and_is_used(search, tmp_path):
    plain = search()
    kept = search("--checkpoint", tmp_path / "kept")
    assert kept.out == plain.out
    names = sorted(path.name for path in (tmp_path / "kept" / "results").iterdir())
    assert [name for name in names if "." not in name] == ["fold-0", "fold-1", "fold-2"]
    assert search("--checkpoint", tmp_path / "kept").out == plain.out
    other = search("--checkpoint", tmp_path / "kept", "--seed", "1")
    assert other.code == 2


@pytest.mark.parametrize("preset", ["fast", "paper"])
def test_presets_and_settings_are_those_of_training(run, folder, small, preset):
    more = ["--set", "max_iter=2", "--set", "n_restarts=0"] if preset == "paper" else []
    result = run("suspects", folder, "--folds", "2", "--preset", preset, *small, *more)
    assert result.code == 0
    assert "g14" in {row["id"] for row in result.rows}


def test_one_class_only_is_refused(run, folder, small):
    result = run("suspects", folder / "greasy.fasta", *small)
    assert result.code == 2
    assert result.messages[-1].startswith("only one class, 'greasy'")


def test_a_class_smaller_than_the_folds_is_named(run, folder, small, write):
    write("two/rare.fasta", fasta("r", sequences("GPST", 3, 2)))
    result = run("suspects", folder, *small)
    assert result.code == 2
    assert result.messages[-1] == (
        "fewer sequences than --folds 5 in 1 class: rare 3; lower --folds, or leave out classes "
        "of one"
    )
    assert run("suspects", folder, "--folds", "3", *small).code == 0


def test_no_labels_at_all_are_refused(run, folder, small, write):
    table = write("labels.tsv", "x\ta\ny\tb\n")
    result = run("suspects", folder, "--labels", table, *small)
    assert result.code == 2
    assert "no usable record with a label" in result.messages[-1]


def test_an_unreadable_file_is_named_and_the_others_are_searched(run, folder, small, write):
    write("two/broken.fasta", b"\x1f\x8b\x08\x00garbage")
    result = run("suspects", folder, "--folds", "3", *small)
    assert result.code == 2
    assert any("broken.fasta" in line for line in result.messages)
    assert {"g13", "g14"} <= {row["id"] for row in result.rows}
    assert result.messages[-1].startswith("1 of 3 files can't be read")


def test_names_with_control_characters_stay_in_their_field(run, folder, small, write):
    text = (folder / "greasy.fasta").read_text().replace(">g14\n", ">g\x1b[31m14\x07\n")
    write("two/greasy.fasta", text)
    result = run("suspects", folder, "--folds", "3", *small)
    assert result.code == 0
    (row,) = (row for row in result.rows if "14" in row["id"])
    assert row["id"].isprintable()
    assert "\x1b" not in result.out + result.err


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--folds", "1"], "--folds"),
        (["--min-score", "0"], "--all lists everything"),
        (["--stranger-below", "1"], "must be below 1"),
        (["--json", "-"], "--json '-': give a file name"),
        (["-o", ""], "-o '': give a file name"),
        (["--group-by", "colour"], "invalid choice"),
    ],
)
def test_options_that_make_no_sense_are_refused(search, options, why):
    result = search(*options)
    assert result.code == 2
    assert why in result.err


def test_an_output_that_is_an_input_or_given_twice_is_refused(search, folder, tmp_path):
    before = (folder / "greasy.fasta").read_bytes()
    result = search("-o", folder / "greasy.fasta")
    assert result.code == 2
    assert "would overwrite an input" in result.messages[-1]
    assert (folder / "greasy.fasta").read_bytes() == before
    twice = search("-o", tmp_path / "a", "--json", tmp_path / "a")
    assert twice.code == 2
    assert "given to both -o and --json" in twice.messages[-1]


def test_one_fit_finds_wrong_labels_and_says_what_it_was(run, folder, small, tmp_path):
    table = tmp_path / "suspects.json"
    quick = ["suspects", folder, "--quick", *small]
    result = run(*quick, "--json", table, "--checkpoint", tmp_path / "kept")
    assert result.code == 0
    rows = {row["id"]: row for row in result.rows}
    assert rows["g13"]["suggested"] == rows["g14"]["suggested"] == "charged"
    assert rows["g14"]["other"] == "c12"
    assert all(row["typicality"] == "" for row in result.rows)
    assert any("one fit in" in line for line in result.messages)
    assert not any("folds in" in line or "strangers" in line for line in result.messages)
    report = json.loads(table.read_text())
    assert (report["folds"], report["protocol"]) == (None, "one fit, held-out votes")
    assert run(*quick, "--threads", 2, "--checkpoint", tmp_path / "kept").out == result.out
    assert run(*quick, "--threads", 2).out == result.out


def test_one_fit_takes_no_folds_and_four_of_every_class(run, folder, small, write):
    result = run("suspects", folder, "--quick", "--folds", 3)
    assert result.code == 2
    assert "not allowed with argument" in result.err
    write("two/rare.fasta", fasta("r", sequences(GREASY, 3, 5)))
    result = run("suspects", folder, "--quick", *small)
    assert result.code == 2
    assert result.messages[-1] == (
        "fewer sequences than the 4 that --quick takes in 1 class: rare 3; leave them out, or use "
        "--folds"
    )
