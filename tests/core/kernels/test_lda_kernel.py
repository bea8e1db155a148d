"""The LDA kernel against its NumPy twin, exact enumeration, and itself in other widths."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import gammaln

from sfmcore.data.ragged import Ragged
from sfmcore.kernels import _lda, _random
from sfmcore.models.documents import Documents
from tests.twins import core as twins

# One block of topics, its edge, some blocks in registers, their edge, and beyond.
N_TOPICS = st.sampled_from([1, 2, 3, 15, 16, 17, 33, 40, 50, 64, 65, 100])


def make_topics(n_topics, n_words, seed=0, concentration=0.3):
    random = np.random.default_rng([seed, n_topics, n_words])
    shares = np.maximum(random.dirichlet(np.full(n_words, concentration), n_topics), 1e-9)
    return shares / shares.sum(1, keepdims=True)


def make_documents(lengths, n_words, seed=0):
    random = np.random.default_rng([seed, n_words])
    return Documents.from_ragged(
        Ragged.from_items([random.integers(0, n_words, n) for n in lengths])
    )


def keys_for(n_items, seed=0):
    return _random.stream_keys(seed, 1, np.arange(n_items, dtype=np.uint64))


def bags(documents):
    return documents.words, documents.counts, documents.offsets


def count(documents, topics, weights, n_topics, n_words):
    each = np.repeat(weights, np.diff(documents.token_offsets))
    cells = topics.astype(int) * n_words + documents.tokens
    return np.bincount(cells, each, n_topics * n_words).reshape(n_topics, n_words)


def expected(documents, topics, alpha=0.5, tolerance=1e-4, n_threads=1):
    n_topics, n_words = topics.shape
    shape = len(documents.offsets) - 1, n_topics * n_words + 2 * n_topics
    out = np.full(shape, np.nan, dtype=np.float32)
    _lda.expected_features(*bags(documents), topics, alpha, tolerance, 100, out, n_threads)
    return out


def drawn(documents, topics, keys, n_draws, alpha=0.5, burn=10, between=2, n_threads=1):
    n_topics, n_words = topics.shape
    shape = len(keys) * n_draws, n_topics * n_words + 2 * n_topics
    out = np.full(shape, np.nan, dtype=np.float32)
    _lda.drawn_features(
        *bags(documents), topics, alpha, 1e-4, 100, keys, n_draws, burn, between, out, n_threads,
    )  # fmt: skip
    return out


def swept(documents, n_topics, n_words, *, n_threads=1, n_sweeps=2, weights=None):
    """Topics and counts after some sweeps over two shards, from the same start."""
    n_items = len(documents.offsets) - 1
    weights = np.ones(n_items) if weights is None else weights
    random = np.random.default_rng(5)
    topics = random.integers(0, n_topics, len(documents.tokens)).astype(np.uint16)
    counts = count(documents, topics, weights, n_topics, n_words)
    shards = np.array([0, n_items // 2, n_items])
    for sweep in range(n_sweeps):
        counts = _lda.gibbs_sweep(
            documents.tokens, documents.token_offsets, topics, weights.astype(np.float32), counts,
            shards, keys_for(n_items, sweep), 0.3, 0.01, n_threads,
        )  # fmt: skip
    return topics, counts


@st.composite
def cases(draw):
    n_topics, n_words = draw(N_TOPICS), draw(st.sampled_from([1, 2, 5, 300]))
    lengths = draw(st.lists(st.integers(0, 12), max_size=4))
    return make_documents(lengths, n_words, draw(st.integers(0, 99))), n_topics, n_words


@given(cases(), st.sampled_from([1.0, 2.0]))
@settings(max_examples=40, deadline=None)
def test_training_sweep_equals_twin(case, weight):
    documents, n_topics, n_words = case
    n_items = len(documents.offsets) - 1
    weights = np.full(n_items, weight)
    topics, counts = swept(documents, n_topics, n_words, n_sweeps=1, weights=weights)
    twin = np.random.default_rng(5).integers(0, n_topics, len(topics))
    start = count(documents, twin, weights, n_topics, n_words).astype(np.float32)
    total = start.copy()
    for shard in (range(n_items // 2), range(n_items // 2, n_items)):
        own = start.copy()
        for item in shard:
            part = slice(*documents.token_offsets[item : item + 2])
            uniforms = twins.lda_uniforms(int(keys_for(n_items)[item]), part.stop - part.start)
            twins.lda_sweep(
                documents.tokens[part], twin[part], uniforms, own, 0.3, beta=0.01, weight=weight
            )
        total += own - start
    assert np.array_equal(topics, twin)
    assert np.array_equal(counts, total)


@given(cases(), st.sampled_from([0.05, 1.0]))
@settings(max_examples=40, deadline=None)
def test_expected_features_equal_twin(case, alpha):
    documents, n_topics, n_words = case
    topics = make_topics(n_topics, n_words)
    rows = expected(documents, topics, alpha)
    for item, row in enumerate(rows):
        part = slice(*documents.offsets[item : item + 2])
        words, counts = documents.words[part], documents.counts[part]
        q, tokens = twins.lda_infer(words, counts, topics.astype(np.float32), alpha, 1e-4, 100)
        cells = np.zeros((n_topics, n_words), dtype=np.float32)
        cells[:, words] = (q * counts[:, None]).T
        n_cells = cells.size + n_topics
        assert np.array_equal(row[:n_cells], np.concatenate([cells.ravel(), tokens]))
        last = tokens * twins.lda_log_shares(tokens, alpha)
        np.testing.assert_allclose(row[n_cells:], last, rtol=1e-5, atol=1e-6)


@given(cases(), st.integers(1, 2))
@settings(max_examples=30, deadline=None)
def test_drawn_features_equal_twin(case, n_draws):
    documents, n_topics, n_words = case
    table = make_topics(n_topics, n_words)
    single = table.astype(np.float32)
    keys = keys_for(len(documents.offsets) - 1)
    rows = drawn(documents, table, keys, n_draws, burn=2, between=1)
    for item, key in enumerate(keys):
        part = slice(*documents.offsets[item : item + 2])
        own = slice(*documents.token_offsets[item : item + 2])
        words, counts = documents.words[part], documents.counts[part]
        q, tokens = twins.lda_infer(words, counts, single, 0.5, 1e-4, 100)
        n = own.stop - own.start
        uniforms = twins.lda_uniforms(int(key), n * (n_draws + 2)).reshape(n_draws + 2, n)
        sums = np.repeat(np.cumsum(q, axis=1, dtype=np.float32), counts.astype(int), axis=0)
        topics = (sums[:, :-1] <= (uniforms[0] * sums[:, -1])[:, None]).sum(1)
        for sweep in range(1, n_draws + 2):
            twins.lda_sweep(documents.tokens[own], topics, uniforms[sweep], single, 0.5, fixed=True)
            if sweep < 2:
                continue
            cells = np.zeros((n_topics, n_words))
            np.add.at(cells, (topics, documents.tokens[own]), 1)
            twin = twins.lda_row(cells, twins.lda_log_shares(tokens, 0.5))
            row = rows[item * n_draws + sweep - 2]
            assert np.array_equal(row[:-n_topics], twin[:-n_topics])
            np.testing.assert_allclose(row[-n_topics:], twin[-n_topics:], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("n_topics", [1, 7, 16, 40, 50, 64, 70, 130])
def test_every_width_of_vectors_gives_the_same_bits(in_width, n_topics):
    documents = make_documents([40, 0, 1, 300, 90], 30)
    table = make_topics(n_topics, 30)
    keys = keys_for(5)
    fractions = np.array([1.0, 0.3, 2.5, 0.7, 1.1])
    for width in (128, 256):
        for weights in (None, fractions):
            with in_width(width):
                found = swept(documents, n_topics, 30, weights=weights)
            wanted = swept(documents, n_topics, 30, weights=weights)
            assert all(map(np.array_equal, found, wanted))
        with in_width(width):
            rows, draws = expected(documents, table), drawn(documents, table, keys, 2)
        assert np.array_equal(rows, expected(documents, table))
        assert np.array_equal(draws, drawn(documents, table, keys, 2))


def test_any_number_of_threads_gives_the_same_bits():
    documents = make_documents(np.random.default_rng(0).integers(0, 60, 150), 30)
    table = make_topics(20, 30)
    keys = keys_for(150)
    one, two = (
        (
            *swept(documents, 20, 30, n_threads=n),
            expected(documents, table, n_threads=n),
            drawn(documents, table, keys, 2, n_threads=n),
        )
        for n in (1, 2)
    )
    assert all(map(np.array_equal, one, two))


def test_rows_have_the_same_bits_alone_and_in_a_batch():
    data = Ragged.from_items([[0, 0, 3], [], [5] * 70, [1, 2, 3, 4, 5] * 9])
    table, keys = make_topics(18, 6), keys_for(4)
    documents = Documents.from_ragged(data)
    all_expected = expected(documents, table)
    all_drawn = drawn(documents, table, keys, 2).reshape(4, 2, -1)
    for item in range(4):
        alone = Documents.from_ragged(data[[item]])
        assert np.array_equal(expected(alone, table)[0], all_expected[item])
        assert np.array_equal(drawn(alone, table, keys[[item]], 2), all_drawn[item])


def enumerated(words, topics, alpha):
    """All topics of the tokens, and P(topics | words) with the shares integrated out."""
    n_topics = len(topics)
    states = np.array(list(itertools.product(range(n_topics), repeat=len(words))))
    counts = np.array([np.bincount(state, minlength=n_topics) for state in states])
    log_joint = np.log(topics[states, words]).sum(1) + gammaln(counts + alpha).sum(1)
    shares = np.exp(log_joint - log_joint.max())
    return states, shares / shares.sum()


def chi_square(observed, wanted):
    """P-value; cells with fewer than 5 expected go together, as the approximation asks."""
    rare = wanted < 5
    if rare.any():
        observed = np.append(observed[~rare], observed[rare].sum())
        wanted = np.append(wanted[~rare], wanted[rare].sum())
    return stats.chisquare(observed, wanted).pvalue


@pytest.mark.parametrize(("n_topics", "n_tokens"), [(2, 6), (3, 4)])
def test_draws_follow_the_enumerated_posterior(n_topics, n_tokens):
    # Different words: the counts of topic and word tell the topics of all tokens.
    words = np.arange(n_tokens)
    topics = make_topics(n_topics, n_tokens + 1, seed=3, concentration=1.0)
    states, shares = enumerated(words, topics, 0.5)
    n_items = 20_000
    documents = Documents.from_ragged(Ragged.from_items([words] * n_items))
    # One state of each of many chains: no state depends on another.
    rows = drawn(documents, topics, keys_for(n_items), 1, burn=30)
    cells = rows[:, : topics.size].reshape(n_items, n_topics, -1)[:, :, :n_tokens]
    place = n_topics ** np.arange(n_tokens)
    observed = np.bincount(cells.argmax(1) @ place, minlength=len(states))[states @ place]
    # A fixed seed: the limit is a fair test's at 1e-3.
    assert chi_square(observed, shares * n_items) > 1e-3


@pytest.mark.parametrize("alpha", [0.5, 2.0])
@pytest.mark.parametrize(("n_topics", "n_tokens"), [(2, 5), (2, 6), (3, 4), (3, 6)])
def test_expectations_are_near_the_enumerated_ones(n_topics, n_tokens, alpha):
    worst = 0.0
    for seed in range(8):
        topics = make_topics(n_topics, 4, seed, concentration=1.0)
        words = np.sort(np.random.default_rng(seed).integers(0, 4, n_tokens))
        states, shares = enumerated(words, topics, alpha)
        exact = np.array([(states == k).T @ shares for k in range(n_topics)])
        cells = np.zeros((n_topics, 4))
        np.add.at(cells.T, words, exact.T)
        documents = Documents.from_ragged(Ragged.from_items([words]))
        row = expected(documents, topics, alpha)[0][: cells.size].reshape(cells.shape)
        worst = max(worst, np.abs(row - cells).sum() / (2 * n_tokens))
    # What CVB0 costs on a few tokens: at most this share of them stands at another topic. The
    # largest seen were 0.070 and 0.014.
    assert worst < {0.5: 0.08, 2.0: 0.02}[alpha]


def test_expectations_are_closer_to_long_averages_on_long_documents():
    topics = make_topics(10, 40, seed=1)
    random = np.random.default_rng(2)
    items = []
    for _ in range(4):
        drawn_topics = random.choice(10, 1000, p=random.dirichlet(np.full(10, 0.5)))
        items.append([random.choice(40, p=topics[k]) for k in drawn_topics])
    documents = Documents.from_ragged(Ragged.from_items(items))
    means = drawn(documents, topics, keys_for(4), 2000, burn=50, between=3)
    means = means.reshape(4, 2000, -1).mean(1)[:, :400]
    rows = expected(documents, topics)[:, :400]
    # CVB0 stays 0.010 to 0.019 away however long the chain; two chains differ by 0.005.
    assert np.all(np.abs(rows - means).sum(1) / 2000 < 0.025)


def test_training_follows_the_enumerated_posterior_of_a_tiny_corpus():
    documents = Documents.from_ragged(Ragged.from_items([[0, 1], [0, 0, 2], [1, 2]]))
    alpha, beta, n_topics, n_words = 0.7, 0.5, 2, 3
    states = np.array(list(itertools.product(range(n_topics), repeat=7)))
    item = np.repeat(np.arange(3), np.diff(documents.token_offsets))
    log_joint = np.empty(len(states))
    for number, state in enumerate(states):
        cells = count(documents, state, np.ones(3), n_topics, n_words)
        shares = np.bincount(item * n_topics + state, minlength=3 * n_topics)
        log_joint[number] = gammaln(cells + beta).sum() + gammaln(shares + alpha).sum()
        log_joint[number] -= gammaln(cells.sum(1) + n_words * beta).sum()
    wanted = np.exp(log_joint - log_joint.max())
    topics = np.zeros(7, dtype=np.uint16)
    counts = count(documents, topics, np.ones(3), n_topics, n_words)
    found, n_kept = np.zeros(len(states)), 6000
    for sweep in range(5 * n_kept):
        counts = _lda.gibbs_sweep(
            documents.tokens, documents.token_offsets, topics, np.ones(3, np.float32), counts,
            np.array([0, 3]), _random.stream_keys(9, sweep, np.arange(3, dtype=np.uint64)),
            alpha, beta, 1,
        )  # fmt: skip
        # Every fifth state: neighbours depend on each other.
        if sweep % 5 == 4:
            found[topics @ (1 << np.arange(6, -1, -1))] += 1
    assert chi_square(found, wanted / wanted.sum() * n_kept) > 1e-3


@pytest.mark.parametrize("n_topics", [3, 16, 17, 40, 50, 64, 70])
def test_equal_topics_are_drawn_equally_often(n_topics):
    # A token alone, all topics alike: none may gain by its place in a block.
    n_items = 20_000
    documents = Documents.from_ragged(Ragged.from_items([[0]] * n_items))
    rows = drawn(documents, np.full((n_topics, 2), 0.5), keys_for(n_items), 1, burn=1)
    observed = rows[:, : 2 * n_topics : 2].sum(0)
    assert observed.sum() == n_items
    assert stats.chisquare(observed).pvalue > 1e-3


def test_log_likelihood_equals_its_formula():
    documents, topics = make_documents([9, 0, 30], 12), make_topics(5, 12)
    shares = np.random.default_rng(0).dirichlet(np.ones(5), 3)
    found = _lda.log_likelihood(*bags(documents), shares, topics, 1)
    for item in range(3):
        tokens = documents.tokens[slice(*documents.token_offsets[item : item + 2])]
        wanted = np.log(shares[item] @ topics[:, tokens]).sum()
        np.testing.assert_allclose(found[item], wanted, rtol=1e-6)
    assert found[1] == 0


def test_foreign_arguments_are_refused():
    documents, topics = make_documents([4, 3], 5), make_topics(2, 5)
    words, counts, offsets = bags(documents)
    call = (topics, 0.5, 1e-4, 100, 1)
    for bad, what in [
        ((words, counts, offsets[:-1]), "offsets"),
        ((words, counts[:-1], offsets), "counts"),
        ((words + np.uint16(5), counts, offsets), "a code is"),
    ]:
        with pytest.raises(ValueError, match=what):
            _lda.topic_counts(*bad, *call)
    with pytest.raises(ValueError, match="n_threads"):
        _lda.topic_counts(words, counts, offsets, *call[:-1], 0)
    tokens = np.zeros(7, dtype=np.uint16)
    ones, shards = np.ones(2, dtype=np.float32), np.array([0, 2])
    sweep = (documents.tokens, documents.token_offsets)
    for bad, what in [
        ((tokens[1:], ones, topics, shards), "topics must"),
        ((tokens, ones[1:], topics, shards), "weights"),
        ((tokens, ones, topics, np.array([0, 3])), "shards"),
        ((tokens + np.uint16(2), ones, topics, shards), "a topic is 2"),
        ((tokens, ones, topics[:, :1], shards), "a code is"),
    ]:
        with pytest.raises(ValueError, match=what):
            _lda.gibbs_sweep(*sweep, *bad, keys_for(2), 0.5, 0.1, 1)
    for out in (np.empty((2, 13), np.float32), np.empty((2, 14))):
        with pytest.raises(ValueError, match="out must"):
            _lda.expected_features(words, counts, offsets, topics, 0.5, 0, 1, out, 1)
