"""How a command describes its images, and where it keeps the descriptors."""

import argparse
import os

from sfmcore.estimators.classifier import SFMClassifier
from sfmvision.descriptors.batch import Describer
from sfmvision.preparation import ScenePreparation


def describer_of(classifier: SFMClassifier, n_images: int) -> Describer:
    """Describer of the classifier's preparation.

    Parameters
    ----------
    classifier : SFMClassifier
        Its preparation is one of scenes.
    n_images : int
        That it will describe.
    """
    preparation = classifier.preparation
    assert isinstance(preparation, ScenePreparation)
    return preparation.describer(n_images)


def keep_descriptors(options: argparse.Namespace, classifier: SFMClassifier) -> None:
    """Keep descriptors with the checkpoint, unless they have a folder of their own.

    Parameters
    ----------
    options : argparse.Namespace
    classifier : SFMClassifier
    """
    if options.checkpoint is not None and options.cache is None:
        classifier.set_params(cache=os.path.join(options.checkpoint, "descriptors"))
