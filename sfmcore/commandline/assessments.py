"""The figures of the test of a model as JSON and as tables."""

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from sfmcore.commandline.certificate_text import up
from sfmcore.commandline.figures_text import HEADINGS, reliability_lines, shown
from sfmcore.commandline.output import one_line, write_json
from sfmcore.commandline.program import Program
from sfmcore.commandline.tables import aligned
from sfmcore.data.errors import UserError
from sfmcore.data.words import counted
from sfmcore.estimators.classifier import SFMClassifier
from sfmcore.evaluation.testing import Assessment
from sfmcore.files.model_file import packages_in_use

# Of more classes the table lists those that do worst.
_MANY, _SHOWN = 20, 10
# A table of confusions that is wider becomes a list.
_WIDTH = 100
# Known items that a message names.
_NAMED = 10

_COLUMNS = {
    "n_items": "items",
    "n_predicted": "predicted",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "matthews": "Matthews",
    "auroc": "AUROC",
    "average_precision": "av. precision",
}


class Item(NamedTuple):
    """What an item is called.

    Attributes
    ----------
    id : str
    file : str or None
        The file that holds it, where that holds others too.
    line : int or None
        Its line in that file.
    """

    id: str
    file: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        return self.id if self.file is None else f"{self.id!r} ({self.file}, line {self.line})"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON, of what is known."""
        return {
            name: one_line(value) if isinstance(value, str) else value
            for name, value in self._asdict().items()
            if value is not None
        }


@dataclass(frozen=True)
class LeftOut:
    """How many inputs have no part in a test.

    Attributes
    ----------
    unusable : int
        They can't be read or used.
    unlabelled : int
        They have no label.
    unknown : Counter of str
        Labels that the model does not know, with the number of inputs.
    """

    unusable: int = 0
    unlabelled: int = 0
    unknown: Counter[str] = field(default_factory=Counter)


def check_drop_known(options: argparse.Namespace, classifier: SFMClassifier) -> None:
    """Refuse ``--drop-known`` for a model that does not know what it was trained on.

    Raises
    ------
    UserError
    """
    if options.drop_known and classifier.known_items_ is None:
        raise UserError(
            f"{options.model}: it does not know what it was trained on, so --drop-known has "
            "nothing to go by: train it again with this version"
        )


def show_assessment(
    program: Program,
    options: argparse.Namespace,
    result: Assessment,
    items: Sequence[Item],
    left_out: LeftOut,
) -> int:
    """Print and write what a test showed; return how many inputs it left out.

    Parameters
    ----------
    program : Program
    options : argparse.Namespace
        Of ``test``.
    result : Assessment
    items : sequence of Item
        All that were given to the classifier, in their order.
    left_out : LeftOut
        The inputs that were not.
    """
    program.complain(_messages(program, options.model, result, items))
    report = assessment_report(options.model, result, items, left_out)
    if options.json:
        write_json(options.json, report)
    if options.json != "-":
        print(class_table(report))
        print(measure_row(report))
        print(confusion_table(report))
        print(confidence_text(report))
        print(proof_text(result, f"{program.noun}s"))
    n_left_out = left_out.unusable + left_out.unlabelled + left_out.unknown.total()
    return n_left_out + len(result.numberless)


def assessment_report(
    model: str, result: Assessment, items: Sequence[Item], left_out: LeftOut
) -> dict[str, Any]:
    """Figures with what they rest on, ready for JSON.

    Parameters
    ----------
    model : str
        Name of the model file.
    result : Assessment
    items : sequence of Item
    left_out : LeftOut
    """
    kept = set(result.kept.tolist())
    return {
        "model": one_line(model),
        **result.to_dict(),
        "known": {
            "checked": result.knows_items,
            "dropped": result.dropped,
            "n_items": len(result.known),
            "items": [
                {**items[place].to_dict(), "learnt_from": place not in kept}
                for place in result.known.tolist()
            ],
        },
        "left_out": {
            "unusable": left_out.unusable,
            "unlabelled": left_out.unlabelled,
            "unknown_labels": dict(sorted(left_out.unknown.items())),
            "without_number": [items[place].to_dict() for place in result.numberless.tolist()],
        },
        "versions": packages_in_use(),
    }


def _messages(program: Program, model: str, result: Assessment, items: Sequence[Item]) -> list[str]:
    """Sentences about items that the figures should not, or can't, rest on."""
    noun, lines = program.noun, []
    if count := len(result.numberless):
        listed = _listed(result.numberless, items)
        are = "is" if count == 1 else "are"
        lines.append(
            f"{counted(count, noun)} {are} left out, as the model gives no number for it: {listed}"
        )
    if not result.knows_items:
        lines.append(
            f"warning: {model} does not know what it was trained on, as model files before format "
            f"9 don't: that no {noun} here was in training is taken for granted"
        )
    if count := len(result.known):
        equal = "equals one" if count == 1 else f"equal {noun}s"
        what = "and are left out"
        if count == 1:
            what = "and is left out"
        if not result.dropped:
            what = "which flatters all figures but the proof (see --drop-known)"
        listed = _listed(result.known, items)
        lines.append(f"{counted(count, noun)} {equal} of training, {what}: {listed}")
    if count := len(result.kept):
        were = "was" if count == 1 else "were"
        lines.append(
            f"{count} of these {were} kept from training for the model's certificate: nothing was "
            "learnt there, but sets of labels were measured on it"
        )
    if count := result.n_copies:
        equal = "equals another" if count == 1 else "equal others"
        lines.append(
            f"{counted(count, noun)} {equal} of the test, and the proof counts each as a draw of "
            "its own"
        )
    empty = result.counts.count(0)
    if empty == len(result.counts) - 1:
        lines.append(
            "all labels are of one class: what compares classes is not defined, and shown as '-'"
        )
    elif empty:
        are = "class has" if empty == 1 else "classes have"
        lines.append(f"{empty} {are} no {noun} here")
    return lines


