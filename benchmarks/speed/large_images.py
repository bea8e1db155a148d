"""`sfmvision train` on many images: seconds and peak memory.

Eight classes of filtered noise, 96 x 96 pixels, each with its own range of wavelengths and
orientation. What memory an image takes does not depend on its size but for its words, 2 bytes a
patch.

    python -m benchmarks.speed.large_images --out DIR [--images 50000] [--set NAME=VALUE]

The files are written to DIR once, and each run adds a line to ``large_images.jsonl`` there.
"""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from benchmarks.speed.large_runs import run_large, train_and_test

N_CLASSES = 8
NEW_PER_CLASS = 50
SIDE = 96
# Images that are filtered in one call.
_BLOCK = 250


def textures(number: int, n_images: int, seed: list[int]) -> npt.NDArray[np.uint8]:
    """Images of one class: noise that a ring sector of frequencies is left of.

    Examples
    --------
    >>> textures(0, 2, [0]).shape
    (2, 96, 96)
    """
    random = np.random.default_rng([number, *seed])
    noise = random.normal(size=(n_images, SIDE, SIDE))
    down, right = np.fft.fftfreq(SIDE), np.fft.rfftfreq(SIDE)
    radius = np.hypot(down[:, None], right)
    angle = np.arctan2(down[:, None], right)
    wanted = np.exp(-(((radius - 0.06 - 0.03 * (number % 4)) / 0.03) ** 2))
    wanted *= 1.0 + np.cos(2.0 * (angle - np.pi / 4 * (number // 4)))
    filtered = np.fft.irfft2(np.fft.rfft2(noise) * wanted, s=(SIDE, SIDE))
    filtered /= filtered.std(axis=(1, 2), keepdims=True)
    return np.clip(128.0 + 40.0 * filtered, 0.0, 255.0).astype(np.uint8)


def write_class(folder: Path, number: int, n_images: int, kind: int) -> None:
    """Write one class's PNG files."""
    folder.mkdir(parents=True, exist_ok=True)
    for first in range(0, n_images, _BLOCK):
        size = min(_BLOCK, n_images - first)
        for place, pixels in enumerate(textures(number, size, [kind, first]), first):
            Image.fromarray(pixels).save(folder / f"{place:06}.png", compress_level=1)


def make_files(folder: Path, n_images: int) -> tuple[Path, Path]:
    """Folders of the training and of the new images."""
    own = folder / f"{n_images}_images"
    done = own / "complete"
    if not done.exists():
        for number in range(N_CLASSES):
            share = n_images // N_CLASSES + (number < n_images % N_CLASSES)
            write_class(own / "train" / f"class{number}", number, share, 0)
            write_class(own / "new" / f"class{number}", number, NEW_PER_CLASS, 1)
        done.touch()
    return own / "train", own / "new"


def measure(folder: Path, n_images: int, n_threads: int, settings: list[str]) -> dict[str, Any]:
    """Train, and label the new images."""
    training, new = make_files(folder, n_images)
    return {"n_images": n_images, **train_and_test("sfmvision", training, new, n_threads, settings)}


if __name__ == "__main__":
    run_large(__doc__, "large_images", "images", 50_000, measure)
