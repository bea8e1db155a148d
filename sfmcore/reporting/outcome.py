"""What a report is about: answers about items of known label, and where they came from."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from sfmcore.data.arrays import Float64Array, Int64Array
from sfmcore.evaluation.answers import Answers
from sfmcore.evaluation.measures import Measures
from sfmcore.evaluation.mistakes import Mistake
from sfmcore.evaluation.training_sizes import SizeCurve
from sfmcore.suspects.answered import AnsweredSuspects

MOST_MISTAKES = 12
"""Mistakes that a page shows."""
MOST_SUSPECTS = 12
"""Suspects that a page shows."""
Parts = Literal["halves", "folds", "test set"]
"""What the partitions of an outcome are."""


class Outcome(Protocol):
    """Answers about test items; :class:`sfmcore.evaluation.halves.Evaluation` is one."""

    @property
    def labels(self) -> list[Any]:
        """Classes, sorted."""

    @property
    def counts(self) -> list[int]:
        """Items of each class."""

    @property
    def answers(self) -> list[Answers]:
        """One for each partition."""

    @property
    def measures(self) -> list[Measures]:
        """One for each partition."""

    def confusion(self) -> Int64Array:
        """Test items of each true class (row) by predicted class, over all partitions."""

    def reliability(self) -> dict[str, Any]:
        """How far probabilities, and sets of labels, are what comes true."""


@dataclass(frozen=True)
class Origin:
    """Where a report comes from.

    Attributes
    ----------
    program, command : str
        Such as "sfmbio" and "evaluate".
    command_line : str
    noun : str
        What an item is called, such as "sequence".
    inputs : sequence of str
    notes : sequence of (str, str)
        Further terms and values, such as how many inputs were left out.
    preset : str or None
        None for a model file, which does not say.
    changed : mapping of str to (object, object)
        Parameters that differ from those of the preset: their values, and the preset's.
    parameters : mapping of str to object
        All that make the classifier.
    versions : mapping of str to str
    """

    program: str
    command: str
    command_line: str
    noun: str
    inputs: Sequence[str] = ()
    notes: Sequence[tuple[str, str]] = ()
    preset: str | None = None
    changed: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Shown:
    """How a domain shows its items.

    Attributes
    ----------
    name : callable
        Name of the item at a place in X.
    evidence : callable, optional
        HTML of what a mistake's label rests on.
    preview : callable, optional
        HTML of the item at a place in X.
    legend : str
        HTML that says how to read it.
    style : str
        Style rules that it needs.
    """

    name: Callable[[int], str]
    evidence: Callable[[Mistake], str] | None = None
    preview: Callable[[int], str] | None = None
    legend: str = ""
    style: str = ""


@dataclass(frozen=True)
class Further:
    """What a report shows where it is there.

    Attributes
    ----------
    accuracy : ndarray of shape (n_partitions, n_classes), optional
        Of each class against the rest, in per cent.
    certified : ndarray of the same shape, optional
        What the test items prove of it.
    delta : float
        Each is proven with probability 1 - delta.
    curve : SizeCurve, optional
    certificate : CertificateReport, optional
    climbs : list of Climb
    known : ndarray of shape (n_known,), int64, optional
        Places in X of test items that training has seen; None where that is not known.
    suspects : AnsweredSuspects, optional
        Without it they are found by the answers alone.
    """

    accuracy: Float64Array | None = None
    certified: Float64Array | None = None
    delta: float = 0.05
    curve: SizeCurve | None = None
    certificate: Any = None
    climbs: list[Any] = field(default_factory=list)
    known: Int64Array | None = None
    suspects: AnsweredSuspects | None = None
