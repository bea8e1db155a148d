"""The systems that stochastic feature mapping is compared with, as estimators of scikit-learn."""

from sfmcore.baselines.fess import FESS, free_energy_terms
from sfmcore.baselines.fisher import FisherScore, fisher_scores
from sfmcore.baselines.lmkl import LMKLClassifier
from sfmcore.baselines.map_classifier import MAPClassifier
from sfmcore.baselines.pbgd3 import PBGD3Classifier

__all__ = [
    "FESS",
    "FisherScore",
    "LMKLClassifier",
    "MAPClassifier",
    "PBGD3Classifier",
    "fisher_scores",
    "free_energy_terms",
]
