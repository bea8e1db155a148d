"""Named sets of parameters."""

from typing import Any

PRESETS: dict[str, dict[str, Any]] = {
    # What did best on training halves of real data: the classifier's defaults.
    "best": {},
    # The smaller models alone, whose forward-backward takes a quarter of the others', and
    # alignments with few references: those that are the best ones without gaps.
    "fast": {"n_states": 10, "reference_residues": 2_000_000, "most_aligned": 64},
    # Algorithm 1 with the paper's sizes: 10 states, 5 draws, full coupling, features as they
    # come, random starts. C is a number, since the C that minimises the bound leaves these
    # nearly parallel features at the larger class (docs/theory.md, section 7).
    "paper": {
        "n_states": 10,
        "n_directions": 0,
        "reference_residues": 0,
        "relative_weight": 0.3,
        "end_weight": 0.0,
        "length_weight": 0.0,
        "property_weight": 0.0,
        "n_landmarks": 0,
        "n_shared_models": 0,
        "n_pairs": 1,
        "n_draws": 5,
        "coupling": 1.0,
        "conditioning": False,
        "C": 200.0,
        "prior_fraction": 0.25,
        "unlabeled_weight": 1.0,
        "n_restarts": 10,
    },
}
"""Parameters of :class:`sfmbio.ProteinClassifier` by preset."""
