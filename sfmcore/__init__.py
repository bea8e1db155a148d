"""Stochastic feature mapping for PAC-Bayes classification: kernels, models and estimators."""

__version__ = "0.1.0"
