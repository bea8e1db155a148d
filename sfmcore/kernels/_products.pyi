import numpy as np
import numpy.typing as npt

def products(
    rows: npt.NDArray[np.float32],
    points: npt.NDArray[np.float32],
    out: npt.NDArray[np.float32],
    n_threads: int,
) -> None: ...
