"""Tasks on a Dask cluster of processes: the results of one machine, whoever dies."""

import os
import socket
import sys
import threading
import time
import types

import cloudpickle
import joblib
import numpy as np
import pytest

from sfmcore import SFMClassifier
from sfmcore.data.errors import UserError
from sfmcore.evaluation.halves import evaluate
from sfmcore.parallel import cluster as module
from sfmcore.parallel.cluster import cluster
from sfmcore.parallel.parcel import wrapped
from sfmcore.parallel.plan import plan_in_force, running
from sfmcore.parallel.tasks import run_tasks, stream_tasks

distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")

# Workers need not find the tests.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


@pytest.fixture(scope="module")
def workers():
    """Three processes, each with a supervisor that starts it again."""
    with distributed.LocalCluster(
        n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=90
    ) as made:
        yield made


@pytest.fixture
def on_cluster(workers):
    with cluster(workers.scheduler_address) as made:
        yield made


def add(task, n_threads, numbers):
    return task + float(numbers.sum())


TASKS = {f"task {number}": number for number in range(8)}
NUMBERS = np.arange(100.0)


@pytest.mark.slow
def test_results_come_in_the_order_of_the_tasks(on_cluster):
    with running(runner=on_cluster):
        assert run_tasks(add, TASKS, {"numbers": NUMBERS}, 1) == [4950.0 + k for k in range(8)]
        shared = {"numbers": NUMBERS}
        assert list(stream_tasks(add, iter(range(50)), shared, 1)) == [
            4950.0 + k for k in range(50)
        ]
        assert run_tasks(add, {}, shared, 1) == []


def dies_once(task, n_threads, marker):
    time.sleep(0.05)
    if task == 2 and not os.path.exists(marker):
        with open(marker, "w"):
            pass
        os._exit(9)
    return task, os.getpid()


@pytest.mark.slow
def test_a_worker_that_dies_loses_its_task_and_nothing_else(on_cluster, tmp_path):
    with running(runner=on_cluster):
        found = run_tasks(dies_once, TASKS, {"marker": str(tmp_path / "run")}, 1)
        assert [task for task, _ in found] == list(range(8))
        found = list(stream_tasks(dies_once, range(8), {"marker": str(tmp_path / "stream")}, 1))
        assert [task for task, _ in found] == list(range(8))
    assert len(os.listdir(tmp_path)) == 2


@pytest.mark.slow
def test_data_that_die_with_the_only_worker_are_sent_again(tmp_path):
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address=None, silence_logs=90
        ) as alone,
        cluster(alone.scheduler_address) as one,
        running(runner=one),
    ):
        found = run_tasks(dies_once, TASKS, {"marker": str(tmp_path / "run")}, 1)
        assert [task for task, _ in found] == list(range(8))
        found = list(stream_tasks(dies_once, range(8), {"marker": str(tmp_path / "stream")}, 1))
        assert [task for task, _ in found] == list(range(8))


def always_dies(task, n_threads):
    os._exit(9)


@pytest.mark.slow
def test_a_task_that_kills_every_worker_is_given_up(on_cluster):
    with running(runner=on_cluster), pytest.raises(UserError, match="a task was given up because"):
        run_tasks(always_dies, {"task": 1}, {}, 1)


def refuses(task, n_threads):
    raise ValueError("item 3 can't be learnt from")


@pytest.mark.slow
def test_what_a_task_raises_is_raised_here(on_cluster):
    with running(runner=on_cluster):
        with pytest.raises(ValueError, match=r"^item 3 can't be learnt from$"):
            run_tasks(refuses, {"task": 1}, {}, 1)
        with pytest.raises(ValueError, match=r"^item 3 can't be learnt from$"):
            list(stream_tasks(refuses, [1], {}, 1))


@pytest.mark.slow
@pytest.mark.parametrize("where", ["task", "shared"])
def test_a_class_that_workers_do_not_know_is_named(on_cluster, monkeypatch, where):
    mine = types.ModuleType("my_models")
    mine.Model = type("Model", (), {"__module__": "my_models"})
    monkeypatch.setitem(sys.modules, "my_models", mine)
    task, shared = (mine.Model(), NUMBERS) if where == "task" else (1, mine.Model())
    with (
        running(runner=on_cluster),
        pytest.raises(
            UserError, match=r"can't read what it was sent .*No module named 'my_models'"
        ),
    ):
        run_tasks(add, {"task": task}, {"numbers": shared}, 1)


def asks(task, n_threads):
    return plan_in_force().runner, plan_in_force().inside, n_threads


@pytest.mark.slow
def test_within_a_task_everything_is_in_its_worker(on_cluster):
    with running(runner=on_cluster):
        assert run_tasks(asks, {"task": 1}, {}, 9) == [(None, True, 1)]


