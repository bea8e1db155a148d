"""How training of proteins grows with the number of classes: seconds and memory, with a plot.

Every class is 20 sequences drawn from a random hidden Markov model of its own. A number of classes
is trained in a fresh process with the defaults of ProteinClassifier, which then labels two further
sequences of every class.

    python -m benchmarks.speed.classes --out DIR [--sizes 125 250 500 1000] [--threads 2] [--seed 0]

Sizes that classes.json in DIR already holds, of the same seed and threads, are not measured again.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.speed.environment import processor_name, start_fairly
from benchmarks.speed.processes import peak_mib
from benchmarks.speed.timing import give_up
from sfmcore.data.ragged import Ragged

SIZES = (125, 250, 500, 1000)
PER_CLASS = 20
NEW_PER_CLASS = 2
N_STATES = 10
N_LETTERS = 20
SHORTEST, LONGEST = 100, 200
# Of the Dirichlet distributions of the rows: states that stay a while, and letters that differ.
_STAY = 4.0
_SPREAD = 0.5

Labels = npt.NDArray[np.str_]


def drawn_class(
    number: int,
    seed: int,
    n_items: int = PER_CLASS + NEW_PER_CLASS,
    *,
    stream: int | None = None,
    shortest: int = SHORTEST,
    longest: int = LONGEST,
) -> list[npt.NDArray[np.uint8]]:
    """Sequences of one class, whatever the other classes are.

    Parameters
    ----------
    number : int
    seed : int
    n_items : int, optional
        `PER_CLASS` to train on and `NEW_PER_CLASS` unless given.
    stream : int, optional
        Other sequences of the same class for every number.
    shortest, longest : int, optional

    Returns
    -------
    list of ndarray of uint8
        Codes below `N_LETTERS`.

    Examples
    --------
    >>> len(drawn_class(0, 0)), int(max(map(max, drawn_class(0, 0)))) < N_LETTERS
    (22, True)
    """
    random = np.random.default_rng([seed, number])
    rows = _SPREAD + _STAY * np.eye(N_STATES)
    moves = np.cumsum([random.dirichlet(row) for row in rows], axis=1)
    letters = np.cumsum(random.dirichlet(np.full(N_LETTERS, _SPREAD), N_STATES), axis=1)
    if stream is not None:
        random = np.random.default_rng([seed, number, stream])
    lengths = random.integers(shortest, longest + 1, n_items)
    states = random.integers(N_STATES, size=n_items)
    codes = np.empty((n_items, longest), dtype=np.uint8)
    for place in range(longest):
        codes[:, place] = _choose(letters[states], random.random(n_items))
        states = _choose(moves[states], random.random(n_items))
    return [line[:length] for line, length in zip(codes, lengths, strict=True)]


def _choose(
    cumulative: npt.NDArray[np.float64], uniform: npt.NDArray[np.float64]
) -> npt.NDArray[np.intp]:
    """Place in each row of cumulative shares; the last where rounding leaves the sum below 1."""
    chosen = np.sum(cumulative[:, :-1] <= uniform[:, None], axis=1)
    return np.asarray(chosen, dtype=np.intp)


def drawn(n_classes: int, seed: int) -> tuple[Ragged, Labels, Ragged, Labels]:
    """Items and labels to train on, then the new ones."""
    classes = [drawn_class(number, seed) for number in range(n_classes)]
    names = np.array([f"class{number:04}" for number in range(n_classes)])
    own = [codes for one in classes for codes in one[:PER_CLASS]]
    new = [codes for one in classes for codes in one[PER_CLASS:]]
    return (
        Ragged.from_items(own),
        np.repeat(names, PER_CLASS),
        Ragged.from_items(new),
        np.repeat(names, NEW_PER_CLASS),
    )


def train(n_classes: int, n_threads: int, seed: int, **parameters: Any) -> dict[str, Any]:
    """Train in this process; a process that did more before has too high a peak.

    Parameters
    ----------
    n_classes, n_threads, seed : int
    **parameters
        Of ProteinClassifier, in place of its defaults.

    Returns
    -------
    dict
        ``n_classes``; of ``fit``, ``seconds``, ``processor_seconds`` and ``peak_mib`` (of the
        process up to its end); ``new_right``, the share of new sequences with the right label.
    """
    # Neither is there on every system, and nothing else needs them.
    from resource import RUSAGE_SELF, getrusage

    from sfmbio.classifier import ProteinClassifier

    items, y, new, new_y = drawn(n_classes, seed)
    model = ProteinClassifier(random_state=seed, n_jobs=n_threads, **parameters)
    before, started = getrusage(RUSAGE_SELF), perf_counter()
    model.fit(items, y)
    seconds, after = perf_counter() - started, getrusage(RUSAGE_SELF)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {
        "n_classes": n_classes,
        "seconds": round(seconds, 2),
        "processor_seconds": round(processor, 2),
        "peak_mib": round(peak_mib(after.ru_maxrss), 1),
        "new_right": float(np.mean(model.predict(new) == new_y)),
    }


def in_a_process(n_classes: int, n_threads: int, seed: int) -> dict[str, Any]:
    """What :func:`train` returns, from a fresh process.

    Raises
    ------
    RuntimeError
        If the process fails; with the last line that it wrote.
    """
    own = ["--one", str(n_classes), "--threads", str(n_threads), "--seed", str(seed)]
    command = [sys.executable, "-m", "benchmarks.speed.classes", *own]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = done.stderr.strip().rpartition("\n")[2]
        raise RuntimeError(f"{n_classes} classes ended with {done.returncode}: {last}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def slope(sizes: Sequence[float], costs: Sequence[float]) -> float | None:
    """Exponent of the size that fits the costs best; None for one size.

    Examples
    --------
    >>> round(slope([1, 10, 100], [2, 20, 200]), 6)
    1.0
    """
    if len(sizes) < 2:
        return None
    return float(np.polyfit(np.log(sizes), np.log(costs), 1)[0])


def summary_of(runs: Sequence[dict[str, Any]], n_threads: int, seed: int) -> dict[str, Any]:
    """All runs in the order of their sizes, and how their costs grow."""
    ordered = sorted(runs, key=lambda run: run["n_classes"])
    sizes = [run["n_classes"] for run in ordered]
    costs = ("seconds", "processor_seconds", "peak_mib")
    return {
        "n_threads": n_threads,
        "seed": seed,
        "per_class": PER_CLASS,
        "processor": processor_name(),
        "slopes": {name: slope(sizes, [run[name] for run in ordered]) for name in costs},
        "runs": ordered,
    }


def draw(summary: dict[str, Any], path: Path) -> None:
    """Seconds and memory against the number of classes, all logarithmic."""
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogFormatter, NullLocator

    matplotlib.use("agg")
    figure = Figure(figsize=(9.0, 4.0), layout="constrained")
    time, memory = figure.subplots(1, 2)
    sizes = np.array([run["n_classes"] for run in summary["runs"]])
    panels = (
        (time, "seconds", f"seconds, {summary['n_threads']} threads"),
        (time, "processor_seconds", "seconds of processor time"),
        (memory, "peak_mib", "peak memory (MiB)"),
    )
    for ax, name, label in panels:
        values = np.array([run[name] for run in summary["runs"]])
        exponent = summary["slopes"][name]
        text = label if exponent is None else f"{label}: slope {exponent:.2f}"
        (line,) = ax.loglog(sizes, values, "o", label=text)
        straight = values[-1] * sizes / sizes[-1]
        ax.loglog(sizes, straight, "-", color=line.get_color(), linewidth=0.8)
    for ax in (time, memory):
        ax.set_xticks(sizes, [str(size) for size in sizes])
        ax.xaxis.set_minor_locator(NullLocator())
        ax.yaxis.set_major_formatter(LogFormatter())
        ax.yaxis.set_minor_formatter(LogFormatter())
        ax.set_xlabel(f"classes of {summary['per_class']} sequences (lines: proportional)")
        ax.legend(frameon=False, fontsize="small")
    figure.savefig(path, dpi=150)


def kept_runs(file: Path, n_threads: int, seed: int) -> list[dict[str, Any]]:
    """Runs that the file holds, if they are of this seed and as many threads.

    Raises
    ------
    ValueError
        If they are not.
    """
    if not file.exists():
        return []
    summary = json.loads(file.read_text(encoding="utf-8"))
    if (summary["n_threads"], summary["seed"]) != (n_threads, seed):
        raise ValueError(
            f"{file} is of seed {summary['seed']} and {summary['n_threads']} threads: "
            "another --out keeps both"
        )
    runs: list[dict[str, Any]] = summary["runs"]
    return runs


def run_classes(folder: Path, sizes: Sequence[int], n_threads: int, seed: int) -> None:
    """Measure what is missing; write ``classes.json`` after each size, and ``classes.png``.

    Raises
    ------
    ValueError
        If the folder holds runs of another seed or number of threads.
    RuntimeError
        If a process fails.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "classes.json"
    runs = kept_runs(file, n_threads, seed)
    for size in sorted(set(sizes) - {run["n_classes"] for run in runs}):
        runs.append(in_a_process(size, n_threads, seed))
        print(json.dumps(runs[-1]), flush=True)
        text = json.dumps(summary_of(runs, n_threads, seed), indent=1) + "\n"
        file.write_text(text, encoding="utf-8")
    summary = summary_of(runs, n_threads, seed)
    print("slopes", json.dumps(summary["slopes"]))
    draw(summary, folder / "classes.png")


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.classes",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="JSON and plot go here")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="N")
    parser.add_argument("--threads", type=int, default=2, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument(
        "--one", type=int, metavar="N", help="train so many classes in this process, write no file"
    )
    options = parser.parse_args()
    if min(options.sizes) < 2 or options.threads < 1:
        give_up("--sizes must be at least 2 and --threads at least 1")
    start_fairly()
    if options.one is not None:
        print(json.dumps(train(options.one, options.threads, options.seed)))
        return
    if options.out is None:
        give_up("--out says where JSON and plot go")
    try:
        run_classes(options.out, options.sizes, options.threads, options.seed)
    except (RuntimeError, ValueError) as error:
        give_up(str(error))


if __name__ == "__main__":
    main()
