import numpy as np
import numpy.typing as npt

def project(
    values: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    places: npt.NDArray[np.int32],
    groups: npt.NDArray[np.uint8],
    n_groups: int,
    weight: float,
    rows: npt.NDArray[np.float32],
    out: npt.NDArray[np.float32],
    n_threads: int,
) -> None: ...
