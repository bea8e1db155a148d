"""``sfmbio evaluate --group-by identity:X`` and ``--save-groups``: what is kept together."""

import json

import numpy as np
import pytest

from sfmbio import ProteinClassifier
from sfmbio.alignments import significant as module
from sfmbio.reading.datasets import read_sequences
from sfmbio.reading.report import ReadReport
from sfmcore.files.groups import read_groups

LETTERS = np.array(list("ACDEFGHIKLMNPQRSTVWY"))
N_FAMILIES = 4


def families(seed=0):
    """Records of two classes: each has two families of four and two strangers."""
    random = np.random.default_rng(seed)
    files = {}
    for label in ("one", "two"):
        records = []
        for family in range(N_FAMILIES // 2):
            ancestor = random.integers(0, 20, 70)
            for number in range(4):
                kept = random.random(70) < 0.75
                child = LETTERS[np.where(kept, ancestor, random.integers(0, 20, 70))]
                records.append(f">{label}_{family}_{number} x\n{''.join(child)}\n")
        records += [
            f">{label}_s{number}\n{''.join(LETTERS[random.integers(0, 20, 70)])}\n"
            for number in range(2)
        ]
        files[label] = "".join(records)
    return files


@pytest.fixture
def folder(write):
    for label, text in families().items():
        path = write(f"in/{label}.fasta", text)
    return path.parent


@pytest.fixture
def evaluate(run, small):
    def call(*arguments, **keywords):
        return run("evaluate", *small, *arguments, **keywords)

    return call


@pytest.fixture
def no_groups(monkeypatch):
    """Fail the test if sequences are compared: what is wrong must be said before."""

    def compare(*_, **__):
        raise AssertionError("the work began before the refusal")

    monkeypatch.setattr("sfmbio.commandline.grouping.identity_groups", compare)


@pytest.mark.parametrize("protocol", [["--partitions", 3], ["--folds", 2]])
def test_families_are_whole_on_one_side(evaluate, folder, monkeypatch, protocol):
    trained_on = []
    learn = ProteinClassifier.learn

    def spy(self, problem, *rest):
        trained_on.append({item.tobytes() for item in problem.items})
        return learn(self, problem, *rest)

    monkeypatch.setattr(ProteinClassifier, "learn", spy)
    # Several blocks.
    monkeypatch.setattr(module, "_BLOCK", 5)
    result = evaluate(folder, "--group-by", "identity:0.3", *protocol, "--json", "-")
    assert result.code == 0
    assert "8 groups by identity 0.3, the largest of 4 sequences" in result.messages
    report = json.loads(result.out)
    assert report["group_by"] == "identity:0.3"
    assert "each group by identity 0.3 in one" in report["protocol"]
    every = read_sequences([folder], ReadReport())
    for number in range(0, len(every.records), 10):
        for family in (slice(number, number + 4), slice(number + 4, number + 8)):
            texts = {item.tobytes() for item in every.batch[np.arange(len(every.batch))[family]]}
            assert all(len(texts & seen) in (0, 4) for seen in trained_on)
    assert len(trained_on) == protocol[1]


@pytest.mark.parametrize("grouping", ["identity:0.3", "sequence"])
def test_saved_groups_are_read_and_give_the_same_figures(evaluate, folder, tmp_path, grouping):
    table = tmp_path / "groups.tsv"
    options = [folder, "--partitions", 2, "--json", "-"]
    first = evaluate(*options, "--group-by", grouping, "--save-groups", table)
    assert first.code == 0
    lines = table.read_text().splitlines()
    assert lines[:2] == ["id\tgroup", "one_0_0\t1"]
    groups = read_groups(table).values
    assert len(groups) == 20
    if grouping == "identity:0.3":
        assert len(set(groups.values())) == 8
        assert len({groups[f"two_1_{number}"] for number in range(4)}) == 1
    second = evaluate(*options, "--groups", table)
    one, other = json.loads(first.out), json.loads(second.out)
    assert one["classes"] == other["classes"]
    assert one["measures"] == other["measures"]


def test_threads_change_no_group(evaluate, folder, tmp_path):
    for threads in (1, 2):
        options = ["--save-groups", tmp_path / f"{threads}.tsv", "--threads", threads]
        assert evaluate(folder, "--folds", 2, "--group-by", "identity:0.25", *options).code == 0
    assert (tmp_path / "1.tsv").read_bytes() == (tmp_path / "2.tsv").read_bytes()


def test_odd_ids_are_read_back(evaluate, folder, write, tmp_path):
    path = folder / "one.fasta"
    names = ['a"b', '"', "x,y;z", 'a\\"b', "caf\xe9"]
    text = path.read_text()
    for number, name in enumerate(names):
        text = text.replace(f">one_0_{number} x" if number < 4 else ">one_1_0 x", f">{name} x")
    path.write_text(text)
    table = tmp_path / "groups.tsv"
    options = [folder, "--partitions", 1]
    assert evaluate(*options, "--group-by", "identity:0.3", "--save-groups", table).code == 0
    assert list(read_groups(table).values)[:5] == names
    assert evaluate(*options, "--groups", table).code == 0


@pytest.mark.parametrize(
    "value", ["identity", "identity:", "identity:abc", "identity:2", "identity:0", "identity:nan",
              "identity:-0.3", "identity:30%", "identity:0.3:1"],
)  # fmt: skip
def test_a_malformed_identity_is_one_sentence(evaluate, folder, no_groups, value):
    result = evaluate(folder, "--group-by", value)
    assert (result.code, result.out) == (2, "")
    assert result.err.splitlines()[-1] == (
        "sfmbio evaluate: error: argument --group-by: identity must be above 0 and at most 1, "
        f"as in identity:0.3, got '{value}'"
    )


def test_an_unknown_grouping_lists_those_that_are_known(evaluate, folder):
    result = evaluate(folder, "--group-by", "family")
    assert result.code == 2
    assert result.err.splitlines()[-1].endswith(
        "invalid choice: 'family' (choose from none, sequence, superfamily, identity:X)"
    )


def test_a_table_that_makes_no_sense_is_refused(evaluate, folder, tmp_path, no_groups, write):
    by = ["--group-by", "identity:0.3"]
    other = write("g.tsv", "one_0_0\t1\n")
    both = "--groups and --group-by both define the groups: give one of them"
    for options, message in [
        (["--save-groups", tmp_path / "g"],
         "--save-groups needs --group-by"),
        ([*by, "--save-groups", ""],
         "--save-groups '': groups can't go to standard output, give a file name"),
        ([*by, "--save-groups", "-"],
         "--save-groups '-': groups can't go to standard output, give a file name"),
        ([*by, "--save-groups", tmp_path / "a", "--json", tmp_path / "a"],
         f"{tmp_path / 'a'}: is given to both --save-groups and --json"),
        ([*by, "--save-groups", folder / "one.fasta"],
         f"{folder / 'one.fasta'}: this output would overwrite an input: give another name"),
        ([*by, "--save-groups", tmp_path / "none" / "g.tsv"],
         f"{tmp_path / 'none' / 'g.tsv'}: No such file or directory"),
        ([*by, "--groups", other], both),
    ]:  # fmt: skip
        result = evaluate(folder, *options)
        assert (result.code, result.out, result.messages) == (2, "", [message])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("one_0_0", "a table of groups can't distinguish two sequences called 'one_0_0' "
         "({path}, line 1, and {path}, line 3): give one of them another id"),
        ("#one", "a table of groups can't hold the id '#one' ({path}, line 3): give it another id"),
    ],
)  # fmt: skip
def test_ids_that_a_table_can_not_hold_are_refused_before_the_comparison(
    evaluate, folder, tmp_path, no_groups, name, message
):
    path = folder / "one.fasta"
    path.write_text(path.read_text().replace(">one_0_1 ", f">{name} "))
    table = tmp_path / "groups.tsv"
    result = evaluate(folder, "--group-by", "identity:0.3", "--save-groups", table)
    assert result.code == 2
    assert result.messages[-1] == f"{table}: {message.format(path=path)}"
    assert not table.exists()
