"""What runs tasks and what keeps them: the plan in force, and what it is within a task."""

import threading

import joblib
import pytest

from sfmcore.parallel.plan import plan_in_force, running
from sfmcore.parallel.tasks import learn_many, run_tasks, stream_tasks


class Backwards:
    """A runner that ends the last task first."""

    def run(self, work, tasks):
        for name in reversed(list(tasks)):
            yield name, work.function(tasks[name], 7, **work.shared)

    def stream(self, work, tasks):
        for task in tasks:
            yield work.function(task, 7, **work.shared)


class InMemory(dict):
    """A store without files."""

    def get(self, name):
        return name in self, dict.get(self, name)

    def put(self, name, result):
        self[name] = result

    def within(self, name):
        return None


def told(task, n_threads, more=0):
    return task + more, n_threads


TASKS = {"a": 1, "b": 2, "c": 3}


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_results_have_the_order_of_the_tasks_whoever_runs_them(n_threads):
    own = 5 // 3 if n_threads == 5 else 1
    assert run_tasks(told, TASKS, {"more": 10}, n_threads) == [(11, own), (12, own), (13, own)]
    with running(runner=Backwards()):
        assert run_tasks(told, TASKS, {"more": 10}, n_threads) == [(11, 7), (12, 7), (13, 7)]
        assert list(stream_tasks(told, iter([4, 5]), {}, n_threads)) == [(4, 7), (5, 7)]
    assert run_tasks(told, {}, {}, n_threads) == []


def test_kept_results_are_not_asked_for_again():
    store = InMemory(b=("kept", 0))
    with running(store=store):
        assert run_tasks(told, TASKS, {}, 1) == [(1, 1), ("kept", 0), (3, 1)]
    assert set(store) == {"a", "b", "c"}


def test_a_block_within_another_changes_what_it_names():
    runner, store = Backwards(), InMemory()
    with running(runner=runner):
        with running(store=store, say=print):
            plan = plan_in_force()
            assert (plan.runner, plan.store, plan.say) == (runner, store, print)
        assert plan_in_force().store is None
    assert plan_in_force().runner is None


def asks(task, n_threads):
    plan = plan_in_force()
    return plan.runner, plan.inside, threading.current_thread() is threading.main_thread()


@pytest.mark.parametrize("n_threads", [1, 2])
def test_within_a_task_everything_is_here(n_threads):
    with running(store=InMemory()):
        inside = run_tasks(asks, TASKS, {}, n_threads)
        assert inside == [(None, True, n_threads == 1)] * 3
        assert list(stream_tasks(asks, [0, 0], {}, n_threads)) == inside[:2]
        # Short pieces keep nothing, and leave the plan as it was.
        assert learn_many(asks, [0, 0], n_threads) == inside[:2]
        assert plan_in_force().store is not None


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_other_backends_of_joblib_change_nothing(backend):
    with joblib.parallel_config(backend, n_jobs=2):
        assert run_tasks(told, TASKS, {}, 1) == [(1, 1), (2, 1), (3, 1)]


class StopError(Exception):
    """An error that nothing else raises."""


def test_a_result_that_cannot_be_kept_ends_the_work():
    class Full(InMemory):
        def put(self, name, result):
            raise StopError

    begun = []

    def learn(task, n_threads):
        begun.append(task)

    with running(store=Full()), pytest.raises(StopError):
        run_tasks(learn, TASKS, {}, 1)
    assert begun == [1]
