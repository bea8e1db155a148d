"""What ``predict`` was asked for, and whether the model can say it."""

import argparse
from typing import TYPE_CHECKING

from sfmcore.commandline.program import Program
from sfmcore.data.errors import UserError

if TYPE_CHECKING:
    from sfmcore.commandline.rows import Limits
    from sfmcore.estimators.classifier import SFMClassifier


def asked_limits(
    program: Program, options: argparse.Namespace, classifier: "SFMClassifier"
) -> "Limits":
    """Conditions that ``predict`` sets for an answer.

    Raises
    ------
    UserError
        If the model does not know typicality, or too little of it for such a limit.
    """
    from sfmcore.commandline.rows import Limits

    limit: float = options.reject_below
    if limit > 0:
        known = classifier.typicality_
        if known is None:
            raise UserError(
                f"{options.model}: --reject-below needs typicality, which this model lacks: "
                "train it again with this version"
            )
        least = 1.0 / (1 + len(known.scores))
        if limit < least:
            raise UserError(
                f"--reject-below {limit:g}: with {len(known.scores)} held-out {program.noun}s "
                f"no p-value can be below {least:.2g}"
            )
    return Limits(options.min_confidence, limit)


def told_coverage(
    program: Program, options: argparse.Namespace, classifier: "SFMClassifier"
) -> float | None:
    """Coverage that ``predict`` was asked for; reports the number of held-out items.

    Raises
    ------
    UserError
        If the model has no held-out items for sets, or a label contains the separator of
        sets.
    """
    from sfmcore.commandline.rows import SET_SEPARATOR

    coverage: float | None = options.coverage
    if coverage is None:
        return None
    sets = classifier.label_sets_
    if sets is None:
        raise UserError(
            f"{options.model}: --coverage needs held-out items, which this model lacks: "
            "train it again with this version"
        )
    for label in classifier.classes_.tolist():
        if SET_SEPARATOR in str(label):
            raise UserError(
                f"--coverage separates the labels of a set by {SET_SEPARATOR!r}, which the "
                f"label {label!r} contains"
            )
    program.tell(
        options,
        f"sets of labels are based on {sets.n_items:g} held-out {program.noun}s: coverage is "
        f"{100 * coverage:g} % on average, and above {100 * sets.assured(coverage):.1f} % "
        "with probability 95 %, if the inputs are like these",
    )
    return coverage
