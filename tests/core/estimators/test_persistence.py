"""A classifier as state and arrays, through the model file and back."""

import copy
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from sfmbio import ProteinClassifier
from sfmcore import SFMClassifier
from sfmcore.data.errors import ModelFileError
from sfmcore.estimators.persistence import pack, unpack
from sfmcore.features.column_kernel import ColumnKernel
from sfmcore.files.model_file import load_model, save_model
from sfmcore.models.gmm import DiagonalGMM
from sfmcore.preparation.base import UNCHANGED, Preparation

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

REPOSITORY = Path(__file__).parents[3]
KIND = "protein classifier"
LABELS = {
    "strings": ["membrane", "charged", "Ωmega"],
    "integers": [-3, 0, 7],
    "two strings": ["yes", "no"],
    "booleans": [False, True],
}


def make_proteins(labels):
    random = np.random.default_rng(0)
    residues = np.array(list("ADKLVW"))
    X, y = [], []
    for number, label in enumerate(labels):
        shares = np.full(6, 0.1)
        shares[2 * number : 2 * number + 2] += 0.2
        X += ["".join(random.choice(residues, 15, p=shares)) for _ in range(8)]
        y += [label] * 8
    return X, y


def fitted(labels="strings", **parameters):
    parameters = {"n_states": 2, "n_init": 1, "em_max_iter": 5, "random_state": 0, **parameters}
    return ProteinClassifier(**parameters).fit(*make_proteins(LABELS[labels]))


def parameters_of(model):
    """All parameters, those of model and preparation too."""
    return {n: v for n, v in model.get_params().items() if n not in ("model", "prepare")}


NEW = ["ADKLVW", "LLVLW", "MKTAYIAKQR", "X", "DDKD"]
VARIANTS = [
    {},
    {"n_draws": 2, "max_iter": 2},
    {
        "n_draws": 2,
        "n_shared_models": 0,
        "coupling": 1.0,
        "max_iter": 2,
        "C": "bound",
        "prior_fraction": 0.3,
    },
    {"n_shared_models": 1},
    {"n_landmarks": 9, "kernel_rank": 4},
    {"n_shared_models": 0, "n_landmarks": 5},
    {"conditioning": False, "vote": "raw", "clip": 2},
    {"n_landmarks": 5, "gamma": 2},
    {"n_states": (2, 3), "n_directions": 0, "model__prior": 0.5},
]


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "a.model"
    fitted(n_shared_models=0).save(path)
    return path


@pytest.fixture
def saved_shared(tmp_path):
    path = tmp_path / "shared.model"
    fitted(n_shared_models=3, n_landmarks=9, kernel_rank=4).save(path)
    return path


@pytest.mark.parametrize("labels", list(LABELS))
@pytest.mark.parametrize("parameters", VARIANTS)
def test_round_trip_through_json_predicts_the_same_bits(parameters, labels):
    original = fitted(labels, **parameters)
    state, arrays = pack(original)
    restored = ProteinClassifier()
    unpack(restored, json.loads(json.dumps(state)), arrays)
    for method in ("predict_proba", "decision_function", "predict"):
        expected, found = (getattr(model, method)(NEW) for model in (original, restored))
        assert np.array_equal(found, expected)
        assert found.dtype == expected.dtype
    assert parameters_of(restored) == {**parameters_of(original), "n_jobs": None, "verbose": 0}
    assert restored.short_params() == {**original.short_params(), "n_jobs": None, "verbose": 0}
    assert list(map(type, restored.models)) == list(map(type, original.models))
    assert type(restored.preparation) is type(original.preparation)
    assert restored.n_iter_ == original.n_iter_
    for one, other in zip(original.pairs_, restored.pairs_, strict=True):
        for name in ("C", "objective", "bound", "acceptance", "converged", "n_iter", "seed"):
            assert getattr(one, name) == getattr(other, name)


def test_saving_what_was_loaded_gives_the_same_file(saved, tmp_path):
    ProteinClassifier.load(saved).save(tmp_path / "again.model")
    assert (tmp_path / "again.model").read_bytes() == saved.read_bytes()


