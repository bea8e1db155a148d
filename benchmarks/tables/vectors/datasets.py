"""The eight UCI data sets of the paper, read from the files as UCI offers them."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks import data_folder
from benchmarks.tables.dataset import Dataset

Cells = npt.NDArray[np.str_]

CANCER = (
    "clump thickness",
    "uniformity of cell size",
    "uniformity of cell shape",
    "marginal adhesion",
    "single epithelial cell size",
    "bare nuclei",
    "bland chromatin",
    "normal nucleoli",
    "mitoses",
)
WINE = (
    "alcohol",
    "malic acid",
    "ash",
    "alcalinity of ash",
    "magnesium",
    "total phenols",
    "flavanoids",
    "nonflavanoid phenols",
    "proanthocyanins",
    "color intensity",
    "hue",
    "OD280/OD315",
    "proline",
)
STEEL = (
    *("X_Minimum", "X_Maximum", "Y_Minimum", "Y_Maximum", "Pixels_Areas"),
    *("X_Perimeter", "Y_Perimeter", "Sum_of_Luminosity", "Minimum_of_Luminosity"),
    *("Maximum_of_Luminosity", "Length_of_Conveyer", "TypeOfSteel_A300", "TypeOfSteel_A400"),
    *("Steel_Plate_Thickness", "Edges_Index", "Empty_Index", "Square_Index", "Outside_X_Index"),
    *("Edges_X_Index", "Edges_Y_Index", "Outside_Global_Index", "LogOfAreas", "Log_X_Index"),
    *("Log_Y_Index", "Orientation_Index", "Luminosity_Index", "SigmoidOfAreas"),
)
FAULTS = ("Pastry", "Z_Scratch", "K_Scatch", "Stains", "Dirtiness", "Bumps", "Other_Faults")


def load(name: str) -> Dataset:
    """Read a data set by the paper's name for it, in lower case.

    Rows stay in the file's order, which is by class in most of them.

    Parameters
    ----------
    name : {"cancer", "tissue", "wine", "sonar", "credit", "spheart", "libras", "steel"}

    Returns
    -------
    Dataset

    Raises
    ------
    ValueError
        If there is no such data set.
    OSError
        If its file is missing.
    """
    if name not in _READERS:
        raise ValueError(f"there is no data set {name!r}, only {', '.join(_READERS)}")
    return _READERS[name]()


def _cells(file: str, separator: str | None = ",") -> Cells:
    """Every cell of a file, as text without blanks around it."""
    path: Path = data_folder() / "uci" / file
    rows = [line.split(separator) for line in path.read_text("ascii").splitlines() if line]
    return np.char.strip(np.array(rows))


def _cancer() -> Dataset:
    cells = _cells("breast-cancer-wisconsin.data")
    complete = cells[(cells != "?").all(axis=1)]
    source = (
        "Breast Cancer Wisconsin (Original), breast-cancer-wisconsin.data: the "
        f"{len(complete)} complete rows; {len(cells) - len(complete)} rows that miss the bare "
        "nuclei (column 7) and the ids are left out"
    )
    X = complete[:, 1:-1].astype(np.float64)
    return Dataset("cancer", X, complete[:, -1], source, CANCER)


def _tissue() -> Dataset:
    header, *rows = _cells("breasttissue.csv")
    cells = np.array(rows)
    source = "Breast Tissue, breasttissue.csv: the case numbers are left out"
    names = tuple(header[2:].tolist())
    return Dataset("tissue", cells[:, 2:].astype(np.float64), cells[:, 1], source, names)


def _wine() -> Dataset:
    cells = _cells("wine.data")
    X = cells[:, 1:].astype(np.float64)
    return Dataset("wine", X, cells[:, 0], "Wine, wine.data", WINE)


def _sonar() -> Dataset:
    cells = _cells("sonar.all-data")
    names = tuple(f"band {number}" for number in range(1, 61))
    source = "Connectionist Bench (Sonar, Mines vs. Rocks), sonar.all-data"
    return Dataset("sonar", cells[:, :-1].astype(np.float64), cells[:, -1], source, names)


def _credit() -> Dataset:
    cells = _cells("australian.dat", None)
    names = tuple(f"A{number}" for number in range(1, 15))
    source = "Statlog (Australian Credit Approval), australian.dat"
    # A4, A5, A6 and A12; A1, A8, A9 and A11 are binary and need no code.
    categorical = (3, 4, 5, 11)
    X = cells[:, :-1].astype(np.float64)
    return Dataset("credit", X, cells[:, -1], source, names, categorical)


def _spheart() -> Dataset:
    cells = np.concatenate([_cells("spectf.train"), _cells("spectf.test")])
    names = tuple(f"F{region}{state}" for region in range(1, 23) for state in "RS")
    source = "SPECTF Heart, spectf.train and spectf.test in one"
    return Dataset("spheart", cells[:, 1:].astype(np.float64), cells[:, 0], source, names)


def _libras() -> Dataset:
    cells = _cells("movement_libras.data")
    names = tuple(f"{axis}{point}" for point in range(1, 46) for axis in "xy")
    source = "Libras Movement, movement_libras.data: 30 rows repeat an earlier one and stay"
    return Dataset("libras", cells[:, :-1].astype(np.float64), cells[:, -1], source, names)


def _steel() -> Dataset:
    cells = _cells("faults.nna", None).astype(np.float64)
    y = np.array(FAULTS)[cells[:, 27:].argmax(axis=1)]
    return Dataset("steel", cells[:, :27], y, "Steel Plates Faults, faults.nna", STEEL)


# In the order of the paper's table.
_READERS: dict[str, Callable[[], Dataset]] = {
    "cancer": _cancer,
    "tissue": _tissue,
    "wine": _wine,
    "sonar": _sonar,
    "credit": _credit,
    "spheart": _spheart,
    "libras": _libras,
    "steel": _steel,
}
NAMES = tuple(_READERS)
