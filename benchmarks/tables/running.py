"""Trials side by side, their results in the file as they come."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from joblib import Parallel, delayed, parallel_config

from benchmarks.tables.results import Results
from sfmcore.parallel.progress import progress

Trial = tuple[Any, ...]


def run_all(
    run: Callable[..., dict[str, Any]], trials: Sequence[Trial], results: Results, jobs: int
) -> None:
    """Run trials under the joblib backend that is set, and add each result as it comes.

    Parameters
    ----------
    run : callable
        Takes the parts of a trial; its result must depend on nothing else.
    trials : sequence of tuple
    results : Results
    jobs : int
    """
    tasks = (delayed(run)(*trial) for trial in trials)
    rows = Parallel(n_jobs=jobs, return_as="generator_unordered")(tasks)
    for row in progress(rows, "trials", total=len(trials), unit=" trials"):
        results.add(row)


@contextmanager
def backend(scheduler: str | None) -> Iterator[None]:
    """Processes of this machine, or the workers of a Dask scheduler.

    Parameters
    ----------
    scheduler : str or None
        Address of the scheduler; "local" starts two workers here.

    Raises
    ------
    ImportError
        If dask.distributed is not installed.
    """
    if scheduler is None:
        yield
        return
    from dask.distributed import Client, LocalCluster

    if scheduler != "local":
        with Client(scheduler), parallel_config("dask"):
            yield
        return
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
        parallel_config("dask"),
    ):
        yield