def _listed(places: np.ndarray, items: Sequence[Item]) -> str:
    names = [str(items[place]) for place in places[:_NAMED].tolist()]
    more = f" and {len(places) - _NAMED} more" if len(places) > _NAMED else ""
    return ", ".join(names) + more


def class_table(report: dict[str, Any]) -> str:
    """One row for each class; of many classes those with the lowest F1.

    Parameters
    ----------
    report : dict
        Of :func:`assessment_report`.
    """
    classes, rest = report["classes"], ""
    if len(classes) > _MANY:
        tested = [row for row in classes if row["n_items"]]
        worst = sorted(tested, key=lambda row: row["f1"])[:_SHOWN]
        rest = (
            f"\nthese {len(worst)} of {len(classes)} classes have the lowest F1 (mean of all: "
            f"{shown(report['measures']['macro_f1'])}); --json holds all"
        )
        classes = worst
    rows = [("class", *_COLUMNS.values())]
    for row in classes:
        values = [row[name] for name in _COLUMNS]
        cells = (str(own) if isinstance(own, int) else shown(own) for own in values)
        rows.append((one_line(str(row["label"])), *cells))
    return aligned(rows) + rest


def measure_row(report: dict[str, Any]) -> str:
    """Measures of all classes together."""
    values = [shown(report["measures"][name]) for name in HEADINGS]
    return aligned([("measure", *HEADINGS.values()), ("all", *values)])


def confusion_table(report: dict[str, Any]) -> str:
    """Items of each true class by predicted class; if that is too wide, the commonest mistakes."""
    confusion = np.array(report["confusion"])
    names = [one_line(str(row["label"])) for row in report["classes"]]
    rows = [("true \\ predicted", *names)]
    for name, counts in zip(names, confusion.tolist(), strict=True):
        rows.append((name, *map(str, counts)))
    table = aligned(rows)
    if table.index("\n") <= _WIDTH:
        return table
    mistakes = confusion - np.diag(np.diag(confusion))
    if not mistakes.any():
        return "no mistakes"
    truth, predicted = np.nonzero(mistakes)
    order = np.argsort(-mistakes[truth, predicted], kind="stable")[:_SHOWN]
    found = [
        (names[truth[k]], names[predicted[k]], mistakes[truth[k], predicted[k]]) for k in order
    ]
    head = f"{len(found)} commonest of {mistakes.sum()} mistakes; --json holds the whole matrix"
    rows = [("true", "predicted", "items")]
    return head + "\n" + aligned([*rows, *((t, p, str(count)) for t, p, count in found)])


def confidence_text(report: dict[str, Any]) -> str:
    """Whether confidences and sets of labels are what comes true."""
    found = report["reliability"]
    lines = [reliability_lines(found)]
    if not report["calibrated"]:
        lines.append(
            "confidence is the share of votes, which is not calibrated: train again with this "
            "version, and without calibrate=False"
        )
    if not found["sets"]:
        lines.append("sets of labels: none, as nothing was held out that they could rest on")
    return "\n".join(lines)


def proof_text(result: Assessment, nouns: str) -> str:
    """What the items prove of others; `nouns` names them."""
    report = result.certificate
    if report is None:
        return f"proved: nothing, as all {nouns} equal {nouns} of training"
    new = " that equal none of training" if result.knows_items else ", if none was in training"
    others = f"the {nouns} to come, drawn independently as these were"
    assert report.label_bound is not None  # on new items errors are counted
    return (
        f"proved on {report.certificates[0].n_items} {nouns}{new}: {report.label_risk:.4f} of them "
        f"get a wrong label; of {others}, at most {up(report.label_bound)} do, with probability "
        f"{1 - report.delta:g} ({report.label_form})"
    )
