"""The counts in ``expected.json``, and how far others may be above them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.instructions.callgrind import Count
from benchmarks.instructions.elf import Compiler

FILE = Path(__file__).with_name("expected.json")


@dataclass(frozen=True)
class Recorded:
    """Counts, and with what they were made.

    Parameters
    ----------
    counts : dict
        By extension.
    compiler : Compiler
    valgrind : str
        Its version, for the reader.
    tolerance : float
        How far a count may rise, as a share, before it counts as a regression.
    """

    counts: dict[str, Count]
    compiler: Compiler
    valgrind: str
    tolerance: float = 0.05

    def judges(self, compiler: Compiler) -> bool:
        """Say whether a rise with this compiler is a regression.

        Another compiler, or another first number of its version, unrolls and spills in its own
        way. The same GCC with -O2 instead of -O3 executes 84 % more for the HMM, so no tolerance
        would tell its choices from a mistake of ours.
        """
        return (compiler.name, compiler.major) == (self.compiler.name, self.compiler.major)


def read(file: Path) -> Recorded:
    """Read the file.

    Raises
    ------
    FileNotFoundError
        If there is none.
    ValueError
        If it holds something else.
    """
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
        values["counts"] = {name: Count(**count) for name, count in values["counts"].items()}
        values["compiler"] = Compiler(**values["compiler"])
        return Recorded(**values)
    except (KeyError, TypeError, json.JSONDecodeError) as error:
        raise ValueError(f"{file}: not a record of counts ({error})") from error


def write(recorded: Recorded, file: Path) -> None:
    """Write the file."""
    values = {**asdict(recorded), "compiler": recorded.compiler._asdict()}
    file.write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")


@dataclass(frozen=True)
class Comparison:
    """A kernel's count beside the recorded one."""

    name: str
    counted: Count
    recorded: Count | None
    tolerance: float

    @property
    def change(self) -> float:
        """Rise of the count as a share of the recorded one; 0 if none is recorded."""
        if self.recorded is None:
            return 0.0
        return self.counted.instructions / self.recorded.instructions - 1.0

    @property
    def verdict(self) -> str:
        """One of "not recorded", "rose", "fell" and "ok"."""
        if self.recorded is None:
            return "not recorded"
        if self.counted.instructions > self.recorded.instructions * (1 + self.tolerance):
            return "rose"
        if self.counted.instructions < self.recorded.instructions * (1 - self.tolerance):
            return "fell"
        return "ok"


def compare(counts: Mapping[str, Count], recorded: Recorded) -> list[Comparison]:
    """Put every count beside the recorded one."""
    return [
        Comparison(name, count, recorded.counts.get(name), recorded.tolerance)
        for name, count in counts.items()
    ]


def table(comparisons: Sequence[Comparison]) -> str:
    """Render as a table of plain text."""
    rows = [("kernel", "recorded", "counted", "change", "", "most in")]
    for c in comparisons:
        rows.append(
            (
                c.name,
                "-" if c.recorded is None else f"{c.recorded.instructions:,}",
                f"{c.counted.instructions:,}",
                "-" if c.recorded is None else f"{c.change:+.2%}",
                c.verdict,
                c.counted.function,
            )
        )
    widths = [max(len(row[k]) for row in rows) for k in range(6)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if k in (1, 2, 3) else cell.ljust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
