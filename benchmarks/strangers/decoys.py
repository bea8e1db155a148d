"""Sequences that are no proteins, of the lengths of some that are."""

import numpy as np

RESIDUES = "ACDEFGHIKLMNPQRSTVWY"
# Codons in the order TTT, TTC, TTA, TTG, TCT, ...; an asterisk is a stop.
_TABLE = "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"
_SHORTEST = 30
_BASES = 30_000


def decoys(sequences: list[str], random: np.random.Generator) -> dict[str, list[str]]:
    """Decoys of every kind, as many of each as there are sequences.

    Parameters
    ----------
    sequences : list of str
    random : numpy.random.Generator
    """
    return {
        "shuffled": ["".join(random.permutation(list(one))) for one in sequences],
        "reversed": [one[::-1] for one in sequences],
        "six frames of random DNA": six_frames(len(sequences), random),
        "random letters": ["".join(random.choice(list(RESIDUES), len(s))) for s in sequences],
    }


def six_frames(number: int, random: np.random.Generator) -> list[str]:
    """Open reading frames of 30 residues or more in random DNA, in all six frames.

    Parameters
    ----------
    number : int
    random : numpy.random.Generator
    """
    codons = np.array(list(_TABLE))
    found: list[str] = []
    while len(found) < number:
        strand = random.integers(0, 4, _BASES)  # T, C, A, G
        for one in (strand, (strand[::-1] + 2) % 4):
            for frame in range(3):
                bases = one[frame : frame + 3 * ((len(one) - frame) // 3)].reshape(-1, 3)
                text = "".join(codons[bases @ [16, 4, 1]])
                found += [part for part in text.split("*") if len(part) >= _SHORTEST]
    return [found[place] for place in random.permutation(len(found))[:number]]
