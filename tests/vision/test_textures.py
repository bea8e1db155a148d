"""The example data: tiles of scikit-image's textures."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sfmvision import SceneClassifier
from sfmvision.images.folders import scan
from sfmvision.images.reading import read_image

data = pytest.importorskip("skimage.data")

SCRIPT = Path(__file__).parents[2] / "data" / "textures" / "make_tiles.py"
TEXTURES = ("brick", "grass", "gravel")


@pytest.fixture(scope="module")
def tiles(tmp_path_factory):
    spec = importlib.util.spec_from_file_location("make_tiles", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    folder = tmp_path_factory.mktemp("textures") / "tiles"
    assert module.write_tiles(folder) == 192
    return folder


def test_the_tiles_are_64_of_each_texture(tiles):
    folder = scan(tiles)
    assert folder.summary() == "192 images of 3 classes: brick 64, grass 64, gravel 64"
    assert [folder.labels.count(name) for name in TEXTURES] == [64, 64, 64]


@pytest.mark.parametrize("name", TEXTURES)
def test_the_tiles_are_the_pixels_of_the_texture(tiles, name):
    texture = getattr(data, name)()
    rows = [
        np.hstack([read_image(tiles / name / f"{row}_{column}.png") for column in range(8)])
        for row in range(8)
    ]
    assert np.array_equal(np.vstack(rows), np.repeat(texture[:, :, None], 3, axis=2))


def test_the_script_says_what_it_wrote(tmp_path, tiles):
    command = [sys.executable, SCRIPT, tmp_path / "out"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == (f"192 tiles in {tmp_path / 'out'}\n", "")
    for path in tiles.rglob("*.png"):
        other = tmp_path / "out" / path.relative_to(tiles)
        assert other.read_bytes() == path.read_bytes()


def test_a_small_model_tells_the_textures_apart(tiles):
    folder = scan(tiles)
    model = SceneClassifier(n_words=50, n_topics=5, n_sweeps=20, random_state=0)
    model.fit(folder.images[::2], folder.labels[::2])
    # A third by chance. Measured: 93 to 95 % with three seeds.
    assert model.score(folder.images[1::2], folder.labels[1::2]) > 0.8
