"""Chains of the LDA kernel that take their steps in turns do what each does alone."""

import itertools

import numpy as np
import pytest

from sfmcore.data.ragged import Ragged
from sfmcore.kernels import _lda, _random
from sfmcore.models.documents import Documents

N_WORDS = 30
# One block of topics to four, full and not, and beyond what registers hold.
N_TOPICS = [1, 16, 20, 40, 50, 64, 70]
WIDTHS = [512, 256, 128]
LENGTHS = {
    "a pair": [40, 40],
    "one alone": [70],
    "an odd number": [30, 200, 3],
    "empty ones": [0, 5, 0, 0, 90, 1, 0, 0, 0, 33, 0],
    "nothing": [0, 0, 0],
    "a long one beside short ones": [1, 900, 1, 2, 1, 1, 1, 400, 1, 700],
    "more than a chunk of equals": [25] * 19,
}


def make_documents(lengths):
    random = np.random.default_rng([7, *lengths])
    # Few words often: a token and the next are of the same word, or not.
    items = [(N_WORDS * random.random(n) ** 3).astype(np.int32) for n in lengths]
    return Documents.from_ragged(Ragged.from_items(items))


def make_keys(items, sweep=0):
    return _random.stream_keys(3, sweep, np.asarray(items, dtype=np.uint64))


def drawn(documents, items, n_topics, plan, n_threads=1):
    """Draws of the documents, whose random streams are those of `items`."""
    table = np.random.default_rng(n_topics).dirichlet(np.full(N_WORDS, 0.3), n_topics) + 1e-9
    table /= table.sum(1, keepdims=True)
    n_draws, n_burn_in, n_between = plan
    shape = len(items) * n_draws, n_topics * (N_WORDS + 2)
    out = np.full(shape, np.nan, dtype=np.float32)
    _lda.drawn_features(
        documents.words, documents.counts, documents.offsets, table, 0.5, 1e-4, 20,
        make_keys(items), n_draws, n_burn_in, n_between, out, n_threads,
    )  # fmt: skip
    return out.reshape(len(items), n_draws, -1)


def part(documents, first, end):
    """The documents first to end - 1 as a batch of their own."""
    tokens, words = documents.token_offsets[first : end + 1], documents.offsets[first : end + 1]
    return Documents(
        documents.tokens[tokens[0] : tokens[-1]],
        tokens - tokens[0],
        documents.words[words[0] : words[-1]],
        documents.counts[words[0] : words[-1]],
        words - words[0],
    )


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("n_topics", N_TOPICS)
@pytest.mark.parametrize("lengths", LENGTHS.values(), ids=LENGTHS)
def test_draws_of_a_document_do_not_depend_on_its_neighbours(in_width, lengths, n_topics, width):
    documents, n_items = make_documents(lengths), len(lengths)
    for plan in ((2, 3, 2), (3, 0, 1), (2, 2, 0)):
        with in_width(width):
            together = drawn(documents, range(n_items), n_topics, plan)
        for item in range(n_items):
            with in_width(width):
                alone = drawn(part(documents, item, item + 1), [item], n_topics, plan)
            assert np.array_equal(together[item], alone[0])


@pytest.mark.parametrize("lengths", LENGTHS.values(), ids=LENGTHS)
def test_draws_do_not_depend_on_threads(lengths):
    documents, n_items = make_documents(lengths), len(lengths)
    one, *more = (drawn(documents, range(n_items), 20, (2, 3, 2), n) for n in (1, 2, 3, 8))
    assert all(np.array_equal(one, other) for other in more)


def trained(documents, first_item, shards, n_topics, n_threads, start=None):
    """Topics and counts after a sweep; of documents that begin at `first_item`'s number."""
    n_items = len(documents.offsets) - 1
    topics, counts = random_start(documents, n_topics) if start is None else start
    topics = topics.copy()
    weights = 0.25 + np.random.default_rng(4).integers(1, 9, first_item + n_items) / 4
    keys = make_keys(range(first_item, first_item + n_items))
    counts = _lda.gibbs_sweep(
        documents.tokens, documents.token_offsets, topics,
        weights[first_item:].astype(np.float32), counts, np.asarray(shards, dtype=np.int64), keys,
        0.3, 0.01, n_threads,
    )  # fmt: skip
    return topics, counts


def random_start(documents, n_topics):
    """Topics at random, and counts that agree with them."""
    topics = np.random.default_rng(5).integers(0, n_topics, len(documents.tokens))
    counts = np.ones((n_topics, N_WORDS))
    np.add.at(counts, (topics, documents.tokens), 2.5)
    return topics.astype(np.uint16), counts


def cut(n_items, n_shards):
    return np.arange(n_shards + 1) * n_items // n_shards


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("n_topics", N_TOPICS)
@pytest.mark.parametrize("n_shards", [2, 3, 6])
def test_a_shard_does_not_depend_on_the_shard_beside_it(in_width, n_shards, n_topics, width):
    for lengths in LENGTHS.values():
        documents, shards = make_documents(lengths), cut(len(lengths), n_shards)
        topics, counts = random_start(documents, n_topics)
        with in_width(width):
            found = trained(documents, 0, shards, n_topics, 1)
        wanted = counts.copy()
        for first, end in itertools.pairwise(shards):
            own = slice(documents.token_offsets[first], documents.token_offsets[end])
            start = topics[own], counts
            shard = part(documents, first, end)
            with in_width(width):
                alone = trained(shard, first, [0, end - first], n_topics, 1, start)
            assert np.array_equal(found[0][own], alone[0])
            wanted += alone[1] - counts
        assert np.array_equal(found[1], wanted)


@pytest.mark.parametrize("n_shards", [1, 2, 3, 5, 8, 20])
def test_training_does_not_depend_on_threads(n_shards):
    # Whether shards go in pairs depends on the threads: at least two shards for each.
    for lengths in LENGTHS.values():
        documents, shards = make_documents(lengths), cut(len(lengths), n_shards)
        one, *more = (trained(documents, 0, shards, 40, n) for n in (1, 2, 3, 8))
        for other in more:
            assert all(map(np.array_equal, one, other))
