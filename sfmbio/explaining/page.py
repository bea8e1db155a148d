"""One HTML page that shows sequences with their residues coloured by evidence.

It needs nothing else: no script, no font and no picture from elsewhere. Blue and orange are told
apart by all common kinds of colour blindness, and what speaks against the label is underlined too.
"""

from collections.abc import Sequence
from html import escape
from itertools import groupby

import numpy as np

from sfmbio.explaining.records import Reasons
from sfmbio.sequences.alphabet import SYMBOLS

MOST_BYTES = 4_500_000
"""Records that would make a page larger than this are not shown."""
_LEVELS = 6
_LINE = 60
# Longer sequences are shown in part: their first and their last lines hold ends and their signals.
_MOST_LINES = 100
_FOR, _AGAINST = (31, 96, 168), (214, 110, 0)
# The evidence that has the full colour: so many of a sequence's residues have less.
_FULL = 0.98

_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;
color:#1a1a1a;background:#fff}
h2{font-size:1.05rem;margin:2rem 0 .3rem;border-top:1px solid #ccc;padding-top:1rem}
pre{font:14px/1.6 ui-monospace,monospace;overflow-x:auto;margin:.5rem 0}
pre b{color:#767676;font-weight:400;user-select:none}
pre i{font-style:normal}
table{border-collapse:collapse;font-size:.9rem;margin:.3rem 0}
td,th{padding:.1rem .8rem .1rem 0;text-align:left;font-weight:400;vertical-align:top}
td.n{text-align:right;font-variant-numeric:tabular-nums}
.s{color:#555;font-size:.9rem}
"""


class Page:
    """A page to which records are added one by one.

    Parameters
    ----------
    model : str
        Name of the model's file.
    most : int
        Records shown, at most.

    Examples
    --------
    >>> page = Page("a.sfm", 10)
    >>> page.leave_out("<b>", "empty sequence")
    >>> "&lt;b&gt;" in page.text() and "<b>:" not in page.text()
    True
    """

    def __init__(self, model: str, most: int) -> None:
        self._model, self._most = model, most
        self._parts: list[str] = []
        self._size = 0
        self._n_records = 0

    @property
    def is_full(self) -> bool:
        """Whether no further record is shown."""
        return len(self._parts) >= self._most or self._size >= MOST_BYTES

    def add(self, reasons: Reasons) -> None:
        """Show a record, or count it if the page is full.

        Parameters
        ----------
        reasons : Reasons
        """
        self._n_records += 1
        if not self.is_full:
            self._keep(_record(reasons))

    def leave_out(self, name: str, status: str) -> None:
        """Say why a record has no reasons, or count it if the page is full.

        Parameters
        ----------
        name, status : str
        """
        self._n_records += 1
        if not self.is_full:
            self._keep(f"<h2>{_text(name)}</h2><p>not classified: {_text(status)}</p>")

    def count(self) -> None:
        """Count a record that is not shown."""
        self._n_records += 1

    def _keep(self, part: str) -> None:
        size = len(part.encode())
        if self._size + size > MOST_BYTES:
            self._size = MOST_BYTES
            return
        self._parts.append(part)
        self._size += size

    def text(self) -> str:
        """The page."""
        shown = len(self._parts)
        note = f"{self._n_records} records"
        if shown < self._n_records:
            note = f"The first {shown} of {self._n_records} records are shown"
        title = f"Reasons by {_text(self._model)}"
        head = (
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
            '<meta name="viewport" content="width=device-width,initial-scale=1">'
            f"<style>{_STYLE}{_colours()}</style></head><body><h1>{title}</h1>"
        )
        legend = (
            f'<p class="s">{note}. Colours show how much a residue speaks <i class="p{_LEVELS}">'
            f'for</i> the label or <i class="m{_LEVELS}">against</i> it and for the runner-up. '
            "The 2 % of a sequence's residues with the most evidence have the darkest colour. "
            "Evidence of residues, terms that belong to no residue, and the baseline add up to "
            "the score.</p>"
        )
        return f"{head}{legend}{''.join(self._parts)}</body></html>\n"


def _record(reasons: Reasons) -> str:
    """One record: what it was told, the sequence, and what that rests on."""
    evidence = reasons.evidence
    for_, against = evidence[evidence > 0].sum(), evidence[evidence < 0].sum()
    sums = reasons.sums
    others = {**reasons.terms, "baseline": reasons.baseline, "remainder": reasons.remainder}
    rows = [
        *((f"residues: {kind}", value) for kind, value in sums.items() if value),
        *((name, value) for name, value in others.items() if abs(value) >= 5e-4),
    ]
    near = "".join(
        f'<tr><td>{_text(one.name)}</td><td>{_text(one.label)}</td><td class="n">'
        f'{one.identity:.0%}</td><td class="n">{one.e_value:.1e}</td></tr>'
        for one in reasons.nearest
    )
    if near:
        near = (
            "<table><tr><th>nearest training records</th><th>label</th><th>identity</th>"
            f"<th>E-value</th></tr>{near}</table>"
        )
    return (
        f"<h2>{_text(reasons.name)}</h2><p><strong>{_text(reasons.label)}</strong> against "
        f"{_text(reasons.runner_up)}: score {reasons.score:.3f} "
        f'<span class="s">(residues for it {for_:+.3f}, against it {against:+.3f})</span></p>'
        f"{_sequence(reasons)}<table><tr><td>{_table(rows)}</td>"
        f"<td>{_table(reasons.states)}</td><td>{_table(reasons.words)}</td></tr></table>{near}"
    )


def _table(rows: Sequence[tuple[str, float]]) -> str:
    cells = "".join(
        f'<tr><td>{_text(name)}</td><td class="n">{value:+.3f}</td></tr>' for name, value in rows
    )
    return f"<table>{cells}</table>"


def _sequence(reasons: Reasons) -> str:
    """The residues in lines, those of one colour together."""
    letters = [SYMBOLS[code] for code in reasons.codes.tolist()]
    size = np.abs(reasons.evidence)
    full = float(np.quantile(size, _FULL)) or float(size.max()) or 1.0
    levels = np.minimum(np.ceil(_LEVELS * size / full - 0.5), _LEVELS).astype(int)
    signed = np.where(reasons.evidence < 0, -levels, levels).tolist()
    starts = list(range(0, len(letters), _LINE))
    lines = []
    for start in starts:
        if len(starts) > _MOST_LINES and start == starts[_MOST_LINES // 2]:
            left = len(starts) - 2 * (_MOST_LINES // 2)
            lines.append(f"<b>       {left} lines omitted</b>")
        if _MOST_LINES // 2 * _LINE <= start < (len(starts) - _MOST_LINES // 2) * _LINE and (
            len(starts) > _MOST_LINES
        ):
            continue
        place = slice(start, start + _LINE)
        runs = groupby(zip(signed[place], letters[place], strict=True), key=lambda one: one[0])
        coloured = "".join(_run(level, "".join(x for _, x in run)) for level, run in runs)
        lines.append(f"<b>{start + 1:6d}</b> {coloured}")
    return "<pre>" + "\n".join(lines) + "</pre>"


def _run(level: int, text: str) -> str:
    if level == 0:
        return text
    return f'<i class="{"p" if level > 0 else "m"}{abs(level)}">{text}</i>'


def _colours() -> str:
    """Classes of the levels, from next to white to full, with letters that can be read on them."""
    rules = []
    for sign, (red, green, blue) in (("p", _FOR), ("m", _AGAINST)):
        for level in range(1, _LEVELS + 1):
            share = level / _LEVELS
            mixed = [round(255 + share * (own - 255)) for own in (red, green, blue)]
            ink = "#fff" if sign == "p" and share > 0.6 else "#000"
            line = ";text-decoration:underline dotted" if sign == "m" else ""
            colour = "".join(f"{own:02x}" for own in mixed)
            rules.append(f".{sign}{level}{{background:#{colour};color:{ink}{line}}}")
    return "".join(rules)


def _text(text: str) -> str:
    """Text that can't be taken for HTML, and is UTF-8."""
    return escape(text.encode("utf-8", "backslashreplace").decode())
