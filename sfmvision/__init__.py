"""Classification of images from a folder for each class."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfmvision.baselines.phow import PHOWClassifier
    from sfmvision.classifier import SceneClassifier

__all__ = ["PHOWClassifier", "SceneClassifier"]


_HOMES = {
    "PHOWClassifier": "sfmvision.baselines.phow",
    "SceneClassifier": "sfmvision.classifier",
}


def __getattr__(name: str) -> Any:
    # Loaded when asked for: it brings scikit-learn and OpenCV, and the command line must be able
    # to answer an interrupt before that.
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
