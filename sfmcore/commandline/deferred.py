"""Modules of other packages that a command may never need: executed when first used.

``import sklearn`` brings all of SciPy's statistics for one function of its own, layers over tables
of every kind, pandas where that is installed, and with the whole of NumPy even what compiles
Fortran: together more than half of the time that a short command takes. Only a program may defer
what others import, so this is for the command lines; ``import sfmcore`` changes nothing.

``importlib.util.LazyLoader`` does not serve: its modules are executed by the very next ``import``
of their name.
"""

import sys
from collections.abc import Collection, Sequence
from contextlib import suppress
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from threading import RLock
from types import ModuleType
from typing import Any

_LOCK = RLock()


class _Deferred(ModuleType):
    """A module that is executed once a name is asked of it."""

    def __getattr__(self, name: str) -> Any:
        # Threads that come meanwhile wait.
        with _LOCK:
            _execute(self)
            if type(self) is _Deferred:
                # It is being executed, and asks for a name of its own that is not there yet.
                raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(self, name)


def _execute(module: ModuleType | None) -> None:
    """Execute a module if it is deferred."""
    if type(module) is not _Deferred:
        return
    spec = module.__spec__
    assert spec is not None
    if isinstance(spec.loader, _Later):
        # As in any import a package comes first. It may use the module, and so execute it.
        _execute(_package_of(spec.name))
    if not isinstance(spec.loader, _Later):
        return
    spec.loader = module.__loader__ = spec.loader.loader
    spec.loader.exec_module(module)
    module.__class__ = ModuleType  # type: ignore[assignment]


def _package_of(name: str) -> ModuleType | None:
    return sys.modules.get(name.rpartition(".")[0])


class _Later(Loader):
    """Makes a module and leaves its execution to the first use."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader

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
    names : collection of str
        Such as "scipy.stats".
    """

    def __init__(self, names: Collection[str]) -> None:
        self.names = names

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module by its name, as the import system asks; None for all others."""
        if fullname not in self.names:
            # What is below a deferred package finds it executed, as it would otherwise.
            if type(_package_of(fullname)) is _Deferred:
                with _LOCK:
                    _execute(_package_of(fullname))
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Later(spec.loader)
        return spec


def defer(*names: str) -> None:
    """Let modules that are not imported yet be executed when first used.

    Parameters
    ----------
    *names : str
        Such as "scipy.stats".
    """
    sys.meta_path.insert(0, Deferring(names))


def execute_deferred() -> None:
    """Execute what is deferred: before work that an interrupt may end.

    An interrupt in the middle of an import can be lost, since some packages catch whatever happens
    while they import what is optional.
    """
    for module in [own for own in sys.modules.values() if type(own) is _Deferred]:
        with suppress(AttributeError):
            module.no_such_name  # noqa: B018
