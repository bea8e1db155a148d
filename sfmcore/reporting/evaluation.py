"""The page of an evaluation, or of a test set."""

from sfmcore.evaluation.mistakes import Mistake, most_confident_mistakes
from sfmcore.reporting import answer_figures, figures_of_merit
from sfmcore.reporting.certificates import certificate_parts
from sfmcore.reporting.origins import making
from sfmcore.reporting.outcome import (
    MOST_MISTAKES,
    Further,
    Origin,
    Outcome,
    Parts,
    Shown,
)
from sfmcore.reporting.page import render
from sfmcore.reporting.parts import Block, Part, Section, Text
from sfmcore.reporting.suspects import suspect_section

_TITLES = {"halves": "Evaluation", "folds": "Evaluation", "test set": "Test"}
_NO_MORE = Further()


def evaluation_page(
    origin: Origin,
    outcome: Outcome,
    shown: Shown,
    *,
    parts: Parts = "test set",
    further: Further = _NO_MORE,
) -> str:
    """Return the page of answers about items of known label.

    Parameters
    ----------
    origin : Origin
    outcome : Outcome
        With one partition at least, and one item in each.
    shown : Shown
        How items are named, and mistakes shown.
    parts : {"halves", "folds", "test set"}, default="test set"
        What the partitions are.
    further : Further, optional
        What else there is.

    Returns
    -------
    str
        HTML. Equal arguments give equal pages.
    """
    mistakes = most_confident_mistakes(outcome.answers, MOST_MISTAKES)
    sections = [
        figures_of_merit.in_short(origin, outcome, parts, further),
        figures_of_merit.measures(outcome, parts),
        figures_of_merit.classes(outcome, parts, further),
        answer_figures.confusions(outcome),
        answer_figures.ranking(outcome),
        answer_figures.confidence(outcome, parts),
        answer_figures.training_sizes(further.curve),
        _certificate(further, origin),
        _mistakes(mistakes, outcome, shown),
        suspect_section(outcome, origin, shown, parts, further, {one.item for one in mistakes}),
        answer_figures.climb_section(further.climbs, origin),
        making(origin),
    ]
    classes = ", ".join(str(label) for label in outcome.labels[:8])
    if len(outcome.labels) > 8:
        classes += f" and {len(outcome.labels) - 8} more"
    title = f"{_TITLES[parts]} of a classifier of {origin.noun}s"
    return render(title, f"Classes: {classes}.", sections, further_style=shown.style)


def _certificate(further: Further, origin: Origin) -> Section:
    found = further.certificate
    parts = [] if found is None else certificate_parts(found, origin.noun)
    return Section("certificate", "Certificate", parts)


def _mistakes(found: list[Mistake], outcome: Outcome, shown: Shown) -> Section:
    if not found:
        return Section("mistakes", "Most confident mistakes", [Text("No mistakes.")])
    lead = f"The {len(found)} wrong labels given with the highest confidence."
    if len(found) == 1:
        lead = "The only wrong label."
    parts: list[Part] = [Text(lead)]
    blocks = [_block(mistake, outcome, shown) for mistake in found]
    if shown.legend and any(block.html for block in blocks):
        parts.append(Block("How to read them", "", f'<p class="s">{shown.legend}</p>'))
    return Section("mistakes", "Most confident mistakes", [*parts, *blocks])


def _block(mistake: Mistake, outcome: Outcome, shown: Shown) -> Block:
    lead = (
        f"{outcome.labels[mistake.truth]}, taken for {outcome.labels[mistake.predicted]} with "
        f"confidence {mistake.confidence:.3f}"
    )
    if len(outcome.answers) > 1:
        lead += f"; wrong in {mistake.n_wrong} of {mistake.n_tests} tests"
    html = "" if shown.evidence is None else shown.evidence(mistake)
    return Block(shown.name(mistake.item), f"{lead}.", html)
