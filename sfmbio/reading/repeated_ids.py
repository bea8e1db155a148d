"""Finding ids that come again among millions, in a few bytes each."""

from hashlib import blake2b

import numpy as np

from sfmcore.data.arrays import Int64Array, UInt64Array

ID_BLOCK = 32_768
"""How many ids are kept as text until they are compared."""
MAX_EXAMPLES = 10
"""How many of the ids that come again are kept."""


class RepeatedIds:
    """Finds ids that come again, in 16 bytes an id and one block of ids as text.

    An id is known by its digest of 64 bits. Two of 1,000,000 different ids share theirs with a
    chance below 1 in 10,000,000; the price is a wrong warning, so nothing is done about it.

    Attributes
    ----------
    count : int
        Number of ids that were met before, in the blocks compared so far.
    examples : list of (str, int, int)
        The first of them, each with both places.

    Examples
    --------
    >>> ids = RepeatedIds()
    >>> for place, name in enumerate(["a", "b", "a"]):
    ...     ids.add(name, place)
    >>> ids.flush()
    >>> ids.count, ids.examples
    (1, [('a', 0, 2)])
    """

    def __init__(self) -> None:
        self.count = 0
        self.examples: list[tuple[str, int, int]] = []
        self._ids: list[str] = []
        self._places: list[int] = []
        # Digests in order with the place of each; each run is longer than the next.
        self._runs: list[tuple[UInt64Array, Int64Array]] = []

    def add(self, name: str, place: int) -> None:
        """Add an id; places grow."""
        self._ids.append(name)
        self._places.append(place)
        if len(self._ids) >= ID_BLOCK:
            self.flush()

    def forget_examples(self) -> None:
        """Count from here on; earlier ids are recognised when they come again."""
        self.flush()
        self.count, self.examples = 0, []

    def flush(self) -> None:
        """Compare the latest ids with each other and with all before them."""
        if not self._ids:
            return
        digests = b"".join(blake2b(name.encode(), digest_size=8).digest() for name in self._ids)
        places = np.array(self._places)
        unique, at, which = np.unique(
            np.frombuffer(digests, dtype=np.uint64), return_index=True, return_inverse=True
        )
        first = places[at]
        for old, old_places in self._runs:
            spot = np.minimum(np.searchsorted(old, unique), len(old) - 1)
            met = old[spot] == unique
            first[met] = old_places[spot[met]]
        again = np.flatnonzero(first[which] != places)
        self.count += len(again)
        for spot in again[: MAX_EXAMPLES - len(self.examples)].tolist():
            self.examples.append((self._ids[spot], int(first[which[spot]]), int(places[spot])))
        new = first == places[at]
        self._keep(unique[new], first[new])
        self._ids.clear()
        self._places.clear()

    def _keep(self, digests: UInt64Array, places: Int64Array) -> None:
        """Store a run, joined with those no longer than itself, so that few are left."""
        while self._runs and len(self._runs[-1][0]) <= len(digests):
            old, old_places = self._runs.pop()
            digests = np.concatenate([old, digests])
            order = np.argsort(digests)
            digests, places = digests[order], np.concatenate([old_places, places])[order]
        if len(digests):
            self._runs.append((digests, places))
