"""Stochastic feature mapping for PAC-Bayes classification: kernels, models and estimators."""

from sfmcore.estimators.classifier import SFMClassifier
from sfmcore.estimators.classifier_cv import SFMClassifierCV
from sfmcore.estimators.transformer import StochasticFeatureMap
from sfmcore.version import __version__

__all__ = ["SFMClassifier", "SFMClassifierCV", "StochasticFeatureMap", "__version__"]
