"""Dense SIFT against OpenCV's SIFT at the same places of the same image.

A texture of 256 x 256 pixels, bins of 4, 6, 8 and 10 pixels, a patch every 8 pixels, in one
process and on one thread. OpenCV is given the key points and describes them on the image itself
(octave 0); making the key points is not timed. That both say the same is checked first.

    python -m benchmarks.speed.dense_sift [--json FILE]
"""

import cv2
import numpy as np
import skimage.data

from benchmarks.speed.timing import Timing, give_up, measure, parse_arguments, report
from sfmvision.dense_sift import DenseSIFT

SIZE = 256
STEP = 8
# Ours smooths less than OpenCV's for small bins, and its window is 1.5 bins wide, not 2.
LEAST_COSINE = 0.95
VARIANTS = {
    "flat window": DenseSIFT(step=STEP),
    "flat window, RootSIFT": DenseSIFT(step=STEP, root=True),
    "Gaussian window": DenseSIFT(step=STEP, window="gaussian"),
}


def time_variant(name: str, ours: DenseSIFT, pairs: int) -> Timing:
    """Check that ours and the peer agree, then time both."""
    image = np.ascontiguousarray(skimage.data.brick()[:SIZE, :SIZE])
    found = ours.compute(image)
    points = [
        cv2.KeyPoint(float(x), float(y), float(2 * size / 3), 0.0, 1.0, 0)
        for (y, x), size in zip(found.centres, found.bin_sizes, strict=True)
    ]
    peer = cv2.SIFT_create()
    # A patch without contrast is zero here and noise of unit length there.
    theirs = peer.compute(image, points)[1][~found.flat]
    values = found.values[~found.flat].astype(float)
    lengths = np.linalg.norm(values, axis=1) * np.linalg.norm(theirs, axis=1)
    cosine = float(np.median((values * theirs).sum(1) / lengths))
    if not (ours.root or cosine >= LEAST_COSINE):
        give_up(f"{name}: the median cosine with OpenCV's descriptors is only {cosine:.3f}")
    return measure(
        f"{len(found)} patches, {name}",
        lambda: ours.compute(image),
        lambda: peer.compute(image, points),
        peer_name=f"OpenCV {cv2.__version__}",
        unit="s for one image",
        pairs=pairs,
        details={
            "n_patches": len(found),
            "n_flat": int(found.flat.sum()),
            "n_threads": 1,
            "median_cosine": cosine,
        },
    )


def main() -> None:
    """Run all cases."""
    arguments = parse_arguments("Speed of dense SIFT against OpenCV.")
    cv2.setNumThreads(1)
    timings = [time_variant(name, ours, arguments.pairs) for name, ours in VARIANTS.items()]
    print(f"one thread, {SIZE} x {SIZE} pixels, median of {arguments.pairs}")
    report(timings, arguments.json)


if __name__ == "__main__":
    main()
