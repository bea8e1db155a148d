"""Output files that are either whole or not there."""

import errno
import fcntl
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any, BinaryIO, Literal, TextIO, overload

_DESCRIPTOR = re.compile(r"/dev/(stdout)|/dev/(stderr)|(?:/dev|/proc/self)/fd/(\d+)")
_HIDDEN_END = re.compile(r"[0-9a-f]{16}\.tmp")


@overload
def atomic_write(
    path: str | os.PathLike[str], mode: Literal["wb"] = "wb", *, sync: bool = True
) -> AbstractContextManager[BinaryIO]: ...


@overload
def atomic_write(
    path: str | os.PathLike[str], mode: Literal["w"], *, errors: str = "strict", sync: bool = True
) -> AbstractContextManager[TextIO]: ...


@contextmanager
def atomic_write(
    path: str | os.PathLike[str], mode: str = "wb", *, errors: str = "strict", sync: bool = True
) -> Iterator[Any]:
    r"""Open a file for writing that takes its name only once it is complete.

    The bytes go to a hidden file in the same folder, which replaces `path` when the block ends.
    If the block raises, or is interrupted, the hidden file is removed and `path` stays as it was.

    A symbolic link is followed. A new file has the permissions the umask allows; an old one
    keeps its own. A device, a named pipe or an open descriptor (``/dev/stdout``, ``/dev/fd/3``)
    has no name worth replacing and is written directly.

    Parameters
    ----------
    path : str or path-like
        The file to write.
    mode : {"wb", "w"}
        Bytes, or text in UTF-8 with lines that end as they are given.
    errors : str, default "strict"
        What to do with text that UTF-8 cannot hold, as in `open`.
    sync : bool, default True
        Whether to wait until the bytes are on the disk. Without it a power failure may leave a file
        of the new name whose bytes are lost: for what can be made again, and is checked when read.

    Yields
    ------
    file object
        Open for writing. It is closed at the end of the block.

    Raises
    ------
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "labels.tsv")
    ...     with atomic_write(path, "w") as file:
    ...         _ = file.write("id\tlabel\n")
    ...         seen_inside = path.exists()
    ...     seen_inside, path.read_text()
    (False, 'id\tlabel\n')
    """
    if mode not in ("wb", "w"):
        raise ValueError(f"mode must be 'wb' or 'w', not {mode!r}")
    text = {"encoding": "utf-8", "errors": errors, "newline": "\n"} if mode == "w" else {}
    name = os.fspath(path)
    direct, old = _open_if_special(name)
    if direct is not None:
        with _errors_of(name), open(direct, mode, **text) as file:  # type: ignore[call-overload]
            yield file
        return
    # Resolved now, so that a change of folder inside the block does not move the file.
    folder, base = os.path.split(os.path.realpath(name))
    target = os.path.join(folder, base)
    _remove_abandoned(folder, base)
    hidden = os.path.join(folder, f"{_hidden_start(base)}{secrets.token_hex(8)}.tmp")
    try:
        with (
            _errors_of(name, hidden),
            open(_create(hidden, old), mode, **text) as file,  # type: ignore[call-overload]
        ):
            yield file
            file.flush()
            if sync:
                os.fsync(file.fileno())
            # Before the file is closed, which gives up its lock.
            os.replace(hidden, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(hidden)
        raise


@contextmanager
def _errors_of(name: str, hidden: str | None = None) -> Iterator[None]:
    """Name the user's file in errors that name none, or the hidden one."""
    try:
        yield
    except OSError as error:
        if error.filename in (None, hidden):
            error.filename = name
        raise


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise the error that :func:`atomic_write` would, before any work goes into the content.

    Nothing is created or opened, so a folder that fills up meanwhile is not foreseen.

    Parameters
    ----------
    path : str or path-like
        The file that is to be written.

    Raises
    ------
    OSError
        With `path` as its file name.

    Examples
    --------
    >>> check_writable("no/such/folder/a.model")
    Traceback (most recent call last):
    ...
    FileNotFoundError: [Errno 2] No such file or directory: 'no/such/folder/a.model'
    """
    name = os.fspath(path)
    number = None
    # A name that is too long or a loop of links: `exists` and its kin only say no.
    with suppress(FileNotFoundError):
        os.stat(name)
    if os.path.isdir(name) or not os.path.basename(name):
        number = errno.EISDIR
    elif not os.path.exists(name) or os.path.isfile(name):
        if os.path.isfile(name) and not os.access(name, os.W_OK):
            number = errno.EACCES
        folder = os.path.dirname(os.path.realpath(name))
        if not os.path.isdir(folder):
            number = errno.ENOENT
        elif not os.access(folder, os.W_OK):
            number = errno.EACCES
    if number is not None:
        raise OSError(number, os.strerror(number), name)


def _open_if_special(name: str) -> tuple[str | int | None, int | None]:
    """Path to open directly, if any, and the permissions of an old file, if there is one."""
    descriptor = _DESCRIPTOR.fullmatch(name)
    if descriptor:
        # Opening the name would empty a file that the shell opened with ">>"; a copy does not.
        out, err, number = descriptor.groups()
        return os.dup(1 if out else 2 if err else int(number)), None
    try:
        status = os.stat(name)
    except FileNotFoundError:
        if not os.path.basename(name):
            # "models/" means a folder, though the resolved path would lose the slash.
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name) from None
        return None, None
    if not stat.S_ISREG(status.st_mode):
        return name, None
    if not os.access(name, os.W_OK):
        # A rename asks only the folder; a file marked read-only is meant to stay.
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)
    return None, stat.S_IMODE(status.st_mode)


def _create(hidden: str, old: int | None) -> int:
    """Create the hidden file; the system applies the umask, which no call can read safely."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    while True:
        descriptor = os.open(hidden, flags, 0o666 if old is None else old)
        if old is not None:
            with suppress(OSError):  # some file systems have no permissions to set
                os.fchmod(descriptor, old)
        # The lock says that the file has a writer, and ends with the writer's process. Only who
        # took the file for an abandoned one can have it, for the moment of removing it.
        with suppress(OSError):  # some file systems know no locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.path.exists(hidden):
            return descriptor
        os.close(descriptor)


def _remove_abandoned(folder: str, base: str) -> None:
    """Remove hidden files of the same name whose writers were killed."""
    names: list[str] = []
    with suppress(OSError):  # which making the new one will meet, too, if it matters
        names = os.listdir(folder)
    start = _hidden_start(base)
    for name in names:
        if name.startswith(start) and _HIDDEN_END.fullmatch(name, len(start)):
            with suppress(OSError):
                _remove_if_abandoned(os.path.join(folder, name))


def _remove_if_abandoned(hidden: str) -> None:
    descriptor = os.open(hidden, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # an error: at work
        # Not a new file under the name of one that somebody else has removed by now.
        if os.path.samestat(os.fstat(descriptor), os.lstat(hidden)):
            os.unlink(hidden)
    finally:
        os.close(descriptor)


def _hidden_start(base: str) -> str:
    return f".{base[:40]}."
