"""Antimicrobial peptides and decoys with their published parts."""

import numpy as np

from benchmarks import data_folder
from benchmarks.tables.dataset import Dataset, Part
from sfmbio.reading.datasets import read_sequences
from sfmbio.reading.labels import parse_label_spec
from sfmbio.reading.report import ReadReport

NAMES = ("amp",)
GIVEN = {"amp": 1}
PEPTIDE = "peptide"
_KINDS = {"AMP": PEPTIDE, "DECOY": "decoy"}
_TRAINING, _TESTING = ("tr", "eval"), ("te",)


def load(name: str) -> Dataset:
    """Read the peptides: learnt from are the training and the tuning part.

    Parameters
    ----------
    name : {"amp"}

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
    folder = data_folder() / "proteins" / "amp_veltri"
    batch, labels, counts = None, [], []
    for parts in (_TRAINING, _TESTING):
        for part in parts:
            for kind, label in _KINDS.items():
                file = folder / f"{kind}.{part}.fa"
                found = read_sequences([file], ReadReport(), parse_label_spec("file")).batch
                batch = found if batch is None else batch.joined(found)
                labels += [label] * len(found)
        counts.append(len(labels))
    places = np.arange(len(labels))
    source = "antimicrobial peptides and decoys (Veltri et al., Bioinformatics 34, 2018)"
    published = Part(places[: counts[0]], places[counts[0] :])
    return Dataset(name, batch, np.array(labels), source, parts=(published,))
