"""Images in a folder, and their classes."""

import hashlib
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from sfmcore.data.names import as_name
from sfmcore.data.words import counted_names
from sfmvision.images.errors import FolderError
from sfmvision.images.walking import Found, count, folder_error, skipped_words, walk

Key = TypeVar("Key", bound=Hashable)

_PARTS = frozenset(
    ["train", "training", "val", "valid", "validation", "dev", "test", "testing", "holdout"]
)
_YES = "or say --these-are-classes"


@dataclass(frozen=True)
class Folder:
    """The images below a folder, each labelled with the subfolder of it that it is in.

    Attributes
    ----------
    images : tuple of Path
        Class by class, and in each by name.
    labels : tuple of str
        The class of each image.
    skipped : dict of str to int
        Number of files that aren't images by their name, by suffix in lower case.
    hidden : int
        Number of hidden files and folders, such as ``.DS_Store``; a folder counts once.
    empty : tuple of str
        The classes without an image.
    unlabelled : int
        Number of images directly in the folder, which have no class and are left out.

    Examples
    --------
    >>> images = (Path("scenes/coast/a.jpg"), Path("scenes/street/b.jpg"))
    >>> folder = Folder(images, ("coast", "street"), {".txt": 3}, hidden=2, empty=("foo",))
    >>> folder.summary()
    '2 images of 2 classes: coast 1, street 1; skipped 3 .txt; 2 hidden; empty: foo'
    >>> folder.messages()
    ["class 'foo' has no image"]
    """

    images: tuple[Path, ...]
    labels: tuple[str, ...]
    skipped: dict[str, int] = field(default_factory=dict)
    hidden: int = 0
    empty: tuple[str, ...] = ()
    unlabelled: int = 0

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes that have an image, by name."""
        return tuple(dict.fromkeys(self.labels))

    def summary(self) -> str:
        """Say in one line what was found and what was left out."""
        images = count(len(self.images), "image", "images")
        names = counted_names(Counter(self.labels))
        parts = [f"{images} of {count(len(self.classes), 'class', 'classes')}: {names}"]
        if self.skipped:
            parts.append(skipped_words(self.skipped))
        if self.hidden:
            parts.append(f"{self.hidden} hidden")
        if self.unlabelled:
            parts.append(f"{count(self.unlabelled, 'image', 'images')} in no class")
        if self.empty:
            parts.append(f"empty: {', '.join(self.empty)}")
        return "; ".join(parts)

    def messages(self) -> list[str]:
        """Sentences for standard error: what is probably not as it was meant."""
        lines = [f"class {label!r} has no image" for label in self.empty]
        if self.unlabelled:
            images = count(self.unlabelled, "image lies", "images lie")
            lines.append(f"{images} outside the class folders and can't be used")
        return lines


def scan(root: str | os.PathLike[str], *, any_names: bool = False) -> Folder:
    """Find the images of a folder that has one subfolder for each class.

    Parameters
    ----------
    root : str or path-like
        A folder. Each folder in it is a class, whose images lie anywhere below it. Links are
        followed, but no folder is entered twice for one class.
    any_names : bool, default=False
        Take the folders for classes even if they look like the parts of a data set.

    Returns
    -------
    Folder
        Sorted by the bytes of the names, so the same on every machine.

    Raises
    ------
    FolderError
        If it doesn't exist, isn't a folder, holds no class or no image of a class, the name
        of a class is only spaces, those of two differ only in white space, a folder below it
        can't be read, or the folders look like parts of a data set: one is called "train" or
        "test", say, or all hold folders of the same names.

    Notes
    -----
    An image is known by its suffix (see `sfmvision.images.walking.IMAGE_SUFFIXES`). Hidden names
    are those that start with a dot, and what some systems add by themselves, such as ``__MACOSX``
    or ``Thumbs.db``. White space in a class's name becomes one space, as a table can't hold a tab.
    """
    base, top = Path(root), Found()
    try:
        class_folders = top.enter(base)
    except OSError as error:
        raise folder_error(root, error) from None
    if not class_folders:
        images = count(len(top.images), "image", "images")
        raise FolderError(
            str(root),
            f"no class folder, and {images} without a class: give a folder that holds one folder "
            "of images for each class",
        )

    if not any_names:
        _refuse_parts(base, class_folders)
    found = {folder: walk(folder, never=(base,)) for folder in class_folders}
    if unreadable := [path for each in found.values() for path in each.unreadable]:
        raise FolderError(str(unreadable[0]), "this folder can't be read")
    label_of = {folder: " ".join(folder.name.split()) for folder in class_folders}
    if nameless := [folder for folder, label in label_of.items() if not label]:
        raise FolderError(str(nameless[0]), "the name of a class can't be only spaces")
    folder_of: dict[str, Path] = {}
    for folder, label in label_of.items():
        if (other := folder_of.setdefault(label, folder)) is not folder:
            names = f"{other.name!r} and {folder.name!r}"
            raise FolderError(
                str(root), f"the class folders {names} differ only in white space: rename one"
            )
    skipped = sum((each.skipped for each in found.values()), top.skipped)
    if not any(each.images for each in found.values()):
        folders = count(len(class_folders), "class folder", "class folders")
        there = skipped_words(skipped) if skipped else "no other file"
        raise FolderError(str(root), f"no image in {folders}: {there}")
    return Folder(
        images=tuple(path for each in found.values() for path in each.images),
        labels=tuple(label_of[folder] for folder, each in found.items() for _ in each.images),
        skipped=dict(skipped),
        hidden=top.hidden + sum(each.hidden for each in found.values()),
        empty=tuple(label_of[folder] for folder, each in found.items() if not each.images),
        unlabelled=len(top.images),
    )


def _refuse_parts(base: Path, folders: Sequence[Path]) -> None:
    """Refuse folders that are parts of a data set, one level above its classes or beside them."""
    parts = [folder.name for folder in folders if folder.name.lower() in _PARTS]
    if parts:
        names = " and ".join(repr(name) for name in parts)
        advice = f"give one of them, such as {base / parts[0]}"
        if len(parts) < len(folders):
            advice = "move it elsewhere" if len(parts) == 1 else "move them elsewhere"
        verb = "looks like a part" if len(parts) == 1 else "look like parts"
        raise FolderError(str(base), f"{names} {verb} of a data set, not classes: {advice}, {_YES}")
    inside = [{child.name for child in _subfolders(folder)} for folder in folders]
    if len(folders) > 1 and len(inside[0]) > 1 and all(names == inside[0] for names in inside):
        names = ", ".join(map(repr, sorted(inside[0])[:4]))
        raise FolderError(
            str(base),
            f"all folders contain folders of the same names ({names}), which look like classes: "
            f"give one of them, such as {folders[0]}, {_YES}",
        )


def _subfolders(folder: Path) -> list[Path]:
    try:
        return [child for child in folder.iterdir() if child.is_dir()]
    except OSError:
        return []  # reading it will say so


def expand(
    paths: Iterable[str | os.PathLike[str]], notes: list[str] | None = None
) -> list[str | os.PathLike[str]]:
    """List the images that are meant: each path itself, or those below a folder.

    Parameters
    ----------
    paths : iterable of str or path-like
        Files, whatever their suffix, and folders.
    notes : list of str, optional
        Gets a sentence about what was left out of each folder.

    Returns
    -------
    list of str or path-like
        In the order of `paths`: files as they are given, those of a folder by name. What doesn't
        exist stays in the list, as does a folder without an image or that can't be read, so that
        it can get a status.
    """
    listed: list[str | os.PathLike[str]] = []
    for given in paths:
        # Not as a Path: that changes "./a.jpg", by which the user looks for the row, and takes an
        # empty name for the folder that one is in.
        if not os.path.isdir(given):
            listed.append(given)
            continue
        path = Path(given)
        found = walk(path)
        listed += found.images + found.unreadable or [path]
        left_out = [skipped_words(found.skipped)] if found.skipped else []
        left_out += [f"{found.hidden} hidden"] if found.hidden else []
        if left_out and notes is not None:
            notes.append(f"{path}: {'; '.join(left_out)}")
    return listed


def known_names(path: Path, root: str) -> list[str]:
    """Names by which a table may know an image, the best first.

    Parameters
    ----------
    path : Path
        Below the folder.
    root : str
        The folder as it was given.

    Examples
    --------
    >>> known_names(Path("coast/a.jpg"), "./scenes/")
    ['coast/a.jpg', 'scenes/coast/a.jpg', './coast/a.jpg', './scenes/coast/a.jpg']
    """
    # `find` begins with a dot, or with the folder as it is given.
    names = str(path), str(Path(root, path)), f"./{path}", os.path.join(root, path)
    return list(dict.fromkeys(map(as_name, names)))


def duplicates(folder: Folder) -> list[tuple[Path, ...]]:
    """Find images of the same bytes that have different labels.

    Parameters
    ----------
    folder : Folder

    Returns
    -------
    list of tuple of Path
        Each tuple holds all images of the same bytes. Files that are empty or can't be read are
        left out.
    """
    labels = dict(zip(folder.images, folder.labels, strict=True))
    # Sizes first, so that few files have to be read.
    same_size = _contradictions(folder.images, os.path.getsize, labels)
    return [
        tuple(group)
        for size, paths in same_size.items()
        if size
        for group in _contradictions(paths, _digest, labels).values()
    ]


def _contradictions(
    paths: Iterable[Path], key: Callable[[Path], Key], labels: dict[Path, str]
) -> dict[Key, list[Path]]:
    """Group paths by a key, and keep the groups of more than one label."""
    groups: defaultdict[Key, list[Path]] = defaultdict(list)
    for path in paths:
        try:
            groups[key(path)].append(path)
        except OSError:
            continue  # reading it will say so
    return {
        same: group for same, group in groups.items() if len({labels[path] for path in group}) > 1
    }


def _digest(path: Path) -> bytes:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").digest()
