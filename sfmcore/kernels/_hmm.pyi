import numpy as np
import numpy.typing as npt

def log_likelihood(
    values: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    order: npt.NDArray[np.int64],
    start: npt.NDArray[np.float64],
    transition: npt.NDArray[np.float64],
    emission: npt.NDArray[np.float64],
    n_threads: int,
) -> npt.NDArray[np.float64]: ...
def expected_statistics(
    values: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    order: npt.NDArray[np.int64],
    start: npt.NDArray[np.float64],
    transition: npt.NDArray[np.float64],
    emission: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float64],
    n_threads: int,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
def expected_features(
    values: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    order: npt.NDArray[np.int64],
    start: npt.NDArray[np.float64],
    transition: npt.NDArray[np.float64],
    emission: npt.NDArray[np.float64],
    out: npt.NDArray[np.float32],
    n_threads: int,
) -> npt.NDArray[np.float64]: ...
def drawn_features(
    values: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    order: npt.NDArray[np.int64],
    start: npt.NDArray[np.float64],
    transition: npt.NDArray[np.float64],
    emission: npt.NDArray[np.float64],
    keys: npt.NDArray[np.uint64],
    n_draws: int,
    out: npt.NDArray[np.float32],
    n_threads: int,
) -> None: ...
