import numpy as np
import numpy.typing as npt

FLOATS: int
SIZE: int

def descriptors(
    plane: npt.NDArray[np.float32],
    width: int,
    smoothing: npt.NDArray[np.float32],
    kernels: npt.NDArray[np.float32],
    weights: npt.NDArray[np.float32],
    rows: npt.NDArray[np.int64],
    columns: npt.NDArray[np.int64],
    contrast: float,
    root: bool,
    out: npt.NDArray[np.uint8],
    flat: npt.NDArray[np.uint8],
) -> None: ...
