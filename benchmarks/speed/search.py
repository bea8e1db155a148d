"""The search for u by our L-BFGS against the same with SciPy's: alone, and in whole fits.

Both minimise the same J(u) from the same starts, with the same memory, tolerances and values of a
line search; SciPy's is put into :mod:`sfmcore.learning.search` for the time of a call. The whole
fits decide what a kernel of our own is worth: there the search is a part. The JSON file has the
mean J(u) that both reach, how many values of J a call takes, and the processor's seconds of a call
and of the searches in it, which a busy machine changes little.

    python -m benchmarks.speed.search [--json FILE]
"""

import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import scipy
from sklearn.datasets import load_breast_cancer, load_wine

from benchmarks.speed.case import Case, Prepared, agree
from benchmarks.speed.running import main
from sfmbio import ProteinClassifier
from sfmcore import SFMClassifier, SFMClassifierCV, StochasticFeatureMap
from sfmcore.bounds.objective import Objective
from sfmcore.features.nystroem import NystroemMap
from sfmcore.learning import search as optimize

Found = list[float]
"""J(u) at the end of every search that counts."""

Read = Callable[[], tuple[Any, Any]]

_PEPTIDES = Path(__file__).parents[2] / "data" / "peptides"
_PEER = f"SciPy {scipy.__version__} L-BFGS-B"


