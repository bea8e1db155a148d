"""Draws from Q_i: by rejection and by enumeration, against exact probabilities and each other."""

import itertools

import numpy as np
import pytest
from scipy.stats import chi2_contingency, chisquare, norm
from threadpoolctl import threadpool_limits

from sfmcore.bounds.objective import upper_tail
from sfmcore.data.ragged import Ragged
from sfmcore.features.feature_map import FeatureMap
from sfmcore.kernels import _objective, _random
from sfmcore.learning.algorithm import solve
from sfmcore.learning.coupling import CoupledSampler, can_enumerate, expected_loss
from sfmcore.learning.prepare import prepare
from sfmcore.learning.settings import Settings
from sfmcore.learning.task import Task
from sfmcore.models.gmm import DiagonalGMM
from sfmcore.models.hmm import CategoricalHMM
from tests.twins import core as twins

N_SYMBOLS = 4


@pytest.fixture(autouse=True, scope="module")
def one_blas_thread():
    """As under an estimator: a busy machine makes BLAS threads wait for each other."""
    with threadpool_limits(limits=1, user_api="blas"):
        yield


def raw_rows_of_all_paths(models, codes):
    """Raw rows of every pair of paths, and the paths' probabilities given the sequence."""
    halves, shares = [], []
    for model in models:
        start, transition, emission = model.get_arrays().values()
        expected = twins.hmm_statistics(codes, start, transition, emission)[1]
        log_posterior = twins.log_posterior(expected)
        rows, weights = [], []
        for path in itertools.product(range(2), repeat=len(codes)):
            first, steps, out = np.zeros(2), np.zeros((2, 2)), np.zeros((2, N_SYMBOLS))
            first[path[0]] = 1
            weight = start[path[0]]
            for a, b in itertools.pairwise(path):
                steps[a, b] += 1
                weight *= transition[a, b]
            for state, code in zip(path, codes, strict=True):
                out[state, code] += 1
                weight *= emission[state, code]
            terms = steps * log_posterior
            rows.append(np.concatenate([first, steps.ravel(), out.ravel(), terms.ravel()]))
            weights.append(weight)
        halves.append(rows)
        shares.append(np.array(weights) / np.sum(weights))
    rows = [np.concatenate(both) for both in itertools.product(*halves)]
    return np.array(rows, dtype=np.float32), np.outer(*shares).ravel()


def numbers_of(rows, table):
    """Which row of the table each row is."""
    gaps = np.abs(rows[:, None, :] - table[None, :, :]).max(2)
    assert np.all(gaps.min(1) < 1e-4)
    return gaps.argmin(1)


