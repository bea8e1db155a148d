"""The SCOP classification that ASTRAL writes into its headers."""

import re
from dataclasses import dataclass

_SCCS = re.compile(r"(?:\d+(?:\.\d+){3,4}|[a-z](?:\.\d+){3})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Sccs:
    """A place in SCOP: class, fold, superfamily and family.

    Attributes
    ----------
    parts : tuple of str
        Class, fold, superfamily and family, each without those above it.

    Examples
    --------
    >>> place = parse_sccs("d1dlwa_ a.1.1.2 (A:) Protozoan hemoglobin")
    >>> place.scop_class, place.fold, place.superfamily, place.family
    ('a', 'a.1', 'a.1.1', 'a.1.1.2')
    """

    parts: tuple[str, str, str, str]

    @property
    def scop_class(self) -> str:
        """The class, such as ``a``."""
        return self.parts[0]

    @property
    def fold(self) -> str:
        """The fold with its class, such as ``a.1``."""
        return ".".join(self.parts[:2])

    @property
    def superfamily(self) -> str:
        """The superfamily with its fold, such as ``a.1.1``."""
        return ".".join(self.parts[:3])

    @property
    def family(self) -> str:
        """The family with its superfamily, such as ``a.1.1.2``."""
        return ".".join(self.parts)


def parse_sccs(description: str) -> Sccs:
    """Read the classification from the second word of a header.

    Parameters
    ----------
    description : str
        A header without ``>``. The second word is a letter and three numbers, as in ``a.1.1.2``,
        or in SCOP up to 1.53 four or five numbers, as in ``1.1.1.1.3``; a fifth names the protein
        and is left out. What follows is not looked at.

    Returns
    -------
    Sccs
        The place in SCOP.

    Raises
    ------
    ValueError
        If the second word is anything else, or there is none.

    Examples
    --------
    >>> parse_sccs("d3sdha_ 1.1.1.1.1 Hemoglobin I {Ark clam}").superfamily
    '1.1.1'
    >>> parse_sccs("sp|P02144|MYG_HUMAN Myoglobin")
    Traceback (most recent call last):
    ...
    ValueError: 'Myoglobin' is not a SCOP classification such as a.1.1.1 or 1.1.1.1.1
    """
    words = description.split(None, 2)
    if len(words) < 2:
        raise ValueError("the header has no second word, where ASTRAL writes the classification")
    if not _SCCS.fullmatch(words[1]):
        raise ValueError(f"{words[1]!r} is not a SCOP classification such as a.1.1.1 or 1.1.1.1.1")
    scop_class, fold, superfamily, family = words[1].split(".")[:4]
    return Sccs((scop_class, fold, superfamily, family))
