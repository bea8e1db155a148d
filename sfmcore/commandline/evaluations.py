"""The figures of an evaluation as JSON and as tables."""

from typing import Any

import numpy as np
import sklearn

from sfmcore.commandline.figures_text import HEADINGS, reliability_lines, shown
from sfmcore.commandline.output import one_line
from sfmcore.commandline.settings import OWN_OPTIONS
from sfmcore.commandline.tables import aligned
from sfmcore.estimators.classifier import SFMClassifier
from sfmcore.evaluation.halves import Evaluation
from sfmcore.version import __version__


def evaluation_report(
    classifier: SFMClassifier, result: Evaluation, preset: str, group_by: str
) -> dict[str, Any]:
    """Figures with everything that led to them, ready for JSON.

    Parameters
    ----------
    classifier : SFMClassifier
    result : Evaluation
    preset : str
    group_by : str
        What was kept in one half or fold; "none" for nothing, "table" for groups of a table.
    """
    parameters = {k: v for k, v in classifier.kept_params().items() if k not in OWN_OPTIONS}
    parts = "random 50/50 partitions of every class"
    if result.folded:
        parts = f"stratified {len(result.multiclass)}-fold cross-validation"
    if group_by != "none":
        name, _, value = group_by.partition(":")
        group = "group" if name == "table" else f"group by {name} {value}" if value else name
        parts += f", each {group} in one {_part_of(result)}"
    return {
        "protocol": f"one-versus-rest, {parts}",
        "group_by": group_by,
        "preset": preset,
        **result.to_dict(),
        "parameters": parameters,
        "versions": {
            "sfm-pacbayes": __version__,
            "numpy": np.__version__,
            "scikit-learn": sklearn.__version__,
        },
    }


# Of more classes the table lists those that do worst.
_MANY, _SHOWN = 20, 10


def accuracy_table(result: Evaluation) -> str:
    """One row for each class, and the accuracy of the largest score; of many classes a few rows."""
    names = ("class", "positive", "negative", "accuracy %", "deviation", "majority %")
    rows = [(*names, "certified %")]
    classes, rest = result.to_dict()["classes"], ""
    if len(classes) > _MANY:
        rest = (
            f"\nthese {_SHOWN} of {len(classes)} classes have the lowest accuracies (mean of all: "
            f"{np.mean([row['accuracy_mean'] for row in classes]):.2f} %); --json holds all"
        )
        classes = sorted(classes, key=lambda row: row["accuracy_mean"])[:_SHOWN]
    for row in classes:
        spread = row["accuracy_std"]
        rows.append(
            (
                one_line(str(row["label"])),
                str(row["n_positive"]),
                str(row["n_negative"]),
                f"{row['accuracy_mean']:.2f}",
                "-" if spread is None else f"{spread:.2f}",
                f"{row['majority']:.2f}",
                "-" if row["certified_mean"] is None else f"{row['certified_mean']:.2f}",
            )
        )
    probability = 100.0 * (1.0 - result.delta)
    proven = (
        f"lower bound on accuracy from each test {_part_of(result)}, with probability "
        f"{probability:g} %"
    )
    if result.certified is None:
        proven = "nothing, since items of a group are not independent"
    return (
        f"{aligned(rows)}{rest}\nmulticlass accuracy: {result.multiclass.mean():.2f} %\n"
        f"certified: {proven}"
    )


def measure_table(result: Evaluation) -> str:
    """Mean and deviation of every measure of all classes together."""
    measures = result.to_dict()["measures"]
    rows = [("measure", *HEADINGS.values())]
    for key, name in (("mean", "mean"), ("std", "deviation")):
        values = [measures[measure][key] for measure in HEADINGS]
        rows.append((name, *map(shown, values)))
    return aligned(rows)


def reliability_text(result: Evaluation) -> str:
    """Whether confidences are what comes true, and how large sets of labels are."""
    items = f"all {_part_of(result, several=True)} pooled"
    return reliability_lines(result.reliability(), items)


def _part_of(result: Evaluation, *, several: bool = False) -> str:
    if several:
        return "folds" if result.folded else "halves"
    return "fold" if result.folded else "half"
