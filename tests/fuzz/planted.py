"""A harness whose property breaks on purpose, as a control of what reports and minimises."""

import os
import time
from random import Random

from tests.fuzz.base import require, single_bytes


class Planted:
    """The bytes `!`, `M`, `D`, `T` and `W` each stand for a fault of their own."""

    def make(self, random: Random) -> bytes:
        """Make letters, and a fault in some of them."""
        return bytes(random.choices(b"abcdefgh!", [20] * 8 + [1], k=40))

    def check(self, case: bytes) -> str:
        """Break in the way that the input asks for."""
        require(b"!" not in case, "a planted fault")
        if b"M" in case:
            bytearray(8 << 30)
        if b"D" in case:
            os.abort()
        while b"T" in case:
            pass
        if b"W" in case:
            time.sleep(1000)
        return "fine"

    def units(self, case: bytes) -> list[bytes]:
        """Single bytes."""
        return single_bytes(case)

    def file(self, case: bytes) -> bytes:
        """The input itself."""
        return case
