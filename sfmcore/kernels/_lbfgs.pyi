from collections.abc import Callable

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

def minimise(
    evaluate: Callable[[FloatArray], tuple[float, FloatArray]],
    start: FloatArray,
    scale: float,
    memory: int,
    max_iter: int,
    tolerance: float,
    slope_tolerance: float,
    sufficient: float,
    curvature: float,
    max_search: int,
) -> tuple[FloatArray, float, int, int]: ...
