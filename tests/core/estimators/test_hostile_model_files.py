"""Model files that are whole and sealed, and hold what no training wrote."""

import copy
import os
import time
from pathlib import Path

import numpy as np
import pytest

from sfmbio import ProteinClassifier
from sfmbio.commandline.cli import main
from sfmcore.data.errors import ModelFileError
from sfmcore.estimators.judged import Judged
from sfmcore.files.model_file import load_model, save_model
from sfmvision import SceneClassifier

MODELS = Path(__file__).parents[2] / "golden" / "models"
KINDS = {"proteins": ProteinClassifier, "scenes": SceneClassifier}


@pytest.fixture
def resealed(tmp_path):
    """A stored model with its state and arrays changed, loaded again."""

    def change(name, change_state=None, change_arrays=None):
        kind = KINDS[name.split("_")[1]]
        state, arrays = load_model(MODELS / f"{name}.sfm", kind.kind)
        state, arrays = copy.deepcopy(state), {key: array.copy() for key, array in arrays.items()}
        if change_state is not None:
            change_state(state)
        if change_arrays is not None:
            change_arrays(arrays)
        path = tmp_path / "changed.sfm"
        save_model(path, kind.kind, state, arrays)
        return kind, path

    return change


def parameter(name, value):
    def change(state):
        state["parameters"][name] = value

    return change


def of_pair(name, value):
    def change(state):
        state["pairs"][0][name] = value

    return change


def array(name, place, value):
    def change(arrays):
        arrays[name].reshape(-1)[place] = value

    return change


@pytest.mark.parametrize("name", ["format3_proteins_best", "format3_scenes_best"])
@pytest.mark.parametrize("own", ["n_jobs", "verbose", "cache"])
def test_a_file_does_not_set_what_belongs_to_the_machine(resealed, tmp_path, name, own):
    if (own == "cache") and "proteins" in name:
        pytest.skip("proteins have no cache")
    folder = tmp_path / "written"
    kind, path = resealed(name, parameter(own, str(folder) if own == "cache" else 2))
    with pytest.raises(ModelFileError, match=f"{own} belongs to the machine, not to a model"):
        kind.load(path)
    assert not folder.exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (parameter("n_pairs", 10**9), "number of pairs does not fit"),
        (parameter("n_pairs", 10**18), "number of pairs does not fit"),
        (parameter("n_draws", 10**6), "n_draws must be a number of at most 10000"),
        (of_pair("n_draws", 10**6), "n_draws must be a number of at most 10000"),
        (of_pair("n_draws", 10**18), "n_draws must be a number of at most 10000"),
        (parameter("n_states", [10**9, 3]), "must be float64 of shape"),
        (of_pair("n_vectors", 10**9), "landmarks must be|n_vectors must be"),
        (of_pair("inputs", None), "n_vectors must be what the preparation puts beside an item"),
        (lambda state: state["pairs"][0].pop("inputs"), "n_vectors must be what the preparation"),
        (of_pair("inputs", 7), "parts do not fit"),
        (of_pair("inputs", -1), "inputs must be a whole number"),
    ],
)
def test_sizes_are_compared_with_arrays_before_they_are_believed(resealed, change, words):
    kind, path = resealed("format3_proteins_best", change)
    began = time.perf_counter()
    with pytest.raises(ModelFileError, match=words):
        kind.load(path)
    assert time.perf_counter() - began < 5.0


@pytest.mark.parametrize("value", [None, "gone"])
def test_a_scene_model_without_its_codebook_is_refused(resealed, value):
    def change(state):
        for pair in state["pairs"]:
            pair["inputs"] = None
            if value == "gone":
                del pair["inputs"]

    kind, path = resealed("format3_scenes_best", change)
    with pytest.raises(ModelFileError, match="a codebook is missing"):
        kind.load(path)


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("pair0/scale", 0, 5e-324),
        ("pair0/scale", 0, 1e308),
        ("pair0/mean", 0, 1e308),
        ("pair0/u", 0, -1e308),
        ("pair0/dual", 0, 1e308),
        ("pair0/dual", 0, np.nan),
        ("pair0/landmarks", 0, 3e38),
        ("pair0/landmarks", 0, np.inf),
    ],
)
def test_numbers_that_would_overflow_are_refused(resealed, name, place, value):
    kind, path = resealed("format3_proteins_best", change_arrays=array(name, place, value))
    with pytest.raises(ModelFileError, match=r"must (hold finite|be at least|be rows of unit)"):
        kind.load(path)


def test_names_of_classes_start_no_row_and_no_colour(resealed, tmp_path, capsys):
    def change(state):
        names = [f"{label}\t1.0\tok\n\x1b[31mevil" for label in state["classes"]]
        state["classes"] = names

    _, path = resealed("format3_proteins_best", change)
    fasta = tmp_path / "a.fasta"
    fasta.write_text(">a\nMKVLAAGG\n>b\nLLLL\n")
    assert main(["predict", str(path), str(fasta), "--quiet"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert len(rows) == 3
    assert {row.count("\t") for row in rows} == {11}
    assert main(["info", str(path)]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_no_row_is_ok_without_a_number(resealed, tmp_path, capsys, monkeypatch):
    kind, path = resealed("format3_proteins_best")
    monkeypatch.setattr(
        kind, "judge", lambda self, items, made: Judged(*np.full((3, len(items), 3), np.nan))
    )
    fasta = tmp_path / "a.fasta"
    fasta.write_text(">a\nMKVLAAGG\n")
    main(["predict", str(path), str(fasta), "--quiet"])
    header, row = capsys.readouterr().out.splitlines()
    fields = dict(zip(header.split("\t"), row.split("\t"), strict=True))
    assert (fields["label"], fields["confidence"]) == ("", "")
    assert fields["status"] == "the model gives no number for it"


def test_an_abandoned_file_of_the_same_name_is_removed_at_the_next_write(tmp_path):
    from sfmcore.files.atomic import atomic_write

    dead = tmp_path / f".model.sfm.{'0' * 16}.tmp"
    other = tmp_path / f".other.sfm.{'0' * 16}.tmp"
    for path in (dead, other):
        path.write_bytes(b"half")
    with atomic_write(tmp_path / "model.sfm", "wb") as first:
        first.write(b"1")
        # A writer at work keeps its file.
        with atomic_write(tmp_path / "model.sfm", "wb") as second:
            second.write(b"2")
    assert sorted(os.listdir(tmp_path)) == [other.name, "model.sfm"]
    assert (tmp_path / "model.sfm").read_bytes() == b"1"
