import numpy as np
import numpy.typing as npt

MAX_CELLS: int

def log_likelihood(
    items: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float64],
    means: npt.NDArray[np.float64],
    variances: npt.NDArray[np.float64],
    n_threads: int,
) -> npt.NDArray[np.float64]: ...
def posterior(
    items: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float64],
    means: npt.NDArray[np.float64],
    variances: npt.NDArray[np.float64],
    n_threads: int,
) -> npt.NDArray[np.float64]: ...
def expected_statistics(
    items: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float64],
    means: npt.NDArray[np.float64],
    variances: npt.NDArray[np.float64],
    sample_weight: npt.NDArray[np.float64],
    n_threads: int,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
def expected_features(
    items: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float64],
    means: npt.NDArray[np.float64],
    variances: npt.NDArray[np.float64],
    out: npt.NDArray[np.float32],
    n_threads: int,
) -> npt.NDArray[np.float64]: ...
def enumerated_features(
    items: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float64],
    means: npt.NDArray[np.float64],
    variances: npt.NDArray[np.float64],
    out: npt.NDArray[np.float32],
    n_threads: int,
) -> npt.NDArray[np.float64]: ...
def drawn_features(
    items: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float64],
    means: npt.NDArray[np.float64],
    variances: npt.NDArray[np.float64],
    keys: npt.NDArray[np.uint64],
    n_draws: int,
    out: npt.NDArray[np.float32],
    n_threads: int,
) -> None: ...
