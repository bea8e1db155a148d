"""Explaining a stream of images: a row for every patch, and pictures, in bounded memory."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TextIO

import numpy as np
import numpy.typing as npt

from sfmcore.commandline.output import one_line
from sfmcore.explaining.explanation import Explanation
from sfmvision.classifier import SceneClassifier
from sfmvision.descriptors.batch import ImageBatch, Source, reduced
from sfmvision.descriptors.encoding import TOO_SMALL, sources_of
from sfmvision.explaining.overlay import evidence_map, overlay, write_png
from sfmvision.explaining.page import Page
from sfmvision.explaining.patches import KINDS, Patches
from sfmvision.explaining.pictured import PictureReasons, picture_reasons
from sfmvision.images.errors import ImageError
from sfmvision.images.reading import read_content, read_image

COLUMNS = (
    "id", "patch", "row", "column", "side", "kind", "evidence", *KINDS, "label", "runner_up",
    "status",
)  # fmt: skip
"""Columns of the table of patches. Rows of patch 0 are terms that belong to no patch."""
_CHUNK = 8


def write_reasons(
    classifier: SceneClassifier,
    paths: Iterable[str | os.PathLike[str]],
    out: TextIO,
    problems: list[str],
    *,
    folder: str | None = None,
    page: Page | None = None,
) -> int:
    """Write a row for every patch of every image, in the order they come.

    Parameters
    ----------
    classifier : SceneClassifier
        Fitted.
    paths : iterable of str or path-like
        Those that can't be used get a row with their status.
    out : text file
    problems : list of str
        Gets a sentence for each image without reasons.
    folder : str, optional
        Where pictures go, named by the image's place and name.
    page : Page, optional
        Shows the first images.

    Returns
    -------
    int
        Number of images.
    """
    out.write("\t".join(COLUMNS) + "\n")
    n_images = 0
    iterator = iter(paths)
    while chunk := [os.fspath(path) for path in islice(iterator, _CHUNK)]:
        shows = page is not None and not page.is_full
        for one in _explained(classifier, chunk, folder is not None, shows):
            n_images += 1
            out.write(one.rows)
            if one.problem:
                problems.append(one.problem)
            if folder is not None and one.overlay is not None:
                name = f"{n_images:04d}_{Path(one_line(one.path)).stem}.png"
                write_png(Path(folder, name), one.overlay)
            if page is not None:
                _show(page, one)
    return n_images


@dataclass(frozen=True)
class _Explained:
    """What is written of an image; `status` is empty where it has reasons."""

    path: str
    rows: str
    status: str = ""
    problem: str = ""
    pixels: npt.NDArray[np.generic] | None = None
    overlay: npt.NDArray[np.uint8] | None = None
    reasons: PictureReasons | None = None


def _show(page: Page, one: _Explained) -> None:
    if one.status:
        page.leave_out(one_line(one.path), one.status)
    elif one.reasons is None or one.pixels is None:
        page.count()
    else:
        page.add(one.path, one.pixels, one.reasons)


def _explained(
    classifier: SceneClassifier, paths: list[str], draws: bool, shows: bool
) -> Iterator[_Explained]:
    """What is written of every image, with its overlay if it is drawn, and reasons if shown."""
    describer = classifier.preparation.describer(len(paths))
    made = list(sources_of(paths, describer, n_threads=1))
    usable = [one for one in made if isinstance(one, Source) and one.n_patches > 0]
    place = 0
    if usable:
        found, where = classifier.explain_patches(ImageBatch(tuple(usable), describer))
    for path, one in zip(paths, made, strict=True):
        name = one_line(path)
        if isinstance(one, ImageError):
            problem = str(ImageError(path, one.reason))
            yield _Explained(path, _unusable(name, one.reason), one.reason, problem)
            continue
        if one.n_patches == 0:
            problem = f"{path}: {TOO_SMALL}"
            yield _Explained(path, _unusable(name, TOO_SMALL), TOO_SMALL, problem)
            continue
        pixels, drawn, reasons, patches = None, None, None, where[place]
        if draws or shows:
            pixels = read_image(
                read_content(path),
                allow_truncated=describer.allow_truncated,
                max_pixels=describer.max_pixels,
            )
            pixels = reduced(pixels, describer.max_side)
        if draws and pixels is not None:
            own = found.evidence[found.offsets[place] : found.offsets[place + 1]]
            drawn = overlay(pixels, evidence_map(patches, own))
        if shows and pixels is not None:
            reasons = picture_reasons(place, found, place, patches, pixels)
        rows = _rows(name, found, place, patches)
        yield _Explained(path, rows, pixels=pixels, overlay=drawn, reasons=reasons)
        place += 1


def _rows(name: str, found: Explanation, place: int, patches: Patches) -> str:
    """Rows of an image's terms and patches."""
    own = slice(found.offsets[place], found.offsets[place + 1])
    label, runner_up = (one_line(str(names[place])) for names in (found.label, found.runner_up))
    end = f"\t{label}\t{runner_up}\tok\n"
    terms = {term: values[place] for term, values in found.terms.items()}
    terms |= {"baseline": found.baseline[place], "remainder": found.remainder[place]}
    none = "\t" * len(KINDS)
    rows = [f"{name}\t0\t\t\t\t{term}\t{value:.9f}{none}{end}" for term, value in terms.items()]
    numbers = zip(
        patches.centres.tolist(),
        patches.sides.tolist(),
        patches.is_colour.tolist(),
        found.evidence[own].tolist(),
        *(found.kinds[kind][own].tolist() for kind in KINDS),
        strict=True,
    )
    for number, ((row, column), side, is_colour, evidence, *kinds) in enumerate(numbers, 1):
        shown = "".join(f"\t{value:.6f}" for value in kinds)
        what = "colour" if is_colour else "descriptor"
        rows.append(
            f"{name}\t{number}\t{row:.1f}\t{column:.1f}\t{side:.0f}\t{what}\t{evidence:.9f}"
            f"{shown}{end}"
        )
    return "".join(rows)


def _unusable(name: str, status: str) -> str:
    """Row of an image that can't be used."""
    return name + "\t" * COLUMNS.index("status") + one_line(status) + "\n"
