"""LMKL: the gradient of its objective, the alternation, and what gating is good for."""

import pickle

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from sfmcore.baselines import LMKLClassifier
from sfmcore.baselines.gating import GatedProblem


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [LMKLClassifier(), LMKLClassifier(kernels=("linear", "rbf"), C=10.0, standardize=False)]
)
def test_contract_of_scikit_learn(estimator, check):
    check(estimator)


def xor(n_items=160, seed=0):
    X = np.random.default_rng(seed).normal(size=(n_items, 2))
    return X, X[:, 0] * X[:, 1] > 0


def gated(n_items=25, C=2.0, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_items, 3))
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    kernels = [unit @ unit.T, (1 + X @ X.T) ** 2, np.exp(-((X[:, None] - X) ** 2).sum(2))]
    signs = random.choice([-1, 1], n_items).astype(np.int8)
    return GatedProblem(kernels, np.column_stack([np.ones(n_items), X]), signs, C)


def printed_gradient(problem, v, weights):
    """The paper's double sum, term by term."""
    eta, z = softmax(problem.inputs @ v.T, axis=1), problem.inputs
    out = np.zeros(v.shape)
    for m in range(len(v)):
        for i in range(len(z)):
            for j in range(len(z)):
                for h, K in enumerate(problem.kernels):
                    pull = weights[i] * weights[j] * eta[i, h] * K[i, j] * eta[j, h]
                    out[m] -= 0.5 * pull * z[i] * ((m == h) - eta[i, m])
                    out[m] -= 0.5 * pull * z[j] * ((m == h) - eta[j, m])
    return out


# The objective


def test_gradient_at_fixed_alpha_agrees_with_finite_differences_and_the_printed_sum():
    problem = gated()
    random = np.random.default_rng(1)
    v, weights = random.normal(size=(3, 4)), problem.signs * random.uniform(0, 2, 25)
    weights[::4] = 0.0
    slope = problem.slope(v, weights)
    numeric = np.zeros_like(v)
    for place in np.ndindex(*v.shape):
        step = np.zeros_like(v)
        step[place] = 1e-5
        up, down = problem.value(v + step, weights), problem.value(v - step, weights)
        numeric[place] = (up - down) / 2e-5
    np.testing.assert_allclose(slope, numeric, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(slope, printed_gradient(problem, v, weights), rtol=1e-9, atol=1e-10)


def test_the_machine_maximises_J_over_alpha():
    problem = gated()
    v = np.random.default_rng(2).normal(size=(3, 4))
    solution = problem.solve(v)
    alpha = solution.weights * problem.signs
    assert alpha.min() >= 0
    assert alpha.max() <= problem.C + 1e-9
    np.testing.assert_allclose(solution.weights.sum(), 0.0, atol=1e-9)
    random = np.random.default_rng(0)
    for _ in range(50):
        other = np.clip(alpha + 0.05 * random.normal(size=25), 0, problem.C)
        # Back to where the signed sum is 0, by the smaller side.
        totals = [other[problem.signs == sign].sum() for sign in (-1, 1)]
        for sign, total in zip((-1, 1), totals, strict=True):
            other[problem.signs == sign] *= min(totals) / total
        assert problem.value(v, other * problem.signs) <= solution.value + 1e-3


def test_gradient_of_the_dual_is_that_at_its_best_alpha():
    problem = gated()
    v = np.random.default_rng(3).normal(size=(3, 4))
    slope = problem.slope(v, problem.solve(v).weights)
    direction = slope / np.linalg.norm(slope)
    step = 1e-2
    up, down = (problem.solve(v + s * step * direction).value for s in (1, -1))
    np.testing.assert_allclose((up - down) / (2 * step), np.linalg.norm(slope), rtol=2e-2)


def test_J_never_rises_and_falls_at_first():
    for seed in range(4):
        X, y = xor(seed=seed)
        model = LMKLClassifier(C=5.0, kernels=("linear", "linear"), random_state=seed).fit(X, y)
        history = model.history_[0]
        assert np.all(np.diff(history) < 0)
        assert history[-1] < 0.7 * history[0]
        assert len(history) == model.n_iter_ + 1


# What it is good for


def test_two_linear_pieces_tell_apart_what_one_can_not():
    X, y = xor()
    new, labels = xor(400, seed=9)
    one = LMKLClassifier(C=10.0, kernels=("linear",), random_state=0).fit(X, y)
    two = LMKLClassifier(C=10.0, kernels=("linear", "linear"), random_state=0).fit(X, y)
    assert one.score(new, labels) < 0.7
    assert two.score(new, labels) > 0.9


def test_two_moons_are_told_apart_by_linear_pieces():
    X, y = make_moons(200, noise=0.1, random_state=0)
    new, labels = make_moons(400, noise=0.1, random_state=1)
    one = LMKLClassifier(C=10.0, kernels=("linear",), random_state=0).fit(X, y)
    three = LMKLClassifier(C=10.0, kernels=("linear",) * 3, random_state=0, n_init=3).fit(X, y)
    assert one.score(new, labels) < 0.92
    assert three.score(new, labels) > 0.97


def test_a_single_kernel_is_the_ordinary_support_vector_machine():
    X, y = xor()
    model = LMKLClassifier(kernels=("rbf",), gamma=0.7, standardize=False, C=3.0).fit(X, y)
    plain = SVC(C=3.0, gamma=0.7, tol=1e-4).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), plain.decision_function(X), atol=2e-3)
    assert model.n_iter_ == 0


