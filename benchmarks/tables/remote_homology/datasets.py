"""The benchmark of Liao and Noble: 54 families of SCOP 1.53, each a problem of its own."""

from pathlib import Path

import numpy as np

from benchmarks import data_folder
from benchmarks.tables.dataset import Dataset, Part
from sfmbio.reading.datasets import read_sequences
from sfmbio.reading.labels import parse_label_spec
from sfmbio.reading.report import ReadReport

NAMES = ("scop",)
GIVEN = {"scop": 54}
"""Families; each is a partition."""
MEMBER, OTHER = "superfamily", "other"
# What the table of families says of a sequence.
_TRAIN_MEMBER, _TRAIN_OTHER, _TEST_MEMBER, _TEST_OTHER = 1, 2, 3, 4


def load(name: str) -> Dataset:
    """Read the pool and its families.

    A family is to be told from other folds after the other families of its superfamily.

    Parameters
    ----------
    name : {"scop"}

    Returns
    -------
    Dataset
        Its labels are superfamilies; those of a part are `MEMBER` and `OTHER`.

    Raises
    ------
    ValueError
        If there is no such data set, or a sequence is not in the table of families.
    InputError
        If its files can't be read.
    """
    if name not in NAMES:
        raise ValueError(f"there is no data set {name!r}, only {', '.join(NAMES)}")
    folder = data_folder() / "proteins" / "scop_1_53"
    pool = read_sequences(
        [folder / "scop.1.53.1e-25.fasta"], ReadReport(), parse_label_spec("astral:superfamily")
    )
    source = "SCOP 1.53 at 1e-25 (ASTRAL), 54 families of Liao and Noble"
    parts = _parts(folder / "all_seq_fam_membership.txt", [one.id for one in pool.records])
    return Dataset(name, pool.batch, pool.labels, source, parts=parts)


def _parts(path: Path, ids: list[str]) -> tuple[Part, ...]:
    """Read a column of the table for each family, its rows in the order of the pool."""
    lines = [line.split() for line in path.read_text("ascii").splitlines() if line.strip()]
    families = lines[0][1:]
    roles_of = {line[0]: [int(field) for field in line[1:]] for line in lines[1:]}
    if missing := [one for one in ids if one not in roles_of]:
        raise ValueError(f"{path}: no row for {missing[0]}")
    roles = np.array([roles_of[one] for one in ids])
    return tuple(
        Part(
            np.flatnonzero(np.isin(role, (_TRAIN_MEMBER, _TRAIN_OTHER))),
            np.flatnonzero(np.isin(role, (_TEST_MEMBER, _TEST_OTHER))),
            family,
            np.where(np.isin(role, (_TRAIN_MEMBER, _TEST_MEMBER)), MEMBER, OTHER),
        )
        for family, role in zip(families, roles.T, strict=True)
    )
