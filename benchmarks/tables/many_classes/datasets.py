"""Enzymes of many classes, as codes of unaligned sequences."""

import numpy as np

from benchmarks import data_folder
from benchmarks.tables.dataset import Dataset, Part
from sfmbio.reading.datasets import read_sequences
from sfmbio.reading.labels import read_label_table
from sfmbio.reading.report import ReadReport
from sfmcore.data.ragged import Ragged

N_LARGEST = 30
NAMES = ("ec3", "ec3_largest")
GIVEN = {"ec3": 1, "ec3_largest": 1}
"""The sets come with a test part."""


def load(name: str) -> Dataset:
    """Read the enzymes of 118 classes, with the test part that was published.

    Parameters
    ----------
    name : {"ec3", "ec3_largest"}
        All classes, or the `N_LARGEST` with the most training sequences, for methods that
        take too long for all.

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
    folder = data_folder() / "proteins" / "ec3"
    parts = [
        read_sequences(
            [folder / f"{part}.fasta"], ReadReport(), read_label_table(folder / f"{part}.tsv")
        )
        for part in ("train", "test")
    ]
    labels = np.concatenate([part.labels for part in parts])
    items = Ragged.from_items(codes for part in parts for codes in part.batch)
    n_train = len(parts[0].labels)
    if name == "ec3_largest":
        classes, counts = np.unique(labels[:n_train], return_counts=True)
        # Of two classes of one size the first by name, on every machine.
        largest = classes[np.argsort(-counts, kind="stable")[:N_LARGEST]]
        kept = np.flatnonzero(np.isin(labels, largest))
        n_train = int(np.searchsorted(kept, n_train))
        labels, items = labels[kept], items[kept]
    places = np.arange(len(labels))
    return Dataset(
        name,
        items,
        labels,
        "Swiss-Prot enzymes of the split10 table of CLEAN, first three numbers of the EC number",
        parts=(Part(places[:n_train], places[n_train:]),),
    )
