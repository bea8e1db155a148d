"""A bounded random sample of descriptors over many images."""

import threading
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from sfmcore.data.arrays import BoolArray, Int64Array, UInt64Array
from sfmcore.data.checks import check_whole
from sfmcore.data.streams import DESCRIPTOR_SAMPLE
from sfmcore.kernels import _random

Bytes = npt.NDArray[np.uint8]


class DescriptorSampler:
    """Keeps at most `n_sample` descriptors of the images it is shown, one image at a time.

    The patches of an image that are not flat are put in a random order, by a stream of the seed
    and the image's index. Every image gives its first patch, then every image its second, and so
    on until `n_sample` rows are found. Large images don't crowd out small ones, and what an image
    lacks the others give. Where the last round is not complete, a random choice of the images
    takes part in it.

    The sample depends on the seed, the indices and the descriptors: not on the order in which
    the images come. Images may come from several threads. At most ``2 * n_sample`` rows, and those
    of one image, are held.

    Parameters
    ----------
    n_sample : int, default=100000
        Number of rows, at most.
    seed : int

    Examples
    --------
    >>> sampler = DescriptorSampler(n_sample=3, seed=0)
    >>> sampler.add(7, np.full((5, 2), 7, dtype=np.uint8), np.zeros(5, dtype=bool))
    >>> sampler.add(2, np.full((1, 2), 2, dtype=np.uint8), np.zeros(1, dtype=bool))
    >>> sampler.rows().tolist()
    [[2, 2], [7, 7], [7, 7]]
    """

    def __init__(self, n_sample: int = 100_000, *, seed: int) -> None:
        check_whole("n_sample", n_sample, 1)
        check_whole("seed", seed, 0)
        self.n_sample = n_sample
        self.seed = seed
        # Of each image the start of its random order, and the number that settles the last round.
        self._images: dict[int, tuple[int, Bytes]] = {}
        self._n_rows = 0
        self._n_columns: int | None = None
        self._lock = threading.Lock()

    def add(self, index: int, values: Bytes, flat: BoolArray) -> None:
        """Show one image.

        Parameters
        ----------
        index : int
            Its number, by which it is known.
        values : ndarray of shape (n_patches, n_columns), dtype uint8
        flat : ndarray of shape (n_patches,), dtype bool
            Patches that never enter the sample.

        Raises
        ------
        ValueError
            If the index came before, or the arrays don't fit each other or those that came before.
        """
        check_whole("index", index, 0)
        if values.ndim != 2 or flat.shape != (len(values),):
            raise ValueError("values must be rows of descriptors, and flat one boolean for each")
        usable = np.flatnonzero(~flat)
        key = _random.stream_keys(self.seed, DESCRIPTOR_SAMPLE, np.array([index], dtype=np.uint64))
        order = np.argsort(_random.uniforms(key, len(usable))[0], kind="stable")
        rows = values[usable[order[: self.n_sample]]]
        with self._lock:
            if index in self._images:
                raise ValueError(f"image {index} was added before")
            if self._n_columns not in (None, values.shape[1]):
                raise ValueError(
                    f"image {index} has descriptors of {values.shape[1]} columns, "
                    f"others have {self._n_columns}"
                )
            self._n_columns = values.shape[1]
            self._images[index] = int(key[0]), rows
            self._n_rows += len(rows)
            if self._n_rows > 2 * self.n_sample:
                self._shorten()

    def _shorten(self) -> None:
        """Let go of the rows that no later image can bring back into the sample."""
        indices = sorted(self._images)
        lengths = np.array([len(self._images[i][1]) for i in indices])
        keys = np.array([self._images[i][0] for i in indices], dtype=np.uint64)
        shares = _shares(lengths, keys, self.n_sample)
        for index, share in zip(indices, shares, strict=True):
            key, rows = self._images[index]
            if share < len(rows):
                self._images[index] = key, rows[:share].copy()  # a view would keep the rest
        self._n_rows = int(shares.sum())

    def rows(self) -> Bytes:
        """Return the sample.

        Returns
        -------
        ndarray of shape (n_rows, n_columns), dtype uint8
            By the image's index, then in the image's random order. Fewer than `n_sample` rows
            only if the images have no more.

        Raises
        ------
        ValueError
            If no image was added.
        """
        with self._lock:
            if not self._images:
                raise ValueError("no image to take descriptors from")
            self._shorten()
            return np.concatenate([self._images[index][1] for index in sorted(self._images)])


def sample_descriptors(
    images: Iterable[tuple[int, Bytes, BoolArray]], n_sample: int = 100_000, *, seed: int
) -> Bytes:
    """Random sample of the descriptors of images, as `DescriptorSampler` takes it.

    Parameters
    ----------
    images : iterable of (index, values, flat)
        Read once.
    n_sample : int, default=100000
    seed : int

    Returns
    -------
    ndarray of shape (n_rows, n_columns), dtype uint8

    Raises
    ------
    ValueError
        If there is no image, or the images don't fit each other.

    Examples
    --------
    >>> image = np.arange(8, dtype=np.uint8).reshape(4, 2)
    >>> flat = np.array([True, False, False, True])
    >>> sorted(sample_descriptors([(0, image, flat)], seed=1).tolist())
    [[2, 3], [4, 5]]
    """
    sampler = DescriptorSampler(n_sample, seed=seed)
    for index, values, flat in images:
        sampler.add(index, values, flat)
    return sampler.rows()


def _shares(lengths: Int64Array, keys: UInt64Array, total: int) -> Int64Array:
    """Rows that each image gives: whole rounds, and the last one by the smallest keys."""
    # The largest number of whole rounds that the total allows.
    ordered = np.sort(lengths)
    given = np.concatenate([[0], np.cumsum(ordered)])
    for place, length in enumerate(ordered):
        n_left = len(ordered) - place
        if given[place] + n_left * length > total:
            rounds = (total - given[place]) // n_left
            break
    else:
        return lengths
    shares: Int64Array = np.minimum(lengths, rounds)
    longer = np.flatnonzero(lengths > rounds)
    longer = longer[np.argsort(keys[longer], kind="stable")]
    shares[longer[: total - shares.sum()]] += 1
    return shares
