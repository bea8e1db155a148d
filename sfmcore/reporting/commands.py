"""The option ``--report`` of the commands: checks before the work, and pages after it."""

import argparse
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from sfmcore.data.errors import UserError
from sfmcore.files.atomic import atomic_write, check_writable

if TYPE_CHECKING:
    from sfmcore.estimators.classifier import SFMClassifier
    from sfmcore.evaluation.assessment import Assessment
    from sfmcore.evaluation.halves import Evaluation
    from sfmcore.evaluation.training_sizes import SizeCurve
    from sfmcore.reporting.outcome import Origin, Parts, Shown
    from sfmcore.suspects.answered import AnsweredSuspects


# It has an option of its own, and is shown with the input.
_SEED = "random_state"


class Program(Protocol):
    """What a page needs of a command line; :class:`sfmcore.commandline.program.Program` is one."""

    @property
    def name(self) -> str:
        """Of the program."""

    @property
    def noun(self) -> str:
        """What an item is called."""

    def tell(self, options: argparse.Namespace, message: str) -> None:
        """Print a sentence unless ``--quiet`` was given."""


def check_report(options: argparse.Namespace, **outputs: str | None) -> None:
    """See that the page can be made and written, before any work.

    Parameters
    ----------
    options : argparse.Namespace
    **outputs : str or None
        What the command writes beside it, by its option, such as ``json``.

    Raises
    ------
    UserError
        If a library is missing, or the name is none or that of another output.
    OSError
        If the file can't be written.
    """
    path = options.report
    if path is None:
        return
    from sfmcore.reporting.page import date_line, require_report

    if path in ("", "-"):
        raise UserError(f"--report {path!r}: a page goes to a file, give its name")
    require_report("--report")
    date_line()
    for option, other in outputs.items():
        if other is not None and os.path.abspath(other) == os.path.abspath(path):
            raise UserError(f"{path}: is given to both --report and --{option.replace('_', '-')}")
    check_writable(path)


def origin_of(
    program: Program,
    options: argparse.Namespace,
    command: str,
    classifier: "SFMClassifier",
    *,
    inputs: Sequence[str],
    left_out: int = 0,
    notes: Sequence[tuple[str, str]] = (),
) -> "Origin":
    """Where a page comes from.

    Parameters
    ----------
    program : Program
    options : argparse.Namespace
        With `preset`, unless it is a model file that was used.
    command : str
    classifier : SFMClassifier
    inputs : sequence of str
    left_out : int, default=0
        Inputs that could not be used.
    notes : sequence of (str, str)
        Further terms and values.
    """
    from sfmcore.reporting.origins import versions
    from sfmcore.reporting.outcome import Origin

    preset: str | None = getattr(options, "preset", None)
    parameters = classifier.kept_params()
    said: list[tuple[str, str]] = list(notes)
    if left_out:
        said.append(("left out", f"{left_out:,} that could not be used"))
    if getattr(options, "groups", None) is not None:
        said.append(("kept together", "groups of a table"))
    elif getattr(options, "group_by", "none") != "none":
        said.append(("kept together", options.group_by))
    if hasattr(options, "seed"):
        said.append(("seed", str(options.seed)))
    return Origin(
        program.name,
        command,
        options.command_line,
        program.noun,
        inputs=inputs,
        notes=said,
        preset=preset,
        changed={} if preset is None else _changed(classifier, preset),
        parameters=parameters,
        versions=versions(),
    )


def _changed(classifier: "SFMClassifier", preset: str) -> dict[str, tuple[Any, Any]]:
    """Parameters that differ from those of the preset, but for what has an option of its own."""
    usual = type(classifier).from_preset(preset).kept_params()
    own = classifier.kept_params()
    names = sorted((own.keys() | usual.keys()) - {_SEED})
    return {
        name: (own.get(name), usual.get(name)) for name in names if own.get(name) != usual.get(name)
    }


def report_training(
    program: Program,
    options: argparse.Namespace,
    classifier: "SFMClassifier",
    counts: Mapping[str, int],
    *,
    inputs: Sequence[str],
    left_out: int,
    n_unlabeled: int = 0,
) -> None:
    """Write the page of ``train``, if it was asked for.

    Parameters
    ----------
    program : Program
    options : argparse.Namespace
    classifier : SFMClassifier
        Fitted.
    counts : mapping of str to int
        Items of each class.
    inputs : sequence of str
    left_out : int
    n_unlabeled : int, default=0
        Items without label.
    """
    if options.report is None:
        return
    from sfmcore.reporting.training import training_page

    notes = [("without label", f"{n_unlabeled:,} {program.noun}s")] if n_unlabeled else []
    origin = origin_of(
        program, options, "train", classifier, inputs=inputs, left_out=left_out, notes=notes
    )
    write_page(program, options, training_page(origin, classifier, counts, options.output))


