"""Plans: where tasks run and where their results are kept, and how that is set."""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol

from joblib.parallel import get_active_backend


@dataclass(frozen=True)
class Work:
    """A function that is to be called for many tasks.

    Attributes
    ----------
    function : callable
        ``function(task, n_threads, **shared)``. A runner that leaves the process needs one that
        stands in a module.
    shared : mapping of str to object
        Arguments of every call in addition to its task.
    n_threads : int
        Threads of this process, of all tasks together. No result may depend on it.
    """

    function: Callable[..., Any]
    shared: Mapping[str, Any]
    n_threads: int


class Runner(Protocol):
    """Something that runs tasks: threads of this process, or a cluster."""

    def run(self, work: Work, tasks: Mapping[str, Any]) -> Generator[tuple[str, Any], None, None]:
        """Name and result of every task, as they end.

        Parameters
        ----------
        work : Work
        tasks : mapping of str to object
            By name.
        """

    def stream(self, work: Work, tasks: Iterable[Any]) -> Generator[Any, None, None]:
        """Results in the order of the tasks, of which a few at a time are at hand.

        Parameters
        ----------
        work : Work
        tasks : iterable
        """


class Store(Protocol):
    """Something that keeps the results of tasks by their names."""

    def get(self, name: str) -> tuple[bool, Any]:
        """Whether there is a result of that name, and the result."""

    def put(self, name: str, result: Any) -> None:
        """Keep a result, and none of the parts that it was made of."""

    def within(self, name: str) -> "Store":
        """Place for the parts of a task until its own result is stored."""


@dataclass(frozen=True)
class Plan:
    """The current plan.

    Attributes
    ----------
    runner : Runner or None
        None for threads of this process.
    store : Store or None
        None to keep nothing.
    say : callable or None
        Takes a sentence about how far the work is. None prints it.
    show : bool
        Whether to say it of steps that are not told by those who ask for them.
    inside : bool
        Whether this is within a task: what that asks for stays in its process.
    """

    runner: Runner | None = None
    store: Store | None = None
    say: Callable[[str], None] | None = None
    show: bool = False
    inside: bool = False


_PLAN: ContextVar[Plan | None] = ContextVar("plan", default=None)


def plan_in_force() -> Plan:
    """The plan of the innermost :func:`running` block; one of threads that keeps nothing else."""
    return _PLAN.get() or Plan()


@contextmanager
def running(
    runner: Runner | None = None,
    store: Store | None = None,
    say: Callable[[str], None] | None = None,
    show: bool | None = None,
) -> Iterator[None]:
    """Have the tasks of a block run and kept as given; what is None stays as it was.

    Estimators keep their signatures: whatever they learn inside the block follows it.

    Parameters
    ----------
    runner : Runner, optional
        Such as :class:`sfmcore.parallel.cluster.Cluster`.
    store : Store, optional
        Such as :class:`sfmcore.files.checkpoint.Checkpoint`.
    say : callable, optional
        Takes a sentence about how far the work is.
    show : bool, optional
        Whether to say it of steps whose protocol has no parameter for that, such as the fit of a
        preparation.

    Examples
    --------
    >>> with running(say=print):
    ...     plan_in_force().say is print
    True
    """
    outer = plan_in_force()
    plan = Plan(
        outer.runner if runner is None else runner,
        outer.store if store is None else store,
        outer.say if say is None else say,
        outer.show if show is None else show,
        outer.inside,
    )
    with _set(plan):
        yield


@contextmanager
def within_a_task(store: Store | None = None) -> Iterator[None]:
    """Let what a task asks for run in threads of this process.

    Parameters
    ----------
    store : Store, optional
        Keeps the parts of the task; None to keep none.
    """
    with _set(Plan(store=store, inside=True)):
        yield


@contextmanager
def _set(plan: Plan) -> Iterator[None]:
    token = _PLAN.set(plan)
    try:
        yield
    finally:
        _PLAN.reset(token)


def client_of_joblib() -> Any:
    """Dask's client if ``joblib.parallel_config("dask")`` is in force, else None."""
    backend, _ = get_active_backend()
    # By name: to import its class is to import Dask.
    return backend.client if type(backend).__name__ == "DaskDistributedBackend" else None