@pytest.mark.parametrize("parameters", VARIANTS)
def test_files_of_one_and_two_threads_are_byte_equal(tmp_path, parameters):
    for n_jobs in (1, 2):
        fitted(n_jobs=n_jobs, verbose=n_jobs - 1, **parameters).save(tmp_path / str(n_jobs))
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()


@pytest.mark.parametrize("parameters", VARIANTS[:2])
def test_another_process_predicts_the_same_bits(tmp_path, parameters):
    original = fitted(**parameters)
    original.save(tmp_path / "a.model")
    code = (
        "import sys, pickle; from sfmbio import ProteinClassifier;"
        "model = ProteinClassifier.load(sys.argv[1]);"
        "sys.stdout.buffer.write(pickle.dumps(model.predict_proba(sys.argv[2:])))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "a.model"), *NEW],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTHONHASHSEED": "1"},
        capture_output=True,
        check=True,
    )
    assert np.array_equal(pickle.loads(run.stdout), original.predict_proba(NEW))


def test_parameters_set_after_fitting_change_no_vote_and_do_not_spoil_the_file(tmp_path):
    for parameters in ({"vote": "raw"}, {"n_draws": 2, "max_iter": 1}):
        model = fitted(n_pairs=2, **parameters)
        expected = model.decision_function(NEW), model.predict_proba(NEW)
        other = "majority" if model.vote == "raw" else "raw"
        model.set_params(n_draws=3, vote=other, clip=1.0)
        model.save(tmp_path / "a.model")
        for voter in (model, ProteinClassifier.load(tmp_path / "a.model")):
            assert np.array_equal(voter.decision_function(NEW), expected[0])
            assert np.array_equal(voter.predict_proba(NEW), expected[1])
        model.set_params(n_pairs=1)
        assert np.array_equal(model.predict_proba(NEW), expected[1])


@pytest.mark.parametrize("parameters", [{"n_states": 3}, {"n_pairs": 2}, {"coupling": 7}])
def test_a_file_that_could_not_be_read_is_not_written(tmp_path, parameters):
    model = fitted(n_pairs=1).set_params(**parameters)
    with pytest.raises(ValueError, match="the parameters do not fit what was learnt with others"):
        model.save(tmp_path / "a.model")
    assert not (tmp_path / "a.model").exists()


# What can't be packed


def test_what_a_model_file_does_not_hold_is_refused(tmp_path):
    path = tmp_path / "a.model"
    with pytest.raises(NotFittedError):
        ProteinClassifier().save(path)
    X, y = make_proteins([0, 1])
    model = ProteinClassifier(n_states=2, n_init=1, em_max_iter=5)
    with pytest.raises(ValueError, match="labels that are strings, integers or booleans"):
        model.fit(X, np.array(y, dtype=float)).save(path)
    model.set_params(random_state=np.random.RandomState(0))
    with pytest.raises(ValueError, match="random_state"):
        model.fit(X, y).save(path)
    assert not path.exists()


# Vectors, other models, and classes of the user


class Doubled(Preparation):
    """A preparation of the user, with nothing learnt."""

    def __init__(self, factor=2.0):
        self.factor = factor

    def encode(self, X, estimator, *, reset=False):
        return np.asarray(X, dtype=np.float64)

    def fit(self, items, weights, *, seed, n_threads):
        return UNCHANGED

    def of_arrays(self, arrays, n_threads):
        return UNCHANGED


class OwnMixture(DiagonalGMM):
    """A model of the user."""


def vectors_fitted(*args, y=None, **parameters):
    X = np.random.default_rng(0).normal(size=(24, 3)) + (np.arange(24) % 2)[:, None]
    y = [("a", "b")[k % 2] for k in range(24)] if y is None else y
    parameters = {"random_state": 0, **parameters}
    return X, SFMClassifier(*args, **parameters).fit(X, y)


