"""The UCI benchmark: its halves, its peers, and a run that is stopped and goes on."""

import json
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from benchmarks.uci import methods, partitions, peers, trial
from benchmarks.uci.datasets import Dataset
from benchmarks.uci.results import Results, table
from sfmcore.evaluation import evaluate


def make_dataset(classes="abc", per_class=9, name="wine"):
    random = np.random.default_rng(0)
    y = np.repeat(list(classes), per_class)
    X = random.normal(size=(len(y), 4))
    X[:, 0] += 3 * np.repeat(np.arange(len(classes)), per_class)
    X[:, 3] = np.arange(len(y)) % 3
    return Dataset(name, X, y, ("p", "q", "r", "s"), "made up", categorical=(3,))


class Recorder(BaseEstimator):
    """Stands for a classifier in `evaluate`; notes what it is given."""

    seen = ()
    unlabeled, delta = "auto", 0.05

    def __init__(self, random_state=None, n_jobs=None, verbose=0):
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _encode(self, X):
        return X

    def _learn(self, items, labels):
        self.pairs_ = []
        self.items = items

    def _decisions(self, items):
        self.seen.append((self.items.tolist(), items.tolist(), self.random_state))
        return np.zeros((len(items), 3)), np.full((len(items), 3), 1 / 3)


def test_halves_are_those_of_evaluate(monkeypatch):
    monkeypatch.setattr(Recorder, "seen", [])
    y = make_dataset().y
    evaluate(Recorder(), np.arange(len(y)), y, partitions=4, seed=7)
    ours = [partitions.half(y, partition, 7) for partition in range(4)]
    assert Recorder.seen == [(train.tolist(), test.tolist(), seed) for train, test, seed in ours]
    pairs = [(train.tolist(), test.tolist()) for train, test in partitions.halves(y, 4, 7)]
    assert pairs == [seen[:2] for seen in Recorder.seen]


@pytest.mark.parametrize(("positive", "folds"), [(1, 2), (2, 2), (3, 3), (9, 5), (16, 4)])
def test_folds_leave_each_class_in_each_fold(positive, folds):
    y = np.arange(20) < positive
    assert peers.inner_folds(y, 0).get_n_splits() == folds


@pytest.mark.parametrize("method", ["svm", "forest"])
def test_peers_learn_and_depend_on_the_seed_alone(monkeypatch, method):
    monkeypatch.setattr(peers, "FOREST", {"min_samples_leaf": [3, 1]})
    dataset = make_dataset("ab")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first, second = (trial.run(dataset, method, 0, 0) for _ in range(2))
    assert list(first["classes"]) == ["b"]
    assert first["accuracy"] == first["classes"]["b"] > 75
    assert first["chosen"]["b"]["inner"] > 0.75
    del first["seconds"], second["seconds"]
    assert first == second


def test_accuracy_is_the_mean_over_the_classes(monkeypatch):
    def never(X, y, X_test, seed, dataset):
        return np.zeros(len(X_test), dtype=bool), {}

    monkeypatch.setitem(methods.METHODS, "never", never)
    row = trial.run(make_dataset(per_class=8), "never", 0, 0)
    assert row["classes"] == {label: pytest.approx(200 / 3) for label in "abc"}
    assert row["accuracy"] == pytest.approx(200 / 3)
    assert row["chosen"] == {"a": {}, "b": {}, "c": {}}


def make_row(partition, accuracy, method="svm"):
    return {"set": "wine", "method": method, "partition": partition, "accuracy": accuracy}


def test_results_outlive_a_run_cut_short(tmp_path):
    path = tmp_path / "new" / "results.jsonl"
    results = Results(path, 3)
    results.add(make_row(0, 97.0))
    results.add(make_row(1, 99.0))
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    assert list(Results(path, None).rows) == [("wine", "svm", 0)]
    assert path.read_bytes() == whole[:-5], "reading alone changed the file"
    again = Results(path, 3)
    assert list(again.rows) == [("wine", "svm", 0)]
    again.add(make_row(1, 99.0))
    assert path.read_bytes() == whole
    header = json.loads(whole.splitlines()[0])
    assert header["seed"] == 3
    assert header["versions"]["numpy"] == np.__version__


def test_seeds_are_not_mixed(tmp_path):
    Results(tmp_path / "results.jsonl", 0)
    with pytest.raises(ValueError, match="holds results of seed 0, not 1"):
        Results(tmp_path / "results.jsonl", 1)


def test_the_table_says_where_partitions_are_missing():
    rows = [make_row(0, 97.0), make_row(1, 99.0), make_row(0, 98.0, "other")]
    lines = table(rows).splitlines()
    assert lines[0] == "| set | svm | other | paper's best |"
    assert "| wine | 98.00 ± 1.41 | 98.00 (of 1) | 97.73 |" in lines
    assert "| steel | - | - | 92.63 |" in lines
