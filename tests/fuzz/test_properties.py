"""Text that Hypothesis puts together keeps the properties of its harness."""

import os
import tempfile

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.base import Harness
from tests.fuzz.fasta import Fasta
from tests.fuzz.tables import Tables

_ENDS = (b"\n", b"\r", b"\r\n")
_OF_FASTA = (b">", b">a", b">b c", b"MKV", b"X", b"x", b"*", b"-", b" ", b"7", *_ENDS)
_OF_TABLES = (b"a", b"id", b"label", b"#", b'"', b"\t", b",", b" ", *_ENDS)


def _texts(tokens: tuple[bytes, ...]) -> st.SearchStrategy[bytes]:
    parts = st.sampled_from(tokens) | st.binary(max_size=3)
    return st.lists(parts, max_size=20).map(b"".join)


def _checked(harness: Harness, case: bytes) -> None:
    old = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            harness.check(case)
        finally:
            os.chdir(old)


@settings(deadline=None, derandomize=True, max_examples=300)
@given(_texts(_OF_FASTA))
def test_fasta_has_a_row_for_each_header(text):
    _checked(Fasta(), b"-" + text)


@settings(deadline=None, derandomize=True, max_examples=300)
@given(_texts(_OF_TABLES))
def test_tables_give_bare_words_or_a_sentence(text):
    _checked(Tables(), text)
