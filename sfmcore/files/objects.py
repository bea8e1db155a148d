"""Results of learning as plain values and arrays, and back, to the last bit.

What a result may hold: None, booleans, numbers, text, arrays, lists, tuples, dictionaries with
text for keys, and objects of classes that are declared
:func:`~sfmcore.data.storable.storable`. An object that stands in two places is one object again
when it comes back.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from sfmcore.data.storable import class_of, name_of

Arrays = dict[str, np.ndarray]


def taken_apart(value: Any) -> tuple[Any, Arrays]:
    """A value as what JSON holds, and the arrays it refers to.

    Parameters
    ----------
    value : object

    Returns
    -------
    plain : object
        Ready for JSON.
    arrays : dict of str to ndarray
        For a container (:mod:`sfmcore.files.container`).

    Raises
    ------
    TypeError
        If it holds something of a class that is not declared storable.

    See Also
    --------
    put_together : The way back.

    Examples
    --------
    >>> plain, arrays = taken_apart({"mean": np.zeros(2), "steps": (1, float("inf"))})
    >>> plain
    {'dict': {'mean': {'array': 'a0'}, 'steps': {'tuple': [1, {'float': 'inf'}]}}}
    >>> put_together(plain, arrays)
    {'mean': array([0., 0.]), 'steps': (1, inf)}
    """
    apart = _Apart()
    return apart.plain(value), apart.arrays


def put_together(plain: Any, arrays: Mapping[str, np.ndarray]) -> Any:
    """The value that was taken apart.

    Parameters
    ----------
    plain : object
    arrays : mapping of str to ndarray

    Raises
    ------
    LookupError, TypeError, ValueError
        If they are not what :func:`taken_apart` gives, or name a class that is not known here.
    """
    return _Together(arrays).value(plain)


class _Apart:
    def __init__(self) -> None:
        self.arrays: Arrays = {}
        # The objects are kept, as the id of one that is gone may be another's.
        self._met: dict[int, tuple[int, Any]] = {}

    def plain(self, value: Any) -> Any:
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        if type(value) is list:
            return [self.plain(part) for part in value]
        if type(value) is tuple:
            return {"tuple": [self.plain(part) for part in value]}
        if type(value) is dict:
            if not all(type(key) is str for key in value):
                raise TypeError("a result holds a dictionary whose keys are not text")
            return {"dict": {key: self.plain(part) for key, part in value.items()}}
        if isinstance(value, np.generic):
            return {"scalar": self._kept(np.asarray(value))}
        if id(value) in self._met:
            return {"same": self._met[id(value)][0]}
        number = len(self._met)
        if type(value) is np.ndarray:
            self._met[id(value)] = number, value
            # What a sum comes to may depend on the order in memory.
            if value.flags.f_contiguous and not value.flags.c_contiguous:
                return {"array": self._kept(value.T), "order": "F"}
            return {"array": self._kept(value)}
        name = name_of(type(value))
        if class_of(name) is not type(value):
            raise TypeError(f"a result holds a {name}, which is not declared storable")
        self._met[id(value)] = number, value
        state = {key: self.plain(part) for key, part in vars(value).items()}
        return {"object": name, "state": state}

    def _kept(self, array: np.ndarray) -> str:
        name = f"a{len(self.arrays)}"
        self.arrays[name] = array
        return name


class _Together:
    def __init__(self, arrays: Mapping[str, np.ndarray]) -> None:
        self._arrays = arrays
        self._met: list[Any] = []

    def value(self, plain: Any) -> Any:
        if isinstance(plain, list):
            return [self.value(part) for part in plain]
        if not isinstance(plain, dict):
            return plain
        if "float" in plain:
            return float(plain["float"])
        if "tuple" in plain:
            return tuple(self.value(part) for part in plain["tuple"])
        if "dict" in plain:
            return {key: self.value(part) for key, part in plain["dict"].items()}
        if "scalar" in plain:
            return self._arrays[plain["scalar"]][()]
        if "same" in plain:
            return self._met[plain["same"]]
        if "array" in plain:
            array = self._arrays[plain["array"]]
            self._met.append(array.T if plain.get("order") == "F" else array)
            return self._met[-1]
        cls = class_of(plain["object"])
        if cls is None:
            raise LookupError(f"the class {plain['object']} is not known")
        made: Any = object.__new__(cls)
        self._met.append(made)
        for name, part in plain["state"].items():
            made.__dict__[name] = self.value(part)
        return made
