"""The 22 symbols against a plain twin that looks at one character at a time."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sfmbio.sequences.alphabet import (
    BREAK,
    N_SYMBOLS,
    RESIDUES,
    SYMBOL_NAMES,
    SYMBOLS,
    UNKNOWN,
    InvalidSequence,
    encode,
    looks_like_nucleotides,
    shown,
)


def encode_slowly(sequence: str):
    """Return codes, replaced, gaps and stops; or the positions of invalid characters."""
    letters = [c for c in sequence if c.isascii() and c.isalpha()]
    others = [c for c in letters if c != "X"]
    in_lower_case = bool(others) and all(c.islower() for c in others)
    end = len(sequence)
    while end and (sequence[end - 1] in "*-." or sequence[end - 1].isspace()):
        end -= 1
    codes, replaced, gaps, stops, invalid = [], {}, 0, 0, []
    for position, c in enumerate(sequence):
        if c in "-.":
            gaps += 1
        elif c.isascii() and c.isspace():
            pass
        elif c == "*":
            if position < end:
                codes.append(BREAK)
                stops += 1
        elif c == "X" and in_lower_case:
            codes.append(BREAK)
        elif c.upper() in RESIDUES and c.isascii():
            codes.append(RESIDUES.index(c.upper()))
        elif c in "BZJUOXbzjuox":
            codes.append(UNKNOWN)
            replaced[c.upper()] = replaced.get(c.upper(), 0) + 1
        else:
            invalid.append(position)
    return invalid if invalid else (bytes(codes), replaced or None, gaps, stops)


VALID = "ACDEFGHIKLMNPQRSTVWYBZJUOX"
sequences = st.one_of(
    st.text(RESIDUES),
    st.text(VALID.lower() + "X"),
    st.text(VALID + VALID.lower() + "**--..  \t\n\r\x0b\x0c\x1c"),
    st.text("mkxX*-. "),
    st.text(VALID + "x*-40#>\x00\x7fé\xa0\u2003\udce9😀"),
)


@given(sequences)
@example("")
@example("*-* .*")
@example("MKV*--")
@example("xX")
@example("XXX")
@example("ßX\u0131")
def test_encode_equals_its_plain_twin(sequence):
    expected = encode_slowly(sequence)
    if isinstance(expected, list):
        with pytest.raises(InvalidSequence) as caught:
            encode(sequence)
        found = caught.value
        assert (found.position, found.count) == (expected[0], len(expected))
        assert found.symbol == sequence[found.position]
        assert shown(found.symbol) in str(found)
    else:
        assert encode(sequence) == expected


@given(sequences.filter(str.isascii))
def test_bytes_and_text_give_the_same(sequence):
    results = []
    for given_as in (sequence, sequence.encode()):
        try:
            results.append(encode(given_as))
        except InvalidSequence as error:
            results.append((error.position, error.symbol, error.count))
    assert results[0] == results[1]


@given(sequences)
def test_nucleotides_and_letters_are_those_of_the_text(sequence):
    try:
        encoded = encode(sequence)
    except InvalidSequence:
        return
    assert encoded.letters == sum(c.isalpha() for c in sequence)
    assert encoded.nucleotides == sum(c in "ACGTUNacgtun" for c in sequence)


def test_symbols_are_22_and_residues_in_order():
    assert len(SYMBOLS) == len(SYMBOL_NAMES) == N_SYMBOLS == len(set(SYMBOL_NAMES)) == 22
    assert list(encode("ACDEFGHIKLMNPQRSTVWY").codes) == list(range(20))
    assert (SYMBOL_NAMES[0], SYMBOL_NAMES[UNKNOWN], SYMBOL_NAMES[BREAK]) == (
        "A",
        "unknown",
        "break",
    )


@pytest.mark.parametrize("letter", "BZJUO")
@pytest.mark.parametrize("write", [str.upper, str.lower])
def test_ambiguous_and_rare_residues_are_unknown_and_counted(letter, write):
    encoded = encode("MK" + write(letter) + "V" + write(letter))
    assert list(encoded.codes) == [10, 8, UNKNOWN, 17, UNKNOWN]
    assert encoded.replaced == {letter: 2}


@pytest.mark.parametrize(
    ("sequence", "middle", "replaced"),
    [
        ("mkXv", BREAK, None),
        ("mkxv", UNKNOWN, {"X": 1}),
        ("m-kX v*", BREAK, None),
        ("MKXV", UNKNOWN, {"X": 1}),
        ("MKxV", UNKNOWN, {"X": 1}),
        ("mkXV", UNKNOWN, {"X": 1}),
    ],
)
def test_x_is_a_break_only_as_upper_case_in_a_record_in_lower_case(sequence, middle, replaced):
    encoded = encode(sequence)
    assert list(encoded.codes) == [10, 8, middle, 17]
    assert encoded.replaced == replaced


def test_only_upper_case_x_is_unknown_throughout():
    assert encode("XX").codes == bytes([UNKNOWN, UNKNOWN])


def test_stop_at_the_end_is_silent_and_inside_a_break():
    assert encode("MK*") == encode("MK*\n") == encode("MK**") == encode("MK")
    inside = encode("*M*K*")
    assert list(inside.codes) == [BREAK, 10, BREAK, 8]
    assert inside.stops == 2


def test_gaps_and_white_space_are_left_out_and_gaps_counted():
    encoded = encode("-M.K \t\r\n V--")
    assert (list(encoded.codes), encoded.gaps, encoded.replaced) == ([10, 8, 17], 4, None)


def test_a_byte_outside_ascii_is_named_as_such():
    with pytest.raises(InvalidSequence, match="byte 0xE9 at position 2, and 1 more"):
        encode(b"MK\xe9V#")


def test_every_single_byte_has_one_meaning():
    for code in range(256):
        expected = encode_slowly("M" + bytes([code]).decode("ascii", "surrogateescape") + "K")
        if isinstance(expected, list):
            with pytest.raises(InvalidSequence):
                encode(b"M" + bytes([code]) + b"K")
        else:
            assert encode(b"M" + bytes([code]) + b"K") == expected


@pytest.mark.parametrize("extra", [b"", b"x"])
def test_ten_million_residues_in_one_sequence(extra):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 20, 10_000_000, dtype=np.uint8)
    letters = np.frombuffer(RESIDUES.encode(), dtype=np.uint8)[codes].tobytes()
    encoded = encode(letters + extra)
    assert encoded.codes == codes.tobytes() + bytes([UNKNOWN]) * len(extra)


@pytest.mark.parametrize(
    ("nucleotides", "letters", "expected"),
    [(49, 49, False), (50, 50, True), (95, 100, False), (96, 100, True), (0, 0, False)],
)
def test_nucleotides_need_50_letters_and_more_than_95_percent(nucleotides, letters, expected):
    assert looks_like_nucleotides(nucleotides, letters) is expected
