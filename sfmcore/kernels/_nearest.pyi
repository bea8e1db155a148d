import numpy as np
import numpy.typing as npt

UNIT: int
MAX_COLUMNS: int

class Centres:
    n_centres: int
    n_columns: int
    def __init__(self, centres: npt.NDArray[np.int16]) -> None: ...
    def nearest(self, values: npt.NDArray[np.uint8], n_threads: int) -> npt.NDArray[np.uint16]: ...

def sums(
    values: npt.NDArray[np.uint8], numbers: npt.NDArray[np.uint16], n_centres: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]: ...
