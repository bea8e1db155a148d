"""LatentDirichletAllocation: recovery, bags of words, weights, odd input, and a pair."""

import pickle

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from threadpoolctl import threadpool_limits

from sfmcore.data.ragged import Ragged
from sfmcore.kernels import _random
from sfmcore.learning.algorithm import solve
from sfmcore.learning.prepare import prepare
from sfmcore.learning.settings import Settings
from sfmcore.learning.task import Task
from sfmcore.models.hmm import CategoricalHMM
from sfmcore.models.lda import LatentDirichletAllocation


def simulate(topics, n_items, length, alpha, seed=0):
    random = np.random.default_rng(seed)
    items = []
    for _ in range(n_items):
        shares = random.dirichlet(np.full(len(topics), alpha))
        items.append(random.choice(topics.shape[1], length, p=shares @ topics))
    return Ragged.from_items(items)


def make_topics(n_topics=3, n_words=12, seed=0, concentration=0.2):
    return np.random.default_rng(seed).dirichlet(np.full(n_words, concentration), n_topics)


def fitted(data, *, sample_weight=None, **parameters):
    parameters = {"n_topics": 3, "n_words": 12, "n_sweeps": 20, "random_state": 0, **parameters}
    return LatentDirichletAllocation(**parameters).fit(data, sample_weight)


def expected(model, data):
    out = np.full((len(data), model.n_features), np.nan, dtype=np.float32)
    model.expected_features(data, out)
    return out


def drawn(model, data, n_draws=2):
    out = np.full((len(data) * n_draws, model.n_features), np.nan, dtype=np.float32)
    model.drawn_features(data, model.content_keys(data), n_draws, out)
    return out


def bits(model, data):
    rows = expected(model, data), drawn(model, data), model.log_likelihood(data)
    return model.topics_, model.history_, *rows


def same_bits(one, other):
    return all(map(np.array_equal, one, other))


DATA = simulate(make_topics(), 40, 30, 0.5)


def test_well_separated_topics_are_recovered():
    # Five words of its own for each topic, and a little of all others.
    topics = (np.kron(np.eye(4), np.full(5, 0.19)) + 0.0025).clip(0)
    topics /= topics.sum(1, keepdims=True)
    data = simulate(topics, 200, 100, 0.3)
    model = fitted(data, n_topics=4, n_words=20, n_sweeps=100)
    distance = np.abs(topics[:, None] - model.topics_[None]).sum(2) / 2
    rows, columns = linear_sum_assignment(distance)
    # 5,000 tokens a topic: each share has a deviation of about 0.006.
    assert distance[rows, columns].max() < 0.05


def test_training_raises_the_likelihood_and_rows_sum_to_one():
    model = fitted(DATA, n_sweeps=50)
    assert len(model.history_) == 5
    assert model.history_[-1] > model.history_[0] - 0.05
    lengths = DATA.lengths.sum()
    flat = np.bincount(DATA.values, minlength=12) / lengths
    assert model.history_[-1] > (flat[flat > 0] * np.log(flat[flat > 0])).sum() + 0.1
    np.testing.assert_allclose(model.topics_.sum(1), 1.0, rtol=1e-12)
    assert np.all(model.topics_ > 0)
    assert model.converged_
    assert model.n_iter_ == 50


def test_histogram_and_shuffled_tokens_are_the_same_documents():
    random = np.random.default_rng(1)
    counts = np.array([np.bincount(item, minlength=12) for item in DATA])
    shuffled = Ragged.from_items([random.permutation(item) for item in DATA])
    wanted = bits(fitted(DATA), DATA)
    for other in (Ragged.from_counts(counts), shuffled):
        assert same_bits(bits(fitted(other), other), wanted)
        assert np.array_equal(fitted(other).content_keys(other), fitted(DATA).content_keys(DATA))


def test_a_document_is_the_same_among_wide_codes():
    wide = Ragged.from_items([[300, 5, 5], [1, 2]])
    narrow = wide[[1]]
    assert narrow.values.dtype != wide.values.dtype
    model = fitted(wide, n_words=400)
    assert model.content_keys(wide)[1] == model.content_keys(narrow)[0]
    assert np.array_equal(drawn(model, wide)[2:], drawn(model, narrow))


