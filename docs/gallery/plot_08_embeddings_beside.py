"""
Embeddings from elsewhere
=========================

A protein language model gives every sequence a vector. Such vectors can stand beside the features
of the hidden states: a small preparation of one's own puts them there, and says how much they
count.
"""

# %%
# Vectors to work with
# --------------------
# The package fetches no weights and runs no language model, and this example must run without one.
# So a vector of eleven numbers from Biopython stands in for the embedding: charge, hydrophobicity,
# flexibility and such. Load your own instead, one row for each sequence (means over the residues of
# ESM-2 or ProtT5, for example); everything below stays the same.

from pathlib import Path

import numpy as np
from Bio import SeqIO
from Bio.SeqUtils.ProtParam import ProteinAnalysis
from sklearn.model_selection import train_test_split

PEPTIDES = Path("../../data/peptides")  # as seen from docs/gallery


def embedding(sequence):
    """A stand-in for the vector of a language model."""
    analysis = ProteinAnalysis(sequence)
    helix, turn, sheet = analysis.secondary_structure_fraction()
    amphipathic = [
        abs(sum(np.exp(1j * np.deg2rad(angle) * place) * (residue in "AVILMFWYC")
                for place, residue in enumerate(sequence))) / len(sequence)
        for angle in (100, 160)
    ]  # fmt: skip
    return [
        analysis.charge_at_pH(7.0) / len(sequence), analysis.charge_at_pH(7.0), analysis.gravy(),
        analysis.aromaticity(), analysis.isoelectric_point(), analysis.instability_index(),
        helix, turn, sheet, *amphipathic,
    ]  # fmt: skip


sequences, labels = [], []
for label in ("antimicrobial", "random", "transmembrane"):
    for record in SeqIO.parse(PEPTIDES / f"{label}.fasta", "fasta"):
        sequences.append(str(record.seq))
        labels.append(label)
vectors = np.array([embedding(sequence) for sequence in sequences])

# %%
# A preparation that puts them beside
# -----------------------------------
# An input is a pair of a sequence and its vector. :class:`~sfmcore.preparation.base.Preparation`
# asks for three things. ``encode`` turns inputs into a batch, here a
# :class:`~sfmcore.data.with_vectors.WithVectors`: the codes are what the hidden Markov models see,
# the vectors stand beside. ``fit`` learns from the training items (here the columns' means and
# deviations), and what it returns has ``apply``. The length of a vector against 1, the length of
# the states' features, is its weight.

from dataclasses import dataclass

from sfmbio.sequences.encoding import encode_batch
from sfmcore.data.with_vectors import WithVectors
from sfmcore.preparation.base import FittedPreparation, Preparation


@dataclass(frozen=True)
class ScaledBeside(FittedPreparation):
    """Vectors in units of their columns' deviations, of one mean length."""

    mean: np.ndarray
    deviation: np.ndarray
    weight: float

    @property
    def n_vectors(self):
        """Columns beside the states."""
        return len(self.mean)

    def apply(self, items):
        """Scale a batch as the training items were."""
        scaled = np.clip((items.vectors - self.mean) / self.deviation, -3, 3)
        scaled *= self.weight / np.sqrt(len(self.mean))
        return WithVectors(items.items, scaled.astype(np.float32))

    def get_arrays(self):
        """For the model file."""
        return {"mean": self.mean, "deviation": self.deviation}


class EmbeddingBeside(Preparation):
    """Codes of sequences, and scaled vectors from elsewhere beside them."""

    makes_codes = True

    def __init__(self, weight=1.0):
        self.weight = weight

    def encode(self, X, estimator, *, reset=False):
        """Pairs of a sequence and a vector; a batch passes through."""
        if isinstance(X, WithVectors):
            return X
        strings, rows = zip(*X, strict=True)
        return WithVectors(encode_batch(list(strings)), np.array(rows, dtype=np.float32))

    def fit(self, items, weights, *, seed, n_threads):
        """Learn the scale of the columns."""
        seen = items.vectors[weights > 0].astype(np.float64)
        return ScaledBeside(seen.mean(axis=0), seen.std(axis=0) + 1e-9, self.weight)

    def of_arrays(self, arrays, n_threads):
        """From the model file."""
        return ScaledBeside(arrays["mean"], arrays["deviation"], self.weight)


# %%
# Does it help?
# -------------
# Hidden Markov models of ten states, with a Gaussian kernel on their features; vectors beside with
# several weights; and the vectors alone, with the same kernel classifier and with an SVM. Four
# random halves each.

from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from sfmbio.sequences.alphabet import N_SYMBOLS
from sfmcore import SFMClassifier
from sfmcore.features.column_kernel import ColumnKernel
from sfmcore.models.hmm import CategoricalHMM

X = np.empty(len(sequences), dtype=object)
X[:] = list(zip(sequences, vectors, strict=True))
y = np.array(labels)


def states_with(weight):
    """HMMs, and the vectors beside them."""
    return SFMClassifier(
        CategoricalHMM(10, N_SYMBOLS), EmbeddingBeside(weight), n_landmarks=300, gamma=0.7, C=100.0,
        random_state=0,
    )  # fmt: skip


methods = {
    "states": (states_with(1e-6), X),
    "states, vectors x 0.5": (states_with(0.5), X),
    "states, vectors x 1": (states_with(1.0), X),
    "states, vectors x 2": (states_with(2.0), X),
    "vectors, column kernel": (SFMClassifier(ColumnKernel(), C=100.0, random_state=0), vectors),
    "vectors, SVM": (make_pipeline(StandardScaler(), SVC(C=10.0)), vectors),
}
scores = {name: [] for name in methods}
for seed in range(4):
    train, test = train_test_split(np.arange(len(y)), test_size=0.5, stratify=y, random_state=seed)
    for name, (method, inputs) in methods.items():
        model = clone(method).fit(inputs[train], y[train])
        scores[name].append(100 * model.score(inputs[test], y[test]))
for name, values in scores.items():
    print(f"{name:24} {np.mean(values):.1f} ± {np.std(values, ddof=1):.1f}")

import matplotlib.pyplot as plt

figure, ax = plt.subplots(figsize=(7.5, 3.4), layout="constrained")
for place, (name, values) in enumerate(reversed(scores.items())):
    colour = "#E69F00" if name.startswith("vectors") else "#0072B2"
    ax.plot(values, np.full(4, place), "o", color=colour, alpha=0.6)
    ax.plot([np.mean(values)] * 2, [place - 0.3, place + 0.3], color=colour, linewidth=2.5)
ax.set_yticks(range(len(scores)), list(scores)[::-1])
ax.set(xlabel="right labels in per cent (points: halves, lines: means)")
ax.grid(axis="x", alpha=0.3)

# %%
# Here they hardly help: with half the weight of the states the mean is half a point higher, less
# than the halves differ by, and with twice the weight it is lower. These vectors say little that
# states of ten kinds of residues do not say; by themselves they are six points and more behind. A
# language model has seen millions of proteins and says more, but whether it does for your classes
# has to be measured in just this way: with it, without it, and alone. If the vectors alone are as
# good, use them with :class:`~sfmcore.SFMClassifierCV` or an SVM, and leave the rest out.
#
# The model can be saved, and is loaded with the preparation's class named, since a file can't name
# code to run:

import tempfile

model = states_with(0.5).fit(X[train], y[train])
with tempfile.TemporaryDirectory() as folder:
    model.save(Path(folder, "beside.sfm"))
    again = SFMClassifier.load(Path(folder, "beside.sfm"), types=[EmbeddingBeside])
print("the same labels:", np.array_equal(again.predict(X[test]), model.predict(X[test])))
