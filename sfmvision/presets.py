"""Named sets of parameters."""

from typing import Any

PRESETS: dict[str, dict[str, Any]] = {
    # What did best on training halves of real scenes: the classifier's defaults.
    "best": {},
    # Algorithm 1 with the paper's sizes: 50 words, 50 topics, a grid of 20 x 20 patches over 4
    # scales, 5 draws, full coupling, features as they come, nothing beside them.
    "paper": {
        "grid": (20, 20),
        "step": None,
        "bin_sizes": (4, 6, 8, 10),
        "root": False,
        "colour": "grey",
        "n_words": 50,
        "n_topics": 50,
        "n_gaussians": 0,
        "levels": (),
        "n_landmarks": 0,
        "n_pairs": 1,
        "n_draws": 5,
        "coupling": 1.0,
        "conditioning": False,
        "C": 200.0,
        "prior_fraction": 0.25,
        "unlabeled_weight": 1.0,
        "n_restarts": 10,
        # A proposal is a chain of sweeps over an image's tokens, and costs far more than one of an
        # HMM: 50 of them in 20 turns take an hour for one half of 2,688 images.
        "max_proposals": 10,
        "max_iter": 5,
    },
}
"""Parameters of :class:`sfmvision.SceneClassifier` by preset."""
