"""Latent Dirichlet allocation, trained by collapsed Gibbs sampling."""

from collections.abc import Sequence
from typing import ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from sfmcore.data.arrays import Float32Array, Float64Array, Int64Array, UInt64Array
from sfmcore.data.checks import check_number, check_whole
from sfmcore.data.ragged import Ragged
from sfmcore.kernels import _lda, _random
from sfmcore.models.base import GenerativeModel, checked_weights
from sfmcore.models.documents import Documents
from sfmcore.parallel.threads import effective_threads, worthwhile_threads

_FLOOR = 1e-12
# Passes of the inference, whether or not they have reached `tol`.
_MAX_PASSES = 100
# Documents of a shard of training, at least, and shards, at most: by the data, not the threads.
_SHARD = 64
_MOST_SHARDS = 8
# Sweeps from one entry of `history_` to the next.
_HISTORY = 10
# Beyond this a float32 does not count by one.
_EXACT = 1 << 24


class LatentDirichletAllocation(GenerativeModel):
    """Topics over documents: bags of words whose order does not matter.

    Trained by collapsed Gibbs sampling with symmetric priors, of which the one of the topics'
    shares is fixed. Shards of documents sweep at the same time and are merged after each sweep;
    up to 127 documents are one shard, which is the plain sampler.

    With the topics learnt, a document's own shares are integrated out. Expectations are those of
    zero-order collapsed variational inference (CVB0), an approximation. On simulated documents
    of 4 to 6 tokens up to 7 % of the tokens stood at another topic than under the enumerated
    posterior (alpha 0.5; 1.4 % with alpha 2), and on some of 1,000 tokens 1 to 2 %, against long
    Gibbs averages. Draws are states of a Gibbs chain that starts from that approximation and
    follows the exact posterior in the limit.

    Parameters
    ----------
    n_topics : int, default=50
    n_words : int, default=50
        Size of the vocabulary; codes are 0 to ``n_words - 1``, at most 65536 words.
    alpha : float or None, default=None
        Pseudo-count of a topic in a document. None for ``5 / n_topics``, so that all topics
        together weigh as much as five tokens. On held-out tokens of simulated documents of few
        topics this was better than ``50 / n_topics``, by 0.06 nats; of many, worse by 0.01.
    beta : float, default=0.01
        Pseudo-count of a word in a topic, so that no word has probability zero.
    n_sweeps : int, default=100
        Sweeps of training over all tokens.
    n_average : int, default=10
        Last sweeps whose counts are averaged for `topics_`. On held-out tokens of simulated
        documents 1, 10 and 30 differed by about 0.003 nats at most.
    n_burn_in : int, default=10
        Sweeps of a document before its first drawn state.
    n_between : int, default=2
        Sweeps from one drawn state to the next.
    tol : float, default=1e-4
        Expectations end when P(topic | token) changes by less in a pass, summed over topics, in
        the mean of the tokens; or after 100 passes.
    random_state : int, RandomState instance or None, default=None
        Of the training.
    n_jobs : int or None, default=None
        Number of threads; -1 for all. The result does not depend on it.

    Attributes
    ----------
    topics_ : ndarray of shape (n_topics, n_words)
        P(word | topic), rows sum to 1.
    history_ : ndarray
        Log-likelihood of the tokens under the sampled topics and shares, in nats a token, after
        every tenth sweep and the last.
    n_iter_ : int
        Sweeps made.
    converged_ : bool
        True: a sampler makes its sweeps, and has no tolerance to reach.

    References
    ----------
    T. L. Griffiths, M. Steyvers, "Finding scientific topics", PNAS 101 (2004).
    D. Newman, A. Asuncion, P. Smyth, M. Welling, "Distributed algorithms for topic models",
    JMLR 10 (2009).
    A. Asuncion, M. Welling, P. Smyth, Y. W. Teh, "On smoothing and inference for topic models",
    UAI (2009).

    Examples
    --------
    >>> data = Ragged.from_items([[0, 1] * 20, [2, 3] * 20, [1, 0] * 15, [3, 2] * 9, []])
    >>> model = LatentDirichletAllocation(2, 4, random_state=0).fit(data)
    >>> sorted(model.topics_.round(1).tolist())
    [[0.0, 0.0, 0.5, 0.5], [0.5, 0.5, 0.0, 0.0]]
    >>> model.log_likelihood(data[[4]])
    array([0.])
    """

    kind_of_data: ClassVar[Literal["columns", "rows", "codes"]] = "codes"
    conditioned: ClassVar[bool] = True
    draws_are_sparse: ClassVar[bool] = True

    def __init__(
        self,
        n_topics: int = 50,
        n_words: int = 50,
        *,
        alpha: float | None = None,
        beta: float = 0.01,
        n_sweeps: int = 100,
        n_average: int = 10,
        n_burn_in: int = 10,
        n_between: int = 2,
        tol: float = 1e-4,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_topics = n_topics
        self.n_words = n_words
        self.alpha = alpha
        self.beta = beta
        self.n_sweeps = n_sweeps
        self.n_average = n_average
        self.n_burn_in = n_burn_in
        self.n_between = n_between
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def n_statistics(self) -> int:
        """Tokens of each topic and word."""
        return self.n_topics * self.n_words

    @property
    def n_features(self) -> int:
        """The statistics, tokens of each topic, and those times the log share of the topic."""
        return self.n_statistics + 2 * self.n_topics

    def estimate(self, data: Ragged, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Train by collapsed Gibbs sampling without a warning; see :meth:`fit`.

        Parameters
        ----------
        data : Ragged
            Documents of codes below `n_words`. Empty ones change nothing.
        sample_weight : array-like of shape (n_items,), optional
            What each token of a document counts in its topic. Items of weight 0 are as if they
            were absent.

        Returns
        -------
        self : LatentDirichletAllocation

        Raises
        ------
        ValueError
            If there is no token to learn from, or a code is not below `n_words`.
        """
        self.check_parameters()
        weights = checked_weights(sample_weight, len(data))
        kept = (weights > 0) & (data.lengths > 0)
        if not kept.any():
            raise ValueError("no token to learn from: all documents are empty or weigh nothing")
        weights = weights[kept]
        documents = Documents.from_ragged(data[kept])
        self._check_words(documents)
        random = check_random_state(self.random_state)
        seed = int(random.randint(1 << 31))
        topics = random.randint(self.n_topics, size=len(documents.tokens)).astype(np.uint16)
        self._train(documents, weights, topics, seed)
        self.n_iter_ = self.n_sweeps
        self.converged_ = True
        return self

    def _train(
        self,
        documents: Documents,
        weights: Float64Array,
        topics: npt.NDArray[np.uint16],
        seed: int,
    ) -> None:
        """All sweeps, from the given topics of the tokens on."""
        n_items = len(weights)
        each = np.repeat(weights, np.diff(documents.token_offsets))
        exact = bool(np.all(weights == np.floor(weights)) and each.sum() < _EXACT)
        counts = self._counts(documents, topics, each)
        shards = _shards(n_items)
        items = np.arange(n_items, dtype=np.uint64)
        threads = self._threads(len(topics))
        first_averaged = max(self.n_sweeps - self.n_average, 0)
        total = np.zeros_like(counts)
        single = weights.astype(np.float32)
        history: list[float] = []
        for sweep in range(self.n_sweeps):
            counts = _lda.gibbs_sweep(
                documents.tokens,
                documents.token_offsets,
                topics,
                single,
                counts,
                shards,
                _random.stream_keys(seed, sweep, items),
                self.pseudo_count,
                self.beta,
                threads,
            )
            if not exact:
                counts = self._counts(documents, topics, each)
            if sweep >= first_averaged:
                total += counts
            if (sweep + 1) % _HISTORY == 0 or sweep + 1 == self.n_sweeps:
                self.update(counts.ravel())
                history.append(self._sampled_likelihood(documents, topics, weights, each))
        self.history_ = np.array(history)
        self.update(total.ravel() / (self.n_sweeps - first_averaged))

    def _counts(
        self, documents: Documents, topics: npt.NDArray[np.uint16], each: Float64Array
    ) -> Float64Array:
        cells = topics.astype(np.int64) * self.n_words + documents.tokens
        counts: Float64Array = np.bincount(cells, each, self.n_statistics).astype(np.float64)
        return counts.reshape(self.n_topics, self.n_words)

    def _sampled_likelihood(
        self,
        documents: Documents,
        topics: npt.NDArray[np.uint16],
        weights: Float64Array,
        each: Float64Array,
    ) -> float:
        lengths = np.diff(documents.token_offsets)
        item = np.repeat(np.arange(len(weights)), lengths)
        cells = item * self.n_topics + topics
        tokens = np.bincount(cells, minlength=len(weights) * self.n_topics)
        scores = self._scores(documents, tokens.reshape(-1, self.n_topics))
        return float(np.sum(weights * scores) / each.sum())

    def _scores(self, documents: Documents, tokens: np.ndarray) -> Float64Array:
        """Log P(words) with the posterior mean shares, given the topics' tokens."""
        prior = self.pseudo_count
        lengths = np.diff(documents.token_offsets)[:, None]
        shares = (tokens + prior) / (lengths + self.n_topics * prior)
        return _lda.log_likelihood(
            documents.words,
            documents.counts,
            documents.offsets,
            shares,
            self.topics_,
            self._threads(len(documents.words)),
        )

    @property
    def pseudo_count(self) -> float:
        """Pseudo-count of a topic in a document: `alpha`, or 5 over the number of topics."""
        return 5.0 / self.n_topics if self.alpha is None else float(self.alpha)

    def check_parameters(self) -> None:
        """Refuse parameters that are out of range."""
        check_whole("n_topics", self.n_topics, 1)
        check_number("n_topics", self.n_topics, "of at most 65535", lambda n: n <= 65535)
        check_whole("n_words", self.n_words, 1)
        check_number("n_words", self.n_words, "of at most 65536", lambda n: n <= 65536)
        given = {} if self.alpha is None else {"alpha": self.alpha}
        for name, value in {**given, "beta": self.beta}.items():
            check_number(name, value, "from 1e-6 to 1e6", lambda prior: 1e-6 <= prior <= 1e6)
        for name, least in (("n_sweeps", 1), ("n_average", 1), ("n_burn_in", 0), ("n_between", 1)):
            check_whole(name, getattr(self, name), least)
            # More would not end, which a model file must not ask for.
            check_number(name, getattr(self, name), "of at most 100000", lambda n: n <= 100_000)
        check_number("tol", self.tol, "of at least 0", lambda tol: tol >= 0)

    def _check_words(self, documents: Documents) -> None:
        # The kernel checks as well, but not before the topics are counted.
        if len(documents.words) and documents.words.max() >= self.n_words:
            raise ValueError(
                f"a code is {documents.words.max()}, the model has {self.n_words} words"
            )

    def _threads(self, n_words: int) -> int:
        return worthwhile_threads(effective_threads(self.n_jobs), 20.0 * n_words * self.n_topics)

    def update(self, statistics: Float64Array) -> Self:
        """Set the topics to their posterior mean given summed statistics (M-step).

        Parameters
        ----------
        statistics : ndarray of shape (n_statistics,)
            Tokens of each topic and word.
        """
        counts = statistics.reshape(self.n_topics, self.n_words) + self.beta
        shares = np.maximum(counts / counts.sum(1, keepdims=True), _FLOOR)
        self.topics_ = shares / shares.sum(1, keepdims=True)
        return self

    def log_likelihood(self, data: Ragged) -> Float64Array:
        """Log P(words | topics, shares) with the document's expected shares, in nats.

        The sum over tokens of log sum_k gamma_k P(word | topic k), with gamma the posterior mean
        shares under CVB0 in place of their integral. They have seen the words, so this is an
        estimate of log P(x) and no bound. 0 for an empty document.

        Parameters
        ----------
        data : Ragged

        Returns
        -------
        ndarray of shape (n_items,)
        """
        check_is_fitted(self, "topics_")
        documents = Documents.from_ragged(data)
        tokens = _lda.topic_counts(*self._inference(documents), self._work(documents))
        return self._scores(documents, tokens)

    def _inference(
        self, documents: Documents
    ) -> tuple[
        npt.NDArray[np.uint16],
        Float32Array,
        Int64Array,
        Float64Array,
        float,
        float,
        int,
    ]:
        return (
            documents.words,
            documents.counts,
            documents.offsets,
            self.topics_,
            self.pseudo_count,
            self.tol,
            _MAX_PASSES,
        )

    def _work(self, documents: Documents) -> int:
        return self._threads(_MAX_PASSES * len(documents.words))

    def expected_features(self, data: Ragged, out: Float32Array) -> None:
        """Expected features under the posterior of CVB0; no random numbers.

        Parameters
        ----------
        data : Ragged
        out : ndarray of shape (n_items, n_features), float32
            Filled.
        """
        check_is_fitted(self, "topics_")
        documents = Documents.from_ragged(data)
        _lda.expected_features(*self._inference(documents), out, self._work(documents))

    def drawn_features(
        self,
        data: Ragged,
        keys: UInt64Array,
        n_draws: int,
        out: Float32Array,
    ) -> None:
        """Features of topics drawn from P(z | x): states of one chain for each document.

        Parameters
        ----------
        data : Ragged
        keys : ndarray of shape (n_items,), uint64
            Random stream of each document.
        n_draws : int
        out : ndarray of shape (n_items * n_draws, n_features), float32
            Filled; the draws of a document follow each other.
        """
        check_is_fitted(self, "topics_")
        documents = Documents.from_ragged(data)
        _lda.drawn_features(
            *self._inference(documents),
            keys,
            n_draws,
            self.n_burn_in,
            self.n_between,
            out,
            self._work(documents),
        )

    def content_keys(self, data: Ragged) -> UInt64Array:
        """Digest of every document; the order of its tokens does not matter."""
        return Documents.from_ragged(data).content_keys()

    def map_weights(self) -> Float64Array:
        """Log topics, the log of an equal share, and -1 for the terms of the posterior."""
        check_is_fitted(self, "topics_")
        K = self.n_topics
        return np.concatenate([np.log(self.topics_).ravel(), np.full(K, -np.log(K)), -np.ones(K)])

    def feature_names(self, columns: Sequence[str] | None = None) -> list[str]:
        """Names such as ``topic3:17``, ``topic3`` and ``log topic3``."""
        topics = [f"topic{k}" for k in range(self.n_topics)]
        cells = [f"{topic}:{w}" for topic in topics for w in range(self.n_words)]
        return [*cells, *topics, *(f"log {topic}" for topic in topics)]

    def get_arrays(self) -> dict[str, np.ndarray]:
        """P(word | topic)."""
        check_is_fitted(self, "topics_")
        return {"topics": self.topics_}

    def set_arrays(self, arrays: dict[str, np.ndarray]) -> Self:
        """Take the topics back.

        Raises
        ------
        ValueError
            If the shape is wrong, or a row is not a distribution of positive probabilities.
        """
        topics = arrays.get("topics")
        shape = (self.n_topics, self.n_words)
        if topics is None or topics.shape != shape or topics.dtype != np.float64:
            raise ValueError(f"topics must be float64 of shape {shape}")
        if not np.all(topics > 0) or not np.allclose(topics.sum(-1), 1.0):
            raise ValueError("the rows of topics must be distributions")
        self.topics_ = topics
        return self


def _shards(n_items: int) -> Int64Array:
    """Bounds of the shards, of as equal numbers of documents as can be."""
    n_shards = max(1, min(_MOST_SHARDS, n_items // _SHARD))
    return np.arange(n_shards + 1, dtype=np.int64) * n_items // n_shards
