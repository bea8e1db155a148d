"""Rows that come a few at a time, and rows of topics that are kept sparse."""

import numpy as np
import pytest
from scipy.sparse import issparse

from sfmcore.data.ragged import Ragged
from sfmcore.data.rows import RowStore, chosen
from sfmcore.learning.algorithm import solve
from sfmcore.learning.prepare import prepare
from sfmcore.learning.settings import Settings
from sfmcore.learning.task import Task
from sfmcore.models.lda import LatentDirichletAllocation


def make_documents(n_items=40, n_words=30, seed=0):
    """Documents of two classes that differ in their words, and the signs."""
    random = np.random.default_rng(seed)
    signs = np.where(np.arange(n_items) % 2, 1, -1).astype(np.int8)
    starts = np.where(signs > 0, 0, n_words // 3)
    items = [
        (start + random.integers(0, 2 * n_words // 3, random.integers(5, 40))) for start in starts
    ]
    return Ragged.from_items([item.tolist() for item in items]), signs


@pytest.mark.parametrize("sparse", [False, True])
def test_a_store_gives_back_what_it_took(sparse):
    random = np.random.default_rng(0)
    given = random.normal(size=(7, 5)).astype(np.float32) * random.integers(0, 2, (7, 5))
    given = given.astype(np.float32)
    store = RowStore(7, 5, sparse=sparse)
    for part in (given[:3], given[3:4], given[4:]):
        store.add(part)
    rows = store.rows()
    assert issparse(rows) == sparse
    assert np.array_equal(rows.toarray() if sparse else rows, given)
    mask = np.arange(7) % 2 == 0
    kept = chosen(rows, mask)
    assert np.array_equal(kept.toarray() if sparse else kept, given[mask])
    assert chosen(rows, np.ones(7, dtype=bool)) is rows


def test_a_store_with_rows_missing_is_refused():
    store = RowStore(3, 2, sparse=True)
    store.add(np.ones((2, 2), dtype=np.float32))
    with pytest.raises(ValueError, match="2 of 3 rows"):
        store.rows()
    assert RowStore(0, 2, sparse=True).rows().shape == (0, 2)


@pytest.mark.parametrize("coupling", [0.0, 1.0])
def test_drawn_topics_are_kept_sparse_and_learn_what_dense_rows_do(coupling, monkeypatch):
    data, signs = make_documents()
    model = LatentDirichletAllocation(6, 30, n_sweeps=20)
    options = Settings(
        n_draws=3, conditioning=False, coupling=coupling, C=50.0, max_iter=2, max_proposals=5
    )

    def learnt():
        prepared = prepare(Task.of(data, signs), model, options)
        return prepared.rows, solve(prepared)

    rows, pair = learnt()
    assert issparse(rows)
    assert rows.nnz < 0.4 * rows.shape[0] * rows.shape[1]
    monkeypatch.setattr(LatentDirichletAllocation, "draws_are_sparse", False)
    dense_rows, dense_pair = learnt()
    assert np.array_equal(rows.toarray(), dense_rows)
    np.testing.assert_allclose(pair.objective, dense_pair.objective, rtol=1e-3)
    np.testing.assert_allclose(pair.u, dense_pair.u, rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("changed", [{"conditioning": True}, {"n_draws": "exact", "coupling": 0.0}])
def test_rows_without_zeros_stay_dense(changed):
    data, signs = make_documents()
    options = {"n_draws": 3, "conditioning": False, "coupling": 0.0, "max_iter": 1, **changed}
    model = LatentDirichletAllocation(6, 30, n_sweeps=5)
    prepared = prepare(Task.of(data, signs), model, Settings(**options))
    assert isinstance(prepared.rows, np.ndarray)
