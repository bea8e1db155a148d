"""The 22 symbols, and how the letters of a sequence become their codes.

The alphabet is fixed and never guessed from the data.

=============================  ==========================================  =============
in a sequence                  read as                                     reported as
=============================  ==========================================  =============
the 20 residues, either case   codes 0 to 19, in the order of `RESIDUES`
``B Z J U O``, either case     unknown residue, code 20                    `replaced`
``x``                          unknown residue, code 20                    `replaced`
``X``                          unknown residue, code 20; in a record in    `replaced`
                               lower case the segment break, code 21
``*`` at the end               nothing
``*`` elsewhere                break, code 21                              `stops`
``-`` and ``.``                nothing                                     `gaps`
white space                    nothing
anything else                  the record can't be used                    an exception
=============================  ==========================================  =============

ASTRAL writes residues in lower case and puts an upper-case ``X`` where one segment of a domain
ends. So a record is in lower case if every letter other than ``X`` is, and there is at least one
such letter. White space is what `str.isspace` says of ASCII.

Gaps are dropped before the end is looked at: ``"MKV*--"`` ends with its stop.
"""

import re
from typing import NamedTuple, NoReturn

RESIDUES = "ACDEFGHIKLMNPQRSTVWY"
UNKNOWN = 20
BREAK = 21
N_SYMBOLS = 22
SYMBOLS = RESIDUES + "x|"
"""One character a code, for display."""
SYMBOL_NAMES = (*RESIDUES, "unknown", "break")
"""One readable name a code, for features."""

_REPLACED = "BJOUXZ"
_RESIDUE_LETTERS = (RESIDUES + RESIDUES.lower()).encode()
_GAPS = b"-."
WHITE = bytes(code for code in range(128) if chr(code).isspace())
"""The white space of ASCII."""
_DROPPED = _GAPS + WHITE
MARKS = _DROPPED + b"*"
"""Other characters that a sequence may contain."""
_NUCLEOTIDES = bytes(RESIDUES.index(letter) for letter in "ACGTN")
_BASES = _NUCLEOTIDES[:4]
_LOWER = re.compile(b"[a-z]")
_UPPER = re.compile(b"[A-WYZ]")
_INVALID = re.compile(f"[^A-Za-z*{re.escape((_GAPS + WHITE).decode())}]")


def _table(break_letter: str) -> bytes:
    """Map every byte to its code, and what is neither residue nor unknown to 255."""
    table = bytearray([255]) * 256
    for code, letter in enumerate(RESIDUES):
        table[ord(letter)] = table[ord(letter.lower())] = code
    for letter in _REPLACED:
        table[ord(letter)] = table[ord(letter.lower())] = UNKNOWN
    for letter in break_letter:
        table[ord(letter)] = BREAK
    return bytes(table)


_PLAIN = _table("*")
_SEGMENTED = _table("*X")
RESIDUE_CODES = bytes(code if code < UNKNOWN else 255 for code in _PLAIN)
"""Table for `bytes.translate`: the code of a residue, and 255 for all else.

`bytes.isascii` tells at memory speed whether a translated sequence holds residues only.
"""


class InvalidSequence(ValueError):  # noqa: N818 - it names what was met, as UnicodeError does
    """A sequence holds characters that stand for no residue.

    Attributes
    ----------
    symbol : str
        The first such character.
    position : int
        Where it stands in the sequence as given, from 0.
    count : int
        How many there are.

    Examples
    --------
    >>> try:
    ...     encode("MKV4LA7")
    ... except InvalidSequence as error:
    ...     print(error, error.symbol, error.position, error.count)
    invalid character '4' at position 3, and 1 more 4 3 2
    """

    def __init__(self, symbol: str, position: int, count: int) -> None:
        more = f", and {count - 1} more" if count > 1 else ""
        super().__init__(f"invalid character {shown(symbol)} at position {position}{more}")
        self.symbol = symbol
        self.position = position
        self.count = count


class Encoded(NamedTuple):
    """A sequence in codes, and what reading it changed.

    Attributes
    ----------
    codes : bytes
        One code a symbol, 0 to 21.
    replaced : dict of str to int, or None
        How often each letter, in upper case, was read as unknown; None if none was.
    gaps : int
        Number of gaps left out.
    stops : int
        Number of ``*`` inside the sequence, read as breaks.
    """

    codes: bytes
    replaced: dict[str, int] | None = None
    gaps: int = 0
    stops: int = 0

    @property
    def letters(self) -> int:
        """Number of letters that were read."""
        return len(self.codes) - self.stops

    @property
    def nucleotides(self) -> int:
        """Number of letters that could be nucleotides: A, C, G, T, U or N."""
        uracil = self.replaced.get("U", 0) if self.replaced else 0
        return len(self.codes) - len(self.codes.translate(None, _NUCLEOTIDES)) + uracil


