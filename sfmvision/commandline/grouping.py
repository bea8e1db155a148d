"""Groups that are kept together, as ``--group-by`` and ``--groups`` name them."""

import argparse

from sfmcore.files.groups import groups_in
from sfmcore.files.id_table import IdTable
from sfmvision.commandline.labelled import Images
from sfmvision.images.folders import Folder, known_names

IDS = ("path", "id")
"""Names of the column of a table of groups that names images."""


def groups_of_table(
    options: argparse.Namespace, folder: Folder, table: IdTable | None
) -> list[str] | None:
    """Group of every image of the folder by the table: before any is described, which is long.

    Parameters
    ----------
    options : argparse.Namespace
    folder : Folder
    table : IdTable or None
        That of ``--groups``; without it there are no such groups.

    Raises
    ------
    InputError
        If an image has no group.
    """
    if table is None:
        return None
    given = options.folder
    names = (known_names(path.relative_to(given), given) for path in folder.images)
    return groups_in(table, names)


def groups_of_usable(
    options: argparse.Namespace, images: Images, grouped: list[str] | None
) -> list[str] | None:
    """Group of every usable image, by the table or by ``--group-by``; None where there are none.

    Parameters
    ----------
    options : argparse.Namespace
    images : Images
    grouped : list of str or None
        Those that :func:`groups_of_table` found.
    """
    if grouped is not None:
        return [grouped[place] for place in images.kept]
    if options.group_by == "content":
        return [source.digest for source in images.batch.sources]
    return None
