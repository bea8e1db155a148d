"""FESS: the free energy score space, terms of the variational bound as features."""

from functools import singledispatch
from typing import Any

import numpy as np
from scipy.special import digamma, gammaln, xlogy

from sfmcore.baselines.gmm_posterior import component_posterior
from sfmcore.baselines.hmm_posterior import path_posterior
from sfmcore.baselines.score_space import Blocks, ScoreSpace
from sfmcore.baselines.topic_posterior import topic_posterior
from sfmcore.data.checks import check_choice
from sfmcore.data.ragged import Ragged
from sfmcore.estimators.composition import with_parameters_of
from sfmcore.models.base import GenerativeModel
from sfmcore.models.gmm import DiagonalGMM
from sfmcore.models.hmm import CategoricalHMM
from sfmcore.models.lda import LatentDirichletAllocation


@singledispatch
def free_energy_terms(model: GenerativeModel, data: Any) -> Blocks:
    """Terms of E_Q[log P(x, h) - log Q(h)] of every item, one for each factor and value of h.

    Their sum is log P(x) where Q is the exact posterior, as for hidden Markov models and
    mixtures. For latent Dirichlet allocation Q(z) is what CVB0 finds and Q(shares) = Dirichlet
    (alpha + expected tokens): the sum is a lower bound of log P(x), the topics given.

    ============================  ===============================================================
    Hidden Markov model           "start": g log pi; "transition": n log a; "emission": n log b;
                                  "start entropy": -g log g; "transition entropy":
                                  -sum over steps of xi(i, j) log (xi(i, j) / g(i))
    Gaussian mixture              "weight": g log pi; "density": g log N(x_d), by columns;
                                  "entropy": -g log g
    Latent Dirichlet allocation   "share": (alpha - 1) E log share, and its prior's normaliser
                                  over the number of topics; "topic": n_k E log share; "word":
                                  n_kw log b_kw; "topic entropy": -sum of r log r; "share entropy"
    Any other model               "feature": each expected feature times its weight alpha
    ============================  ===============================================================

    Parameters
    ----------
    model : GenerativeModel
        Fitted. Terms of a model of your own may be registered: it is a single-dispatch function.
    data : batch of items

    Returns
    -------
    dict of str to ndarray of shape (n_items, ...)
        What is emitted (symbols, columns, words) is the last dimension of "emission", "density"
        and "word".

    Examples
    --------
    >>> model = DiagonalGMM(2, random_state=0).fit([[0.0], [2.0], [3.0]])
    >>> terms = free_energy_terms(model, [[1.0]])
    >>> total = sum(block.sum() for block in terms.values())
    >>> bool(np.isclose(total, model.log_likelihood([[1.0]])[0]))
    True
    """
    features = np.empty((len(data), model.n_features), dtype=np.float32)
    model.expected_features(data, features)
    return {"feature": features.astype(np.float64) * model.map_weights()}


EMITTED = ("emission", "density", "word")
"""Blocks whose last dimension is what is emitted."""


@free_energy_terms.register
def _(model: CategoricalHMM, data: Ragged) -> Blocks:
    posterior = path_posterior(model, data)
    return {
        "start": posterior.start * np.log(model.start_),
        "transition": posterior.transition * np.log(model.transition_),
        "emission": posterior.emission * np.log(model.emission_),
        "start entropy": posterior.start_entropy,
        "transition entropy": posterior.transition_entropy,
    }


@free_energy_terms.register
def _(model: DiagonalGMM, data: Any) -> Blocks:
    posterior = component_posterior(model, data)
    shares = posterior.shares
    return {
        "weight": shares * np.log(model.weights_),
        "density": shares[:, :, None] * posterior.log_densities,
        "entropy": -shares * posterior.log_shares,
    }


@free_energy_terms.register
def _(model: LatentDirichletAllocation, data: Ragged) -> Blocks:
    posterior = topic_posterior(model, data)
    alpha, K = posterior.alpha, model.n_topics
    tokens, cells = posterior.tokens, posterior.cells
    g = alpha + tokens
    total = g.sum(1, keepdims=True)
    log_share = digamma(g) - digamma(total)
    # All tokens of a word have the same r = cells / counts.
    counts = np.maximum(posterior.counts, 1.0)[:, None, :]
    return {
        "share": (alpha - 1.0) * log_share + gammaln(K * alpha) / K - gammaln(alpha),
        "topic": tokens * log_share,
        "word": cells * np.log(model.topics_),
        "topic entropy": -xlogy(cells, cells / counts).sum(2),
        # The normaliser goes to topics by their shares: what each then has does not grow with n.
        "share entropy": gammaln(g) - g / total * gammaln(total) - (g - 1.0) * log_share,
    }


class FESS(ScoreSpace):
    """Free energy score space of generative models as vectors, for any classifier.

    A model is fitted to the items of each class, or one to all; an item becomes the terms of
    its free energy under all of them, see :func:`free_energy_terms`.

    Parameters
    ----------
    model : GenerativeModel
        Not fitted; clones of it are.
    per_class : bool, default=True
        A model of each class, whose terms are concatenated; or one of all items.
    split_emitted : bool, default=True
        Keep the terms of what is emitted apart by symbol, column or word; False adds them up
        for each state, component or topic.
    divide_by_size : bool, default=True
        Divide an item's terms by its length.
    standardize : bool, default=True
        Subtract the mean of each term over the training items and divide by its deviation.
    unit_length : bool, default=True
        Divide each vector by its length at the end.
    random_state : int, RandomState instance or None, default=None
        Seed of the models' own; None leaves `random_state` of `model` as it is.
    n_jobs : int or None, default=None
        Threads of the models; None leaves `n_jobs` of `model` as it is.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels, with `per_class`.
    models_ : list of GenerativeModel
        Fitted, in the order of the classes.
    mean_, scale_ : ndarray of shape (n_features_out,)
        What is subtracted and divided by.

    References
    ----------
    A. Perina, M. Cristani, U. Castellani, V. Murino, N. Jojic, "Free energy score space",
    NIPS 2009.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import LinearSVC
    >>> data = Ragged.from_items([[0, 1] * n for n in range(2, 9)] + [[0] * n for n in range(9)])
    >>> hmm = CategoricalHMM(2, 3, random_state=0)
    >>> model = make_pipeline(FESS(hmm), LinearSVC()).fit(data, [0] * 7 + [1] * 9)
    >>> model.predict([[0, 1, 0, 1, 0, 1], [0, 0, 0, 0, 0]]).tolist()
    [0, 1]
    """

    @with_parameters_of(ScoreSpace)
    def __init__(
        self, model: GenerativeModel, *, split_emitted: bool = True, **parameters: Any
    ) -> None:
        super().__init__(model, **parameters)
        self.split_emitted = split_emitted

    def check_parameters(self) -> None:
        """Refuse parameters that can't be used."""
        super().check_parameters()
        check_choice("split_emitted", self.split_emitted, (True, False))

    def blocks(self, model: GenerativeModel, data: Any) -> Blocks:
        """Terms of the free energy; see :func:`free_energy_terms`."""
        blocks = free_energy_terms(model, data)
        if self.split_emitted:
            return blocks
        return {name: block.sum(-1) if name in EMITTED else block for name, block in blocks.items()}
