"""Parallel threads that an interrupt does not have to wait for."""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")
Result = TypeVar("Result")

# Seconds after which a signal is heard, at the latest.
_PATIENCE = 0.5
_given_up: list[threading.Thread] = []
_Task = tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]


def result_of(future: Future[Result]) -> Result:
    """Wait for a result, and hear signals meanwhile.

    A signal that the system gives to another thread does not wake this one, which alone runs
    Python's handlers: a wait without end would miss it until the result is there.

    Parameters
    ----------
    future : Future
    """
    while not wait([future], timeout=_PATIENCE).done:
        pass
    return future.result()


def some_still_work() -> bool:
    """Whether threads that nobody waits for are still at something.

    A process with such threads must leave by `os._exit`: the usual way down ends them wherever they
    ask for the interpreter, which C++ answers with `abort`, and waits without end for a product of
    matrices in OpenBLAS.
    """
    return any(thread.is_alive() for thread in _given_up)


class Workers:
    """A few threads, as of a `ThreadPoolExecutor`, but daemons.

    Those of an executor are waited for when the process ends, even if they wait for something that
    never comes, such as a disk that is out of reach.

    Parameters
    ----------
    n_threads : int
    """

    def __init__(self, n_threads: int) -> None:
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(n_threads)]
        for thread in self._threads:
            thread.start()

    def submit(self, function: Callable[..., Result], *arguments: Any) -> Future[Result]:
        """Have a function called by the next thread that is free."""
        future: Future[Result] = Future()
        self._tasks.put((future, function, arguments))
        return future

    def map(self, function: Callable[[T], Result], items: Iterable[T]) -> Iterator[Result]:
        """Give the results of all items in their order; all are submitted at once."""
        futures = deque([self.submit(function, item) for item in items])
        while futures:
            yield result_of(futures.popleft())

    def end(self, patient: bool) -> None:
        """Let the threads end after what they are at; drop what is not begun."""
        with suppress(Empty):
            while True:
                task = self._tasks.get_nowait()
                if task is not None:
                    task[0].cancel()
        for _ in self._threads:
            self._tasks.put(None)
        if not patient:
            _given_up[:] = [thread for thread in _given_up if thread.is_alive()] + self._threads
            return
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            future, function, arguments = task
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(function(*arguments))
                except BaseException as error:
                    future.set_exception(error)
            # Not kept until the next task comes.
            del task, future, function, arguments


@contextmanager
def workers(n_threads: int) -> Iterator[Workers]:
    """Threads for the time of a block; an interrupt leaves them where they are.

    Parameters
    ----------
    n_threads : int

    Examples
    --------
    >>> with workers(2) as pool:
    ...     list(pool.map(abs, [-1, 2, -3]))
    [1, 2, 3]
    """
    pool = Workers(n_threads)
    patient = True
    try:
        yield pool
    except (KeyboardInterrupt, GeneratorExit):
        patient = False
        raise
    finally:
        pool.end(patient)
