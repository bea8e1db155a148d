"""Four classes of scenes learnt; the other four, textures and noise asked."""

from collections.abc import Iterator

import numpy as np

from benchmarks.strangers.case import Case
from benchmarks.tables.scenes.datasets import load
from benchmarks.tables.scenes.methods import kept
from sfmcore.evaluation.halves import half_split
from sfmvision import SceneClassifier

KNOWN = ("coast", "insidecity", "opencountry", "street")
_SIDE = 256
_N_OTHERS = 300
_N_TILES = 12
_N_NOISE = 60
_TEXTURES = ("brick", "grass", "gravel")


def cases(n_halves: int, seed: int) -> Iterator[Case]:
    """Random halves of four classes, each with the same strangers."""
    data = load("scenes")
    known = np.isin(data.y, KNOWN)
    own, labels = data.X[known], data.y[known]
    for half in range(seed, seed + n_halves):
        random = np.random.default_rng([half])
        train, test = half_split(labels, None, random)
        others = random.permutation(data.X[~known])[:_N_OTHERS]
        yield Case(
            f"scenes, half {half}",
            SceneClassifier(cache=kept(), random_state=half, n_jobs=1),
            list(own[train]),
            labels[train],
            list(own[test]),
            {
                "four other classes": list(others),
                "textures": textures(random),
                "uniform noise": [
                    random.integers(0, 256, (_SIDE, _SIDE, 3), dtype=np.uint8)
                    for _ in range(_N_NOISE)
                ],
                "smooth noise": [smooth_noise(random) for _ in range(_N_NOISE)],
            },
        )


def textures(random: np.random.Generator) -> list[np.ndarray]:
    """Tiles of the textures of scikit-image, in grey."""
    # Only this needs scikit-image.
    from skimage import data as pictures

    tiles = []
    for name in _TEXTURES:
        whole = getattr(pictures, name)()
        for _ in range(_N_TILES):
            top, left = (random.integers(0, size - _SIDE + 1) for size in whole.shape[:2])
            tiles.append(np.ascontiguousarray(whole[top : top + _SIDE, left : left + _SIDE]))
    return tiles


def smooth_noise(random: np.random.Generator) -> np.ndarray:
    """Noise whose spectrum falls as that of photographs does, in colour."""
    steps = np.hypot(*np.meshgrid(np.fft.fftfreq(_SIDE), np.fft.fftfreq(_SIDE)))
    fall = 1.0 / np.maximum(steps, 1.0 / _SIDE)
    made = np.empty((_SIDE, _SIDE, 3), dtype=np.uint8)
    for colour in range(3):
        spectrum = np.fft.fft2(random.normal(size=(_SIDE, _SIDE)))
        plane = np.real(np.fft.ifft2(spectrum * fall))
        made[:, :, colour] = np.clip(128 + 50 * plane / plane.std(), 0, 255)
    return made
