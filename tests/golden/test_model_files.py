"""Model files that earlier revisions wrote are read, and say what they said there."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sfmbio import ProteinClassifier
from sfmcore.files.model_file import FORMAT_VERSION
from sfmvision import SceneClassifier
from tests.golden.data import tile
from tests.golden.values import differences, outcome
from tests.golden.write_models import CERTIFIED, certificate, nearest

FOLDER = Path(__file__).parent / "models"
NAMES = sorted(path.stem for path in FOLDER.glob("*.sfm"))
NEWEST = f"format{FORMAT_VERSION}_"
EARLIER_SLOW = pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name.startswith(NEWEST) else pytest.mark.slow)
        for name in NAMES
    ],
)


def loaded(name: str) -> tuple[dict[str, Any], Any, list]:
    """What is known of a model file, the model, and the inputs."""
    about = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    path = FOLDER / f"{name}.sfm"
    if "sequences" in about:
        return about, ProteinClassifier.load(path), about["sequences"]
    return about, SceneClassifier.load(path), [tile(*one) for one in about["tiles"]]


@pytest.mark.parametrize("name", NAMES)
def test_a_model_says_what_it_said(name):
    about, model, inputs = loaded(name)
    arrays = outcome(model, inputs)
    if about["format"] < 8:
        # Shares were all the probabilities there were.
        if model.weighing_ is None:
            assert np.array_equal(arrays["vote_shares"], arrays["predict_proba"])
        del arrays["vote_shares"]
    if name.endswith(CERTIFIED):
        arrays |= certificate(model)
    if about["format"] >= 7 and "sequences" in about:
        arrays |= nearest(model, inputs)
    if about["format"] >= 8 and "sequences" in about:
        arrays["sets"] = model.predict_set(inputs).astype(int)
    assert differences(about["values"], arrays) == []


@EARLIER_SLOW
def test_threads_change_nothing(name):
    about, model, inputs = loaded(name)
    arrays = outcome(model.set_params(n_jobs=2), inputs)
    expected = {key: value for key, value in about["values"].items() if key in arrays}
    arrays = {key: arrays[key] for key in expected}
    assert differences(expected, arrays) == []


@EARLIER_SLOW
def test_a_model_that_is_saved_again_says_the_same(name, tmp_path):
    _, model, inputs = loaded(name)
    path = tmp_path / "again.sfm"
    model.save(path)
    before, after = outcome(model, inputs), outcome(type(model).load(path), inputs)
    assert all((before[key] == after[key]).all() for key in before)


def test_every_format_has_its_models():
    formats = {json.loads(path.read_text())["format"] for path in FOLDER.glob("*.json")}
    assert formats == set(range(1, FORMAT_VERSION + 1))
    assert sorted(path.stem for path in FOLDER.glob("*.json")) == NAMES
