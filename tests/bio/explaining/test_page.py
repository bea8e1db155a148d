"""The page of reasons: what is escaped, how much is shown, how large it becomes."""

import numpy as np

from sfmbio.explaining.page import Page
from sfmbio.explaining.records import Neighbour, Reasons
from sfmbio.explaining.residues import KINDS, TERMS
from sfmcore.reporting.reasons import MOST_BYTES

EVIL = '<script>alert("x")</script>&\u2028'


def reasons(name="a", length=50, seed=0):
    random = np.random.default_rng(seed)
    evidence = random.normal(size=length)
    return Reasons(
        name=name,
        codes=random.integers(0, 22, length).astype(np.uint8),
        label=name,
        runner_up=name,
        score=1.0,
        baseline=0.0,
        remainder=0.0,
        evidence=evidence,
        kinds=dict.fromkeys(KINDS, evidence / len(KINDS)),
        terms=dict.fromkeys(TERMS, 0.1),
        states=[(name, 0.5)],
        words=[("A.C", -0.5)],
        nearest=[Neighbour(name, name, 0.5, 1e-9)],
    )


def test_names_are_text_and_no_html():
    page = Page(EVIL, 10)
    page.add(reasons(EVIL))
    page.leave_out(EVIL, EVIL)
    text = page.text()
    assert "<script" not in text
    assert text.count("&lt;script&gt;") >= 8


def test_half_a_pair_of_surrogates_is_written_out():
    page = Page("a", 1)
    page.add(reasons("caf\udce9"))
    assert b"caf\\udce9" in page.text().encode()


def test_a_page_says_that_it_shows_the_first_records_only():
    page = Page("model.sfm", 2)
    for number in range(5):
        page.add(reasons(f"record{number}"))
    page.count()
    text = page.text()
    assert "The first 2 of 6 records are shown" in text
    assert "record1" in text
    assert "record2" not in text


def test_a_page_stays_below_its_size():
    page = Page("model.sfm", 100_000)
    for number in range(400):
        page.add(reasons(f"r{number}", length=3000, seed=number))
    assert page.is_full
    assert len(page.text().encode()) < MOST_BYTES + 10_000 < 5_000_000


def test_a_sequence_of_no_evidence_and_a_long_one_are_shown():
    page = Page("model.sfm", 2)
    plain = reasons(length=3)
    page.add(Reasons(**{**vars(plain), "evidence": np.zeros(3)}))
    page.add(reasons(length=30_000))
    assert "400 lines omitted" in page.text()


def test_colours_follow_the_sign_and_the_size():
    page = Page("model.sfm", 1)
    evidence = np.array([3.0, -3.0, 0.0, 0.5])
    plain = reasons(length=4)
    changed = {"evidence": evidence, "codes": np.array([0, 1, 2, 3], np.uint8)}
    page.add(Reasons(**{**vars(plain), **changed}))
    assert '<i class="p6">A</i><i class="m6">C</i>D<i class="p1">E</i>' in page.text()
