import numpy as np
import numpy.typing as npt

CHUNK: int
MAX_CHUNKS: int

class SparseRows:
    n_rows: int
    n_columns: int
    def __init__(
        self,
        values: npt.NDArray[np.float32],
        columns: npt.NDArray[np.int32],
        offsets: npt.NDArray[np.int64],
        n_columns: int,
    ) -> None: ...
    def scores(self, u: npt.NDArray[np.float64], n_threads: int) -> npt.NDArray[np.float64]: ...
    def risks(
        self,
        signs: npt.NDArray[np.int8],
        weights: npt.NDArray[np.float64],
        u: npt.NDArray[np.float64],
        convex: bool,
        n_threads: int,
    ) -> tuple[float, float, float, npt.NDArray[np.float64]]: ...
