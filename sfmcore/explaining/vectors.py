"""Evidence of columns, by mixtures of Gaussians and by kernels on the columns."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sfmcore.data.arrays import Float64Array
from sfmcore.explaining.explanation import Explanation
from sfmcore.explaining.rows import ColumnEvidence
from sfmcore.explaining.scores import CHUNK, Scores
from sfmcore.learning.pair import Pair
from sfmcore.models.gmm import DiagonalGMM

TERMS = ("constant", "components")
# Steps along the path from the components' prior shares, and how much closer they are at first:
# shares of distant components go within a thousandth of the way.
_NODES, _POWER = 24, 5


def explain_columns(
    pairs: Sequence[Pair], classes: Any, made: Sequence[Any], n_threads: int
) -> Explanation:
    """Evidence of the columns of rows of numbers.

    Parameters
    ----------
    pairs : sequence of Pair
        Of a fitted classifier, class by class.
    classes : ndarray of shape (n_classes,)
    made : sequence of ndarray of shape (n_items, n_columns)
        Items as the preparation of each pair makes them.
    n_threads : int
        No result depends on it.

    Raises
    ------
    ValueError
        If a model is no Gaussian mixture.
    """
    for model in {id(m): m for pair in pairs for m in pair.mapping.models}.values():
        if not isinstance(model, DiagonalGMM):
            raise ValueError(f"evidence of columns requires Gaussian mixtures, not {model!r}")
    scores = Scores(pairs, 1 if len(classes) == 2 else len(classes), None, n_threads)
    n_items, n_columns = made[0].shape
    evidence = np.zeros((n_items, n_columns))
    terms = {term: np.zeros(n_items) for term in TERMS}
    label, runner_up = np.zeros((2, n_items), dtype=np.int64)
    score, baseline = np.zeros((2, n_items))
    for start in range(0, n_items, CHUNK):
        part = slice(start, start + CHUNK)
        found = scores.explain([own[part] for own in made])
        label[part], runner_up[part] = found.label, found.runner_up
        score[part], baseline[part] = found.score, found.baseline
        for given in found.of_columns:
            evidence[part] += given
        for columns, number in zip(found.columns, found.preparations, strict=True):
            terms["constant"][part] += columns.constant
            for k in range(len(columns.mapping.models)):
                own, left = mixture_evidence(columns, k, made[number][part])
                evidence[part] += own
                terms["components"][part] += left
    others = np.sum(list(terms.values()), axis=0)
    return Explanation(
        evidence=evidence.ravel(),
        offsets=np.arange(n_items + 1, dtype=np.int64) * n_columns,
        label=classes[label],
        runner_up=classes[runner_up],
        score=score,
        baseline=baseline,
        remainder=score - baseline - others - evidence.sum(axis=1),
        kinds={"columns": evidence.ravel()},
        terms=terms,
    )


def mixture_evidence(
    columns: ColumnEvidence, number: int, rows: Float64Array
) -> tuple[Float64Array, Float64Array]:
    """Evidence of the columns of X by the features of one mixture.

    Of sums and sums of squares a column has what it differs by from what its component expects.
    Which component an item is from follows from all columns: from the components' prior shares,
    their logits grow by what every column's density adds, and a column has what it changes on the
    way.

    Parameters
    ----------
    columns : ColumnEvidence
    number : int
        Of the model.
    rows : ndarray of shape (n_items, n_columns)
        Items as the mixture sees them.

    Returns
    -------
    evidence : ndarray of shape (n_items, n_columns)
    left : ndarray of shape (n_items,)
        What an item says that is what the components expect, with their prior shares.
    """
    mixture, own = columns.mapping.models[number], columns.mapping.columns_of(number)
    assert isinstance(mixture, DiagonalGMM)
    K, d = mixture.means_.shape
    counts, expected = columns.counts[:, own], columns.expected[:, own].astype(np.float64)
    said = np.sum(counts * expected - columns.counts_base[:, own], axis=1)
    shares_of, sums, squares, _ = np.split(expected, [K, K + K * d, K + 2 * K * d], axis=1)
    of_share, of_sum, of_square, of_log = np.split(counts, [K, K + K * d, K + 2 * K * d], axis=1)
    usual, usual_square = mixture.means_, mixture.means_**2 + mixture.variances_
    shape = len(rows), K, d
    of_sum, of_square = of_sum.reshape(shape), of_square.reshape(shape)
    held = shares_of[:, :, None]
    evidence = np.sum(of_sum * (sums.reshape(shape) - held * usual), axis=1)
    evidence += np.sum(of_square * (squares.reshape(shape) - held * usual_square), axis=1)
    of_share = of_share + np.sum(of_sum * usual + of_square * usual_square, axis=2)
    densities = -0.5 * (
        (rows[:, None, :] - mixture.means_) ** 2 / mixture.variances_ + np.log(mixture.variances_)
    )
    total = densities.sum(axis=2)
    prior = np.log(mixture.weights_)
    nodes, shares = np.polynomial.legendre.leggauss(_NODES)
    nodes, shares = 0.5 * (nodes + 1.0), 0.5 * shares
    slopes = np.zeros_like(total)
    for node, share in zip(nodes, shares, strict=True):
        logs = prior + node**_POWER * total
        logs = logs - logs.max(axis=1, keepdims=True)
        logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
        z, value = np.exp(logs), of_share + of_log * (logs + 1.0)
        pull = z * (value - np.sum(z * value, axis=1, keepdims=True))
        slopes += share * _POWER * node ** (_POWER - 1) * pull
    by_component = np.sum(slopes[:, :, None] * densities, axis=1)
    evidence += by_component
    return evidence, said - evidence.sum(axis=1)
