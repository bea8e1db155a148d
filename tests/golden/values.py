"""Golden values as JSON, and how far a new value may lie from them."""

import json
from pathlib import Path
from typing import Any

import numpy as np

Arrays = dict[str, np.ndarray]

FOLDER = Path(__file__).parent / "values"

TOLERANCE = 1e-6
"""How far a number may lie from its golden value, as a share of the largest of its array.

The same seed gives the same bits on one machine, but another BLAS, C library or NumPy rounds sums
and logarithms elsewhere, and the searches that follow carry it on: to 1e-7 with OpenBLAS and NumPy
held to the instructions of older processors. The golden values' seven digits are rounded by 5e-7.
"""


def outcome(model: Any, items: Any) -> Arrays:
    """Whatever a classifier says of items."""
    found = {"labels": model.predict(items)}
    for name in ("decision_function", "vote_shares", "predict_proba"):
        if hasattr(model, name):
            found[name] = getattr(model, name)(items)
    return found


def path_of(name: str) -> Path:
    """File of a case."""
    return FOLDER / f"{name}.json"


def as_text(arrays: Arrays) -> str:
    """JSON with a line for each row, so that a commit shows which of them moved."""
    parts = []
    for name, array in arrays.items():
        values = rounded(array)
        text = json.dumps(values)
        if array.ndim > 1:
            text = "[\n  " + ",\n  ".join(json.dumps(row) for row in values) + "\n ]"
        parts.append(f" {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def rounded(array: np.ndarray) -> Any:
    """Lists of seven significant digits, or of labels and whole numbers as they are."""
    if array.dtype.kind != "f":
        return array.tolist()
    digits = [float(f"{number:.7g}") for number in array.ravel().tolist()]
    return np.reshape(digits, array.shape).tolist()


def differences(
    expected: dict[str, Any], arrays: Arrays, tolerance: float = TOLERANCE
) -> list[str]:
    """What is not as it was, a sentence for each array."""
    if set(expected) != set(arrays):
        return [f"holds {', '.join(sorted(arrays))}, not {', '.join(sorted(expected))}"]
    found = (difference(name, expected[name], arrays[name], tolerance) for name in arrays)
    return [sentence for sentence in found if sentence]


def difference(name: str, expected: Any, array: np.ndarray, tolerance: float) -> str | None:
    """What is not as it was in one array."""
    before = np.array(expected, dtype=array.dtype if array.dtype.kind in "fO" else None)
    if before.shape != array.shape:
        return f"{name} has shape {array.shape}, not {before.shape}"
    if array.dtype.kind != "f":
        wrong = np.flatnonzero(before != array)
        if len(wrong) == 0:
            return None
        first = int(wrong[0])
        return (
            f"{name} differs at {len(wrong)} of {array.size} places, first at {first}: "
            f"{array.ravel()[first]}, not {before.ravel()[first]}"
        )
    scale = np.abs(before).max(initial=0.0)
    # Written so that NaN is a difference.
    far = ~(np.abs(array - before) <= tolerance * scale)
    if not far.any():
        return None
    most = np.abs(array - before).max() / max(scale, np.finfo(float).tiny)
    return f"{name} differs at {far.sum()} of {array.size} places, by {most:.2g} of its scale"


def moved(name: str, arrays: Arrays, tolerance: float = TOLERANCE) -> list[str]:
    """What is not as the golden values of a case say."""
    if not path_of(name).exists():
        return ["has no golden values"]
    return differences(read(name), arrays, tolerance)


def read(name: str) -> dict[str, Any]:
    """Golden values of a case."""
    return json.loads(path_of(name).read_text(encoding="utf-8"))


def write(name: str, arrays: Arrays) -> None:
    """Make these the golden values of a case."""
    FOLDER.mkdir(exist_ok=True)
    path_of(name).write_text(as_text(arrays), encoding="utf-8")