def encode(sequence: str | bytes) -> Encoded:
    """Turn a sequence into the codes of the 22 symbols.

    Parameters
    ----------
    sequence : str or bytes
        A protein sequence; the module's table says what each character means.

    Returns
    -------
    Encoded
        The codes and the counts of what was replaced or left out.

    Raises
    ------
    InvalidSequence
        If a character stands for no residue.

    Examples
    --------
    >>> list(encode("ACDy").codes)
    [0, 1, 2, 19]
    >>> encode("MKU-B*").replaced
    {'B': 1, 'U': 1}
    >>> list(encode("mkXxv").codes), list(encode("MKXxV").codes)
    ([10, 8, 21, 20, 17], [10, 8, 20, 20, 17])
    """
    if isinstance(sequence, str):
        try:
            data = sequence.encode("ascii")
        except UnicodeEncodeError:
            _refuse(sequence)
    else:
        data = sequence
    codes = data.translate(RESIDUE_CODES)
    return Encoded(codes) if codes.isascii() else _encode_uncommon(data)


def _encode_uncommon(data: bytes) -> Encoded:
    """Encode a sequence that holds more than the 20 residues."""
    letters = data.translate(None, _RESIDUE_LETTERS)
    gaps = stops = 0
    if not letters.isalpha():
        gaps = letters.count(b"-") + letters.count(b".")
        letters = letters.translate(None, MARKS)
        data, given = data.translate(None, _DROPPED).rstrip(b"*"), data
        stops = data.count(b"*")
        if letters and not letters.isalpha():
            _refuse(given.decode("ascii", "surrogateescape"))
    # Not by a copy in one case: a sequence may be long.
    if b"X" in letters and _LOWER.search(data) and not _UPPER.search(data):
        codes = data.translate(_SEGMENTED)
        letters = letters.replace(b"X", b"")
    else:
        codes = data.translate(_PLAIN)
    letters = letters.upper()
    replaced = {chr(letter): letters.count(letter) for letter in sorted(set(letters))}
    return Encoded(codes, replaced or None, gaps, stops)


def _refuse(sequence: str) -> NoReturn:
    position, count = find_invalid(sequence)
    raise InvalidSequence(sequence[position], position, count)


def find_invalid(sequence: str) -> tuple[int, int]:
    """Position of the first character that stands for no residue, and how many there are.

    Examples
    --------
    >>> find_invalid("MK V1*#"), find_invalid("MK V*")
    ((4, 2), (-1, 0))
    """
    first = _INVALID.search(sequence)
    if first is None:
        return -1, 0
    return first.start(), sum(1 for _ in _INVALID.finditer(sequence))


def shown(symbol: str) -> str:
    r"""Write a character so that it can stand in a message or a table cell.

    Examples
    --------
    >>> print(shown("4"), shown("\x00"), shown("\udce9"))
    '4' '\x00' byte 0xE9
    """
    if "\udc80" <= symbol <= "\udcff":
        return f"byte 0x{ord(symbol) - 0xDC00:02X}"
    return repr(symbol)


def is_nucleotide_record(encoded: Encoded) -> bool:
    """Whether one sequence looks like DNA or RNA rather than protein.

    Parameters
    ----------
    encoded : Encoded

    Returns
    -------
    bool
        True for more than 95 % of at least 20 letters, and three different ones of A, C, G, T or
        U: repeats of one or two residues are known of proteins.

    Examples
    --------
    >>> is_nucleotide_record(encode("GATTACA" * 3)), is_nucleotide_record(encode("AAN" * 7))
    (True, False)
    """
    if encoded.letters < 20 or encoded.nucleotides * 100 <= encoded.letters * 95:
        return False
    uracil = encoded.replaced is not None and "U" in encoded.replaced
    return sum(code in encoded.codes for code in _BASES) + uracil >= 3


def looks_like_nucleotides(nucleotides: int, letters: int) -> bool:
    """Whether the letters seen so far are those of DNA or RNA rather than protein.

    Parameters
    ----------
    nucleotides : int
        How many of the letters are A, C, G, T, U or N.
    letters : int
        How many letters were seen.

    Returns
    -------
    bool
        True for more than 95 % of at least 50 letters. A real protein has about a quarter.

    Examples
    --------
    >>> looks_like_nucleotides(60, 60), looks_like_nucleotides(49, 49)
    (True, False)
    """
    return letters >= 50 and nucleotides * 100 > letters * 95
