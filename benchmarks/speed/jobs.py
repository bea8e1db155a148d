"""Whole jobs: training and prediction of proteins, training of scenes.

Each call is a process of its own, start-up included, on one thread; peak memory is in the JSON
file. No peer does the same job.

    python -m benchmarks.speed.jobs [--json FILE]
"""

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import data_folder
from benchmarks.speed.case import Case, Disagreement, Prepared, Skipped
from benchmarks.speed.processes import run_job
from benchmarks.speed.running import main

N_IMAGES = 100
_ONE_THREAD = ["--threads", "1"]


@cache
def _scratch() -> TemporaryDirectory[str]:
    """A folder that goes when the process does."""
    return TemporaryDirectory()


def four_classes() -> Path:
    """Folder of the four classes of proteins."""
    folder = (data_folder() / "proteins" / "four_class").resolve()
    if not any(folder.glob("*.fasta")):
        raise Skipped(f"no data at {folder}: SFM_DATA names the folder of proteins/four_class")
    return folder


def scenes() -> Path:
    """Folder of the eight classes of scenes."""
    folder = (data_folder() / "scenes").resolve()
    if not any(folder.glob("*/*.jpg")):
        raise Skipped(f"no data at {folder}: SFM_DATA names the folder of scenes")
    return folder


@cache
def trained_model(source: Path) -> Path:
    """Model file of the default settings, trained once."""
    model = Path(_scratch().name, "proteins.sfm")
    run_job("sfmbio", ["train", str(source), "-o", str(model), *_ONE_THREAD], {})
    return model


def first_images(source: Path, n_images: int) -> Path:
    """The first images of every class, as a folder of links."""
    folder = Path(_scratch().name, f"scenes_{n_images}")
    for images in sorted(path for path in source.iterdir() if path.is_dir()):
        chosen = sorted(images.glob("*.jpg"))[:n_images]
        own = folder / images.name
        own.mkdir(parents=True, exist_ok=True)
        for image in chosen:
            link = own / image.name
            if not link.exists():
                link.symlink_to(image)
    return folder


def count_records(fasta: Path) -> int:
    """Number of headers."""
    with fasta.open() as lines:
        return sum(line.startswith(">") for line in lines)


def protein_training(source: Callable[[], Path]) -> Prepared:
    """``sfmbio train`` on a folder of one FASTA file a class."""
    details: dict[str, Any] = {}
    arguments = ["train", str(source()), "-o", str(Path(_scratch().name, "timed.sfm"))]
    return Prepared(
        lambda: run_job("sfmbio", [*arguments, *_ONE_THREAD], details),
        "s for one run, start-up included",
        details=details,
    )


def protein_prediction(source: Callable[[], Path]) -> Prepared:
    """``sfmbio predict`` of the same sequences."""
    details: dict[str, Any] = {}
    folder = source()
    model, tsv = trained_model(folder), Path(_scratch().name, "proteins.tsv")
    n_records = sum(map(count_records, folder.glob("*.fasta")))
    details["n_records"] = n_records

    def ours() -> None:
        arguments = ["predict", str(model), str(folder), "-o", str(tsv), *_ONE_THREAD]
        run_job("sfmbio", arguments, details)
        with tsv.open() as rows:
            if sum(1 for _ in rows) != n_records + 1:
                raise Disagreement(f"{n_records} records did not give {n_records} rows")

    return Prepared(ours, "s for one run, start-up included", details=details)


def scene_training(source: Callable[[], Path], n_images: int) -> Prepared:
    """``sfmvision train`` on so many images of every class."""
    folder = first_images(source(), n_images)
    details: dict[str, Any] = {"n_images": sum(1 for _ in folder.glob("*/*.jpg"))}
    model = Path(_scratch().name, "scenes.sfm")
    return Prepared(
        lambda: run_job(
            "sfmvision", ["train", str(folder), "-o", str(model), *_ONE_THREAD], details
        ),
        "s for one run, start-up included",
        details=details,
    )


def cases(
    proteins: Callable[[], Path] = four_classes,
    images: Callable[[], Path] = scenes,
    n_images: int = N_IMAGES,
) -> list[Case]:
    """All cases.

    Parameters
    ----------
    proteins, images : callable
        Give the folder, or raise Skipped.
    n_images : int
        Of each class.
    """
    return [
        Case("sfmbio train, four classes", partial(protein_training, proteins)),
        Case("sfmbio predict, four classes", partial(protein_prediction, proteins)),
        Case(
            f"sfmvision train, {n_images} images a class",
            partial(scene_training, images, n_images),
        ),
    ]


if __name__ == "__main__":
    main(cases(), __doc__)
