import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

# The features are float32 or float64.
def minimise(
    features: npt.NDArray[np.floating],
    signs: npt.NDArray[np.int8],
    weights: FloatArray,
    prior_mean: FloatArray,
    C: float,
    n_items: float,
    convex: bool,
    start: FloatArray,
    memory: int,
    max_iter: int,
    tolerance: float,
    slope_tolerance: float,
    sufficient: float,
    curvature: float,
    max_search: int,
    n_threads: int,
) -> tuple[FloatArray, float, int, int]: ...
