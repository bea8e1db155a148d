"""Equations that a Markdown page writes in plain text: typeset, numbered and linked.

A page is to be read as it is, too, so its equations are indented lines of plain text, with the
number at the end::

    R(B_Q) ≤ 2 R        and        R(B_Q) ≤ 4 e                            (17)

Here they become formulas, with an anchor (``#eq-17``) that "(17)" in the text leads to.
"""

import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

PAGES = {"theory"}
"""Pages whose indented blocks are equations."""

NUMBER = re.compile(r"\s{2,}\((\d+[a-z]?)\)$")
MENTION = re.compile(r"\((\d+[a-z]?)\)")

_COMMANDS = {
    "≤": r"\le", "≥": r"\ge", "≠": r"\ne", "∝": r"\propto", "·": r"\cdot", "∂": r"\partial",
    "∇": r"\nabla", "Σ": r"\sum", "Π": r"\prod", "∫": r"\int", "½": r"\tfrac{1}{2}",
    "Φ": r"\Phi", "…": r"\ldots",
}  # fmt: skip
_FUNCTIONS = {"log", "exp", "min", "max", "ln"}
_SMALL = {
    **dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋ₖ", "0123456789+-k", strict=True)),
    **dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-", strict=True)),
}
_LOW, _HIGH = "₀-₉₊₋ₖ", "⁰¹²³⁴-⁹⁺⁻"
_MACRON = "\N{COMBINING MACRON}"
_TOKEN = re.compile(
    rf"""(?P<quad>\s{{3,}}(?![\s=])) | (?P<space>\s+)
    | (?P<bar>\w{_MACRON})
    | _(?P<low>\{{[^}}]*\}} | [A-Za-z]\([a-z]\)(?=\[)
        | [A-Za-z0-9]+(?:[{_LOW}]+[A-Za-z0-9]*)*)
    | \^(?P<high>-?[A-Za-z0-9]+ | \([^)]*\))
    | (?P<lowered>[{_LOW}]+(?:_[a-z])?) | (?P<raised>[{_HIGH}]+)
    | √(?:\((?P<inside>[^)]*)\) | (?P<root>\d+|\w(?:_\w)?))
    | (?P<word>[A-Za-z]{{2,}}(?:\ [A-Za-z]{{2,}})*)
    | (?P<double>\|\|) | (?P<other>.)""",
    re.X,
)
# Products of one-letter names, which are no words.
_PRODUCTS = {"du", "dx", "dt", "dB", "dC"}


def to_tex(text: str) -> str:
    """Turn one line of plain text into LaTeX.

    Parameters
    ----------
    text : str
        Such as ``e^-C ≤ |u - u₀|² / (2m)``.

    Returns
    -------
    str
    """
    return "".join(_pieces(text)).strip()


def _pieces(text: str) -> Iterator[str]:
    tokens = list(_TOKEN.finditer(text.strip()))
    kinds = [token.lastgroup for token in tokens]
    for place, (kind, token) in enumerate(zip(kinds, tokens, strict=True)):
        own = token[kind or 0]
        if kind == "quad":
            yield r"\qquad "
        elif kind == "space":
            yield r"\ " if "word" in kinds[place - 1 : place + 2] else " "
        elif kind == "bar":
            yield rf"\overline{{{_symbol(own[0])}}}"
        elif kind == "low":
            yield f"_{{{to_tex(own.strip('{}')) if len(own) > 2 else own}}}"
        elif kind == "high":
            inner = own[1:-1] if own.startswith("(") else own
            yield f"^{{{to_tex(inner)}}}"
        elif kind in ("lowered", "raised"):
            small = "".join(_SMALL.get(letter, letter) for letter in own.replace("_", ""))
            yield f"{'_' if kind == 'lowered' else '^'}{{{small}}}"
        elif kind in ("inside", "root"):
            yield rf"\sqrt{{{to_tex(own)}}}"
        elif kind == "word":
            yield _word(own)
        elif kind == "double":
            yield r"\,\|\,"
        else:
            yield _symbol(own)


def _word(own: str) -> str:
    if own in _FUNCTIONS:
        return rf"\{own} "
    if own in _PRODUCTS:
        return own
    return rf"\text{{{own}}}"


def _symbol(own: str) -> str:
    if own in _COMMANDS:
        return _COMMANDS[own] + " "
    return "\\" + own if own in "{}#%&$" else own


def equations(block: str) -> list[tuple[str, str | None]]:
    """Formulas of an indented block, each with its number.

    Parameters
    ----------
    block : str

    Returns
    -------
    list of (str, str or None)
        LaTeX, and such as "12a".
    """
    found: list[tuple[str, str | None]] = []
    for line in block.splitlines():
        number = NUMBER.search(line)
        formula = to_tex(line[: number.start()] if number else line)
        # A line that begins with an operator goes on with the line before it.
        if found and found[-1][1] is None and line.lstrip()[:1] in "+-":
            formula = found.pop()[0] + " " + formula
        found.append((formula, number[1] if number else None))
    return found


def _typeset(app: Sphinx, document: nodes.document) -> None:
    if app.env.docname not in PAGES:
        return
    known: set[str] = set()
    for block in list(document.findall(nodes.literal_block)):
        if block.get("language", "default") not in ("default", "none", ""):
            continue
        made: list[nodes.Node] = []
        for formula, number in equations(block.astext()):
            formula_node = nodes.math_block(formula, formula, nowrap=False, number=None)
            if number is not None:
                formula_node["ids"], formula_node["printed_number"] = [f"eq-{number}"], number
                known.add(number)
            made.append(formula_node)
        block.replace_self(made)
    for text in list(document.findall(nodes.Text)):
        if isinstance(text.parent, nodes.paragraph | nodes.list_item | nodes.entry):
            _link_mentions(text, known)


def _link_mentions(text: nodes.Text, known: set[str]) -> None:
    own, pieces, end = text.astext(), [], 0
    for found in MENTION.finditer(own):
        if found[1] in known:
            pieces += [
                nodes.Text(own[end : found.start()]),
                nodes.reference("", found[0], refid=f"eq-{found[1]}", internal=True),
            ]
            end = found.end()
    if pieces:
        text.parent.replace(text, [*pieces, nodes.Text(own[end:])])


def setup(app: Sphinx) -> dict[str, Any]:
    """Typeset every page of :data:`PAGES`."""
    app.connect("doctree-read", _typeset)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
