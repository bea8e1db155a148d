"""``sfmbio explain``: a row for every residue, in order, whatever is in the files."""

from collections import defaultdict

import pytest

from sfmbio import ProteinClassifier
from sfmbio.explaining.table import COLUMNS, SUMMARY_COLUMNS

MIXED = ">a <b> first\nMKVLAWCGH\n>b\nMK7\n>c%s\nLLVVAAGG-*\n>d\n\n>e\nKGASXXBZ\n"


@pytest.fixture
def mixed(write):
    """Good and bad records in turns."""
    return write("mixed.fa", MIXED)


@pytest.fixture
def explain(run, model):
    """Explain by the model of the peptides."""

    def call(*arguments, **keywords):
        return run("explain", model, *arguments, **keywords)

    return call


def by_id(rows):
    found = defaultdict(list)
    for row in rows:
        found[row["id"]].append(row)
    return found


def test_every_residue_has_a_row_and_every_bad_record_one(explain, mixed):
    result = explain(mixed)
    assert result.code == 0
    assert result.out.splitlines()[0].split("\t") == list(COLUMNS)
    rows = by_id(result.rows)
    assert list(rows) == ["a", "b", "c%s", "d", "e"]
    residues = {name: "".join(r["residue"] for r in own if r["position"] not in ("", "0"))
                for name, own in rows.items()}  # fmt: skip
    assert residues == {"a": "MKVLAWCGH", "b": "", "c%s": "LLVVAAGG", "d": "", "e": "KGASxxxx"}
    assert rows["b"][0]["status"].startswith("invalid character '7'")
    assert rows["d"][0]["status"] == "empty sequence"
    positions = [int(r["position"]) for r in rows["a"] if r["position"] != "0"]
    assert positions == list(range(1, 10))


def test_rows_add_up_to_the_score(explain, mixed, model):
    rows = by_id(explain(mixed).rows)
    loaded = ProteinClassifier.load(model)
    found = loaded.explain(["MKVLAWCGH", "LLVVAAGG", "KGASXXXX"])
    for place, name in enumerate(["a", "c%s", "e"]):
        total = sum(float(row["evidence"]) for row in rows[name])
        assert total == pytest.approx(found.score[place], abs=1e-6)
        assert {row["label"] for row in rows[name]} == {found.label[place]}
        assert {row["runner_up"] for row in rows[name]} == {found.runner_up[place]}


def test_rows_do_not_depend_on_threads(explain, mixed):
    assert explain(mixed, "--threads", 1).out == explain(mixed, "--threads", 3).out


def test_a_summary_and_a_page_are_written(explain, mixed, tmp_path):
    summary, page, table = (tmp_path / name for name in ("s.tsv", "p.html", "t.tsv"))
    result = explain(mixed, "-o", table, "--summary", summary, "--html", page, "--first", "1")
    assert (result.code, result.out) == (0, "")
    header, *lines = summary.read_text().splitlines()
    assert header.split("\t") == list(SUMMARY_COLUMNS)
    records = [dict(zip(SUMMARY_COLUMNS, line.split("\t"), strict=True)) for line in lines]
    assert [record["id"] for record in records] == ["a", "b", "c%s", "d", "e"]
    assert records[1]["status"].startswith("invalid character")
    parts = ("states", "words", "ends", "relatives", "length", "constant", "further_relatives")
    first = {name: float(records[0][name]) for name in (*parts, "baseline", "remainder", "score")}
    total = sum(first[name] for name in (*parts, "baseline", "remainder"))
    assert total == pytest.approx(first["score"], abs=1e-5)
    assert "The first 1 of 5 records are shown" in page.read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "a.tsv", "--html", "a.tsv"], "a.tsv: is given to both -o and --html"),
        (["--html", "-"], "--html '-': give a file name"),
        (["--summary", ""], "--summary '': give a file name"),
    ],
)
def test_outputs_must_be_files_of_their_own(
    explain, mixed, options, message, monkeypatch, tmp_path
):
    monkeypatch.chdir(tmp_path)
    result = explain(mixed, *options)
    assert (result.code, result.out) == (2, "")
    assert result.messages == [message]


def test_an_input_is_not_overwritten(explain, mixed):
    result = explain(mixed, "--html", mixed)
    assert result.code == 2
    assert "would overwrite an input" in result.err
    assert mixed.read_text() == MIXED


def test_an_unreadable_file_is_named(explain, tmp_path):
    result = explain(tmp_path / "none.fa")
    assert result.code == 2
    assert "none.fa" in result.err


def test_strict_counts_what_has_no_reasons(explain, mixed):
    assert explain(mixed, "--strict").code == 1
