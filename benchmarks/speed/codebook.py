"""Words of descriptors against faiss and scikit-learn, and the learning of the codebook.

All see the same descriptors and centres. Ours starts from bytes; the peers are given float32,
whose making is not counted. For k-means the inertia at which the peer ends, over ours, is in the
JSON file. Ours counts in whole numbers, so no limit of floating-point arithmetic is given.

    python -m benchmarks.speed.codebook [--json FILE]
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import sklearn
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.metrics import pairwise_distances_argmin

from benchmarks.speed.case import Case, Disagreement, Prepared, agree, needed
from benchmarks.speed.running import main
from sfmvision.codebook.codebook import Codebook

N_COLUMNS = 128
_SKLEARN = f"scikit-learn {sklearn.__version__}"
# A few rows are as near to two centres as float32 can tell.
_OTHER_WORDS = 1e-4
# By how much the inertia of ours may be the larger.
_MOST_INERTIA = 1.1


@dataclass(frozen=True)
class Sizes:
    """Descriptors, and centres to assign them to and to learn."""

    n_rows: int = 100_000
    words: Sequence[int] = (50, 200, 1000)
    fitted: Sequence[int] = (50, 200, 400)


@cache
def make_descriptors(n_rows: int) -> np.ndarray:
    """Rows of bytes around 2,000 profiles that are mostly near 0, as gradient histograms are."""
    random = np.random.default_rng(0)
    profiles = random.gamma(0.4, 50.0, (2000, N_COLUMNS))
    rows = profiles[random.integers(len(profiles), size=n_rows)]
    return np.clip(rows * random.gamma(4.0, 0.25, rows.shape), 0, 255).astype(np.uint8)


def faiss_words(rows: np.ndarray, centres: np.ndarray) -> tuple[Callable[[], np.ndarray], str]:
    """Exact search of faiss."""
    faiss = needed("faiss", "faiss-cpu")
    faiss.omp_set_num_threads(1)
    index = faiss.IndexFlatL2(N_COLUMNS)
    index.add(centres)
    name = f"faiss {faiss.__version__} IndexFlatL2"
    return lambda: index.search(rows, 1)[1][:, 0], name


def kmeans_words(rows: np.ndarray, centres: np.ndarray) -> tuple[Callable[[], np.ndarray], str]:
    """Prediction of scikit-learn's k-means."""
    kmeans = KMeans(len(centres), init=centres, n_init=1, max_iter=1).fit(centres)
    kmeans.cluster_centers_ = centres
    return lambda: kmeans.predict(rows), f"{_SKLEARN} KMeans.predict"


def pairwise_words(rows: np.ndarray, centres: np.ndarray) -> tuple[Callable[[], np.ndarray], str]:
    """Nearest rows of scikit-learn."""
    name = f"{_SKLEARN} pairwise_distances_argmin"
    return lambda: pairwise_distances_argmin(rows, centres), name


def assignment(n_rows: int, n_words: int, make: Any) -> Prepared:
    """Word of every descriptor."""
    values = make_descriptors(n_rows)
    codebook = Codebook(n_words, max_iter=5, random_state=0).fit(values[:20_000])
    peer, name = make(values.astype(np.float32), codebook.centres_)
    flat = np.zeros(len(values), dtype=bool)

    def check() -> None:
        share = float(np.mean(peer() != codebook.words(values, flat)))
        if share > _OTHER_WORDS:
            raise Disagreement(f"{name} chooses other words for {share:.2%} of the rows")

    return Prepared(
        lambda: codebook.words(values, flat),
        "s for all rows",
        peer,
        name,
        check,
        details={"n_rows": n_rows, "n_columns": N_COLUMNS, "n_words": n_words},
    )


def learning(n_rows: int, n_words: int, make: Any, **parameters: int) -> Prepared:
    """K-means to its end."""
    values = make_descriptors(n_rows)
    rows = values.astype(np.float32)
    ours = Codebook(n_words, random_state=0)
    peer = make(n_words, n_init=1, random_state=0, **parameters)
    details: dict[str, Any] = {"n_rows": n_rows, "n_columns": N_COLUMNS, "n_words": n_words}

    def check() -> None:
        ours.fit(values)
        peer.fit(rows)
        agree("centres", ours.centres_.shape, peer.cluster_centers_.shape)
        one, other = inertia(rows, ours.centres_), inertia(rows, peer.cluster_centers_)
        details["inertia_ratio"] = other / one
        if one > _MOST_INERTIA * other:
            raise Disagreement(f"ours ends at an inertia of {one:.4g}, the peer at {other:.4g}")

    return Prepared(
        lambda: ours.fit(values),
        "s for one fit",
        lambda: peer.fit(rows),
        f"{_SKLEARN} {make.__name__}",
        check,
        details=details,
    )


def inertia(rows: np.ndarray, centres: np.ndarray) -> float:
    """Sum of the squared distances to the nearest centres."""
    numbers = pairwise_distances_argmin(rows, centres)
    return sum(
        float(((rows[i : i + 4096] - centres[numbers[i : i + 4096]]) ** 2).sum(dtype=float))
        for i in range(0, len(rows), 4096)
    )


def cases(sizes: Sizes | None = None) -> list[Case]:
    """All cases."""
    sizes = sizes or Sizes()
    searches = [("faiss", faiss_words), ("KMeans", kmeans_words), ("pairwise", pairwise_words)]
    fits = [(KMeans, {"max_iter": 100}), (MiniBatchKMeans, {})]
    return [
        Case(
            f"words, {sizes.n_rows} x {N_COLUMNS}, {n_words} centres",
            partial(assignment, sizes.n_rows, n_words, make),
            name,
        )
        for n_words in sizes.words
        for name, make in searches
    ] + [
        Case(
            f"k-means, {sizes.n_rows} x {N_COLUMNS}, {n_words} centres",
            partial(learning, sizes.n_rows, n_words, make, **parameters),
            make.__name__,
        )
        for n_words in sizes.fitted
        for make, parameters in fits
    ]


if __name__ == "__main__":
    main(cases(), __doc__)
