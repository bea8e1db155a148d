"""Support vector machines with fixed settings, each class against the rest."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from sklearn.svm import SVC, LinearSVC

from benchmarks.tables.answers import answers
from benchmarks.tables.dataset import Dataset, Half, Method, Outcome
from benchmarks.tables.kept import Arrays, kept
from benchmarks.tables.peers.mismatch import mismatch_kernel
from benchmarks.tables.peers.words import spaced_pairs, unit_rows, word_counts
from benchmarks.tables.searching.smith_waterman import alignment_scores
from benchmarks.tables.timing import timed
from benchmarks.tables.tuning import squared_distances

Floats = npt.NDArray[np.float64]
Kernels = tuple[Floats, Floats]
C = 10.0
GAMMA = 1.0
"""Of rows of unit length, whose squared distances are at most 4."""


def kernel_machine(
    kernels: Callable[[Half], Kernels], *, weighted: bool = False, shared: bool = False
) -> Method:
    """SVM on a kernel of the training items with themselves, and of the others with them.

    Parameters
    ----------
    kernels : callable
    weighted : bool, default=False
        Whether both sides of a problem weigh the same, however many items they have.
    shared : bool, default=False
        Whether the kernel is taken from what is kept of all items: most of the work is not done
        here, so nothing is said of what learning takes.
    """

    def method(half: Half) -> Outcome:
        with timed() as training:
            K, K_test = kernels(half)
            classes = np.unique(half.y)
            targets = classes[1:] if len(classes) == 2 else classes
            columns = []
            for target in targets:
                machine = SVC(
                    C=C,
                    kernel="precomputed",
                    class_weight="balanced" if weighted else None,
                    cache_size=500,
                ).fit(K, half.y == target)
                columns.append(machine.decision_function(K_test))
        scores = np.column_stack(columns)
        if len(classes) == 2:
            scores = np.column_stack([-scores, scores])
        return answers(half, scores, classes, training=None if shared else training)

    return method


def gaussian_pairs(half: Half) -> Kernels:
    """Gaussian kernel of residue pairs one, two and three apart, roots of their shares."""
    return _gaussian(spaced_pairs(half.X).toarray(), spaced_pairs(half.X_test).toarray())


def alignment_rows(half: Half) -> Kernels:
    """Gaussian kernel of rows of alignment scores with the training items (SVM-pairwise).

    L. Liao, W. S. Noble, J. Comput. Biol. 10, 2003; here scores are freed of the lengths, and
    those below 0 count as 0.
    """
    scores = np.maximum(alignment_scores(half.dataset), 0.0)
    rows = scores[:, half.train]
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-30)
    return _gaussian(rows[half.train], rows[half.test])


def mismatches(half: Half) -> Kernels:
    """(5, 1)-mismatch kernel, every item of unit length."""
    K = _mismatches(half.dataset)
    lengths = np.sqrt(np.maximum(np.diag(K), 1.0))
    own, other = K[np.ix_(half.train, half.train)], K[np.ix_(half.test, half.train)]
    return (
        own / np.outer(lengths[half.train], lengths[half.train]),
        other / np.outer(lengths[half.test], lengths[half.train]),
    )


def trigrams(half: Half) -> Kernels:
    """Spectrum kernel of 3-mers (Leslie, Eskin and Noble, 2002), every item of unit length."""
    A, B = (unit_rows(word_counts(items, (0, 1, 2))) for items in (half.X, half.X_test))
    return _linear(A, B)


def gappy_pairs(half: Half) -> Kernels:
    """Counts of residue pairs one to ten apart, by distance; rows of unit length.

    Distances of residues as features: T. Lingner, P. Meinicke, Bioinformatics 22, 2006.
    """
    K = _gappy_pairs(half.dataset).astype(np.float64)
    return K[np.ix_(half.train, half.train)], K[np.ix_(half.test, half.train)]


def linear_trigrams(half: Half) -> Outcome:
    """Linear SVM (C = 1) on counts of 3-mers, rows of unit length."""
    with timed() as training:
        rows = unit_rows(word_counts(half.X, (0, 1, 2)))
        machine = LinearSVC(C=1.0, random_state=half.seed % 2**31).fit(_narrow(rows), half.y)
    scores = machine.decision_function(_narrow(unit_rows(word_counts(half.X_test, (0, 1, 2)))))
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    return answers(half, scores, machine.classes_, training=training)


# Kernels of all items: a part takes its rows and columns of them.
def _mismatches(dataset: Dataset) -> npt.NDArray[np.float32]:
    items = dataset.X
    return kept("mismatch", (items,), lambda: {"kernel": mismatch_kernel(items)})["kernel"]


def _gappy_pairs(dataset: Dataset) -> npt.NDArray[np.float32]:
    items = dataset.X

    def make() -> Arrays:
        rows = spaced_pairs(items, range(1, 11)).toarray()
        return {"kernel": rows @ rows.T}

    return kept("gappy-pairs", (items,), make)["kernel"]


def _linear(A: csr_array, B: csr_array) -> Kernels:
    return (A @ A.T).toarray().astype(np.float64), (B @ A.T).toarray().astype(np.float64)


def _gaussian(A: npt.NDArray[Any], B: npt.NDArray[Any]) -> Kernels:
    return (
        np.exp(-GAMMA * squared_distances(A, A)).astype(np.float64),
        np.exp(-GAMMA * squared_distances(B, A)).astype(np.float64),
    )


def _narrow(rows: csr_array) -> csr_array:
    """LIBLINEAR takes 32-bit indexes only."""
    rows.indices, rows.indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
    return rows
