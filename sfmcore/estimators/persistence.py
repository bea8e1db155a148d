"""A fitted classifier as plain state and arrays, for the model file, and back."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError

from sfmcore.data.arrays import below
from sfmcore.data.checks import check_whole
from sfmcore.data.errors import ModelFileError
from sfmcore.data.known_items import KnownItems
from sfmcore.estimators.confidence import Confidence
from sfmcore.estimators.earlier_formats import with_maps
from sfmcore.estimators.stored_certificate import certificate_of
from sfmcore.estimators.stored_pairs import (
    PAIR_ARRAYS,
    PAIR_VALUES,
    most_models,
    pack_map,
    unpack_map,
    unpack_pair,
)
from sfmcore.features.column_kernel import ColumnMap
from sfmcore.features.feature_map import FeatureMap
from sfmcore.files.model_file import load_model, save_model
from sfmcore.learning.calibration import Calibration
from sfmcore.learning.label_sets import LabelSets
from sfmcore.learning.members import Member
from sfmcore.learning.weighing import Weighing
from sfmcore.models.gmm import DiagonalGMM
from sfmcore.models.hmm import CategoricalHMM
from sfmcore.models.lda import LatentDirichletAllocation
from sfmcore.novelty.typicality import Typicality
from sfmcore.preparation.as_given import AsGiven
from sfmcore.preparation.base import UNCHANGED, FittedPreparation
from sfmcore.preparation.columns import Columns

if TYPE_CHECKING:
    from sfmcore.estimators.classifier import SFMClassifier

T = TypeVar("T")

NOT_KEPT = frozenset(["n_jobs", "verbose"])
"""Parameters that change nothing of what a model predicts, and belong to the machine it runs on."""

_PARTS = ("model", "prepare")
_OF_A_FIT = frozenset(["random_state", "n_jobs"])
"""Parameters of a model that its classifier sets when it is fitted."""
_TYPES = (DiagonalGMM, CategoricalHMM, LatentDirichletAllocation, Columns, AsGiven)


def save_classifier(classifier: "SFMClassifier", path: str | os.PathLike[str]) -> None:
    """Write a fitted classifier; see :meth:`sfmcore.SFMClassifier.save`."""
    if not hasattr(classifier, "pairs_"):
        raise NotFittedError("fit the classifier before saving it")
    save_model(path, classifier.kind, *pack(classifier))


def load_classifier(
    classifier: "SFMClassifier", path: str | os.PathLike[str], types: Sequence[type] = ()
) -> None:
    """Read a file into an unfitted classifier; see :meth:`sfmcore.SFMClassifier.load`."""
    state, arrays = load_model(path, classifier.kind)
    try:
        unpack(classifier, state, arrays, types)
    except (AttributeError, LookupError, OverflowError, TypeError, ValueError) as error:
        raise ModelFileError(f"{os.fspath(path)}: its parts do not fit: {error}") from error


def pack(classifier: "SFMClassifier") -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """State and arrays of a fitted classifier.

    Parameters
    ----------
    classifier : SFMClassifier
        Its `random_state` must be an integer or None, its labels strings, integers or booleans.

    Returns
    -------
    state : dict
        Plain values, ready for JSON.
    arrays : dict of str to ndarray

    Raises
    ------
    ValueError
        If a parameter or a label is of a type that a model file does not hold, or a parameter was
        set after fitting to what does not fit.
    """
    parameters = {
        name: _as_lists(value)
        for name, value in classifier.get_params(deep=False).items()
        if name not in NOT_KEPT and name not in _PARTS
    }
    if isinstance(parameters["random_state"], np.random.RandomState):
        raise ValueError("a model file holds a random_state that is an integer or None")
    labels = classifier.classes_.tolist()
    if not all(isinstance(label, str | int) for label in labels):
        raise ValueError("a model file holds labels that are strings, integers or booleans")
    if not isinstance(parameters["unlabeled"], str | int | None):
        raise ValueError("a model file holds an unlabeled that is a string, an integer or None")
    certificate = getattr(classifier, "certificate_", None)
    preparation = classifier.preparation
    state: dict[str, Any] = {
        "parameters": parameters,
        "model": [_described(model, _OF_A_FIT) for model in classifier.models],
        "prepare": _described(preparation, frozenset(preparation.machine_parameters)),
        "classes": labels,
        "columns": _columns_of(classifier),
        "weighted": classifier.weighted_,
        "certificate": None if certificate is None else certificate.to_dict(),
        "weighed": classifier.weighing_ is not None,
        "calibrated": classifier.calibration_ is not None,
        "sets": classifier.label_sets_ is not None,
        "typical": classifier.typicality_ is not None,
        "known": classifier.known_items_ is not None,
        "maps": [],
        "pairs": [],
    }
    own_arrays = classifier.further_arrays()
    arrays = {f"further/{name}": array for name, array in own_arrays.items()}
    learnt = {
        "weighing": classifier.weighing_,
        "calibration": classifier.calibration_,
        "sets": classifier.label_sets_,
        "typicality": classifier.typicality_,
        "known": classifier.known_items_,
    }
    for name, part in learnt.items():
        if part is not None:
            arrays |= {f"{name}/{key}": array for key, array in part.get_arrays().items()}
    # Pairs share what is done with their items, and perhaps the map.
    fitted: list[FittedPreparation] = []
    maps: list[FeatureMap | ColumnMap] = []
    for number, pair in enumerate(classifier.pairs_):
        place = _place_among(pair.mapping, maps)
        if place == len(state["maps"]):
            described, parts = pack_map(pair.mapping)
            state["maps"].append(described)
            arrays |= {f"map{place}/{name}": array for name, array in parts.items()}
        values = {name: getattr(pair, name) for name in PAIR_VALUES}
        inputs = None if pair.preparation is UNCHANGED else _place_among(pair.preparation, fitted)
        state["pairs"].append({**values, "map": place, "inputs": inputs})
        arrays |= {f"pair{number}/{name}": getattr(pair, name) for name in PAIR_ARRAYS}
        if pair.mapping.kernel is not None:
            # Scores need no more: the matrix between u and its dual stays behind.
            arrays[f"pair{number}/dual"] = pair.weights
    for number, own in enumerate(fitted):
        arrays |= {f"inputs{number}/{name}": a for name, a in own.get_arrays().items()}
    try:
        classifier.check_fitted()
        types = [type(part) for part in (*classifier.models, preparation)]
        unpack(clone(classifier), state, arrays, types)
    except (KeyError, ValueError) as error:
        raise ValueError(
            f"the parameters do not fit what was learnt with others: {error}"
        ) from error
    return state, arrays


def unpack(
    classifier: "SFMClassifier",
    state: Mapping[str, Any],
    arrays: Mapping[str, np.ndarray],
    types: Sequence[type] = (),
) -> None:
    """Set a classifier to what :func:`pack` returned.

    Parameters
    ----------
    classifier : SFMClassifier
        Of the class that was packed; its parameters are replaced.
    state : mapping
    arrays : mapping of str to ndarray
    types : sequence of type, optional
        Further classes of models and preparations that may be named.

    Raises
    ------
    KeyError, TypeError, ValueError
        If something is missing or does not fit together.
    """
    parameters = dict(state["parameters"])
    for name in NOT_KEPT & parameters.keys():
        raise ValueError(f"{name} belongs to the machine, not to a model")
    # Up to format 3 the short names of a protein's or a scene's parameters said it all.
    if "model" in state:
        known = {one.__name__: one for one in (*_TYPES, *_types_of(classifier), *types)}
        models = [_restored(values, known) for values in state["model"]]
        parameters["model"] = models[0] if len(models) == 1 else models
        parameters["prepare"] = _restored(state["prepare"], known)
    # Before format 8 nothing was calibrated, and nothing counted.
    parameters = {"calibrate": False, "certify_by": "pac-bayes", **parameters}
    if "maps" not in state:
        state, arrays = with_maps(state, arrays)
        parameters |= {"n_shared_models": 0, "kernel_rank": 0}
    settable = {*classifier.get_params(deep=False), *classifier.short_names}
    for name in parameters.keys() - settable:
        raise ValueError(f"there is no parameter {name!r}")
    classifier.set_params(**parameters)
    if "model" not in state:
        earlier = classifier.preparation.earlier
        classifier.set_params(**{f"prepare__{name}": value for name, value in earlier.items()})
    _refuse_machine_parameters(classifier)
    classes = np.array(state["classes"])
    if classes.ndim != 1 or classes.dtype.kind not in "Uiub" or np.any(classes[1:] <= classes[:-1]):
        raise ValueError("the classes must be sorted strings, integers or booleans, each once")
    if classes.tolist() != state["classes"] or "" in state["classes"]:
        raise ValueError("a class must have a name, which may not end in a NUL")
    n_classes = len(classes)
    candidates = classifier.candidates(n_classes)
    n_targets = 1 if n_classes == 2 else n_classes
    n_pairs = n_targets * len(candidates) * classifier.n_pairs
    if n_classes < 2 or len(state["pairs"]) != n_pairs:
        raise ValueError("the number of pairs does not fit the number of classes")
    # Class by class, and candidate by candidate within a class.
    team = [candidate for candidate in candidates for _ in range(classifier.n_pairs)] * n_targets
    fitted: dict[int | None, FittedPreparation] = {None: UNCHANGED}
    for candidate, values in zip(team, state["pairs"], strict=True):
        place = values.get("inputs")
        if place not in fitted:
            check_whole("inputs", place, 0)
            own = below(arrays, f"inputs{place}/")
            fitted[place] = candidate.preparation.of_arrays(own, n_threads=1)
        candidate.preparation.check_fits(fitted[place])
    maps: dict[int, FeatureMap] = {}
    pairs = []
    for number, (candidate, values) in enumerate(zip(team, state["pairs"], strict=True)):
        preparation = fitted[values.get("inputs")]
        place = values["map"]
        check_whole("map", place, 0)
        if place not in maps:
            maps[place] = unpack_map(
                Member.of(candidate, preparation),
                state["maps"][place],
                below(arrays, f"map{place}/"),
                most_models=most_models(candidate.settings, n_classes),
            )
        own = below(arrays, f"pair{number}/")
        pairs.append(unpack_pair(values, maps[place], preparation, own))
    if len({pair.vote for pair in pairs}) > 1:
        raise ValueError("the pairs do not vote alike")
    certificate = state.get("certificate")  # files of format 1 know neither it nor weights
    report = None if certificate is None else certificate_of(certificate, classes)
    weighted = bool(state.get("weighted", False))
    confidence = _confidence_of(state, arrays, n_classes, pairs[0].preparation.n_references)
    _restore_columns(classifier, state.get("columns"))
    items = None
    if state.get("known", False):  # from format 9 on
        items = KnownItems.of_arrays(below(arrays, "known/"))
    classifier.restore(
        classes, pairs, weighted=weighted, certificate=report, known=items, confidence=confidence
    )
    classifier.take_further_arrays(below(arrays, "further/"))  # none before format 7


def _confidence_of(
    state: Mapping[str, Any], arrays: Mapping[str, np.ndarray], n_classes: int, n_references: int
) -> Confidence:
    """Calibration and weighing of votes, from a model file."""
    weighing = calibration = sets = typicality = None
    if state.get("weighed", False):  # from format 6 on
        weighing = Weighing.of_arrays(below(arrays, "weighing/"), n_classes, n_references)
    # These from format 8 on.
    if state.get("calibrated", False):
        if weighing is not None:
            raise ValueError("votes are weighed against relatives, and calibrated without them")
        calibration = Calibration.of_arrays(below(arrays, "calibration/"), n_classes)
    if state.get("sets", False):
        sets = LabelSets.of_arrays(below(arrays, "sets/"), n_classes)
    if state.get("typical", False):
        typicality = Typicality.of_arrays(below(arrays, "typicality/"), n_classes, n_references)
    return Confidence(weighing, calibration, sets, typicality)


def _columns_of(classifier: "SFMClassifier") -> dict[str, Any] | None:
    """Number and names of the columns of X; None if it had none."""
    number = getattr(classifier, "n_features_in_", None)
    names = getattr(classifier, "feature_names_in_", None)
    if number is None:
        return None
    return {"number": number, "names": None if names is None else names.tolist()}


def _restore_columns(classifier: "SFMClassifier", values: Mapping[str, Any] | None) -> None:
    if values is None:
        return
    number, names = values["number"], values["names"]
    check_whole("the number of columns", number, 1)
    classifier.n_features_in_ = number
    if names is not None:
        if len(names) != number or not all(isinstance(name, str) for name in names):
            raise ValueError("every column must have a name")
        classifier.feature_names_in_ = np.array(names, dtype=object)


def _refuse_machine_parameters(classifier: "SFMClassifier") -> None:
    """Refuse what a file must not decide, such as a folder that would be written to."""
    preparation = classifier.preparation
    unset = type(preparation)().get_params()
    for name in preparation.machine_parameters:
        if getattr(preparation, name) != unset[name]:
            raise ValueError(f"{name} belongs to the machine, not to a model")


def _types_of(classifier: "SFMClassifier") -> list[type]:
    """Classes of the parts that a classifier has before anything is read into it."""
    return [type(part) for part in (*classifier.models, classifier.preparation)]


def _described(part: BaseEstimator, left_out: frozenset[str]) -> dict[str, Any]:
    """Class and parameters of a model or a preparation."""
    parameters = {n: _as_lists(v) for n, v in part.get_params().items() if n not in left_out}
    return {"type": type(part).__name__, "parameters": parameters}


def _restored(values: Mapping[str, Any], known: Mapping[str, type]) -> Any:
    """A model or a preparation of one of the known classes."""
    name = values["type"]
    if name not in known:
        raise ValueError(f"it names {name!r}, which is not known: pass its class in types")
    earlier = getattr(known[name], "earlier", {})
    return known[name](**{**earlier, **values["parameters"]})


def _as_lists(value: Any) -> Any:
    """Tuples and arrays as the lists that JSON has."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    return [_as_lists(part) for part in value] if isinstance(value, tuple | list) else value


def _place_among(own: T, known: list[T]) -> int:
    """Place of `own` in the list, to which it is added if need be."""
    for number, other in enumerate(known):
        if other is own:
            return number
    known.append(own)
    return len(known) - 1