def scipy_search(
    objective: Objective,
    start: np.ndarray,
    *,
    convex: bool = False,
    max_iter: int = 1000,
    tolerance: float | None = None,
) -> np.ndarray:
    """What stands in for ours: takes and returns the same."""
    scale = float(objective.n_items)

    def scaled(u: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = objective(u, convex=convex)
        return scale * value, scale * slope

    options = {
        "maxcor": 10,
        "ftol": tolerance or 2.2e-9,
        "gtol": 1e-5,
        "maxls": 20,
        "maxiter": max_iter,
    }
    found = scipy.optimize.minimize(scaled, start, jac=True, method="L-BFGS-B", options=options)
    return found.x


@contextmanager
def searching_by(search: Callable[..., np.ndarray]) -> Iterator[list[float]]:
    """Search for u in this way, and add up the processor's seconds; a fit must have one thread."""
    before, seconds = optimize._lbfgs, [0.0]

    def timed(*arguments: Any, **keywords: Any) -> np.ndarray:
        start = process_time()
        found = search(*arguments, **keywords)
        seconds[0] += process_time() - start
        return found

    optimize._lbfgs = timed
    try:
        yield seconds
    finally:
        optimize._lbfgs = before


@contextmanager
def counted() -> Iterator[list[int]]:
    """Count the values of J(u)."""
    count, call, descend = [0], Objective.__call__, Objective.descend

    def counting(*arguments: Any, **keywords: Any) -> tuple[float, np.ndarray]:
        count[0] += 1
        return call(*arguments, **keywords)

    def descending(*arguments: Any, **keywords: Any) -> tuple[np.ndarray, int]:
        # Ours computes them in the kernel, where nothing is called: it says how many.
        before = count[0]
        u, n_evaluations = descend(*arguments, **keywords)
        count[0] = before + n_evaluations
        return u, n_evaluations

    Objective.__call__ = counting  # type: ignore[method-assign]
    Objective.descend = descending  # type: ignore[method-assign]
    try:
        yield count
    finally:
        Objective.__call__ = call  # type: ignore[method-assign]
        Objective.descend = descend  # type: ignore[method-assign]


def compared(unit: str, call: Callable[[], Found], rtol: float, **details: Any) -> Prepared:
    """A call with our search beside the same call with SciPy's."""
    ways = {"ours": optimize._lbfgs, "peer": scipy_search}
    seconds: dict[str, list[float]] = {}

    def keep(name: str, value: float) -> None:
        seconds.setdefault(name, []).append(value)
        details[name] = statistics.median(seconds[name])

    def one(side: str) -> Found:
        start = process_time()
        with searching_by(ways[side]) as searching:
            found = call()
        keep(f"processor_{side}_s", process_time() - start)
        keep(f"search_{side}_s", searching[0])
        return found

    def check() -> None:
        for side in ways:
            with counted() as count:
                details[f"J_{side}"] = float(np.mean(one(side)))
            details[f"values_{side}"] = count[0]
        # Counting takes time.
        seconds.clear()
        agree("values of J(u)", details["J_ours"], details["J_peer"], rtol=rtol)

    return Prepared(partial(one, "ours"), unit, partial(one, "peer"), _PEER, check, None, details)


# ---- The search alone


@dataclass(frozen=True)
class Search:
    """Rows of which data, and the C of J(u)."""

    name: str
    read: Read
    n_draws: int | str = "exact"
    n_landmarks: int = 0
    C: float = 20.0


def features(one: Search) -> tuple[np.ndarray, np.ndarray, int]:
    """Rows of the first class against the rest, their signs, and the number of items."""
    X, y = one.read()
    first = y == y[0]
    made = StochasticFeatureMap(n_draws=one.n_draws, random_state=0).fit(X, first)
    [mapping] = made.mappings_
    items = made.preparation_.apply(X)
    keys = None if one.n_draws == "exact" else mapping.positive.content_keys(items)
    rows = mapping.features(items, one.n_draws, keys)
    if one.n_landmarks > 0:
        kernel = NystroemMap.of(rows, n_landmarks=one.n_landmarks, gamma=1.0, seed=0)
        rows = kernel.apply(rows, 1)
    signs = np.where(first, 1, -1).astype(np.int8)
    return rows, signs.repeat(len(rows) // len(y)), len(y)


def search(one: Search) -> Prepared:
    """Starts like those of a fit, and the descents from them."""
    rows, signs, n_items = features(one)
    objective = Objective(rows, signs, one.C, n_items)

    def call() -> Found:
        starts = [optimize.surrogate_minimum(objective), optimize.mean_direction(objective)]
        return [objective(optimize.minimise(objective, starts))[0]]

    details = {"n_rows": rows.shape[0], "n_columns": rows.shape[1], "C": one.C}
    return compared("s for one u", call, 1e-4, **details)


# ---- Whole fits


def objectives(model: Any) -> Found:
    """J(u) of every pair at the end."""
    return [pair.objective[-1] for pair in getattr(model, "best_estimator_", model).pairs_]


@dataclass(frozen=True)
class Fit:
    """A classifier and what it learns from."""

    name: str
    model: Any
    read: Read


def peptides() -> tuple[list[str], list[str]]:
    """The 618 peptides of the repository with their classes."""
    sequences, labels = [], []
    for path in sorted(_PEPTIDES.glob("*.fasta")):
        records = path.read_text(encoding="ascii").split(">")[1:]
        sequences += ["".join(record.split("\n")[1:]) for record in records]
        labels += [path.stem] * len(records)
    return sequences, labels


def fit(one: Fit) -> Prepared:
    """All of `fit`, on one thread."""
    X, y = one.read()
    model = one.model.set_params(random_state=0, n_jobs=1)
    return compared("s for one fit", lambda: objectives(model.fit(X, y)), 1e-3, n_items=len(y))


_TUMOURS = partial(load_breast_cancer, return_X_y=True)
_WINES = partial(load_wine, return_X_y=True)
FITS = (
    Fit("SFMClassifier, tumours", SFMClassifier(), _TUMOURS),
    Fit("SFMClassifier, tumours, 300 landmarks", SFMClassifier(n_landmarks=300), _TUMOURS),
    Fit("SFMClassifier, tumours, 5 draws", SFMClassifier(n_draws=5, coupling=1.0), _TUMOURS),
    Fit("SFMClassifierCV, wines", SFMClassifierCV(), _WINES),
    Fit("ProteinClassifier fast, peptides", ProteinClassifier.from_preset("fast"), peptides),
    Fit("ProteinClassifier best, peptides", ProteinClassifier(), peptides),
)
SEARCHES = (
    Search("178 wines", _WINES),
    Search("569 tumours", _TUMOURS),
    Search("569 tumours, 5 draws", _TUMOURS, n_draws=5),
    Search("569 tumours, 500 landmarks", _TUMOURS, n_landmarks=500, C=150.0),
)


def cases(searches: Sequence[Search] = SEARCHES, fits: Sequence[Fit] = FITS) -> list[Case]:
    """All cases."""
    return [
        *(Case(f"search for u, {one.name}", partial(search, one), "SciPy") for one in searches),
        *(Case(f"fit, {one.name}", partial(fit, one), "SciPy") for one in fits),
    ]


if __name__ == "__main__":
    main(cases(), __doc__)
