"""The section of suspects: which items it lists, how many, and what it says where it lists none."""

from dataclasses import replace

import numpy as np
import pytest

from sfmcore.evaluation.mistakes import most_confident_mistakes
from sfmcore.reporting.outcome import MOST_MISTAKES, Further, Shown
from sfmcore.reporting.page import render
from sfmcore.reporting.suspects import suspect_section
from sfmcore.suspects.answered import suspects_among

SHOWN = Shown(lambda item: f"record_{item}", preview=lambda item: f"<p>item {item}</p>")


@pytest.fixture
def section(origin):
    """The section's parts by kind, each a list."""

    def call(made, parts="test set", further=None, mistakes=()):
        further = Further() if further is None else further
        found = suspect_section(made, origin, SHOWN, parts, further, mistakes)
        kinds = {part.kind for part in found.parts}
        return {kind: [part for part in found.parts if part.kind == kind] for kind in kinds}

    return call


def flip(made, places):
    """Give items another label, in every partition."""
    for part in made.answers:
        part.truth[places] = (part.truth[places] + 1) % len(made.labels)


def listed(section):
    """Places of the items in the table."""
    return [int(row[0].removeprefix("record_")) for row in section["table"][0].rows]


def test_wrong_labels_are_listed_in_order_with_scores(outcome, section):
    made = outcome(skill=9.0)
    wrong = [4, 100, 201]
    flip(made, wrong)
    found = suspects_among(made.answers)
    shown = section(made, mistakes=wrong)
    assert set(listed(shown)) == set(wrong)
    assert listed(shown) == found.ranked_items().tolist()
    for item, row in zip(listed(shown), shown["table"][0].rows, strict=True):
        assert row[1:3] == (f"class {(item + 1) % 3}", f"class {item % 3}")
        assert float(row[3]) == pytest.approx(found.found.score[item], abs=5e-4)
        assert row[6] == "probabilities"
    (text,) = shown["text"]
    assert text.text.startswith("3 of 300 sequences are suspect; about 3 labels are wrong")
    assert "estimated from the test set itself" in text.text
    assert "block" not in shown  # they are shown as mistakes


def test_many_suspects_are_capped_and_what_is_no_mistake_above_is_shown(outcome, section):
    made = outcome(n_items=600, skill=9.0)
    flip(made, np.arange(0, 90, 3))
    mistakes = {one.item for one in most_confident_mistakes(made.answers, MOST_MISTAKES)}
    shown = section(made, mistakes=mistakes)
    items = listed(shown)
    assert len(items) == 12
    assert "The 12 with the highest scores are shown." in shown["text"][0].text
    others = [item for item in items if item not in mistakes]
    assert [block.html for block in shown.get("block", [])] == [f"<p>item {i}</p>" for i in others]


def test_several_tests_of_an_item_are_averaged_and_it_says_so(outcome, section):
    made = outcome(n_parts=3, skill=9.0)
    flip(made, [7])
    shown = section(made, parts="halves")
    text = shown["text"][0].text
    assert "Probabilities are means over the 3 tests of an item." in text
    assert "test set itself" not in text
    assert listed(shown) == [7]
    made.answers[2] = replace(made.answers[2], items=made.answers[2].items + 1)
    assert "means over the 1 to 3 tests" in section(made, parts="halves")["text"][0].text


def test_items_that_training_has_seen_are_left_out(outcome, section):
    made = outcome(skill=9.0)
    flip(made, [7, 8])
    shown = section(made, further=Further(known=np.array([7])))
    assert listed(shown) == [8]
    assert "Items that training has seen are left out." in shown["text"][0].text
    assert "of 299 sequences" in shown["text"][0].text
    assert section(made, further=Further(known=np.arange(300))) == {}


def test_equal_items_of_two_labels_are_named(outcome, section):
    made = outcome(skill=9.0)
    digests = np.arange(300, dtype=np.uint64)
    digests[31] = digests[30]
    shown = section(made, further=Further(suspects=suspects_among(made.answers, digests=digests)))
    assert [row[6] for row in shown["table"][0].rows] == [
        "equal to record_31, labelled class 1",
        "equal to record_30, labelled class 0",
    ]
    assert [block.html for block in shown["block"]] == ["<p>item 30</p>", "<p>item 31</p>"]


def test_no_suspect_is_said(outcome, section):
    shown = section(outcome(skill=20.0))
    assert shown["text"][0].text.startswith("0 of 300 sequences are suspect")
    assert set(shown) == {"text"}


def test_too_few_items_and_too_many_classes_are_said(outcome, section):
    few = section(outcome(n_items=8, n_classes=2))["text"][0].text
    assert few == ("Too few sequences: a search takes at least two classes with 5 sequences each.")
    many = section(outcome(n_items=480, n_classes=120))["text"][0].text
    assert many == "Not looked for among more than 100 classes."


def test_small_classes_are_counted(outcome, section):
    made = outcome(n_items=30, n_classes=4, skill=9.0)
    part = made.answers[0]
    few = (part.truth != 3) | (part.items < 16)
    names = ("items", "truth", "predicted", "confidence", "true_confidence", "p_values", "scores")
    chosen = {name: getattr(part, name)[few] for name in (*names, "shares")}
    made.answers[0] = replace(part, **chosen, set_sizes=part.set_sizes[:, few])
    text = section(made)["text"][0].text
    assert "Left out: 1 class with fewer than 5 sequences." in text


def test_one_class_alone_has_no_section(outcome, section):
    made = outcome(n_items=60, n_classes=2, skill=9.0)
    made.counts = [60, 0]
    made.answers[0].truth[:] = 0
    assert section(made) == {}


def test_a_hundred_thousand_items_make_no_larger_section(outcome, origin):
    pytest.importorskip("jinja2")
    made = outcome(n_items=100_000, n_classes=4, skill=4.0)
    flip(made, np.arange(0, 100_000, 20))
    page = render("", "", [suspect_section(made, origin, SHOWN, "test set", Further(), ())])
    assert page.count("<p>item ") == 12
    assert len(page.encode()) < 20_000
