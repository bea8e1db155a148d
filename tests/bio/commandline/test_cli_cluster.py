"""``--scheduler``: the result of one machine, also if a worker dies on the way."""

import os
import signal
import threading
import time

import pytest

distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")


@pytest.fixture(scope="module")
def workers():
    with distributed.LocalCluster(
        n_workers=3, threads_per_worker=1, dashboard_address=None, silence_logs=90
    ) as made:
        yield made


@pytest.fixture
def killing(workers):
    """Kill a worker once the data are there and a task is done; gets a 1 when that is so."""
    ends, killed = threading.Event(), []

    def watch():
        with distributed.Client(workers.scheduler_address, set_as_default=False) as client:
            begin = _done(client)
            while not ends.is_set():
                if _done(client) >= begin + 2:
                    pids = client.run(os.getpid)
                    os.kill(next(iter(pids.values())), signal.SIGKILL)
                    killed.append(1)
                    return
                time.sleep(0.01)

    thread = threading.Thread(target=watch)
    thread.start()
    yield killed
    ends.set()
    thread.join(60)


def _done(client):
    """Results that wait at the workers, and the data that were sent to them."""

    def count(dask_scheduler):
        return sum(task.state == "memory" for task in dask_scheduler.tasks.values())

    return client.run_on_scheduler(count)


@pytest.mark.slow
def test_train_predict_and_evaluate(run, workers, peptides, small, tmp_path, model):
    there = "--scheduler", workers.scheduler_address
    outcome = run("train", peptides, "-o", tmp_path / "there.sfm", *small, *there)
    assert outcome.code == 0
    assert (tmp_path / "there.sfm").read_bytes() == model.read_bytes()
    tables = [run("predict", model, peptides, *more) for more in ((), there)]
    assert tables[0].out == tables[1].out
    assert tables[0].err == tables[1].err
    tests = [run("test", model, peptides, *more) for more in ((), there)]
    assert tests[0].out == tests[1].out != ""
    assert tests[0].err == tests[1].err
    reports = []
    for more in ((), there):
        path = tmp_path / f"report{len(reports)}.json"
        command = ["evaluate", peptides, *small, "--partitions", 3, "--json", path, *more]
        assert run(*command).code == 0
        reports.append(path.read_text())
    assert reports[0] == reports[1]
    reports = [
        run("evaluate", peptides, *small, "--folds", 2, "--json", "-", *more).out
        for more in ((), there)
    ]
    assert reports[0] == reports[1] != ""


@pytest.mark.slow
def test_a_worker_killed_in_the_middle_changes_nothing(run, workers, peptides, tmp_path, killing):
    many = ["--states", "4", "--set", "n_pairs=6", "--set", "n_landmarks=100"]
    command = ["train", peptides, *many, "--quiet"]
    there = ["--scheduler", workers.scheduler_address, "--checkpoint", tmp_path / "kept"]
    assert run(*command, "-o", tmp_path / "there.sfm", *there).code == 0
    assert killing == [1]
    assert run(*command, "-o", tmp_path / "here.sfm").code == 0
    assert (tmp_path / "here.sfm").read_bytes() == (tmp_path / "there.sfm").read_bytes()


@pytest.mark.slow
def test_a_scheduler_that_does_not_answer_is_a_sentence(start, peptides, tmp_path):
    begin = time.monotonic()
    process = start("train", peptides, "-o", tmp_path / "m", "--scheduler", "tcp://127.0.0.1:1")
    out, err = process.communicate()
    assert (process.returncode, out) == (2, b"")
    assert err.decode().startswith("sfmbio: no Dask scheduler answers at 'tcp://127.0.0.1:1': ")
    assert err.count(b"\n") == 1
    assert time.monotonic() - begin < 30


def test_an_empty_address_is_a_sentence(run, model, peptides):
    outcome = run("predict", model, peptides, "--scheduler", "")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.messages[0].startswith("no Dask scheduler answers at ''")
