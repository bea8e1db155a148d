"""Hidden Markov model with categorical output, fitted by Baum-Welch."""

from collections.abc import Sequence
from typing import ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from sfmcore.data.arrays import Float32Array, Float64Array, Int64Array, UInt64Array
from sfmcore.data.checks import check_number, check_whole
from sfmcore.data.ragged import Ragged
from sfmcore.kernels import _hmm
from sfmcore.models.base import EMModel, checked_weights
from sfmcore.models.em import fit_from_starts
from sfmcore.models.growing import growing_samples
from sfmcore.parallel.threads import effective_threads, worthwhile_threads

# The kernel takes a logarithm every eight steps; this floor keeps the product in range.
_FLOOR = 1e-12


class CategoricalHMM(EMModel):
    """Hidden Markov model over sequences of symbols of a fixed alphabet.

    Fitted by EM (Baum-Welch), accelerated by SQUAREM, with Dirichlet priors on every row, so
    that no symbol, seen or not, has probability zero. Several short runs from random starts; the
    best goes on. Of many items (150 symbols a parameter in a quarter of them), EM first runs on a
    sixteenth and on a quarter of them, chosen by what they hold.

    Parameters
    ----------
    n_states : int, default=10
        Number of hidden states.
    n_symbols : int, default=22
        Size of the alphabet; codes are 0 to ``n_symbols - 1``, at most 256 symbols.
    n_init : int, default=4
        Number of random starts.
    max_iter : int, default=2000
        E-steps after the short runs, at most; on each sample, and on all items.
    tol : float, default=2e-6
        EM ends when three E-steps, which are one cycle of SQUAREM, raise the objective by no more
        than this, in nats a symbol.
    prior : float, default=1.0
        Pseudo-count of every cell: a Dirichlet prior with parameter ``1 + prior``.
    random_state : int, RandomState instance or None, default=None
        Of the starts.
    n_jobs : int or None, default=None
        Number of threads; -1 for all. The result does not depend on it.

    Attributes
    ----------
    start_ : ndarray of shape (n_states,)
        P(first state).
    transition_ : ndarray of shape (n_states, n_states)
        P(next state | state), rows sum to 1.
    emission_ : ndarray of shape (n_states, n_symbols)
        P(symbol | state), rows sum to 1.
    history_ : ndarray of shape (`n_iter_` + 1,)
        Log-likelihood plus log-prior, in nats a symbol, of the best parameters so far: at the start
        and after each further E-step of the winning run. It never falls, and repeats itself
        where an extrapolation was not taken. The last is that of the fitted model.
    n_iter_ : int
        E-steps of the winning run after its first, those of extrapolations that were not taken
        included, and those on samples not.
    converged_ : bool
        Whether `tol` was reached before `max_iter`.

    References
    ----------
    L. R. Rabiner, "A tutorial on hidden Markov models", Proc. IEEE 77 (1989).
    R. Varadhan, C. Roland, "Simple and globally convergent methods for accelerating the
    convergence of any EM algorithm", Scandinavian Journal of Statistics 35 (2008).

    Examples
    --------
    >>> from sfmcore.data.ragged import Ragged
    >>> data = Ragged.from_items([[0, 1] * 20, [1, 0] * 15, [0]])
    >>> model = CategoricalHMM(n_states=2, n_symbols=3, random_state=0).fit(data)
    >>> model.transition_.round(1).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    >>> bool(np.isfinite(model.log_likelihood(Ragged.from_items([[2, 2]])))[0])
    True
    """

    kind_of_data: ClassVar[Literal["columns", "rows", "codes"]] = "codes"
    conditioned: ClassVar[bool] = True

    def __init__(
        self,
        n_states: int = 10,
        n_symbols: int = 22,
        *,
        n_init: int = 4,
        max_iter: int = 2000,
        tol: float = 2e-6,
        prior: float = 1.0,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_states = n_states
        self.n_symbols = n_symbols
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.prior = prior
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def n_statistics(self) -> int:
        """Starts, transitions and emissions."""
        return self.n_states * (1 + self.n_states + self.n_symbols)

    @property
    def n_features(self) -> int:
        """The statistics, and the transitions times the posterior's log transitions."""
        return self.n_statistics + self.n_states**2

    def estimate(self, data: Ragged, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Fit by Baum-Welch without a warning; see :meth:`fit`.

        Parameters
        ----------
        data : Ragged
            Sequences of codes below `n_symbols`. Empty ones change nothing.
        sample_weight : array-like of shape (n_items,), optional
            Weight of each sequence.

        Returns
        -------
        self : CategoricalHMM

        Raises
        ------
        ValueError
            If there is no symbol to learn from, or a code is not below `n_symbols`.
        """
        self.check_parameters()
        weights = checked_weights(sample_weight, len(data))
        if np.sum(weights * data.lengths) == 0:
            raise ValueError("no symbol to learn from: all sequences are empty or weigh nothing")
        random = check_random_state(self.random_state)
        samples = growing_samples(
            self.content_keys(data), weights * data.lengths, self.n_statistics
        )
        problems = [_BaumWelch(self, data[kept], weights[kept]) for kept in samples]
        problems.append(_BaumWelch(self, data, weights))
        for problem in problems[:-1]:
            problem.weigh_as(problems[-1])
        fit_from_starts(self, lambda: self._start(random), problems)
        return self

    def check_parameters(self) -> None:
        """Refuse parameters that are out of range."""
        check_whole("n_states", self.n_states, 1)
        check_whole("n_symbols", self.n_symbols, 1)
        check_number("n_symbols", self.n_symbols, "of at most 256", lambda n: n <= 256)
        check_whole("n_init", self.n_init, 1)
        check_whole("max_iter", self.max_iter, 0)
        check_number("tol", self.tol, "of at least 0", lambda tol: tol >= 0)
        check_number("prior", self.prior, "of at least 0", lambda prior: prior >= 0)

    def _start(self, random: np.random.RandomState) -> None:
        S = self.n_states
        self.start_ = _floored(random.dirichlet(np.ones(S)))
        self.transition_ = _floored(random.dirichlet(np.ones(S), S))
        self.emission_ = _floored(random.dirichlet(np.ones(self.n_symbols), S))

    def _blocks(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.start_, self.transition_, self.emission_

    def update(self, statistics: Float64Array) -> Self:
        """Set the parameters to their MAP estimate given summed statistics (M-step).

        Parameters
        ----------
        statistics : ndarray of shape (n_statistics,)
            Starts, transitions (from, to) and emissions (state, symbol).
        """
        S = self.n_states
        first, steps, out = np.split(statistics, [S, S + S * S])
        self.start_ = self._shares(first)
        self.transition_ = self._shares(steps.reshape(S, S))
        self.emission_ = self._shares(out.reshape(S, self.n_symbols))
        return self

    def _shares(self, counts: Float64Array) -> Float64Array:
        counts = counts + self.prior
        return _floored(counts / np.maximum(counts.sum(-1, keepdims=True), np.finfo(float).tiny))

    def _threads(self, data: Ragged) -> int:
        work = 4.0 * len(data.values) * self.n_states**2
        return worthwhile_threads(effective_threads(self.n_jobs), work)

    def log_likelihood(self, data: Ragged) -> Float64Array:
        """Log P(x) of every sequence, in nats; 0 for an empty one.

        Parameters
        ----------
        data : Ragged

        Returns
        -------
        ndarray of shape (n_items,)
        """
        check_is_fitted(self, "start_")
        threads = self._threads(data)
        return _hmm.log_likelihood(
            data.values, data.offsets, _by_length(data), *self._blocks(), threads
        )

    def expected_features(self, data: Ragged, out: Float32Array) -> None:
        """Expected features under P(q | x) by forward-backward.

        Parameters
        ----------
        data : Ragged
        out : ndarray of shape (n_items, n_features), float32
            Filled.
        """
        check_is_fitted(self, "start_")
        threads = self._threads(data)
        _hmm.expected_features(
            data.values, data.offsets, _by_length(data), *self._blocks(), out, threads
        )

    def drawn_features(
        self,
        data: Ragged,
        keys: UInt64Array,
        n_draws: int,
        out: Float32Array,
    ) -> None:
        """Features of paths drawn from P(q | x).

        Parameters
        ----------
        data : Ragged
        keys : ndarray of shape (n_items,), uint64
            Random stream of every item.
        n_draws : int
        out : ndarray of shape (n_items * n_draws, n_features), float32
            Filled; the draws of an item follow each other.
        """
        check_is_fitted(self, "start_")
        threads = self._threads(data)
        _hmm.drawn_features(
            data.values,
            data.offsets,
            _by_length(data),
            *self._blocks(),
            keys,
            n_draws,
            out,
            threads,
        )

    def map_weights(self) -> Float64Array:
        """Log start, log transition, log emission, and -1 for the terms of the posterior."""
        check_is_fitted(self, "start_")
        logs = [np.log(block).ravel() for block in self._blocks()]
        return np.concatenate([*logs, -np.ones(self.n_states**2)])

    def feature_names(self, columns: Sequence[str] | None = None) -> list[str]:
        """Names such as ``start2``, ``state2→state0``, ``state2:7``, ``log state2→state0``."""
        states = range(self.n_states)
        steps = [f"state{i}→state{j}" for i in states for j in states]
        out = [f"state{i}:{v}" for i in states for v in range(self.n_symbols)]
        return [*(f"start{i}" for i in states), *steps, *out, *(f"log {s}" for s in steps)]

    def get_arrays(self) -> dict[str, np.ndarray]:
        """Start, transition and emission probabilities."""
        check_is_fitted(self, "start_")
        return {"start": self.start_, "transition": self.transition_, "emission": self.emission_}

    def set_arrays(self, arrays: dict[str, np.ndarray]) -> Self:
        """Take the probabilities back.

        Raises
        ------
        ValueError
            If a shape is wrong, or a row is not a distribution of positive probabilities.
        """
        S, V = self.n_states, self.n_symbols
        shapes = {"start": (S,), "transition": (S, S), "emission": (S, V)}
        for name, shape in shapes.items():
            array = arrays.get(name)
            if array is None or array.shape != shape or array.dtype != np.float64:
                raise ValueError(f"{name} must be float64 of shape {shape}")
            if not np.all(array > 0) or not np.allclose(array.sum(-1), 1.0):
                raise ValueError(f"the rows of {name} must be distributions")
        self.start_ = arrays["start"]
        self.transition_ = arrays["transition"]
        self.emission_ = arrays["emission"]
        return self


class _BaumWelch:
    """EM of a model on some data, weighted."""

    def __init__(self, model: CategoricalHMM, data: Ragged, weights: Float64Array) -> None:
        self._model, self._data, self._weights = model, data, weights
        self._order = _by_length(data)
        self._n_symbols = float(np.sum(weights * data.lengths))
        self._statistics = np.empty(0)

    def weigh_as(self, whole: "_BaumWelch") -> None:
        """Weigh as much as all data, so that the prior pulls as hard as there."""
        self._weights = self._weights * (whole._n_symbols / self._n_symbols)
        self._n_symbols = whole._n_symbols

    def expect(self) -> float:
        """Log-likelihood plus log-prior, in nats a symbol."""
        model, data = self._model, self._data
        blocks, threads = model._blocks(), model._threads(data)
        self._statistics, scores = _hmm.expected_statistics(
            data.values, data.offsets, self._order, *blocks, self._weights, threads
        )
        log_prior = model.prior * sum(float(np.log(block).sum()) for block in blocks)
        # Not a product of BLAS, whose order of adding follows its own threads.
        return (float(np.sum(self._weights * scores)) + log_prior) / self._n_symbols

    def maximise(self) -> None:
        """Set the probabilities to their MAP estimate."""
        self._model.update(self._statistics)

    def coordinates(self) -> Float64Array:
        """Logarithms of the probabilities."""
        return np.concatenate([np.log(block).ravel() for block in self._model._blocks()])

    def move_to(self, coordinates: Float64Array) -> None:
        """Set the probabilities in proportion to the exponentials, none below the floor."""
        model, S = self._model, self._model.n_states
        start, transition, emission = np.split(coordinates, [S, S + S * S])
        model.start_ = _proportional(start)
        model.transition_ = _proportional(transition.reshape(S, S))
        model.emission_ = _proportional(emission.reshape(S, -1))


def _proportional(logarithms: Float64Array) -> Float64Array:
    """Distributions along the last axis."""
    shares = np.exp(logarithms - logarithms.max(-1, keepdims=True))
    return _floored(shares / shares.sum(-1, keepdims=True))


def _floored(shares: Float64Array) -> Float64Array:
    """Distributions along the last axis without zeros."""
    shares = np.maximum(shares, _FLOOR)
    return shares / shares.sum(-1, keepdims=True)


def _by_length(data: Ragged) -> Int64Array:
    """Items from the longest to the shortest: neighbours alike, the long ones first."""
    return np.argsort(-data.lengths, kind="stable")
