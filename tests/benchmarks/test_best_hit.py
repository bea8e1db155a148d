"""Best hits by phmmer among proteins that are made up, so that no two are related by chance."""

import numpy as np
import pytest

from sfmbio.sequences.alphabet import RESIDUES
from sfmbio.sequences.encoding import encode_batch
from sfmcore.data.ragged import Ragged

pytest.importorskip("pyhmmer", reason="pyhmmer is not installed")

from benchmarks.tables.dataset import Dataset, Half
from benchmarks.tables.proteins.best_hit import best_hits
from benchmarks.tables.proteins.methods import METHODS


def make_proteins(n_items: int, seed: int) -> list[str]:
    random = np.random.default_rng(seed)
    letters = np.array(list(RESIDUES))
    return ["".join(random.choice(letters, random.integers(60, 90))) for _ in range(n_items)]


TRAINING = make_proteins(30, 0)


def changed(protein: str, every: int) -> str:
    """Return the protein with each `every`-th residue replaced by the next of the alphabet."""
    following = dict(zip(RESIDUES, RESIDUES[1:] + RESIDUES[0], strict=True))
    return "".join(following[r] if i % every == 0 else r for i, r in enumerate(protein))


def test_an_exact_copy_is_found():
    index, score, e_value = best_hits(TRAINING, TRAINING)
    assert index.tolist() == list(range(30))
    assert score.min() > 50
    assert e_value.max() < 1e-10


def test_a_relative_is_found_and_scores_less_than_a_copy():
    index, score, e_value = best_hits(TRAINING, [changed(TRAINING[7], 4), TRAINING[7]])
    assert index.tolist() == [7, 7]
    assert score[0] < score[1]
    assert e_value[0] > e_value[1]


def test_a_short_sequence_without_relatives_has_no_hit():
    index, score, e_value = best_hits(TRAINING, ["WWPWWPWW", TRAINING[3], "G"])
    assert index.tolist() == [-1, 3, -1]
    assert score[0] == score[2] == -np.inf
    assert e_value[0] == e_value[2] == np.inf


@pytest.mark.parametrize("n_items", [3, 12])
def test_of_equal_hits_the_first_is_taken(n_items):
    index, _, _ = best_hits([TRAINING[1]] * n_items, [TRAINING[1]])
    assert index.tolist() == [0]


def test_letter_case_does_not_matter_and_unknown_residues_and_breaks_are_taken():
    protein = TRAINING[5]
    astral = protein[:20].lower() + "x" + protein[21:40].lower() + "X" + protein[41:].lower()
    plain = protein[:20] + "X" + protein[21:40] + "X" + protein[41:]
    for training in (TRAINING, [item.lower() for item in TRAINING]):
        index, score, _ = best_hits(training, [astral, plain, protein])
        assert index.tolist() == [5, 5, 5]
        assert score[0] == score[1] < score[2]


def test_codes_are_taken_as_well_as_strings():
    queries = [*TRAINING[:3], changed(TRAINING[4], 3), "mkXxv"]
    by_text = best_hits(TRAINING, queries)
    by_code = best_hits(encode_batch(TRAINING), encode_batch(queries))
    for ours, theirs in zip(by_text, by_code, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_hits_do_not_depend_on_threads_or_on_the_other_queries():
    queries = [changed(protein, 3) for protein in TRAINING]
    alone = best_hits(TRAINING, queries)
    threaded = best_hits(TRAINING, queries, cpus=2)
    turned = best_hits(TRAINING, queries[::-1])
    for one, two, three in zip(alone, threaded, turned, strict=True):
        np.testing.assert_array_equal(one, two)
        np.testing.assert_array_equal(one, three[::-1])


def test_the_decision_is_for_the_class_of_the_best_hit_and_without_a_hit_for_none():
    items = encode_batch([*TRAINING, TRAINING[4], "WWPWWPWW", TRAINING[2], TRAINING[29]])
    y = np.array([*(["a", "b", "c"] * 10), "a", "a", "a", "a"])
    half = Half(Dataset("made up", items, y, ""), np.arange(30), np.arange(30, 34), 0)
    outcome = METHODS["best_hit"](half)
    assert outcome.decisions.astype(int).tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 1], [0, 0, 1]]
    assert outcome.chosen == {"without_hit": 0.25}


def test_an_empty_query_is_refused():
    with pytest.raises(ValueError, match="item 0 is empty"):
        best_hits(TRAINING, [""])
    with pytest.raises(ValueError, match="item 1 is empty"):
        best_hits(TRAINING, Ragged.from_items([[1, 2], []]))