@pytest.mark.parametrize(
    "parameters",
    [
        *({"scaling": scaling} for scaling in ("standard", "power", "uniform", "normal", None)),
        {"n_components": (1, 2), "n_pairs": 2, "n_landmarks": 9},
        {"n_draws": 2, "coupling": 1.0, "max_iter": 2},
    ],
)
def test_a_classifier_of_vectors_predicts_the_same_bits_from_its_file(tmp_path, parameters):
    X, model = vectors_fitted(**{"n_components": 2, **parameters})
    model.save(tmp_path / "a.model")
    loaded = SFMClassifier.load(tmp_path / "a.model")
    assert parameters_of(loaded) == parameters_of(model)
    for method in ("predict_proba", "decision_function", "predict"):
        assert np.array_equal(getattr(loaded, method)(X), getattr(model, method)(X))
    loaded.save(tmp_path / "again.model")
    assert (tmp_path / "again.model").read_bytes() == (tmp_path / "a.model").read_bytes()


def test_columns_are_counted_from_a_file_as_before(tmp_path):
    X, model = vectors_fitted(n_components=2)
    model.save(tmp_path / "a.model")
    for fitted_model in (model, SFMClassifier.load(tmp_path / "a.model")):
        with pytest.raises(ValueError, match="X has 2 features, but SFMClassifier is expecting 3"):
            fitted_model.predict(X[:, :2])


@pytest.mark.parametrize("parameters", [{"scaling": "power"}, {"n_components": 3}])
def test_parameters_of_the_parts_that_no_longer_fit_are_not_saved(tmp_path, parameters):
    _, model = vectors_fitted(n_components=2)
    model.set_params(**parameters)
    with pytest.raises(ValueError, match="the parameters do not fit what was learnt with others"):
        model.save(tmp_path / "a.model")
    assert not (tmp_path / "a.model").exists()


def test_classes_of_the_user_are_read_if_they_are_named(tmp_path):
    X, model = vectors_fitted(OwnMixture(2), Doubled(3.0))
    model.save(tmp_path / "a.model")
    for types in ((), (OwnMixture,), (Doubled,)):
        with pytest.raises(ModelFileError, match="which is not known: pass its class in types"):
            SFMClassifier.load(tmp_path / "a.model", types)
    loaded = SFMClassifier.load(tmp_path / "a.model", [OwnMixture, Doubled])
    assert (type(loaded.model), loaded.prepare.factor) == (OwnMixture, 3.0)
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_a_kernel_on_the_columns_is_not_saved_and_says_so(tmp_path):
    _, model = vectors_fitted(ColumnKernel())
    with pytest.raises(ValueError, match=r"^a model file holds pairs of generative models"):
        model.save(tmp_path / "a.model")
    assert not (tmp_path / "a.model").exists()


# Tampering: a file whose checksum holds, but whose content no classifier wrote


def change_state(change):
    def tamper(state, arrays):
        change(state)

    return tamper


def change_pair(**values):
    return change_state(lambda state: state["pairs"][1].update(values))


def change_map(**values):
    return change_state(lambda state: state["maps"][1].update(values))


def change_parameter(**values):
    return change_state(lambda state: state["parameters"].update(values))


def change_model(**values):
    return change_state(lambda state: state["model"][0]["parameters"].update(values))


def change_preparation(**values):
    return change_state(lambda state: state["prepare"]["parameters"].update(values))


def change_array(name, change):
    def tamper(state, arrays):
        arrays[name] = change(arrays[name])

    return tamper


def poison(value):
    def change(array):
        array = array.copy()
        array.flat[-1] = value
        return array

    return change


