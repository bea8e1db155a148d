"""Independent pieces of learning, run next to each other in threads."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from sfmcore.parallel.progress import progress

Task = TypeVar("Task")
Result = TypeVar("Result")


def learn_many(
    learn: Callable[[Task, int], Result],
    tasks: Sequence[Task],
    n_threads: int,
    *,
    noun: str = "tasks",
    show_progress: bool = False,
) -> list[Result]:
    """Run every task, in threads: kernels release the interpreter's lock.

    Whole tasks next to each other need no barriers; threads left over go into the kernels of each.
    BLAS gets one thread, as the order in which it adds must not depend on their number.

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
    at_once = max(1, min(n_threads, len(tasks)))
    own = max(1, n_threads // at_once)
    with threadpool_limits(limits=1, user_api="blas"):
        calls = (delayed(learn)(task, own) for task in tasks)
        results = Parallel(n_jobs=at_once, require="sharedmem", return_as="generator")(calls)
        return list(progress(results, noun, total=len(tasks), show=show_progress))
