"""The classification is read from the second word of a header and from nowhere else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfmbio.reading.astral import parse_sccs
from sfmbio.reading.fasta import read_fasta


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        (
            "d3sdha_ 1.1.1.1.1 Hemoglobin I {Ark clam (Scapharca inaequivalvis)}",
            ("1", "1.1", "1.1.1", "1.1.1.1"),
        ),
        ("d1dlwa_ a.1.1.1 (A:) Protozoan hemoglobin {x}", ("a", "a.1", "a.1.1", "a.1.1.1")),
        ("d1dlwa_ a.1.1.1", ("a", "a.1", "a.1.1", "a.1.1.1")),
        ("d1 12.34.56.78 rest", ("12", "12.34", "12.34.56", "12.34.56.78")),
        ("d1\tg.3.11.102\t(A:) no braces", ("g", "g.3", "g.3.11", "g.3.11.102")),
        ("  d1   l.1.1.1 b.2.2.2", ("l", "l.1", "l.1.1", "l.1.1.1")),
    ],
)
def test_levels_of_old_and_new_headers(description, expected):
    sccs = parse_sccs(description)
    assert (sccs.scop_class, sccs.fold, sccs.superfamily, sccs.family) == expected


@pytest.mark.parametrize(
    "word",
    [
        "a.1.1",
        "a.1.1.1.1",
        "1.1.1",
        "1.1.1.1.1.1",
        "A.1.1.1",
        "ab.1.1.1",
        "a.1.1.x",
        "a.1..1",
        "a.1.1.1.",
        "a.1.1.1,",
        "(A:)",
        "a-1-1-1",
        "\u0661.1.1.1",
    ],
)
def test_any_other_second_word_is_refused_and_named(word):
    with pytest.raises(ValueError, match="is not a SCOP classification") as caught:
        parse_sccs(f"d1dlwa_ {word} a.1.1.1")
    assert repr(word) in str(caught.value)


@pytest.mark.parametrize("description", ["", "  ", "d1dlwa_", "a.1.1.1"])
def test_a_header_without_second_word_is_refused(description):
    with pytest.raises(ValueError, match="no second word"):
        parse_sccs(description)


@given(
    first=st.one_of(st.sampled_from("abcdefghijkl"), st.integers(1, 11).map(str)),
    numbers=st.tuples(*[st.integers(1, 999)] * 3),
    protein=st.integers(1, 99),
    rest=st.text(st.characters(exclude_categories=["C", "Z"])),
)
def test_what_is_written_is_read(first, numbers, protein, rest):
    family = ".".join([first, *map(str, numbers)])
    written = f"{family}.{protein}" if first.isdigit() else family
    sccs = parse_sccs(f"d1 {written} {rest}")
    assert (sccs.family, sccs.scop_class) == (family, first)
    assert sccs.family.startswith(sccs.superfamily + ".")
    assert sccs.superfamily.startswith(sccs.fold + ".")


def test_the_pool_has_its_known_classes_folds_and_families(proteins):
    pool = [
        parse_sccs(record.description)
        for record in read_fasta(proteins / "scop_1_53" / "scop.1.53.1e-25.fasta")
    ]
    assert len({sccs.scop_class for sccs in pool}) == 7
    assert len({sccs.fold for sccs in pool}) == 561
    assert len({sccs.superfamily for sccs in pool}) == 853
    assert len({sccs.family for sccs in pool}) == 1356
