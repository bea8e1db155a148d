"""A fitted estimator as plain state and arrays, for the model file, and back."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone

from sfmcore.bounds.certificate_report import CertificateReport
from sfmcore.data.checks import check_choice, check_number, check_whole
from sfmcore.estimators.base import BaseSFMClassifier
from sfmcore.features.feature_map import FeatureMap
from sfmcore.features.nystroem import NystroemMap
from sfmcore.learning.pair import Inputs, Pair
from sfmcore.learning.settings import Settings

NOT_KEPT = frozenset(["n_jobs", "verbose", "cache"])
"""Parameters that change nothing of what a model predicts, and belong to the machine it runs on."""

_PAIR_ARRAYS = ("u", "prior_mean")
_PAIR_VALUES = (
    "C", "n_draws", "vote", "seed", "objective", "bound", "acceptance", "converged",
    "models_converged", "n_iter",
)  # fmt: skip


def pack(classifier: BaseSFMClassifier) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """State and arrays of a fitted classifier.

    Parameters
    ----------
    classifier : BaseSFMClassifier
        Its `random_state` must be an integer or None, its labels strings, integers or booleans.

    Returns
    -------
    state : dict
        Plain values, ready for JSON.
    arrays : dict of str to ndarray

    Raises
    ------
    ValueError
        If a parameter or a label is of a type that a model file does not hold, or a parameter
        was set after fitting to what does not fit.
    """
    parameters = {
        name: _as_lists(value)
        for name, value in classifier.get_params().items()
        if name not in NOT_KEPT
    }
    if isinstance(parameters["random_state"], np.random.RandomState):
        raise ValueError("a model file holds a random_state that is an integer or None")
    labels = classifier.classes_.tolist()
    if not all(isinstance(label, str | int) for label in labels):
        raise ValueError("a model file holds labels that are strings, integers or booleans")
    if not isinstance(parameters["unlabeled"], str | int | None):
        raise ValueError("a model file holds an unlabeled that is a string, an integer or None")
    certificate = classifier._certificate
    state: dict[str, Any] = {
        "parameters": parameters,
        "classes": labels,
        "weighted": classifier._weighted,
        "certificate": None if certificate is None else certificate.to_dict(),
        "pairs": [],
    }
    arrays: dict[str, np.ndarray] = {}
    # Pairs share what is done with their inputs.
    inputs: list[Inputs] = []
    for number, pair in enumerate(classifier.pairs_):
        if not isinstance(pair.mapping, FeatureMap):
            raise ValueError("a model file holds pairs of generative models")
        state["pairs"].append({name: getattr(pair, name) for name in _PAIR_VALUES})
        state["pairs"][-1]["conditioned"] = pair.mapping.conditioned
        state["pairs"][-1]["clip"] = pair.mapping.clip
        state["pairs"][-1]["n_vectors"] = pair.mapping.n_vectors
        state["pairs"][-1]["inputs"] = _place(pair.inputs, inputs)
        parts = {name: getattr(pair, name) for name in _PAIR_ARRAYS}
        parts |= {"mean": pair.mapping.mean, "scale": pair.mapping.scale}
        kernel = pair.mapping.kernel
        state["pairs"][-1]["gamma"] = None if kernel is None else kernel.gamma
        if kernel is not None:
            # Scores need no more: the matrix between u and its dual stays behind.
            parts |= {"landmarks": kernel.landmarks, "dual": pair.weights}
        for side in ("positive", "negative"):
            model = getattr(pair.mapping, side)
            parts |= {f"{side}/{name}": array for name, array in model.get_arrays().items()}
        arrays |= {f"pair{number}/{name}": array for name, array in parts.items()}
    for number, own in enumerate(inputs):
        parts = classifier._arrays_of_inputs(own)
        arrays |= {f"inputs{number}/{name}": array for name, array in parts.items()}
    try:
        classifier._check_fitted()
        unpack(clone(classifier), state, arrays)
    except ValueError as error:
        raise ValueError(
            f"the parameters do not fit what was learnt with others: {error}"
        ) from error
    return state, arrays


def unpack(
    classifier: BaseSFMClassifier, state: Mapping[str, Any], arrays: Mapping[str, np.ndarray]
) -> None:
    """Set a classifier to what :func:`pack` returned.

    Parameters
    ----------
    classifier : BaseSFMClassifier
        Of the class that was packed; its parameters are replaced.
    state : mapping
    arrays : mapping of str to ndarray

    Raises
    ------
    KeyError, TypeError, ValueError
        If something is missing or does not fit together.
    """
    classifier.set_params(**state["parameters"])
    classifier._settings()
    classes = np.array(state["classes"])
    if classes.ndim != 1 or classes.dtype.kind not in "Uiub" or np.any(classes[1:] <= classes[:-1]):
        raise ValueError("the classes must be sorted strings, integers or booleans, each once")
    n_classes = len(classes)
    n_targets = 1 if n_classes == 2 else n_classes
    # Class by class, and member by member within a class.
    team = [member for member in classifier._members() for _ in range(classifier.n_pairs)]
    if n_classes < 2 or len(state["pairs"]) != n_targets * len(team):
        raise ValueError("the number of pairs does not fit the number of classes")
    team *= n_targets
    classifier.classes_ = classes
    # Files of format 1 know neither.
    classifier._weighted = bool(state.get("weighted", False))
    certificate = state.get("certificate")
    classifier._certificate = None if certificate is None else certificate_of(certificate, classes)
    inputs: dict[int | None, Inputs | None] = {None: None}
    for member, values in zip(team, state["pairs"], strict=True):
        place = values.get("inputs")
        if place not in inputs:
            check_whole("inputs", place, 0)
            inputs[place] = member._inputs_of_arrays(_below(arrays, f"inputs{place}/"))
    classifier.pairs_ = [
        _unpack_pair(member, values, inputs[values.get("inputs")], _below(arrays, f"pair{number}/"))
        for number, (member, values) in enumerate(zip(team, state["pairs"], strict=True))
    ]
    if len({pair.vote for pair in classifier.pairs_}) > 1:
        raise ValueError("the pairs do not vote alike")
    classifier.n_iter_ = max(pair.n_iter for pair in classifier.pairs_)


def certificate_of(values: Mapping[str, Any], classes: np.ndarray) -> CertificateReport:
    """Certificate of a model file, checked.

    Raises
    ------
    KeyError, TypeError, ValueError
        If it is none, or is of other classes.
    """
    report = CertificateReport.from_dict(values)
    targets = classes[1:] if len(classes) == 2 else classes
    if list(report.labels) != targets.tolist():
        raise ValueError("the certificate is of other classes")
    parts = report.certificates
    for delta in (report.delta, *(part.delta for part in parts)):
        check_number("delta", delta, "between 0 and 1", lambda value: 0 < value < 1)
    for fresh in (report.fresh, *(part.fresh for part in parts)):
        check_choice("fresh", fresh, (True, False))
    for value in (report.label_risk, 1.0 if report.label_bound is None else report.label_bound):
        check_number("a risk of the certificate", value, "from 0 to 1", lambda r: 0 <= r <= 1)
    for part in parts:
        if not isinstance(part.form, str) or not isinstance(part.vote_form, str):
            raise TypeError("the inequalities of the certificate must have names")
        for C in (*part.C_grid, part.catoni_C):
            check_number("C of the certificate", C, "above 0", lambda value: value > 0)
        limits = (part.gibbs_bound, part.tandem_bound, part.vote_bound, part.catoni_bound)
        for value in (*limits, part.gibbs_risk, part.tandem_loss, part.vote_risk):
            check_number("a risk of the certificate", value, "from 0 to 1", lambda r: 0 <= r <= 1)
        check_number("KL", part.divergence, "of at least 0", lambda kl: kl >= 0)
        check_whole("n_items", part.n_items, 1)
    return report


def _unpack_pair(
    classifier: BaseSFMClassifier,
    values: Mapping[str, Any],
    inputs: Inputs | None,
    arrays: dict[str, np.ndarray],
) -> Pair:
    _check_values(values)
    models = []
    for side in ("positive", "negative"):
        model = classifier._make_model(inputs)
        if model is None:
            raise ValueError("a model file holds pairs of generative models")
        models.append(model.set_arrays(_below(arrays, f"{side}/")))
    mapping = FeatureMap(
        models[0],
        models[1],
        conditioned=values["conditioned"],
        clip=values["clip"],
        n_vectors=values.get("n_vectors", 0),
    )
    n_raw = len(mapping.mean)
    if values.get("gamma") is not None:  # files of formats 1 and 2 know none
        mapping.kernel = _unpack_kernel(values["gamma"], arrays, mapping.n_linear)
    n_features = mapping.n_features
    shapes = {"mean": n_raw, "scale": n_raw, "u": n_features}
    shapes["prior_mean"] = n_features
    if mapping.kernel is not None:
        shapes["dual"] = n_features
    for name, length in shapes.items():
        array = arrays[name]
        if array.shape != (length,) or array.dtype != np.float64 or not np.isfinite(array).all():
            raise ValueError(f"{name} must hold {length} finite numbers")
    if not np.all(arrays["scale"] > 0):
        raise ValueError("scale must be above 0")
    mapping.mean, mapping.scale = arrays["mean"], arrays["scale"]
    rest = {name: values[name] for name in _PAIR_VALUES}
    dual = arrays.get("dual") if mapping.kernel is not None else None
    return Pair(mapping, arrays["u"], arrays["prior_mean"], inputs=inputs, dual=dual, **rest)


def _unpack_kernel(gamma: Any, arrays: Mapping[str, np.ndarray], n_columns: int) -> NystroemMap:
    check_number("gamma", gamma, "above 0", lambda gamma: gamma > 0)
    if "kernel_weights" in arrays:
        raise ValueError("its kernel was made by a development version: train it again")
    landmarks = arrays["landmarks"]
    if landmarks.ndim != 2 or landmarks.shape[1] != n_columns or landmarks.dtype != np.float32:
        raise ValueError(f"landmarks must be float32 with {n_columns} columns")
    if not np.isfinite(landmarks).all():
        raise ValueError("landmarks must be finite")
    return NystroemMap(landmarks, None, float(gamma))


def _check_values(values: Mapping[str, Any]) -> None:
    """Refuse what no learnt pair holds."""
    check_number("C", values["C"], "above 0", lambda C: C > 0)
    Settings(n_draws=values["n_draws"], vote=values["vote"], clip=values["clip"])
    check_whole("seed", values["seed"], 0)
    check_number("seed", values["seed"], "below 2**64", lambda seed: seed < 2**64)
    check_whole("models_converged", values["models_converged"], 0)
    check_whole("n_iter", values["n_iter"], 1)
    check_whole("n_vectors", values.get("n_vectors", 0), 0)
    for name in ("conditioned", "converged"):
        check_choice(name, values[name], (True, False))
    for name in ("objective", "bound", "acceptance"):
        for value in values[name]:
            check_number(name, value, "at each iteration", lambda _: True)
    if not values["objective"] or len(values["objective"]) != len(values["bound"]):
        raise ValueError("objective and bound must hold a number for each iteration")


def _as_lists(value: Any) -> Any:
    """Tuples and arrays as the lists that JSON has."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    return [_as_lists(part) for part in value] if isinstance(value, tuple | list) else value


def _place(own: Inputs | None, inputs: list[Inputs]) -> int | None:
    """Place of `own` in the list, to which it is added if need be."""
    if own is None:
        return None
    for number, known in enumerate(inputs):
        if known is own:
            return number
    inputs.append(own)
    return len(inputs) - 1


def _below(arrays: Mapping[str, np.ndarray], prefix: str) -> dict[str, np.ndarray]:
    """Arrays whose names begin with `prefix`, without it."""
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }
