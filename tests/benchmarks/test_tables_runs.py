"""The tables' harness: its halves, its tuning, and a run that is stopped and goes on."""

import json
import warnings
from itertools import product

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from benchmarks.tables import registry, running, trial, tuning
from benchmarks.tables.dataset import Dataset, Outcome, each_class
from benchmarks.tables.partitions import half
from benchmarks.tables.proteins.methods import sfm
from benchmarks.tables.results import Results
from benchmarks.tables.vectors import methods
from sfmbio.classifier import ProteinClassifier
from sfmcore.data.ragged import Ragged
from sfmcore.estimators.judged import Judged
from sfmcore.evaluation.folds import stratified_folds
from sfmcore.evaluation.halves import evaluate


def make_dataset(classes="abc", per_class=9, name="wine"):
    random = np.random.default_rng(0)
    y = np.repeat(list(classes), per_class)
    X = random.normal(size=(len(y), 4))
    X[:, 0] += 3 * np.repeat(np.arange(len(classes)), per_class)
    X[:, 3] = np.arange(len(y)) % 3
    return Dataset(name, X, y, "made up", ("p", "q", "r", "s"), categorical=(3,))


class Recorder(BaseEstimator):
    """Stands for a classifier in `evaluate`; notes what it is given."""

    seen = ()
    unlabeled, delta, label_sets_ = "auto", 0.05, None

    def __init__(self, random_state=None, n_jobs=None, verbose=0):
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def preparation(self):
        return self

    def check_parameters(self):
        pass

    def encode(self, X, estimator, *, reset=False):
        return X

    def learn(self, problem):
        self.pairs_ = []
        self.items = problem.items
        return self

    def judge(self, items):
        self.seen.append((self.items.tolist(), items.tolist(), self.random_state))
        return Judged(*np.zeros((3, len(items), 3)))


def test_halves_are_those_of_evaluate(monkeypatch):
    monkeypatch.setattr(Recorder, "seen", [])
    dataset = make_dataset()
    evaluate(Recorder(), np.arange(len(dataset.y)), dataset.y, partitions=4, seed=7)
    ours = [half(dataset, partition, 7) for partition in range(4)]
    assert Recorder.seen == [(h.train.tolist(), h.test.tolist(), h.seed) for h in ours]


def test_a_trial_of_ours_is_a_partition_of_evaluate(monkeypatch):
    random = np.random.default_rng(5)
    items = [random.choice(6, 40, p=p) for p in random.dirichlet(np.ones(6), 3) for _ in range(8)]
    dataset = Dataset("proteins", Ragged.from_items(items), np.repeat(list("abc"), 8), "made up")
    changed = {"n_states": 2, "n_pairs": 1, "em_max_iter": 20}
    monkeypatch.setitem(registry.TABLES["3"].methods, "small", sfm("best", **changed))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = ProteinClassifier.from_preset("best", **changed)
        whole = evaluate(model, dataset.X, dataset.y, partitions=2, seed=4)
    rows = [trial.run("3", dataset, "small", partition, 4) for partition in range(2)]
    assert [list(row["classes"].values()) for row in rows] == whole.accuracy.tolist()


@pytest.mark.parametrize("name", ["coupled", "uncoupled", "expected"])
def test_the_papers_columns_of_vectors_choose_nothing_but_c(monkeypatch, name):
    fitted = []

    def record(model, own, y):
        fitted.append(model.fit(own.X, y))
        return model.predict(own.X_test), {}

    monkeypatch.setattr(methods, "_fitted", record)
    methods.METHODS[name](half(make_dataset("ab", 20), 0, 0))
    (model,) = fitted
    candidates = model.cv_results_["params"]
    assert [params["C"] for params in candidates] == [8.0, 64.0, 512.0]
    for params in candidates:
        assert params["n_landmarks"] == 0
        assert params["n_components"] == 4
        assert not params["conditioning"]


@pytest.mark.parametrize(("positive", "folds"), [(1, 2), (2, 2), (3, 3), (9, 5), (16, 4)])
def test_folds_leave_each_class_in_each_fold(positive, folds):
    y = np.arange(20) < positive
    assert tuning.inner_folds(y, 0).get_n_splits() == folds


def test_kernel_machines_choose_as_a_search_over_all_kernels():
    own = half(make_dataset("ab", 20), 0, 0)
    kernels = tuning.gaussian_kernels(own.X, own.X_test, [0.1, 1.0])
    unit = np.median(tuning.squared_distances(own.X, own.X))
    outcome = tuning.kernel_machines(kernels, own.y, [0.1, 1.0, 10.0], 3)
    truth = own.y == "b"
    folds = stratified_folds(truth.astype(int), 3, 3)
    best = (-1.0, 0.0, 0.0)
    for gamma, C in product([0.1, 1.0], [0.1, 1.0, 10.0]):
        machine = SVC(C=C, gamma=gamma / unit)
        found = [machine.fit(own.X[a], truth[a]).predict(own.X[b]) == truth[b] for a, b in folds]
        best = max(best, (np.mean(np.concatenate(found)), -gamma, -C))
    accuracy, gamma, C = best[0], -best[1], -best[2]
    expected = {"kernel": f"gamma {gamma:g}", "C": C, "inner": pytest.approx(accuracy)}
    assert outcome.chosen == {"b": expected}
    machine = SVC(C=C, gamma=gamma / unit).fit(own.X, truth)
    assert np.array_equal(outcome.decisions[:, 0], machine.predict(own.X_test))


def test_gaussian_kernels_are_those_of_scikit_learn():
    random = np.random.default_rng(1)
    A, B = random.normal(size=(7, 3)), random.normal(size=(4, 3))
    ((name, (own, other)),) = tuning.gaussian_kernels(A, B, [0.5]).items()
    gamma = 0.5 / np.median(tuning.squared_distances(A, A))
    assert name == "gamma 0.5"
    np.testing.assert_allclose(own, rbf_kernel(A, gamma=gamma), rtol=1e-12)
    np.testing.assert_allclose(other, rbf_kernel(B, A, gamma=gamma), rtol=1e-12)


FAST = [
    name
    for name in registry.TABLES["1"].methods
    if name not in ("sfm", "coupled", "uncoupled", "expected")
]


@pytest.mark.slow
@pytest.mark.parametrize("method", FAST)
def test_peers_learn_and_depend_on_the_seed_alone(method):
    dataset = make_dataset("ab")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first, second = (trial.run("1", dataset, method, 0, 0) for _ in range(2))
    assert list(first["classes"]) == ["b"]
    assert first["accuracy"] == first["classes"]["b"] > 75
    del first["seconds"], second["seconds"]
    assert first == second


def test_accuracy_is_the_mean_over_the_classes(monkeypatch):
    def never(own, y):
        return np.zeros(len(own.test), dtype=bool), {"from": int(y.sum())}

    monkeypatch.setitem(registry.TABLES["1"].methods, "never", each_class(never))
    row = trial.run("1", make_dataset(per_class=8), "never", 0, 0)
    assert row["classes"] == {label: pytest.approx(200 / 3) for label in "abc"}
    assert row["accuracy"] == pytest.approx(200 / 3)
    assert row["chosen"] == {label: {"from": 4} for label in "abc"}


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


def rows_of(path):
    rows = [json.loads(line) for line in path.read_text().splitlines()[1:]]
    for row in rows:
        del row["seconds"]
    return sorted(rows, key=lambda row: (row["method"], row["partition"]))


@pytest.mark.slow
def test_a_dask_cluster_gives_the_same_numbers(tmp_path):
    pytest.importorskip("dask.distributed", reason="dask.distributed is not installed")
    dataset = make_dataset("ab")
    trials = [("1", dataset, method, p, 0) for method in ("map", "svm") for p in range(2)]
    for scheduler in (None, "local"):
        results = Results(tmp_path / f"{scheduler}.jsonl", 0)
        with running.backend(scheduler):
            running.run_all(trial.run, trials, results, 2)
    assert rows_of(tmp_path / "local.jsonl") == rows_of(tmp_path / "None.jsonl")
    assert len(rows_of(tmp_path / "local.jsonl")) == 4


def test_outcomes_have_nothing_chosen_unless_said():
    assert Outcome(np.zeros((2, 1), dtype=bool)).chosen == {}
