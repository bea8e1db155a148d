"""Properties of sequences, against sums residue by residue."""

import cmath
import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sfmbio.properties.columns import NAMES, property_columns
from sfmbio.sequences.alphabet import N_SYMBOLS, RESIDUES
from sfmbio.sequences.encoding import encode_batch
from sfmcore.data.ragged import Ragged

sequences = st.lists(st.lists(st.integers(0, N_SYMBOLS - 1), max_size=40), max_size=5)

CHARGE = {"K": 1.0, "R": 1.0, "H": 0.1, "D": -1.0, "E": -1.0}
SCALE = {
    "A": 0.62, "R": -2.53, "N": -0.78, "D": -0.90, "C": 0.29, "Q": -0.85, "E": -0.74, "G": 0.48,
    "H": -0.40, "I": 1.38, "L": 1.06, "K": -1.50, "M": 0.64, "F": 1.19, "P": 0.12, "S": -0.18,
    "T": -0.05, "W": 0.81, "Y": 0.26, "V": 1.08,
}  # fmt: skip


def twin(codes):
    """All properties of one sequence, by name."""
    letters = [RESIDUES[code] if code < 20 else "?" for code in codes]
    length = len(letters)
    if length == 0:
        return dict.fromkeys(NAMES, 0.0)
    charge = [CHARGE.get(letter, 0.0) for letter in letters]
    hydrophobic = [SCALE.get(letter, 0.0) for letter in letters]
    size = min(length, 11)
    windows = range(length - size + 1)

    def moment(values, angle):
        turn = math.radians(angle)
        return abs(sum(value * cmath.exp(1j * turn * k) for k, value in enumerate(values)))

    made = {
        "net charge": sum(charge) / math.sqrt(length),
        "charge": sum(charge) / length,
        "charged": sum(map(abs, charge)) / length,
        "hydrophobicity": sum(hydrophobic) / length,
        "aromatic": sum(letter in "FHWY" for letter in letters) / length,
    }
    for angle in (100, 120, 160, 180):
        made[f"moment at {angle}"] = moment(hydrophobic, angle) / length
        largest = max(moment(hydrophobic[k : k + size], angle) for k in windows)
        made[f"largest moment at {angle}"] = largest / size
    for name, values in (("charge", charge), ("hydrophobicity", hydrophobic)):
        end = min(length, 8)
        made[f"{name} of the first"] = sum(values[:end]) / end
        made[f"{name} of the last"] = sum(values[-end:]) / end
        means = [sum(values[k : k + size]) / size for k in windows]
        made[f"largest {name}"], made[f"smallest {name}"] = max(means), min(means)
    return made | {residue: letters.count(residue) / length for residue in RESIDUES}


@given(sequences)
@settings(max_examples=100, deadline=None)
def test_columns_equal_twin(items):
    made = property_columns(Ragged.from_items(items))
    assert made.shape == (len(items), len(NAMES))
    for item, row in zip(items, made, strict=True):
        expected = twin(item)
        assert set(expected) == set(NAMES)
        np.testing.assert_allclose(row, [expected[name] for name in NAMES], atol=1e-12)


def test_a_sequence_has_the_same_bits_beside_any_others():
    random = np.random.default_rng(0)
    items = [random.integers(0, N_SYMBOLS, length) for length in (3, 70, 900, 11)]
    whole = property_columns(Ragged.from_items(items))
    for number, item in enumerate(items):
        assert property_columns(Ragged.from_items([item])).tobytes() == whole[number].tobytes()


def test_a_helix_with_a_hydrophobic_side_has_the_largest_moment_at_a_hundred_degrees():
    helix = "".join("L" if math.cos(math.radians(100 * k)) > 0 else "K" for k in range(36))
    strand = "LK" * 18
    rows = [
        dict(zip(NAMES, row, strict=True))
        for row in property_columns(encode_batch([helix, strand]))
    ]
    moments = {angle: f"moment at {angle}" for angle in (100, 120, 160, 180)}
    for row, expected in zip(rows, (100, 180), strict=True):
        assert max(moments, key=lambda angle: row[moments[angle]]) == expected
