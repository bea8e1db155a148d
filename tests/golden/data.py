"""Small data that is the same everywhere: what scikit-learn brings, peptides, images made here."""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, load_wine

_PEPTIDES = Path(__file__).parents[2] / "data" / "peptides"
_KINDS = ("bricks", "noise", "stripes")


def wine() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Three classes, 13 columns: 89 training items with their labels, and 30 others."""
    X, y = load_wine(return_X_y=True)
    return X[::2], y[::2], X[1::6]


def tumours() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two classes, 30 columns: 143 training items with their labels, and 48 others."""
    X, y = load_breast_cancer(return_X_y=True)
    names = np.array(["malignant", "benign"])
    return X[::4], names[y[::4]], X[1::12]


def peptides() -> tuple[list[str], list[str], list[str]]:
    """Twenty training sequences of each of three classes with their labels, and ten others."""
    training, labels, others = [], [], []
    for name in ("antimicrobial", "random", "transmembrane"):
        records = (_PEPTIDES / f"{name}.fasta").read_text(encoding="ascii").split(">")[1:]
        sequences = ["".join(record.split("\n")[1:]) for record in records]
        training += sequences[:20]
        labels += [name] * 20
        others += sequences[20:30]
    return training, labels, others


def tile(kind: str, number: int, side: int = 48) -> np.ndarray:
    """An RGB texture. From whole numbers alone, so that its pixels are the same everywhere."""
    random = np.random.default_rng([number, _KINDS.index(kind)])
    row, column = np.mgrid[:side, :side] + random.integers(0, 40, (2, 1, 1))
    size = int(random.integers(6, 10))
    if kind == "bricks":
        shifted = column + (row // size % 2) * size
        grey = 60 + 120 * ((row % size > 0) & (shifted % (2 * size) > 1))
    elif kind == "noise":
        cells = random.integers(0, 256, (side // 3, side // 3))
        grey = cells.repeat(3, axis=0).repeat(3, axis=1)
    else:
        grey = 50 + 150 * ((column + row // 4) // (size // 2) % 2)
    grain = random.integers(-12, 13, (side, side))
    tint = random.integers(-20, 21, 3)
    tint += (15 * (kind == "bricks"), 0, 15 * (kind == "stripes"))
    return ((grey + grain)[..., None] + tint).clip(0, 255).astype(np.uint8)


def tiles() -> tuple[list[np.ndarray], list[str], list[np.ndarray]]:
    """Eight training images of each of three textures with their labels, and four others."""
    training = [tile(kind, number) for kind in _KINDS for number in range(8)]
    others = [tile(kind, number) for kind in _KINDS for number in range(8, 12)]
    return training, [kind for kind in _KINDS for _ in range(8)], others
