"""The large inputs that training is measured on, and one small run of each measurement."""

import json

import numpy as np
import pytest
from PIL import Image

from benchmarks.speed import large, large_images
from benchmarks.speed.classes import drawn_class
from sfmbio.reading.datasets import read_sequences
from sfmbio.reading.labels import parse_label_spec
from sfmbio.reading.report import ReadReport

SMALL = ["n_states=2", "n_init=1", "em_max_iter=5", "n_pairs=1", "n_landmarks=20"]


def test_records_are_as_many_as_asked_and_the_new_ones_differ(tmp_path):
    training, new, residues = large.make_files(tmp_path, 205)
    own, others = (
        read_sequences([folder], ReadReport(), parse_label_spec("file"))
        for folder in (training, new)
    )
    assert len(own.records) == 205
    assert list(own.counts().values()) == [21] * 5 + [20] * 5
    assert len(own.batch.values) == residues
    assert set(others.counts().values()) == {large.NEW_PER_CLASS}
    texts = [batch[[k]].values.tobytes() for batch in (own.batch, others.batch) for k in range(200)]
    assert len(set(texts)) == len(texts)


def test_streams_of_a_class_share_its_model_and_nothing_else():
    one, other = (drawn_class(3, 0, 400, stream=stream) for stream in (0, 1))
    assert not np.array_equal(one[0][:50], other[0][:50])
    shares = [np.bincount(np.concatenate(drawn), minlength=20) for drawn in (one, other)]
    first, second = (counts / counts.sum() for counts in shares)
    different = np.bincount(np.concatenate(drawn_class(4, 0, 400)), minlength=20)
    assert np.abs(first - second).sum() < 0.1 < np.abs(first - different / different.sum()).sum()


def test_images_are_as_many_as_asked(tmp_path):
    training, new = large_images.make_files(tmp_path, 20)
    counts = [len(list(folder.iterdir())) for folder in sorted(training.iterdir())]
    assert counts == [3] * 4 + [2] * 4
    files = [*training.glob("*/*.png"), *new.glob("*/*.png")]
    assert len({Image.open(file).tobytes() for file in files}) == len(files)


@pytest.mark.slow
def test_a_run_says_what_it_took(tmp_path):
    found = large.measure(tmp_path, 200, 1, SMALL)
    assert found["train"]["peak_mib"] > 10
    assert 0.1 < found["new_right"] <= 1
    assert json.loads(json.dumps(found)) == found
