"""The four protein classes of the paper, as codes of unaligned sequences."""

from benchmarks import data_folder
from benchmarks.tables.dataset import Dataset
from sfmbio.reading.datasets import read_sequences
from sfmbio.reading.labels import parse_label_spec
from sfmbio.reading.report import ReadReport

NAMES = ("proteins",)


def load(name: str) -> Dataset:
    """Read the domain sequences of the four classes.

    Parameters
    ----------
    name : {"proteins"}

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
    folder = data_folder() / "proteins" / "four_class"
    sequences = read_sequences([str(folder)], ReadReport(), parse_label_spec("file"))
    source = "SCOP 1.53 at 1e-25 (ASTRAL): classes 1, 2, 3 and 7, 3,440 domains"
    return Dataset(name, sequences.batch, sequences.labels, source)
