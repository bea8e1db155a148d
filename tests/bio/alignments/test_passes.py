"""The passes of alignments as tasks: the same bits in any blocks, on threads, clusters and anew."""

from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfmbio import preparation
from sfmbio.alignments import passes, profiles, references
from sfmbio.alignments.blosum62 import BLOSUM62
from sfmbio.alignments.passes import blocks, scores_among, scores_by_tasks, scores_of
from sfmbio.alignments.references import References
from sfmbio.preparation import ProteinPreparation
from sfmcore.data.ragged import Ragged
from sfmcore.files.checkpoint import checkpoint
from sfmcore.learning.members import Candidate, applied_to_training, prepared_members
from sfmcore.learning.settings import Settings
from sfmcore.models.hmm import CategoricalHMM
from sfmcore.parallel import tasks
from sfmcore.parallel.plan import running


def families(n_families=4, n_items=30, seed=0):
    random = np.random.default_rng(seed)
    ancestors = [random.choice(20, 90).astype(np.uint8) for _ in range(n_families)]
    items = []
    for number in range(n_items):
        ancestor = ancestors[number % n_families][number % 7 :]
        other = random.choice(20, len(ancestor)).astype(np.uint8)
        items.append(np.where(random.random(len(ancestor)) < 0.6, ancestor, other))
    return Ragged.from_items(items)


@pytest.fixture(scope="module")
def items():
    return families()


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(passes, "_MOST_CELLS", 90 * 90 * 40)
    monkeypatch.setattr(profiles, "_MOST_BYTES", 2000)


@given(
    st.lists(st.integers(0, 40), max_size=30),
    st.lists(st.integers(1, 40), min_size=1, max_size=9),
    st.integers(1, 2000),
    st.integers(1, 50),
)
def test_blocks_hold_every_sequence_once_and_no_more_than_is_allowed(
    lengths, target_lengths, most_cells, most_scores
):
    own, targets = np.array(lengths, dtype=np.int64), np.array(target_lengths)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passes, "_MOST_CELLS", most_cells)
        patch.setattr(passes, "_MOST_SCORES", most_scores)
        found = blocks(own, targets)
        among = blocks(own, own, among=True)
    for parts in (found, among):
        assert [k for part in parts for k in range(*part)] == list(range(len(own)))
    for first, last in found:
        fits = own[first:last].sum() * targets.sum() <= most_cells
        assert last - first == 1 or (fits and (last - first) * len(targets) <= most_scores)


def test_scores_among_sequences_are_those_of_all_pairs(items, small_blocks):
    targets = BLOSUM62[items.values]
    every = scores_of(items, targets, items.offsets, 1)
    assert len(blocks(items.lengths, items.lengths, among=True)) > 2
    assert np.array_equal(scores_among(items, 1, name="pairs"), every)
    assert np.array_equal(scores_by_tasks(items, targets, items.offsets, 2, name="all"), every)


def learnt(items, n_threads=1, most_aligned=0):
    made = References.of(
        items, most_residues=10**6, weight=1.0, seed=3, n_threads=n_threads,
        most_aligned=most_aligned,
    )  # fmt: skip
    found = made.similarities_by_tasks(items)
    arrays = [*made.get_arrays().values(), found.values, found.references, found.offsets]
    return b"".join(array.tobytes() for array in arrays)


@pytest.mark.parametrize("most_aligned", [0, 8])
def test_blocks_and_threads_change_no_bit(items, monkeypatch, most_aligned):
    here = learnt(items, most_aligned=most_aligned)
    monkeypatch.setattr(passes, "_MOST_CELLS", 90 * 90 * 40)
    monkeypatch.setattr(profiles, "_MOST_BYTES", 2000)
    for n_threads in (1, 2, 3):
        assert learnt(items, n_threads, most_aligned) == here
    # Each pair twice, where there are too many references for all scores at a time.
    monkeypatch.setattr(references, "_MOST_AMONG", 5)
    assert learnt(items, 2, most_aligned) == here


def test_many_references_are_chosen_from_while_they_are_learnt(items, monkeypatch):
    monkeypatch.setattr(references, "MANY", len(items) - 1)
    monkeypatch.setattr(references, "MOST_OF_MANY", 12)
    here = learnt(items, most_aligned="auto")
    made = References.of(items, most_residues=10**6, weight=1.0, seed=3)
    assert made.most_aligned == 12
    # Members of the profiles are found among twelve as among all.
    every = References.of(items, most_residues=10**6, weight=1.0, seed=3, most_aligned=0)
    assert np.mean(made.profiles == every.profiles) > 0.95
    near = every.corrected(items) > 60
    assert np.mean(np.isfinite(made.corrected(items)[near])) > 0.95
    back = References.of_arrays(made.get_arrays(), 1.0, 1, "auto")
    assert np.array_equal(back.corrected(items), made.corrected(items))
    monkeypatch.setattr(passes, "_MOST_CELLS", 90 * 90 * 40)
    for n_threads in (1, 3):
        assert learnt(items, n_threads, "auto") == here
    monkeypatch.setattr(references, "MANY", len(items))
    assert learnt(items, most_aligned="auto") == learnt(items)


