"""`sfmvision train` on many images: seconds and peak memory.

Eight classes of filtered noise, 96 x 96 pixels, each with its own range of wavelengths and
orientation. What memory an image takes does not depend on its size but for its words, 2 bytes a
patch.

    python -m benchmarks.speed.large_images --out DIR [--images 50000] [--set NAME=VALUE]

The files are written to DIR once, and each run adds a line to ``large_images.jsonl`` there.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from benchmarks.speed.environment import processor_name, start_fairly
from benchmarks.speed.large import run
from benchmarks.speed.timing import give_up

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
    model = training.parent / "model.sfm"
    model.unlink(missing_ok=True)
    threads = ["--threads", str(n_threads)]
    changed = [part for setting in settings for part in ("--set", setting)]
    train, _ = run("sfmvision", ["train", str(training), "-o", str(model), *threads, *changed])
    test, text = run("sfmvision", ["test", str(model), str(new), "--json", "-", *threads])
    return {
        "n_images": n_images,
        "n_threads": n_threads,
        "settings": settings,
        "processor": processor_name(),
        "train": train,
        "new_right": json.loads(text)["measures"]["accuracy"],
        "model_mib": round(model.stat().st_size / 2**20, 1),
        "test": test,
    }


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.large_images",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--images", type=int, default=50_000, metavar="N")
    parser.add_argument("--threads", type=int, default=2, metavar="N")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    options = parser.parse_args()
    if options.images < 100 or options.threads < 1:
        give_up("--images must be at least 100 and --threads at least 1")
    start_fairly()
    try:
        found = measure(options.out, options.images, options.threads, options.set)
    except RuntimeError as error:
        give_up(str(error))
    line = json.dumps(found)
    with (options.out / "large_images.jsonl").open("a", encoding="utf-8") as out:
        out.write(line + "\n")
    print(line)


if __name__ == "__main__":
    main()
