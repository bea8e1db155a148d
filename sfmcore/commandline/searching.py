"""The search of ``suspects``, alike in all domains."""

import argparse
import time
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from sfmcore.commandline.program import Program
from sfmcore.commandline.settings import as_user_error

if TYPE_CHECKING:
    import numpy.typing as npt

    from sfmcore.estimators.classifier import SFMClassifier
    from sfmcore.suspects.finding import Suspects


def search(
    program: Program,
    options: argparse.Namespace,
    classifier: "SFMClassifier",
    X: Any,
    y: "npt.ArrayLike",
    groups: Sequence[Hashable] | None,
) -> "Suspects":
    """Find the suspects, and say if there are too few items to call any a stranger.

    Raises
    ------
    UserError
        If a class is too small for the folds, or the library refuses something.
    """
    from sfmcore.commandline.suspects import refuse_small_classes
    from sfmcore.suspects.finding import find_suspects

    began = time.perf_counter()
    folds = None if options.quick else options.folds
    refuse_small_classes(y, folds, program.noun)
    about = {"command": "suspects", "seed": options.seed, "folds": folds}
    with as_user_error(), program.kept(options, classifier, [X, y, groups], **about):
        found = find_suspects(
            classifier,
            X,
            y,
            groups=groups,
            folds=options.folds,
            min_score=options.min_score,
            stranger_below=options.stranger_below,
            quick=options.quick,
            seed=options.seed,
            n_jobs=options.threads,
            show_progress=not options.quiet,
        )
    seconds = time.perf_counter() - began
    if options.quick:
        program.tell(options, f"one fit in {seconds:.1f} s")
        return found
    if options.stranger_below > 0 and not found.knows_strangers:
        program.tell(options, f"too few {program.noun}s to say which of them are strangers")
    program.tell(options, f"{options.folds} folds in {seconds:.1f} s")
    return found