def test_similarities_by_tasks_are_those_of_prediction(items, small_blocks):
    made = References.of(items, most_residues=10**6, weight=1.0, seed=3)
    here, there = made.similarities(items), made.similarities_by_tasks(items)
    assert np.array_equal(here.matrix().toarray(), there.matrix().toarray())
    assert len(made.similarities_by_tasks(items[:0])) == 0


def test_candidates_hold_the_relatives(items):
    every = References.of(items, most_residues=10**6, weight=1.0, seed=3)
    some = References.of(items, most_residues=10**6, weight=1.0, seed=3, most_aligned=10)
    near = every.corrected(items) > 40
    corrected = some.corrected(items)
    assert np.all(np.isfinite(corrected).sum(axis=1) == 10)
    assert np.mean(np.isfinite(corrected[near])) > 0.95
    both = near & np.isfinite(corrected)
    assert np.abs(corrected[both] - every.corrected(items)[both]).max() < 5
    # Alone or among others, a sequence has the same.
    assert np.array_equal(some.corrected(items[[7]])[0], corrected[7])
    back = References.of_arrays(some.get_arrays(), 1.0, 1, 10)
    assert np.array_equal(back.corrected(items), corrected)
    for clear in (np.int64([0]), np.int64([33]), np.zeros(1), np.int64([1, 1])):
        with pytest.raises(ValueError, match="most_with_clear must be"):
            References.of_arrays({**some.get_arrays(), "most_with_clear": clear}, 1.0, 1, 10)
    with pytest.raises(ValueError, match="own_level must be two numbers"):
        References.of_arrays({**some.get_arrays(), "own_level": np.zeros(3)}, 1.0, 1, 10)


def prepared(items, store=None):
    one = Candidate(CategoricalHMM(2, 22), ProteinPreparation(n_directions=0), Settings())
    with running(store=store):
        classes, weights = np.arange(len(items)) % 2, np.ones(len(items))
        members = prepared_members([one], items, classes, weights, seed=3, n_threads=1)
        (made,) = applied_to_training(members, items)
    found = made.similarities
    arrays = [*members[0].preparation.get_arrays().values(), found.values, found.references]
    return b"".join(array.tobytes() for array in arrays)


def test_many_training_residues_leave_fewer_references(items, monkeypatch):
    n_residues = len(items.values)
    monkeypatch.setattr(preparation, "_MOST_CELLS", n_residues * 400)
    made = ProteinPreparation(n_directions=0).fit(items, np.ones(len(items)), seed=3, n_threads=1)
    assert 300 < len(made.references.items.values) <= 400


def test_the_summary_counts_references_and_profiles(items):
    made = References.of(items, most_residues=10**6, weight=1.0, seed=3)
    parts = zip(made.items.offsets, made.items.offsets[1:], strict=False)
    plain = BLOSUM62[made.items.values]
    n_profiles = sum(np.any(made.profiles[a:b] != plain[a:b]) for a, b in parts)
    assert n_profiles > 5
    said = f"references: 30 sequences, {len(items.values)} residues, {n_profiles} with a profile"
    assert made.summary() == said
    some = References.of(items, most_residues=10**6, weight=1.0, seed=3, most_aligned=7)
    assert some.summary() == f"{said}; 7 of them are aligned with a sequence"


class StoppedError(Exception):
    """In the place of a kill."""


@pytest.mark.parametrize("n_done", [1, 4, 9, 14])
def test_a_pass_that_was_stopped_goes_on_where_it_was(
    items, small_blocks, tmp_path, monkeypatch, n_done
):
    here = prepared(items)
    done = []

    def count(steps, most):
        def counted(*arguments, **options):
            with steps(*arguments, **options) as step:

                def once():
                    done.append(1)
                    if len(done) == most:
                        raise StoppedError
                    step()

                yield once

        return contextmanager(counted)

    steps = tasks.steps
    monkeypatch.setattr(tasks, "steps", count(steps, n_done))
    with checkpoint(tmp_path, {}, [1]) as store, pytest.raises(StoppedError):
        prepared(items, store)
    monkeypatch.setattr(tasks, "steps", count(steps, -1))
    done.clear()
    with checkpoint(tmp_path, {}, [1]) as store:
        assert prepared(items, store) == here
    n_left = len(done)
    done.clear()
    with checkpoint(tmp_path, {}, [1]) as store:
        assert prepared(items, store) == here
    assert not done
    assert n_left > 0
    done.clear()
    prepared(items)
    assert n_left == len(done) - n_done


@pytest.mark.slow
def test_a_cluster_learns_the_bits_of_one_machine(items, monkeypatch):
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    from sfmcore.parallel.cluster import cluster

    monkeypatch.setattr(passes, "_MOST_CELLS", 90 * 90 * 40)
    here = learnt(items)
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            silence_logs=90,
        ) as made,
        cluster(made.scheduler_address) as runner,
        running(runner=runner),
    ):
        assert learnt(items) == here
