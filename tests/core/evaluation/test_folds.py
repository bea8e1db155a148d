"""Folds: who is tested, who only ever trains, and what is said where there are too few."""

import warnings

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.model_selection import KFold, StratifiedKFold

from sfmcore.evaluation.folds import (
    folds_of_labelled,
    folds_of_rows,
    stratified_folds,
    warn_of_few_folds,
)
from sfmcore.learning.problem import make_problem


@st.composite
def numbered(draw):
    """Class numbers with and without lonely classes and unlabelled items, in any order."""
    counts = draw(st.lists(st.integers(1, 9), max_size=5))
    numbers = [label for label, count in enumerate(counts) for _ in range(count)]
    numbers += [-1] * draw(st.integers(0, 6))
    return np.array(draw(st.permutations(numbers)), dtype=np.int64)


def counts_of(numbers):
    return np.bincount(numbers[numbers != -1], minlength=1)


def make(y, **arguments):
    """A problem whose items are their own places."""
    X = np.arange(len(y), dtype=float)[:, None]
    return make_problem(X, y, **arguments)


def plain(folds):
    return [(train.tolist(), test.tolist()) for train, test in folds]


# Stratified folds


@given(numbered(), st.integers(2, 6), st.integers(0, 2**40))
@example(np.array([0, 0, 1, 1, -1]), 2, 0)
@settings(deadline=None)
def test_items_of_a_class_with_company_are_tested_exactly_once(numbers, n_folds, seed):
    folds = stratified_folds(numbers, n_folds, seed)
    counts = counts_of(numbers)
    tested = np.concatenate([test for _, test in folds]).tolist() if folds else []
    with_company = np.flatnonzero((numbers != -1) & (counts[numbers] >= 2))
    assert sorted(tested) == with_company.tolist()


@given(numbered(), st.integers(2, 6), st.integers(0, 2**40))
@settings(deadline=None)
def test_all_other_items_train_in_every_fold(numbers, n_folds, seed):
    for train, test in stratified_folds(numbers, n_folds, seed):
        assert sorted([*train, *test]) == list(range(len(numbers)))
        assert np.all(np.diff(train) > 0)
        # Unlabelled and lonely items are among them.
        lonely = np.flatnonzero(counts_of(numbers) == 1)
        assert not np.isin(numbers[test], [-1, *lonely]).any()


@given(numbered(), st.integers(2, 6), st.integers(0, 2**40))
@settings(deadline=None)
def test_there_are_as_many_folds_as_the_smallest_class_with_company_allows(numbers, n_folds, seed):
    counts = counts_of(numbers)
    sizes = counts[counts >= 2].tolist()
    expected = min([n_folds, *sizes]) if sizes else 0
    assert len(stratified_folds(numbers, n_folds, seed)) == expected


@given(numbered(), st.integers(2, 6), st.integers(0, 2**40))
@settings(deadline=None)
def test_every_class_trains_in_every_fold_and_is_spread_evenly(numbers, n_folds, seed):
    counts = counts_of(numbers)
    for train, test in stratified_folds(numbers, n_folds, seed):
        assert set(numbers[train]) >= set(numbers[numbers != -1])
        shares = np.bincount(numbers[test], minlength=len(counts)) * n_folds
        folds = min([n_folds, *counts[counts >= 2].tolist()])
        even = np.where(counts >= 2, counts / folds, 0)
        assert np.all(np.abs(shares / n_folds - even) < 1)


@pytest.mark.parametrize("numbers", [[], [-1, -1], [0], [0, 1, 2], [0, -1, 1, -1]])
def test_without_two_items_of_a_class_there_is_no_fold(numbers):
    assert stratified_folds(np.array(numbers, dtype=np.int64), 5, seed=0) == []


def test_same_seed_gives_the_same_folds_and_another_seed_others():
    numbers = np.arange(40) % 2
    one, same, other = (plain(stratified_folds(numbers, 4, seed)) for seed in (3, 3, 4))
    assert one == same != other


def test_seeds_of_64_bits_are_taken():
    assert len(stratified_folds(np.arange(10) % 2, 2, seed=2**64 - 1)) == 2


# Folds of a splitter


def test_a_splitter_sees_the_labelled_items_alone_and_the_others_train():
    problem = make([0, None, 1, 0, 1, None, 0, 1])
    labelled = [0, 2, 3, 4, 6, 7]
    folds = folds_of_labelled(KFold(3), problem)
    assert plain(folds) == [
        (sorted({*labelled, 1, 5} - set(test)), test) for test in ([0, 2], [3, 4], [6, 7])
    ]


