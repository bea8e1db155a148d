"""Names as text that every output can hold, whatever bytes a file holds."""

import re

# What ends a line somewhere, moves a terminal's cursor, or can't be seen. No name may hold it.
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def decoded(data: bytes) -> str:
    r"""Text in UTF-8; a byte that is none becomes four characters that show it.

    Examples
    --------
    >>> print(decoded("café".encode()), decoded(b"caf\xe9"))
    café caf\xe9
    """
    return data.decode("utf-8", "backslashreplace")


def shown_controls(name: str) -> str:
    r"""Write control characters and line ends out.

    Examples
    --------
    >>> print(shown_controls("a\x1b[1m"))
    a\x1b[1m
    """
    return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode(), name)


def as_name(text: str) -> str:
    r"""Text that can be an id or a label: white space is one space, what is not text is shown.

    Examples
    --------
    >>> print(as_name(" all\talpha "), as_name("caf\udce9"))
    all alpha caf\xe9
    """
    data = text.encode("utf-8", "surrogateescape")
    return shown_controls(" ".join(decoded(data).split()))


def is_utf8(text: str) -> bool:
    r"""Whether a text that was decoded with ``surrogateescape`` was UTF-8.

    Examples
    --------
    >>> is_utf8("café"), is_utf8("caf\udce9")
    (True, False)
    """
    return text.isascii() or not any("\udc80" <= symbol <= "\udcff" for symbol in text)


# What ends a line somewhere, or tells a terminal what to do: a name that holds it must not look
# like a sentence or a row of its own.
_BLANKED = dict.fromkeys([*range(32), *range(127, 160), 0x2028, 0x2029], " ")


def without_controls(text: str) -> str:
    """Text with blanks in the place of line ends and control codes."""
    return text.translate(_BLANKED)


def one_line(text: str) -> str:
    r"""Text for a field or a message: no tab, line end or control code, and all of it UTF-8.

    Examples
    --------
    >>> print(one_line("a\tb\x1b[31m"), one_line("caf\udce9"))
    a b [31m caf\xe9
    """
    plain = without_controls(text)
    try:
        data = plain.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a pair that stands for no byte
        data = plain.encode("utf-8", "backslashreplace")
    return decoded(data)
