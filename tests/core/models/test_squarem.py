"""Accelerated EM against plain EM: as high, in far fewer E-steps, and never lower."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfmcore.data.ragged import Ragged
from sfmcore.kernels import _hmm
from sfmcore.models.gmm import DiagonalGMM
from sfmcore.models.hmm import CategoricalHMM
from sfmcore.models.squarem import climb


class Quadratic:
    """EM whose error shrinks by another factor in each coordinate; its E-steps are counted."""

    def __init__(self, factors, *, wall=np.inf):
        self.factors = np.array(factors)
        self.x = np.ones(len(factors))
        self.wall = wall
        self.n_steps = 0

    def expect(self):
        self.n_steps += 1
        # The loss for which a step by these factors is that of EM: it falls in every coordinate.
        loss = float(np.sum((1 - self.factors) * self.x**2))
        return -loss if np.abs(self.x).max() <= self.wall else np.nan

    def maximise(self):
        self.x = self.factors * self.x

    def coordinates(self):
        return self.x

    def move_to(self, coordinates):
        self.x = coordinates


def plain(problem, limit):
    for _ in range(limit):
        problem.maximise()
    return problem.expect()


def simulated(n_items, length, seed=0):
    """Sequences of three sticky states, which EM is slow to tell apart."""
    random = np.random.default_rng(seed)
    emission = random.dirichlet(np.ones(6), 3)
    items = []
    for _ in range(n_items):
        states = np.cumsum(random.uniform(size=length) < 0.1) % 3
        items.append([random.choice(6, p=emission[state]) for state in states])
    return Ragged.from_items(items)


@given(
    st.lists(st.floats(0.0, 0.999), min_size=1, max_size=6),
    st.sampled_from([1.0, 1.2, 3.0, np.inf]),
    st.integers(0, 60),
)
@settings(deadline=None)
def test_history_has_every_e_step_never_falls_and_ends_at_the_parameters(factors, wall, limit):
    problem = Quadratic(factors, wall=wall)
    made = climb(problem, limit=limit, tol=0.0)
    assert len(made.history) == problem.n_steps <= limit + 1
    assert np.diff(made.history).min(initial=0.0) >= 0
    assert problem.expect() == made.history[-1]


def test_an_extrapolation_that_is_no_number_is_left_out():
    # Beyond the start everything is NaN: a step that is too long turns the sign and lands there.
    factors = [0.99, 0.5, 0.05]
    free, walled = (Quadratic(factors, wall=wall) for wall in (np.inf, 1.0))
    for problem in (free, walled):
        made = climb(problem, limit=300, tol=1e-14)
        assert made.converged
        assert made.history[-1] > -1e-10
    rejecting = Quadratic(factors, wall=1.0)
    rejecting.move_to = lambda coordinates: setattr(
        rejecting, "x", coordinates if np.abs(coordinates).max() < 0.02 else coordinates * np.nan
    )
    made = climb(rejecting, limit=20, tol=0.0)
    assert np.all(np.isfinite(made.history))
    # Only the steps of EM count until then.
    assert len(np.unique(made.history)) < len(made.history)


def test_far_fewer_e_steps_than_plain_em_of_a_slow_problem():
    factors = [0.995, 0.9, 0.5, 0.1]
    slow, fast = Quadratic(factors), Quadratic(factors)
    target = plain(slow, 800)
    made = climb(fast, limit=150, tol=0.0)
    assert made.history[-1] >= target


def log_prior(model):
    return sum(float(np.log(block).sum()) for block in model.get_arrays().values())


def test_hmm_comes_as_high_as_long_plain_em_in_a_quarter_of_the_e_steps():
    data = simulated(40, 60)
    order, ones = np.arange(len(data)), np.ones(len(data))
    gained = []
    for seed in range(4):
        plain = CategoricalHMM(3, 6, n_init=1, max_iter=0, tol=0.0, random_state=seed)
        plain.estimate(data)
        for _ in range(400):
            blocks = plain.get_arrays().values()
            args = data.values, data.offsets, order, *blocks, ones, 1
            plain.update(_hmm.expected_statistics(*args)[0])
        objective = (plain.log_likelihood(data).sum() + log_prior(plain)) / len(data.values)
        fast = CategoricalHMM(3, 6, n_init=1, max_iter=91, tol=0.0, random_state=seed)
        fast.estimate(data)
        assert fast.n_iter_ <= 100
        gained.append(fast.history_[-1] - objective)
    assert min(gained) > -1e-4


def plain_mixture(model, data, n_steps):
    """Plain EM in NumPy from a model's parameters on; the objective an item, at the end."""
    weights, means, variances = model.weights_, model.means_, model.variances_
    widths = model.column_variance_
    for step in range(n_steps + 1):
        gaps = data[:, None] - means
        logs = np.log(weights) - 0.5 * (gaps**2 / variances + np.log(2 * np.pi * variances)).sum(2)
        scores = np.logaddexp.reduce(logs, axis=1)
        if step == n_steps:
            break
        shares = np.exp(logs - scores[:, None])
        counts = shares.sum(0)
        means = shares.T @ data / counts[:, None]
        spread = (shares[:, :, None] * (data[:, None] - means) ** 2).sum(0)
        variances = np.maximum((spread + widths) / (counts + 1)[:, None], 1e-3 * widths)
        weights = (counts + 1) / (counts + 1).sum()
    ratio = widths / variances
    prior = np.log(weights).sum() + 0.5 * (np.log(ratio) - ratio).sum()
    return (scores.sum() + prior) / len(data)


def test_mixture_comes_as_high_as_long_plain_em_in_a_quarter_of_the_e_steps():
    # Two clusters that overlap, which EM is slow to tell apart.
    random = np.random.default_rng(0)
    data = random.normal(0, 1, (400, 2)) + 1.5 * random.integers(0, 2, (400, 1))
    start = DiagonalGMM(3, n_init=1, max_iter=0, tol=0.0, random_state=0).estimate(data)
    target = plain_mixture(start, data, 400)
    fast = DiagonalGMM(3, n_init=1, max_iter=91, tol=0.0, random_state=0).estimate(data)
    assert fast.n_iter_ <= 100
    assert plain_mixture(fast, data, 0) == pytest.approx(fast.history_[-1], rel=1e-9)
    assert fast.history_[-1] > target - 1e-5


@pytest.mark.parametrize("prior", [0.0, 1.0])
def test_small_and_constant_rows_give_finite_mixtures(prior):
    ones = np.ones((5, 2))
    for data in (np.zeros((1, 1)), ones, np.column_stack([np.arange(5.0), np.ones(5)])):
        model = DiagonalGMM(7, n_init=2, prior=prior, variance_prior=prior, random_state=0)
        model.estimate(data)
        assert model.converged_
        assert all(np.all(np.isfinite(array)) for array in model.get_arrays().values())
