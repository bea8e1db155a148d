"""Domains of SCOP 1.53 by superfamily and by fold, as codes of unaligned sequences."""

import numpy as np

from benchmarks import data_folder
from benchmarks.tables.dataset import Dataset
from sfmbio.reading.datasets import read_sequences
from sfmbio.reading.labels import parse_label_spec
from sfmbio.reading.report import ReadReport

# Classes of fewer records are left out.
SMALLEST = 10
_LEVELS = {"superfamilies": "superfamily", "folds": "fold"}
NAMES = tuple(_LEVELS)


def load(name: str) -> Dataset:
    """Read the domains of the superfamilies, or folds, with at least `SMALLEST` records.

    Parameters
    ----------
    name : {"superfamilies", "folds"}

    Returns
    -------
    Dataset
        Its items are the codes of :mod:`sfmbio.sequences.alphabet`.

    Raises
    ------
    ValueError
        If there is no such data set.
    InputError
        If its files can't be read.
    """
    if name not in NAMES:
        raise ValueError(f"there is no data set {name!r}, only {', '.join(NAMES)}")
    path = data_folder() / "proteins" / "scop_1_53" / "scop.1.53.1e-25.fasta"
    pool = read_sequences([path], ReadReport(), parse_label_spec(f"astral:{_LEVELS[name]}"))
    counts = pool.counts()
    kept = np.flatnonzero([counts[label] >= SMALLEST for label in pool.labels.tolist()])
    source = f"SCOP 1.53 at 1e-25 (ASTRAL): {name} with at least {SMALLEST} domains"
    return Dataset(name, pool.batch[kept], pool.labels[kept], source)
