"""Modules that a command may never need: executed when first used.

``import sklearn`` brings all of SciPy's statistics for one function of its own, layers over tables
of every kind, pandas where that is installed, and with the whole of NumPy even what compiles
Fortran: together more than half of the time that a short command takes. Only a program may defer
what others import, so this is for the command lines; ``import sfmcore`` changes nothing.

A package of many modules can stay unexecuted though some of its names are used: where it is known
which module below it these come from, only that one is executed. If it is not there, or lacks the
name, the package is executed as it would be otherwise.

``importlib.util.LazyLoader`` does not serve: its modules are executed by the very next ``import``
of their name.
"""

import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from threading import RLock, current_thread, main_thread
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.abc import Loader, MetaPathFinder
else:
    # Imports need neither as a base, and the module brings what reads resources.
    Loader = MetaPathFinder = object

_LOCK = RLock()


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let the signals wait that Python handles.

    An interrupt in the middle of an import can be lost, since some packages catch whatever happens
    while they import what is optional.
    """
    handlers: dict[int, Callable[[int, FrameType | None], Any]] = {}
    heard: list[tuple[int, FrameType | None]] = []
    if current_thread() is main_thread():  # others hear none
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            handler = None if number is None else signal.getsignal(number)
            if number is not None and callable(handler):
                handlers[number] = handler
                signal.signal(number, lambda *what: heard.append(what))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number, frame in heard:
            handlers[number](number, frame)


class _Deferred(ModuleType):
    """A module that is executed once a name is asked of it."""

    def __getattr__(self, name: str) -> Any:
        # Threads that come meanwhile wait.
        with _LOCK:
            later = _later(self)
            if later is not None and name in later.homes:
                with suppress(AttributeError, ImportError):  # another release keeps it elsewhere
                    self.__dict__[name] = found = later.part(self.__name__, name)
                    return found
            if later is None or not later.is_open:
                _execute(self)
            if type(self) is _Deferred:
                # It, or a part, is being executed and asks for a name that is not there yet. Where
                # that is a module, it is imported next.
                raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(self, name)


def _execute(module: ModuleType | None) -> None:
    """Execute a module if it is deferred."""
    if type(module) is not _Deferred:
        return
    spec = module.__spec__
    assert spec is not None
    package = _package_of(spec.name)
    if _later(module) is not None and not _is_open(package):
        # As in any import a package comes first. It may use the module, and so execute it.
        _execute(package)
    later = _later(module)
    if later is None:
        return
    spec.loader = module.__loader__ = later.loader
    with _uninterrupted():
        spec.loader.exec_module(module)
        module.__class__ = ModuleType  # type: ignore[assignment]


def _later(module: ModuleType | None) -> "_Later | None":
    """Loader of a module whose execution has not begun."""
    if type(module) is not _Deferred or module.__spec__ is None:
        return None
    loader = module.__spec__.loader
    return loader if isinstance(loader, _Later) else None


def _is_open(package: ModuleType | None) -> bool:
    later = _later(package)
    return later is not None and later.is_open


def _package_of(name: str) -> ModuleType | None:
    return sys.modules.get(name.rpartition(".")[0])


class _Later(Loader):
    """Makes a module and leaves its execution to the first use.

    Parameters
    ----------
    loader : Loader
        Its own.
    homes : mapping of str to str
        Of a package: names that are taken from the module below it that they come from.
    """

    def __init__(self, loader: Loader, homes: Mapping[str, str]) -> None:
        self.loader, self.homes = loader, homes
        self.is_open = False
        """Whether what is below may be imported though the package itself is not executed."""

    def part(self, package: str, name: str) -> Any:
        """Take a name from its home."""
        before, self.is_open = self.is_open, True
        try:
            with _uninterrupted():
                return getattr(import_module(f"{package}.{self.homes[name]}"), name)
        finally:
            self.is_open = before

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Make the module as its own loader does."""
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Execute nothing yet."""
        module.__class__ = _Deferred


class Deferring(MetaPathFinder):
    """Finds the modules that are executed when first used; put it before other finders.

    Parameters
    ----------
    names : mapping of str to mapping
        Modules, each with the homes of its names as in :func:`defer`.
    """

    def __init__(self, names: Mapping[str, Mapping[str, str]]) -> None:
        self.names = names

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module by its name, as the import system asks; None for all others."""
        if fullname not in self.names:
            # What is below a deferred package finds it executed, as it would otherwise.
            package = _package_of(fullname)
            if type(package) is _Deferred:
                with _LOCK:
                    if not _is_open(package):
                        _execute(package)
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Later(spec.loader, self.names[fullname])
        return spec


def defer(*names: str, homes: Mapping[str, Mapping[str, str]] | None = None) -> None:
    """Let modules that are not imported yet be executed when first used.

    Parameters
    ----------
    *names : str
        Such as "scipy.stats".
    homes : mapping of str to mapping, optional
        Of further packages, such as ``{"scipy.special": {"expit": "_ufuncs"}}``: names that are
        taken from the module below the package that they come from. Their use does not execute the
        package.
    """
    sys.meta_path.insert(0, Deferring({**{name: {} for name in names}, **(homes or {})}))


def execute_deferred(*names: str) -> None:
    """Import modules and execute them, deferred or not.

    Parameters
    ----------
    *names : str
        Such as "scipy.optimize".
    """
    for name in names:
        with _LOCK:
            _execute(import_module(name))
