"""The command lines, called in this process, and the tables that they write."""

import contextlib
import io
import math
from pathlib import Path

import sfmbio.commandline.cli
import sfmvision.commandline.cli
from tests.fuzz.base import Finding, require

TABLE = Path("table.tsv")
_MAINS = {"sfmbio": sfmbio.commandline.cli.main, "sfmvision": sfmvision.commandline.cli.main}


def called(package: str, *arguments: str) -> tuple[int, str]:
    """Exit code of a command, and what it says; a traceback or an unknown code is a finding."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = _MAINS[package](list(arguments))
    err.flush()
    said = err.buffer.getvalue().decode("utf-8", "replace")
    command = f"{package} {arguments[0]}"
    require(code in (0, 1, 2), f"{command}: exit code {code}")
    require(code != 2 or bool(said), f"{command}: exit code 2 and not a word")
    require("out of memory" not in said, f"{command}: out of memory")
    return code, said


def rows() -> list[dict[str, str]]:
    """Rows of the table that a command wrote, which every program must be able to read."""
    try:
        text = TABLE.read_bytes().decode()
    except UnicodeDecodeError:
        raise Finding("the table is not UTF-8") from None
    header, *lines = text.split("\n")
    require(lines[-1:] == [""], "the last line of the table has no end")
    columns = header.split("\t")
    table = [line.split("\t") for line in lines[:-1]]
    require(all(len(row) == len(columns) for row in table), "a row has too few or too many fields")
    require(not set(text) & set("\r\x1b\0"), "the table holds control codes")
    result = [dict(zip(columns, row, strict=True)) for row in table]
    for row in result:
        if row["status"] == "ok":
            for share in (row["confidence"], row["second_confidence"]):
                number = float(share)
                require(math.isfinite(number) and 0 <= number <= 1, f"a row is ok with {share}")
            require(bool(row["label"]), "a row is ok without a label")
        else:
            require(bool(row["status"]), "a row has no status")
    return result
