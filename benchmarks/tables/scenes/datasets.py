"""The eight scene classes, as paths of images."""

import numpy as np

from benchmarks import data_folder
from benchmarks.tables.dataset import Dataset
from sfmvision.images.folders import scan

NAMES = ("scenes",)


def load(name: str) -> Dataset:
    """Find the images of the eight classes.

    Parameters
    ----------
    name : {"scenes"}

    Returns
    -------
    Dataset
        Its items are paths, as strings.

    Raises
    ------
    ValueError
        If there is no such data set, or an image can't be used.
    FolderError
        If the folder is missing.
    """
    if name not in NAMES:
        raise ValueError(f"there is no data set {name!r}, only {', '.join(NAMES)}")
    folder = scan(data_folder() / "scenes")
    paths = np.array([str(path) for path in folder.images])
    source = "eight scene categories of Oliva and Torralba, 2,688 images of 256 x 256"
    return Dataset(name, paths, np.array(folder.labels), source)
