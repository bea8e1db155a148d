"""Walking through folders: images, hidden names and the rest, in the same order everywhere."""

import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from sfmvision.images.errors import FolderError

IMAGE_SUFFIXES = frozenset(
    (
        *(".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".apng", ".gif", ".webp", ".tif", ".tiff"),
        *(".bmp", ".dib", ".avif", ".jp2", ".j2k", ".hdr", ".pic", ".ras", ".sr"),
        *(".pbm", ".pgm", ".ppm", ".pnm", ".pfm"),
    )
)
"""Suffixes of image files, in any case; the content is checked in reading."""

# What systems add by themselves; names that start with a dot are hidden too.
_HIDDEN = frozenset(
    ("__macosx", "@eadir", "$recycle.bin", "thumbs.db", "ehthumbs.db", "desktop.ini")
)
_MAX_LISTED = 8


@dataclass
class Found:
    """Entries found on a walk.

    Attributes
    ----------
    images : list of Path
    skipped : Counter of str
        Number of other files, by suffix in lower case.
    hidden : int
        Number of hidden files and folders; a folder counts once.
    unreadable : list of Path
        Folders that can't be read.
    """

    images: list[Path] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    hidden: int = 0
    unreadable: list[Path] = field(default_factory=list)

    def enter(self, folder: Path) -> list[Path]:
        """Take in what lies directly in a folder, and give its subfolders by name."""
        subfolders = []
        with os.scandir(folder) as entries:
            names = sorted((entry.name for entry in entries), key=os.fsencode)
        for path in (folder / name for name in names):
            suffix = " ".join(path.suffix.lower().split())
            if path.name.startswith(".") or path.name.lower() in _HIDDEN:
                self.hidden += 1
            elif os.path.isdir(path):
                subfolders.append(path)
            # A broken link stays, to be reported when it is read; a pipe or a device doesn't.
            elif suffix in IMAGE_SUFFIXES and (os.path.isfile(path) or not os.path.exists(path)):
                self.images.append(path)
            else:
                self.skipped[suffix] += 1
        return subfolders


def walk(top: Path, never: tuple[Path, ...] = ()) -> Found:
    """Find the images anywhere below a folder.

    Parameters
    ----------
    top : Path
    never : tuple of Path
        Folders that aren't entered, wherever a link leads.

    Returns
    -------
    Found
        The images sorted by the bytes of their names, folder by folder. Links are followed, but
        no folder is entered twice.
    """
    found = Found()
    entered = {_identity(path) for path in never}
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        try:
            identity = _identity(folder)
            if identity not in entered:
                entered.add(identity)
                waiting += reversed(found.enter(folder))
        except OSError:
            found.unreadable.append(folder)
    found.images.sort(key=lambda path: [os.fsencode(part) for part in path.parts])
    return found


def _identity(folder: Path) -> tuple[int, int]:
    status = os.stat(folder)
    return status.st_dev, status.st_ino


def folder_error(folder: str | os.PathLike[str], error: OSError) -> FolderError:
    """Say why a folder can't be listed."""
    if isinstance(error, FileNotFoundError):
        return FolderError(str(folder), "no such folder")
    if isinstance(error, NotADirectoryError):
        return FolderError(str(folder), "not a folder")
    return FolderError(str(folder), f"can't be read: {error.strerror or error}")


def skipped_words(skipped: dict[str, int]) -> str:
    """Say how many files were skipped, the commonest suffixes first.

    Examples
    --------
    >>> skipped_words({"": 1, ".db": 1, ".txt": 3})
    'skipped 3 .txt, 1 .db, 1 without suffix'
    """
    order = sorted(skipped.items(), key=lambda item: (not item[0], -item[1], item[0]))
    words = [f"{count} {suffix or 'without suffix'}" for suffix, count in order[:_MAX_LISTED]]
    if rest := sum(count for _, count in order[_MAX_LISTED:]):
        words.append(f"{rest} others")
    return f"skipped {', '.join(words)}"


def count(number: int, one: str, many: str) -> str:
    """Count things in words.

    Examples
    --------
    >>> count(1, "class", "classes"), count(2, "class", "classes")
    ('1 class', '2 classes')
    """
    return f"{number} {one if number == 1 else many}"
