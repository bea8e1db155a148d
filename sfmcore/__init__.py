"""Stochastic feature mapping for PAC-Bayes classification: kernels, models and estimators."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sfmcore.version import __version__

if TYPE_CHECKING:
    from sfmcore.estimators.classifier import SFMClassifier
    from sfmcore.estimators.classifier_cv import SFMClassifierCV
    from sfmcore.estimators.transformer import StochasticFeatureMap

__all__ = ["SFMClassifier", "SFMClassifierCV", "StochasticFeatureMap", "__version__"]

_HOMES = {
    "SFMClassifier": "classifier",
    "SFMClassifierCV": "classifier_cv",
    "StochasticFeatureMap": "transformer",
}


def __getattr__(name: str) -> Any:
    # Loaded when asked for: they bring scikit-learn, and a command line must be able to answer an
    # interrupt before that.
    if name in _HOMES:
        return getattr(import_module(f"sfmcore.estimators.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
