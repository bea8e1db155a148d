"""One case of speed: what is timed, against whom, and what must hold before."""

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.speed.machine import Work

Call = Callable[[], object]


class Skipped(Exception):  # noqa: N818 - nothing is wrong
    """Why a case can't be run here, in a sentence."""


class Disagreement(Exception):  # noqa: N818
    """Ours and the peer do not say the same, so there is nothing to time."""


def _nothing() -> None:
    """No check."""


@dataclass(frozen=True)
class Prepared:
    """A case whose data are there.

    Parameters
    ----------
    ours : callable without arguments
    unit : str
        What one call does.
    peer : callable without arguments, optional
    peer_name : str, optional
        With its version.
    check : callable without arguments
        Raises :class:`Disagreement`; called before anything is timed.
    work : Work, optional
        What ours has to do at least; None where no limit is modelled.
    details : dict
        Goes into the JSON file. Calls may add to it.
    """

    ours: Call
    unit: str
    peer: Call | None = None
    peer_name: str | None = None
    check: Call = _nothing
    work: Work | None = None
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """A case by its name.

    Parameters
    ----------
    name : str
        What is done, and its size. Cases of one name have different peers.
    prepare : callable
        Makes the data; raises :class:`Skipped` if that can't be done here.
    peer : str, default=""
        For the list of cases.
    """

    name: str
    prepare: Callable[[], Prepared]
    peer: str = ""


def needed(module: str, package: str | None = None) -> Any:
    """Import a peer.

    Raises
    ------
    Skipped
        If it is not installed.

    Examples
    --------
    >>> needed("math").sqrt(4.0)
    2.0
    """
    try:
        return import_module(module)
    except ImportError:
        name = package or module.split(".")[0]
        raise Skipped(f"{name} is not installed (pip install {name})") from None


def agree(
    what: str, ours: npt.ArrayLike, theirs: npt.ArrayLike, *, rtol: float = 0.0, atol: float = 0.0
) -> None:
    """Refuse to go on unless two results are the same within tolerances.

    Raises
    ------
    Disagreement

    Examples
    --------
    >>> agree("sums", [1.0], [1.0])
    """
    one, other = np.asarray(ours), np.asarray(theirs)
    if one.shape != other.shape:
        raise Disagreement(f"{what}: ours has shape {one.shape}, the peer's {other.shape}")
    if not np.allclose(one, other, rtol=rtol, atol=atol):
        largest = float(np.max(np.abs(one.astype(float) - other.astype(float))))
        raise Disagreement(f"{what} differ, by {largest:.3g} at most")
