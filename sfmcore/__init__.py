"""Stochastic feature mapping for PAC-Bayes classification: kernels, models and estimators."""

__version__ = "0.1.0"

# Below the version: the model file, further down, asks for it.
from sfmcore.classifier import SFMClassifier
from sfmcore.classifier_cv import SFMClassifierCV
from sfmcore.transformer import StochasticFeatureMap

__all__ = ["SFMClassifier", "SFMClassifierCV", "StochasticFeatureMap", "__version__"]
