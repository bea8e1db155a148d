"""
A first model
=============

We train a classifier of peptides on one half of 618 sequences, ask it about the other half, and
look at how often it is right, whether it knows how often, and what a label rests on.
"""

# %%
# The data
# --------
# ``data/peptides`` holds 206 peptides of each of three classes: antimicrobial ones, pieces of
# transmembrane helices, and random cuts from proteins. They are short (8 to 56 residues), are not
# aligned, and need no alignment.

from itertools import pairwise
from pathlib import Path

from Bio import SeqIO
from sklearn.model_selection import train_test_split

PEPTIDES = Path("../../data/peptides")  # as seen from docs/gallery

ids, sequences, labels = [], [], []
for label in ("antimicrobial", "random", "transmembrane"):
    for record in SeqIO.parse(PEPTIDES / f"{label}.fasta", "fasta"):
        ids.append(record.id)
        sequences.append(str(record.seq))
        labels.append(label)

train, test, y, y_test, train_ids, _ = train_test_split(
    sequences, labels, ids, test_size=0.5, stratify=labels, random_state=0
)

# %%
# Train and test
# --------------
# :class:`~sfmbio.ProteinClassifier` is a scikit-learn classifier whose inputs are strings. With
# the same ``random_state`` the result has the same bits, whatever ``n_jobs`` is.

from sfmbio import ProteinClassifier

model = ProteinClassifier(random_state=0).fit(train, y, ids=train_ids)
print(f"right labels in the other half: {model.score(test, y_test):.3f}")

# %%
# The same from a shell, where the name of each file is the label of its sequences:
#
# .. code-block:: console
#
#    $ sfmbio train data/peptides -o peptides.sfm
#    $ sfmbio predict peptides.sfm new.fasta -o table.tsv
#
# One half says little by itself: ``sfmbio evaluate data/peptides`` repeats it on 20 random halves,
# and reports the mean and the deviation.
#
# Where it errs, and whether it knows
# -----------------------------------
# On the left, test peptides by their true and their predicted class. On the right, the peptides
# are sorted by the confidence of their label: for every group the share of right labels is drawn
# against the mean confidence. On the dashed line a confidence of 0.8 means that 80 of 100 are
# right. The bars are 95 % intervals of these shares (Wilson): the groups with little confidence
# are small, and a curve from some thirty peptides proves little.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import ConfusionMatrixDisplay

probabilities = model.predict_proba(test)
confidence = probabilities.max(axis=1)
predicted = model.classes_[probabilities.argmax(axis=1)]
right = predicted == np.array(y_test)

figure, (left, beside) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
ConfusionMatrixDisplay.from_predictions(
    y_test, predicted, ax=left, cmap="Blues", colorbar=False, xticks_rotation=20
)
left.set_title("test peptides")

edges = [0.0, 0.6, 0.8, 0.9, 0.95, 1.0]
for low, high in pairwise(edges):
    inside = (confidence > low) & (confidence <= high)
    n, share = inside.sum(), right[inside].mean()
    middle = (share + 1.92 / n) / (1 + 3.84 / n)
    half = 1.96 * np.sqrt(share * (1 - share) / n + 0.96 / n**2) / (1 + 3.84 / n)
    where = confidence[inside].mean()
    beside.plot([where, where], [middle - half, middle + half], color="#0072B2")
    beside.plot(where, share, "o", color="#0072B2")
    beside.annotate(f"{n}", (where, share), (-6, 6), textcoords="offset points", ha="right")
beside.plot([0.4, 1], [0.4, 1], "--", color="0.4")
beside.set(
    xlabel="mean confidence", ylabel="share of right labels", title="with numbers of peptides"
)

# %%
# Mistakes are mostly between random and transmembrane peptides, in either direction. That is to be
# expected: a hydrophobic cut from a protein looks like a piece of a membrane helix, and it may be
# one, since nobody has tested that it is not.
#
# What a label rests on
# ---------------------
# ``explain`` gives every residue its share of the score: above 0 it speaks for the label, below 0
# for the runner-up. We ask about magainin 2 of the clawed frog, and sum up by residue. ``nearest``
# names the training peptide whose alignment scores highest.

magainin = "GIGKFLHSAKKFGKAFVGEIMNS"
found = model.explain([magainin])
print(f"{found.label[0]}, not {found.runner_up[0]}")
for residue in "KGFE":
    mean = np.mean([e for r, e in zip(magainin, found[0], strict=True) if r == residue])
    print(f"a residue {residue} counts {mean:+.2f} in the mean")
near = model.nearest([magainin])
print(
    f"nearest: {near.ids[0]}, {near.identity[0]:.0%} identical columns, "
    f"E-value {near.e_value[0]:.1f}"
)

# %%
# Its lysines (K) speak for an antimicrobial peptide, its glycines (G) against. The most similar
# training peptide is of another class, and an E-value of that size says that chance explains the
# similarity: the label rests on composition, and not on a relative. :doc:`/explain` looks into a
# mistake in this way.
#
# Save it
# -------
# A model file holds arrays and JSON and no code, and ``sfmbio predict`` takes it too.

import tempfile

with tempfile.TemporaryDirectory() as folder:
    model.save(Path(folder, "peptides.sfm"))
    again = ProteinClassifier.load(Path(folder, "peptides.sfm"))
print("the same labels:", np.array_equal(again.predict(test), predicted))
