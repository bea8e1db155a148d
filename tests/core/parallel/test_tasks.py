"""Tasks next to each other: their order, their threads, BLAS inside, and what they raise."""

import threading

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from sfmcore.parallel.tasks import learn_many


def blas_threads():
    """Threads of every BLAS that is loaded, as they are set here and now."""
    return [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]


@pytest.fixture(autouse=True)
def two_blas_threads():
    """A setting to come back to, whatever the machine or an earlier test has left."""
    with threadpool_limits(limits=2, user_api="blas"):
        yield


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_results_come_in_the_order_of_the_tasks_and_not_of_their_ends(n_threads):
    events, ended = [threading.Event() for _ in range(6)], []

    def learn(task, _):
        # With two threads or more, an even one ends after the next.
        if n_threads > 1 and task % 2 == 0:
            assert events[task + 1].wait(60)
        ended.append(task)
        events[task].set()
        return 10 * task

    assert learn_many(learn, range(6), n_threads) == [0, 10, 20, 30, 40, 50]
    assert sorted(ended) == list(range(6))
    assert (ended == sorted(ended)) == (n_threads == 1)


@pytest.mark.parametrize(
    ("n_tasks", "n_threads", "own"),
    [(1, 1, 1), (1, 5, 5), (2, 5, 2), (2, 4, 2), (3, 2, 1), (3, 3, 1), (7, 1, 1), (4, 11, 2)],
)
def test_threads_are_shared_equally_and_none_is_used_twice(n_tasks, n_threads, own):
    given = learn_many(lambda _, threads: threads, range(n_tasks), n_threads)
    assert given == [own] * n_tasks
    assert min(n_tasks, n_threads) * own <= n_threads


@pytest.mark.parametrize("n_threads", [1, 2, 3])
def test_as_many_tasks_run_at_once_as_there_are_threads(n_threads):
    barrier, running, most = threading.Barrier(n_threads, timeout=60), set(), []

    def learn(task, _):
        running.add(task)
        most.append(len(running))
        # Nobody passes before all are here.
        barrier.wait()
        running.discard(task)

    learn_many(learn, range(3 * n_threads), n_threads)
    assert max(most) == n_threads


def test_tasks_share_the_memory_of_the_process():
    seen, values = {}, [object(), object(), object()]

    def learn(task, _):
        seen[task] = values[task]
        return values[task]

    results = learn_many(learn, range(3), 2)
    assert all(one is other for one, other in zip(results, values, strict=True))
    assert seen == dict(enumerate(values))


@pytest.mark.parametrize("n_threads", [1, 2, 8])
def test_blas_has_one_thread_inside_and_its_own_number_afterwards(n_threads):
    before = blas_threads()
    # An old OpenBLAS, as in OpenCV 4.8, takes no other number than it was built with.
    assert 2 in before
    inside = learn_many(lambda *_: blas_threads(), range(4), n_threads)
    assert inside == [[1] * len(before)] * 4
    assert blas_threads() == before


def test_blas_keeps_one_thread_after_tasks_within_a_task():
    def learn(*_):
        within = learn_many(lambda *_: blas_threads(), range(2), 2)
        return [*within, blas_threads()]

    ones = [1] * len(blas_threads())
    assert learn_many(learn, range(2), 2) == [[ones] * 3] * 2


class RefusalError(ValueError):
    """An error that nothing else raises."""


@pytest.mark.parametrize("n_threads", [1, 2, 8])
def test_an_exception_travels_as_it_is_and_leaves_blas_as_it_was(n_threads):
    before, raised = blas_threads(), RefusalError("item 2 can't be learnt from")

    def learn(task, _):
        if task == 2:
            raise raised
        return task

    with pytest.raises(RefusalError, match=r"^item 2 can't be learnt from$") as caught:
        learn_many(learn, range(4), n_threads)
    assert caught.value is raised
    assert blas_threads() == before


def test_after_an_exception_no_further_task_begins():
    begun = []

    def learn(task, _):
        begun.append(task)
        if task == 1:
            raise RefusalError

    with pytest.raises(RefusalError):
        learn_many(learn, range(50), 1)
    assert begun == [0, 1]


@pytest.mark.parametrize("n_threads", [1, 4])
@pytest.mark.parametrize("show", [False, True])
def test_no_task_has_no_result(n_threads, show):
    def learn(*_):
        raise AssertionError("there is nothing to learn")

    assert learn_many(learn, [], n_threads, noun="pairs", show_progress=show) == []
