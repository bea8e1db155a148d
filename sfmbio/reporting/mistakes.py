"""Reasons for the most confident mistakes, kept while their classifier is there."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from sfmbio.classifier import ProteinClassifier
from sfmbio.explaining.coloured import LEGEND, colour_rules, reasons_html, sequence_html
from sfmbio.explaining.records import N_NEAREST, Reasons, reasons_of
from sfmcore.data.arrays import Int64Array
from sfmcore.data.ragged import Ragged
from sfmcore.evaluation.answers import Answers
from sfmcore.evaluation.mistakes import Mistake, most_confident_mistakes
from sfmcore.learning.problem import Problem
from sfmcore.reporting.outcome import MOST_MISTAKES, Shown

# Of a longer sequence the first and the last are shown.
_LINES = 24
_PREVIEW_LINES = 6


def examine_mistakes(
    model: ProteinClassifier, problem: Problem, train: Int64Array, answers: Answers, items: Ragged
) -> list[Reasons]:
    """Explain the mistakes of one partition; an :class:`sfmcore.evaluation.halves.Examine`.

    The nearest training records are called by their places in X.
    """
    model.name_references(problem, [str(train[place]) for place in problem.places])
    return explained_mistakes(model, answers, items)


def explained_mistakes(model: ProteinClassifier, answers: Answers, items: Ragged) -> list[Reasons]:
    """Explain the most confident mistakes among some answers.

    Parameters
    ----------
    model : ProteinClassifier
        Which gave the answers.
    answers : Answers
    items : Ragged
        All of X.

    Returns
    -------
    list of Reasons
        Each called by its place in X; empty if the models can't be explained.
    """
    places = [one.item for one in most_confident_mistakes([answers], MOST_MISTAKES)]
    if not places:
        return []
    own = items[np.array(places)]
    try:
        made = model.prepared(own)
        found = model.explain_prepared(made, rests=True)
    except ValueError:  # features are drawn
        return []
    nearest = model.several_nearest_among(made[0], N_NEAREST)
    return list(reasons_of([str(place) for place in places], own, found, nearest))


def shown_sequences(
    names: Sequence[str],
    explained: Sequence[list[Reasons]],
    items: Ragged,
    *,
    of_training: Callable[[str], str] | None = None,
) -> Shown:
    """How a report shows sequences.

    Parameters
    ----------
    names : sequence of str
        Ids of the records.
    explained : sequence of list of Reasons
        By partition, from :func:`explained_mistakes`.
    items : Ragged
        All of X.
    of_training : callable, optional
        From what the reasons call a training record to its id; None where they call it by that.
    """
    known = {(part, own.name): own for part, every in enumerate(explained) for own in every}

    def evidence(mistake: Mistake) -> str:
        reasons = known.get((mistake.partition, str(mistake.item)))
        if reasons is None:
            return ""
        if of_training is not None:
            near = [replace(one, name=of_training(one.name)) for one in reasons.nearest]
            reasons = replace(reasons, nearest=near)
        return reasons_html(reasons, most_lines=_LINES)

    def preview(item: int) -> str:
        codes = items[item]
        return sequence_html(codes, np.zeros(len(codes)), _PREVIEW_LINES)

    return Shown(names.__getitem__, evidence, preview, LEGEND, colour_rules())