TAMPERINGS = {
    "u too short": change_array("pair0/u", lambda a: a[:-1]),
    "u of two dimensions": change_array("pair0/u", lambda a: a[None]),
    "u of another type": change_array("pair0/u", lambda a: a.astype(np.float32)),
    "u with NaN": change_array("pair0/u", poison(np.nan)),
    "prior_mean with infinity": change_array("pair2/prior_mean", poison(np.inf)),
    "mean with NaN": change_array("map1/mean", poison(np.nan)),
    "scale with zero": change_array("map1/scale", poison(0.0)),
    "scale below zero": change_array("map1/scale", poison(-1.0)),
    "start with NaN": change_array("map1/model0/start", poison(np.nan)),
    "transition with zero": change_array("map1/model1/transition", poison(0.0)),
    "transition that does not sum to one": change_array("map0/model0/transition", poison(0.9)),
    "emission of another alphabet": change_array("map0/model0/emission", lambda a: a[:, :-1]),
    "missing array": lambda state, arrays: arrays.pop("map0/mean"),
    "missing model": lambda state, arrays: arrays.pop("map2/model1/start"),
    "missing pair": change_state(lambda state: state["pairs"].pop()),
    "one pair too many": change_state(lambda state: state["pairs"].append(state["pairs"][0])),
    "no pairs": change_state(lambda state: state.pop("pairs")),
    "pairs of another type": change_state(lambda state: state.update(pairs="abc")),
    "a class too few": change_state(lambda state: state["classes"].pop()),
    "one class": change_state(lambda state: state.update(classes=["a"], pairs=state["pairs"][:1])),
    "no class": change_state(lambda state: state.update(classes=[], pairs=[])),
    "two classes, three pairs": change_state(lambda state: state.update(classes=["a", "b"])),
    "a class twice": change_state(lambda state: state.update(classes=["a", "a", "b"])),
    "unsorted classes": change_state(lambda state: state["classes"].reverse()),
    "nested classes": change_state(lambda state: state.update(classes=[["a"], ["b"], ["c"]])),
    "classes of numbers": change_state(lambda state: state.update(classes=[0.5, 1.5, 2.5])),
    "no classes": change_state(lambda state: state.update(classes=None)),
    "unknown parameter": change_parameter(depth=3),
    "no parameters": change_state(lambda state: state.pop("parameters")),
    "parameters of another type": change_state(lambda state: state.update(parameters=[1])),
    "bad parameter": change_parameter(coupling=7),
    "other number of states": change_model(n_states=3),
    "absurd number of states": change_model(n_states=10**15),
    "no number of states": change_model(n_states="two"),
    "other number of states by its short name": change_parameter(n_states=3),
    "unknown parameter of a model": change_model(depth=3),
    "bad parameter of a model": change_model(tol=-1.0),
    "model of another type": change_state(lambda s: s["model"][0].update(type="DiagonalGMM")),
    "model of an unknown type": change_state(lambda s: s["model"][0].update(type="Forest")),
    "model without a type": change_state(lambda s: s["model"][0].pop("type")),
    "model without parameters": change_state(lambda s: s["model"][0].pop("parameters")),
    "parameters of a model of another type": change_state(
        lambda s: s["model"][0].update(parameters=3)
    ),
    "preparation in the place of a model": change_state(lambda s: s.update(model=[s["prepare"]])),
    "models of another type": change_state(lambda s: s.update(model=3)),
    "no model": change_state(lambda s: s.update(model=[])),
    "a model too many": change_state(
        lambda s: s["model"].append({"type": "CategoricalHMM", "parameters": {"n_states": 3}})
    ),
    "preparation of another type": change_state(lambda s: s["prepare"].update(type="Columns")),
    "preparation of an unknown type": change_state(lambda s: s["prepare"].update(type="Words")),
    "model in the place of the preparation": change_state(
        lambda s: s.update(prepare=s["model"][0])
    ),
    "no preparation": change_state(lambda s: s.pop("prepare")),
    "other weight of the words": change_preparation(word_weight=3.0),
    "unknown parameter of the preparation": change_preparation(depth=3),
    "bad parameter of the preparation": change_preparation(n_directions="all"),
    "pair without n_draws": change_state(lambda state: state["pairs"][1].pop("n_draws")),
    "pair of another type": change_state(lambda state: state["pairs"].__setitem__(1, "pair")),
    "bad n_draws": change_pair(n_draws=0),
    "bad vote": change_pair(vote="loud"),
    "another vote": change_pair(vote="raw"),
    "bad clip": change_map(clip=-1.0),
    "bad seed": change_pair(seed=-1),
    "seed too large": change_pair(seed=2**64),
    "bad conditioned": change_map(conditioned="no"),
    "bad C": change_pair(C="bound"),
    "no objective": change_pair(objective=[], bound=[]),
    "objective of text": change_pair(objective=["low"]),
    "bound too short": change_pair(bound=[]),
    "acceptance of another type": change_pair(acceptance=3),
    "bad models_converged": change_pair(models_converged="both"),
    "too many models_converged": change_pair(models_converged=3),
    "bad n_iter": change_pair(n_iter=0),
    "pair without a map": change_state(lambda state: state["pairs"][1].pop("map")),
    "pair of a map that is not there": change_pair(map=7),
    "pair of no map": change_pair(map=-1),
    "no maps": change_state(lambda state: state.update(maps=[])),
    "maps of another type": change_state(lambda state: state.update(maps=3)),
    "map of one model": change_map(n_models=1),
    "map of more models than classes share": change_map(n_models=3),
    "map with vectors that nothing makes": change_map(n_vectors=5),
    "map without gamma": change_state(lambda state: state["maps"][0].pop("gamma")),
}