def test_other_documents_have_other_keys():
    items = [[], [0], [0, 0], [0, 1], [1], [1, 1], [0, 0, 1], [0, 1, 1]]
    keys = fitted(DATA).content_keys(Ragged.from_items(items))
    assert len(set(keys.tolist())) == len(items)


def test_any_number_of_threads_gives_the_same_bits_with_several_shards():
    # 260 documents are four shards; enough work for two threads in each call.
    data = simulate(make_topics(20, 60), 260, 120, 0.5)
    parameters = {"n_topics": 50, "n_words": 60, "n_sweeps": 5}
    one, two = (bits(fitted(data, n_jobs=n, **parameters), data) for n in (1, 2))
    assert same_bits(one, two)


def test_seed_decides():
    one, same, other = (bits(fitted(DATA, random_state=seed), DATA) for seed in (1, 1, 2))
    assert same_bits(one, same)
    assert not same_bits(one, other)


def test_documents_of_no_weight_and_empty_ones_are_as_if_absent():
    mixed = DATA.joined(Ragged.from_items([[], [11] * 50]))
    weights = np.append(np.ones(len(DATA) + 1), 0.0)
    assert np.array_equal(fitted(mixed, sample_weight=weights).topics_, fitted(DATA).topics_)


@pytest.mark.parametrize("weight", [0.3, 2.0, 1e12])
def test_weights_count_in_the_topics(weight):
    # Word 0 and word 1 never meet: which topic is which, its mass is the weight's.
    data = Ragged.from_items([[0] * 10] * 5 + [[1] * 10] * 5)
    weights = np.repeat([1.0, weight], 5)
    model = fitted(data, sample_weight=weights, n_topics=1, n_words=2)
    masses = np.array([50.0, 50 * weight]) + 0.01
    np.testing.assert_allclose(model.topics_[0], masses / masses.sum(), rtol=1e-9)
    mixed = fitted(DATA, sample_weight=np.linspace(1e-3, 3, len(DATA)))
    assert np.all(np.isfinite(mixed.topics_))
    assert np.all(np.isfinite(mixed.history_))


def test_update_is_the_posterior_mean_of_the_topics():
    model = fitted(DATA, beta=0.5)
    statistics = np.arange(36.0)
    model.update(statistics)
    wanted = statistics.reshape(3, 12) + 0.5
    np.testing.assert_allclose(model.topics_, wanted / wanted.sum(1, keepdims=True))


def test_rows_hold_the_counts_of_the_document():
    model = fitted(DATA)
    words = np.array([np.bincount(item, minlength=12) for item in DATA])
    for rows, repeats in ((expected(model, DATA), 1), (drawn(model, DATA), 2)):
        cells = rows[:, :36].reshape(-1, 3, 12)
        np.testing.assert_allclose(cells.sum(1), np.repeat(words, repeats, axis=0), rtol=1e-5)
        np.testing.assert_allclose(cells.sum(2), rows[:, 36:39], rtol=1e-4, atol=1e-4)
        # The last block is at most 0: counts times the logarithms of shares.
        assert np.all(rows[:, 39:] <= 0)


def test_map_weights_give_the_complete_data_likelihood():
    model = fitted(DATA)
    cells = expected(model, DATA)[:, :36]
    row = np.concatenate([cells[0], expected(model, DATA)[0, 36:]])
    weights = model.map_weights()
    wanted = (cells[0] * np.log(model.topics_).ravel()).sum()
    wanted += row[36:39].sum() * -np.log(3) - row[39:].sum()
    np.testing.assert_allclose(row @ weights, wanted, rtol=1e-6)
    assert len(weights) == len(model.feature_names()) == model.n_features
    names = model.feature_names()
    assert (names[0], names[35], names[37], names[41]) == (
        "topic0:0",
        "topic2:11",
        "topic1",
        "log topic2",
    )


ODD = Ragged.from_items([[], [11], [3], [4] * 500, list(range(12)), [0, 11] * 40])


@pytest.mark.parametrize(("n_topics", "n_words"), [(1, 12), (3, 12), (17, 12), (70, 12)])
def test_odd_documents_give_finite_numbers(n_topics, n_words):
    # Word 11 was never seen.
    model = fitted(Ragged.from_items([[0, 1, 3], [4, 4]]), n_topics=n_topics, n_words=n_words)
    for values in bits(model, ODD):
        assert np.all(np.isfinite(values))
    rows = expected(model, ODD)
    assert not rows[0].any()
    assert not drawn(model, ODD)[:2].any()
    assert model.log_likelihood(ODD)[0] == 0
    assert model.sizes(ODD).tolist() == [1, 1, 1, 500, 12, 80]


