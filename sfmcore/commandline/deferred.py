"""Modules of other packages that a command may never need: imported when first used.

``import sklearn`` brings all of SciPy's statistics for one function of its own, which is half of
the time that a short command takes. Only a program that is ours alone may defer what others import,
so this is for the command lines; ``import sfmcore`` changes nothing.
"""

import sys
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from threading import RLock
from types import ModuleType
from typing import Any

__all__ = ["defer"]

_LOCK = RLock()


class _Deferred(ModuleType):
    """A module that is executed when a name is asked of it."""

    def __init__(self, spec: ModuleSpec) -> None:
        super().__init__(spec.name)
        self.__spec__ = spec
        self.__loader__ = spec.loader
        self.__package__ = spec.parent
        self.__file__ = spec.origin

    def __getattr__(self, name: str) -> Any:
        # Python's import system looks for these of its own accord, where nothing is used.
        if name in ("__wrapped__", "__all__", "__warningregistry__"):
            raise AttributeError(name)
        # Threads that come meanwhile wait; what the module imports of itself meanwhile does not.
        with _LOCK:
            if type(self) is _Deferred:
                self.__class__ = ModuleType  # type: ignore[assignment]
                spec = self.__spec__
                assert spec is not None
                assert spec.loader is not None
                if spec.submodule_search_locations is not None:
                    self.__path__ = spec.submodule_search_locations
                spec.loader.exec_module(self)
        return getattr(self, name)


def defer(name: str) -> None:
    """Let a module be imported when a name is first asked of it, if it is not yet there.

    Parameters
    ----------
    name : str
        Such as "scipy.stats"; the package above it is imported at once. Where there is no such
        module nothing is done, and its import will say so.

    Examples
    --------
    >>> defer("json.tool")
    """
    if name in sys.modules:
        return
    try:
        spec = find_spec(name)
    except ImportError:
        return
    if spec is not None and spec.loader is not None:
        sys.modules[name] = _Deferred(spec)
