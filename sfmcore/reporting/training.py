"""The page of a training: what was learnt from what, and what training itself knows of it."""

from collections.abc import Mapping
from functools import partial

from sfmcore.estimators.classifier import SFMClassifier
from sfmcore.estimators.learnt import (
    PAIR_HEADER,
    PAIR_NOTE,
    confidence_lines,
    pair_rows,
    preparation_lines,
)
from sfmcore.evaluation.climbs import climbs_of
from sfmcore.reporting.answer_figures import climb_section
from sfmcore.reporting.certificates import certificate_parts
from sfmcore.reporting.origins import input_facts, making
from sfmcore.reporting.outcome import Origin
from sfmcore.reporting.page import render
from sfmcore.reporting.parts import Facts, Part, Section, Table, Text, drawn, names_of

_COVERAGES = (0.8, 0.9, 0.95, 0.99)


def training_page(
    origin: Origin, classifier: SFMClassifier, counts: Mapping[str, int], model: str
) -> str:
    """Return the page of a classifier that was just fitted.

    Parameters
    ----------
    origin : Origin
    classifier : SFMClassifier
        Fitted.
    counts : mapping of str to int
        Items of each class.
    model : str
        Name of the model file.

    Returns
    -------
    str
        HTML. Equal arguments give equal pages.
    """
    total = sum(counts.values())
    facts = [
        ("model file", model),
        (f"{origin.noun}s", f"{total:,} of {len(counts)} classes"),
        *input_facts(origin),
    ]
    rows = [(name, f"{count:,}", f"{100 * count / total:.1f}") for name, count in counts.items()]
    sections = [
        Section("in-short", "In short", [Facts(facts)]),
        Section(
            "classes", "Classes", [Table("Items of each class", ("class", "items", "%"), rows)]
        ),
        _confidence(classifier, origin.noun),
        _typicality(classifier, origin.noun),
        Section("certificate", "Certificate", _certificate(classifier, origin)),
        _learnt(classifier),
        climb_section(climbs_of(classifier.pairs_), origin),
        making(origin),
    ]
    lead = "What training itself knows. To measure accuracy on new items, use evaluate."
    return render(f"Training of a {classifier.kind}", lead, sections)


def _confidence(classifier: SFMClassifier, noun: str) -> Section:
    from sfmcore.plots.held_out import draw_held_out, hardest_classes

    lines = confidence_lines(classifier, "trained with calibrate=False")
    parts: list[Part] = [Text(_sentence(line)) for line in lines]
    sets = classifier.label_sets_
    if sets is None:
        return Section("confidence", "Confidence", parts)
    labels = names_of(classifier.classes_.tolist())
    n_drawn = len(hardest_classes(sets))
    mean = float((sets.probabilities * sets.weights).sum() / sets.weights.sum())
    alt = f"Held-out {noun}s by the probability of their true class, {mean:.3f} on average."
    caption = "The lower a line stays on its way to the right, the surer its items were."
    if n_drawn < len(labels):
        caption += f" {n_drawn} classes with the smallest probabilities of {len(labels)}."
    parts.append(drawn(partial(draw_held_out, sets, labels), alt, caption))
    rows = [
        (f"{100 * coverage:g} %", f"{100 * sets.assured(coverage):.1f}") for coverage in _COVERAGES
    ]
    note = (
        f"Measured on {sets.n_items:g} held-out {noun}s: for new ones like these, each assured "
        "coverage holds with probability 95 %."
    )
    header = ("coverage asked for", "assured %")
    parts.append(Table("Sets of labels (predict --coverage)", header, rows, (), note))
    return Section("confidence", "Confidence", parts)


def _typicality(classifier: SFMClassifier, noun: str) -> Section:
    known = classifier.typicality_
    if known is None:
        text = "The model does not know what is typical, so predict --reject-below is no option."
    else:
        n_scores = len(known.scores)
        text = (
            f"The p-values of the column typicality are based on {n_scores:,} held-out {noun}s; "
            f"the smallest that an input can have is {1 / (1 + n_scores):.2g}."
        )
    return Section("typicality", "Typicality", [Text(text)])


def _certificate(classifier: SFMClassifier, origin: Origin) -> list[Part]:
    found = getattr(classifier, "certificate_", None)
    if found is not None:
        return certificate_parts(found, origin.noun)
    return [
        Text(
            f"None: the models were trained on every {origin.noun}. {origin.program} train "
            "--certify 0.5 withholds half of them, and certifies a bound on the risk."
        )
    ]


def _learnt(classifier: SFMClassifier) -> Section:
    lines = [Text(_sentence(line)) for line in preparation_lines(classifier)]
    table = Table("One-versus-rest classifiers", PAIR_HEADER, pair_rows(classifier), (), PAIR_NOTE)
    return Section("learnt", "What was learnt", [*lines, table])


def _sentence(line: str) -> str:
    return f"{line[0].upper()}{line[1:]}."
