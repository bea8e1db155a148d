"""A folder that keeps results of tasks, so that a run that was killed goes on where it was.

``checkpoint.json`` says what the run is of: its settings, a digest of its data, and the packages
that results depend on. Every result is a file of its own, a container
(:mod:`sfmcore.files.container`) that names its task and the digest of ``checkpoint.json``. All are
written to a temporary name and renamed, so a result is whole or not there.
"""

import fcntl
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sfmcore.data.errors import UserError
from sfmcore.files.atomic import atomic_write, check_writable
from sfmcore.files.container import ContainerError, pack, unpack
from sfmcore.files.digests import digest_of
from sfmcore.files.model_file import packages_in_use
from sfmcore.files.objects import put_together, taken_apart

_FORMAT = "sfm-pacbayes checkpoint"
_VERSION = 1
_MANIFEST = "checkpoint.json"
_LOCK = "in-use"
_RESULTS = "results"
_NAME = re.compile(r"[a-z0-9]+(?: [a-z0-9]+)*")
# What put_together raises on a sound container of something else.
_UNREADABLE = (AttributeError, LookupError, TypeError, ValueError)


@contextmanager
def checkpoint(
    folder: str | os.PathLike[str],
    settings: Mapping[str, Any],
    data: Any,
    complain: Callable[[str], None] = lambda sentence: None,
) -> Iterator["Checkpoint"]:
    """Open a folder of results, or begin one, for the time of a block.

    Parameters
    ----------
    folder : str or path-like
        Made if it is not there.
    settings : mapping of str to object
        Dependencies of the results other than the data; compared by `repr`.
    data : object
        What is learnt from, as for :func:`sfmcore.files.digests.digest_of`.
    complain : callable, optional
        Takes a sentence about each result that is damaged, and so made again.

    Raises
    ------
    UserError
        If the folder can't be written, is in use, or holds results of other data or settings, or
        something else.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with checkpoint(folder, {"states": 5}, [1, 2]) as store:
    ...         store.put("half 0", (0.5, [1, 2]))
    ...     with checkpoint(folder, {"states": 5}, [1, 2]) as store:
    ...         store.get("half 0")
    (True, (0.5, [1, 2]))
    """
    root = Path(folder)
    about = {
        "format": _FORMAT,
        "version": _VERSION,
        "settings": {name: repr(value) for name, value in sorted(settings.items())},
        "data": digest_of(data),
        "packages": packages_in_use(),
    }
    with _errors_of(root):
        (root / _RESULTS).mkdir(parents=True, exist_ok=True)
        lock = os.open(root / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        try:
            # It ends with the process, however that ends.
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(f"checkpoint {root}: another run is using it") from None
        except OSError:
            pass  # some file systems know no locks
        _agree(root, about, complain)
        yield Checkpoint(root, digest_of(about), complain)
    finally:
        os.close(lock)


def check_folder(folder: str | os.PathLike[str]) -> None:
    """Raise the error that :func:`checkpoint` would, before any work goes into its data.

    Parameters
    ----------
    folder : str or path-like

    Raises
    ------
    UserError
        If the folder can't be made or written.
    """
    root = Path(folder)
    if not os.fspath(folder):
        raise UserError("checkpoint: an empty name")
    with _errors_of(root):
        (root / _RESULTS).mkdir(parents=True, exist_ok=True)
        check_writable(root / _MANIFEST)


class Checkpoint:
    """Results of tasks in a folder, by name.

    Parameters
    ----------
    folder : Path
    digest : str
        Of what the run is of; a file of another is none of its results.
    complain : callable
        Takes a sentence about each result that is damaged, and so made again.
    """

    def __init__(self, folder: Path, digest: str, complain: Callable[[str], None]) -> None:
        self._folder, self._digest, self._complain = folder, digest, complain
        self._asked: set[str] = set()
        self._above = ""

    def path(self, name: str) -> Path:
        """File of a result.

        Raises
        ------
        ValueError
            If the name is not one or more words of lower-case letters and digits.
        """
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no name for a task")
        return self._folder / _RESULTS / (self._above + name).replace(" ", "-").replace("/", ".")

    def get(self, name: str) -> tuple[bool, Any]:
        """Whether there is a result of that name, and the result; a damaged one is none.

        Raises
        ------
        ValueError
            If it is asked for again: a second fit would get the results of the first.
        """
        path = self.path(name)
        if name in self._asked:
            raise ValueError(
                f"checkpoint {self._folder}: it already has a result of {name!r}: a second fit "
                "needs another folder"
            )
        self._asked.add(name)
        try:
            header, arrays = unpack(path.read_bytes())
            if header.get("task") != [self._digest, self._above + name]:
                raise ContainerError("is the result of another task")
            return True, put_together(header["result"], arrays)
        except FileNotFoundError:
            return False, None
        except (ContainerError, OSError, *_UNREADABLE) as error:
            why = (error.strerror or error) if isinstance(error, OSError) else error
            if isinstance(error, _UNREADABLE):
                why = f"can't be read: {error}"
            self._complain(f"warning: {path} {why}; its task will be repeated")
            return False, None

    def put(self, name: str, result: Any) -> None:
        """Keep a result, and none of the parts that it was made of.

        Raises
        ------
        UserError
            If it can't be written; what was kept before is not touched.
        """
        plain, arrays = taken_apart(result)
        header = {"task": [self._digest, self._above + name], "result": plain}
        packed, path = pack(header, arrays), self.path(name)
        with _errors_of(self._folder), atomic_write(path) as file:
            file.write(packed)
        for part in path.parent.glob(f"{path.name}.*"):
            with suppress(OSError):  # it is of no more use, and does no harm
                part.unlink()

    def within(self, name: str) -> "Checkpoint":
        """Place for the parts of a task until its own result is stored."""
        inner = Checkpoint(self._folder, self._digest, self._complain)
        inner._above = f"{self._above}{name}/"
        return inner


def _agree(root: Path, about: Mapping[str, Any], complain: Callable[[str], None]) -> None:
    """See that a folder is of this run; write what it is of if it is new."""
    path = root / _MANIFEST
    try:
        found = json.loads(path.read_bytes())
        if found == about:
            return
        if not isinstance(found, dict) or found.get("format") != _FORMAT:
            raise ValueError("not a checkpoint")
    except FileNotFoundError:
        _refuse_strangers(root)
    except OSError as error:
        raise _unusable(root, error) from error
    except ValueError:
        # Every result says what it is of: those of another run will not be taken.
        complain(f"warning: {path} is damaged; writing it again")
    else:
        raise UserError(f"checkpoint {root}: {_difference(found, about)}: give another folder")
    with _errors_of(root), atomic_write(path, "w") as file:
        json.dump(about, file, indent=1, sort_keys=True)


def _refuse_strangers(root: Path) -> None:
    """Refuse a folder in which something else is."""
    own = {_LOCK, _RESULTS, _MANIFEST}
    # A folder may be that of a cache, which the run has just made.
    names = [entry.name for entry in os.scandir(root) if entry.is_file()]
    others = sorted(name for name in names if name not in own and not name.startswith("."))
    if others:
        raise UserError(
            f"checkpoint {root}: not a checkpoint, and contains {others[0]!r}: give an empty folder"
        )


def _difference(found: Mapping[str, Any], about: Mapping[str, Any]) -> str:
    """Difference between the run that started a folder and this one."""
    if found.get("version") != about["version"]:
        return "was started by another version of sfm-pacbayes"
    for part in ("settings", "packages"):
        old = found.get(part)
        if not isinstance(old, dict):
            continue
        for name in sorted(about[part].keys() | old.keys()):
            before, now = old.get(name), about[part].get(name)
            if before != now:
                return (
                    f"was started with {name} = {before or 'unset'}, which is now {now or 'unset'}"
                )
    return "was started with other data"


@contextmanager
def _errors_of(root: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _unusable(root, error) from error


def _unusable(root: Path, error: OSError) -> UserError:
    return UserError(
        f"checkpoint {root}: {error.strerror or error}; its content is kept, and the same "
        "command continues from there"
    )
