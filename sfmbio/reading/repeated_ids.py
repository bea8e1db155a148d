"""Finding ids that come again among millions, in a few bytes each."""

import numpy as np

from sfmbio.kernels import _fasta
from sfmcore.data.arrays import Int64Array, UInt64Array

ID_BLOCK = 32_768
"""How many ids are kept as text until they are compared."""


class RepeatedIds:
    """Finds ids that come again, in 16 bytes an id and one block of ids as text.

    An id is known by its fingerprint: its bytes, as one number, modulo a 64-bit prime picked at
    random. That is the same in every process, and cheaper than a cryptographic hash. Two of
    1,000,000 ids share theirs with a chance below 1 in 100,000, so nothing is done about it.
    """

    PRIME = 0x88E2A900A323695F

    def __init__(self) -> None:
        self.count = 0
        self.examples: list[tuple[str, int, int]] = []
        # Ids not yet compared; who reads appends to it, which is faster than a call.
        self.block: list[str] = []
        self._start = 0
        self._runs: list[tuple[UInt64Array, Int64Array]] = []

    def flush(self) -> None:
        """Compare the ids of the block with each other and with all before them."""
        block, start = self.block.copy(), self._start
        if not block:
            return
        self.block.clear()
        self._start += len(block)
        # No id holds a line end, so the block is turned into bytes at one go.
        ids = "\n".join(block).encode("utf-8", "surrogateescape")
        hashes = _fasta.remainders(ids, len(block), self.PRIME)
        # An empty id, and no other, is the number 0.
        places = np.flatnonzero(hashes)
        hashes = hashes[places]
        places += start
        order = np.argsort(hashes)
        leads = np.ones(len(hashes), dtype=bool)
        leads[1:] = np.diff(hashes[order]) != 0
        if not leads.all():
            # Puts the earliest of equal hashes first, and takes several times as long.
            order = np.argsort(hashes, kind="stable")
        hashes, places = hashes[order], places[order]
        first = places[leads][np.cumsum(leads) - 1]
        for old_hashes, old_places in self._runs:
            spot = np.minimum(np.searchsorted(old_hashes, hashes), len(old_hashes) - 1)
            known = old_hashes[spot] == hashes
            first[known] = old_places[spot[known]]
        again = np.flatnonzero(first != places)
        self.count += len(again)
        for spot in again[np.argsort(places[again])][: 10 - len(self.examples)]:
            place = int(places[spot])
            self.examples.append((block[place - start], int(first[spot]), place))
        new = first == places
        if new.any():
            self._keep(hashes[new], places[new])

    def _keep(self, hashes: UInt64Array, places: Int64Array) -> None:
        """Store a sorted run, joined with those no longer than itself, so that few are left."""
        while self._runs and len(self._runs[-1][0]) <= len(hashes):
            old_hashes, old_places = self._runs.pop()
            hashes = np.concatenate([old_hashes, hashes])
            order = np.argsort(hashes, kind="stable")
            hashes, places = hashes[order], np.concatenate([old_places, places])[order]
        self._runs.append((hashes, places))
