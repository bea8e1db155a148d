"""Sequences to learn from and to explain, and what a model says of changed ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import data_folder
from sfmbio.classifier import ProteinClassifier
from sfmbio.reading.datasets import read_sequences
from sfmbio.reading.labels import parse_label_spec
from sfmbio.reading.report import ReadReport
from sfmbio.sequences.alphabet import UNKNOWN
from sfmcore.data.ragged import Ragged


@dataclass(frozen=True)
class Part:
    """Sequences with labels."""

    items: Ragged
    labels: np.ndarray

    def __getitem__(self, places: np.ndarray) -> "Part":
        return Part(self.items[places], self.labels[places])


def halves(name: str, most: int, seed: int) -> tuple[Part, Part]:
    """A training and a test part of a protein set, of every class at most so many in each."""
    folder: Path = data_folder() / "proteins" / name
    if not folder.is_dir():
        raise SystemExit(f"no data at {folder}")
    read = read_sequences([str(folder)], ReadReport(), parse_label_spec("file"))
    whole = Part(read.batch, np.array(read.labels))
    random = np.random.default_rng(seed)
    trained, tested = [], []
    for label in np.unique(whole.labels):
        places = random.permutation(np.flatnonzero(whole.labels == label))
        size = min(most, len(places) // 2)
        trained.append(places[:size])
        tested.append(places[size : 2 * size])
    return whole[np.sort(np.concatenate(trained))], whole[np.sort(np.concatenate(tested))]


def told_right(model: ProteinClassifier, part: Part, most: int, seed: int) -> Part:
    """Sequences whose label the model finds, so many of them."""
    right = np.flatnonzero(model.predict(part.items) == part.labels)
    picked = np.random.default_rng(seed).permutation(right)[:most]
    return part[np.sort(picked)]


def margins(
    model: ProteinClassifier, items: Ragged, labels: np.ndarray, others: np.ndarray
) -> np.ndarray:
    """Scores of given labels less those of given others, whatever is predicted."""
    scores = model.decision_function(items)
    if scores.ndim == 1:
        return np.where(labels == model.classes_[1], scores, -scores)
    rows = np.arange(len(items))
    own, other = (np.searchsorted(model.classes_, names) for names in (labels, others))
    return scores[rows, own] - scores[rows, other]


def masked(codes: np.ndarray, places: np.ndarray) -> np.ndarray:
    """A sequence with some residues unknown."""
    changed = codes.copy()
    changed[places] = UNKNOWN
    return changed


def without(codes: np.ndarray, places: np.ndarray) -> np.ndarray:
    """A sequence with some residues cut out."""
    return np.delete(codes, places)


def batch(sequences: Sequence[np.ndarray]) -> Ragged:
    return Ragged.from_items(sequences)
