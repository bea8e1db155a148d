import numpy as np
import numpy.typing as npt

def condition(
    raw: npt.NDArray[np.float32],
    rates: npt.NDArray[np.float64],
    mean: npt.NDArray[np.float64],
    inverse_scale: npt.NDArray[np.float64],
    clip: float,
    out: npt.NDArray[np.float32],
    n_threads: int,
) -> None: ...
