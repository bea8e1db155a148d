"""Enzymes of many classes, as codes of unaligned sequences."""

import numpy as np

from benchmarks import data_folder
from benchmarks.tables.dataset import Dataset, Part
from sfmbio.reading.datasets import read_sequences
from sfmbio.reading.labels import read_label_table
from sfmbio.reading.report import ReadReport
from sfmcore.data.ragged import Ragged

NAMES = ("ec3",)
GIVEN = {"ec3": 1}
"""The set comes with a test part."""


def load(name: str) -> Dataset:
    """Read the enzymes of 118 classes, with the test part that was published.

    Parameters
    ----------
    name : {"ec3"}

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
    n_train, n_test = (len(part.labels) for part in parts)
    places = np.arange(n_train + n_test)
    return Dataset(
        "ec3",
        Ragged.from_items(codes for part in parts for codes in part.batch),
        np.concatenate([part.labels for part in parts]),
        "Swiss-Prot enzymes of the split10 table of CLEAN, first three numbers of the EC number",
        parts=(Part(places[:n_train], places[n_train:]),),
    )
