"""Math as MathML, which browsers draw by themselves: no script, no network, no fonts."""

from typing import Any

from docutils import nodes
from docutils.utils.math import latex2mathml
from sphinx.application import Sphinx


def mathml(tex: str, *, display: bool) -> str:
    """Turn a formula of LaTeX into a MathML element.

    Parameters
    ----------
    tex : str
    display : bool
        Whether it stands on a line of its own.

    Returns
    -------
    str

    Raises
    ------
    docutils.utils.math.MathError
        If the formula can't be read.
    """
    return latex2mathml.tex2mathml(tex, as_block=display)


def _visit_inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(mathml(node.astext(), display=False))
    raise nodes.SkipNode


def _visit_block(writer: Any, node: nodes.math_block) -> None:
    number, ids = node.get("printed_number"), node.get("ids") or []
    anchor = f' id="{ids[0]}"' if ids else ""
    writer.body.append(f'<div class="equation"{anchor}>{mathml(node.astext(), display=True)}')
    if number:
        writer.body.append(f'<span class="number">({number})</span>')
    writer.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (_visit_inline, None), (_visit_block, None))
    app.config.html_math_renderer = "mathml"
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
