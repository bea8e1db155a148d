"""Labels that are made wrong."""

import numpy as np
import numpy.typing as npt

Labels = npt.NDArray[np.str_]

KINDS = ("uniform", "pairs")
PAIRS = {
    "four_class": {
        "metabolism": "information",
        "information": "metabolism",
        "intracellular": "information",
        "extracellular": "metabolism",
    },
    "peptides": {
        "antimicrobial": "random",
        "random": "antimicrobial",
        "transmembrane": "random",
    },
    "breast_cancer": {"malignant": "benign", "benign": "malignant"},
    "scenes": {
        "coast": "opencountry",
        "opencountry": "coast",
        "forest": "mountain",
        "mountain": "opencountry",
        "highway": "coast",
        "insidecity": "street",
        "street": "insidecity",
        "tallbuilding": "insidecity",
    },
}
"""The class that each is easily taken for, by data set."""
# Apart from the streams of the classifiers.
_FLIPS = 20221130


def flipped(name: str, truth: Labels, kind: str, share: float, seed: int) -> Labels:
    """Labels of which a share is wrong.

    Parameters
    ----------
    name : str
        Of the data set.
    truth : ndarray of str, shape (n_items,)
    kind : {"uniform", "pairs"}
        Any other class with equal probability, or the one that is easily taken for it.
    share : float
    seed : int
    """
    random = np.random.default_rng([seed, _FLIPS])
    labels = truth.copy()
    classes = np.unique(truth)
    for item in random.permutation(len(truth))[: round(share * len(truth))]:
        if kind == "uniform":
            labels[item] = random.choice(classes[classes != truth[item]])
        else:
            labels[item] = PAIRS[name][str(truth[item])]
    return labels
