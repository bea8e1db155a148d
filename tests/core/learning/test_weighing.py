"""The conditional logit that weighs votes against relatives."""

import numpy as np
import pytest
from scipy.special import expit

from sfmcore.data.similarities import Similarities
from sfmcore.learning.evidence import ReferenceClasses
from sfmcore.learning.weighing import N_WEIGHTS, Weighing, learn_weighing, log_odds
from sfmcore.learning.weight_posterior import WeightPosterior

N_CLASSES = 4


def made(n_items=400, *, near=0.5, seed=0):
    """Items with a relative of their own class, or with a vote for it."""
    random = np.random.default_rng(seed)
    numbers = random.integers(0, N_CLASSES, n_items)
    dense = np.zeros((n_items, N_CLASSES), dtype=np.float32)
    votes = random.normal(0, 1, (n_items, N_CLASSES))
    related = random.random(n_items) < near
    dense[np.arange(n_items), random.integers(0, N_CLASSES, n_items)] = 3.0
    dense[np.flatnonzero(related), numbers[related]] = random.uniform(20, 200, related.sum())
    votes[np.flatnonzero(~related), numbers[~related]] += 4.0
    members = ReferenceClasses(np.arange(N_CLASSES), np.arange(N_CLASSES), N_CLASSES)
    return votes, Similarities.of(dense), members, numbers, related


def test_relatives_decide_where_there_are_some_and_votes_elsewhere():
    votes, similar, members, numbers, _ = made()
    weighing = learn_weighing(votes, similar, members, numbers, np.ones(len(numbers)))
    votes, similar, members, numbers, related = made(seed=1)
    right = weighing.scores(votes, similar).argmax(1) == numbers
    assert right[related].mean() > 0.97
    assert right[~related].mean() > 0.9
    assert (votes.argmax(1) == numbers)[related].mean() < 0.5


def test_scores_are_log_odds():
    votes, similar, members, numbers, _ = made()
    weighing = learn_weighing(votes, similar, members, numbers, np.ones(len(numbers)))
    shares = expit(weighing.scores(votes, similar))
    assert np.allclose(shares.sum(1), 1)
    # On the items it was learnt from, of classes of one size, shares are what comes true.
    assert shares.max(1).mean() == pytest.approx((shares.argmax(1) == numbers).mean(), abs=0.03)


def test_labels_are_calibrated_where_sizes_differ_and_no_groups_are_held_out():
    votes, similar, members, numbers, _ = made()
    as_it_is = [0.0, 1.0, 1.0]
    even = learn_weighing(votes, similar, members, numbers, np.ones(len(numbers)))
    assert even.sureness.numbers.tolist() == as_it_is
    some = np.flatnonzero((numbers == 0) | (np.arange(len(numbers)) % 8 == 0))
    part = votes[some], similar[some], members, numbers[some], np.ones(len(some))
    uneven = learn_weighing(*part)
    assert uneven.sureness.numbers.tolist() != as_it_is
    grouped = learn_weighing(*part, groups=np.arange(len(some)))
    assert grouped.sureness.numbers.tolist() == as_it_is
    assert np.array_equal(grouped.weights, uneven.weights)
    scores = uneven.scores(part[0], part[1])
    assert uneven.posterior is None
    assert grouped.posterior is not None
    assert np.array_equal(grouped.scores(*part[:2]).argmax(axis=1), scores.argmax(axis=1))
    shares = uneven.probabilities(scores)
    right = (shares.argmax(axis=1) == part[3]).mean()
    assert abs(shares.max(axis=1).mean() - right) < abs(expit(scores).max(axis=1).mean() - right)


