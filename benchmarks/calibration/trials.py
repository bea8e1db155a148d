"""What classifiers say of the test items of a partition, and what came true."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

from benchmarks import data_folder
from benchmarks.tables.dataset import Dataset
from benchmarks.tables.many_classes.datasets import load as load_enzymes
from benchmarks.tables.scenes.datasets import load as load_scenes
from benchmarks.tables.scenes.methods import kept
from benchmarks.tables.vectors.datasets import NAMES as VECTORS
from benchmarks.tables.vectors.datasets import load as load_vectors
from sfmbio import ProteinClassifier
from sfmbio.reading.datasets import groups_of, read_sequences
from sfmbio.reading.labels import parse_label_spec
from sfmbio.reading.report import ReadReport
from sfmcore import SFMClassifierCV
from sfmcore.evaluation.halves import half_split
from sfmcore.parallel.progress import progress
from sfmvision import SceneClassifier

COVERAGES = (0.9, 0.95)


@dataclass
class Said:
    """Probabilities of the test items of all partitions, one after another.

    Attributes
    ----------
    shares : list of ndarray of shape (n_test, n_classes)
    truth : list of ndarray of shape (n_test,)
        Places of the true classes.
    sets : list of ndarray of shape (n_coverages, n_test, n_classes), bool
        Empty for a method that makes none.
    """

    shares: list[np.ndarray] = field(default_factory=list)
    truth: list[np.ndarray] = field(default_factory=list)
    sets: list[np.ndarray] = field(default_factory=list)


@dataclass(frozen=True)
class Task:
    """A data set, its parts, and what is tried on it.

    Attributes
    ----------
    name : str
    X : batch of items
    y : ndarray of str of shape (n_items,)
    parts : callable
        From a number of partitions and a seed, (train, test) of each.
    methods : dict of str to callable
        From a seed, an unfitted classifier.
    groups : sequence, optional
        Kept together by the parts, and known to `fit`.
    """

    name: str
    X: Any
    y: np.ndarray
    parts: Callable[[int, int], Iterator[tuple[np.ndarray, np.ndarray]]]
    methods: dict[str, Callable[[int], Any]]
    groups: Sequence[Any] | None = None


def tasks_of(domain: str, group_by: str | None) -> Iterator[Task]:
    """All tasks of a domain.

    Parameters
    ----------
    domain : {"proteins", "enzymes", "scenes", "vectors"}
    group_by : str or None
        Of proteins: what is held out as a whole.
    """
    if domain == "proteins":
        yield _proteins(group_by)
    elif domain == "enzymes":
        data = load_enzymes("ec3")
        (part,) = data.parts
        yield Task(
            "ec3", data.X, data.y, lambda n, seed: iter([(part.train, part.test)]), _of_proteins()
        )
    elif domain == "scenes":
        ours = {"sfm": lambda seed: SceneClassifier(cache=kept(), random_state=seed, n_jobs=-1)}
        yield _halved(load_scenes("scenes"), ours)
    else:
        for name in VECTORS:
            yield _halved(load_vectors(name), _OF_VECTORS)


_OF_VECTORS: dict[str, Callable[[int], Any]] = {
    "sfm": lambda seed: SFMClassifierCV(random_state=seed, n_jobs=-1),
    "forest": lambda seed: RandomForestClassifier(500, random_state=seed),
    "boosting": lambda seed: GradientBoostingClassifier(random_state=seed),
}


def _of_proteins() -> dict[str, Callable[[int], Any]]:
    return {"sfm": lambda seed: ProteinClassifier(random_state=seed, n_jobs=-1)}


def _halved(data: Dataset, methods: dict[str, Callable[[int], Any]]) -> Task:
    return Task(data.name, data.X, data.y, _halves(data.y, None), methods)


def _proteins(group_by: str | None) -> Task:
    folder = str(data_folder() / "proteins" / "four_class")
    found = read_sequences([folder], ReadReport(), parse_label_spec("file"))
    y = np.array(found.labels)
    groups = None if group_by is None else groups_of(found, group_by)
    name = "four_class" if group_by is None else f"four_class by {group_by}"
    return Task(name, found.batch, y, _halves(y, groups), _of_proteins(), groups)


def _halves(y: np.ndarray, groups: Sequence[Any] | None) -> Callable[..., Iterator[Any]]:
    def parts(partitions: int, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for partition in range(partitions):
            yield half_split(y, groups, np.random.default_rng([seed, partition]))

    return parts


def said(task: Task, partitions: int, seed: int) -> dict[str, Said]:
    """What every method says of the test items of all partitions.

    Parameters
    ----------
    task : Task
    partitions : int
    seed : int
    """
    found = {name: Said() for name in task.methods}
    parts = list(task.parts(partitions, seed))
    shown = progress(parts, task.name, total=len(parts))
    for number, (train, test) in enumerate(shown):
        for name, make in task.methods.items():
            model = make(number)
            more = {}
            if task.groups is not None:
                more["groups"] = [task.groups[item] for item in train]
            model.fit(task.X[train], task.y[train], **more)
            items = task.X[test]
            shares = model.predict_proba(items)
            own = found[name]
            own.shares.append(shares)
            own.truth.append(np.searchsorted(model.classes_, task.y[test]))
            if hasattr(model, "sets_of"):
                own.sets.append(np.array([model.sets_of(shares, c) for c in COVERAGES]))
    return found
