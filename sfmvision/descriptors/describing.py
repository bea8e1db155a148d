"""Parameters that say how images are read and described, wherever an estimator has them."""

import os
from typing import Any

from sklearn.base import BaseEstimator

from sfmcore.data.checks import check_choice, check_number, check_whole
from sfmvision.descriptors.dense_sift import DenseSIFT


class DescribingParameters(BaseEstimator):
    """Mixin of estimators with a codebook of dense descriptors."""

    n_words: Any
    n_sample: Any
    grid: Any
    step: Any
    bin_sizes: Any
    window: Any
    root: Any
    colour: Any
    max_side: Any
    allow_truncated: Any
    max_pixels: Any
    cache: Any

    def check_describing(self) -> None:
        """Refuse parameters that are out of range; the text begins with the name."""
        for name in ("n_words", "n_sample", "max_pixels"):
            check_whole(name, getattr(self, name), 1)
        check_number("n_words", self.n_words, "of at most 65534", lambda n: n <= 65534)
        if self.max_side is not None:
            check_whole("max_side", self.max_side, 16)
        check_choice("allow_truncated", self.allow_truncated, (True, False))
        if self.cache is not None and (
            not isinstance(self.cache, str | os.PathLike) or self.cache == ""
        ):
            raise ValueError(f"cache must be the name of a folder or None, got {self.cache!r}")
        self.sift()

    def sift(self) -> DenseSIFT:
        """The descriptors."""
        names = ("grid", "step", "bin_sizes", "window", "root", "colour")
        return DenseSIFT(**{name: getattr(self, name) for name in names})

    def reading(self) -> dict[str, Any]:
        """Options for reading files."""
        names = ("max_side", "allow_truncated", "max_pixels")
        return {name: getattr(self, name) for name in names}
