import numpy as np
import numpy.typing as npt

def scores(
    values: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    targets: npt.NDArray[np.int8],
    target_offsets: npt.NDArray[np.int64],
    gap_open: int,
    gap_extend: int,
    out: npt.NDArray[np.int32],
    n_threads: int,
) -> None: ...
def diagonals(
    values: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    targets: npt.NDArray[np.int8],
    target_offsets: npt.NDArray[np.int64],
    out: npt.NDArray[np.uint8],
    n_threads: int,
) -> None: ...
def scores_of_hits(
    values: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    targets: npt.NDArray[np.int8],
    target_offsets: npt.NDArray[np.int64],
    hits: npt.NDArray[np.int64],
    gap_open: int,
    gap_extend: int,
    out: npt.NDArray[np.int32],
    n_threads: int,
) -> None: ...
def align(
    values: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    targets: npt.NDArray[np.int8],
    target_offsets: npt.NDArray[np.int64],
    queries: npt.NDArray[np.int64],
    hits: npt.NDArray[np.int64],
    gap_open: int,
    gap_extend: int,
    out: npt.NDArray[np.uint8],
    out_offsets: npt.NDArray[np.int64],
    scores: npt.NDArray[np.int32],
    n_threads: int,
    spans: npt.NDArray[np.int64] | None = None,
    places: npt.NDArray[np.int64] | None = None,
) -> None: ...
def profile(
    values: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    aligned: npt.NDArray[np.uint8],
    aligned_offsets: npt.NDArray[np.int64],
    members: npt.NDArray[np.int64],
    base: npt.NDArray[np.int8],
    conditional: npt.NDArray[np.float64],
    background: npt.NDArray[np.float64],
    scale: float,
    beta: float,
    near: float,
    window: int,
    limit: int,
    out: npt.NDArray[np.int8],
    n_threads: int,
) -> None: ...
