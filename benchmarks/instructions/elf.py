"""Names of functions and the compiler of a built extension, read from its ELF file."""

import re
import struct
from pathlib import Path
from typing import NamedTuple

X86_64 = 62
SYMBOL_TABLE = 2
# Types of symbols: a function, and one that the loader chooses.
FUNCTIONS = {2, 10}
# How compilers sign: "Debian clang version 14.0.6", "GCC: (Debian 12.2.0-14) 12.2.0".
NUMBER = r"(\d+(?:\.\d+)*)"
COMPILERS = {"clang": rf"clang version {NUMBER}", "GCC": rf"GCC: \([^)]*\) {NUMBER}"}


class Section(NamedTuple):
    """A section's type, the section it refers to, and its bytes."""

    kind: int
    link: int
    content: bytes


class Compiler(NamedTuple):
    """Name ("GCC" or "clang") and version of a compiler."""

    name: str
    version: str

    @property
    def major(self) -> int:
        """First number of the version."""
        return int(self.version.split(".")[0])

    @property
    def makes_versions(self) -> bool:
        """Say whether ``simd/dispatch.h`` makes a version of every function for each width."""
        return self.major >= {"GCC": 12, "clang": 16}[self.name]

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


def is_x86_64(path: Path) -> bool:
    """Say whether the file is a 64-bit little-endian ELF file for x86-64."""
    head = path.read_bytes()[:20]
    return head[:6] == b"\x7fELF\x02\x01" and int.from_bytes(head[18:20], "little") == X86_64


def read_sections(path: Path) -> dict[str, Section]:
    """All sections by name.

    Raises
    ------
    ValueError
        If it is not an ELF file for x86-64.
    """
    if not is_x86_64(path):
        raise ValueError(f"{path}: not an ELF file for x86-64")
    data = path.read_bytes()
    (start,) = struct.unpack_from("<Q", data, 0x28)
    size, n, names_at = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQII", data, start + k * size) for k in range(n)]
    contents = [data[header[4] : header[4] + header[5]] for header in headers]
    return {
        text_at(contents[names_at], header[0]): Section(header[1], header[6], content)
        for header, content in zip(headers, contents, strict=True)
    }


def text_at(table: bytes, place: int) -> str:
    """The text that begins there and ends with a zero."""
    return table[place : table.index(b"\0", place)].decode()


def functions(path: Path) -> set[str]:
    """Names of all functions, local ones too; none in a stripped file.

    Raises
    ------
    ValueError
        If it is not an ELF file for x86-64.
    """
    sections = read_sections(path)
    tables = list(sections.values())
    return {
        text_at(tables[table.link].content, name)
        for table in tables
        if table.kind == SYMBOL_TABLE
        for name, info, *_ in struct.iter_unpack("<IBBHQQ", table.content)
        if info & 15 in FUNCTIONS
    }


def compiler(path: Path) -> Compiler:
    """The compiler that left its name in the file.

    GCC's start files leave its name beside clang's: it is clang if clang is there, or else the
    newest GCC.

    Raises
    ------
    ValueError
        If it is not an ELF file for x86-64, or no compiler left its name.
    """
    comment = read_sections(path).get(".comment", Section(0, 0, b"")).content.decode()
    for name, pattern in COMPILERS.items():
        if found := re.findall(pattern, comment):
            return Compiler(name, max(found, key=lambda text: [int(k) for k in text.split(".")]))
    raise ValueError(f"{path}: no compiler left its name")
