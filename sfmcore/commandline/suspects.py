"""What is suspect about a training set, as a table and as JSON."""

import argparse
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import sklearn

from sfmcore.commandline.output import one_line, output, write_json
from sfmcore.commandline.settings import OWN_OPTIONS
from sfmcore.data.errors import UserError
from sfmcore.data.words import counted_names
from sfmcore.estimators.classifier import SFMClassifier
from sfmcore.learning.held_out import N_FOLDS
from sfmcore.suspects.finding import REASONS, Suspects
from sfmcore.version import __version__

if TYPE_CHECKING:
    from sfmcore.commandline.program import Program

COLUMNS = (
    "id",
    "label",
    "suggested",
    "probability",
    "suggested_probability",
    "reason",
    "score",
    "other",
    "other_label",
    "typicality",
    "status",
)
_SHOWN = 5


def refuse_small_classes(y: npt.ArrayLike, folds: int | None, noun: str) -> None:
    """Refuse classes that can't have an item in every fold, or in every part that is held out.

    Parameters
    ----------
    y : array-like of shape (n_items,)
    folds : int or None
        None for one fit, which holds out parts.
    noun : str
        What an item is called, such as "sequence".

    Raises
    ------
    UserError
        That names the smallest classes.

    Examples
    --------
    >>> refuse_small_classes(["a", "a", "b"], 2, "sequence")
    Traceback (most recent call last):
    ...
    sfmcore.data.errors.UserError: fewer sequences than --folds 2 in 1 class: b 1; lower --folds, \
or leave out classes of one
    """
    counts = Counter(np.asarray(y).tolist())
    least = N_FOLDS if folds is None else folds
    small = sorted((count, label) for label, count in counts.items() if count < least)
    if small:
        shown = ", ".join(f"{label} {count}" for count, label in small[:_SHOWN])
        more = f" and {len(small) - _SHOWN} more" if len(small) > _SHOWN else ""
        classes = "1 class" if len(small) == 1 else f"{len(small)} classes"
        what, way_out = f"--folds {folds}", "lower --folds, or leave out classes of one"
        if folds is None:
            what, way_out = f"the {N_FOLDS} that --quick takes", "leave them out, or use --folds"
        raise UserError(f"fewer {noun}s than {what} in {classes}: {shown}{more}; {way_out}")


def write_suspects(
    options: argparse.Namespace,
    program: "Program",
    classifier: SFMClassifier,
    found: Suspects,
    names: Sequence[str],
    unusable: Sequence[tuple[str, str]],
) -> None:
    """Write the table, and the JSON if it was asked for; say how many suspects there are.

    Parameters
    ----------
    options : argparse.Namespace
        Those of the command.
    program : Program
    classifier : SFMClassifier
        Unfitted.
    found : Suspects
    names : sequence of str
        Of the items.
    unusable : sequence of (str, str)
        Name and status of what could not be used, which ``--all`` lists last.
    """
    with output(options.output) as out:
        out.write("\t".join(COLUMNS) + "\n")
        out.writelines(
            "\t".join(map(_text, row.values())) + "\n"
            for row in rows_of(found, names, found.ranked(every=options.every))
        )
        if options.every:
            for name, status in unusable:
                fields = dict.fromkeys(COLUMNS, "") | {"id": name, "status": status}
                out.write("\t".join(map(one_line, fields.values())) + "\n")
    if options.json is not None:
        write_json(options.json, suspects_report(options, classifier, found, names))
    program.tell(options, summary(found, program.noun))


def rows_of(
    found: Suspects, names: Sequence[str], items: Iterable[int]
) -> Iterator[dict[str, Any]]:
    """Fields of items by column; None for what is not known.

    Parameters
    ----------
    found : Suspects
    names : sequence of str
    items : iterable of int
        Their places, in the order of the rows.
    """
    labels = [str(label) for label in found.classes.tolist()]
    for item in items:
        other = int(found.other[item])
        typicality = float(found.typicality[item])
        yield {
            "id": one_line(names[item]),
            "label": one_line(labels[found.given[item]]),
            "suggested": one_line(labels[found.suggested[item]]),
            "probability": float(found.probability[item]),
            "suggested_probability": float(found.suggested_probability[item]),
            "reason": ",".join(found.reasons(item)),
            "score": float(found.score[item]),
            "other": None if other < 0 else one_line(names[other]),
            "other_label": None if other < 0 else one_line(labels[found.given[other]]),
            "typicality": None if math.isnan(typicality) else typicality,
            "status": "ok",
        }


def _text(value: str | float | None) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else value


def suspects_report(
    options: argparse.Namespace, classifier: SFMClassifier, found: Suspects, names: Sequence[str]
) -> dict[str, Any]:
    """Suspects with everything that led to them, ready for JSON.

    Parameters
    ----------
    options : argparse.Namespace
    classifier : SFMClassifier
    found : Suspects
    names : sequence of str
    """
    labels = [str(label) for label in found.classes.tolist()]
    counts = np.bincount(found.given, minlength=len(labels)).tolist()
    suspects = found.ranked()
    of_class = np.bincount(found.given[suspects], minlength=len(labels)).tolist()
    parameters = {k: v for k, v in classifier.kept_params().items() if k not in OWN_OPTIONS}
    return {
        "protocol": (
            f"stratified {found.folds}-fold cross-validation"
            if found.folds
            else "one fit, held-out votes"
        ),
        "group_by": options.group_by if options.groups is None else "table",
        "preset": options.preset,
        "folds": found.folds or None,
        "seed": options.seed,
        "min_score": options.min_score,
        "stranger_below": options.stranger_below,
        "n_items": len(found),
        "n_suspects": len(suspects),
        "reasons": {name: int(found.by_reason[name].sum()) for name in REASONS},
        "n_wrong": found.n_wrong,
        "classes": [
            {
                "label": label,
                "n_items": count,
                "n_suspects": own,
                "labelled_as": dict(zip(labels, row, strict=True)),
            }
            for label, count, own, row in zip(
                labels, counts, of_class, found.noise.tolist(), strict=True
            )
        ],
        "suspects": list(rows_of(found, names, suspects)),
        "parameters": parameters,
        "versions": {
            "sfm-pacbayes": __version__,
            "numpy": np.__version__,
            "scikit-learn": sklearn.__version__,
        },
    }


def summary(found: Suspects, noun: str) -> str:
    """How many suspects there are, and for which reasons, in a line."""
    n_suspects = int(found.found.sum())
    what = f"{n_suspects} of {len(found)} {noun}s are suspect"
    counts = Counter({name: int(found.by_reason[name].sum()) for name in REASONS})
    by_reason = f": {counted_names(+counts)}" if n_suspects else ""
    return f"{what}{by_reason}; about {found.n_wrong:.0f} labels are wrong, as the votes have it"
