"""The section of items whose label is probably wrong, by the answers that a page is about."""

from collections.abc import Collection, Sequence

import numpy as np

from sfmcore.data.words import counted
from sfmcore.evaluation.answers import MAX_CURVES
from sfmcore.reporting.outcome import (
    MOST_SUSPECTS,
    Further,
    Origin,
    Outcome,
    Parts,
    Shown,
)
from sfmcore.reporting.parts import Block, Part, Section, Table, Text
from sfmcore.suspects.answered import LEAST_OF_CLASS, AnsweredSuspects, suspects_among

_HEADER = ("item", "label as given", "fits better", "score", "P(given)", "P(better)", "why")
_NOTE = (
    "Score: probability that the label is wrong, or the share of equal items with another label if "
    "that is larger. P: probability by models that did not learn from the item. Check each against "
    "its source before changing anything."
)


def suspect_section(
    outcome: Outcome,
    origin: Origin,
    shown: Shown,
    parts: Parts,
    further: Further,
    mistakes: Collection[int],
) -> Section:
    """The items whose label is most probably wrong, with what the domain shows of them.

    Parameters
    ----------
    outcome : Outcome
    origin : Origin
    shown : Shown
    parts : Parts
    further : Further
    mistakes : collection of int
        Places in X of items that the page shows already.

    Returns
    -------
    Section
        Without parts if training has seen every item, or there are no items of two classes.
    """
    section = Section("suspects", "Suspects")
    known: list[int] = [] if further.known is None else further.known.tolist()
    if len(known) == sum(outcome.counts) or np.count_nonzero(outcome.counts) < 2:
        return section
    if any(part.shares is None for part in outcome.answers):
        section.parts.append(Text(f"Not looked for among more than {MAX_CURVES} classes."))
        return section
    found = further.suspects
    if found is None:
        found = suspects_among(outcome.answers, learnt=known)
    if found is None:
        least = f"at least two classes with {LEAST_OF_CLASS} {origin.noun}s each"
        section.parts.append(Text(f"Too few {origin.noun}s: a search takes {least}."))
        return section
    lead = _lead(found, len(outcome.labels), origin.noun, parts, bool(known))
    section.parts.extend([Text(lead), *_listed(found, outcome, shown, mistakes)])
    return section


def _listed(
    suspects: AnsweredSuspects, outcome: Outcome, shown: Shown, mistakes: Collection[int]
) -> list[Part]:
    """The table, and what the domain shows of those that are not shown as mistakes."""
    rows: list[Sequence[str]] = []
    blocks = []
    for own in suspects.found.ranked()[:MOST_SUSPECTS].tolist():
        item, row = int(suspects.items[own]), _row(suspects, own, outcome, shown)
        rows.append(row)
        if shown.preview is not None and item not in mistakes:
            html = shown.preview(item)
            blocks.append(Block(row[0], f"Labelled {row[1]}, fits {row[2]} better.", html))
    if not rows:
        return []
    return [Table("Labels that may be wrong", _HEADER, rows, (1, 2, 6), _NOTE), *blocks]


def _lead(
    suspects: AnsweredSuspects, n_classes: int, noun: str, parts: Parts, has_known: bool
) -> str:
    n_judged, n_listed = len(suspects.items), len(suspects.found.ranked())
    are = "is" if n_listed == 1 else "are"
    sentences = [
        f"{n_listed:,} of {n_judged:,} {noun}s {are} suspect; about {suspects.found.n_wrong:,.0f} "
        "labels are wrong, by the probabilities."
    ]
    if n_listed > MOST_SUSPECTS:
        sentences.append(f"The {MOST_SUSPECTS} with the highest scores are shown.")
    if parts == "test set":
        sentences.append("How often labels are confused is estimated from the test set itself.")
        if has_known:
            sentences.append("Items that training has seen are left out.")
    if suspects.n_tests.max() > 1:
        most, least = int(suspects.n_tests.max()), int(suspects.n_tests.min())
        times = f"{most}" if most == least else f"{least} to {most}"
        sentences.append(f"Probabilities are means over the {times} tests of an item.")
    if len(suspects.classes) < n_classes:
        left_out = counted(n_classes - len(suspects.classes), "class")
        sentences.append(f"Left out: {left_out} with fewer than {LEAST_OF_CLASS} {noun}s.")
    return " ".join(sentences)


def _row(suspects: AnsweredSuspects, own: int, outcome: Outcome, shown: Shown) -> tuple[str, ...]:
    found = suspects.found

    def label(number: int) -> str:
        return str(outcome.labels[suspects.classes[number]])

    why = []
    if found.by_reason["label"][own]:
        why.append("probabilities")
    if found.by_reason["conflict"][own]:
        other = int(found.other[own])
        name = shown.name(int(suspects.items[other]))
        why.append(f"equal to {name}, labelled {label(found.given[other])}")
    return (
        shown.name(int(suspects.items[own])),
        label(found.given[own]),
        label(found.suggested[own]),
        f"{found.score[own]:.3f}",
        f"{found.probability[own]:.3f}",
        f"{found.suggested_probability[own]:.3f}",
        "; ".join(why),
    )
