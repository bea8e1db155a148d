"""Four classes of SCOP 1.53 learnt; the other three, and decoys, asked."""

from collections.abc import Iterator

import numpy as np

from benchmarks import data_folder
from benchmarks.strangers.case import Case
from benchmarks.strangers.decoys import decoys
from sfmbio import ProteinClassifier
from sfmbio.reading.astral import Sccs, parse_sccs
from sfmcore.evaluation.halves import half_split

KNOWN = ("1", "2", "3", "7")
_MOST_DECOYS = 500


def cases(n_halves: int, seed: int) -> Iterator[Case]:
    """Random halves of the four classes, each with the same strangers and decoys of its own."""
    sequences, places = read()
    classes = np.array([place.scop_class for place in places])
    known = np.isin(classes, KNOWN)
    strangers = [sequences[place] for place in np.flatnonzero(~known)]
    own = [sequences[place] for place in np.flatnonzero(known)]
    labels = classes[known]
    for half in range(seed, seed + n_halves):
        random = np.random.default_rng([half])
        train, test = half_split(labels, None, random)
        sample = [own[place] for place in random.permutation(test)[:_MOST_DECOYS]]
        yield Case(
            f"proteins, half {half}",
            ProteinClassifier(random_state=half, n_jobs=1),
            [own[place] for place in train],
            labels[train],
            [own[place] for place in test],
            {"SCOP classes 4 to 6": strangers, **decoys(sample, random)},
        )


def read() -> tuple[list[str], list[Sccs]]:
    """All sequences of the pool, and where in SCOP each is."""
    path = data_folder() / "proteins" / "scop_1_53" / "scop.1.53.1e-25.fasta"
    sequences, places = [], []
    for record in ("\n" + path.read_text("ascii")).split("\n>")[1:]:
        header, _, residues = record.partition("\n")
        sequences.append(residues.replace("\n", "").upper())
        places.append(parse_sccs(header))
    return sequences, places
