"""Sets of proteins with many classes, as codes of unaligned sequences."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks import data_folder
from benchmarks.tables.dataset import Dataset
from sfmbio.reading.datasets import Sequences, read_sequences
from sfmbio.reading.labels import LabelSource, parse_label_spec, read_label_table
from sfmbio.reading.report import ReadReport
from sfmcore.data.ragged import Ragged

# Superfamilies of fewer records are left out.
SMALLEST = 10


def _read(fasta: Path, labels: LabelSource) -> Sequences:
    return read_sequences([fasta], ReadReport(), labels)


def _ec3(folder: Path) -> Dataset:
    """Enzymes of 118 classes, with the test part that was published."""
    parts = [
        _read(folder / f"{part}.fasta", read_label_table(folder / f"{part}.tsv"))
        for part in ("train", "test")
    ]
    n_train, n_test = (len(part.labels) for part in parts)
    places = np.arange(n_train + n_test)
    return Dataset(
        "ec3",
        Ragged.from_items(codes for part in parts for codes in part.batch),
        np.concatenate([part.labels for part in parts]),
        "Swiss-Prot enzymes of the split10 table of CLEAN, first three numbers of the EC number",
        split=(places[:n_train], places[n_train:]),
    )


def _superfamilies(folder: Path) -> Dataset:
    """Domains of the superfamilies with at least `SMALLEST` records."""
    pool = _read(folder / "scop.1.53.1e-25.fasta", parse_label_spec("astral:superfamily"))
    counts = pool.counts()
    kept = np.flatnonzero([counts[label] >= SMALLEST for label in pool.labels.tolist()])
    source = f"SCOP 1.53 at 1e-25 (ASTRAL): superfamilies with at least {SMALLEST} domains"
    return Dataset("superfamilies", pool.batch[kept], pool.labels[kept], source)


_LOADERS: dict[str, tuple[Callable[[Path], Dataset], str]] = {
    "ec3": (_ec3, "ec3"),
    "superfamilies": (_superfamilies, "scop_1_53"),
}
NAMES = tuple(_LOADERS)
PUBLISHED = frozenset({"ec3"})
"""Sets that come with a test part."""


def load(name: str) -> Dataset:
    """Read a set.

    Parameters
    ----------
    name : {"ec3", "superfamilies"}

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
    if name not in _LOADERS:
        raise ValueError(f"there is no data set {name!r}, only {', '.join(NAMES)}")
    read, folder = _LOADERS[name]
    return read(data_folder() / "proteins" / folder)
