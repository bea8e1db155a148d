"""Two sets of proteins by location, as codes of unaligned sequences."""

import numpy as np

from benchmarks import data_folder
from benchmarks.tables.dataset import Dataset, Part
from sfmbio.reading.datasets import read_sequences
from sfmbio.reading.labels import parse_label_spec
from sfmbio.reading.report import ReadReport
from sfmcore.evaluation.folds import stratified_folds

_SOURCES = {
    "multiloc": "Swiss-Prot, eleven locations: MultiLoc (Hoeglund et al., Bioinformatics 22, 2006)",
    "subcellular": "Swiss-Prot, four locations of eukaryotes",
}
NAMES = tuple(_SOURCES)
GIVEN = {"multiloc": 5}
"""Folds, drawn with seed 0 whatever that of the table is."""


def load(name: str) -> Dataset:
    """Read a set; a file is a class.

    Parameters
    ----------
    name : {"multiloc", "subcellular"}

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
    folder = data_folder() / "proteins" / name
    found = read_sequences([str(folder)], ReadReport(), parse_label_spec("file"))
    numbers = np.unique(found.labels, return_inverse=True)[1]
    folds = stratified_folds(numbers, GIVEN[name], 0) if name in GIVEN else []
    parts = tuple(Part(train, test) for train, test in folds)
    return Dataset(name, found.batch, found.labels, _SOURCES[name], parts=parts)
