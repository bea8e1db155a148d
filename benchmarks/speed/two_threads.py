"""Two threads against one. That both give the same bits is checked first.

python -m benchmarks.speed.two_threads [--json FILE]
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.speed import gmm, hmm, lda
from benchmarks.speed.case import Case, Disagreement, Prepared, Skipped
from benchmarks.speed.dense_sift import STEP, brick
from benchmarks.speed.running import main
from sfmcore.kernels import _gmm, _hmm
from sfmcore.parallel.threads import available_processors
from sfmvision.descriptors.batch import Describer, InMemory
from sfmvision.descriptors.dense_sift import DenseSIFT
from sfmvision.descriptors.encoding import encoded

_ONE = "ours, 1 thread"
_SWEEPS = 3
_MIXTURE = gmm.Size(200_000, 20, 10)


@dataclass(frozen=True)
class Sizes:
    """What the cases work on."""

    read: hmm.Read = hmm.read_sequences
    n_states: int = 30
    documents: lda.Size = lda.SIZES[0]
    mixture: gmm.Size = _MIXTURE
    n_images: int = 32
    side: int = 256


def compared(unit: str, call: Callable[[int], object], results: Callable[[int], list]) -> Prepared:
    """A call with two threads beside one.

    Parameters
    ----------
    unit : str
    call : callable
        Takes the number of threads.
    results : callable
        Arrays of one call, whose bits are compared.
    """
    if available_processors() < 2:
        raise Skipped("this process may use one processor only")

    def check() -> None:
        for one, two in zip(results(1), results(2), strict=True):
            if one.dtype != two.dtype or one.tobytes() != two.tobytes():
                raise Disagreement("two threads give other bits than one")

    return Prepared(lambda: call(2), unit, lambda: call(1), _ONE, check, details={"n_threads": 2})


def hmm_case(sizes: Sizes) -> Prepared:
    """Expected statistics."""
    data = sizes.read()
    arguments = hmm.arguments_of(data, hmm.make_model(sizes.n_states))
    weights = np.ones(len(data))

    def call(n_threads: int) -> tuple[np.ndarray, np.ndarray]:
        return _hmm.expected_statistics(*arguments, weights, n_threads)

    return compared("s for one pass over all sequences", call, lambda n: list(call(n)))


def lda_case(sizes: Sizes) -> Prepared:
    """Sweeps over as many shards as a fit makes of the documents."""
    size = sizes.documents
    data = lda.simulate(size)

    def sampler(n_threads: int) -> lda.Ours:
        return lda.Ours(data, size, n_threads=n_threads)

    def results(n_threads: int) -> list[np.ndarray]:
        made = sampler(n_threads)
        made.sweep(_SWEEPS)
        return [made.topics, made.counts()]

    samplers = {n: sampler(n) for n in (1, 2)}
    return compared(f"s for {lda.SWEEPS} sweeps", lambda n: samplers[n].sweep(lda.SWEEPS), results)


def gmm_case(sizes: Sizes) -> Prepared:
    """Statistics of an EM iteration; the M-step takes no time."""
    items, parameters = gmm.make_case(sizes.mixture)
    ones = np.ones(len(items))

    def call(n_threads: int) -> tuple[np.ndarray, np.ndarray]:
        return _gmm.expected_statistics(items, *parameters, ones, n_threads)

    return compared("s for one pass over all items", call, lambda n: list(call(n)))


def sift_case(sizes: Sizes) -> Prepared:
    """Images described side by side, as SceneClassifier does it."""
    texture, side = brick(512), sizes.side
    random = np.random.default_rng(0)
    corners = random.integers(0, 512 - side + 1, (sizes.n_images, 2))
    images = [np.ascontiguousarray(texture[y : y + side, x : x + side]) for y, x in corners]
    sift = DenseSIFT(step=STEP)

    def call(n_threads: int) -> object:
        # A cache of its own each time, or the second call would find everything there.
        describer = Describer(sift, None, False, 1 << 30, InMemory())
        return encoded(images, describer, n_threads=n_threads, show_progress=False)

    def results(n_threads: int) -> list[np.ndarray]:
        if n_threads == 1:
            return [sift.compute(image).values for image in images]
        with ThreadPoolExecutor(n_threads) as pool:
            return [found.values for found in pool.map(sift.compute, images)]

    return compared("s for all images", call, results)


def cases(sizes: Sizes | None = None) -> list[Case]:
    """All cases."""
    sizes = sizes or Sizes()
    size = sizes.documents
    kinds: list[tuple[str, Callable[[Sizes], Prepared]]] = [
        (f"HMM expected statistics, {sizes.n_states} states", hmm_case),
        (f"LDA training, {size.n_words} words, {size.n_topics} topics", lda_case),
        (f"GMM EM, {sizes.mixture}", gmm_case),
        (f"dense SIFT, {sizes.n_images} images", sift_case),
    ]
    return [Case(f"{name}, 2 threads", partial(make, sizes), _ONE) for name, make in kinds]


if __name__ == "__main__":
    main(cases(), __doc__)
