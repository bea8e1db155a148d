"""Cross-validation over settings: against classifiers that are fitted by hand on each fold."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from sfmcore.bounds.objective import Objective
from sfmcore.data.streams import ROWS_OF_SEARCH
from sfmcore.estimators.classifier import SFMClassifier
from sfmcore.estimators.classifier_cv import SFMClassifierCV
from sfmcore.estimators.grids import as_parameters
from sfmcore.evaluation.folds import stratified_folds
from sfmcore.evaluation.parts import known_part, part_of_rows
from sfmcore.evaluation.selection import Selection, candidates_of, select
from sfmcore.learning import search
from sfmcore.learning.algorithm import solve, solve_path
from sfmcore.learning.prepare import prepare
from sfmcore.learning.problem import make_problem
from sfmcore.learning.settings import Settings
from sfmcore.learning.task import Task
from sfmcore.models.gmm import DiagonalGMM

GRID = {"n_components": (1, 2), "conditioning": (False, True)}
SEED = 11


def make_data(n_items=36, n_classes=3, n_unlabelled=0, seed=0):
    """Overlapping classes of vectors, so that accuracies differ between candidates."""
    numbers = np.arange(n_items + n_unlabelled) % n_classes
    random = np.random.default_rng(seed)
    X = random.normal(size=(len(numbers), 3)) + 1.2 * np.eye(3)[numbers]
    y = numbers.copy()
    y[n_items:] = -1
    return X, y


def make(X, y, sample_weight=None):
    return make_problem(X, y, sample_weight, unlabeled=-1)


def estimator_of(setting, **parameters):
    """A classifier with a setting, of mixtures or of a kernel on the columns."""
    own = as_parameters(setting)
    mixtures = {} if "model" in own else {"n_init": 1, "em_max_iter": 10}
    return SFMClassifier(**{**mixtures, "unlabeled": -1, **parameters, **own})


def candidates_for(settings, **parameters):
    """What classifiers with the settings would learn; models that are equal are one object."""
    parts = {}

    def shared(part):
        return parts.setdefault(repr(part), part)

    made = [estimator_of(one, **parameters).candidates()[0] for one in settings]
    return [
        replace(own, model=shared(own.model), preparation=shared(own.preparation)) for own in made
    ]


def chosen(problem, grid=GRID, Cs=(20.0,), folds=None, n_threads=1, **parameters):
    if folds is None:
        folds = stratified_folds(problem.numbers, 3, seed=0)
    settings = candidates_of(grid)
    return select(
        candidates_for(settings, **parameters),
        settings,
        problem,
        Cs,
        folds,
        seed=SEED,
        n_threads=n_threads,
    )


def fitted_by_hand(X, y, fold, candidate, sample_weight=None, **parameters):
    """A classifier that is fitted on the training items of a fold."""
    train = fold[0]
    model = estimator_of(candidate, random_state=SEED, **parameters)
    weights = None if sample_weight is None else sample_weight[train]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X[train], y[train], weights)


def by_hand(X, y, fold, candidate, sample_weight=None, **parameters):
    """Labels of the test items by a classifier that is fitted on the training items."""
    model = fitted_by_hand(X, y, fold, candidate, sample_weight, **parameters)
    return model.predict(X[fold[1]])


@pytest.fixture
def as_exact_as_a_fit(monkeypatch):
    """Search for u in cross-validation as closely as in a fit."""
    for name in ("_ROUGH_START", "_ROUGH"):
        monkeypatch.setattr(search, name, 2.2e-9)


def means_of(result):
    return result.mean(result.accuracies)


def tandem_losses(model, X, y):
    """How often two drawn classifiers are both wrong, summed over the binary problems."""
    margins = model.votes(model.preparation.encode(X, model))[0]
    targets = [1] if len(margins) == 1 else range(len(margins))
    losses = np.zeros(len(X))
    for target, rows in zip(targets, margins, strict=True):
        signs = np.where(y == target, 1.0, -1.0)[:, None]
        losses += norm.sf(signs * rows).mean(1) ** 2
    return losses


# Candidates


def test_candidates_are_all_combinations_the_last_name_fastest():
    assert candidates_of({"a": (1, 2), "b": ("x", "y")}) == [
        {"a": 1, "b": "x"},
        {"a": 1, "b": "y"},
        {"a": 2, "b": "x"},
        {"a": 2, "b": "y"},
    ]


def test_coupling_is_a_candidate_with_draws_only():
    grid = {"coupling": (0.0, 0.5), "n_draws": (3, "exact")}
    assert candidates_of(grid) == [
        {"coupling": 0.0, "n_draws": 3},
        {"coupling": 0.0, "n_draws": "exact"},
        {"coupling": 0.5, "n_draws": 3},
    ]
    # Without a word about draws nothing is known to be wrong.
    assert len(candidates_of({"coupling": (0.0, 0.5)})) == 2


def test_without_conditioning_nothing_is_clipped_and_only_the_first_clip_is_tried():
    grid = {"conditioning": (False, True), "clip": (2.0, 1.0)}
    assert candidates_of(grid) == [
        {"conditioning": False, "clip": 2.0},
        {"conditioning": True, "clip": 2.0},
        {"conditioning": True, "clip": 1.0},
    ]


def test_with_landmarks_nothing_else_bends_the_features_and_no_prior_is_linear():
    grid = {
        "n_landmarks": (0, 9),
        "gamma": (1.0, 4.0),
        "clip": (2.0, 1.0),
        "prior": ("map", "zero"),
    }
    linear = [{"n_landmarks": 0, "gamma": 1.0, "clip": c, "prior": p} for c in (2.0, 1.0)
              for p in ("map", "zero")]  # fmt: skip
    kernel = [{"n_landmarks": 9, "gamma": g, "clip": 2.0, "prior": "zero"} for g in (1.0, 4.0)]
    assert candidates_of(grid) == [*linear, *kernel]


def test_a_width_is_tried_where_the_grid_says_nothing_of_landmarks():
    assert len(candidates_of({"gamma": (1.0, 4.0)})) == 2


@pytest.mark.parametrize(
    "grid",
    [
        {"n_landmarks": (9,), "prior": ("map",)},
        {"n_draws": ("exact",), "coupling": (1.0,)},
    ],
)
def test_a_grid_of_which_nothing_can_be_learnt_is_refused(grid):
    with pytest.raises(ValueError, match="no setting of the grid can be learnt"):
        candidates_of(grid)


def test_a_grid_of_nothing_has_one_candidate():
    assert candidates_of({}) == [{}]


def test_results_stand_in_the_order_of_the_candidates_C_fastest_and_rising():
    result = chosen(make(*make_data()), Cs=(64.0, 2.0))
    assert result.candidates == [
        {**candidate, "C": C} for candidate in candidates_of(GRID) for C in (2.0, 64.0)
    ]
    assert result.accuracies.shape == result.tandem_losses.shape == (8, 3)
    assert result.fold_weights.tolist() == [12.0] * 3


# Accuracies


@pytest.mark.parametrize(
    ("n_classes", "parameters"),
    [
        (2, {}),
        (3, {}),
        (2, {"scaling": "power"}),
        (2, {"scaling": None}),
        (2, {"scaling": "normal"}),
        (3, {"vote": "raw"}),
        (3, {"n_landmarks": 20, "gamma": 2.0}),
        (2, {"prior": "map"}),
        (3, {"n_draws": 3, "max_iter": 1, "vote": "normalised"}),
        (2, {"n_draws": 3, "coupling": 1.0, "max_iter": 2, "prior_fraction": 0.3}),
    ],
    ids=[
        "two classes",
        "three classes",
        "bent columns",
        "unscaled",
        "ranks",
        "raw",
        "kernel",
        "MAP",
        "draws",
        "coupled",
    ],
)
def test_figures_are_those_of_classifiers_fitted_on_each_fold(
    n_classes, parameters, as_exact_as_a_fit
):
    X, y = make_data(n_classes=n_classes, n_unlabelled=5)
    problem = make(X, y)
    folds = stratified_folds(problem.numbers, 3, seed=0)
    # One C: there is no smaller one to start from, so u is searched as in `fit`.
    result = chosen(problem, folds=folds, **parameters)
    for row, candidate in enumerate(result.candidates):
        for column, fold in enumerate(folds):
            model = fitted_by_hand(X, y, fold, candidate, **parameters)
            items, truth = X[fold[1]], y[fold[1]]
            assert result.accuracies[row, column] == np.mean(model.predict(items) == truth)
            losses = tandem_losses(model, items, truth)
            assert result.tandem_losses[row, column] == pytest.approx(losses.mean(), rel=2e-4)
    assert len(np.unique(result.accuracies)) > 2


@pytest.mark.slow
def test_one_pair_stands_for_all_pairs_of_the_estimator():
    X, y = make_data()
    grid = {"n_components": (1, 2), "Cs": (2.0, 20.0), "cv": 3, "n_column_voters": 0}
    one, three = (
        SFMClassifierCV(**grid, n_pairs=n_pairs, random_state=SEED).fit(X, y) for n_pairs in (1, 3)
    )
    assert len(three.best_estimator_.pairs_) == 3 * len(one.best_estimator_.pairs_)
    for name in ("accuracy", "tandem_loss"):
        for number in range(3):
            own = [model.cv_results_[f"split{number}_test_{name}"] for model in (one, three)]
            assert np.array_equal(*own)


@pytest.mark.parametrize(("n_classes", "n_landmarks"), [(2, 15), (3, 60)])
def test_figures_of_a_kernel_on_the_columns_are_those_of_classifiers_fitted_on_each_fold(
    n_classes, n_landmarks, as_exact_as_a_fit
):
    """Of three classes all rows are landmarks: in folds, classes share a choice of fewer."""
    X, y = make_data(n_classes=n_classes, n_unlabelled=5)
    problem = make(X, y)
    folds = stratified_folds(problem.numbers, 3, seed=0)
    widths = {"n_landmarks": (n_landmarks,), "gamma": (1.0, 3.0)}
    grid = {**widths, "scaling": ("uniform", "normal"), "kernel": ("gaussian", "laplacian")}
    result = chosen(problem, grid, folds=folds)
    for row, candidate in enumerate(result.candidates):
        for column, fold in enumerate(folds):
            model = fitted_by_hand(X, y, fold, candidate)
            losses = tandem_losses(model, X[fold[1]], y[fold[1]])
            assert result.tandem_losses[row, column] == pytest.approx(losses.mean(), rel=2e-4)
    assert len(np.unique(result.tandem_losses[:, 0])) == 8


def test_inputs_of_every_kind_are_learnt_and_tried_by_themselves():
    problem = make(*make_data())
    every = chosen(problem, {"scaling": ("standard", "power", None)})
    for number, scaling in enumerate(("standard", "power", None)):
        alone = chosen(problem, {}, scaling=scaling)
        assert np.array_equal(every.tandem_losses[number], alone.tandem_losses[0])
    assert len(np.unique(every.tandem_losses[:, 0])) == 3


def test_scores_of_the_smallest_C_do_not_depend_on_the_others():
    problem = make(*make_data())
    alone, among = chosen(problem, Cs=(2.0,)), chosen(problem, Cs=(2.0, 20.0, 200.0))
    assert np.array_equal(among.accuracies[::3], alone.accuracies)
    assert np.array_equal(among.tandem_losses[::3], alone.tandem_losses)


def test_a_larger_C_from_the_smaller_ones_value_is_about_as_accurate_as_alone():
    X, y = make_data(90)
    problem = make(X, y)
    folds = stratified_folds(problem.numbers, 3, seed=0)
    together = chosen(problem, {}, (2.0, 20.0, 200.0), folds).accuracies
    for column, C in enumerate((2.0, 20.0, 200.0)):
        alone = chosen(problem, {}, (C,), folds).accuracies[0]
        # J(u) is not convex: another start may end elsewhere. Measured: 0, 1 or 2 of 30 items.
        assert np.all(np.abs(together[column] - alone) < 2.5 / 30)


def test_values_of_C_are_solved_in_rising_order_and_follow_each_other(monkeypatch):
    calls = []
    descend = Objective.descend

    def watched(self, start, *, convex=False, **limits):
        u, count = descend(self, start, convex=convex, **limits)
        calls.append((self.C, convex, start, u))
        return u, count

    monkeypatch.setattr(Objective, "descend", watched)
    problem = make(*make_data(n_classes=2))
    chosen(problem, {}, Cs=(20.0, 2.0), folds=[(np.arange(20), np.arange(20, 36))])
    # The first from the directions of the MAP classifier and of the mean row, too.
    first = [(2.0, True), (2.0, False), (2.0, False), (2.0, False)]
    assert [call[:2] for call in calls] == [*first, (20.0, True), (20.0, False)]
    # Each surrogate from that of the C before, and each J(u) from its surrogate.
    assert not calls[0][2].any()
    for earlier, later in ((0, 1), (0, 4), (4, 5)):
        assert np.array_equal(calls[earlier][3], calls[later][2])


@pytest.mark.parametrize("n_positive", [6, 16])
def test_a_rare_class_leaves_no_larger_C_where_J_is_flat(n_positive):
    """From u of the C before, which says "rest" for every item, J stayed 2.8 times as high."""
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 4))
    X[:n_positive, 0] += 1.5
    signs = np.where(np.arange(200) < n_positive, 1, -1).astype(np.int8)
    settings = Settings(n_landmarks=150, gamma=4.0)
    prepared = prepare(Task.of(X, signs), DiagonalGMM(1), settings)
    Cs = (2.0, 8.0, 32.0, 128.0, 512.0)
    in_turn = [pair.objective[-1] for pair in solve_path(prepared, Cs)]
    alone = [solve(prepared, C).objective[-1] for C in Cs]
    np.testing.assert_allclose(in_turn, alone, rtol=1e-3)


def test_models_of_a_fold_are_fitted_once_for_all_settings_but_their_own(monkeypatch):
    fits = []
    estimate = DiagonalGMM.estimate

    def spy(self, data, sample_weight=None):
        fits.append(self.n_components)
        return estimate(self, data, sample_weight)

    monkeypatch.setattr(DiagonalGMM, "estimate", spy)
    grid = {**GRID, "n_draws": ("exact", 2)}
    chosen(make(*make_data(18)), grid, Cs=(2.0, 8.0), max_iter=1)
    # Two models for each of three folds, three classes and two sizes.
    assert sorted(fits) == [1] * 18 + [2] * 18


def test_the_candidates_are_left_as_they_were():
    settings = candidates_of(GRID)
    candidates = candidates_for(settings)
    # Attributes are parameters alone: nothing is fitted.
    parts = [part for own in candidates for part in (own.model, own.preparation)]
    before = [dict(vars(part)) for part in parts]
    problem = make(*make_data())
    folds = stratified_folds(problem.numbers, 2, seed=0)
    select(candidates, settings, problem, (2.0,), folds, seed=SEED, n_threads=1)
    assert [vars(part) for part in parts] == before
    assert settings == candidates_of(GRID)


@pytest.mark.parametrize("parameters", [{}, {"n_draws": 2, "coupling": 1.0, "max_iter": 2}])
def test_one_and_two_threads_find_the_same_bits(parameters):
    problem = make(*make_data(n_unlabelled=4))
    grid = {"n_components": (2,), "conditioning": (False, True)}
    one, two = (chosen(problem, grid, (2.0, 64.0), n_threads=n, **parameters) for n in (1, 2))
    assert one.accuracies.tobytes() == two.accuracies.tobytes()
    assert one.tandem_losses.tobytes() == two.tandem_losses.tobytes()


# Weights


def test_weighted_figures_count_an_item_by_its_weight(as_exact_as_a_fit):
    X, y = make_data()
    weights = np.random.default_rng(3).choice([0.5, 1.0, 4.0], len(y))
    problem = make(X, y, weights)
    folds = stratified_folds(problem.numbers, 3, seed=0)
    result = chosen(problem, folds=folds)
    totals = np.zeros(4)
    for column, fold in enumerate(folds):
        shares = weights[fold[1]]
        for row, candidate in enumerate(result.candidates):
            model = fitted_by_hand(X, y, fold, candidate, weights)
            hits = model.predict(X[fold[1]]) == y[fold[1]]
            totals[row] += (hits * shares).sum()
            expected = (hits * shares).sum() / shares.sum()
            assert result.accuracies[row, column] == pytest.approx(expected, rel=1e-12)
            losses = tandem_losses(model, X[fold[1]], y[fold[1]])
            expected = (losses * shares).sum() / shares.sum()
            assert result.tandem_losses[row, column] == pytest.approx(expected, rel=2e-4)
        assert result.fold_weights[column] == pytest.approx(shares.sum(), rel=1e-12)
    np.testing.assert_allclose(means_of(result), totals / weights.sum(), rtol=1e-12)


def test_mean_is_that_of_the_items_and_not_of_the_folds():
    X, y = make_data()
    problem = make(X, y)
    folds = [(np.arange(6, 36), np.arange(6)), (np.arange(6), np.arange(6, 36))]
    result = chosen(problem, folds=folds)
    expected = (6 * result.accuracies[:, 0] + 30 * result.accuracies[:, 1]) / 36
    np.testing.assert_allclose(means_of(result), expected, rtol=1e-12)
    assert not np.allclose(means_of(result), result.accuracies.mean(1))


# The best


def separable(n_classes=2):
    """Classes so far apart that every candidate is always right."""
    numbers = np.arange(24) % n_classes
    X = np.random.default_rng(0).normal(size=(24, 3)) + 50.0 * np.eye(3)[numbers]
    return make(X, numbers)


def test_of_equally_good_candidates_the_first_is_the_best():
    result = chosen(separable(), Cs=(64.0, 2.0))
    assert means_of(result).tolist() == [1.0] * 8
    assert result.ranking("accuracy").tolist() == list(range(8))
    best = result.candidates[result.ranking("accuracy")[0]]
    assert best == {"n_components": 1, "conditioning": False, "C": 2.0}


def selection_of(figures, fold_weights=(1.0,), n_Cs=1):
    figures = np.array(figures, dtype=float)
    return Selection(
        candidates=[{"C": k} for k in range(len(figures))],
        accuracies=1.0 - figures,
        tandem_losses=figures[::-1],
        fold_weights=np.array(fold_weights),
        n_Cs=n_Cs,
        scores=[np.zeros((len(figures), 1, 0), dtype=np.float32)],
    )


def test_candidates_are_ranked_by_the_accuracy_or_by_the_tandem_loss():
    result = selection_of([[0.3], [0.1], [0.4], [0.1]])
    # The largest accuracy first, and the smallest loss; of equal ones the simpler.
    assert result.ranking("accuracy").tolist() == [1, 3, 0, 2]
    assert result.ranking("tandem").tolist() == [0, 2, 3, 1]
    # However many are equal.
    many = selection_of([[0.5], [0.2]] * 30).ranking("accuracy")
    assert many.tolist() == [*range(1, 60, 2), *range(0, 60, 2)]


def test_every_setting_votes_with_its_own_best_C_and_the_best_settings_vote():
    # Three settings with two values of C each, whose losses are given the other way round.
    figures = [[0.5], [0.4], [0.2], [0.3], [0.9], [0.2]]
    result = selection_of(figures[::-1], n_Cs=2)
    assert result.voters("tandem", 3) == [2, 5, 1]
    assert result.voters("tandem", 2) == [2, 5]
    # The best voter is the first of the ranking, and there are no more voters than settings.
    assert result.candidates[result.ranking("tandem")[0]] == {"C": 2}
    assert len(result.voters("tandem", 10)) == 3
    assert selection_of(figures, n_Cs=2).voters("accuracy", 1) == [2]
    # Settings that do not stand for election take no seat.
    among = np.array([False, True, True])
    assert result.voters("tandem", 2, among) == [2, 5]
    assert result.voters("tandem", 2, ~among) == [1]
    assert result.voters("tandem", 0, among) == []
    # Of equal values of C the smaller, of equal settings the simpler.
    assert selection_of([[0.5]] * 6, n_Cs=3).voters("tandem", 2) == [0, 3]


def test_sums_that_differ_by_rounding_are_equally_good():
    # The second candidate has the smaller sum by the order of adding alone.
    first, second = 0.1 + 0.2, 0.3
    assert first > second
    for figures in ([[first], [second]], [[second], [first]]):
        assert selection_of(figures).ranking("accuracy").tolist() == [0, 1]
        assert selection_of(figures).ranking("tandem").tolist() == [0, 1]


@pytest.mark.parametrize("scoring", ["accuracy", "tandem"])
def test_the_best_is_the_first_of_those_with_the_best_mean(scoring):
    result = chosen(make(*make_data(60)), Cs=(0.1, 20.0))
    figures = -result.accuracies if scoring == "accuracy" else result.tandem_losses
    means = result.mean(figures)
    ranking = result.ranking(scoring)
    assert len(np.unique(means)) > 1
    assert means[ranking[0]] == means.min()
    assert np.all(np.diff(means[ranking]) >= -1e-12)
    assert sorted(ranking.tolist()) == list(range(8))


# Folds of the user's


def test_a_class_that_does_not_train_gets_no_item():
    X, y = make_data(30)
    problem = make(X, y)
    train, test = np.flatnonzero(y != 2), np.flatnonzero(y == 2)
    result = chosen(problem, folds=[(train, test), (test, train)])
    # A drawn classifier has no doubt either: each of the binary problems that it gets wrong
    # has a loss of one.
    assert np.all(result.tandem_losses >= 1.0)
    # Class 2 is unknown to the first fold, and the only one that the second knows.
    assert result.accuracies.tolist() == [[0.0, 0.0]] * 4


@pytest.mark.parametrize("present", [0, 1])
def test_where_one_of_two_classes_does_not_train_the_other_gets_every_item(present):
    X, y = make_data(30, 2)
    train = np.flatnonzero(y == present)[:5]
    test = np.setdiff1d(np.arange(30), train)
    result = chosen(make(X, y), folds=[(train, test)])
    assert result.accuracies.tolist() == [[np.mean(y[test] == present)]] * 4
    expected = [[np.mean(y[test] != present)]] * 4
    np.testing.assert_allclose(result.tandem_losses, expected, rtol=1e-12)


def test_an_unknown_class_leaves_the_choice_to_the_others():
    X, y = make_data(45)
    problem = make(X, y)
    train, test = np.arange(0, 30), np.arange(30, 45)
    train = train[y[train] != 0]
    fold = (train, test)
    result = chosen(problem, folds=[fold])
    for candidate in result.candidates:
        labels = by_hand(X, y, fold, candidate)
        assert set(labels) <= {1, 2}
    assert np.all(result.accuracies <= np.mean(y[test] != 0))
    assert result.accuracies.max() > 0.4


def test_a_fold_that_tests_nothing_has_no_accuracy_and_no_say():
    X, y = make_data()
    problem = make(X, y)
    fold = (np.arange(24), np.arange(24, 36))
    alone = chosen(problem, folds=[fold])
    both = chosen(problem, folds=[fold, (np.arange(30), np.arange(0))])
    assert np.array_equal(both.accuracies[:, 0], alone.accuracies[:, 0])
    for figures in (both.accuracies, both.tandem_losses):
        assert np.isnan(figures[:, 1]).all()
    assert np.array_equal(means_of(both), means_of(alone))
    for scoring in ("accuracy", "tandem"):
        assert np.array_equal(both.ranking(scoring), alone.ranking(scoring))


def test_folds_that_test_nothing_at_all_leave_the_order_of_the_candidates():
    nothing = (np.arange(30), np.arange(0))
    result = chosen(make(*make_data()), Cs=(8.0, 2.0), folds=[nothing, nothing])
    assert np.isnan(means_of(result)).all()
    assert result.ranking("tandem").tolist() == list(range(8))


def test_without_a_fold_the_simplest_is_the_best():
    result = chosen(make(*make_data()), Cs=(8.0, 2.0), folds=[])
    assert result.accuracies.shape == result.tandem_losses.shape == (8, 0)
    assert np.isnan(means_of(result)).all()
    for scoring in ("accuracy", "tandem"):
        assert result.ranking(scoring).tolist() == list(range(8))


def test_a_classifier_without_anything_to_cross_validate_takes_the_simplest():
    model = SFMClassifierCV((1, 2), Cs=(8.0, 2.0), random_state=0)
    with pytest.warns(UserWarning, match="no class has two items"):
        model.fit([[0.0], [5.0]], ["a", "b"])
    assert model.best_params_["n_components"] == 1
    assert model.best_params_["C"] == 2.0
    assert np.isnan(model.best_score_)
    assert model.voters_ == [model.best_params_]
    assert len(model.best_estimator_.pairs_) == 1
    assert model.predict([[0.1], [4.0]]).tolist() == ["a", "b"]


# Items that are kept for a certificate


def test_no_item_is_kept_without_a_certificate():
    problem = make(*make_data())
    assert known_part(problem, None) is problem


def test_items_kept_for_a_certificate_are_in_no_part_of_the_selection():
    X, y = make_data(30, n_unlabelled=6)
    problem = make(X, y)
    known = problem.seen_by_models(0.5, 0)
    part = known_part(problem, known)
    expected = np.flatnonzero(known | (y == -1))
    assert part.places.tolist() == expected.tolist()
    assert np.array_equal(part.items, X[expected])
    assert np.array_equal(part.numbers, problem.numbers[expected])
    assert part.weights.tolist() == [1.0] * 21
    assert part.classes is problem.classes


@pytest.mark.slow
def test_settings_are_chosen_without_the_items_kept_for_a_certificate():
    X, y = make_data(60)

    def fitted(X, y):
        model = SFMClassifierCV(
            (1, 2),
            Cs=(2.0, 32.0),
            clip=2.0,
            scaling="standard",
            cv=3,
            n_voters=2,
            column_scaling="uniform",
            gaussian_gamma=(),
            n_column_voters=2,
            certificate_fraction=0.5,
            certify_by="pac-bayes",
            random_state=4,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return model.fit(X, y)

    apart = ~make(X, y).seen_by_models(0.5, 4)
    noise, permuted = X.copy(), y.copy()
    noise[apart] *= -3.0
    permuted[apart] = np.random.default_rng(0).permutation(y[apart])
    one, other = fitted(X, y), fitted(noise, permuted)
    for name in ("mean_test_accuracy", "std_test_accuracy", "mean_test_tandem_loss"):
        assert one.cv_results_[name].tobytes() == other.cv_results_[name].tobytes()
    assert one.voters_ == other.voters_
    assert one.certificate_ != other.certificate_
    assert one.certificate_.certificates[0].n_items == apart.sum()


def test_weights_are_refused_with_a_certificate_before_the_work(monkeypatch):
    def run(*_, **__):
        raise AssertionError("the work began before the refusal")

    monkeypatch.setattr("sfmcore.estimators.classifier_cv.select", run)
    X, y = make_data()
    with pytest.raises(ValueError, match="it takes no sample_weight"):
        SFMClassifierCV(certificate_fraction=0.5, certify_by="pac-bayes").fit(X, y, np.ones(36))


@pytest.mark.parametrize("prior", ["map", ("zero", "map")])
def test_a_prior_of_the_models_is_refused_with_a_certificate_before_the_work(prior, monkeypatch):
    def run(*_, **__):
        raise AssertionError("the work began before the refusal")

    monkeypatch.setattr("sfmcore.estimators.classifier_cv.select", run)
    X, y = make_data()
    with pytest.raises(ValueError, match="certify_by='pac-bayes' learns u_0"):
        SFMClassifierCV(prior=prior, certificate_fraction=0.5, certify_by="pac-bayes").fit(X, y)


# Parts of the rows


def test_a_part_has_every_class_in_proportion_and_small_ones_whole():
    numbers = np.repeat([0, 1, 2, 3], [600, 300, 5, 1])
    y = np.append(numbers, np.full(94, -1))
    problem = make(np.arange(1000.0)[:, None], y)
    part = part_of_rows(problem, 100, (3, 0))
    assert np.bincount(part.numbers + 1).tolist() == [9, 60, 30, 5, 1]
    # Each item with what belongs to it, in the order of before.
    assert np.array_equal(part.items[:, 0], part.places)
    assert np.array_equal(part.numbers, y[part.places])
    assert np.all(np.diff(part.places) > 0)
    again, other = (part_of_rows(problem, 100, (seed, 0)).places for seed in (3, 4))
    assert np.array_equal(again, part.places)
    assert not np.array_equal(other, part.places)


@pytest.mark.parametrize("most", [None, 36, 10**9])
def test_a_problem_of_few_rows_is_left_as_it_is(most):
    problem = make(*make_data())
    assert part_of_rows(problem, most, (0, 0)) is problem


@pytest.mark.slow
def test_settings_are_chosen_on_a_part_and_voters_fitted_on_all():
    X, y = make_data(120)
    grid = {"n_components": (1, 2), "Cs": (2.0, 20.0), "cv": 3, "n_column_voters": 0}
    part = part_of_rows(make(X, y), 40, (SEED, ROWS_OF_SEARCH)).places
    whole = SFMClassifierCV(**grid, max_rows_search=40, random_state=SEED).fit(X, y)
    alone = SFMClassifierCV(**grid, random_state=SEED).fit(X[part], y[part])
    for name in ("accuracy", "tandem_loss"):
        own = [model.cv_results_[f"mean_test_{name}"] for model in (whole, alone)]
        assert np.array_equal(*own)
    assert whole.voters_ == alone.voters_
    for limit, count in ((None, 120), (120, 120), (60, 60)):
        model = SFMClassifierCV(**grid, max_rows_fit=limit, max_rows_search=40, random_state=SEED)
        model.fit(X, y)
        # Items that nothing was learnt from are fresh.
        assert len(model.best_estimator_.known_items_.digests) == count
    same = SFMClassifierCV(
        **grid, max_rows_fit=60, max_rows_search=40, random_state=SEED, n_jobs=3
    ).fit(X, y)
    assert np.array_equal(same.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize("name", ["max_rows_search", "max_rows_fit"])
def test_limits_of_rows_are_whole_numbers_or_none(name):
    for value in (0, 2.5, "many"):
        with pytest.raises(ValueError, match=f"{name} must be"):
            SFMClassifierCV(**{name: value}).fit(*make_data())
