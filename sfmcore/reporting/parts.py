"""What a section of a report holds: text, facts, tables, figures, code, and domain-made blocks."""

import base64
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from sfmcore.data.names import one_line


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str
    kind: ClassVar[str] = "text"


@dataclass(frozen=True)
class Facts:
    """Terms and their values, below a heading if they have one."""

    rows: Sequence[tuple[str, str]]
    heading: str = ""
    kind: ClassVar[str] = "facts"


@dataclass(frozen=True)
class Code:
    """What was typed, or could be."""

    text: str
    kind: ClassVar[str] = "code"


@dataclass(frozen=True)
class Table:
    """A table whose first column names its rows.

    Attributes
    ----------
    caption : str
        Unlike those of other tables of the page.
    header : sequence of str
    rows : sequence of sequence of str
    text_columns : sequence of int
        Columns, beside the first, that hold text and no numbers.
    note : str
        Shown below.
    """

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    text_columns: Sequence[int] = ()
    note: str = ""
    kind: ClassVar[str] = "table"


@dataclass(frozen=True)
class Figure:
    """A picture within the page.

    Attributes
    ----------
    source : str
        A data URI.
    alt : str
        What a reader learns from it, for those who can't see it.
    caption : str
    """

    source: str
    alt: str
    caption: str
    kind: ClassVar[str] = "figure"


@dataclass(frozen=True)
class Block:
    """HTML that a domain made, below a heading.

    Attributes
    ----------
    heading, lead : str
    html : str
        Taken as it is: what comes from input must be escaped in it.
    """

    heading: str
    lead: str
    html: str
    kind: ClassVar[str] = "block"


Part = Text | Facts | Code | Table | Figure | Block


@dataclass(frozen=True)
class Section:
    """A section of a page.

    Attributes
    ----------
    name : str
        What links call it.
    title : str
    parts : list of Part
    """

    name: str
    title: str
    parts: list[Part] = field(default_factory=list)


def names_of(labels: Iterable[Any]) -> list[str]:
    r"""Labels as text that can be drawn and written.

    Examples
    --------
    >>> print(*names_of([1, "a\nb", "caf\udce9"]), sep="; ")
    1; a b; caf\xe9
    """
    return [one_line(str(label)) for label in labels]


_LONGEST = 80


def shortened(name: str) -> str:
    """Return a name for a cell of a table: of one that is too long both ends.

    Examples
    --------
    >>> shortened("a"), len(shortened("a" * 5000))
    ('a', 80)
    """
    if len(name) <= _LONGEST:
        return name
    return f"{name[: _LONGEST - 31]}…{name[-30:]}"


def data_uri(data: bytes, mime: str) -> str:
    """Return bytes as an address that holds them.

    Examples
    --------
    >>> data_uri(b"<svg/>", "image/svg+xml")
    'data:image/svg+xml;base64,PHN2Zy8+'
    """
    return f"data:{mime};base64,{base64.b64encode(data).decode()}"


def drawn(draw: Callable[[], Any], alt: str, caption: str) -> Figure:
    """Draw a figure into the page.

    Parameters
    ----------
    draw : callable
        Returns a matplotlib Figure.
    alt, caption : str
        As of :class:`Figure`.
    """
    from sfmcore.plots.saving import svg_of

    return Figure(data_uri(svg_of(draw), "image/svg+xml"), alt, caption)
