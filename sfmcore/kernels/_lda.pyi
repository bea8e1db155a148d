import numpy as np
import numpy.typing as npt

def gibbs_sweep(
    tokens: npt.NDArray[np.uint16],
    offsets: npt.NDArray[np.int64],
    topics: npt.NDArray[np.uint16],
    weights: npt.NDArray[np.float32],
    counts: npt.NDArray[np.float64],
    shards: npt.NDArray[np.int64],
    keys: npt.NDArray[np.uint64],
    alpha: float,
    beta: float,
    n_threads: int,
) -> npt.NDArray[np.float64]: ...
def topic_counts(
    words: npt.NDArray[np.uint16],
    counts: npt.NDArray[np.float32],
    offsets: npt.NDArray[np.int64],
    topics: npt.NDArray[np.float64],
    alpha: float,
    tolerance: float,
    max_passes: int,
    n_threads: int,
) -> npt.NDArray[np.float32]: ...
def log_likelihood(
    words: npt.NDArray[np.uint16],
    counts: npt.NDArray[np.float32],
    offsets: npt.NDArray[np.int64],
    shares: npt.NDArray[np.float64],
    topics: npt.NDArray[np.float64],
    n_threads: int,
) -> npt.NDArray[np.float64]: ...
def expected_features(
    words: npt.NDArray[np.uint16],
    counts: npt.NDArray[np.float32],
    offsets: npt.NDArray[np.int64],
    topics: npt.NDArray[np.float64],
    alpha: float,
    tolerance: float,
    max_passes: int,
    out: npt.NDArray[np.float32],
    n_threads: int,
) -> None: ...
def drawn_features(
    words: npt.NDArray[np.uint16],
    counts: npt.NDArray[np.float32],
    offsets: npt.NDArray[np.int64],
    topics: npt.NDArray[np.float64],
    alpha: float,
    tolerance: float,
    max_passes: int,
    keys: npt.NDArray[np.uint64],
    n_draws: int,
    n_burn_in: int,
    n_between: int,
    out: npt.NDArray[np.float32],
    n_threads: int,
) -> None: ...
