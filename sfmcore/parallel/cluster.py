"""Tasks on a Dask cluster: the bits of one machine, on many."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

from sfmcore.data.errors import UserError
from sfmcore.parallel.blas import blas_threads
from sfmcore.parallel.parcel import Parcel, arrived, opened, wrapped
from sfmcore.parallel.plan import Work, within_a_task
from sfmcore.version import __version__

_ANSWER_SECONDS = 5.0
_WORKER_SECONDS = 60.0
# How often tasks are given out again whose data went with the last worker that had them.
_ROUNDS = 4


@contextmanager
def cluster(address: str, say: Callable[[str], None] | None = None) -> Iterator["Cluster"]:
    """Connect to a Dask scheduler for the time of a block.

    Parameters
    ----------
    address : str
        Such as ``tcp://10.0.0.1:8786``.
    say : callable, optional
        Takes a sentence if there is something to wait for.

    Raises
    ------
    UserError
        If Dask is not installed, no scheduler answers, none of its workers comes within a minute,
        or a worker has another version of this package.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise UserError(
            "--scheduler needs dask.distributed: pip install 'sfm-pacbayes[cluster]'"
        ) from error
    with _silent():
        try:
            _call_up(address)
            client = Client(address, timeout=_ANSWER_SECONDS, set_as_default=False)
        except Exception as error:  # whatever a stranger's answer leads to
            raise UserError(
                f"no Dask scheduler answers at {address!r}: start one with 'dask scheduler', and "
                "give the address that it prints"
            ) from error
        try:
            made = Cluster(client)
            made.wait_for_workers(say)
            made.check_versions()
            yield made
        finally:
            with suppress(Exception):  # a scheduler that is gone is no reason to fail now
                client.close(timeout=2)


def _call_up(address: str) -> None:
    """Raise an error if no scheduler is there; a client that fails tries on in the background."""
    from distributed.comm import connect

    async def call() -> None:
        async with asyncio.timeout(_ANSWER_SECONDS):
            comm = await connect(address, timeout=_ANSWER_SECONDS)
            await comm.close()

    # In a thread of its own, as this one may have a loop that runs, as in a notebook.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, call()).result()


