"""The figures of the test of a model as JSON, and what is said about them."""

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from sfmcore.commandline.assessment_tables import (
    bound_text,
    class_table,
    confidence_text,
    confusion_table,
    measure_row,
)
from sfmcore.commandline.output import one_line, write_json
from sfmcore.commandline.program import Program
from sfmcore.data.errors import UserError
from sfmcore.data.words import counted
from sfmcore.estimators.classifier import SFMClassifier
from sfmcore.evaluation.assessment import Assessment
from sfmcore.files.model_file import packages_in_use

# Known items that a message names.
_NAMED = 10


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
        values: dict[str, Any] = {"id": one_line(self.id)}
        if self.file is not None:
            values |= {"file": one_line(self.file), "line": self.line}
        return values


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
        print(bound_text(result, program.noun))
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
        are, them = ("is", "it") if count == 1 else ("are", "them")
        lines.append(
            f"{counted(count, noun)} {are} left out, since the model gives no number for {them}: "
            f"{listed}"
        )
    if not result.knows_items:
        lines.append(
            f"warning: {model} does not know what it was trained on, as model files before format "
            f"9 don't: that no {noun} here was in training is taken for granted"
        )
    if count := len(result.known):
        equal = f"equals a training {noun}" if count == 1 else f"equal training {noun}s"
        what = "and is left out" if count == 1 else "and are left out"
        if not result.dropped:
            what = "which flatters all figures except the bound (see --drop-known)"
        listed = _listed(result.known, items)
        lines.append(f"{counted(count, noun)} {equal}, {what}: {listed}")
    if count := len(result.kept):
        were = "was" if count == 1 else "were"
        lines.append(
            f"{count} of these {were} kept from training for the model's certificate: nothing was "
            "learnt there, but sets of labels were measured on it"
        )
    if count := result.n_copies:
        equal = "equals another" if count == 1 else "equal others"
        lines.append(
            f"{counted(count, noun)} {equal} of the test, and the bound counts each of them as an "
            "independent draw"
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
