"""Tasks in threads of this process: kernels release the interpreter's lock."""

from collections import deque
from collections.abc import Generator, Iterable, Mapping
from concurrent.futures import Future
from typing import Any

from joblib import Parallel, delayed

from sfmcore.parallel.blas import blas_threads
from sfmcore.parallel.plan import Work, plan_in_force, within_a_task
from sfmcore.parallel.workers import result_of, workers


class Threads:
    """Run tasks next to each other, in the memory of this process.

    Whole tasks next to each other need no barriers; threads left over go into the kernels of each.
    """

    def run(self, work: Work, tasks: Mapping[str, Any]) -> Generator[tuple[str, Any], None, None]:
        """Name and result of every task, as they end."""
        # Asked here: a new thread knows of no plan.
        store = plan_in_force().store
        at_once = max(1, min(work.n_threads, len(tasks)))
        own = max(1, work.n_threads // at_once)

        def call(name: str, task: Any) -> tuple[str, Any]:
            with within_a_task(None if store is None else store.within(name)):
                return name, work.function(task, own, **work.shared)

        calls = (delayed(call)(name, task) for name, task in tasks.items())
        with blas_threads():
            yield from Parallel(
                n_jobs=at_once, require="sharedmem", return_as="generator_unordered"
            )(calls)

    def stream(self, work: Work, tasks: Iterable[Any]) -> Generator[Any, None, None]:
        """Results in the order of the tasks: this thread reads on while the others compute."""

        def call(task: Any) -> Any:
            with within_a_task():
                return work.function(task, 1, **work.shared)

        if work.n_threads == 1:
            yield from map(call, tasks)
            return
        waiting: deque[Future[Any]] = deque()
        with workers(work.n_threads) as pool:
            for task in tasks:
                waiting.append(pool.submit(call, task))
                if len(waiting) > work.n_threads:
                    yield result_of(waiting.popleft())
            while waiting:
                yield result_of(waiting.popleft())
