"""Writing a page: sections, a template, and what must be there before the work begins."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import resources
from importlib.util import find_spec
from typing import Any

from sfmcore.data.errors import UserError
from sfmcore.data.names import one_line
from sfmcore.reporting.parts import Section, shortened

_NEEDED = {"jinja2": "Jinja2", "matplotlib": "matplotlib"}


def require_report(caller: str) -> None:
    """Refuse early and clearly if a library of the extra `report` is missing.

    Parameters
    ----------
    caller : str
        Who needs it, such as ``"--report"``.

    Raises
    ------
    UserError
    """
    missing = [name for module, name in _NEEDED.items() if not _is_there(module)]
    if missing:
        raise UserError(
            f"{caller} needs {' and '.join(missing)}: pip install 'sfm-pacbayes[report]'"
        )


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ValueError:  # it is None in sys.modules
        return False


def style() -> str:
    """Return the style sheet of all pages, which imports nothing."""
    return resources.files("sfmcore.reporting").joinpath("style.css").read_text(encoding="utf-8")


def date_line() -> str:
    """Return the date that SOURCE_DATE_EPOCH stands for, in UTC; empty without it.

    A page holds no other date, so that the same command gives the same bytes.

    Raises
    ------
    UserError
        If it is not a number of seconds.

    References
    ----------
    https://reproducible-builds.org/specs/source-date-epoch/
    """
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not given:
        return ""
    try:
        return datetime.fromtimestamp(int(given), UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (ValueError, OverflowError, OSError) as error:
        raise UserError(f"SOURCE_DATE_EPOCH must be seconds since 1970, got {given!r}") from error


def render(title: str, lead: str, sections: Sequence[Section], *, further_style: str = "") -> str:
    """Return a page of sections; those without parts are left out.

    Parameters
    ----------
    title : str
    lead : str
        A sentence below the title.
    sections : sequence of Section
    further_style : str
        Rules of a domain, beside those of :func:`style`.

    Examples
    --------
    >>> from sfmcore.reporting.parts import Text
    >>> page = render("<b>", "", [Section("one", "One", [Text("a & b")]), Section("two", "Two")])
    >>> "<h1>&lt;b&gt;</h1>" in page, "a &amp; b" in page, "Two" in page
    (True, True, False)
    """
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    def finalized(value: Any) -> Any:
        # Half a pair of surrogates can't be written; and no name ends a line.
        return one_line(value) if type(value) is str else value

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=finalized,
    )
    environment.filters["shortened"] = shortened
    source = resources.files("sfmcore.reporting").joinpath("page.html.jinja")
    return environment.from_string(source.read_text(encoding="utf-8")).render(
        title=title,
        lead=lead,
        date=date_line(),
        sections=[section for section in sections if section.parts],
        style=Markup(style() + further_style),
    )
