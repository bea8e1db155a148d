"""Dense SIFT against OpenCV's SIFT at the same places of the same image.

A texture of 256 x 256 pixels, bins of 4, 6, 8 and 10 pixels, a patch every 8 pixels. OpenCV is
given the key points and describes them on the image itself (octave 0); making the key points is
not timed.

    python -m benchmarks.speed.dense_sift [--json FILE]
"""

from functools import partial
from typing import Any

import numpy as np

from benchmarks.speed.case import Case, Disagreement, Prepared, needed
from benchmarks.speed.machine import Work
from benchmarks.speed.running import main
from sfmvision.descriptors.dense_sift import DenseSIFT, smoothing_kernel
from sfmvision.descriptors.grid import first_bins, patch_grid

SIZE, STEP = 256, 8
# Ours smooths less than OpenCV's for small bins, and its window is 1.5 bins wide, not 2.
LEAST_COSINE = 0.95
VARIANTS: dict[str, dict[str, Any]] = {
    "flat window": {},
    "flat window, RootSIFT": {"root": True},
    "Gaussian window": {"window": "gaussian"},
}
_ORIENTATIONS = 8


def brick(size: int) -> np.ndarray:
    """The upper left corner of a texture, at most 512 pixels wide."""
    data = needed("skimage.data", "scikit-image")
    return np.ascontiguousarray(data.brick()[:size, :size])


def sift_work(height: int, width: int, sift: DenseSIFT) -> Work:
    """Smoothing, gradients, both passes of the bins, and normalising, scale by scale.

    Comparisons and selections are not counted. Both passes take all eight orientations, as the
    code does, of which a pixel has two.
    """
    flops = 0.0
    places = patch_grid(height, width, sift.bin_sizes, grid=sift.grid, step=sift.step)
    n_kernels = 1 if sift.window == "flat" else 4
    for size, (rows, columns) in zip(sift.bin_sizes, places, strict=True):
        radius = len(smoothing_kernel(size)) - 1
        pixels, taps = height * width, 2 * size - 1
        flops += pixels * (2 * (3 * radius + 1) + 26)
        lines, samples = (_samples(first_bins(p, size), size, n_kernels) for p in (rows, columns))
        flops += 2.0 * taps * _ORIENTATIONS * (lines * width + lines * samples)
        flops += 9.0 * 16 * _ORIENTATIONS * len(rows) * len(columns)
    return Work(
        "smoothing, 26 a pixel for the gradient, two a tap and orientation of both passes over "
        "the bins, 9 a value for normalising",
        flops,
        "float32",
    )


def _samples(first: np.ndarray, size: int, n_kernels: int) -> int:
    """Places on one axis where a filter is applied: each once for every kernel laid there."""
    bins = np.arange(4)
    places = first[:, None] + bins * size
    kernels = np.broadcast_to(bins if n_kernels > 1 else 0 * bins, places.shape)
    return len(np.unique(np.stack([places, kernels], axis=-1).reshape(-1, 2), axis=0))


def describing(size: int, parameters: dict[str, Any]) -> Prepared:
    """Descriptors of one image."""
    cv2 = needed("cv2", "opencv-python-headless")
    cv2.setNumThreads(1)
    image, ours = brick(size), DenseSIFT(step=STEP, **parameters)
    found = ours.compute(image)
    points = [
        cv2.KeyPoint(float(x), float(y), float(2 * bin_size / 3), 0.0, 1.0, 0)
        for (y, x), bin_size in zip(found.centres, found.bin_sizes, strict=True)
    ]
    peer = cv2.SIFT_create()
    details: dict[str, Any] = {
        "n_patches": len(found), "n_flat": int(found.flat.sum()), "size": size
    }  # fmt: skip

    def check() -> None:
        # A patch without contrast is zero here and noise of unit length there.
        theirs = peer.compute(image, points)[1][~found.flat].astype(float)
        if ours.root:
            theirs = np.sqrt(theirs)
        values = found.values[~found.flat].astype(float)
        lengths = np.linalg.norm(values, axis=1) * np.linalg.norm(theirs, axis=1)
        details["median_cosine"] = float(np.median((values * theirs).sum(1) / lengths))
        if not details["median_cosine"] >= LEAST_COSINE:
            raise Disagreement(f"the median cosine is only {details['median_cosine']:.3f}")

    return Prepared(
        lambda: ours.compute(image),
        "s for one image",
        lambda: peer.compute(image, points),
        f"OpenCV {cv2.__version__}",
        check,
        sift_work(size, size, ours),
        details,
    )


def cases(size: int = SIZE) -> list[Case]:
    """All cases, on an image of `size` x `size` pixels."""
    return [
        Case(
            f"dense SIFT, {size} x {size}, {name}", partial(describing, size, parameters), "OpenCV"
        )
        for name, parameters in VARIANTS.items()
    ]


if __name__ == "__main__":
    main(cases(), __doc__)
