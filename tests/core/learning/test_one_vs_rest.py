"""Binary problems of a fit: items, classes and weights, who is kept apart, and the pairs."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfmcore.data.ragged import Ragged
from sfmcore.learning.members import Candidate, Member, prepared_members
from sfmcore.learning.one_vs_rest import learn_pairs
from sfmcore.learning.problem import draw_seed, make_problem, pair_seed
from sfmcore.learning.settings import Settings
from sfmcore.models.gmm import DiagonalGMM
from sfmcore.models.hmm import CategoricalHMM
from sfmcore.preparation.base import UNCHANGED, FittedPreparation, Preparation, applied

LETTERS = np.array(["a", "b", "c"])


def make(y, **arguments):
    """A problem whose items are their own places."""
    return make_problem(np.arange(len(y), dtype=float)[:, None], y, **arguments)


def held(problem):
    """Items of a problem that was made of places."""
    return problem.items.ravel().tolist()


# make_problem


def test_a_problem_without_weights_holds_every_item_with_weight_one():
    problem = make(["b", "a", None, "b"])
    assert held(problem) == [0, 1, 2, 3]
    assert problem.classes.tolist() == ["a", "b"]
    assert problem.numbers.tolist() == [1, 0, -1, 1]
    assert problem.weights.tolist() == [1.0] * 4
    assert problem.places.tolist() == [0, 1, 2, 3]
    assert (problem.weighted, problem.n_rows, problem.n_classes) == (False, 4, 2)


def test_items_of_weight_zero_are_left_out():
    problem = make([0, 1, 0, None, 1], sample_weight=[2, 0, 0.5, 1, 3])
    assert held(problem) == [0, 2, 3, 4]
    assert problem.numbers.tolist() == [0, 0, -1, 1]
    assert problem.weights.tolist() == [2.0, 0.5, 1.0, 3.0]
    assert problem.places.tolist() == [0, 2, 3, 4]
    assert (problem.weighted, problem.n_rows) == (True, 5)


def test_a_class_without_weight_is_no_class():
    problem = make(["a", "b", "c", "c", "a"], sample_weight=[1, 0, 1, 1, 0])
    assert problem.classes.tolist() == ["a", "c"]
    assert problem.numbers.tolist() == [0, 1, 1]
    # And the rest is told apart as two classes are.
    assert problem.targets == [1]


def test_numbers_without_a_lost_class_leave_unlabelled_items_unlabelled():
    problem = make([0, 1, 2, None, 2], sample_weight=[1, 0, 1, 1, 1])
    assert problem.classes.tolist() == [0, 2]
    assert problem.numbers.tolist() == [0, 1, -1, 1]


def test_weights_of_one_are_weights_all_the_same():
    assert make([0, 1], sample_weight=[1, 1]).weighted


@given(st.lists(st.sampled_from([0, 1, 2, None]), min_size=4, max_size=20), st.randoms())
def test_a_weight_of_zero_is_an_absent_item(y, random):
    y = [0, 1, 2, *y]
    weights = [1, 1, 1] + [random.choice([0, 1, 2]) for _ in y[3:]]
    problem = make(y, sample_weight=weights)
    kept = np.flatnonzero(weights)
    alone = make([y[k] for k in kept], sample_weight=np.array(weights)[kept])
    assert problem.classes.tolist() == alone.classes.tolist()
    assert problem.numbers.tolist() == alone.numbers.tolist()
    assert problem.weights.tolist() == alone.weights.tolist()
    assert held(problem) == problem.places.tolist() == kept.tolist()


def test_further_items_follow_without_label_and_with_weight_one():
    further = np.array([[8.0], [9.0]])
    problem = make([0, 1, 0], sample_weight=[3, 3, 0], more=further)
    assert held(problem) == [0, 1, 8, 9]
    assert problem.numbers.tolist() == [0, 1, -1, -1]
    assert problem.weights.tolist() == [3.0, 3.0, 1.0, 1.0]
    assert problem.places.tolist() == [0, 1, 3, 4]
    assert problem.n_rows == 3


def test_batches_of_sequences_are_joined_too():
    first, more = Ragged.from_items([b"\x00\x01", b"\x02"]), Ragged.from_items([b"\x03\x03"])
    problem = make_problem(first, ["a", "b"], more=more)
    assert [item.tolist() for item in problem.items] == [[0, 1], [2], [3, 3]]
    assert problem.numbers.tolist() == [0, 1, -1]


def test_the_marker_reaches_the_labels():
    assert make([-1, 0, 1], unlabeled=-1).numbers.tolist() == [-1, 0, 1]
    assert make([-1, 0, 1], unlabeled=None).numbers.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("y", "arguments", "message"),
    [
        ([0, 0, 0], {}, "at least two classes are needed, y has 1 class, 0"),
        ([0, 1, 1], {"sample_weight": [0, 1, 1]}, "at least two classes .* 1 class, 1"),
        ([-1, 1, 1], {"unlabeled": -1}, "unlabeled=-1 removed 1 of 3 labels"),
        ([0, 1, 1], {"sample_weight": [1, 1]}, r"sample_weight has shape \(2,\), 3 items"),
        ([0, 1, 1], {"sample_weight": [1, -1, 1]}, "sample_weight must be finite, not negative"),
        ([0, 1, 1], {"sample_weight": [1, np.nan, 1]}, "sample_weight must be finite"),
        ([0, 1, 1], {"sample_weight": [0, 0, 0]}, "sample_weight must .* not all zero"),
        # Weights are of the rows of X, not of those beside it.
        (
            [0, 1, 1],
            {"sample_weight": [1] * 4, "more": np.zeros((1, 1))},
            r"sample_weight has shape \(4,\), 3 items",
        ),
    ],
)
def test_what_is_no_problem_is_refused(y, arguments, message):
    with pytest.raises(ValueError, match=message):
        make(y, **arguments)


# Binary problems


def test_of_two_classes_only_the_second_is_told_from_the_rest():
    problem = make(["b", "a", None, "b"])
    assert problem.targets == [1]
    signs = problem.signs(1)
    assert signs.dtype == np.int8
    assert signs.tolist() == [1, -1, 0, 1]


def test_of_three_classes_each_is_told_from_the_rest():
    problem = make(["b", "a", None, "c"])
    assert problem.targets == [0, 1, 2]
    assert [problem.signs(target).tolist() for target in problem.targets] == [
        [-1, 1, 0, -1],
        [1, -1, 0, -1],
        [-1, -1, 0, 1],
    ]


# Items that are kept from the models


def labelled_problem(n_items=40, n_classes=2, n_unlabelled=0):
    y = [k % n_classes for k in range(n_items)] + [None] * n_unlabelled
    return make(y)


def test_no_share_keeps_nothing():
    assert labelled_problem().seen_by_models(0.0, 0) is None


@pytest.mark.parametrize(
    ("fraction", "apart"), [(0.5, 20), (0.25, 10), (0.3, 12), (0.9, 36), (0.001, 1)]
)
def test_the_share_that_is_kept_apart_is_the_one_asked_for(fraction, apart):
    problem = labelled_problem(n_unlabelled=7)
    seen = problem.seen_by_models(fraction, 0)
    assert seen.dtype == bool
    # Unlabelled items are of neither part.
    assert not seen[40:].any()
    assert seen[:40].sum() == 40 - apart


def test_every_labelled_item_is_kept_apart_about_as_often():
    problem = labelled_problem(20)
    counts = sum(~problem.seen_by_models(0.5, seed) for seed in range(400))
    # 400 fair coins: five standard deviations of 10 around 200.
    assert np.all(np.abs(counts - 200) < 50)


def test_what_is_kept_apart_does_not_depend_on_the_labels():
    # A split that looked at the labels would tie the two parts together.
    random = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [30, 8, 7])
    expected = make(y).seen_by_models(0.5, 3)
    for _ in range(5):
        assert np.array_equal(make(random.permutation(y)).seen_by_models(0.5, 3), expected)
    assert np.array_equal(make(np.arange(45) % 2).seen_by_models(0.5, 3), expected)


def test_same_seed_keeps_the_same_items_and_another_seed_others():
    problem = labelled_problem()
    one, same, other = (problem.seen_by_models(0.5, seed).tolist() for seed in (1, 1, 2))
    assert one == same != other


def test_a_class_without_an_item_for_its_models_is_refused_by_name():
    problem = make(["rare", *["often"] * 19])
    refused = 0
    for seed in range(20):
        try:
            seen = problem.seen_by_models(0.5, seed)
        except ValueError as error:
            refused += 1
            assert str(error) == (  # noqa: PT017
                "certificate_fraction=0.5 left no item to learn the models of 'rare' from: "
                "lower it, or leave rare classes out"
            )
        else:
            assert seen[0]
    assert 0 < refused < 20


def test_all_classes_without_an_item_are_named():
    with pytest.raises(ValueError, match=r"the models of 0, 1, 2 from: lower it"):
        labelled_problem(12, 3).seen_by_models(0.99, 0)


def test_weights_are_refused_with_a_certificate():
    with pytest.raises(ValueError, match="requires equal weights: it takes no sample_weight"):
        make([0, 1] * 5, sample_weight=np.ones(10)).seen_by_models(0.5, 0)


# Pairs


def gaussian_problem(n_items=60, n_classes=3):
    numbers = np.arange(n_items) % n_classes
    X = np.random.default_rng(0).normal(size=(n_items, 3)) + 2.0 * np.eye(3)[numbers]
    return make_problem(X, LETTERS[numbers])


def mixture(n_components):
    return DiagonalGMM(n_components, n_init=1, max_iter=10)


def learn(problem, *, n_pairs=2, seed=7, n_threads=1, settings=None, **arguments):
    return learn_pairs(
        problem,
        [Member(mixture(2), settings or Settings())],
        n_pairs=n_pairs,
        seed=seed,
        n_threads=n_threads,
        **arguments,
    )


def bits_of(pair):
    models = (pair.mapping.positive, pair.mapping.negative)
    arrays = [array for model in models for array in model.get_arrays().values()]
    return [array.tobytes() for array in (pair.u, pair.prior_mean, pair.mapping.mean, *arrays)]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "settings",
    [Settings(), Settings(n_draws=2, coupling=1.0, max_iter=2)],
    ids=["exact", "coupled draws"],
)
@pytest.mark.parametrize("apart", [False, True])
def test_one_two_and_five_threads_learn_the_same_bits(n_classes, settings, apart):
    problem = gaussian_problem(n_classes=n_classes)
    known = problem.seen_by_models(0.5, 0) if apart else None
    one, *others = (
        [bits_of(pair) for pair in learn(problem, n_threads=n, settings=settings, known=known)]
        for n in (1, 2, 5)
    )
    assert others == [one, one]


def test_pairs_come_class_by_class_each_with_its_own_seed():
    problem = gaussian_problem()
    pairs = learn(problem)
    expected = [pair_seed(7, target, number) for target in range(3) for number in range(2)]
    assert [pair.seed for pair in pairs] == expected
    assert len(set(expected)) == 6
    # The positive model of each is that of its own class.
    for number, pair in enumerate(pairs):
        own = problem.items[problem.numbers == number // 2]
        scores = pair.mapping.positive.log_likelihood(own)
        assert scores.mean() > pair.mapping.negative.log_likelihood(own).mean()


def test_pairs_of_one_class_are_learnt_from_other_starts():
    first, second = learn(gaussian_problem(n_classes=2))
    assert bits_of(first) != bits_of(second)


def test_pairs_of_several_members_come_member_by_member_within_a_class():
    problem = gaussian_problem()
    members = [Member(mixture(1), Settings(C=3.0)), Member(mixture(3), Settings(C=8.0))]
    pairs = learn_pairs(problem, members, n_pairs=2, seed=7, n_threads=2)
    assert [pair.mapping.positive.n_components for pair in pairs] == [1, 1, 3, 3] * 3
    assert [pair.C for pair in pairs] == [3.0, 3.0, 8.0, 8.0] * 3
    assert [pair.seed for pair in pairs] == [pair_seed(7, t, k) for t in range(3) for k in range(4)]


def test_pairs_of_the_first_member_are_those_that_it_has_alone():
    problem = gaussian_problem(n_classes=2)
    members = [Member(mixture(2), Settings()), Member(mixture(1), Settings())]
    alone, among = (
        learn_pairs(problem, chosen, n_pairs=2, seed=7, n_threads=1)
        for chosen in (members[:1], members)
    )
    assert [bits_of(pair) for pair in among[:2]] == [bits_of(pair) for pair in alone]


class Times(FittedPreparation):
    """Items that are multiplied, and counted."""

    def __init__(self, factor):
        self.factor, self.n_calls = factor, 0

    def apply(self, items):
        self.n_calls += 1
        return self.factor * items

    @property
    def model_parameters(self):
        return {"column_variance": self.factor, "n_symbols": 7}


class TimesSum(Preparation):
    """Multiplies by the sum of the weights, and keeps what it was fitted with."""

    def __init__(self):
        self.calls = []

    def encode(self, X, estimator, *, reset=False):
        return X

    def fit(self, items, weights, *, seed, n_threads):
        self.calls.append((seed, n_threads))
        return Times(float(weights.sum()))

    def of_arrays(self, arrays, n_threads):
        raise NotImplementedError


def test_items_are_prepared_once_for_all_that_share_their_preparation():
    double, triple = Times(2.0), Times(3.0)
    items = np.array([[1.0], [5.0]])
    made = applied([double, UNCHANGED, triple, double], items)
    assert [rows.ravel().tolist() for rows in made] == [[2, 10], [1, 5], [3, 15], [2, 10]]
    assert made[1] is items
    assert made[0] is made[3]
    assert (double.n_calls, triple.n_calls) == (1, 1)


def test_a_preparation_is_fitted_once_for_all_candidates_that_share_it():
    shared, own = TimesSum(), TimesSum()
    candidates = [
        Candidate(mixture(1), shared, Settings()),
        Candidate(mixture(2), own, Settings()),
        Candidate(mixture(3), shared, Settings(C=3.0)),
    ]
    items, weights = np.ones((4, 1)), np.array([0.0, 1.0, 2.0, 4.0])
    numbers = np.array([0, 1, -1, 0])
    members = prepared_members(candidates, items, numbers, weights, seed=5, n_threads=2)
    assert shared.calls == own.calls == [(5, 2)]
    first, second, third = (member.preparation for member in members)
    assert first is third
    assert first is not second
    assert first.factor == 7.0
    assert [member.model.n_components for member in members] == [1, 2, 3]
    assert [member.settings.C for member in members] == [20.0, 20.0, 3.0]


def test_a_model_gets_the_parameters_that_it_has_and_the_preparation_knows():
    gaussian, markov = mixture(2), CategoricalHMM(2, 4)
    for model in (gaussian, markov):
        before = model.get_params()
        made = Member.of(Candidate(model, TimesSum(), Settings(C=3.0)), Times(9.0))
        known = {"column_variance": 9.0} if model is gaussian else {"n_symbols": 7}
        assert made.model.get_params() == {**before, **known}
        # The candidate's own model is not touched: it is that of other folds too.
        assert model.get_params() == before
        assert made.settings.C == 3.0


def test_pairs_are_learnt_from_the_items_as_their_own_preparation_makes_them():
    problem = gaussian_problem(n_classes=2)
    double = Times(2.0)
    members = [Member(mixture(2), Settings(), double), Member(mixture(2), Settings())]
    first, second = learn_pairs(problem, members, n_pairs=1, seed=7, n_threads=1)
    doubled = replace(problem, items=2.0 * problem.items)
    assert bits_of(first) == bits_of(learn(doubled, n_pairs=1)[0])
    assert bits_of(second) == bits_of(learn(problem, n_pairs=2)[1])
    assert first.preparation is double
    assert second.preparation is UNCHANGED


def test_more_pairs_begin_with_the_same_ones():
    problem = gaussian_problem(n_classes=2)
    few, more = learn(problem, n_pairs=1), learn(problem, n_pairs=3)
    assert bits_of(few[0]) == bits_of(more[0])


def test_seeds_of_pairs_differ_in_every_part():
    seeds = {pair_seed(s, t, k) for s in range(5) for t in range(5) for k in range(5)}
    assert len(seeds) == 125
    assert all(0 <= seed < 2**64 for seed in seeds)


# Seeds


def test_a_whole_number_is_the_seed_itself():
    assert draw_seed(5) == draw_seed(np.int64(5)) == 5


def test_generators_of_one_seed_draw_the_same_seed_and_then_another():
    one, same = np.random.RandomState(3), np.random.RandomState(3)
    first = draw_seed(one)
    assert first == draw_seed(same)
    assert first != draw_seed(one)


def test_none_draws_another_seed_each_time():
    assert len({draw_seed(None) for _ in range(5)}) > 1


@pytest.mark.parametrize("random_state", [-1, True, 1.5, "seed"])
def test_what_is_no_seed_is_refused(random_state):
    with pytest.raises(ValueError, match=r"random_state must be|cannot be used to seed"):
        draw_seed(random_state)
