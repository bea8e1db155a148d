import numpy as np
import numpy.typing as npt

CHUNK: int
MAX_CHUNKS: int

# The features are float32 or float64.
def scores(
    features: npt.NDArray[np.floating],
    u: npt.NDArray[np.float64],
    n_threads: int,
) -> npt.NDArray[np.float64]: ...
def risks(
    features: npt.NDArray[np.floating],
    signs: npt.NDArray[np.int8],
    weights: npt.NDArray[np.float64],
    u: npt.NDArray[np.float64],
    convex: bool,
    n_threads: int,
) -> tuple[float, float, float, npt.NDArray[np.float64]]: ...
def add_divergence(
    slope: npt.NDArray[np.float64],
    u: npt.NDArray[np.float64],
    prior_mean: npt.NDArray[np.float64],
    C: float,
    n_items: float,
) -> float: ...
def upper_tail_and_density(
    a: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
def exponential(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]: ...
def logarithm(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]: ...
