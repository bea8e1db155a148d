"""How EM went for the models of a fitted classifier."""

from collections.abc import Sequence
from dataclasses import dataclass

from sfmcore.data.arrays import Float64Array
from sfmcore.data.storable import storable
from sfmcore.features.feature_map import FeatureMap
from sfmcore.learning.pair import Pair
from sfmcore.models.base import GenerativeModel

_SIZES = {"n_states": "states", "n_topics": "topics", "n_components": "components"}


@storable
@dataclass(frozen=True)
class Climb:
    """The objective of one model while it was fitted.

    Attributes
    ----------
    kind : str
        The model's class and size, such as "CategoricalHMM, 10 states".
    values : ndarray of shape (n_values,)
        Its `history_`: the log-likelihood, with the log-prior where the model has one, in nats a
        symbol, token or item.
    converged : bool
        Whether the tolerance was reached.
    """

    kind: str
    values: Float64Array
    converged: bool


def climbs_of(pairs: Sequence[Pair]) -> list[Climb]:
    """Objectives of the models of a classifier, each model once.

    Parameters
    ----------
    pairs : sequence of Pair

    Returns
    -------
    list of Climb
        Without models that keep no history, such as those of a model file.
    """
    models: dict[int, GenerativeModel] = {}
    for pair in pairs:
        if isinstance(pair.mapping, FeatureMap):
            models |= {id(model): model for model in pair.mapping.models}
    climbs = []
    for model in models.values():
        history = getattr(model, "history_", None)
        if history is not None and len(history) > 1:
            climbs.append(Climb(kind_of(model), history, bool(model.converged_)))
    return climbs


def kind_of(model: GenerativeModel) -> str:
    """Class and size of a model.

    Examples
    --------
    >>> from sfmcore.models.hmm import CategoricalHMM
    >>> kind_of(CategoricalHMM(10, 22))
    'CategoricalHMM, 10 states'
    """
    sizes = [f"{getattr(model, n)} {what}" for n, what in _SIZES.items() if hasattr(model, n)]
    return ", ".join([type(model).__name__, *sizes])
