"""The figures of the test of a model as tables."""

from typing import Any

import numpy as np

from sfmcore.bounds.certificate_rows import up
from sfmcore.commandline.figures_text import HEADINGS, reliability_lines, shown
from sfmcore.commandline.output import one_line
from sfmcore.commandline.tables import aligned
from sfmcore.evaluation.answers import most_frequent_confusions
from sfmcore.evaluation.assessment import Assessment

# Of more classes the table lists those that do worst.
_MANY, _SHOWN = 20, 10
# A table of confusions that is wider becomes a list.
_WIDTH = 100
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
    """Items of each true class by predicted class; if too wide, its largest errors."""
    confusion = np.array(report["confusion"])
    names = [one_line(str(row["label"])) for row in report["classes"]]
    if sum(map(len, names)) <= _WIDTH:
        rows = [("true \\ predicted", *names)]
        for name, counts in zip(names, confusion.tolist(), strict=True):
            rows.append((name, *map(str, counts)))
        table = aligned(rows)
        if table.index("\n") <= _WIDTH:
            return table
    found = most_frequent_confusions(confusion, _SHOWN)
    if not found:
        return "no mistakes"
    n_wrong = confusion.sum() - confusion.trace()
    head = (
        f"the {len(found)} most frequent confusions, {sum(count for *_, count, _ in found)} of "
        f"{n_wrong} mistakes; --json holds the whole matrix"
    )
    rows = [("true", "predicted", "items")]
    rows += [(names[true], names[given], str(count)) for true, given, count, _ in found]
    return f"{head}\n{aligned(rows)}"


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


def bound_text(result: Assessment, noun: str) -> str:
    """Bound on the true error that the items give; `noun` is what one is called."""
    report = result.certificate
    if report is None:
        return f"certified: nothing, since all {noun}s equal training {noun}s"
    new = f" that equal no training {noun}" if result.knows_items else ", if none was in training"
    assert report.label_bound is not None  # on new items errors are counted
    return (
        f"certified on {report.certificates[0].n_items} {noun}s{new}: {report.label_risk:.4f} have "
        f"a wrong label, true error at most {up(report.label_bound)} with probability "
        f"{1 - report.delta:g}, assuming i.i.d. {noun}s ({report.label_form})"
    )