def test_a_stratified_splitter_gets_the_classes():
    problem = make(["a"] * 8 + ["b"] * 4 + [None] * 3)
    for _, test in folds_of_labelled(StratifiedKFold(4), problem):
        assert problem.numbers[test].tolist() == [0, 0, 1]


def test_items_beside_X_train_in_every_fold_of_a_splitter():
    problem = make([0, 1, 0, 1], more=np.array([[8.0], [9.0]]))
    assert plain(folds_of_labelled(KFold(2), problem)) == [
        ([2, 3, 4, 5], [0, 1]),
        ([0, 1, 4, 5], [2, 3]),
    ]


# Folds of given rows


def test_given_rows_are_the_folds():
    splits = [([0, 1, 2], [3, 4, 5]), (np.array([5, 4, 3]), np.array([2, 0]))]
    folds = folds_of_rows(splits, make([0, 1, 0, 1, 0, 1]))
    assert plain(folds) == [([0, 1, 2], [3, 4, 5]), ([3, 4, 5], [0, 2])]


def test_masks_of_all_rows_are_the_rows_they_hold():
    mask = np.array([True, True, False, True, False, False])
    problem = make([0, 1, 0, 1, 0, 1])
    for splits in ([(mask, ~mask)], [(mask.tolist(), (~mask).tolist())]):
        assert plain(folds_of_rows(splits, problem)) == [([0, 1, 3], [2, 4, 5])]


def test_negative_row_numbers_count_from_the_end_as_everywhere():
    problem = make([0, 1, 0, 1, 0, 1])
    assert plain(folds_of_rows([([0, 1, 2], [-1, -3])], problem)) == [([0, 1, 2], [3, 5])]


@pytest.mark.parametrize("row", [6, -7])
def test_a_row_that_is_not_there_is_refused(row):
    with pytest.raises(ValueError, match="a row that X, of 6 rows, does not have"):
        folds_of_rows([([0, 1, 2], [3, row])], make([0, 1, 0, 1, 0, 1]))


def test_a_generator_of_splits_is_taken():
    problem = make([0, 1, 0, 1])
    assert len(folds_of_rows(KFold(2).split(np.zeros(4)), problem)) == 2


def test_rows_without_label_train_and_are_not_tested():
    problem = make([0, 1, None, 1, 0, None])
    assert plain(folds_of_rows([([0, 1, 2], [3, 4, 5])], problem)) == [([0, 1, 2], [3, 4])]


def test_rows_of_weight_zero_are_in_no_fold():
    problem = make([0, 1, 0, 1, 0, 1], sample_weight=[1, 0, 1, 1, 0, 1])
    ((train, test),) = folds_of_rows([([0, 1, 2], [3, 4, 5])], problem)
    # Places in the problem, which holds the rows 0, 2, 3 and 5.
    assert (train.tolist(), test.tolist()) == ([0, 1], [2, 3])
    assert problem.items[train].ravel().tolist() == [0.0, 2.0]
    assert problem.items[test].ravel().tolist() == [3.0, 5.0]


@pytest.mark.parametrize("sample_weight", [None, [1, 0, 1, 1]])
def test_items_beside_X_train_in_every_fold_of_rows(sample_weight):
    problem = make([0, 1, 0, 1], sample_weight=sample_weight, more=np.array([[8.0], [9.0]]))
    for rows, held_out in (([0, 1], [2, 3]), ([2, 3], [0, 1])):
        ((train, test),) = folds_of_rows([(rows, held_out)], problem)
        kept = [row for row in rows if row != 1 or sample_weight is None]
        assert problem.items[train].ravel().tolist() == [*kept, 8.0, 9.0]
        assert set(problem.items[test].ravel().tolist()) <= set(held_out)


# Warnings


@pytest.mark.parametrize(
    ("asked", "count", "message"),
    [
        (5, 3, "^the smallest class has 3 items: 3 folds instead of 5$"),
        (5, 0, "^no class has two items, so nothing can be cross-validated: using the simplest"),
    ],
)
def test_fewer_folds_than_asked_for_are_warned_of_once(asked, count, message):
    with pytest.warns(UserWarning, match=message) as caught:
        warn_of_few_folds(asked, count)
    assert len(caught) == 1


def test_as_many_folds_as_asked_for_are_not_warned_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_few_folds(5, 5)