def test_few_groups_are_believed_less_than_as_many_items():
    *given, _ = made(200)
    sizes, promised = [], []
    for size in (1, 4, 20):
        weighing = learn_weighing(*given, np.ones(200), groups=np.arange(200) // size)
        sizes.append(float(np.linalg.norm(weighing.weights)))
        scores = weighing.scores(*given[:2])
        promised.append(float(weighing.probabilities(scores).max(axis=1).mean()))
    assert sizes[0] > sizes[1] > sizes[2] > 0.0
    assert promised[0] > promised[1] > promised[2]


@pytest.mark.parametrize("size", [None, 9])
def test_an_item_of_weight_two_is_an_item_given_twice(size):
    votes, similar, members, numbers, _ = made(60)
    twice = np.append(np.arange(60), 7)
    weights = np.ones(60)
    weights[7] = 2.0
    groups = [None, None] if size is None else [np.arange(60) // size, twice // size]
    one = learn_weighing(votes, similar, members, numbers, weights, groups=groups[0])
    other = learn_weighing(
        votes[twice], similar[twice], members, numbers[twice], np.ones(61), groups=groups[1]
    )
    assert np.allclose(one.weights, other.weights, atol=1e-6)


@pytest.mark.parametrize("posterior", [None, WeightPosterior(np.tri(N_WEIGHTS) / 30.0)])
def test_an_items_scores_do_not_depend_on_the_others(posterior):
    votes, similar, members, _, _ = made(300)
    weighing = Weighing(np.linspace(-1, 1, N_WEIGHTS), members, posterior=posterior)
    every = weighing.scores(votes, similar)
    for item in (0, 255, 256, 299):
        assert np.array_equal(weighing.scores(votes[[item]], similar[[item]])[0], every[item])


def test_a_certain_class_has_finite_odds():
    members = ReferenceClasses(np.array([0]), np.array([0]), 2)
    weighing = Weighing(np.full(N_WEIGHTS, 1e4), members)
    scores = weighing.scores(np.zeros((1, 2)), Similarities.of(np.full((1, 1), 1e3, "f4")))
    assert np.isfinite(scores).all()
    assert scores[0, 0] > 0 > scores[0, 1]


def test_parts_add_up_to_the_scores_with_uncertain_weights_too():
    *given, _ = made(200)
    weighing = learn_weighing(*given, np.ones(200), groups=np.arange(200) // 20)
    votes, similar = given[:2]
    parts = weighing.parts(votes, similar)
    logits = parts.factors * votes + parts.relatives + parts.constants
    assert np.allclose(log_odds(logits), weighing.scores(votes, similar), atol=1e-9)
    assert np.all((parts.scales > 0.0) & (parts.scales < 1.0))


def test_weights_of_a_file_are_checked():
    weighing = Weighing(
        np.ones(N_WEIGHTS), made(10)[2], posterior=WeightPosterior(np.eye(N_WEIGHTS))
    )
    arrays = weighing.get_arrays()
    again = Weighing.of_arrays(arrays, 4, 4)
    assert np.array_equal(again.weights, weighing.weights)
    assert np.array_equal(again.posterior.factor, np.eye(N_WEIGHTS))
    for name, value in [
        ("weights", np.ones(3)),
        ("weights", np.full(N_WEIGHTS, np.nan)),
        ("references", np.array([0, 1, 2, 4])),
        ("classes", np.array([0, 1, 2, -1])),
        ("classes", np.array([0, 1])),
        ("posterior", np.eye(3)),
        ("posterior", np.full((N_WEIGHTS, N_WEIGHTS), np.inf)),
        ("posterior", np.eye(N_WEIGHTS, dtype=np.float32)),
    ]:
        with pytest.raises(ValueError, match=r"weights|memberships|posterior"):
            Weighing.of_arrays({**arrays, name: value}, 4, 4)
    with pytest.raises(ValueError, match="no references"):
        Weighing.of_arrays(arrays, 4, 0)


def test_the_summary_names_the_largest_weights():
    _, _, members, _, _ = made()
    weights = np.zeros(N_WEIGHTS)
    weights[[0, 9, N_WEIGHTS - 1]] = 0.5, -3.0, 2.0
    assert Weighing(weights, members).summary() == (
        "relatives are weighed against the votes by 16 numbers, the largest of which are: "
        "vote -3.00, small classes +2.00, nearest relative beyond 10 +0.50"
    )
    uncertain = Weighing(weights, members, posterior=WeightPosterior(np.eye(N_WEIGHTS)))
    assert uncertain.summary().endswith(
        "; groups were given, so probabilities are averaged over their uncertainty"
    )
