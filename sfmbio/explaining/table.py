"""Tables of reasons: a row for every residue, and one that sums up every record."""

from collections.abc import Sequence

from sfmbio.explaining.records import N_NEAREST, Reasons
from sfmbio.explaining.residues import KINDS, TERMS
from sfmbio.sequences.alphabet import SYMBOLS
from sfmcore.commandline.output import one_line

COLUMNS = ("id", "position", "residue", "evidence", *KINDS, "label", "runner_up", "status")
"""Columns of the table of residues. Rows of position 0 are terms that belong to no residue."""
SUMMARY_COLUMNS = (
    "id", "label", "runner_up", "status", "score", "for", "against", *KINDS,
    *(term.replace(" ", "_") for term in TERMS), "baseline", "remainder", "states_most",
    "words_most", *(f"nearest_{place}" for place in range(1, N_NEAREST + 1)),
)  # fmt: skip
"""Columns of the table of records."""


def residue_rows(reasons: Reasons) -> str:
    """Rows of one record: its terms at position 0, then its residues; evidence sums to the score.

    Parameters
    ----------
    reasons : Reasons
    """
    name = one_line(reasons.name)
    end = f"\t{one_line(reasons.label)}\t{one_line(reasons.runner_up)}\tok\n"
    others = {**reasons.terms, "baseline": reasons.baseline, "remainder": reasons.remainder}
    none = "\t" * len(KINDS)
    rows = [f"{name}\t0\t{term}\t{value:.9f}{none}{end}" for term, value in others.items()]
    numbers = zip(
        reasons.codes.tolist(),
        reasons.evidence.tolist(),
        *(reasons.kinds[kind].tolist() for kind in KINDS),
        strict=True,
    )
    each = "\t%.5f" * len(KINDS)
    for position, (code, evidence, *kinds) in enumerate(numbers, 1):
        shown = each % tuple(kinds)
        rows.append(f"{name}\t{position}\t{SYMBOLS[code]}\t{evidence:.9f}{shown}{end}")
    return "".join(rows)


def unusable_residue_row(name: str, status: str) -> str:
    """Row of a record that can't be used."""
    return f"{one_line(name)}{_blank(COLUMNS)}{one_line(status)}\n"


def summary_row(reasons: Reasons) -> str:
    """Row that sums up one record.

    Parameters
    ----------
    reasons : Reasons
    """
    evidence, sums = reasons.evidence, reasons.sums
    numbers = [
        reasons.score,
        float(evidence[evidence > 0].sum()),
        float(evidence[evidence < 0].sum()),
        *sums.values(),
        *reasons.terms.values(),
        reasons.baseline,
        reasons.remainder,
    ]
    near = [
        f"{one.name} ({one.label or 'no label'}, {one.identity:.0%})" for one in reasons.nearest
    ]
    near += [""] * (N_NEAREST - len(near))
    fields = [
        reasons.name,
        reasons.label,
        reasons.runner_up,
        "ok",
        *(f"{number:.6f}" for number in numbers),
        _listed(reasons.states),
        _listed(reasons.words),
        *near,
    ]
    return "\t".join(map(one_line, fields)) + "\n"


def unusable_summary_row(name: str, status: str) -> str:
    """Row of a record that can't be used."""
    more = "\t" * (len(SUMMARY_COLUMNS) - SUMMARY_COLUMNS.index("status") - 1)
    return f"{one_line(name)}{_blank(SUMMARY_COLUMNS)}{one_line(status)}{more}\n"


def _blank(columns: Sequence[str]) -> str:
    """Tabs from the id to the status."""
    return "\t" * columns.index("status")


def _listed(parts: Sequence[tuple[str, float]]) -> str:
    return "; ".join(f"{name} {value:+.3f}" for name, value in parts)
