"""Weights of ends, properties and relatives, chosen by sequences that are held out."""

from dataclasses import replace

import numpy as np

from sfmbio.beside_states.beside_states import BesideStates
from sfmbio.properties.learnt import Properties
from sfmbio.words.ends import end_vectors
from sfmcore.data.arrays import Float64Array, Int64Array
from sfmcore.data.ragged import Ragged
from sfmcore.data.similarities import Similarities, unit_rows
from sfmcore.preparation.tuning import Products, choose_weight

END_WEIGHTS = (0.0, 0.25, 0.5, 1.0, 2.0)
PROPERTY_WEIGHTS = (0.0, 0.25, 0.5)
RELATIVE_WEIGHTS = (0.1, 0.3, 1.0, 3.0)
# As of the classifier's kernel by default. The words count as much as they and the states will,
# which are not known before the models.
_GAMMA = 0.7
_STATES = 1.0


def tuned(
    fitted: BesideStates,
    items: Ragged,
    targets: Float64Array,
    folds: Int64Array,
    *,
    ends: bool,
    relatives: bool,
    properties: Properties | None = None,
) -> BesideStates:
    """Fitted state with other weights of ends, properties and relatives.

    Parameters
    ----------
    fitted : BesideStates
        Without ends, if their weight is chosen.
    items : Ragged
        Distinct sequences.
    targets : ndarray of shape (n_items, n_classes)
        1 for the class of an item.
    folds : ndarray of shape (n_items,), int64
        Part that each sequence is held out with.
    ends, relatives : bool
        Whether that weight is chosen.
    properties : Properties, optional
        Of weight 1, if their weight is chosen; `fitted` has none then.

    Returns
    -------
    BesideStates
    """
    plain = fitted.vectors(items).astype(np.float64)
    if fitted.words is not None:
        # In the place of the states, too.
        weight = fitted.words.weight
        plain[:, : fitted.words.n_vectors] *= np.sqrt(_STATES + weight**2) / weight
    base = Products.of(plain)
    if ends:
        part = Products.of(end_vectors(items, 1.0).astype(np.float64))
        chosen = choose_weight(base, part, END_WEIGHTS, targets, folds, gamma=_GAMMA)
        base = base + part * chosen
        fitted = replace(fitted, end_weight=chosen)
    if properties is not None:
        part = Products.of(properties.vectors(items).astype(np.float64))
        chosen = choose_weight(base, part, PROPERTY_WEIGHTS, targets, folds, gamma=_GAMMA)
        if chosen > 0:
            base = base + part * chosen
            fitted = replace(fitted, properties=properties.weighing(chosen))
    if relatives and fitted.references is not None:
        own = fitted.references.own(items)
        part = _products_of_relatives(fitted.references.similarities(items), own)
        unit = base.of_unit_length()
        weight = choose_weight(unit, part, RELATIVE_WEIGHTS, targets, folds, gamma=_GAMMA)
        fitted = replace(fitted, references=replace(fitted.references, weight=weight))
    return fitted


def _products_of_relatives(similarities: Similarities, own: Int64Array) -> Products:
    """Products of rows of similarities; only a training sequence has one with itself."""
    training = _rows(similarities)
    held_out = _rows(similarities.without(own))
    return Products(training @ training.T, held_out @ training.T, np.sum(held_out**2, axis=1))


def _rows(similarities: Similarities) -> Float64Array:
    """Rows of the kernel, of unit length or zero."""
    rows, _ = unit_rows(replace(similarities, weight=1.0))
    dense: Float64Array = np.sqrt(2.0) * rows.toarray().astype(np.float64)
    return dense
