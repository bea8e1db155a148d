import numpy as np
import numpy.typing as npt

def by_symbol(
    values: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    start: npt.NDArray[np.float64],
    transition: npt.NDArray[np.float64],
    emission: npt.NDArray[np.float64],
    starts: npt.NDArray[np.float64],
    steps: npt.NDArray[np.float64],
    symbols: npt.NDArray[np.float64],
    out: npt.NDArray[np.float64],
    n_threads: int,
) -> None: ...
