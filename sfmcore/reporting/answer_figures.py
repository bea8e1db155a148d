"""Sections with pictures of the answers: confusions, ranking, confidence, training sizes, EM."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from sfmcore.evaluation.answers import most_frequent_confusions
from sfmcore.evaluation.climbs import Climb
from sfmcore.evaluation.curves import MeanCurve, mean_precision, mean_roc
from sfmcore.evaluation.reliability import reliability_bins
from sfmcore.evaluation.training_sizes import SizeCurve
from sfmcore.reporting.outcome import Origin, Outcome, Parts
from sfmcore.reporting.parts import Facts, Part, Section, Table, Text, drawn, names_of

_MOST_CONFUSIONS = 15


def confusions(outcome: Outcome) -> Section:
    """The matrix, and the most frequent confusions as a list."""
    from sfmcore.plots.confusion import MOST_WITH_NUMBERS, draw_confusion

    counts = outcome.confusion()
    names = names_of(outcome.labels)
    listed = most_frequent_confusions(counts, _MOST_CONFUSIONS)
    right = 100.0 * counts.trace() / max(counts.sum(), 1)
    alt = (
        f"Matrix of {len(names)} true classes by the label given: {right:.1f} % of the tests lie "
        "on the diagonal"
    )
    if listed:
        true, given, _, share = listed[0]
        alt += f"; the most frequent confusion is {names[true]} taken for {names[given]}, "
        alt += f"{share:.1f} % of that class"
    caption = "Per cent of each true class (row) that gets each label (column)."
    if len(names) > MOST_WITH_NUMBERS:
        caption += " Numbers of classes are those of the table of classes."
    parts: list[Part] = [
        drawn(partial(draw_confusion, counts, names, title=""), f"{alt}.", caption)
    ]
    if listed:
        rows = [
            (names[true], names[given], f"{count:,}", f"{share:.2f}")
            for true, given, count, share in listed
        ]
        header = ("true class", "label given", "tests", "% of the class")
        parts.append(Table("Most frequent confusions", header, rows, (1,)))
    else:
        parts.append(Text("Every label is right."))
    return Section("confusions", "Confusions", parts)


def ranking(outcome: Outcome) -> Section:
    """ROC and precision-recall curves."""
    from sfmcore.plots.ranking import MOST_LINES, draw_precision, draw_roc

    if not outcome.answers or outcome.answers[0].scores.shape[1] == 0:
        return Section("ranking", "Ranking by score", [])
    areas = np.array([own.by_class["auroc"] for own in outcome.measures], dtype=np.float64)
    defined = ~np.isnan(areas)
    means = np.where(defined, areas, 0.0).sum(axis=0) / np.maximum(defined.sum(axis=0), 1)
    known = np.flatnonzero(defined.any(axis=0))
    chosen = known[np.argsort(means[known], kind="stable")][:MOST_LINES]
    chosen = np.sort(chosen) if len(known) <= MOST_LINES else chosen
    if not len(chosen):
        return Section("ranking", "Ranking by score", [])
    names = names_of(outcome.labels)
    which = "" if len(known) <= MOST_LINES else f" {MOST_LINES} classes with the smallest areas."
    bands = " Bands are one deviation." if len(outcome.answers) > 1 else ""
    low, high = means[chosen].min(), means[chosen].max()
    areas_text = f"The areas of {len(chosen)} classes lie between {low:.3f} and {high:.3f}"
    makers: list[tuple[Callable[..., MeanCurve | None], Callable[..., Any], str, str]] = [
        (mean_roc, draw_roc, "ROC curves", "One class against the rest, by its score."),
        (mean_precision, draw_precision, "Precision-recall curves", "Precision by recall."),
    ]
    parts: list[Part] = []
    for make, draw, what, about in makers:
        curves: Mapping[str, MeanCurve] = {
            names[number]: curve
            for number in chosen.tolist()
            if (curve := make(outcome.answers, number)) is not None
        }
        alt = f"{what}. {areas_text}." if make is mean_roc else _precision_alt(curves)
        parts.append(drawn(partial(draw, curves), alt, f"{what}. {about}{which}{bands}"))
    return Section("ranking", "Ranking by score", parts)


def _precision_alt(curves: Mapping[str, MeanCurve]) -> str:
    values = ", ".join(
        f"{name} {float(np.interp(0.9, curve.x, curve.mean)):.2f}" for name, curve in curves.items()
    )
    return f"Precision-recall curves. Precision at a recall of 0.9: {values}."


def confidence(outcome: Outcome, parts: Parts) -> Section:
    """Whether confidences are what comes true, and how large sets of labels are."""
    from sfmcore.plots.reliability import draw_reliability

    found = outcome.reliability()
    told = np.concatenate([part.confidence for part in outcome.answers])
    right = np.concatenate([part.predicted == part.truth for part in outcome.answers])
    facts = [
        ("mean confidence", f"{100 * found['mean_confidence']:.2f} %"),
        ("right labels", f"{100 * right.mean():.2f} %"),
        (
            "calibration error",
            f"{found['calibration_error']:.4f}, the mean distance of the two over "
            f"{found['n_bins']} bins",
        ),
        ("log loss", f"{found['log_loss']:.4f} nats"),
    ]
    alt = (
        f"Reliability diagram: mean confidence {100 * found['mean_confidence']:.1f} %, right "
        f"{100 * right.mean():.1f} %, calibration error {found['calibration_error']:.3f}."
    )
    caption = "On the dotted line confidence equals accuracy; points below it are overconfident."
    if parts == "halves" and len(outcome.answers) > 1:
        caption += " An item is tested in several halves, so the intervals are too narrow."
    made: list[Part] = [
        Facts(facts),
        drawn(lambda: draw_reliability(reliability_bins(told, right)), alt, caption),
    ]
    rows = [
        (
            f"{100 * float(coverage):g} %",
            f"{100 * own['covered']:.2f}",
            f"{own['mean_size']:.2f}",
            f"{100 * own['singles']:.2f}",
        )
        for coverage, own in found["sets"].items()
    ]
    if rows:
        header = (
            "coverage asked for",
            "hold the true label %",
            "labels (mean)",
            "one label only %",
        )
        made.append(Table("Sets of labels", header, rows))
    return Section("confidence", "Confidence", made)


def training_sizes(curve: SizeCurve | None) -> Section:
    """Accuracy against the number of training items."""
    if curve is None:
        return Section("training-sizes", "Learning curve", [])
    from sfmcore.plots.learning_curve import LearningCurveDisplay
    from sfmcore.plots.saving import new_figure

    def draw() -> Any:
        figure = new_figure(4.8, 3.6)
        display = LearningCurveDisplay(
            n_labelled=curve.n_train, accuracies={"test part": curve.accuracy}
        )
        axes = figure.add_subplot()
        display.plot(axes)
        axes.set_xlabel("training items")
        return figure

    means = 100 * curve.accuracy.mean(axis=1)
    alt = (
        f"Accuracy rises from {means[0]:.1f} % with {curve.n_train[0]} training items to "
        f"{means[-1]:.1f} % with {curve.n_train[-1]}."
    )
    rows = [
        (f"{size:,}", f"{mean:.2f}", f"{100 * own.std(ddof=1):.2f}" if len(own) > 1 else "-")
        for size, mean, own in zip(curve.n_train.tolist(), means, curve.accuracy, strict=True)
    ]
    header = ("training items", "accuracy %", "deviation")
    caption = "Accuracy on the test parts. Bands are one deviation."
    return Section(
        "training-sizes",
        "Learning curve",
        [drawn(draw, alt, caption), Table("Accuracy by training items", header, rows)],
    )


def climb_section(climbs: Sequence[Climb], origin: Origin) -> Section:
    """How EM went."""
    if not climbs:
        return Section("models", "Models", [])
    from sfmcore.plots.climbs import draw_climbs

    reached = sum(climb.converged for climb in climbs)
    where = "" if origin.command == "train" else " of the first partition"
    text = f"{reached} of {len(climbs)} models{where} reached their tolerance."
    rise = ", ".join(
        f"{kind}: {values.min():.3f} to {values.max():.3f}" for kind, values in _rises(climbs)
    )
    alt = f"Rise of each model's objective since its first value, in nats. At the end {rise}."
    caption = (
        "The objective of EM, or of the sampler, since its first value; a line for each model."
    )
    return Section(
        "models", "Models", [Text(text), drawn(partial(draw_climbs, climbs), alt, caption)]
    )


def _rises(climbs: Sequence[Climb]) -> list[tuple[str, Any]]:
    kinds = dict.fromkeys(climb.kind for climb in climbs)
    return [
        (kind, np.array([one.values[-1] - one.values[0] for one in climbs if one.kind == kind]))
        for kind in kinds
    ]
