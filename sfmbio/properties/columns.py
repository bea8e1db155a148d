"""Physico-chemical properties of sequences, a column each.

Whether a peptide enters a membrane, or binds DNA, depends on the whole of it: on its charge, its
hydrophobicity, and whether a helix of it has a hydrophobic side. Words and states see few residues
at a time.
"""

import numpy as np

from sfmbio.sequences.alphabet import N_SYMBOLS, RESIDUES
from sfmcore.data.arrays import Float64Array
from sfmcore.data.ragged import Ragged

# Consensus scale of hydrophobicity (Eisenberg et al., J. Mol. Biol. 179, 1984), as RESIDUES are.
_HYDROPHOBICITY = np.fromstring(
    "0.62 0.29 -0.90 -0.74 1.19 0.48 -0.40 1.38 -1.50 1.06 "
    "0.64 -0.78 0.12 -0.85 -2.53 -0.18 -0.05 1.08 0.81 0.26",
    sep=" ",
)
# At pH 7, where about one histidine in ten is charged.
_CHARGE = np.array(
    [{"K": 1.0, "R": 1.0, "H": 0.1, "D": -1.0, "E": -1.0}.get(r, 0.0) for r in RESIDUES]
)
_AROMATIC = np.array([float(residue in "FHWY") for residue in RESIDUES])
_ANGLES = (100, 120, 160, 180)
"""Degrees that a residue is turned by from the last one: helices (alpha and 3-10), and strands."""
_WINDOW = 11
"""Residues of a window, three turns of a helix; of a shorter sequence all."""
_END = 8
"""Residues of an end."""

NAMES = (
    *["net charge", "charge", "charged", "hydrophobicity", "aromatic"],
    *(f"moment at {angle}" for angle in _ANGLES),
    *(f"largest moment at {angle}" for angle in _ANGLES),
    *(
        f"{scale} of the {end}"
        for scale in ("charge", "hydrophobicity")
        for end in ("first", "last")
    ),
    *(
        f"{most} {scale}"
        for scale in ("charge", "hydrophobicity")
        for most in ("largest", "smallest")
    ),
    *RESIDUES,
)
"""Names of the columns."""
N_PROPERTIES = len(NAMES)


def property_columns(items: Ragged) -> Float64Array:
    """Properties of every sequence.

    Means over the residues, but for the net charge, which is the sum over the square root of the
    length; hydrophobic moments (Eisenberg et al. 1984) over the length; the largest moment, and
    extremes of means, among all windows of 11 residues; means of the first and of the last 8; and
    shares of the 20 residues. Symbols that are no residue have no properties, and count in lengths.

    Parameters
    ----------
    items : Ragged
        Codes of :mod:`sfmbio.sequences.alphabet`.

    Returns
    -------
    ndarray of shape (n_items, N_PROPERTIES)
        Of an empty sequence zeros.

    Examples
    --------
    >>> from sfmbio.sequences.encoding import encode_batch
    >>> columns = property_columns(encode_batch(["KKLLKKLL", "DDDD"]))
    >>> [dict(zip(NAMES, row))["charge"] for row in columns.tolist()]
    [0.5, -1.0]
    """
    made = np.zeros((len(items), N_PROPERTIES))
    some = np.flatnonzero(items.lengths > 0)
    if len(some) < len(items):
        made[some] = property_columns(items[some])
        return made
    lengths, owners = items.lengths, np.repeat(np.arange(len(items)), items.lengths)
    within = np.arange(len(owners)) - np.repeat(items.offsets[:-1], lengths)
    charge, hydrophobicity, aromatic = (
        # Other symbols have none.
        np.append(scale, [0.0] * (N_SYMBOLS - len(scale)))[items.values]
        for scale in (_CHARGE, _HYDROPHOBICITY, _AROMATIC)
    )

    # Sums go through a sequence from its first residue on: its neighbours in the batch change none.
    def total(values: Float64Array) -> Float64Array:
        return np.bincount(owners, values, minlength=len(items)).astype(np.float64)

    columns = [total(charge) / np.sqrt(lengths)]
    columns += [
        total(values) / lengths for values in (charge, np.abs(charge), hydrophobicity, aromatic)
    ]
    turns = [np.deg2rad(angle) for angle in _ANGLES]
    for turn in turns:
        parts = (total(hydrophobicity * f(turn * within)) for f in (np.cos, np.sin))
        columns.append(np.hypot(*parts) / lengths)
    windows = _Windows(items)
    for turn in turns:
        phases = turn * np.arange(_WINDOW)
        moments = np.hypot(*(windows.sums(hydrophobicity, f(phases)) for f in (np.cos, np.sin)))
        columns.append(windows.largest(moments) / windows.sizes)
    ends = (within < _END, within >= np.repeat(lengths - _END, lengths))
    for values in (charge, hydrophobicity):
        columns += [total(values * end) / np.minimum(lengths, _END) for end in ends]
    for values in (charge, hydrophobicity):
        sums = windows.sums(values, np.ones(_WINDOW))
        columns += [windows.largest(sums) / windows.sizes, -windows.largest(-sums) / windows.sizes]
    cells = owners * N_SYMBOLS + items.values
    counts = np.bincount(cells, minlength=len(items) * N_SYMBOLS).reshape(-1, N_SYMBOLS)
    made[:, : len(columns)] = np.column_stack(columns)
    made[:, len(columns) :] = counts[:, : len(RESIDUES)] / lengths[:, None]
    return made


class _Windows:
    """All windows of every sequence; a sequence that is shorter than a window is one.

    Parameters
    ----------
    items : Ragged
        None of them empty.
    """

    def __init__(self, items: Ragged) -> None:
        self.sizes = np.minimum(items.lengths, _WINDOW)
        counts = items.lengths - self.sizes + 1
        self._ends = np.cumsum(counts)
        self._first = np.repeat(items.offsets[:-1] - (self._ends - counts), counts)
        self._first += np.arange(len(self._first))
        self._own_sizes = np.repeat(self.sizes, counts)
        self._begins = self._ends - counts

    def sums(self, values: Float64Array, factors: Float64Array) -> Float64Array:
        """Sum of each window's values times factors by place."""
        sums = np.zeros(len(self._first))
        for place, factor in enumerate(factors.tolist()):
            there = self._own_sizes > place
            sums[there] += factor * values[self._first[there] + place]
        return sums

    def largest(self, values: Float64Array) -> Float64Array:
        """The largest value among the windows of each sequence."""
        found: Float64Array = np.maximum.reduceat(values, self._begins)
        return found
