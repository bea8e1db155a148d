"""The benchmark of sets of labels, on probabilities that are known to be right or wrong."""

import numpy as np

from benchmarks.calibration.splits import covered, row


def drawn(n_items: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities of three classes, and true classes drawn with them."""
    random = np.random.default_rng(seed)
    shares = random.dirichlet([0.6, 0.6, 0.6], n_items)
    truth = (random.random(n_items)[:, None] > np.cumsum(shares, axis=1)).sum(axis=1)
    return shares, np.minimum(truth, 2)


def test_sets_of_exchangeable_items_keep_what_they_promise():
    found = covered(*drawn(1200), 0.9, 100, 0)
    assert 0.89 < found.overall.mean() < 0.94
    assert found.low.mean() <= 0.05
    assert 1.0 < found.size < 3.0
    assert row("drawn", 0.9, found).startswith("| drawn | 90 % | 9")


def test_coverage_that_is_promised_and_not_kept_is_seen(monkeypatch):
    from sfmcore.learning.label_sets import LabelSets

    honest = LabelSets.sets
    monkeypatch.setattr(LabelSets, "sets", lambda own, shares, c: honest(own, shares, c - 0.1))
    found = covered(*drawn(1200), 0.9, 100, 0)
    assert found.low.mean() > 0.2


def test_classes_of_few_items_are_left_out():
    shares, truth = drawn(300)
    truth[truth == 2] = 0
    truth[:10] = 2
    found = covered(shares, truth, 0.9, 5, 0)
    assert np.isnan(found.by_class[:, 2]).all()
    assert not found.low[:, 2].any()
