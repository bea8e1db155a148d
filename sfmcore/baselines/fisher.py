"""Fisher scores: how an item would move the parameters of a fitted generative model."""

from functools import singledispatch
from typing import Any

import numpy as np
from scipy.special import digamma

from sfmcore.baselines.gmm_posterior import component_posterior
from sfmcore.baselines.score_space import Blocks, ScoreSpace
from sfmcore.baselines.topic_posterior import topic_posterior
from sfmcore.data.ragged import Ragged
from sfmcore.models.base import GenerativeModel
from sfmcore.models.gmm import DiagonalGMM
from sfmcore.models.hmm import CategoricalHMM
from sfmcore.models.lda import LatentDirichletAllocation


@singledispatch
def fisher_scores(model: GenerativeModel, data: Any) -> Blocks:
    """Gradient of log P(x | theta) in theta, block by block, of every item.

    A distribution is taken by its logits, b = softmax(l): with expected counts n its score is
    n - b sum(n), which is what n / b - sum(n) is times b. Posteriors are the model's own.

    ==================================  =========================================================
    Hidden Markov model                 "start", "transition", "emission"
    Gaussian mixture                    "weight"; "mean": g (x - mu) / sigma^2; "deviation":
                                        g ((x - mu)^2 / sigma^2 - 1) / sigma, g = P(component | x)
    Latent Dirichlet allocation         "alpha", of the topics' pseudo-counts (below); "topic"
    Any other model                     "statistic": E[T | x], in natural parameters (below)
    ==================================  =========================================================

    A document of n tokens, n_k of them of topic k, has Psi(K a) - Psi(K a + n) + Psi(a + n_k) -
    Psi(a) in "alpha", with CVB0's expected n_k; the gradient of log P(z | alpha) at them.

    The score in natural parameters is E[T | x] - E[T]. At the maximum of the likelihood E[T] is the
    mean over the training items, which :class:`FisherScore` subtracts with `standardize`.

    Parameters
    ----------
    model : GenerativeModel
        Fitted. Scores of a model of your own may be registered: it is a single-dispatch function.
    data : batch of items

    Returns
    -------
    dict of str to ndarray of shape (n_items, ...)

    Examples
    --------
    >>> model = DiagonalGMM(1, random_state=0).fit([[0.0], [2.0]])
    >>> {name: block.ravel().tolist() for name, block in fisher_scores(model, [[1.0]]).items()}
    {'weight': [0.0], 'mean': [0.0], 'deviation': [-1.0]}
    """
    features = np.empty((len(data), model.n_features), dtype=np.float32)
    model.expected_features(data, features)
    return {"statistic": features[:, : model.n_statistics].astype(np.float64)}


@fisher_scores.register
def _(model: CategoricalHMM, data: Ragged) -> Blocks:
    rows = np.empty((len(data), model.n_features), dtype=np.float32)
    model.expected_features(data, rows)
    S, V = model.n_states, model.n_symbols
    start, steps, out, _ = np.split(rows.astype(np.float64), [S, S + S * S, S + S * S + S * V], 1)
    transition, emission = steps.reshape(-1, S, S), out.reshape(-1, S, V)
    return {
        "start": start - model.start_ * start.sum(1, keepdims=True),
        "transition": transition - model.transition_ * transition.sum(2, keepdims=True),
        "emission": emission - model.emission_ * emission.sum(2, keepdims=True),
    }


@fisher_scores.register
def _(model: DiagonalGMM, data: Any) -> Blocks:
    posterior = component_posterior(model, data)
    shares = posterior.shares[:, :, None]
    deviation = np.sqrt(model.variances_)
    return {
        "weight": posterior.shares - model.weights_,
        "mean": shares * posterior.deviations / deviation,
        "deviation": shares * (posterior.deviations**2 - 1.0) / deviation,
    }


@fisher_scores.register
def _(model: LatentDirichletAllocation, data: Ragged) -> Blocks:
    posterior = topic_posterior(model, data)
    alpha, total = posterior.alpha, model.n_topics * posterior.alpha
    length = posterior.counts.sum(1, keepdims=True)
    share = digamma(total) - digamma(total + length)
    cells = posterior.cells
    return {
        "alpha": share + digamma(alpha + posterior.tokens) - digamma(alpha),
        "topic": cells - model.topics_ * cells.sum(2, keepdims=True),
    }


class FisherScore(ScoreSpace):
    """Fisher scores of generative models as vectors, for any classifier.

    A model is fitted to the items of each class, or one to all; an item becomes its scores
    under all of them, see :func:`fisher_scores`. Dividing the scores by their deviations over
    the items stands for the Fisher information, of which only the diagonal is kept.

    Parameters
    ----------
    model : GenerativeModel
        Not fitted; clones of it are.
    per_class : bool, default=True
        A model of each class, whose scores are concatenated; or one of all items.
    divide_by_size : bool, default=True
        Divide an item's scores by its length.
    standardize : bool, default=True
        Subtract the mean of each score over the training items and divide by its deviation.
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
    T. Jaakkola, D. Haussler, "Exploiting generative models in discriminative classifiers",
    NIPS 1998.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import LinearSVC
    >>> data = Ragged.from_items([[0, 1] * n for n in range(2, 9)] + [[0] * n for n in range(9)])
    >>> hmm = CategoricalHMM(2, 3, random_state=0)
    >>> model = make_pipeline(FisherScore(hmm), LinearSVC()).fit(data, [0] * 7 + [1] * 9)
    >>> model.predict([[0, 1, 0, 1, 0, 1], [0, 0, 0, 0, 0]]).tolist()
    [0, 1]
    """

    def blocks(self, model: GenerativeModel, data: Any) -> Blocks:
        """Fisher scores; see :func:`fisher_scores`."""
        return fisher_scores(model, data)
