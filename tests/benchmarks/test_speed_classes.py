"""How training grows with the number of classes: its data, its runs and its plot. No timings."""

import json
import sys

import numpy as np
import pytest

from benchmarks.speed import classes

SMALL = {"n_states": 2, "em_max_iter": 20, "n_landmarks": 20}


def run_of(size, seconds=None):
    cost = float(size) if seconds is None else seconds
    return {
        "n_classes": size,
        "seconds": cost,
        "processor_seconds": 2 * cost,
        "peak_mib": 100.0 * size**0.5,
        "new_right": 0.5,
    }


def test_a_class_does_not_depend_on_how_many_there_are():
    few, few_y, few_new, few_new_y = classes.drawn(2, 3)
    many, many_y, many_new, _ = classes.drawn(4, 3)
    assert few_y.tolist() == many_y[: len(few_y)].tolist()
    assert np.array_equal(few.values, many.values[: len(few.values)])
    assert np.array_equal(few_new.values, many_new.values[: len(few_new.values)])
    assert len(few) == 2 * classes.PER_CLASS
    assert len(few_new) == len(few_new_y) == 2 * classes.NEW_PER_CLASS
    assert few.lengths.min() >= classes.SHORTEST
    assert few.lengths.max() <= classes.LONGEST
    assert few.values.max() < classes.N_LETTERS
    other = classes.drawn(2, 4)[0]
    assert not np.array_equal(few.values[:100], other.values[:100])


def test_codes_are_drawn_with_the_shares_they_are_given():
    uniform = np.arange(1000) / 1000
    shares = np.cumsum(np.tile([0.5, 0.2, 0.3], (1000, 1)), axis=1)
    found = np.bincount(classes._choose(shares, uniform), minlength=3)
    assert np.abs(found - [500, 200, 300]).max() <= 1


def test_the_sum_of_shares_may_be_below_one():
    shares = np.array([[0.5, 1.0 - 1e-16]])
    assert classes._choose(shares, np.array([1.0 - 1e-17])).tolist() == [1]


def test_classes_differ_and_are_learnt():
    found = classes.train(3, 1, 0, **SMALL)
    assert found["n_classes"] == 3
    assert found["new_right"] > 0.6
    assert found["seconds"] > 0 < found["processor_seconds"]
    assert found["peak_mib"] > 10


def test_growth_is_the_exponent_of_the_size():
    summary = classes.summary_of([run_of(100), run_of(25), run_of(400)], 2, 0)
    assert [run["n_classes"] for run in summary["runs"]] == [25, 100, 400]
    slopes = {"seconds": 1.0, "processor_seconds": 1.0, "peak_mib": 0.5}
    assert summary["slopes"] == pytest.approx(slopes)
    assert set(classes.summary_of([run_of(5)], 1, 0)["slopes"].values()) == {None}


def test_sizes_that_are_measured_are_kept(monkeypatch, tmp_path, capsys):
    measured = []

    def record(size, n_threads, seed):
        measured.append((size, n_threads, seed))
        return run_of(size)

    monkeypatch.setattr(classes, "in_a_process", record)
    folder = tmp_path / "new"
    classes.run_classes(folder, [8, 4], 2, 7)
    classes.run_classes(folder, [4, 8, 16], 2, 7)
    assert measured == [(4, 2, 7), (8, 2, 7), (16, 2, 7)]
    summary = json.loads((folder / "classes.json").read_text())
    assert [run["n_classes"] for run in summary["runs"]] == [4, 8, 16]
    assert (folder / "classes.png").stat().st_size > 5_000
    assert "slopes" in capsys.readouterr().out
    with pytest.raises(ValueError, match="is of seed 7 and 2 threads: another --out"):
        classes.run_classes(folder, [4], 1, 7)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out", "x", "--sizes", "1"], "--sizes must be at least 2"),
        (["--out", "x", "--threads", "0"], "--threads at least 1"),
        ([], "--out says where"),
    ],
)
def test_bad_options_are_a_sentence(monkeypatch, arguments, message, capsys):
    monkeypatch.setattr(sys, "argv", ["classes", *arguments])
    monkeypatch.setattr(classes, "start_fairly", lambda: None)
    with pytest.raises(SystemExit) as ended:
        classes.main()
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.slow
def test_a_process_that_fails_says_why():
    with pytest.raises(RuntimeError, match=r"^1 classes ended with 1: .*class"):
        classes.in_a_process(1, 1, 0)
