"""Independent pieces of work: run next to each other here or elsewhere, and kept if wanted."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any, TypeVar

from sfmcore.parallel.plan import (
    Runner,
    Work,
    client_of_joblib,
    plan_in_force,
    running,
    within_a_task,
)
from sfmcore.parallel.progress import steps
from sfmcore.parallel.threads_runner import Threads

Task = TypeVar("Task")
Result = TypeVar("Result")


def run_tasks(
    function: Callable[..., Result],
    tasks: Mapping[str, Any],
    shared: Mapping[str, Any],
    n_threads: int,
    *,
    noun: str = "tasks",
    show_progress: bool | None = False,
) -> list[Result]:
    """Run every task where the plan in force says, and keep its result if the plan keeps results.

    A task whose result is kept is not run again. BLAS gets one thread, as the order in which it
    adds must not depend on their number.

    Parameters
    ----------
    function : callable
        Of a module, called as ``function(task, n_threads, **shared)``; `n_threads` must not change
        its result, which may hold what :mod:`sfmcore.files.objects` can write.
    tasks : mapping of str to object
        By name. Within a checkpoint a name stands for one result: it must not come twice.
    shared : mapping of str to object
        What all tasks need; a cluster gets it once.
    n_threads : int
        Of all tasks together; a cluster has its own.
    noun : str, default="tasks"
        What is counted.
    show_progress : bool or None, default=False
        Whether to say how far it is: a bar on a terminal, else a line a minute. None leaves it to
        the plan.

    Returns
    -------
    list
        Results in the order of the tasks.

    Examples
    --------
    >>> def add(task, n_threads, more):
    ...     return task + more
    >>> run_tasks(add, {"first": 1, "second": 2}, {"more": 10}, n_threads=2)
    [11, 12]
    """
    plan = plan_in_force()
    results: dict[str, Result] = {}
    if plan.store is not None:
        for name in tasks:
            found, result = plan.store.get(name)
            if found:
                results[name] = result
    left = {name: task for name, task in tasks.items() if name not in results}
    show = plan.show if show_progress is None else show_progress
    say = plan.say if show else None
    with (
        steps(noun, len(tasks), done=len(results), show=show, say=say) as step,
        # Closed at once where a result can't be kept: no further task begins.
        closing(_runner().run(Work(function, shared, n_threads), left)) as ended,
    ):
        for name, result in ended if left else ():
            if plan.store is not None:
                plan.store.put(name, result)
            results[name] = result
            step()
    return [results[name] for name in tasks]


def stream_tasks(
    function: Callable[..., Result],
    tasks: Iterable[Any],
    shared: Mapping[str, Any],
    n_threads: int,
) -> Iterator[Result]:
    """Run tasks that come one by one, where the plan in force says; results in their order.

    A few are at hand at a time, so memory does not grow with their number. Nothing is kept.

    Parameters
    ----------
    function : callable
        Of a module, called as ``function(task, n_threads, **shared)``.
    tasks : iterable
    shared : mapping of str to object
    n_threads : int

    Examples
    --------
    >>> list(stream_tasks(lambda task, n_threads: -task, iter([1, 2]), {}, 1))
    [-1, -2]
    """
    with closing(_runner().stream(Work(function, shared, n_threads), tasks)) as results:
        yield from results


def kept(
    name: str,
    make: Callable[[], Result],
    pack: Callable[[Result], Any] = lambda result: result,
    unpack: Callable[[Any], Result] = lambda packed: packed,
) -> Result:
    """Result of `make`, computed here; or a stored one, if the plan keeps results.

    For a step that others wait for. The tasks that it runs are its parts, and kept until it is.

    Parameters
    ----------
    name : str
    make : callable
    pack, unpack : callable, optional
        To what can be written, and back. By default the result itself is written.

    Examples
    --------
    >>> kept("mean", lambda: 3.0, pack=str, unpack=float)
    3.0
    """
    store = plan_in_force().store
    if store is None:
        return make()
    found, packed = store.get(name)
    if found:
        return unpack(packed)
    with parts_of(name):
        result = make()
    store.put(name, pack(result))
    return result


@contextmanager
def parts_of(name: str) -> Iterator[None]:
    """Keep what is made in a block as parts of something with a name.

    Their own names need to differ only from each other.

    Parameters
    ----------
    name : str

    Examples
    --------
    >>> with parts_of("items 0"):
    ...     run_tasks(lambda task, n_threads: -task, {"first": 1}, {}, n_threads=1)
    [-1]
    """
    store = plan_in_force().store
    with running(store=None if store is None else store.within(name)):
        yield


def learn_many(
    learn: Callable[[Task, int], Result],
    tasks: Sequence[Task],
    n_threads: int,
    *,
    noun: str = "tasks",
    show_progress: bool = False,
) -> list[Result]:
    """Run every task in threads of this process, whatever plan is in force.

    For pieces that are short, or bound to what is in memory; :func:`run_tasks` can leave the
    process.

    Parameters
    ----------
    learn : callable
        Takes a task and the number of threads that it may use, which must not change its result.
    tasks : sequence
    n_threads : int
        Of all tasks together.
    noun : str, default="tasks"
        What the progress bar counts.
    show_progress : bool, default=False

    Returns
    -------
    list
        Results in the order of the tasks.

    Examples
    --------
    >>> learn_many(lambda task, n_threads: task * n_threads, [1, 2], n_threads=5)
    [2, 4]
    """
    named = {str(number): task for number, task in enumerate(tasks)}
    results: dict[str, Result] = {}
    plan = plan_in_force()
    say = plan.say if show_progress else None
    # Short: what they are made of is not kept.
    with within_a_task(), steps(noun, len(tasks), show=show_progress, say=say) as step:
        for name, result in Threads().run(Work(learn, {}, n_threads), named):
            results[name] = result
            step()
    return [results[name] for name in named]


def _runner() -> Runner:
    """Current runner of tasks: the plan's, or Dask if joblib is told to use it, or threads."""
    plan = plan_in_force()
    if plan.runner is not None:
        return plan.runner
    client = None if plan.inside else client_of_joblib()
    if client is None:
        return Threads()
    from sfmcore.parallel.cluster import Cluster, in_a_worker

    if in_a_worker():
        # A task of Dask that waits for others would keep them from their thread.
        return Threads()
    made = Cluster(client)
    made.wait_for_workers()
    made.check_versions()
    return made
