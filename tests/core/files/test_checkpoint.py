"""Checkpoints: what is kept, whose it is, and what happens to damaged, foreign and full folders."""

import json
import os
import resource
import signal

import numpy as np
import pytest

from sfmcore.data.errors import UserError
from sfmcore.files.checkpoint import check_folder, checkpoint
from sfmcore.parallel.plan import running
from sfmcore.parallel.tasks import kept, run_tasks

SETTINGS = {"n_states": 3, "labels": ("a", "b")}


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "kept"


@pytest.fixture
def opened(folder):
    """Open the folder; with what its results are of, and a list that gets the complaints."""

    def call(settings=SETTINGS, data=(1, 2), said=None):
        return checkpoint(folder, settings, data, [].append if said is None else said.append)

    return call


CALLS = []


def double(task, n_threads, offset):
    CALLS.append(task)
    return np.array([2.0 * task + offset])


@pytest.fixture
def learnt(opened):
    """Run six tasks under the checkpoint; their results, and which of them were run."""

    def call(**options):
        CALLS.clear()
        tasks = {f"task {number}": number for number in range(6)}
        with opened(**options) as store, running(store=store):
            results = run_tasks(double, tasks, {"offset": 1}, n_threads=1)
        return [float(result[0]) for result in results], list(CALLS)

    return call


RESULTS = [1.0, 3.0, 5.0, 7.0, 9.0, 11.0]


def test_what_is_finished_is_not_done_again(learnt):
    assert learnt() == (RESULTS, [0, 1, 2, 3, 4, 5])
    assert learnt() == (RESULTS, [])


def test_only_what_is_missing_is_done(learnt, folder):
    learnt()
    (folder / "results" / "task-3").unlink()
    assert learnt() == (RESULTS, [3])


@pytest.mark.parametrize("kind", ["short", "empty", "flipped", "other", "foreign"])
def test_a_damaged_result_is_named_and_made_again(learnt, folder, kind):
    learnt()
    path = folder / "results" / "task-2"
    data = bytearray(path.read_bytes())
    if kind == "short":
        data = data[:-7]
    elif kind == "empty":
        data = b""
    elif kind == "flipped":
        data[len(data) // 2] ^= 1
    elif kind == "other":
        data = (folder / "results" / "task-1").read_bytes()
    else:
        data = b"not a result"
    path.write_bytes(data)
    said = []
    assert learnt(said=said) == (RESULTS, [2])
    (message,) = said
    assert message.startswith(f"warning: {path} ")
    assert message.endswith("; its task will be repeated")
    assert learnt() == (RESULTS, [])


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"data": (1, 3)}, "was started with other data"),
        ({"settings": {**SETTINGS, "n_states": 4}}, "with n_states = 3, which is now 4"),
        ({"settings": {"n_states": 3}}, r"with labels = \('a', 'b'\), which is now unset"),
    ],
)
def test_a_folder_of_something_else_is_refused_and_stays(learnt, folder, options, why):
    learnt()
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with pytest.raises(UserError, match=f"{why}.*: give another folder"):
        learnt(**options)
    assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_folder_of_other_packages_is_refused(learnt, folder):
    learnt()
    path = folder / "checkpoint.json"
    about = json.loads(path.read_text())
    about["packages"]["numpy"] = "0.9"
    path.write_text(json.dumps(about))
    with pytest.raises(UserError, match=r"was started with numpy = 0\.9, which is now "):
        learnt()


def test_a_damaged_manifest_is_written_again_and_results_of_the_run_are_taken(learnt, folder):
    learnt()
    (folder / "checkpoint.json").write_text('{"format": "sfm')
    said = []
    assert learnt(said=said) == (RESULTS, [])
    assert "checkpoint.json is damaged" in said[0]
    # With other data none of them is.
    (folder / "checkpoint.json").write_text("[]")
    said.clear()
    assert learnt(data=(7, 8), said=said) == (RESULTS, [0, 1, 2, 3, 4, 5])
    assert len(said) == 7


def test_a_folder_of_other_files_is_refused(learnt, folder):
    folder.mkdir()
    (folder / "thesis.tex").write_text("x")
    with pytest.raises(UserError, match=r"not a checkpoint, and contains 'thesis.tex'"):
        learnt()


def test_a_folder_in_use_is_refused(opened):
    with opened(), pytest.raises(UserError, match="another run is using it"), opened():
        pass
    with opened():
        pass


def test_a_second_fit_does_not_get_the_results_of_the_first(opened):
    with opened() as store, running(store=store):
        run_tasks(double, {"task 1": 1}, {"offset": 0}, 1)
        with pytest.raises(ValueError, match="a second fit needs another folder"):
            run_tasks(double, {"task 1": 2}, {"offset": 0}, 1)


def nested(task, n_threads, fail):
    parts = run_tasks(
        double, {f"part {number}": number for number in range(2)}, {"offset": task}, 1
    )
    if task == fail:
        raise ValueError("stop")
    return sum(float(part[0]) for part in parts)


def test_parts_of_a_task_are_kept_until_it_is_finished(opened, folder):
    tasks = {"half 0": 0, "half 1": 10}
    with opened() as store, running(store=store), pytest.raises(ValueError, match="stop"):
        run_tasks(nested, tasks, {"fail": 10}, 1)
    found = sorted(path.name for path in (folder / "results").iterdir())
    assert found == ["half-0", "half-1.part-0", "half-1.part-1"]
    CALLS.clear()
    with opened() as store, running(store=store):
        assert run_tasks(nested, tasks, {"fail": -1}, 1) == [2.0, 22.0]
    assert CALLS == []
    assert sorted(path.name for path in (folder / "results").iterdir()) == ["half-0", "half-1"]


def test_a_step_before_the_tasks_is_kept_in_its_own_form(opened):
    made = []

    def make():
        made.append(1)
        return {1, 2}

    for _ in range(2):
        with opened() as store, running(store=store):
            assert kept("words", make, pack=sorted, unpack=set) == {1, 2}
    assert made == [1]


@pytest.fixture
def full_disk():
    """Let no file grow beyond some KB, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    def call(n_bytes):
        resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))

    yield call
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


def large_third(task, n_threads):
    CALLS.append(task)
    return np.zeros(100_000 if task == 2 else 1)


def test_a_full_disk_ends_in_a_sentence_and_loses_nothing(opened, folder, full_disk):
    CALLS.clear()
    tasks = {f"task {number}": number for number in range(4)}
    with opened() as store, running(store=store):
        full_disk(50_000)
        with pytest.raises(UserError, match="; its content is kept, and the same command"):
            run_tasks(large_third, tasks, {}, 1)
        full_disk(resource.RLIM_INFINITY)
    assert CALLS == [0, 1, 2]
    assert sorted(os.listdir(folder / "results")) == ["task-0", "task-1"]
    with opened() as store, running(store=store):
        assert [len(result) for result in run_tasks(large_third, tasks, {}, 1)] == [
            1,
            1,
            100_000,
            1,
        ]
    assert CALLS == [0, 1, 2, 2, 3]


def test_a_folder_that_cannot_be_made_is_refused_before_any_work(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(UserError, match=r"checkpoint .*file"):
        check_folder(tmp_path / "file" / "kept")
    with pytest.raises(UserError, match="an empty name"):
        check_folder("")


@pytest.mark.parametrize("name", ["", "Class 1", "a/b", "../x", "a  b"])
def test_names_of_tasks_are_plain(opened, name):
    with opened() as store, pytest.raises(ValueError, match="is no name for a task"):
        store.put(name, 1)
