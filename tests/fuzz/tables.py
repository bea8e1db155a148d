"""Label tables: ids and labels that stand in the file, or a sentence."""

import gzip
from pathlib import Path
from random import Random

from sfmbio.reading.labels import read_label_table
from sfmcore.data.errors import InputError
from tests.fuzz.base import kind_of, require, single_bytes
from tests.fuzz.mutations import mutated, packed

_FIELDS = (
    b"a", b"b", b"seq1", b"id", b"label", b"class", b"ID", b"Label", b'"a"', b'"x"', b'"', b'""',
    b'"a\tb"', b'"a\nb"', b'"a""b"', b"'a'", b"", b" ", b" a ", b"NA", b"nan", b"#", b"#id", b"# a",
    b"\xe9", b"\xff\xfe", b"caf\xc3\xa9", b"\0", b"\x1b[31m", b"\x0b", b"\x1c", b"\xc2\x85",
    b"\xe2\x80\xa8", b"\xc2\xa0", b"1", b"1.0", b"-", b"unclassified", b"\\t", b"=1+1",
)  # fmt: skip
_SEPARATORS = (b"\t", b"\t", b"\t", b",", b";", b" ", b"\t\t", b",\t")
_ENDS = (b"\n", b"\n", b"\r\n", b"\r", b"\n\n", b"")
_STARTS = (b"", b"", b"id\tlabel\n", b"id,label\n", b'"id"\t"label"\n', b"#id\tclass\n",
           b"\xef\xbb\xbf", b"sep=,\n", b"label\tlength\tid\n", b'"","id","label"\n')  # fmt: skip
_MAX_FIELD = 131_072  # of Python's csv module


class Tables:
    """Documented is InputError; else ids and labels are bare words of the file."""

    def make(self, random: Random) -> bytes:
        """Make lines of odd fields, plain, packed or damaged."""
        separator = random.choice(_SEPARATORS)
        parts = [random.choice(_STARTS)]
        for number in range(random.choice((0, 1, 2, 3, 8))):
            odd = random.random() < 0.2
            fields = [b"s%d" % number, random.choice((b"x", b"y"))]
            if odd:
                fields = [random.choice(_FIELDS) for _ in range(random.choice((1, 2, 2, 3)))]
            parts += [separator.join(fields), random.choice(_ENDS if odd else _ENDS[:1])]
        data = b"".join(parts)
        if random.random() < 0.01:
            data += b"long\t" + b"x" * (_MAX_FIELD + random.choice((-1, 0, 1))) + b"\n"
        if random.random() < 0.3:
            data = mutated(data, random, b"\t".join(random.sample(_FIELDS, 3)))
        return packed(data, random) if random.random() < 0.1 else data

    def check(self, case: bytes) -> str:
        """Read it plain and packed."""
        path = Path("labels.tsv")
        path.write_bytes(case)
        try:
            labels = dict(read_label_table(path).labels)
        except InputError as error:
            require("\n" not in str(error), "a message of several lines")
            return kind_of(error, path)
        require(bool(labels), "a table without labels is accepted")
        require("" not in labels, "an id is empty")
        # An empty label is none.
        for text in (*labels, *labels.values()):
            require(text == text.strip(), "a blank stands around an id or a label")
        packed_twice = case.startswith(b"\x1f\x8b")
        for label in labels.values():
            # What a table of predictions and a model file hold in one line.
            require(not set(label) & set("\t\n\r"), "a label holds a tab or a line end")
        if not packed_twice:
            lines = case.replace(b"\r", b"\n").split(b"\n")
            require(len(labels) <= len(lines), "more ids than lines")
            path.write_bytes(gzip.compress(case, 1))
            require(labels == read_label_table(path).labels, "packed it is read otherwise")
        return "table"

    def units(self, case: bytes) -> list[bytes]:
        """Single bytes."""
        return single_bytes(case)

    def file(self, case: bytes) -> bytes:
        """The input itself."""
        return case
