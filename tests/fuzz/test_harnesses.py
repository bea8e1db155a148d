"""The harnesses make what they say, and what they look for is found."""

import os
from pathlib import Path
from random import Random

import pytest

from sfmbio import ProteinClassifier
from tests.fuzz import images, models, resealing, worker
from tests.fuzz.__main__ import HARNESSES
from tests.fuzz.fasta import Fasta
from tests.fuzz.images import Images
from tests.fuzz.models import Models
from tests.fuzz.planted import Planted
from tests.fuzz.running import run
from tests.fuzz.tables import Tables
from tests.fuzz.worker import Worker, made


@pytest.fixture(autouse=True)
def importable(monkeypatch) -> None:
    """Let a new process import this folder, which pytest does without."""
    monkeypatch.syspath_prepend(Path(__file__).parents[2])


@pytest.fixture
def here(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", HARNESSES)
def test_an_input_depends_on_its_seed_and_number_alone(name):
    harness = HARNESSES[name]
    inputs = [made(harness, 3, number) for number in range(20)]
    assert inputs[7] == made(harness, 3, 7)
    assert len(set(inputs)) > 10


def test_a_fault_is_found_and_made_as_small_as_can_be():
    shown = []
    result = run(Planted(), seed=0, seconds=0.5, show=lambda _, reply: shown.append(reply))
    assert result.outcomes["fine"] > 0
    (reply,) = result.findings.values()
    assert shown == [reply]
    assert (reply.key, reply.case) == ("a planted fault", b"!")
    assert result.repeats["a planted fault"] + result.outcomes["fine"] == result.n_tried


@pytest.mark.parametrize(
    ("case", "key"),
    [
        (b"M", "MemoryError in the harness"),
        (b"D", "dies of SIGABRT"),
        (b"T", "takes more than 0.5 s"),
        pytest.param(b"W", "waits without end", marks=pytest.mark.slow),
    ],
)
def test_limits_are_kept_and_the_next_input_is_tried(case, key, monkeypatch):
    # Only waiting must not be waited for: a busy machine may give others little time.
    monkeypatch.setattr(worker, "WALL_SECONDS", 3.0 if case == b"W" else 100.0)
    monkeypatch.setattr(worker, "SECONDS", 0.5)
    one = Worker(Planted(), 0)
    try:
        assert one.case(case).key == key
        assert one.case(b"a").outcome == "fine"
    finally:
        one.close()


@pytest.mark.usefixtures("here")
def test_files_without_damage_are_read():
    assert Fasta().check(b"p>a\nMKV\n>b\nACD\n") == "rows"
    assert Tables().check(b"a\tx\nb\ty\n") == "table"
    outcomes = [Images().check(b"-" + image) for image in images.seeds()]
    assert sum(outcome.startswith("pixels") for outcome in outcomes) >= 40


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("name", ["format1_proteins_best", "today_scenes_best"])
def test_a_model_file_that_was_put_together_again_predicts(name):
    data = models.seeds()[name]
    assert resealing.resealed(data) == data
    header, members = resealing.opened(data)
    path = "again.sfm"
    with open(path, "wb") as file:
        file.write(resealing.closed(header, members))
    if "proteins" in name:
        assert len(ProteinClassifier.load(path).classes_) >= 2
    os.remove(path)
    assert Models().check(name.encode() + b"\n") == "predictions"


def test_changes_of_a_model_fit_its_file():
    harness = Models()
    cases = [harness.make(Random(number)) for number in range(40)]
    files = [harness.file(case) for case in cases]
    originals = set(models.seeds().values())
    assert sum(file not in originals for file in files) >= 35
    assert harness.units(cases[0])[0].decode().strip() in models.seeds()
