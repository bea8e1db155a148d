"""HTML of sequences with their residues coloured by evidence, and of what the evidence rests on.

Blue and orange are told apart by all common kinds of colour blindness, and what speaks against the
label is underlined too.
"""

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from sfmbio.explaining.records import Reasons
from sfmbio.explaining.residues import KINDS, TERMS
from sfmbio.sequences.alphabet import SYMBOLS
from sfmcore.data.arrays import Float64Array
from sfmcore.reporting.parts import shortened
from sfmcore.reporting.reasons import text

_LEVELS = 6
_LINE = 60
# Longer sequences are shown in part: their first and their last lines hold ends and their signals.
_MOST_LINES = 100
_FOR, _AGAINST = (31, 96, 168), (214, 110, 0)
# The evidence that has the full colour: so many of a sequence's residues have less.
_FULL = 0.98

LEGEND = (
    f'Colours show how much a residue speaks <i class="p{_LEVELS}">for</i> the label or '
    f'<i class="m{_LEVELS}">against</i> it and for the runner-up. The 2 % of a '
    "sequence's residues with the most evidence have the darkest colour. Evidence of residues, "
    "terms that belong to no residue, and the baseline add up to the score."
)
"""What the colours mean, as HTML."""


def reasons_html(reasons: Reasons, *, most_lines: int = _MOST_LINES) -> str:
    """One record: what it was told, its sequence, and what that rests on.

    Parameters
    ----------
    reasons : Reasons
    most_lines : int, default=100
        Lines of 60 residues that are shown, at most.

    Returns
    -------
    str
        HTML, in which all names are escaped.
    """
    evidence = reasons.evidence
    for_, against = evidence[evidence > 0].sum(), evidence[evidence < 0].sum()
    # A checkpoint gives dictionaries back in the order of their keys.
    terms = {name: reasons.terms[name] for name in TERMS}
    others = {**terms, "baseline": reasons.baseline, "remainder": reasons.remainder}
    sums = reasons.sums
    rows = [
        *((f"residues: {kind}", sums[kind]) for kind in KINDS if sums[kind]),
        *((name, value) for name, value in others.items() if abs(value) >= 5e-4),
    ]
    tables = [
        _sums("evidence", rows),
        _sums("states that say most", reasons.states),
        _sums("words that say most", reasons.words),
    ]
    return (
        f"<p><strong>{text(reasons.label)}</strong> against {text(reasons.runner_up)}: score "
        f'{reasons.score:.3f} <span class="s">(residues for it {for_:+.3f}, against it '
        f"{against:+.3f})</span></p>{sequence_html(reasons.codes, evidence, most_lines)}"
        f'<div class="beside">{"".join(tables)}</div>{_nearest(reasons)}'
    )


def _sums(caption: str, rows: Sequence[tuple[str, float]]) -> str:
    if not rows:
        return ""
    cells = "".join(
        f'<tr><th scope="row">{text(name)}</th><td class="n">{value:+.3f}</td></tr>'
        for name, value in rows
    )
    return f"<table><caption>{caption}</caption><tbody>{cells}</tbody></table>"


def _nearest(reasons: Reasons) -> str:
    if not reasons.nearest:
        return ""
    rows = "".join(
        f'<tr><th scope="row">{text(shortened(one.name))}</th><td>{text(one.label)}</td>'
        f'<td class="n">{one.identity:.0%}</td><td class="n">{one.e_value:.1e}</td></tr>'
        for one in reasons.nearest
    )
    names = "".join(
        f'<th scope="col"{own}>{name}</th>'
        for name, own in (
            ("record", ""),
            ("label", ""),
            ("identity", ' class="n"'),
            ("E-value", ' class="n"'),
        )
    )
    return (
        '<div class="scroll" tabindex="0"><table><caption>nearest training records</caption>'
        f"<thead><tr>{names}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def sequence_html(codes: np.ndarray, evidence: Float64Array, most_lines: int = _MOST_LINES) -> str:
    """The residues in lines of 60, those of one colour together.

    Parameters
    ----------
    codes : ndarray of shape (length,), uint8
    evidence : ndarray of shape (length,)
    most_lines : int, default=100
        Of a longer sequence half as many from each end are shown.
    """
    letters = [SYMBOLS[code] for code in codes.tolist()]
    size = np.abs(evidence)
    full = float(np.quantile(size, _FULL)) or float(size.max()) or 1.0
    levels = np.minimum(np.ceil(_LEVELS * size / full - 0.5), _LEVELS).astype(int)
    signed = np.where(evidence < 0, -levels, levels).tolist()
    starts = list(range(0, len(letters), _LINE))
    half = most_lines // 2
    lines = []
    for number, start in enumerate(starts):
        if len(starts) > most_lines and half <= number < len(starts) - half:
            if number == half:
                lines.append(f"<b>       {len(starts) - 2 * half} lines omitted</b>")
            continue
        place = slice(start, start + _LINE)
        runs = groupby(zip(signed[place], letters[place], strict=True), key=lambda one: one[0])
        coloured = "".join(_run(level, "".join(x for _, x in run)) for level, run in runs)
        lines.append(f"<b>{start + 1:6d}</b> {coloured}")
    # It can be scrolled where it is wider than the screen, by keys too.
    return '<pre tabindex="0">' + "\n".join(lines) + "</pre>"


def _run(level: int, letters: str) -> str:
    if level == 0:
        return letters
    return f'<i class="{"p" if level > 0 else "m"}{abs(level)}">{letters}</i>'


def colour_rules() -> str:
    """Rules of the levels, from next to white to full, with letters that can be read on them."""
    rules = []
    for sign, colour in (("p", _FOR), ("m", _AGAINST)):
        for level in range(1, _LEVELS + 1):
            mixed = [round(255 + level / _LEVELS * (own - 255)) for own in colour]
            ink = "#fff" if _luminance(mixed) < _DARK else "#000"
            line = ";text-decoration:underline dotted" if sign == "m" else ""
            code = "".join(f"{own:02x}" for own in mixed)
            rules.append(f".{sign}{level}{{background:#{code};color:{ink}{line}}}")
    return "".join(rules)


# Below it white letters have more contrast than black ones: sqrt(1.05 x 0.05) - 0.05.
_DARK = 0.179


def _luminance(colour: Sequence[int]) -> float:
    """Relative luminance of WCAG 2.2."""
    linear = [
        own / 12.92 if own <= 0.04045 else ((own + 0.055) / 1.055) ** 2.4
        for own in (channel / 255 for channel in colour)
    ]
    return float(np.dot((0.2126, 0.7152, 0.0722), linear))
