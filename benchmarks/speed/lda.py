"""LDA kernel against tomotopy and lda: sweeps of collapsed Gibbs sampling.

All see the same simulated documents and priors, in one process and on one thread, and are timed
after a burn-in. That the three find equally good topics is checked first. A sweep updates every
token once; its tokens over the seconds are the token updates per second.

    python -m benchmarks.speed.lda [--json FILE]
"""

import logging
from collections.abc import Callable

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.speed.timing import Timing, give_up, measure, parse_arguments, report
from sfmcore.kernels import _lda, _random
from sfmcore.models.documents import Documents
from sfmcore.models.lda import LatentDirichletAllocation
from sfmcore.ragged import Ragged

N_ITEMS, LENGTH = 300, 1000
# Words and topics.
SIZES = [(200, 40), (50, 50)]
ALPHA, BETA = 0.1, 0.01
BURN_IN, SWEEPS = 100, 10

Sweeps = Callable[[int], object]
Topics = Callable[[], np.ndarray]


def simulate(n_words: int, n_topics: int) -> Ragged:
    """Documents of an LDA with sparse topics and shares."""
    random = np.random.default_rng(0)
    topics = random.dirichlet(np.full(n_words, 0.1), n_topics)
    items = []
    for _ in range(N_ITEMS):
        shares = random.dirichlet(np.full(n_topics, 0.1))
        items.append(random.choice(n_words, LENGTH, p=shares @ topics))
    return Ragged.from_items(items)


def make_ours(data: Ragged, n_words: int, n_topics: int) -> tuple[Sweeps, Topics]:
    """A function that sweeps, and one that gives the topics."""
    documents = Documents.from_ragged(data)
    tokens, offsets = documents.tokens, documents.token_offsets
    items = np.arange(len(data), dtype=np.uint64)
    topics = np.random.default_rng(1).integers(0, n_topics, len(tokens)).astype(np.uint16)
    cells = topics.astype(np.int64) * n_words + tokens
    state = {"counts": np.bincount(cells, minlength=n_topics * n_words).astype(float)}
    state["counts"] = state["counts"].reshape(n_topics, n_words)
    weights, shards = np.ones(len(data), dtype=np.float32), np.array([0, len(data)])
    number = iter(range(1 << 30))

    def sweep(times: int) -> None:
        for _ in range(times):
            keys = _random.stream_keys(0, next(number), items)
            state["counts"] = _lda.gibbs_sweep(
                tokens,
                offsets,
                topics,
                weights,
                state["counts"],
                shards,
                keys,
                ALPHA,
                BETA,
                _lda.LANES,
                1,
            )

    return sweep, lambda: state["counts"]


def make_tomotopy(data: Ragged, n_words: int, n_topics: int) -> tuple[Sweeps, Topics, str]:
    """The same of tomotopy, and its name."""
    try:
        import tomotopy
    except ImportError:
        give_up("tomotopy is missing: install the extra 'bench'")
    peer = tomotopy.LDAModel(k=n_topics, alpha=ALPHA, eta=BETA, seed=1)
    for item in data:
        peer.add_doc([str(word) for word in item])
    peer.optim_interval = 0

    def topics() -> np.ndarray:
        counts = np.zeros((n_topics, n_words))
        places = [int(word) for word in peer.used_vocabs]
        for k, total in enumerate(peer.get_count_by_topics()):
            counts[k, places] = peer.get_topic_word_dist(k) * total
        return counts

    name = f"tomotopy {tomotopy.__version__} ({tomotopy.isa})"
    return lambda times: peer.train(times, workers=1), topics, name


def make_lda(data: Ragged, n_words: int, n_topics: int) -> tuple[Sweeps, Topics, str]:
    """The same of lda."""
    try:
        import lda
    except ImportError:
        give_up("lda is missing: install the extra 'bench'")
    logging.getLogger("lda").setLevel(logging.WARNING)
    peer = lda.LDA(n_topics, alpha=ALPHA, eta=BETA, random_state=1)
    peer._initialize(np.array([np.bincount(item, minlength=n_words) for item in data]))
    numbers, random = peer._rands.copy(), np.random.RandomState(1)

    def sweep(times: int) -> None:
        for _ in range(times):
            random.shuffle(numbers)
            peer._sample_topics(numbers)

    return sweep, lambda: peer.nzw_.astype(float), f"lda {lda.__version__}"


def quality(data: Ragged, counts: np.ndarray) -> float:
    """Log-likelihood of the documents under the topics, in nats a token."""
    model = LatentDirichletAllocation(*counts.shape, alpha=ALPHA, beta=BETA).update(counts.ravel())
    return float(model.log_likelihood(data).sum() / len(data.values))


def time_size(n_words: int, n_topics: int, pairs: int) -> list[Timing]:
    """Burn in, check that all find equally good topics, then time ours against each peer."""
    data = simulate(n_words, n_topics)
    sweep, topics = make_ours(data, n_words, n_topics)
    sweep(BURN_IN)
    ours = quality(data, topics())
    timings = []
    for make in (make_tomotopy, make_lda):
        peer_sweep, peer_topics, peer_name = make(data, n_words, n_topics)
        peer_sweep(BURN_IN)
        np.testing.assert_allclose(quality(data, peer_topics()), ours, atol=0.03)
        timing = measure(
            f"{SWEEPS} sweeps, {n_words} words, {n_topics} topics",
            lambda: sweep(SWEEPS),
            lambda peer_sweep=peer_sweep: peer_sweep(SWEEPS),
            peer_name=peer_name,
            unit=f"s for {SWEEPS} sweeps",
            pairs=pairs,
            details={"n_tokens": len(data.values), "n_threads": 1},
        )
        timings.append(timing)
        updates = SWEEPS * len(data.values) / 1e6
        print(f"{n_words} words, {n_topics} topics: {updates / timing.ours_s:.1f} million token "
              f"updates/s, {peer_name} {updates / (timing.peer_s or np.nan):.1f}")  # fmt: skip
    return timings


def main() -> None:
    """Run all cases."""
    arguments = parse_arguments("Speed of the LDA kernel against tomotopy and lda.")
    with threadpool_limits(limits=1):
        timings = [t for size in SIZES for t in time_size(*size, arguments.pairs)]
    report(timings, arguments.json)


if __name__ == "__main__":
    main()
