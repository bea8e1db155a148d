"""Sections with the figures of an outcome: measures with their spread or interval, and classes."""

from collections.abc import Sequence

import numpy as np

from sfmcore.data.arrays import Float64Array, Int64Array
from sfmcore.evaluation.answers import confusion_of
from sfmcore.evaluation.intervals import share_interval
from sfmcore.evaluation.measures import MEASURES
from sfmcore.reporting.origins import input_facts
from sfmcore.reporting.outcome import Further, Origin, Outcome, Parts
from sfmcore.reporting.parts import Facts, Part, Section, Table, Text

_NAMES = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "macro_f1": "macro F1",
    "matthews": "Matthews correlation",
    "auroc": "area under the ROC curve",
    "average_precision": "average precision",
    "roc50": "ROC50",
}
_INTERVAL = "The interval is that of Clopper and Pearson: it holds for independent items."


def in_short(origin: Origin, outcome: Outcome, parts: Parts, further: Further) -> Section:
    """The facts that matter most."""
    total = sum(outcome.counts)
    facts = [
        ("accuracy", _accuracy(outcome, parts)),
        ("majority class alone", f"{100 * max(outcome.counts) / total:.2f} %"),
        (f"{origin.noun}s", f"{total:,} of {len(outcome.labels)} classes"),
        *input_facts(origin),
        ("protocol", _protocol(outcome, parts, origin.noun)),
    ]
    if further.known is not None:
        known = f"{len(further.known):,} of {total:,} {origin.noun}s"
        facts.append(("seen in training", known))
    return Section("in-short", "In short", [Facts(facts)])


def _protocol(outcome: Outcome, parts: Parts, noun: str) -> str:
    n_parts = len(outcome.answers)
    if parts == "folds":
        return f"{n_parts} stratified folds: each is tested once, by a model trained on the others"
    if parts == "halves":
        halves = "one random half" if n_parts == 1 else f"{n_parts} random halves"
        return f"{halves} of every class: trained on one half, tested on the other"
    return f"a labelled test set of {noun}s, given to a trained model"


def _accuracy(outcome: Outcome, parts: Parts) -> str:
    values = np.array([own.overall["accuracy"] for own in outcome.measures])
    hits = sum(int(np.sum(own.predicted == own.truth)) for own in outcome.answers)
    count = sum(len(own.truth) for own in outcome.answers)
    low, high = (100 * float(side[0]) for side in share_interval([hits], [count]))
    interval = f"95 % interval {low:.2f} to {high:.2f} %"
    if len(values) == 1:
        return f"{100 * values[0]:.2f} % ({interval})"
    spread = f"deviation {100 * values.std(ddof=1):.2f} over {len(values)} {parts}"
    if parts == "folds":
        # Every item is tested once, so the tests can be counted together.
        return f"{100 * hits / count:.2f} % ({interval}; {spread})"
    return f"{100 * values.mean():.2f} % ({spread})"


def measures(outcome: Outcome, parts: Parts) -> Section:
    """All measures, with their spread over the partitions."""
    several = len(outcome.measures) > 1
    rows = []
    for name in MEASURES:
        values = np.array([own.overall[name] for own in outcome.measures], dtype=np.float64)
        defined = values[~np.isnan(values)]
        if not len(defined):
            rows.append((_NAMES[name], *("-" for _ in range(4 if several else 1))))
            continue
        cells = [f"{defined.mean():.4f}"]
        if several:
            spread = f"{defined.std(ddof=1):.4f}" if len(defined) > 1 else "-"
            cells += [spread, f"{defined.min():.4f}", f"{defined.max():.4f}"]
        rows.append((_NAMES[name], *cells))
    header = ["measure", "value"]
    if several:
        header = ["measure", "mean", "deviation", "lowest", "highest"]
    note = (
        "1 is perfect. Those of ranks (the last three) are means over the classes; ROC50 is the "
        "area up to the 50th false positive."
    )
    if several and parts == "halves":
        note += (
            " Random halves overlap, so the deviation is that between halves and no error of the "
            "mean."
        )
    return Section(
        "measures", "Measures", [Table("Measures of all classes", header, rows, (), note)]
    )


def classes(outcome: Outcome, parts: Parts, further: Further) -> Section:
    """One row for each class."""
    n_classes, n_parts = len(outcome.labels), len(outcome.answers)
    total = outcome.confusion()
    tests, given, right = total.sum(axis=1), total.sum(axis=0), total.diagonal()
    header = ["class", "no.", "items", "tests", "recall %"]
    columns: list[Sequence[str]] = [
        [str(label) for label in outcome.labels],
        [str(number + 1) for number in range(n_classes)],
        [f"{count:,}" for count in outcome.counts],
        [f"{count:,}" for count in tests.tolist()],
        _per_cent(right, tests),
    ]
    if n_parts == 1 or parts == "folds":
        low, high = share_interval(right, tests)
        header.append("95 % interval")
        columns.append([f"{100 * a:.1f} to {100 * b:.1f}" for a, b in zip(low, high, strict=True)])
    else:
        header.append("deviation")
        columns.append(_spread(_recalls(outcome)))
    header += ["precision %", "AUROC", "av. precision"]
    columns += [
        _per_cent(right, given),
        _mean(outcome, "auroc"),
        _mean(outcome, "average_precision"),
    ]
    notes = [
        "Recall: share of the tests of a class that get its label. Precision: share of the "
        "tests with its label that are of the class."
    ]
    if "95 % interval" in header:
        notes.append(_INTERVAL)
    if further.accuracy is not None:
        header.append("one-vs-rest %")
        columns.append([f"{value:.2f}" for value in further.accuracy.mean(axis=0)])
        notes.append("One-vs-rest: accuracy of the class against all others.")
    if further.certified is not None:
        header.append("certified %")
        columns.append([f"{value:.2f}" for value in further.certified.mean(axis=0)])
        notes.append(
            f"Certified: what a test part proves of it, with probability "
            f"{100 * (1 - further.delta):g} % each time, for new items with the classes in the "
            "same shares."
        )
    rows = list(zip(*columns, strict=True))
    found: list[Part] = [Table("Figures of each class", header, rows, (), " ".join(notes))]
    if not len(tests):
        found = [Text("No class was tested.")]
    return Section("classes", "Classes", found)


def _per_cent(hits: Int64Array, counts: Int64Array) -> list[str]:
    pairs = zip(hits.tolist(), counts.tolist(), strict=True)
    return [f"{100 * k / n:.2f}" if n else "-" for k, n in pairs]


def _recalls(outcome: Outcome) -> Float64Array:
    """Of every partition and class; NaN of a class without a test item."""
    rows = []
    for part in outcome.answers:
        own = confusion_of([part], len(outcome.labels))
        tests = own.sum(axis=1)
        rows.append(np.where(tests > 0, own.diagonal() / np.maximum(tests, 1), np.nan))
    return np.array(rows)


def _spread(values: Float64Array) -> list[str]:
    """Deviation of each column in per cent, of what is defined."""
    every = [column[~np.isnan(column)] for column in values.T]
    return [f"{100 * own.std(ddof=1):.2f}" if len(own) > 1 else "-" for own in every]


def _mean(outcome: Outcome, name: str) -> list[str]:
    every = np.array([own.by_class[name] for own in outcome.measures], dtype=np.float64)
    found = [column[~np.isnan(column)] for column in every.T]
    return [f"{own.mean():.4f}" if len(own) else "-" for own in found]