def test_gates_are_shares_and_part_the_plane():
    X, y = xor()
    model = LMKLClassifier(C=10.0, kernels=("linear", "linear"), random_state=0).fit(X, y)
    gates = model.gates(X)
    assert gates.shape == (1, len(X), 2)
    np.testing.assert_allclose(gates.sum(2), 1.0)
    assert 0.25 < np.mean(gates[0, :, 0] > 0.5) < 0.75


def test_more_starts_never_end_higher():
    X, y = make_moons(120, noise=0.2, random_state=0)
    values = [
        LMKLClassifier(C=10.0, kernels=("linear",) * 3, n_init=n, random_state=0)
        .fit(X, y)
        .history_[0][-1]
        for n in (1, 2, 4)
    ]
    assert values[0] >= values[1] >= values[2]


# The estimator


def test_a_function_is_a_kernel_too():
    X, y = xor()
    named = LMKLClassifier(kernels=("linear", "quadratic"), random_state=0).fit(X, y)
    made = LMKLClassifier(
        kernels=(lambda A, B: A @ B.T, lambda A, B: (1 + A @ B.T) ** 2), random_state=0
    ).fit(X, y)
    np.testing.assert_allclose(named.decision_function(X), made.decision_function(X), rtol=1e-6)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_several_classes_are_each_told_from_the_rest():
    random = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = random.normal(size=(90, 2)) + 4 * np.array([[0, 0], [1, 0], [0, 1]])[y]
    names = np.array(["a", "b", "c"])
    model = LMKLClassifier(C=5.0, random_state=0).fit(X, names[y])
    assert model.decision_function(X).shape == (90, 3)
    assert model.gating_.shape == (3, 2, 3)
    assert model.score(X, names[y]) > 0.93
    alone = LMKLClassifier(C=5.0, random_state=0).fit(X, y == 1)
    assert np.mean(alone.predict(X) == (y == 1)) > 0.93


def test_same_seed_gives_the_same_bits_whatever_the_number_of_threads():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 3)), np.arange(60) % 3
    bits = [
        LMKLClassifier(random_state=0, n_jobs=jobs).fit(X, y).decision_function(X).tobytes()
        for jobs in (None, 2, 5)
    ]
    assert bits[0] == bits[1] == bits[2]
    model = LMKLClassifier(random_state=0).fit(X, y)
    assert pickle.loads(pickle.dumps(model)).decision_function(X).tobytes() == bits[0]


def test_an_alternation_that_is_cut_short_says_so_once():
    X, y = xor()
    model = LMKLClassifier(C=10.0, kernels=("linear", "linear"), max_iter=1, tol=0.0)
    with pytest.warns(ConvergenceWarning, match="stopped after 1 steps") as caught:
        model.set_params(random_state=0).fit(X, y)
    assert len(caught) == 1


def test_zero_vectors_and_constant_columns_give_finite_scores():
    X, y = xor(40)
    X = np.column_stack([X, np.full(40, 3.0)])
    X[:3] = X.mean(0)
    model = LMKLClassifier(kernels=("linear", "rbf"), random_state=0).fit(X, y)
    assert np.all(np.isfinite(model.decision_function(np.vstack([X, X.mean(0)]))))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("C", -1.0),
        ("kernels", ()),
        ("kernels", "linear"),
        ("kernels", ("linear", "cubic")),
        ("gamma", 0.0),
        ("standardize", "yes"),
        ("max_iter", 0),
        ("tol", -1.0),
        ("n_init", 0),
        ("random_state", -1),
    ],
)
def test_bad_parameters_are_refused_by_name(name, value):
    X, y = xor(30)
    with pytest.raises(ValueError, match=f"^{name} must"):
        LMKLClassifier(**{name: value}).fit(X, y)