def test_one_word_and_one_topic():
    data = Ragged.from_items([[0] * 7, [], [0]])
    model = fitted(data, n_topics=1, n_words=1)
    assert model.topics_.tolist() == [[1.0]]
    assert expected(model, data).tolist() == [[7, 7, 0], [0, 0, 0], [1, 1, 0]]
    assert model.log_likelihood(data).tolist() == [0, 0, 0]


def test_an_empty_batch_gives_no_rows():
    model = fitted(DATA)
    empty = Ragged.from_items([])
    assert expected(model, empty).shape == drawn(model, empty).shape == (0, model.n_features)
    assert len(model.log_likelihood(empty)) == len(model.content_keys(empty)) == 0


def test_what_can_not_be_learnt_from_is_refused():
    for data, weights in ((Ragged.from_items([[], []]), None), (ODD[:2], [1, 0])):
        with pytest.raises(ValueError, match="no token to learn from"):
            fitted(data, sample_weight=weights)
    with pytest.raises(ValueError, match="a code is 12, the model has 12 words"):
        fitted(Ragged.from_items([[12]]))
    with pytest.raises(ValueError, match="a code is 12, the model has 12 words"):
        expected(fitted(DATA), Ragged.from_items([[12]]))
    with pytest.raises(ValueError, match="a code is 300, the model has 4 symbols"):
        CategoricalHMM(2, 4).fit(Ragged.from_items([[300, 1]]))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_topics", 0),
        ("n_topics", 70_000),
        ("n_words", 70_000),
        ("alpha", 0.0),
        ("alpha", np.nan),
        ("beta", 0.0),
        ("n_sweeps", 0),
        ("n_average", 0),
        ("n_burn_in", -1),
        ("n_between", 0),
        ("tol", -1.0),
    ],
)
def test_bad_parameters_are_refused_by_name(name, value):
    with pytest.raises(ValueError, match=f"^{name} must"):
        fitted(DATA, **{name: value})


def test_unfitted_model_says_so():
    model = LatentDirichletAllocation(3, 12)
    calls = [
        lambda: model.log_likelihood(DATA),
        lambda: expected(model, DATA),
        lambda: drawn(model, DATA),
        model.map_weights,
        model.get_arrays,
    ]
    for call in calls:
        with pytest.raises(NotFittedError):
            call()


def test_arrays_clone_and_pickle_keep_the_model():
    model = fitted(DATA)
    copy = clone(model).set_arrays(model.get_arrays())
    assert np.array_equal(expected(copy, DATA), expected(model, DATA))
    assert np.array_equal(pickle.loads(pickle.dumps(model)).topics_, model.topics_)
    for bad in ({}, {"topics": model.topics_[:2]}, {"topics": model.topics_ * 2}):
        with pytest.raises(ValueError, match="topics"):
            clone(model).set_arrays(bad)


@pytest.mark.parametrize("n_draws", ["exact", 3])
def test_a_pair_tells_documents_of_two_classes_apart(n_draws):
    topics = make_topics(6, 12, seed=4, concentration=0.5)
    data = [simulate(topics[part], 60, 60, 1.0, seed) for seed, part in
            enumerate((slice(0, 4), slice(2, 6)))]  # fmt: skip
    train = data[0][:30].joined(data[1][:30])
    test = data[0][30:].joined(data[1][30:])
    signs = np.repeat([1, -1], 30).astype(np.int8)
    model = LatentDirichletAllocation(4, 12, n_sweeps=30)
    with threadpool_limits(limits=1, user_api="blas"):
        settings = Settings(n_draws=n_draws, max_iter=3)
        pair = solve(prepare(Task.of(train, signs), model, settings))
    keys = None
    if n_draws != "exact":
        keys = _random.stream_keys(0, 1, pair.mapping.positive.content_keys(test))
    scores = (pair.mapping.features(test, n_draws, keys) @ pair.u).reshape(60, -1)
    assert np.mean(np.sign(scores.mean(1)) == signs) > 0.9
