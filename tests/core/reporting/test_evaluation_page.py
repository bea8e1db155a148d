"""The page of an evaluation or a test: what it says, what it escapes, how large it is."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from sfmcore.evaluation.climbs import Climb
from sfmcore.evaluation.training_sizes import SizeCurve
from sfmcore.reporting.evaluation import evaluation_page
from sfmcore.reporting.outcome import Further, Shown
from sfmcore.suspects.answered import suspects_among

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

EVIL = '<script>alert("x")</script>&\'\u2028'
PLAIN = Shown(lambda item: f"record_{item}")


class Outline(HTMLParser):
    """Headings, tags, attributes and table captions of a page; refuses tags that do not match."""

    def __init__(self, text):
        super().__init__()
        self.headings, self.tags, self.open, self.ids = [], [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.tags.append((tag, given))
        if "id" in given:
            self.ids.append(given["id"])
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag not in ("meta", "img", "link", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def all(self, tag):
        return [given for name, given in self.tags if name == tag]


def text_of(page):
    return re.sub(r"\s+", " ", re.sub(r"<style>.*?</style>|<[^>]+>", " ", page, flags=re.S))


def test_a_test_set_has_intervals_and_no_deviation(outcome, origin):
    made = outcome()
    page = text_of(evaluation_page(origin, made, PLAIN, further=Further(known=np.arange(7))))
    share = made.measures[0].overall["accuracy"]
    assert re.search(rf"accuracy {100 * share:.2f} % \(95 % interval [\d.]+ to [\d.]+ %\)", page)
    assert "seen in training 7 of 300 sequences" in page
    assert "95 % interval precision %" in page
    assert "Test of a classifier of sequences" in page
    assert "deviation" not in page


def test_halves_have_deviations_and_no_interval(outcome, origin):
    page = text_of(evaluation_page(origin, outcome(n_parts=4), PLAIN, parts="halves"))
    assert re.search(r"accuracy [\d.]+ % \(deviation [\d.]+ over 4 halves\)", page)
    assert "95 % interval" not in page
    assert "4 random halves of every class" in page


def test_folds_have_both(outcome, origin):
    page = text_of(evaluation_page(origin, outcome(n_parts=3), PLAIN, parts="folds"))
    assert re.search(r"\(95 % interval [\d.]+ to [\d.]+ %; deviation [\d.]+ over 3 folds\)", page)
    assert "3 stratified folds" in page


def test_everything_that_is_given_is_shown_in_order(outcome, origin):
    climbs = [Climb("CategoricalHMM, 10 states", np.array([-3.0, -2.5, -2.4]), True)]
    further = Further(
        accuracy=np.full((1, 3), 90.0),
        certified=np.full((1, 3), 85.0),
        curve=SizeCurve(np.array([40, 80]), np.array([[0.7], [0.8]])),
        climbs=climbs,
    )
    page = evaluation_page(origin, outcome(), PLAIN, further=further)
    titles = re.findall(r'<h2 id="[\w-]+">(.*?)</h2>', page)
    assert titles == [
        "In short",
        "Measures",
        "Classes",
        "Confusions",
        "Ranking by score",
        "Confidence",
        "Learning curve",
        "Most confident mistakes",
        "Suspects",
        "Models",
        "How this report was made",
    ]
    text = text_of(page)
    assert "one-vs-rest % certified %" in text
    assert "C 3.0 300.0" in text
    assert "sfmbio test a.sfm a.fasta" in text


@pytest.mark.parametrize("n_classes", [2, 3, 20, 120])
def test_the_page_is_well_made(outcome, origin, n_classes):
    page = evaluation_page(origin, outcome(n_items=480, n_classes=n_classes), PLAIN)
    outline = Outline(page)
    assert outline.headings[:2] == [1, 2]
    assert all(b - a <= 1 for a, b in zip(outline.headings, outline.headings[1:], strict=False))
    assert outline.headings.count(1) == 1
    assert len(set(outline.ids)) == len(outline.ids)
    assert [link["href"][1:] for link in outline.all("a")] == outline.ids
    assert outline.all("html") == [{"lang": "en"}]
    assert len(outline.all("caption")) == len(outline.all("table")) >= 4
    assert all(given.get("scope") in ("row", "col") for given in outline.all("th"))
    pictures = outline.all("img")
    assert len(pictures) == (4 if n_classes <= 100 else 2)
    assert all(len(given["alt"]) > 40 for given in pictures)
    labels = [given["aria-label"] for given in outline.all("div") if "aria-label" in given]
    assert len(set(labels)) == len(labels)


def test_nothing_is_asked_from_elsewhere(outcome, origin):
    page = evaluation_page(origin, outcome(), PLAIN)
    for given in (given for _, given in Outline(page).tags):
        for name in ("src", "href"):
            assert given.get(name, "#").startswith(("#", "data:image/svg+xml;base64,"))
    assert not re.search(r"<(script|link|iframe|object)|@import|url\(", page)


def test_names_are_text_and_no_html(outcome, origin):
    evil = replace(
        origin,
        command_line=EVIL,
        inputs=[EVIL],
        notes=[(EVIL, EVIL)],
        changed={EVIL: (EVIL, EVIL)},
        parameters={EVIL: EVIL},
    )
    made = outcome(labels=[EVIL, "b" * 5000, "caf\udce9"], skill=2.0)
    suspects = suspects_among(made.answers, digests=np.arange(300, dtype=np.uint64) // 2)
    assert len(suspects.found.ranked())
    further = Further(suspects=suspects)
    page = evaluation_page(evil, made, Shown(lambda item: EVIL), further=further)
    assert "equal to &lt;script&gt;" in page
    assert "<script" not in page
    assert "&lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt;&amp;&#39;" in page
    assert "\u2028" not in page
    assert r"caf\xe9" in page
    page.encode()
    # In tables long names are cut in the middle; elsewhere lines break anywhere.
    cells = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", page)
    assert any("b…b" in cell for cell in cells)
    assert not any("b" * 81 in cell for cell in cells)


def test_mistakes_come_with_what_the_domain_shows(outcome, origin):
    made = outcome(skill=1.0)
    shown = Shown(
        lambda item: f"record_{item}",
        evidence=lambda mistake: f"<p>why {mistake.item}</p>",
        legend="<em>colours</em>",
        style=".mine{color:#000}",
    )
    page = evaluation_page(origin, made, shown)
    found = re.findall(r"<h3>record_(\d+)</h3>\s*<p>(.*?)</p>\s*<p>why (\d+)</p>", page)
    assert len(found) == 12
    assert all(item == why for item, _, why in found)
    confidences = [float(lead.split("confidence ")[1].rstrip(".")) for _, lead, _ in found]
    assert confidences == sorted(confidences, reverse=True)
    assert "<em>colours</em>" in page
    assert ".mine{color:#000}" in page


def test_no_mistake_and_one_are_said(outcome, origin):
    perfect = outcome(skill=50.0)
    text = text_of(evaluation_page(origin, perfect, PLAIN))
    assert "No mistakes." in text
    assert "Every label is right." in text
    perfect.answers[0].predicted[0] = 1
    assert "The only wrong label." in text_of(evaluation_page(origin, perfect, PLAIN))


def test_an_outcome_without_sets_of_labels_is_shown(outcome, origin):
    assert "Sets of labels" not in evaluation_page(origin, outcome(sets=False), PLAIN)


def test_a_class_without_a_test_item_has_dashes(outcome, origin):
    made = outcome(n_items=200, n_classes=2)
    for measures in made.measures:
        measures.by_class["auroc"] = np.append(measures.by_class["auroc"], np.nan)
        measures.by_class["average_precision"] = np.append(
            measures.by_class["average_precision"], np.nan
        )
    made.labels, made.counts = [*made.labels, "never"], [*made.counts, 0]
    page = text_of(evaluation_page(origin, made, PLAIN))
    assert "never 3 0 0 - 0.0 to 100.0 - - -" in page


def test_equal_outcomes_give_equal_pages(outcome, origin):
    pages = {evaluation_page(origin, outcome(n_parts=2), PLAIN, parts="halves") for _ in range(2)}
    assert len(pages) == 1


def test_a_date_is_shown_where_it_is_given(outcome, origin, monkeypatch):
    assert "UTC" not in evaluation_page(origin, outcome(), PLAIN)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert "1970-01-02 00:00 UTC" in evaluation_page(origin, outcome(), PLAIN)


@pytest.mark.parametrize("n_classes", [4, pytest.param(100, marks=pytest.mark.slow)])
def test_a_hundred_thousand_records_stay_below_five_megabytes(outcome, origin, n_classes):
    page = evaluation_page(origin, outcome(n_items=100_000, n_classes=n_classes), PLAIN)
    assert len(page.encode()) < 1_000_000
