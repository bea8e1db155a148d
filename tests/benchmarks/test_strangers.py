"""The benchmark of strangers: its decoys and its tables."""

import io

import numpy as np
import pytest

from benchmarks.strangers.decoys import RESIDUES, decoys, six_frames
from benchmarks.strangers.report import Tally


def test_decoys_keep_what_they_say():
    sequences = ["MKVLAAGIVWQ", "DDEEKKRRHH"]
    made = decoys(sequences, np.random.default_rng(0))
    assert [sorted(one) for one in made["shuffled"]] == [sorted(one) for one in sequences]
    assert made["reversed"] == ["QWVIGAALVKM", "HHRRKKEEDD"]
    assert [len(one) for one in made["random letters"]] == [11, 10]
    assert all(len(kind) == 2 for kind in made.values())


def test_frames_are_open_and_long_enough():
    found = six_frames(50, np.random.default_rng(1))
    assert len(found) == 50
    assert min(map(len, found)) >= 30
    assert set("".join(found)) <= set(RESIDUES)
    # Leucine and serine have six codons each, tryptophan one.
    letters = "".join(found)
    assert letters.count("L") > 3 * letters.count("W")


def test_tables_hold_areas_and_shares():
    tally = Tally()
    true = {"typicality": np.array([0.5, 0.9, 0.03]), "confidence": np.array([1.0, 2.0, 3.0])}
    odd = {"typicality": np.array([0.005, 0.02]), "confidence": np.array([4.0, 0.0])}
    tally.add(true, {"odd ones": odd})
    out = io.StringIO()
    tally.write(out)
    text = out.getvalue()
    assert "| typicality | 1.000 |" in text
    assert "| confidence | 0.500 |" in text
    assert "| test items | 100.0 | 66.7 | 66.7 |" in text
    assert "| odd ones | 50.0 | 0.0 | 0.0 |" in text
    assert tally.aurocs["odd ones", "typicality"] == [pytest.approx(1.0)]
