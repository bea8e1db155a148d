"""Paths through the rows of a map: margins, mean slopes, and what is left of the sum."""

import numpy as np
import pytest

from sfmcore.data.similarities import Similarities
from sfmcore.data.with_vectors import WithVectors
from sfmcore.explaining.path import KernelPath, LinearPath
from sfmcore.features.nystroem import NystroemMap

RANDOM = np.random.default_rng(0)
NODES, SHARES = np.polynomial.legendre.leggauss(12)
NODES, SHARES = 0.5 * (NODES + 1), 0.5 * SHARES


def unit(n_rows, n_columns):
    rows = RANDOM.normal(size=(n_rows, n_columns))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def similar(n_rows, n_references=6):
    values = RANDOM.gamma(1.0, 10.0, size=(n_rows, n_references))
    values[RANDOM.random(values.shape) < 0.6] = 0.0
    return Similarities.of(values.astype(np.float32), 0.7)


def total(path, rows, data, worth_of):
    """Evidence of all columns, and of the relatives, of a score that is linear in the margins."""
    margins = path.enter(rows, data, 1)
    path.margins(NODES)
    worth = [np.outer(SHARES, np.full(len(rows), w)) for w in worth_of]
    slopes, base = path.slopes(worth)
    evidence = np.sum(slopes * rows - base, axis=1)
    if path.relatives is not None:
        entries = data.similarities.items
        evidence += np.bincount(entries, path.relatives, minlength=len(rows))
    return sum(w * own for w, own in zip(worth_of, margins, strict=True)), evidence


def test_a_linear_path_gives_the_score_itself():
    rows, weights = unit(5, 7), [RANDOM.normal(size=7) * 9 for _ in range(2)]
    score, evidence = total(LinearPath(weights), rows, np.zeros(5), [1.0, -1.0])
    np.testing.assert_allclose(evidence, score, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("rank", [0, 6])
@pytest.mark.parametrize("relatives", [False, True])
def test_a_kernel_path_gives_the_difference_from_its_beginning(rank, relatives):
    rows, trained = unit(8, 12), unit(30, 12)
    kernel = NystroemMap.of(
        trained,
        n_landmarks=20,
        gamma=0.7,
        seed=0,
        rank=rank,
        similarities=similar(30) if relatives else None,
    )
    data = WithVectors(np.zeros(8), np.zeros((8, 0), np.float32), similar(8) if relatives else None)
    weights = [kernel.dual(RANDOM.normal(size=21) * 5) for _ in range(2)]
    path = KernelPath(kernel, weights)
    score, evidence = total(path, rows, data, [1.0, -0.5])
    start, end = ([m[0] for m in path.margins(np.array([node]))] for node in (0.0, 1.0))
    np.testing.assert_allclose(end[0] - 0.5 * end[1], score, atol=2e-4)
    begun = start[0] - 0.5 * start[1]
    np.testing.assert_allclose(begun, begun[0], atol=1e-6)  # the same for all rows
    np.testing.assert_allclose(evidence, score - begun, atol=2e-4)


def test_slopes_of_a_kernel_are_those_of_finite_differences():
    trained = unit(20, 9)
    kernel = NystroemMap.of(trained, n_landmarks=15, gamma=0.7, seed=0)
    weights = [kernel.dual(RANDOM.normal(size=16))]
    path, rows = KernelPath(kernel, weights), unit(3, 9)
    path.enter(rows, np.zeros(3), 1)
    path.margins(np.array([1.0]))
    slopes, _ = path.slopes([np.ones((1, 3))])

    def margin(changed):
        along = 2 * 0.7 * (changed.astype(np.float64) @ kernel.landmarks.T - 1)
        return np.exp(along) @ weights[0][:-1]

    for k in range(9):
        step = np.zeros((3, 9))
        step[:, k] = 1e-5
        moved = (margin(rows + step) - margin(rows - step)) / 2e-5
        np.testing.assert_allclose(slopes[:, k], moved, rtol=2e-3, atol=2e-3)