@pytest.mark.slow
def test_shared_data_are_sent_once(on_cluster, monkeypatch):
    sent, scatter = [], on_cluster.client.scatter

    def counted(values, **options):
        sent.extend(values)
        return scatter(values, **options)

    monkeypatch.setattr(on_cluster.client, "scatter", counted)
    with running(runner=on_cluster):
        for _ in range(2):
            run_tasks(add, TASKS, {"numbers": NUMBERS}, 1)
    assert len(sent) == 1
    assert sent[0].value is NUMBERS


def items():
    random = np.random.default_rng(0)
    X = np.concatenate([random.normal(shift, 1.0, (30, 3)) for shift in (0.0, 1.0, 2.0)])
    return X, np.repeat(["a", "b", "c"], 30)


def classifier():
    return SFMClassifier(n_components=2, n_pairs=2, n_init=1, n_landmarks=20, random_state=0)


def fitted_bits(model, X):
    parts = [model.decision_function(X), *(pair.u for pair in model.pairs_)]
    return b"".join(part.tobytes() for part in parts)


@pytest.mark.slow
@pytest.mark.parametrize("by", ["runner", "joblib"])
def test_an_estimator_learns_the_bits_of_one_machine(on_cluster, by):
    X, y = items()
    here = fitted_bits(classifier().fit(X, y), X)
    if by == "runner":
        with running(runner=on_cluster):
            there = classifier().fit(X, y)
    else:
        with distributed.Client(on_cluster.client.scheduler.address) as client:
            client.register_plugin(_Counts())
            with joblib.parallel_config("dask"):
                there = classifier().fit(X, y)
            done = client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.sfm_tasks)
        assert done >= 6  # three classes, two pairs each
    assert fitted_bits(there, X) == here


class _Counts(distributed.SchedulerPlugin):
    """Counts the tasks of this package that a scheduler has seen done."""

    name = "sfm-counts"

    def start(self, scheduler):
        self.scheduler = scheduler
        scheduler.sfm_tasks = 0

    def transition(self, key, start, finish, *args, **more):
        if finish == "memory" and str(key).startswith("_called"):
            self.scheduler.sfm_tasks += 1


@pytest.mark.slow
def test_an_evaluation_gives_the_numbers_of_one_machine(on_cluster):
    X, y = items()
    here = evaluate(classifier(), X, y, partitions=3).to_dict()
    with running(runner=on_cluster):
        assert evaluate(classifier(), X, y, partitions=3).to_dict() == here


@pytest.fixture
def strange():
    """A cluster whose workers a test may spoil, and a client of it."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=90
        ) as made,
        distributed.Client(made.scheduler_address, set_as_default=False) as client,
    ):
        yield made, client


@pytest.mark.slow
def test_workers_of_another_version_are_named(strange):
    made, client = strange
    names = sorted(client.scheduler_info()["workers"])

    def pretend(version):
        import sfmcore.version

        sfmcore.version.__version__ = version

    client.run(pretend, "9.9", workers=[names[1]])
    with (
        pytest.raises(UserError, match=rf"{names[1]} has version 9\.9 of sfm-pacbayes"),
        cluster(made.scheduler_address),
    ):
        pass


@pytest.mark.slow
def test_workers_without_this_package_are_named(strange):
    made, client = strange

    def hide():
        import sys

        sys.modules["sfmcore.version"] = None

    client.run(hide)
    with (
        pytest.raises(UserError, match=r"no sfm-pacbayes .and 1 more of another.*, and"),
        cluster(made.scheduler_address),
    ):
        pass


def test_a_worker_that_came_later_is_asked_too():
    with pytest.raises(UserError, match=r"a worker has version .* and its client 9\.9: install"):
        module._called(wrapped((add, 1)), 1, "9.9", numbers=NUMBERS)


@pytest.mark.slow
def test_a_cluster_without_workers_says_so(monkeypatch):
    monkeypatch.setattr(module, "_WORKER_SECONDS", 0.5)
    said = []
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=None, silence_logs=90) as empty,
        pytest.raises(UserError, match="has had no worker for"),
        cluster(empty.scheduler_address, said.append),
    ):
        pass
    assert said == ["the scheduler has no worker yet: waiting for one"]


@pytest.mark.parametrize("address", ["", "nonsense", "tcp://", "tcp://127.0.0.1:0", "ftp://x:1"])
def test_an_address_that_is_none_is_refused(address, monkeypatch):
    monkeypatch.setattr(module, "_ANSWER_SECONDS", 0.5)
    with pytest.raises(UserError, match="no Dask scheduler answers at"), cluster(address):
        pass


def test_a_stranger_or_silence_is_refused_soon(monkeypatch):
    monkeypatch.setattr(module, "_ANSWER_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def answer():
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 9)
                time.sleep(0.5)

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        for _ in range(2):  # the second time nobody accepts
            begin = time.monotonic()
            with (
                pytest.raises(UserError, match="no Dask scheduler answers"),
                cluster(f"tcp://127.0.0.1:{port}"),
            ):
                pass
            assert time.monotonic() - begin < 30
        thread.join(60)


def test_dask_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UserError, match=r"pip install 'sfm-pacbayes\[cluster\]'"), cluster("x"):
        pass
