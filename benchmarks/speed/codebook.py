"""Words of descriptors against faiss and scikit-learn, and the learning of the codebook.

All see the same descriptors and centres, in one process and on one thread. Ours starts from bytes;
the peers are given float32, whose making is not counted. That all choose the same words is checked
first. For k-means the inertia that each ends at stands beside the times.

    python -m benchmarks.speed.codebook [--json FILE]
"""

from collections.abc import Callable
from functools import partial

import numpy as np
import sklearn
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.metrics import pairwise_distances_argmin
from threadpoolctl import threadpool_limits

from benchmarks.speed.timing import Timing, give_up, measure, parse_arguments, report
from sfmvision.codebook import Codebook

N_ROWS, N_COLUMNS = 100_000, 128
WORDS = (50, 200, 1000)
FITTED_WORDS = (50, 200, 400)


def make_descriptors() -> np.ndarray:
    """Rows of bytes around 2,000 profiles that are mostly near 0, as gradient histograms are."""
    random = np.random.default_rng(0)
    profiles = random.gamma(0.4, 50.0, (2000, N_COLUMNS))
    rows = profiles[random.integers(len(profiles), size=N_ROWS)]
    return np.clip(rows * random.gamma(4.0, 0.25, rows.shape), 0, 255).astype(np.uint8)


def time_words(values: np.ndarray, n_words: int, pairs: int) -> list[Timing]:
    """Check that ours and the peers agree, then time ours beside each of them."""
    try:
        import faiss
    except ImportError:
        give_up("the comparison needs faiss: pip install faiss-cpu")
    faiss.omp_set_num_threads(1)
    codebook = Codebook(n_words, max_iter=5, random_state=0).fit(values[:20_000])
    centres, rows = codebook.centres_, values.astype(np.float32)
    flat = np.zeros(len(values), dtype=bool)
    index = faiss.IndexFlatL2(N_COLUMNS)
    index.add(centres)
    kmeans = KMeans(n_words, init=centres, n_init=1, max_iter=1).fit(centres)
    kmeans.cluster_centers_ = centres
    peers: dict[str, Callable[[], np.ndarray]] = {
        f"faiss {faiss.__version__} IndexFlatL2": lambda: index.search(rows, 1)[1][:, 0],
        f"scikit-learn {sklearn.__version__} KMeans.predict": lambda: kmeans.predict(rows),
        f"scikit-learn {sklearn.__version__} pairwise_distances_argmin": lambda: (
            pairwise_distances_argmin(rows, centres)
        ),
    }
    ours = codebook.words(values, flat)
    timings = []
    for name, peer in peers.items():
        # A few rows are as near to two centres as float32 can tell.
        if np.mean(peer() != ours) > 1e-4:
            give_up(f"{name} chooses other words")
        timings.append(
            measure(
                f"words, {N_ROWS} x {N_COLUMNS}, {n_words} centres",
                lambda: codebook.words(values, flat),
                peer,
                peer_name=name,
                unit="s for all rows",
                pairs=pairs,
                details={"n_rows": N_ROWS, "n_columns": N_COLUMNS, "n_words": n_words,
                         "n_threads": 1},
            )
        )  # fmt: skip
    return timings


def time_fit(values: np.ndarray, n_words: int) -> list[Timing]:
    """K-means to its end, once after a warm-up: it takes seconds."""
    rows = values.astype(np.float32)

    def squared(centres: np.ndarray) -> float:
        numbers = pairwise_distances_argmin(rows, centres)
        blocks = range(0, len(rows), 4096)
        return sum(
            float(((rows[i : i + 4096] - centres[numbers[i : i + 4096]]) ** 2).sum(dtype=float))
            for i in blocks
        )

    ours = Codebook(n_words, random_state=0)
    timings = []
    for peer in (
        KMeans(n_words, n_init=1, max_iter=100, random_state=0),
        MiniBatchKMeans(n_words, n_init=1, random_state=0),
    ):
        ours.fit(values)
        peer.fit(rows)
        ratio = squared(peer.cluster_centers_) / squared(ours.centres_)
        timings.append(
            measure(
                f"k-means, {n_words} centres, inertia of peer / ours {ratio:.4f}",
                lambda: ours.fit(values),
                partial(peer.fit, rows),
                peer_name=f"scikit-learn {sklearn.__version__} {type(peer).__name__}",
                unit="s for one fit",
                pairs=1,
                details={"n_rows": N_ROWS, "n_columns": N_COLUMNS, "n_words": n_words,
                         "n_threads": 1, "inertia_ratio": ratio},
            )
        )  # fmt: skip
    return timings


def main() -> None:
    """Run all cases."""
    arguments = parse_arguments("Speed of the codebook against faiss and scikit-learn.")
    values = make_descriptors()
    with threadpool_limits(limits=1):
        timings = [t for n_words in WORDS for t in time_words(values, n_words, arguments.pairs)]
        timings += [t for n_words in FITTED_WORDS for t in time_fit(values, n_words)]
    print(f"one thread, median of {arguments.pairs}; k-means once")
    report(timings, arguments.json)


if __name__ == "__main__":
    main()
