"""Alignments, hits and programs that search, on proteins that are made up."""

import shutil

import numpy as np
import pytest
from Bio.Align import PairwiseAligner, substitution_matrices

from benchmarks.tables.dataset import Dataset, Half
from benchmarks.tables.kept import kept
from benchmarks.tables.peers.relatives import best_alignment, best_hit
from benchmarks.tables.searching import programs
from benchmarks.tables.searching.hits import Hits, class_bits
from benchmarks.tables.searching.letters import plain
from benchmarks.tables.searching.smith_waterman import alignment_scores
from sfmcore.data.ragged import Ragged


def make_items(n_items, seed=0, longest=120):
    random = np.random.default_rng(seed)
    return [random.integers(0, 20, random.integers(80, longest)) for _ in range(n_items)]


def relatives(n_items=6):
    """Items, and the same with every sixth residue changed and some left out."""
    items = make_items(n_items)
    changed = [np.where(np.arange(len(one)) % 6 == 5, (one + 1) % 20, one)[8:] for one in items]
    labels = np.array([f"class{place % 3}" for place in range(n_items)] * 2)
    dataset = Dataset("made up", Ragged.from_items(items + changed), labels, "")
    return Half(dataset, np.arange(n_items), np.arange(n_items, 2 * n_items), 0)


def test_scores_are_those_of_biopython_freed_of_the_lengths():
    pytest.importorskip("pyopal", reason="pyopal is not installed")
    own = relatives(4)
    scores = alignment_scores(own.dataset)
    matrix = substitution_matrices.load("BLOSUM62")
    aligner = PairwiseAligner(
        mode="local", substitution_matrix=matrix, open_gap_score=-12, extend_gap_score=-1
    )
    texts = plain(own.dataset.X)
    expected = [
        [
            aligner.score(one, other) - 5 * (np.log(len(one)) + np.log(len(other))) + 20
            for other in texts
        ]
        for one in texts
    ]
    np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-3)


def test_the_best_alignment_is_with_the_relative():
    pytest.importorskip("pyopal", reason="pyopal is not installed")
    own = relatives()
    outcome = best_alignment(own)
    assert outcome.labels.tolist() == own.y_test.tolist()
    assert np.array_equal(outcome.decisions, outcome.labels[:, None] == own.dataset.targets)
    assert outcome.scores.shape == (6, 3)


def test_a_sum_takes_the_best_hits_of_a_class_and_each_target_once():
    hits = Hits(
        np.array([0, 0, 0, 0, 0, 2]), np.array([0, 1, 1, 3, 2, 2]), np.full(6, 1e-3),
        np.array([50.0, 40.0, 39.0, 60.0, 10.0, 5.0]), {},
    )  # fmt: skip
    y = np.array(["a", "a", "b", "b", "b"])
    best, classes = class_bits(hits, 3, y, 1)
    assert classes.tolist() == ["a", "b"]
    np.testing.assert_allclose(best, [[50, 60], [0, 0], [0, 5]], atol=1e-5)
    # Without a hit it is the largest class.
    assert best.argmax(1).tolist() == [1, 1, 1]
    np.testing.assert_allclose(class_bits(hits, 3, y, 2)[0][0], [90, 70], atol=1e-5)
    assert hits.nearest(3).tolist() == [1e-3, np.inf, 1e-3]


@pytest.mark.slow
@pytest.mark.parametrize("program", ["mmseqs", "diamond", "phmmer"])
def test_programs_find_relatives(program):
    if program == "phmmer":
        pytest.importorskip("pyhmmer", reason="pyhmmer is not installed")
    elif shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    search = {"mmseqs": programs.mmseqs2, "diamond": programs.diamond, "phmmer": programs.phmmer}
    own = relatives()
    hits = search[program](own)
    assert hits.nearest(6).max() < 1e-10
    outcome = best_hit(search[program])(own)
    assert outcome.labels.tolist() == own.y_test.tolist()
    assert outcome.training == hits.took
    assert min(hits.took.values()) >= 0


def test_what_a_program_says_of_its_failure_is_passed_on():
    def run(folder):
        programs._run("sh", "-c", "echo no such database >&2; exit 3")

    with pytest.raises(RuntimeError, match="sh failed: no such database"):
        programs.by_program("failing", run)(relatives())
    with pytest.raises(FileNotFoundError, match="nosuchprogram is not installed"):
        programs._run("nosuchprogram")


def test_no_hits_at_all_are_taken():
    def run(folder):
        assert (folder / "queries.fa").read_text().startswith(">0\n")
        (folder / "hits.tsv").write_text("")

    own = relatives()
    outcome = best_hit(programs.by_program("silent", run))(own)
    assert set(outcome.labels) == {"class0"}


@pytest.mark.parametrize("in_folder", [False, True])
def test_what_is_kept_is_made_once_for_the_same_items(monkeypatch, tmp_path, in_folder):
    monkeypatch.setattr("benchmarks.tables.kept._found", {})
    monkeypatch.delenv("SFM_SEARCHES", raising=False)
    if in_folder:
        monkeypatch.setenv("SFM_SEARCHES", str(tmp_path / "new"))
    made = []

    def make():
        made.append(1)
        return {"values": np.arange(3)}

    items, others = Ragged.from_items([[1, 2], [3]]), Ragged.from_items([[1], [2, 3]])
    for batch, count in ((items, 1), (items, 1), (others, 2)):
        assert kept("made up", (batch,), make)["values"].tolist() == [0, 1, 2]
        assert len(made) == count
    # Another process finds the file.
    monkeypatch.setattr("benchmarks.tables.kept._found", {})
    kept("made up", (items,), make)
    assert len(made) == (2 if in_folder else 3)