def chi_square_p(counts, shares):
    """p-value, with the rare cells taken together so that each expects at least ten."""
    expected = shares * counts.sum()
    rare = expected < 10
    if rare.any():
        counts = np.append(counts[~rare], counts[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
        if expected[-1] < 10:
            counts[-2], expected[-2] = counts[-2:].sum(), expected[-2:].sum()
            counts, expected = counts[:-1], expected[:-1]
    return chisquare(counts, expected).pvalue


@pytest.mark.parametrize("sign", [1, -1, 0])
def test_rejection_follows_Q_as_enumerated(sign):
    # Two states, three symbols: 8 paths under each model, 64 pairs of them.
    random = np.random.default_rng(11)
    models = [
        CategoricalHMM(2, N_SYMBOLS).set_arrays(
            {
                "start": random.dirichlet([4, 4]),
                "transition": random.dirichlet([4, 4], 2),
                "emission": random.dirichlet(np.full(N_SYMBOLS, 4), 2),
            }
        )
        for _ in range(2)
    ]
    codes = np.array([0, 2, 1], dtype=np.uint8)
    table, posterior = raw_rows_of_all_paths(models, codes)
    n_items, n_draws, kappa = 4000, 2, 1.6 if sign == 0 else 3.2
    data = Ragged.from_items([codes] * n_items)
    mapping = FeatureMap(models, conditioned=True, clip=3.0)
    mapping.fit_conditioning(data[:64], table)
    u = 2.0 * random.normal(size=mapping.n_features)
    scores = _objective.scores(mapping.condition(data[:64], table), u, 1)
    # E_w of the loss; of an unlabelled item, of the disagreement.
    wrong = upper_tail(scores)
    loss = 2 * wrong * (1 - wrong) if sign == 0 else upper_tail(sign * scores)
    weights = posterior * np.exp(-kappa * loss)
    expected = weights / weights.sum()

    sampler = CoupledSampler(mapping, u, n_draws, max_proposals=40, seed=3, n_threads=1)
    raw, accepted, proposed = sampler.by_rejection(
        data, np.full(n_items, sign, dtype=np.int8), np.full(n_items, kappa), some_keys(n_items)
    )
    counts = np.bincount(numbers_of(raw, table), minlength=64)
    assert counts.sum() == n_items * n_draws
    # Chance of a p-value below 1e-3 is one in a thousand for each of the three fixed seeds.
    assert chi_square_p(counts, expected) > 1e-3
    # And the feedback shows: the same draws do not follow P(h | x).
    assert chi_square_p(counts, posterior) < 1e-6
    # Rejection accepts the mean of the weights: five standard errors of a share.
    share = float(weights.sum())
    assert abs(accepted / proposed - share) < 5 * np.sqrt(share * (1 - share) / proposed)


def some_keys(n_items):
    return _random.stream_keys(99, 0, np.arange(n_items, dtype=np.uint64))


# Mixtures: both ways against exact joint probabilities

# One item of each kind, in turns: labelled +1, labelled -1, unlabelled.
ITEMS = np.array([[0.3, -0.8], [-0.4, 0.9], [0.8, 0.5]])
SIGNS = np.array([1, -1, 0], dtype=np.int8)
KAPPAS = np.array([5.0, 5.0, 12.0])


def make_mixtures(n_components, seed=5):
    """Two mixtures whose components overlap, so that no value of h is rare."""
    random = np.random.default_rng([seed, n_components])
    return [
        DiagonalGMM(n_components).set_arrays(
            {
                "weights": random.dirichlet(np.full(n_components, 8.0)),
                "means": random.normal(0.0, 0.7, (n_components, 2)),
                "variances": random.uniform(0.8, 2.0, (n_components, 2)),
                "column_variance": np.ones(2),
            }
        )
        for _ in range(2)
    ]


def make_mixture_map(n_components, *, conditioned):
    mapping = FeatureMap(make_mixtures(n_components), conditioned=conditioned, clip=1.5)
    data = np.random.default_rng(1).normal(size=(60, 2))
    keys = some_keys(60)
    return mapping.fit_conditioning(data, mapping.raw(data, 2, keys))


def make_u(mapping):
    return 2.0 * np.random.default_rng(8).normal(size=mapping.n_features)


def raw_rows_of_all_components(models, x):
    """Raw rows of every pair of components, and their probabilities given the item."""
    halves, shares = [], []
    for model in models:
        densities = norm.pdf(x, model.means_, np.sqrt(model.variances_)).prod(1)
        joint = model.weights_ * densities
        share = joint / joint.sum()
        rows = []
        for k in range(len(share)):
            h = np.eye(len(share))[k]
            sums, squares = np.outer(h, x), np.outer(h, x**2)
            rows.append([*h, *sums.ravel(), *squares.ravel(), *h * np.log(share)])
        halves.append(rows)
        shares.append(share)
    rows = [np.concatenate(both) for both in itertools.product(*halves)]
    return np.array(rows), np.outer(*shares).ravel()


def exact_probabilities(mapping, u, number):
    """Raw rows of one of ITEMS, P(h | x), and Q(h) by the definition of Eq. post_fact."""
    models = (mapping.positive, mapping.negative)
    table, posterior = raw_rows_of_all_components(models, ITEMS[number])
    z = (table - mapping.mean) / mapping.scale
    if mapping.conditioned:
        z = np.clip(z, -mapping.clip, mapping.clip)
    rows = np.column_stack([z, np.ones(len(z))])
    scores = rows @ u / np.sqrt((rows**2).sum(1))
    wrong = norm.sf(scores)
    loss = 2 * wrong * (1 - wrong) if SIGNS[number] == 0 else norm.sf(SIGNS[number] * scores)
    weights = posterior * np.exp(-KAPPAS[number] * loss)
    return table, posterior, weights / weights.sum()


def counts_by(method, mapping, u, kappas, *, n_turns=2000, seed=3):
    """How often each value of h was drawn for each of ITEMS."""
    # More draws where they cost little: a small error of Q then shows.
    n_draws = 30 if method == "by_enumeration" else 4
    sampler = CoupledSampler(mapping, u, n_draws, max_proposals=60, seed=seed, n_threads=1)
    draw = getattr(sampler, method)
    n_items = 3 * n_turns
    drawn = draw(
        np.tile(ITEMS, (n_turns, 1)),
        np.tile(SIGNS, n_turns),
        np.tile(kappas, n_turns),
        some_keys(n_items),
    )
    raw = drawn if method == "by_enumeration" else drawn[0]
    assert raw.shape == (n_items * n_draws, len(mapping.mean))
    by_item = raw.reshape(n_turns, 3, n_draws, -1)
    models = (mapping.positive, mapping.negative)
    size, second = mapping.positive.n_components, mapping.positive.n_features
    counts = []
    for number, x in enumerate(ITEMS):
        rows = by_item[:, number].reshape(-1, len(mapping.mean))
        found = size * rows[:, :size].argmax(1) + rows[:, second : second + size].argmax(1)
        table = raw_rows_of_all_components(models, x)[0]
        np.testing.assert_allclose(rows, table[found], rtol=0, atol=1e-5)
        counts.append(np.bincount(found, minlength=len(table)))
    return counts


# A p-value below 1e-4 has a chance of one in ten thousand for each of the 42 comparisons of this
# test and the next two, whose seeds are fixed.
@pytest.mark.parametrize("method", ["by_enumeration", "by_rejection"])
@pytest.mark.parametrize("conditioned", [False, True], ids=["as they come", "conditioned"])
@pytest.mark.parametrize("n_components", [2, 3])
def test_draws_of_mixtures_follow_Q_as_computed_from_the_raw_rows(
    method, conditioned, n_components
):
    mapping = make_mixture_map(n_components, conditioned=conditioned)
    u = make_u(mapping)
    every = counts_by(method, mapping, u, KAPPAS)
    for number, counts in enumerate(every):
        _, posterior, expected = exact_probabilities(mapping, u, number)
        assert chi_square_p(counts, expected) > 1e-4
        # And the feedback shows: the same draws do not follow P(h | x).
        assert chi_square_p(counts, posterior) < 1e-6


@pytest.mark.parametrize("conditioned", [False, True], ids=["as they come", "conditioned"])
@pytest.mark.parametrize("n_components", [2, 3])
def test_both_ways_draw_alike(conditioned, n_components):
    mapping = make_mixture_map(n_components, conditioned=conditioned)
    u = make_u(mapping)
    # Other seeds, so that the two samples are independent.
    one = counts_by("by_enumeration", mapping, u, KAPPAS, seed=21)
    other = counts_by("by_rejection", mapping, u, KAPPAS, seed=22)
    for counts, others in zip(one, other, strict=True):
        assert chi2_contingency([counts, others]).pvalue > 1e-4


@pytest.mark.parametrize("method", ["by_enumeration", "by_rejection"])
def test_an_exponent_of_zero_draws_from_the_posterior(method):
    mapping = make_mixture_map(3, conditioned=True)
    u = make_u(mapping)
    for number, counts in enumerate(counts_by(method, mapping, u, np.zeros(3))):
        posterior = exact_probabilities(mapping, u, number)[1]
        assert chi_square_p(counts, posterior) > 1e-4


def test_an_exponent_of_zero_accepts_every_proposal():
    mapping = make_mixture_map(2, conditioned=True)
    sampler = CoupledSampler(mapping, make_u(mapping), 2, max_proposals=7, seed=0, n_threads=1)
    _, accepted, proposed = sampler.by_rejection(ITEMS, SIGNS, np.zeros(3), some_keys(3))
    assert accepted == proposed == 21


def test_a_huge_exponent_draws_the_least_loss_and_nothing_else():
    mapping = make_mixture_map(3, conditioned=True)
    u = make_u(mapping)
    sampler = CoupledSampler(mapping, u, 50, max_proposals=50, seed=0, n_threads=1)
    raw = sampler.by_enumeration(ITEMS, SIGNS, np.full(3, 1e9), some_keys(3))
    scores = _objective.scores(mapping.condition(ITEMS, raw), u, 1).reshape(3, 50)
    for number in range(3):
        table = raw_rows_of_all_components((mapping.positive, mapping.negative), ITEMS[number])[0]
        rows = mapping.condition(ITEMS[[number]], table.astype(np.float32))
        loss = expected_loss(_objective.scores(rows, u, 1), SIGNS[number])
        drawn = expected_loss(scores[number], SIGNS[number])
        np.testing.assert_allclose(drawn, loss.min(), rtol=1e-5)


def test_draws_of_an_item_go_by_its_own_key_and_not_by_its_place_or_threads():
    mapping = make_mixture_map(3, conditioned=True)
    random = np.random.default_rng(0)
    data, keys = random.normal(size=(200, 2)), some_keys(200)
    signs, kappas = random.integers(-1, 2, 200).astype(np.int8), random.uniform(0, 9, 200)
    order = random.permutation(200)
    for method in ("by_enumeration", "by_rejection"):

        def draw(chosen, n_threads, method=method):
            sampler = CoupledSampler(mapping, make_u(mapping), 4, 30, 6, n_threads)
            drawn = getattr(sampler, method)(
                data[chosen], signs[chosen], kappas[chosen], keys[chosen]
            )
            raw = drawn if method == "by_enumeration" else drawn[0]
            return raw.reshape(len(chosen), 4, -1)

        expected = draw(np.arange(200), 1)
        assert np.array_equal(draw(np.arange(200), 2), expected)
        assert np.array_equal(draw(order, 1), expected[order])
        assert np.array_equal(draw(np.array([17]), 1), expected[[17]])


# Losses


@pytest.mark.parametrize("score", [-40.0, -1.5, 0.0, 0.3, 40.0])
def test_loss_is_the_chance_of_a_wrong_sign_and_of_a_disagreement(score):
    one, other = np.random.default_rng(0).normal(score, 1.0, (2, 200_000))
    found = expected_loss(np.full(3, score), SIGNS)
    shares = [np.mean(one < 0), np.mean(one > 0), np.mean((one > 0) != (other > 0))]
    # Five standard errors of a share of 200,000.
    np.testing.assert_allclose(found, shares, rtol=0, atol=5 * 0.5 / np.sqrt(200_000))


# Which way is taken


def test_what_can_be_enumerated_are_mixtures_of_up_to_1024_pairs_of_components():
    sizes = {n: make_mixtures(n)[0] for n in (2, 32, 33, 512, 513)}
    assert can_enumerate(sizes[32], sizes[32])
    assert not can_enumerate(sizes[32], sizes[33])
    assert can_enumerate(sizes[2], sizes[512])
    assert not can_enumerate(sizes[2], sizes[513])
    hmm = make_hmm()
    assert not can_enumerate(hmm, hmm)
    assert not can_enumerate(sizes[2], hmm)


def make_hmm():
    model = CategoricalHMM(2, N_SYMBOLS, n_init=1, max_iter=5, random_state=0)
    return model.estimate(Ragged.from_items([[0, 1, 2, 3], [3, 2, 1]]))


def learnt_mixtures(**settings):
    random = np.random.default_rng(4)
    signs = np.resize([1, -1], 40).astype(np.int8)
    data = random.normal(size=(40, 2)) + 0.5 * signs[:, None]
    settings = {"n_draws": 2, "coupling": 1.0, "C": 0.05, "max_iter": 3, "tol": 0.0, **settings}
    model = DiagonalGMM(2, n_init=1, max_iter=10)
    return solve(prepare(Task.of(data, signs, seed=9), model, Settings(**settings)))


@pytest.mark.parametrize("sampler", ["auto", "enumeration"])
def test_mixtures_are_enumerated_and_nothing_is_accepted_or_rejected(sampler):
    pair = learnt_mixtures(sampler=sampler)
    assert (pair.n_iter, pair.acceptance) == (3, [])


def test_mixtures_are_sampled_by_rejection_when_asked_for():
    pair = learnt_mixtures(sampler="rejection")
    assert len(pair.acceptance) == pair.n_iter == 3
    assert all(0 < share < 1 for share in pair.acceptance)


def test_auto_is_enumeration_to_the_bit_and_rejection_is_not():
    auto, same, other = (
        learnt_mixtures(sampler=sampler).u.tobytes()
        for sampler in ("auto", "enumeration", "rejection")
    )
    assert auto == same != other


def test_number_of_proposals_matters_to_rejection_alone():
    for sampler, alike in (("enumeration", True), ("rejection", False)):
        few, many = (learnt_mixtures(sampler=sampler, max_proposals=n).u for n in (5, 50))
        assert np.array_equal(few, many) == alike


def learn_hmms(**settings):
    random = np.random.default_rng(4)
    signs = np.resize([1, -1], 12).astype(np.int8)
    data = Ragged.from_items([random.integers(0, N_SYMBOLS, 8) for _ in signs])
    settings = Settings(**{"n_draws": 2, "coupling": 1.0, "C": 1.0, "max_iter": 2, **settings})
    model = CategoricalHMM(2, N_SYMBOLS, n_init=1, max_iter=5)
    return solve(prepare(Task.of(data, signs, seed=9), model, settings))


def test_paths_of_an_hmm_are_sampled_by_rejection():
    pair = learn_hmms(sampler="auto")
    assert len(pair.acceptance) == pair.n_iter


def test_enumeration_is_refused_for_an_hmm_before_em_with_the_way_out(monkeypatch):
    monkeypatch.delattr(CategoricalHMM, "estimate")
    monkeypatch.setattr(CategoricalHMM, "__abstractmethods__", frozenset())
    with pytest.raises(
        ValueError,
        match=r"^sampler='enumeration' needs models with few values of the hidden variables, "
        r"and nothing beside their features: use 'auto' or 'rejection'$",
    ):
        learn_hmms(sampler="enumeration")


def test_without_coupling_no_sampler_is_used_and_none_is_refused():
    plain, other = (
        learn_hmms(sampler=sampler, coupling=0.0) for sampler in ("auto", "enumeration")
    )
    assert plain.acceptance == other.acceptance == []
    assert np.array_equal(plain.u, other.u)
