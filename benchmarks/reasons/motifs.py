r"""Planted motifs: whether evidence finds zinc fingers in random sequences.

Sequences of one class hold the pattern C-x(2,4)-C-x(3)-[LIVMFYWC]-x(8)-H-x(3,5)-H so many times, at
random places; those of the other do not. AUROC says how well evidence tells the residues of the
pattern from all others of a sequence, over test sequences that are told right: the five residues
that the pattern names, its four ligands of zinc alone, and all from its first C to its last H.

    python -m benchmarks.reasons.motifs [--length 150] [--copies 1 3] [--train 300] [--test 100] \
        [--preset best] [--seed 0]
"""

import argparse

import numpy as np
from sklearn.metrics import roc_auc_score

from sfmbio.alignments.profiles import BACKGROUND
from sfmbio.classifier import ProteinClassifier
from sfmbio.sequences.alphabet import RESIDUES

_LETTERS = np.array(list(RESIDUES))
_SHARES = BACKGROUND / BACKGROUND.sum()
_HYDROPHOBIC = np.array(list("LIVMFYWC"))


def finger(random: np.random.Generator) -> tuple[list[str], list[int]]:
    """Letters of one finger, and the places of its five named residues, the third not C or H."""
    gaps = [int(random.integers(2, 5)), 3, 8, int(random.integers(3, 6))]
    named = ["C", "C", str(random.choice(_HYDROPHOBIC)), "H", "H"]
    letters, places = [named[0]], [0]
    for gap, residue in zip(gaps, named[1:], strict=True):
        letters += random.choice(_LETTERS, gap, p=_SHARES).tolist()
        places.append(len(letters))
        letters.append(residue)
    return letters, places


def planted(random: np.random.Generator, length: int, copies: int) -> tuple[str, np.ndarray]:
    """A random sequence with fingers, and marks of their ligands, named and all their residues."""
    text = random.choice(_LETTERS, length, p=_SHARES)
    marks = np.zeros((3, length), dtype=bool)
    ligands, named, spans = marks
    done = 0
    while done < copies:
        letters, places = finger(random)
        start = int(random.integers(0, length - len(letters) + 1))
        if spans[start : start + len(letters)].any():
            continue
        text[start : start + len(letters)] = letters
        ligands[start + np.array([places[k] for k in (0, 1, 3, 4)])] = True
        named[start + np.array(places)] = True
        spans[start : start + len(letters)] = True
        done += 1
    return "".join(text), marks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--length", type=int, default=150)
    parser.add_argument("--copies", type=int, nargs="+", default=[1, 3])
    parser.add_argument("--train", type=int, default=300, help="sequences of each class")
    parser.add_argument("--test", type=int, default=100, help="sequences of the class with motifs")
    parser.add_argument("--preset", default="best")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print("copies  told right   AUROC of ligands   named residues    whole fingers   (pooled)")
    for copies in options.copies:
        random = np.random.default_rng(options.seed)
        with_it = [planted(random, options.length, copies) for _ in range(options.train)]
        plain = [planted(random, options.length, 0)[0] for _ in range(options.train)]
        tested = [planted(random, options.length, copies) for _ in range(options.test)]
        model = ProteinClassifier.from_preset(options.preset, random_state=options.seed, n_jobs=1)
        model.fit(
            [text for text, _ in with_it] + plain,
            ["finger"] * options.train + ["random"] * options.train,
        )
        found = model.explain([text for text, _ in tested])
        right = np.flatnonzero(found.label == "finger")
        figures = [f"{copies:6d}{len(right) / len(tested):12.0%}"]
        for row in range(3):
            each = [roc_auc_score(tested[k][1][row], found[k]) for k in right]
            pooled = roc_auc_score(
                np.concatenate([tested[k][1][row] for k in right]),
                np.concatenate([found[k] for k in right]),
            )
            figures.append(f"{np.mean(each):10.3f} ({pooled:.3f})")
        print("".join(figures), flush=True)


if __name__ == "__main__":
    main()
