"""Generative models fitted to the items of each class."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from sfmcore.data.arrays import Int64Array
from sfmcore.data.ragged import Ragged
from sfmcore.models.base import GenerativeModel


def check_model(model: Any) -> None:
    """Refuse what is no generative model.

    Examples
    --------
    >>> check_model("hmm")
    Traceback (most recent call last):
    ...
    ValueError: model must be a generative model such as DiagonalGMM(), got 'hmm'
    """
    if not isinstance(model, GenerativeModel):
        raise ValueError(f"model must be a generative model such as DiagonalGMM(), got {model!r}")


def as_batch(model: GenerativeModel, X: Any) -> Any:
    """Items as the model takes them: codes joined to a batch, vectors as an array.

    Parameters
    ----------
    model : GenerativeModel
    X : batch of items, or sequence of items
        Scikit-learn's cross-validation makes lists of a batch's items.

    Returns
    -------
    batch of items

    Raises
    ------
    ValueError
        If the items can't be used.

    Examples
    --------
    >>> from sfmcore.models.hmm import CategoricalHMM
    >>> as_batch(CategoricalHMM(), [[0, 1], [2]])
    Ragged(2 items, 3 codes)
    """
    if model.kind_of_data == "codes":
        return X if isinstance(X, Ragged) else Ragged.from_items(X)
    return np.asarray(X)


def fitted_models(
    model: GenerativeModel,
    data: Any,
    groups: Sequence[Int64Array],
    seed: int | None,
    n_jobs: int | None,
) -> list[GenerativeModel]:
    """Fit a clone of a model to each group of items.

    Parameters
    ----------
    model : GenerativeModel
    data : batch of items
    groups : sequence of ndarray
        Places of the items of each group.
    seed : int or None
        A seed of its own goes to each clone; None leaves the model's.
    n_jobs : int or None
        Threads of the models; None leaves the model's. No result depends on it.

    Returns
    -------
    list of GenerativeModel

    Raises
    ------
    ValueError
        If a model can't be learnt from a group.

    Warns
    -----
    ConvergenceWarning
        Once, if some reached their largest number of iterations before their tolerance.

    Examples
    --------
    >>> from sfmcore.models.gmm import DiagonalGMM
    >>> rows = np.array([[0.0], [1.0], [7.0]])
    >>> models = fitted_models(DiagonalGMM(1), rows, [np.array([0, 1]), np.array([2])], 0, None)
    >>> [one.means_.item() for one in models]
    [0.5, 7.0]
    """
    models = []
    for number, group in enumerate(groups):
        own = clone(model)
        if seed is not None:
            state = np.random.SeedSequence([seed, number]).generate_state(1)[0]
            own.set_params(random_state=int(state))
        if n_jobs is not None:
            own.set_params(n_jobs=n_jobs)
        models.append(own.estimate(data[group]))
    late = sum(not one.converged_ for one in models)
    if late:
        warnings.warn(
            f"{late} of {len(models)} models stopped at the largest number of iterations before "
            "they reached their tolerance",
            ConvergenceWarning,
            stacklevel=3,
        )
    return models
