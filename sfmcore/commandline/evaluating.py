"""``evaluate`` alike in all domains: its work, its tables and its figures."""

import argparse
import time
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfmcore.commandline.output import write_json
from sfmcore.commandline.program import Program
from sfmcore.commandline.settings import as_user_error
from sfmcore.data.errors import UserError

if TYPE_CHECKING:
    import numpy.typing as npt

    from sfmcore.estimators.classifier import SFMClassifier
    from sfmcore.evaluation.halves import Evaluation, Examine
    from sfmcore.evaluation.training_sizes import SizeCurve


def evaluate(
    program: Program,
    options: argparse.Namespace,
    classifier: "SFMClassifier",
    X: Any,
    y: "npt.ArrayLike",
    groups: Sequence[Hashable] | None,
    examine: "Examine | None" = None,
) -> "tuple[Evaluation, SizeCurve | None, float]":
    """Measure on halves or folds and print the figures.

    Parameters
    ----------
    program : Program
    options : argparse.Namespace
    classifier : SFMClassifier
    X, y, groups, examine
        As :func:`sfmcore.evaluation.halves.evaluate` takes them.

    Returns
    -------
    result : Evaluation
    curve : SizeCurve or None
        With ``--learning-curve``.
    seconds : float
    """
    from sfmcore.commandline.evaluations import (
        accuracy_table,
        evaluation_report,
        measure_table,
        reliability_text,
    )
    from sfmcore.evaluation.halves import evaluate
    from sfmcore.evaluation.training_sizes import size_curve

    began = time.perf_counter()
    # As many halves as are asked for: more of them go on from fewer. Folds do not.
    about = {"command": "evaluate", "seed": options.seed}
    if options.folds is not None:
        about["folds"] = options.folds
    if examine is not None:
        # What is kept of a half then holds reasons.
        about["report"] = True
    curve = None
    with as_user_error(), program.kept(options, classifier, [X, y, groups], **about):
        result = evaluate(
            classifier,
            X,
            y,
            partitions=options.partitions,
            folds=options.folds,
            seed=options.seed,
            groups=groups,
            n_jobs=options.threads,
            show_progress=not options.quiet,
            examine=examine,
        )
        if options.learning_curve:
            curve = size_curve(
                classifier,
                X,
                y,
                result,
                groups=groups,
                n_jobs=options.threads,
                show_progress=not options.quiet,
            )
    seconds = time.perf_counter() - began
    if options.json:
        group_by = options.group_by if options.groups is None else "table"
        report = evaluation_report(classifier, result, options.preset, group_by)
        if curve is not None:
            report["learning_curve"] = curve.to_dict()
        write_json(options.json, report)
    if options.json != "-":
        print(accuracy_table(result))
        print(measure_table(result))
        print(reliability_text(result))
        if curve is not None:
            print(curve.summary())
    return result, curve, seconds


def check_figures(program: Program, options: argparse.Namespace, *more: str) -> None:
    """See that the figures of ``--figures`` can be drawn, before any work.

    Parameters
    ----------
    program : Program
    options : argparse.Namespace
    *more : str
        Names of figures that the domain adds.
    """
    if options.figures is None:
        return
    from sfmcore.plots.evaluation import NAMES
    from sfmcore.plots.saving import check_figures

    if options.figures == "":
        raise UserError("--figures: an empty name")
    with as_user_error():
        check_figures(options.figures, [*NAMES, *more])


def draw_figures(
    program: Program,
    options: argparse.Namespace,
    result: "Evaluation",
    **more: Callable[[], Any],
) -> None:
    """Draw what ``--figures`` asks for, and say what was written.

    Parameters
    ----------
    program : Program
    options : argparse.Namespace
    result : Evaluation
    **more : callable
        Draw the figures that the domain adds, by their names.
    """
    if options.figures is None:
        return
    from sfmcore.plots.evaluation import evaluation_figures
    from sfmcore.plots.saving import write_figures

    figures = evaluation_figures(result)
    if "objective" not in figures:
        program.tell(options, "no objective is drawn: training kept no iterations of any")
    figures |= {name: draw() for name, draw in more.items()}
    for path in write_figures(Path(options.figures), figures):
        program.tell(options, f"wrote {path}")
