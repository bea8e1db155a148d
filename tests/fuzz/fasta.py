"""FASTA: one row for each header, in order, whatever stands between them."""

import gzip
import re
import shutil
import zlib
from pathlib import Path
from random import Random

from sfmbio.reading.fasta import read_fasta
from sfmcore.data.errors import InputError
from tests.fuzz.base import kind_of, require, single_bytes
from tests.fuzz.commands import TABLE, called, rows
from tests.fuzz.mutations import mutated, packed

_MODEL = Path(__file__).parents[1] / "golden/models/format3_proteins_two_classes.sfm"
_HEADERS = (
    b">a", b">a first", b">", b"> ", b"> seq", b">\t", b">>", b">b\tc", b">s\xe9q", b">\xff\xfe",
    b">P1;PROT", b">a|b|c OS=x", b">\xf0\x9f\xa7\xac", b">\x1b[31m", b">a\0b", b">" + b"n" * 300,
    b" >a", b"\x0b>a", b">\xe2\x80\xa8x", b">\"q\"",
)  # fmt: skip
_BODIES = (
    b"MKVLAAGG", b"acdefghik", b"MKXLV", b"mkXlv", b"MK*", b"*", b"M*K", b"--M.K", b"BZJUOX", b"",
    b" ", b"\t", b"M K V", b"MKV7", b"; text", b"# text", b"!x", b"MKV>b t", b"ACGTACGTACGT", b"\0",
    b"\xef\xbb\xbf", b"\xe9", b"caf\xc3\xa9", b"M\x0bK\x0cV", b"\x1c", b"\x85", b"MKV" * 50,
    b"{\"a\": 1}", b"Resource temporarily unavailable", b"CLUSTAL W",
)  # fmt: skip
_ENDS = (b"\n", b"\n", b"\n", b"\r\n", b"\r", b"\n\n", b"\n\r", b"\r\r\n", b"")
_BLOCK = 1 << 18  # what the reader takes at a time today: lines must cross such a border
_PREDICT = b"p"


class Fasta:
    """Documented is InputError; all else are rows, whose numbers and lines are counted here too.

    The first byte of an input says whether to predict as well; the rest is the file.
    """

    def make(self, random: Random) -> bytes:
        """Make headers and lines of many kinds, plain, packed or damaged."""
        end = random.choice(_ENDS)
        lines = [random.choice((b"", b"", b"", b"\xef\xbb\xbf", b"\n", b"; note\n"))]
        for _ in range(random.choice((0, 1, 2, 3, 5, 20))):
            lines += [random.choice(_HEADERS), random.choice((end, random.choice(_ENDS)))]
            for _ in range(random.choice((0, 1, 1, 2, 5))):
                odd = random.random() < 0.4
                lines += [random.choice(_BODIES if odd else _BODIES[:3])]
                lines += [random.choice((end, random.choice(_ENDS)))]
        data = b"".join(lines)
        if random.random() < 0.03:
            filling = _BLOCK * random.choice((1, 2)) - random.randrange(40)
            data = b">long\n" + b"MKVLAAG\n" * (filling // 8) + b"M" * (filling % 8) + end + data
        if random.random() < 0.3:
            data = mutated(data, random, random.choice(_HEADERS) + b"\n" + random.choice(_BODIES))
        data = packed(data, random) if random.random() < 0.2 else data
        return (_PREDICT if random.random() < 0.1 else b"-") + data

    def check(self, case: bytes) -> str:
        """Read it, count its headers another way, and predict from some."""
        path, predict, case = Path("in.fa"), case[:1] == _PREDICT, case[1:]
        path.write_bytes(case)
        try:
            records = list(read_fasta(path))
        except InputError as error:
            require("\n" not in str(error), "a message of several lines")
            return kind_of(error, path)
        text = _unpacked(case)
        require(text is not None, "broken gzip data was read to its end")
        lines = re.split(rb"\r\n|\r|\n", text)
        headers = [number for number, line in enumerate(lines, 1) if line.startswith(b">")]
        found = [record.line for record in records]
        # A '>' inside a line may be answered with a further row.
        inner = any(b">" in line and not line.startswith(b">") for line in lines)
        require(len(found) >= len(headers), "fewer rows than headers")
        require(inner or len(found) == len(headers), "more rows than headers")
        require(inner or found == headers, "a header's line is told wrongly")
        require([r.number for r in records] == [*range(1, len(records) + 1)], "numbers have gaps")
        for record in records:
            usable = record.status == "ok"
            require(bool(record.status), "a record without status")
            require(usable == bool(record.codes), "codes and status don't go together")
            require(max(record.codes, default=0) < 22, "a code that stands for no symbol")
        # The kernel has its own way over borders of blocks: other blocks must change nothing.
        if case == text:
            path.write_bytes(gzip.compress(case, 1))
            again = [(r.id, r.description, r.codes, r.status, r.line) for r in read_fasta(path)]
            once = [(r.id, r.description, r.codes, r.status, r.line) for r in records]
            require(again == once, "packed it is read otherwise")
            path.write_bytes(case)
        if predict:
            self._predict(path, len(records))
        return "rows"

    def _predict(self, path: Path, n_records: int) -> None:
        shutil.copy(_MODEL, "model.sfm")
        command = ("predict", "--threads", "1", "model.sfm", str(path), "-o", str(TABLE))
        code, _ = called("sfmbio", *command)
        require(code == 0, f"predict: exit code {code} for what is read")
        require(len(rows()) == n_records, "predict: as many rows as records were expected")

    def units(self, case: bytes) -> list[bytes]:
        """Single bytes."""
        return single_bytes(case)

    def file(self, case: bytes) -> bytes:
        """The input without its first byte."""
        return case[1:]


def _unpacked(case: bytes) -> bytes | None:
    """The text inside, without its byte order mark; None if it can't be unpacked."""
    if case.startswith(b"\x1f\x8b"):
        try:
            case = gzip.decompress(case)
        except (OSError, EOFError, zlib.error):
            return None
    return case.removeprefix(b"\xef\xbb\xbf")
