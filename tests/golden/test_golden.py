"""What every classifier says of small data, and its scores, are what they were."""

import json

import numpy as np
import pytest

from tests.golden import values
from tests.golden.cases import CASES, TOLERANCES


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", CASES)
def test_values_are_what_they_were(name):
    found = values.moved(name, CASES[name](1), TOLERANCES.get(name, values.TOLERANCE))
    assert not found, f"{'; '.join(found)}. If that is meant: python -m tests.golden --update"


def test_every_file_is_of_a_case():
    assert {path.stem for path in values.FOLDER.glob("*.json")} == set(CASES)


SCORES = np.array([[0.5, -2.0], [0.25, 1.0]])


@pytest.mark.parametrize(
    ("arrays", "sentence"),
    [
        ({"labels": np.array(["a", "b"]), "scores": SCORES + 1e-6}, None),
        (
            {"labels": np.array(["a", "c"]), "scores": SCORES},
            "labels differs at 1 of 2 places, first at 1: c, not b",
        ),
        (
            {"labels": np.array(["a", "b"]), "scores": SCORES + np.diag([0, 1e-5])},
            "scores differs at 1 of 4 places, by 5e-06 of its scale",
        ),
        (
            {"labels": np.array(["a", "b"]), "scores": np.where(SCORES == 1, np.nan, SCORES)},
            "scores differs at 1 of 4 places, by nan of its scale",
        ),
        (
            {"labels": np.array(["a"]), "scores": SCORES},
            "labels has shape (1,), not (2,)",
        ),
        ({"scores": SCORES}, "holds scores, not labels, scores"),
    ],
)
def test_a_value_that_moved_is_named(arrays, sentence):
    expected = {"labels": ["a", "b"], "scores": SCORES.tolist()}
    assert values.differences(expected, arrays) == ([sentence] if sentence else [])


def test_values_come_back_from_their_text():
    arrays = {"labels": np.array([3, 1]), "scores": SCORES / 3, "risk": np.array(1 / 7)}
    back = json.loads(values.as_text(arrays))
    assert values.differences(back, arrays) == []
    assert back["risk"] == 0.1428571