SHARED_TAMPERINGS = {
    "model of a shared map": change_array("map0/model3/start", poison(np.nan)),
    "missing model of a shared map": lambda state, arrays: arrays.pop("map0/model3/start"),
    "u of a shared map": change_array("pair2/u", lambda a: a[:-1]),
    "a model too many": change_state(lambda state: state["maps"][0].update(n_models=5)),
    "fewer models than the features have": change_state(
        lambda state: state["maps"][0].update(n_models=3)
    ),
    "pairs": change_parameter(n_shared_models=0),
    "directions of other features": change_array("map0/directions", lambda a: a[:, :-1]),
    "directions of another type": change_array("map0/directions", lambda a: a.astype(float)),
    "directions with NaN": change_array("map0/directions", poison(np.nan)),
    "a direction too few": change_array("map0/directions", lambda a: a[:-1]),
    "no directions": lambda state, arrays: arrays.pop("map0/directions"),
}


@pytest.mark.parametrize("tamper", TAMPERINGS.values(), ids=TAMPERINGS.keys())
def test_a_tampered_file_is_refused(saved, tamper):
    check_refused(saved, tamper)


@pytest.mark.parametrize("tamper", SHARED_TAMPERINGS.values(), ids=SHARED_TAMPERINGS.keys())
def test_a_tampered_file_of_shared_models_is_refused(saved_shared, tamper):
    check_refused(saved_shared, tamper)


def check_refused(saved, tamper):
    state, arrays = load_model(saved, KIND)
    before = copy.deepcopy(state), dict(arrays)
    tamper(state, arrays)
    changed = state != before[0] or set(arrays) != set(before[1])
    assert changed or any(arrays[name] is not before[1][name] for name in arrays)
    save_model(saved, KIND, state, arrays)
    with pytest.raises(ModelFileError) as caught:
        ProteinClassifier.load(saved)
    assert str(caught.value).startswith(f"{saved}: its parts do not fit: ")


def test_a_file_that_was_only_written_again_is_accepted(saved):
    expected = ProteinClassifier.load(saved).predict_proba(NEW)
    save_model(saved, KIND, *load_model(saved, KIND))
    assert np.array_equal(ProteinClassifier.load(saved).predict_proba(NEW), expected)


def test_a_file_of_another_kind_is_refused(saved):
    save_model(saved, "scene classifier", *load_model(saved, KIND))
    with pytest.raises(ModelFileError, match="holds a scene classifier, not a protein classifier"):
        ProteinClassifier.load(saved)


def test_a_flipped_byte_is_refused(saved):
    data = bytearray(saved.read_bytes())
    data[len(data) // 2] ^= 1
    saved.write_bytes(data)
    with pytest.raises(ModelFileError, match="damaged"):
        ProteinClassifier.load(saved)
