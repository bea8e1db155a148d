"""How a model reads the images that it is given."""

import argparse

from sfmcore.estimators.classifier import SFMClassifier
from sfmvision.images.reading import MAX_PIXELS


def read_as_told(options: argparse.Namespace, classifier: SFMClassifier) -> None:
    """Let a classifier read images as in training, but for what the options say.

    Parameters
    ----------
    options : argparse.Namespace
    classifier : SFMClassifier
        Its preparation reads the images.
    """
    if options.allow_truncated:
        classifier.set_params(allow_truncated=True)
    # A model may lower the limit, and not lift it: whoever runs the command has the memory.
    allowed = min(classifier.short_params()["max_pixels"], MAX_PIXELS)
    classifier.set_params(max_pixels=options.max_pixels or allowed)
