"""``predict --shard I/N``: the tables of the parts, one after another, are the whole table."""

import gzip

import pytest


@pytest.fixture
def odd(write):
    """Records that can't be used, without an id, with one that comes again, and of many kinds."""
    text = (
        ">a\nMKVLA\n>\nLLAVIV\n>b\n\n>c\nMK7\n>a\nVVLAILLA\n> x\nRRDEK\n>d\nMKU\n>e\nDKEKRDEEK\n"
        ">f\nKDEKRDEKKDER\n>\nAVLIAVLL\n"
    )
    return write("odd.fasta", text)


@pytest.fixture
def table(run, model):
    def call(*arguments):
        outcome = run("predict", model, *arguments)
        assert outcome.code == 0, outcome.err
        return outcome.out

    return call


@pytest.mark.parametrize("n_shards", [1, 2, 3, 7, 10, 13])
def test_parts_one_after_another_are_the_whole(table, odd, n_shards):
    whole = table(odd)
    parts = [table(odd, "--shard", f"{number}/{n_shards}") for number in range(1, n_shards + 1)]
    assert "".join(parts) == whole
    sizes = [part.count("\n") for part in parts]
    sizes[0] -= 1  # the header row
    assert max(sizes) - min(sizes) <= 1
    assert sum(sizes) == 10


def test_several_files_packed_or_not_are_one_input(table, odd, peptides, write):
    packed = write("more.fa.gz", gzip.compress(odd.read_bytes()))
    inputs = [odd, peptides, packed]
    whole = table(*inputs)
    assert "".join(table(*inputs, "--shard", f"{k}/4") for k in (1, 2, 3, 4)) == whole


def test_a_part_reports_its_own_records(run, model, odd):
    said = [run("predict", model, odd, "--shard", f"{k}/5", "--strict") for k in range(1, 6)]
    assert [outcome.code for outcome in said] == [0, 1, 0, 0, 0]
    assert [outcome.messages[-1] for outcome in said] == [
        "2 rows, 0 without label", "2 rows, 2 without label", *["2 rows, 0 without label"] * 3,
    ]  # fmt: skip
    assert any("record 3 ('b', line 5): empty sequence" in line for line in said[1].messages)
    # Its first record has an id of the first part.
    assert any("1 record with a repeated id: 'a'" in line for line in said[2].messages)
    assert not any("a repeated id" in line for line in said[4].messages)
    assert any("1 letter U read as unknown" in line for line in said[3].messages)


@pytest.mark.parametrize(
    "text", ["0/4", "5/4", "x", "1/0", "/4", "4/", "1", "1/2/3", "-1/4", "1.0/2", " 1/2", "٣/4"]
)
def test_what_is_no_part_is_refused(run, model, odd, text):
    outcome = run("predict", model, odd, f"--shard={text}")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.splitlines()[-1] == (
        "sfmbio predict: error: argument --shard: must be I/N, part I of N parts, with I from 1 to "
        f"N, got {text!r}"
    )


def test_standard_input_can_not_be_read_twice(run, model):
    outcome = run("predict", model, "-", "--shard", "1/2", stdin=b">a\nMKV\n")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.messages == [
        "-: --shard reads its input twice, to count the records: give a file"
    ]


def test_a_file_that_cannot_be_read_ends_every_part_in_a_sentence(run, model, write, odd):
    broken = write("broken.fa", b"not FASTA")
    alone = run("predict", model, broken, "--shard", "1/2")
    assert (alone.code, alone.out) == (2, "")
    assert "not FASTA" in alone.messages[-1]
    parts = [run("predict", model, odd, broken, "--shard", f"{k}/2") for k in (1, 2)]
    assert "".join(part.out for part in parts) == run("predict", model, odd, broken).out
