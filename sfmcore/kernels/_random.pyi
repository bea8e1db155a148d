import numpy as np
import numpy.typing as npt

def stream_keys(
    seed: int, purpose: int, identities: npt.NDArray[np.uint64]
) -> npt.NDArray[np.uint64]: ...
def content_keys(
    values: npt.NDArray[np.uint8] | npt.NDArray[np.uint16], offsets: npt.NDArray[np.int64]
) -> npt.NDArray[np.uint64]: ...
def uniforms(keys: npt.NDArray[np.uint64], count: int) -> npt.NDArray[np.float64]: ...
