"""The end of ``train``, alike in all domains."""

import argparse
import time
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from sfmcore.commandline.program import Program
from sfmcore.commandline.settings import as_user_error

if TYPE_CHECKING:
    import numpy.typing as npt

    from sfmcore.estimators.classifier import SFMClassifier


def learn(
    program: Program,
    options: argparse.Namespace,
    classifier: "SFMClassifier",
    X: Any,
    y: "npt.ArrayLike",
    X_unlabeled: Any,
    groups: Sequence[Hashable] | None = None,
    **names: Any,
) -> None:
    """Fit, write the model file, and say what was certified.

    Parameters
    ----------
    program : Program
    options : argparse.Namespace
    classifier : SFMClassifier
    X, y, X_unlabeled, groups
        As `fit` takes them.
    **names
        Further arguments of `fit`, which may not change what is learnt.
    """
    from sfmcore.commandline.certificate_text import certificate_text

    began = time.perf_counter()
    data = [X, y, X_unlabeled, *([] if groups is None else [groups])]
    with as_user_error(), program.kept(options, classifier, data, command="train"):
        classifier.fit(X, y, X_unlabeled=X_unlabeled, groups=groups, **names)
        classifier.save(options.output)
    seconds = time.perf_counter() - began
    if classifier.certificate_fraction > 0:
        text = certificate_text(classifier, program.name, program.noun, brief=True)
        for line in text.splitlines():
            program.tell(options, line)
    program.tell(options, f"learnt in {seconds:.1f} s; wrote {options.output}")
