"""Wrong labels of the benchmark, and how rankings are measured."""

import numpy as np
import pytest

from benchmarks.suspects.flips import PAIRS, flipped
from benchmarks.suspects.measures import RECALLS, Tally, precisions
from benchmarks.suspects.rivals import rival_rankings, rival_sets


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("kind", ["uniform", "pairs"])
def test_as_many_labels_as_asked_for_are_wrong(name, kind):
    truth = np.repeat(sorted(PAIRS[name]), 50)
    labels = flipped(name, truth, kind, 0.1, seed=1)
    wrong = labels != truth
    assert wrong.sum() == round(0.1 * len(truth))
    assert set(labels) <= set(truth)
    if kind == "pairs":
        assert all(PAIRS[name][a] == b for a, b in zip(truth[wrong], labels[wrong], strict=True))
    assert np.array_equal(labels, flipped(name, truth, kind, 0.1, seed=1))
    assert not np.array_equal(labels, flipped(name, truth, kind, 0.1, seed=2))


def test_precision_is_that_of_the_list_read_so_far():
    wrong = np.array([True, False, True, False, False, True, True])
    score = np.array([7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0])
    found = dict(zip(RECALLS, precisions(wrong, score), strict=True))
    assert found[0.2] == 1.0
    assert found[0.5] == pytest.approx(2 / 3)
    assert found[0.7] == pytest.approx(3 / 6)
    assert found[0.95] == pytest.approx(4 / 7)


def test_the_tally_names_everything_that_was_added():
    tally = Tally()
    wrong = np.array([True, False, True, False])
    tally.add_ranking("ours", wrong, np.array([4.0, 3.0, 2.0, 1.0]))
    tally.add_set("few", wrong, np.array([True, True, False, False]))
    tally.add_wrong(2, 2.6)
    text = tally.text()
    assert "| few | 2 | 0.500 | 0.500 |" in text
    assert "2 labels were made wrong, 3 are thought to be wrong" in text


def test_rivals_rank_a_wrong_label_first():
    shares = np.array([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9], [0.05, 0.95]])
    given = np.array([0, 0, 1, 0])
    assert all(score.argmax() == 3 for score in rival_rankings(shares, given).values())
    assert rival_sets(shares, given)["most probable class is another"].tolist() == [
        False, False, False, True,
    ]  # fmt: skip