def report_evaluation(
    program: Program,
    options: argparse.Namespace,
    classifier: "SFMClassifier",
    result: "Evaluation",
    X: Any,
    shown: "Shown",
    *,
    curve: "SizeCurve | None" = None,
    inputs: Sequence[str],
    left_out: int,
) -> None:
    """Write the page of ``evaluate``.

    Parameters
    ----------
    program : Program
    options : argparse.Namespace
    classifier : SFMClassifier
        Unfitted.
    result : Evaluation
    X : inputs
        Which it is of.
    shown : Shown
    curve : SizeCurve, optional
    inputs : sequence of str
    left_out : int
    """
    from sfmcore.reporting.evaluation import evaluation_page
    from sfmcore.reporting.outcome import Further

    further = Further(
        accuracy=result.accuracy,
        certified=result.certified,
        delta=result.delta,
        curve=curve,
        climbs=result.climbs,
        suspects=_suspects_of(result, classifier, X),
    )
    origin = origin_of(program, options, "evaluate", classifier, inputs=inputs, left_out=left_out)
    parts: Parts = "folds" if result.folded else "halves"
    page = evaluation_page(origin, result, shown, parts=parts, further=further)
    write_page(program, options, page)


def _suspects_of(
    result: "Evaluation", classifier: "SFMClassifier", X: Any
) -> "AnsweredSuspects | None":
    """Suspects of an evaluation, equal items among them; None where there can be none."""
    from sklearn.base import clone

    from sfmcore.suspects.answered import suspects_among
    from sfmcore.suspects.conflicts import item_digests

    if any(part.shares is None for part in result.answers):
        return None
    first = clone(classifier)
    items = first.preparation.encode(X, first, reset=True)
    digests = item_digests(first.preparation, items)
    return suspects_among(result.answers, digests=digests)


def tested_suspects(result: "Assessment") -> "AnsweredSuspects | None":
    """Suspects of a test, among the items that training has not seen.

    Parameters
    ----------
    result : Assessment

    Returns
    -------
    AnsweredSuspects or None
        None if there are too few items, or more classes than probabilities are kept of.
    """
    from sfmcore.suspects.answered import suspects_among

    (answers,) = result.answers
    if answers.shares is None:
        return None
    digests = np.zeros(int(answers.items.max(initial=-1)) + 1, dtype=np.uint64)
    digests[answers.items] = result.digests
    return suspects_among(result.answers, digests=digests, learnt=result.known)


def report_test(
    program: Program,
    options: argparse.Namespace,
    classifier: "SFMClassifier",
    result: "Assessment",
    shown: "Shown",
    *,
    suspects: "AnsweredSuspects | None",
    inputs: Sequence[str],
    left_out: int,
) -> None:
    """Write the page of ``test``.

    Parameters
    ----------
    program : Program
    options : argparse.Namespace
    classifier : SFMClassifier
        Fitted.
    result : Assessment
    shown : Shown
    suspects : AnsweredSuspects or None
        From :func:`tested_suspects`.
    inputs : sequence of str
    left_out : int
    """
    from sfmcore.reporting.evaluation import evaluation_page
    from sfmcore.reporting.outcome import Further

    notes = [("model", options.model)]
    if result.dropped and len(result.known):
        notes.append(("dropped", f"{len(result.known):,} {program.noun}s equal to training ones"))
    further = Further(
        certificate=result.certificate,
        delta=classifier.delta,
        known=result.known if result.knows_items and not result.dropped else None,
        suspects=suspects,
    )
    origin = origin_of(
        program, options, "test", classifier, inputs=inputs, left_out=left_out, notes=notes
    )
    page = evaluation_page(origin, result, shown, parts="test set", further=further)
    write_page(program, options, page)


def write_page(program: Program, options: argparse.Namespace, page: str) -> None:
    """Write a page, and say so."""
    with atomic_write(options.report, "w", errors="surrogateescape") as file:
        file.write(page)
    program.tell(options, f"wrote {options.report}")
