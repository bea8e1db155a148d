"""LDA against tomotopy and lda: sweeps of collapsed Gibbs sampling.

All see the same simulated documents and priors, and are timed after a burn-in. That ours and the
peer find equally good topics is checked first. A sweep updates every token once; tokens over
seconds are the token updates per second.

    python -m benchmarks.speed.lda [--json FILE]
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks.speed.case import Case, Prepared, agree, needed
from benchmarks.speed.machine import Work
from benchmarks.speed.running import main
from sfmcore.data.ragged import Ragged
from sfmcore.kernels import _lda, _random
from sfmcore.models.documents import Documents
from sfmcore.models.lda import LatentDirichletAllocation, _shards

ALPHA, BETA = 0.1, 0.01
SWEEPS = 10
# Nats a token by which the topics of two samplers may differ.
TOLERANCE = 0.03


@dataclass(frozen=True)
class Size:
    """Words and topics, and the documents that are simulated."""

    n_words: int
    n_topics: int
    n_items: int = 300
    length: int = 1000
    burn_in: int = 100


SIZES = (Size(200, 40), Size(50, 50))


class Sampler:
    """A model that sweeps over its documents.

    Attributes
    ----------
    name : str
    model : object
        The peer's own; None for ours.
    """

    name = ""
    model: Any = None

    def sweep(self, times: int) -> None:
        """Sweep so many times."""
        raise NotImplementedError

    def counts(self) -> np.ndarray:
        """Tokens of each topic and word, (n_topics, n_words)."""
        raise NotImplementedError


@cache
def simulate(size: Size, seed: int = 0) -> Ragged:
    """Documents of an LDA with sparse topics and shares; the topics do not depend on `seed`."""
    topics = np.random.default_rng(0).dirichlet(np.full(size.n_words, 0.1), size.n_topics)
    random = np.random.default_rng([1, seed])
    items = []
    for _ in range(size.n_items):
        shares = random.dirichlet(np.full(size.n_topics, 0.1))
        items.append(random.choice(size.n_words, size.length, p=shares @ topics))
    return Ragged.from_items(items)


class Ours(Sampler):
    """The kernel, over as many shards as a fit makes: two go side by side in a thread."""

    def __init__(self, data: Ragged, size: Size, *, n_threads: int = 1) -> None:
        documents = Documents.from_ragged(data)
        self.tokens, self.offsets = documents.tokens, documents.token_offsets
        self.items = np.arange(len(data), dtype=np.uint64)
        random = np.random.default_rng(1)
        self.topics = random.integers(0, size.n_topics, len(self.tokens)).astype(np.uint16)
        cells = self.topics.astype(np.int64) * size.n_words + self.tokens
        counts = np.bincount(cells, minlength=size.n_topics * size.n_words).astype(float)
        self._counts = counts.reshape(size.n_topics, size.n_words)
        self.weights = np.ones(len(data), dtype=np.float32)
        self.shards = _shards(len(data))
        self.n_threads = n_threads
        self.number = 0

    def sweep(self, times: int) -> None:
        """Sweep so many times."""
        for _ in range(times):
            self._counts = _lda.gibbs_sweep(
                self.tokens,
                self.offsets,
                self.topics,
                self.weights,
                self._counts,
                self.shards,
                _random.stream_keys(0, self.number, self.items),
                ALPHA,
                BETA,
                self.n_threads,
            )
            self.number += 1

    def counts(self) -> np.ndarray:
        """Tokens of each topic and word."""
        return self._counts


class Tomotopy(Sampler):
    """The same of tomotopy, with one worker."""

    def __init__(self, data: Ragged, size: Size) -> None:
        tomotopy = needed("tomotopy")
        self.size = size
        self.model = tomotopy.LDAModel(k=size.n_topics, alpha=ALPHA, eta=BETA, seed=1)
        for item in data:
            self.model.add_doc([str(word) for word in item])
        self.model.optim_interval = 0
        self.name = f"tomotopy {tomotopy.__version__} ({tomotopy.isa})"

    def sweep(self, times: int) -> None:
        """Sweep so many times."""
        self.model.train(times, workers=1)

    def counts(self) -> np.ndarray:
        """Tokens of each topic and word."""
        counts = np.zeros((self.size.n_topics, self.size.n_words))
        places = [int(word) for word in self.model.used_vocabs]
        for k, total in enumerate(self.model.get_count_by_topics()):
            counts[k, places] = self.model.get_topic_word_dist(k) * total
        return counts


class Lda(Sampler):
    """The same of lda."""

    def __init__(self, data: Ragged, size: Size) -> None:
        lda = needed("lda")
        logging.getLogger("lda").setLevel(logging.WARNING)
        self.model = lda.LDA(size.n_topics, alpha=ALPHA, eta=BETA, random_state=1)
        self.model._initialize(counts_of(data, size.n_words))
        self.numbers, self.random = self.model._rands.copy(), np.random.RandomState(1)
        self.name = f"lda {lda.__version__}"

    def sweep(self, times: int) -> None:
        """Sweep so many times."""
        for _ in range(times):
            self.random.shuffle(self.numbers)
            self.model._sample_topics(self.numbers)

    def counts(self) -> np.ndarray:
        """Tokens of each topic and word."""
        return self.model.nzw_.astype(float)


def counts_of(data: Ragged, n_words: int) -> np.ndarray:
    """Documents as rows of word counts."""
    return np.array([np.bincount(item, minlength=n_words) for item in data])


def fresh(make: Callable[[Ragged, Size], Sampler], size: Size) -> Sampler:
    """A sampler after its burn-in."""
    sampler = make(simulate(size), size)
    sampler.sweep(size.burn_in)
    return sampler


trained = cache(fresh)
"""The same, made once; not to be swept on."""


def quality(data: Ragged, counts: np.ndarray) -> float:
    """Log-likelihood of the documents under the topics, in nats a token."""
    model = LatentDirichletAllocation(*counts.shape, alpha=ALPHA, beta=BETA).update(counts.ravel())
    return float(model.log_likelihood(data).sum() / len(data.values))


def sweep_work(n_tokens: int, n_topics: int, sweeps: int = 1) -> Work:
    """The probabilities of one token's topics; the chain of draws makes most of the time."""
    return Work(
        "6 a token and topic: three priors added, a division, a product, a running sum",
        6.0 * n_tokens * n_topics * sweeps,
        "float32",
    )


def training(size: Size, make: Callable[[Ragged, Size], Sampler]) -> Prepared:
    """Sweeps after the burn-in."""
    # Samplers of its own: those that are timed are swept on, the quicker one more often.
    data, peer, ours = simulate(size), fresh(make, size), fresh(Ours, size)

    def check() -> None:
        one, other = (quality(data, sampler.counts()) for sampler in (ours, peer))
        agree("nats a token", one, other, atol=TOLERANCE)

    return Prepared(
        lambda: ours.sweep(SWEEPS),
        f"s for {SWEEPS} sweeps",
        lambda: peer.sweep(SWEEPS),
        peer.name,
        check,
        sweep_work(len(data.values), size.n_topics, SWEEPS),
        {"n_tokens": len(data.values), "n_words": size.n_words, "n_topics": size.n_topics,
         "n_sweeps": SWEEPS},
    )  # fmt: skip


def cases(sizes: Sequence[Size] = SIZES) -> list[Case]:
    """All cases."""
    return [
        Case(
            f"LDA training, {size.n_words} words, {size.n_topics} topics",
            partial(training, size, make),
            make.__name__.lower(),
        )
        for size in sizes
        for make in (Tomotopy, Lda)
    ]


if __name__ == "__main__":
    main(cases(), __doc__)