class Cluster:
    """Run tasks on the workers of a Dask cluster.

    What tasks share is sent once and then kept by every worker. A worker that dies loses its task,
    which another does again. Results do not depend on who does what.

    Parameters
    ----------
    client : distributed.Client
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        # By identity, with the object: the id of one that is gone may be another's.
        self._sent: dict[int, tuple[Any, Any]] = {}

    def wait_for_workers(self, say: Callable[[str], None] | None = None) -> None:
        """Wait for the first worker, as where a cluster starts workers when there is work.

        Raises
        ------
        UserError
            If none comes within a minute.
        """
        if self._n_threads():
            return
        if say is not None:
            say("the scheduler has no worker yet: waiting for one")
        ends = time.monotonic() + _WORKER_SECONDS
        while not self._n_threads():
            if time.monotonic() > ends:
                raise UserError(
                    f"the scheduler has had no worker for {_WORKER_SECONDS:.0f} s: start some with "
                    "'dask worker ADDRESS'"
                )
            time.sleep(0.2)

    def check_versions(self) -> None:
        """Refuse workers that have another version of this package, or none.

        Raises
        ------
        UserError
            Naming the first of them, and how many there are.
        """
        found = self._survived(_asked_for_version, self.client)
        wrong = {name: version for name, version in sorted(found.items()) if version != __version__}
        if wrong:
            name, version = next(iter(wrong.items()))
            has = f"version {version} of sfm-pacbayes" if version else "no sfm-pacbayes"
            more = f" (and {len(wrong) - 1} more of another)" if len(wrong) > 1 else ""
            raise UserError(
                f"the worker {name} has {has}{more}, and this is version {__version__}: install "
                "the same everywhere"
            )

    def run(self, work: Work, tasks: Mapping[str, Any]) -> Generator[tuple[str, Any], None, None]:
        """Name and result of every task, as they end."""
        with blas_threads():
            yield from self._run(work, tasks)

    def _run(self, work: Work, tasks: Mapping[str, Any]) -> Generator[tuple[str, Any], None, None]:
        from distributed import as_completed

        self._check_picklable(work)
        own = self._threads_of_a_task(len(tasks))
        left = dict(tasks)
        for _ in range(_ROUNDS):
            shared = self._scattered(work.shared)
            futures = {
                self._submitted(work, task, own, shared): name for name, task in left.items()
            }
            try:
                for future in as_completed(list(futures), loop=self.client.loop):
                    found, result = self._result(future)
                    if found:
                        name = futures.pop(future)
                        del left[name]
                        future.release()
                        yield name, result
            finally:
                self.client.cancel(list(futures), force=True)
            if not left:
                return
            self._forget()
        raise _lost(self.client)

    def stream(self, work: Work, tasks: Iterable[Any]) -> Generator[Any, None, None]:
        """Results in the order of the tasks; two for each thread of the cluster are at hand."""
        with blas_threads():
            yield from self._stream(work, tasks)

    def _stream(self, work: Work, tasks: Iterable[Any]) -> Generator[Any, None, None]:
        self._check_picklable(work)
        shared = self._scattered(work.shared)
        waiting: deque[tuple[Any, Any]] = deque()

        def first() -> Any:
            nonlocal shared
            for _ in range(_ROUNDS):
                future, task = waiting[0]
                found, result = self._result(future)
                if found:
                    waiting.popleft()
                    return result
                self._forget()
                shared = self._scattered(work.shared)
                waiting[0] = self._submitted(work, task, 1, shared), task
            raise _lost(self.client)

        try:
            for task in tasks:
                waiting.append((self._submitted(work, task, 1, shared), task))
                if len(waiting) > 2 * self._n_threads() + 2:
                    yield first()
            while waiting:
                yield first()
        finally:
            self.client.cancel([future for future, _ in waiting], force=True)

    def _submitted(self, work: Work, task: Any, own: int, shared: Mapping[str, Any]) -> Any:
        # Not pure: equal tasks of two runs are not one, as a key that follows their content says.
        # Bytes: a scheduler opens what it passes on.
        return self.client.submit(
            _called, wrapped((work.function, task)), own, __version__, pure=False, **shared
        )

    def _result(self, future: Any) -> tuple[bool, Any]:
        """Whether there is a result, and the result; none if the data were lost on the way."""
        from distributed import CancelledError, KilledWorker

        try:
            return True, future.result()
        except CancelledError:
            if self.client.status != "running":
                raise _lost(self.client) from None
            return False, None
        except KilledWorker as error:
            raise UserError(
                "a task was given up because every worker that ran it died: they may need more "
                "memory (--memory-limit of 'dask worker'), or fewer threads each (--nthreads)"
            ) from error

    def _scattered(self, shared: Mapping[str, Any]) -> dict[str, Any]:
        for value in shared.values():
            if id(value) not in self._sent and not isinstance(value, int | float | str | None):
                # To one worker, from which the others get it when they need it: to send it to all
                # waits for ever if one of them dies meanwhile.
                (future,) = self._survived(self.client.scatter, [Parcel(value)], hash=False)
                self._sent[id(value)] = future, value
        return {
            name: self._sent[id(value)][0] if id(value) in self._sent else value
            for name, value in shared.items()
        }

    def _survived(self, ask: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Answer of the cluster; requested again if a worker dies over it."""
        for _ in range(_ROUNDS):
            try:
                return ask(*arguments, **options)
            except OSError:  # a connection that ends, or a time-out, is one
                if self.client.status != "running":
                    break
                self.wait_for_workers()
        raise _lost(self.client)

    def _forget(self) -> None:
        self._sent.clear()
        self.wait_for_workers()

    def _n_threads(self) -> int:
        return sum(self.client.nthreads().values())

    def _threads_of_a_task(self, n_tasks: int) -> int:
        """Threads that are left over go into the kernels, as on one machine."""
        each = list(self.client.nthreads().values()) or [1]
        return max(1, min(min(each), sum(each) // max(1, n_tasks)))

    def _check_picklable(self, work: Work) -> None:
        assert "<locals>" not in work.function.__qualname__, "tasks need a module-level function"


def in_a_worker() -> bool:
    """Whether this is a task that a worker of Dask runs."""
    from distributed import get_worker

    try:
        get_worker()
    except ValueError:
        return False
    return True


def _called(call: bytes, own: int, version: str, **shared: Any) -> Any:
    """Call a function for a task, in a worker."""
    if version != __version__:
        # A worker that came after the others were asked.
        raise UserError(
            f"a worker has version {__version__} of sfm-pacbayes, and its client {version}: "
            "install the same everywhere"
        )
    function, task = opened(arrived(call))
    known = {name: opened(value) for name, value in shared.items()}
    # For good: a worker has several threads, none of which may end what another needs. Where it is
    # a thread of the client's own process, the client has the say, and takes it back.
    blas_threads()
    with within_a_task():
        return function(task, own, **known)


def _asked_for_version(client: Any) -> dict[str, str]:
    """Version of this package at every worker, empty if it has none."""

    # Sent as it is, not by name: where the package is missing the name would say nothing.
    def version() -> str:
        import importlib

        try:
            return str(importlib.import_module("sfmcore.version").__version__)
        except ImportError:
            return ""

    found: dict[str, str] = client.run(version)
    return found


def _lost(client: Any) -> UserError:
    if client.status != "running":
        return UserError("the scheduler is gone: unfinished work is lost")
    return UserError("the cluster lost its data again and again, as all of its workers died")


@contextmanager
def _silent() -> Iterator[None]:
    """Keep Dask's log off standard error: what matters is said in a sentence."""
    logger = logging.getLogger("distributed")
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    for name in list(logging.root.manager.loggerDict):
        if name.startswith("distributed."):
            logging.getLogger(name).setLevel(logging.NOTSET)
    try:
        yield
    finally:
        logger.setLevel(before)
