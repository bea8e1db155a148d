"""A sample of each class, taken while records are read, so that memory does not follow the files.

What a sequence holds decides whether it is in the sample: neither the order of the records nor the
number of files matters, and equal sequences of a class are in or out together.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from sfmbio.reading.record import Record
from sfmcore.data.arrays import Int64Array, UInt64Array
from sfmcore.data.ragged import Ragged
from sfmcore.data.streams import TRAINING_SAMPLE
from sfmcore.kernels import _random

# Residues held before some are let go, over those that are wanted: each time costs a sort.
_SLACK = 1.25
_LARGEST = np.uint64(2**64 - 1)


@dataclass
class ClassSample:
    """Labelled records of at most so many residues, as even a share of each class as there is.

    Classes with few residues are whole; what they leave is divided among the others.

    Attributes
    ----------
    most_residues : int or None
        Of all classes together; None for no limit. A class has at least one record.
    seed : int
    given : Counter
        Number of all records that were added, by label.
    records : list of Record
        Those in the sample, in the order in which they were added, without their codes.
    labels : list of str
    codes : list of bytes

    Examples
    --------
    >>> sample = ClassSample(most_residues=20, seed=0)
    >>> for place in range(40):
    ...     codes = bytes([place % 20] * 3)
    ...     label = "few" if place == 0 else "many"
    ...     sample.add(Record(f"r{place}", "", codes, "ok", "x.fa", place, place, "x"), label)
    >>> sample.settle()
    >>> sample.given, Counter(sample.labels)
    (Counter({'many': 39, 'few': 1}), Counter({'many': 4, 'few': 1}))
    """

    most_residues: int | None = None
    seed: int = 0
    given: Counter[str] = field(default_factory=Counter)
    records: list[Record] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    codes: list[bytes] = field(default_factory=list)
    _residues: Counter[str] = field(default_factory=Counter)
    _held: int = 0
    _beyond: dict[str, np.uint64] = field(default_factory=dict)
    _limit: float = field(init=False)

    def __post_init__(self) -> None:
        self._limit = _SLACK * (self.most_residues or 0)

    def add(self, record: Record, label: str) -> None:
        """Take a usable record; its codes move from the record to the sample.

        Parameters
        ----------
        record : Record
        label : str
        """
        self.given[label] += 1
        self._residues[label] += len(record.codes)
        self._held += len(record.codes)
        self.records.append(record)
        self.labels.append(label)
        self.codes.append(record.codes)
        record.codes = b""
        if self.most_residues is not None and self._held > self._limit:
            self.settle()
            # Where a record of each class is more than was asked for, settling frees little.
            self._limit = _SLACK * max(self.most_residues, self._held)

    def settle(self) -> None:
        """Let go of what is too much.

        The share of a class only falls while records are added, and what is kept of it is a prefix
        in the order of the keys: neither what was let go earlier nor what has a larger key would be
        wanted now.
        """
        if self.most_residues is None:
            return
        if self._held <= self.most_residues and not self._beyond:
            return
        share = even_share(self._residues, self.most_residues)
        batch = Ragged.from_items(self.codes)
        content = _random.content_keys(batch.values, batch.offsets)
        keys = _random.stream_keys(self.seed, TRAINING_SAMPLE, content)
        names, classes = np.unique(np.array(self.labels), return_inverse=True)
        keep = np.ones(len(classes), dtype=bool)
        order = np.argsort(classes, kind="stable")
        firsts = np.searchsorted(classes[order], np.arange(len(names) + 1))
        for number, label in enumerate(names.tolist()):
            if self._residues[label] > share:
                own = order[firsts[number] : firsts[number + 1]]
                own_keys = keys[own]
                last = _last_key(own_keys, batch.lengths[own], share)
                # The first key of those let go so far.
                too_much = own_keys[own_keys > last].min(initial=_LARGEST)
                beyond = self._beyond[label] = min(self._beyond.get(label, _LARGEST), too_much)
                keep[own] = own_keys < beyond
        kept = np.flatnonzero(keep).tolist()
        self.records = [self.records[place] for place in kept]
        self.labels = [self.labels[place] for place in kept]
        self.codes = [self.codes[place] for place in kept]
        self._held = sum(map(len, self.codes))


def even_share(sizes: Mapping[str, int], most: int) -> float:
    """Largest share of a class such that all classes together are at most `most`.

    Parameters
    ----------
    sizes : mapping of str to int
        Of the classes; a class that is no larger than the share is whole.
    most : int

    Examples
    --------
    >>> even_share({"a": 2, "b": 10, "c": 30}, 22)
    10.0
    >>> even_share({"a": 2, "b": 3}, 5)
    inf
    """
    left = float(most)
    ordered = sorted(sizes.values())
    for place, size in enumerate(ordered):
        share = left / (len(ordered) - place)
        if size > share:
            return share
        left -= size
    return float("inf")


def _last_key(keys: UInt64Array, lengths: Int64Array, most: float) -> np.uint64:
    """Largest key of the items with the smallest keys that are no longer together than `most`.

    Items of one key are in together. The first are in however long they are.
    """
    order = np.argsort(keys, kind="stable")
    ends = np.cumsum(lengths[order])
    last_of_key = np.append(keys[order][1:] != keys[order][:-1], True)
    fitting = np.flatnonzero(last_of_key & (ends <= most))
    last = fitting[-1] if len(fitting) else np.flatnonzero(last_of_key)[0]
    largest: np.uint64 = keys[order[last]]
    return largest
