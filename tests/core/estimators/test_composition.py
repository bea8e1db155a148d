"""An estimator made of models and a preparation: how their parameters are set, read and checked."""

import inspect
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV

from sfmbio import ProteinClassifier
from sfmbio.preparation import ProteinPreparation
from sfmcore import SFMClassifier, StochasticFeatureMap
from sfmcore.data.ragged import Ragged
from sfmcore.features.column_kernel import ColumnKernel
from sfmcore.models.gmm import DiagonalGMM
from sfmcore.models.hmm import CategoricalHMM
from sfmcore.models.lda import LatentDirichletAllocation
from sfmcore.preparation.as_given import AsGiven
from sfmcore.preparation.columns import Columns
from sfmvision import SceneClassifier
from sfmvision.preparation import ScenePreparation

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

SEQUENCES = ["AVLIAVLL", "LLAVIVAL", "KDEKRDEK", "EKDRKKED"]
KINDS = ["greasy", "greasy", "charged", "charged"]


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X[::3], y[::3]


def numbers_of(model, name="n_components"):
    """A parameter of every model that votes."""
    return [part.get_params()[name] for part in model.models]


# Names, long and short


@pytest.mark.parametrize("name", ["n_components", "model__n_components"])
def test_a_parameter_of_the_model_is_set_by_its_long_and_its_short_name(name):
    for model in (SFMClassifier(**{name: 3}), SFMClassifier().set_params(**{name: 3})):
        assert (
            model.model.get_params()
            == DiagonalGMM(3, n_init=2, max_iter=200, tol=1e-4).get_params()
        )
        assert model.get_params()["model__n_components"] == 3
        assert model.short_params()["n_components"] == 3
        assert model.prepare is None


@pytest.mark.parametrize("name", ["scaling", "prepare__scaling"])
def test_a_parameter_of_the_preparation_is_set_by_its_long_and_its_short_name(name):
    for model in (SFMClassifier(**{name: "power"}), SFMClassifier().set_params(**{name: "power"})):
        assert model.prepare.scaling == "power"
        assert model.get_params()["prepare__scaling"] == "power"
        assert model.short_params()["scaling"] == "power"
        assert model.model is None


@pytest.mark.parametrize(
    ("make", "long", "short", "value"),
    [
        (SFMClassifier, "model__max_iter", "em_max_iter", 7),
        (SFMClassifier, "model__tol", "em_tol", 0.5),
        (StochasticFeatureMap, "model__n_init", "n_init", 7),
        (ProteinClassifier, "model__n_states", "n_states", 7),
        (ProteinClassifier, "prepare__word_weight", "word_weight", 0.5),
        (SceneClassifier, "model__n_topics", "n_topics", 7),
        (SceneClassifier, "prepare__n_words", "n_words", 7),
        (SceneClassifier, "prepare__cache", "cache", "folder"),
    ],
)
def test_every_estimator_has_short_names_of_its_own(make, long, short, value):
    for model in (make(**{short: value}), make(**{long: value})):
        assert model.get_params()[long] == model.short_params()[short] == value
        assert short not in model.get_params()
        assert not hasattr(model, short)


@pytest.mark.parametrize("make", [SFMClassifier, ProteinClassifier, SceneClassifier])
def test_every_short_name_is_that_of_a_parameter(make):
    model = make()
    assert model.short_names.keys() <= model.short_params().keys()
    assert set(model.short_names.values()) <= model.get_params().keys()
    # A parameter of the classifier itself would hide behind it.
    assert not model.short_names.keys() & inspect.signature(make).parameters.keys()


def test_parameters_of_the_classifier_and_of_its_parts_are_set_together():
    model = SFMClassifier(DiagonalGMM(2), C=3.0, n_init=4, scaling=None)
    model.set_params(C=5.0, model__n_components=6, scaling="normal")
    assert (model.C, model.prepare.scaling) == (5.0, "normal")
    assert (model.model.n_components, model.model.n_init) == (6, 4)


def test_a_new_model_and_a_parameter_of_it_may_be_given_at_once():
    model = SFMClassifier().set_params(model=DiagonalGMM(2, n_init=9), n_components=5)
    assert (model.model.n_components, model.model.n_init) == (5, 9)
    model = SFMClassifier(DiagonalGMM(2), n_components=5)
    assert model.model.n_components == 5
    model.set_params(prepare=Columns("power"), prepare__scaling="normal")
    assert model.prepare.scaling == "normal"


def test_objects_of_the_user_are_never_changed():
    own, columns = DiagonalGMM(2), Columns()
    model = SFMClassifier(own, columns)
    assert model.model is own
    assert model.prepare is columns
    model.set_params(n_components=5, scaling="power")
    assert (own.n_components, columns.scaling) == (2, "standard")
    SFMClassifier(own, columns, n_components=7, scaling=None)
    assert (own.n_components, columns.scaling) == (2, "standard")
    listed = [DiagonalGMM(2), DiagonalGMM(3)]
    SFMClassifier(listed).set_params(n_init=4)
    assert [part.n_init for part in listed] == [DiagonalGMM(2).n_init] * 2


def test_fit_changes_neither_model_nor_preparation(iris):
    own, columns = DiagonalGMM(2), Columns("power")
    before = own.get_params(), columns.get_params()
    model = SFMClassifier(own, columns, random_state=0).fit(*iris)
    assert (model.model, model.prepare) == (own, columns)
    assert (own.get_params(), columns.get_params()) == before
    assert not hasattr(own, "converged_")


# None stands for the default


def test_none_stands_for_the_default_and_is_kept_as_none():
    model = SFMClassifier()
    assert (model.model, model.prepare) == (None, None)
    params = model.get_params()
    assert (params["model"], params["prepare"]) == (None, None)
    assert params["model__n_components"] == 4
    assert params["prepare__scaling"] == "standard"
    assert repr(model) == "SFMClassifier()"


def test_setting_a_parameter_of_a_clone_changes_no_default():
    model = SFMClassifier()
    clone(model).set_params(n_components=9, scaling=None)
    assert (model.model, model.prepare) == (None, None)
    assert SFMClassifier().get_params()["model__n_components"] == 4
    other = SFMClassifier(n_components=2)
    clone(other).set_params(n_components=9)
    assert other.model.n_components == 2


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (DiagonalGMM(2), Columns()),
        (ColumnKernel(), Columns()),
        (CategoricalHMM(2, 3), AsGiven("codes")),
        (LatentDirichletAllocation(2, 3), AsGiven("codes")),
        ([DiagonalGMM(2), ColumnKernel()], Columns()),
    ],
)
def test_the_default_preparation_goes_by_the_data_of_the_model(model, expected):
    found = SFMClassifier(model).preparation
    assert type(found) is type(expected)
    assert found.get_params() == expected.get_params()


def test_the_default_is_what_it_says(iris):
    X, y = iris
    default = SFMClassifier(random_state=0).fit(X, y)
    own = SFMClassifier(
        DiagonalGMM(4, n_init=2, max_iter=200, tol=1e-4), Columns("standard"), random_state=0
    ).fit(X, y)
    assert np.array_equal(default.decision_function(X), own.decision_function(X))


def test_sequences_of_codes_are_learnt_by_a_model_of_codes():
    items = Ragged.from_items([[0, 1, 0, 1, 0], [1, 0, 1, 0], [2, 2, 1, 2, 2], [2, 1, 2, 2]])
    model = SFMClassifier(CategoricalHMM(2, 3), random_state=0).fit(items, KINDS)
    assert model.predict(items).tolist() == KINDS
    assert model.predict([[0, 1, 1, 0], [2, 2, 2]]).tolist() == ["greasy", "charged"]


# clone, pickle and search


MADE = {
    "default": lambda: SFMClassifier(),
    "short": lambda: SFMClassifier(n_components=3, scaling="power"),
    "given": lambda: SFMClassifier(DiagonalGMM(3), Columns(None), C=3.0),
    "several": lambda: SFMClassifier(n_components=(1, 3)),
    "mixed": lambda: SFMClassifier([DiagonalGMM(2), ColumnKernel("laplacian")]),
    "map": lambda: StochasticFeatureMap(n_components=3, scaling=None),
    "proteins": lambda: ProteinClassifier(n_states=(2, 3), n_directions=9),
    "scenes": lambda: SceneClassifier(n_topics=3, n_words=9),
}


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_clone_and_pickle_keep_all_parameters(make):
    model = make()
    for other in (clone(model), pickle.loads(pickle.dumps(model))):
        assert other is not model
        assert repr(other) == repr(model)
        assert other.short_params() == model.short_params()
        if model.model is not None:
            assert other.model is not model.model


@pytest.mark.parametrize("name", ["model__n_components", "n_components"])
def test_grid_search_goes_over_a_parameter_of_the_model(name, iris):
    X, y = iris
    grid = {name: [1, 2], "C": [1.0, 50.0], "prepare__scaling": ["standard", "power"]}
    search = GridSearchCV(SFMClassifier(n_init=1, random_state=0), grid, cv=2).fit(X, y)
    assert set(search.best_params_) == set(grid)
    assert search.best_score_ > 0.85
    best = search.best_estimator_
    assert best.get_params()["model__n_components"] == search.best_params_[name]
    assert len(best.pairs_[0].mapping.positive.means_) == search.best_params_[name]
    # What is not searched stays as it was.
    assert best.get_params()["model__n_init"] == 1


def test_both_names_of_a_parameter_give_the_same_scores(iris):
    X, y = iris
    found = [
        GridSearchCV(SFMClassifier(n_init=1, random_state=0), {name: [1, 3]}, cv=2).fit(X, y)
        for name in ("model__n_components", "n_components")
    ]
    scores = [search.cv_results_["mean_test_score"].tolist() for search in found]
    assert scores[0] == scores[1]


def test_grid_search_goes_over_whole_models(iris):
    X, y = iris
    models = [DiagonalGMM(2), ColumnKernel("laplacian"), [DiagonalGMM(1), DiagonalGMM(2)]]
    search = GridSearchCV(SFMClassifier(random_state=0), {"model": models}, cv=2).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_score_ > 0.85


# Several models


def test_each_model_of_a_list_has_pairs_of_its_own(iris):
    X, y = iris
    models = [DiagonalGMM(2), ColumnKernel("laplacian"), DiagonalGMM(3)]
    fitted = SFMClassifier(models, n_pairs=2, random_state=0).fit(X, y)
    assert len(fitted.pairs_) == 3 * 3 * 2
    parts = [getattr(pair.mapping, "positive", None) for pair in fitted.pairs_]
    found = [part and part.n_components for part in parts]
    assert found == [2, 2, None, None, 3, 3] * 3
    # All of them vote.
    alone = SFMClassifier(models[0], n_pairs=2, random_state=0).fit(X, y)
    assert not np.array_equal(fitted.predict_proba(X), alone.predict_proba(X))
    assert np.array_equal(fitted.pairs_[0].u, alone.pairs_[0].u)


@pytest.mark.parametrize("kind", [list, tuple])
def test_models_may_be_a_list_or_a_tuple(kind, iris):
    X, y = iris
    models = kind([DiagonalGMM(1), DiagonalGMM(2)])
    fitted = SFMClassifier(models, random_state=0).fit(X, y)
    assert fitted.model is models
    assert numbers_of(fitted) == [1, 2]
    assert len(fitted.pairs_) == 6


def test_a_list_of_one_model_is_that_model(iris):
    X, y = iris
    one, listed = (SFMClassifier(m, random_state=0) for m in (DiagonalGMM(2), [DiagonalGMM(2)]))
    scores = [model.fit(X, y).decision_function(X) for model in (one, listed)]
    assert np.array_equal(*scores)


@pytest.mark.parametrize("values", [(1, 3), [1, 3], range(1, 4, 2), np.array([1, 3])])
def test_several_values_of_a_parameter_give_a_model_of_each(values):
    for model in (
        SFMClassifier(n_components=values),
        SFMClassifier(model__n_components=values),
        SFMClassifier().set_params(n_components=values),
    ):
        assert numbers_of(model) == [1, 3]
        assert numbers_of(model, "n_init") == [2, 2]
        assert model.get_params()["model__n_components"] == [1, 3]
        assert model.get_params()["model__n_init"] == 2
        model.check_parameters()


def test_values_of_two_parameters_are_combined():
    model = SFMClassifier(n_components=(1, 3), n_init=(1, 2))
    found = list(zip(numbers_of(model), numbers_of(model, "n_init"), strict=True))
    assert sorted(found) == [(1, 1), (1, 2), (3, 1), (3, 2)]


def test_a_value_is_set_in_all_models_and_leaves_one_of_those_that_are_then_equal():
    model = SFMClassifier([DiagonalGMM(1), DiagonalGMM(3)], n_init=7)
    assert numbers_of(model, "n_init") == [7, 7]
    assert numbers_of(model) == [1, 3]
    model.set_params(n_components=2)
    assert numbers_of(model) == [2]
    assert isinstance(model.model, DiagonalGMM)
    assert numbers_of(ProteinClassifier(n_states=5), "n_states") == [5]
    assert numbers_of(ProteinClassifier(), "n_states") == [10, 20]
    assert numbers_of(ProteinClassifier(n_init=1), "n_states") == [10, 20]


def test_equal_models_count_once(iris):
    model = SFMClassifier([DiagonalGMM(2), DiagonalGMM(3), DiagonalGMM(2)], random_state=0)
    assert numbers_of(model) == [2, 3]
    assert numbers_of(SFMClassifier(n_components=(2, 3, 2))) == [2, 3]
    assert len(model.fit(*iris).pairs_) == 6
    kernels = [ColumnKernel("laplacian"), ColumnKernel("laplacian"), ColumnKernel()]
    assert len(SFMClassifier(kernels).models) == 2


def test_parameters_that_are_arrays_can_be_compared():
    widths = np.array([1.0, 2.0])
    model = SFMClassifier([DiagonalGMM(2, column_variance=widths) for _ in range(2)])
    assert len(model.models) == 1
    other = DiagonalGMM(2, column_variance=widths + 1.0)
    assert len(SFMClassifier([*model.models, other]).models) == 2


def test_models_of_a_list_share_what_the_preparation_learnt(monkeypatch, iris):
    counts = {Columns: 0, ProteinPreparation: 0}

    def counted(kind):
        learn = kind.fit

        def fit(self, *args, **rest):
            counts[kind] += 1
            return learn(self, *args, **rest)

        monkeypatch.setattr(kind, "fit", fit)

    for kind in counts:
        counted(kind)
    models = [DiagonalGMM(2), DiagonalGMM(3), ColumnKernel("laplacian")]
    for prepare in (None, Columns("power")):
        fitted = SFMClassifier(models, prepare, n_pairs=2, random_state=0).fit(*iris)
        assert len({id(pair.preparation) for pair in fitted.pairs_}) == 1
    proteins = ProteinClassifier(n_states=(1, 2), n_init=1, em_max_iter=5, random_state=0)
    proteins.fit(SEQUENCES, KINDS)
    assert len({id(pair.preparation) for pair in proteins.pairs_}) == 1
    assert counts == {Columns: 2, ProteinPreparation: 1}


def test_a_feature_map_has_one_model(iris):
    for model in (
        StochasticFeatureMap(n_components=(1, 2)),
        StochasticFeatureMap([DiagonalGMM(1), DiagonalGMM(2)]),
        StochasticFeatureMap(ColumnKernel()),
    ):
        with pytest.raises(ValueError, match=r"^model must be one generative model"):
            model.fit(*iris)


def test_a_feature_map_of_sequences_names_the_words_beside_the_states():
    features = StochasticFeatureMap(CategoricalHMM(2, 22), ProteinPreparation(2), random_state=0)
    rows = features.fit(SEQUENCES, KINDS).transform(SEQUENCES)
    names = features.get_feature_names_out()
    assert len(names) == len(set(names)) == rows.shape[1]


# What is refused


@pytest.mark.parametrize(
    "make", [SFMClassifier, StochasticFeatureMap, ProteinClassifier, SceneClassifier]
)
def test_an_unknown_keyword_is_a_type_error_as_everywhere(make):
    message = rf"^{make.__name__}\(\) got an unexpected keyword argument 'depth'$"
    with pytest.raises(TypeError, match=message):
        make(n_jobs=2, depth=3)


@pytest.mark.parametrize("name", ["depth", "model__depth", "prepare__depth", "foo__depth"])
def test_an_unknown_parameter_is_refused_in_scikit_learns_words(name):
    part = "foo" if name == "foo__depth" else "depth"
    with pytest.raises(ValueError, match=f"^Invalid parameter '{part}' for estimator"):
        SFMClassifier().set_params(**{name: 3})


def test_a_short_name_that_the_model_lacks_is_named_as_it_was_given():
    with pytest.raises(ValueError, match=r"^Invalid parameter 'n_components'"):
        SFMClassifier(ColumnKernel()).set_params(n_components=3)
    with pytest.raises(ValueError, match=r"^Invalid parameter 'em_max_iter'"):
        SFMClassifier(ColumnKernel()).set_params(em_max_iter=3)
    with pytest.raises(ValueError, match=r"^Invalid parameter 'scaling'"):
        SFMClassifier(CategoricalHMM(2, 3)).set_params(scaling="power")


def test_a_refused_parameter_leaves_the_estimator_as_it_was():
    model = SFMClassifier()
    with pytest.raises(ValueError, match="depth"):
        model.set_params(n_components=2, model__depth=3)
    assert model.model is None


NO_MODELS = {
    "number": 3,
    "text": "gmm",
    "class": DiagonalGMM,
    "preparation": Columns(),
    "array": np.array([1.0, 4.0]),
    "mapping": {},
    "list": [DiagonalGMM(2), 3],
}


@pytest.mark.parametrize("model", NO_MODELS.values(), ids=NO_MODELS)
@pytest.mark.parametrize("make", [SFMClassifier, StochasticFeatureMap])
def test_what_is_no_model_is_refused_in_a_sentence_when_fitted(make, model, iris):
    estimator = make(model)  # the constructor takes anything
    assert "model" in estimator.get_params()
    assert estimator.model is model
    with pytest.raises(ValueError, match=r"^model must be a generative model such as .*, got "):
        estimator.fit(*iris)


@pytest.mark.parametrize("empty", [[], ()])
def test_no_model_at_all_is_refused(empty, iris):
    estimator = SFMClassifier(empty)
    assert estimator.get_params()["model"] is empty
    with pytest.raises(ValueError, match=r"^model must hold at least one model"):
        estimator.fit(*iris)


@pytest.mark.parametrize("prepare", [3, "standard", Columns, DiagonalGMM(2), []])
def test_what_is_no_preparation_is_refused_in_a_sentence_when_fitted(prepare, iris):
    estimator = SFMClassifier(prepare=prepare)
    assert estimator.get_params()["prepare"] is prepare
    with pytest.raises(ValueError, match=r"^prepare must be a preparation such as Columns\(\), "):
        estimator.fit(*iris)


def test_models_of_two_kinds_of_data_are_refused(iris):
    with pytest.raises(ValueError, match=r"^model must "):
        SFMClassifier([DiagonalGMM(2), CategoricalHMM(2, 3)]).fit(*iris)


def test_a_model_of_other_data_than_the_preparation_makes_is_refused(iris):
    # Sequences of one length would pass for rows of numbers.
    assert {len(sequence) for sequence in SEQUENCES} == {8}
    for model in (DiagonalGMM(2), ColumnKernel()):
        with pytest.raises(ValueError, match=r"^model must "):
            ProteinClassifier(model).fit(SEQUENCES, KINDS)
    with pytest.raises(ValueError, match=r"^model must "):
        SFMClassifier(CategoricalHMM(2, 3), Columns()).fit(*iris)


@pytest.mark.parametrize(
    ("make", "name", "value"),
    [
        (SFMClassifier, "n_components", 0),
        (SFMClassifier, "n_components", (2, 0)),
        (SFMClassifier, "n_components", ()),
        (SFMClassifier, "n_init", 0),
        (SFMClassifier, "em_max_iter", 0),
        (SFMClassifier, "em_max_iter", ()),
        (SFMClassifier, "em_tol", -1.0),
        (SFMClassifier, "scaling", "yes"),
        (SFMClassifier, "model__prior", -1.0),
        (SFMClassifier, "model__variance_floor", 0.0),
        (StochasticFeatureMap, "n_components", 0),
        (StochasticFeatureMap, "em_max_iter", 0),
        (ProteinClassifier, "n_states", 0),
        (ProteinClassifier, "n_states", ()),
        (ProteinClassifier, "em_max_iter", 0),
        (ProteinClassifier, "word_weight", 0.0),
        (ProteinClassifier, "n_directions", -1),
        (ProteinClassifier, "model__prior", -1.0),
        (SceneClassifier, "n_topics", 0),
        (SceneClassifier, "alpha", 0.0),
        (SceneClassifier, "n_words", 0),
        (SceneClassifier, "model__beta", 0.0),
    ],
)
def test_a_bad_parameter_is_named_as_the_user_would_set_it(make, name, value, iris):
    with pytest.raises(ValueError, match=f"^{name} must "):
        make(**{name: value}).fit(*iris)


@pytest.mark.parametrize(("long", "short"), [("model__max_iter", "em_max_iter")])
def test_a_long_name_is_refused_by_the_short_one(long, short, iris):
    with pytest.raises(ValueError, match=f"^{short} must "):
        SFMClassifier(**{long: -1}).fit(*iris)


def test_a_refusal_that_begins_with_no_parameter_is_left_as_it_is():
    with pytest.raises(ValueError, match=r"^exactly one of grid and step must be given"):
        SceneClassifier(grid=(3, 3)).check_parameters()


def test_parameters_of_the_parts_are_refused_before_the_input_is_read():
    class Unread:
        def __array__(self, *_, **__):
            raise AssertionError("X was read before the refusal")

    with pytest.raises(ValueError, match=r"^n_components must "):
        SFMClassifier(n_components=0).fit(Unread(), KINDS)


# Signatures


OWN = {
    SFMClassifier: {"C": 20.0, "n_landmarks": 0, "unlabeled_weight": 0.1},
    ProteinClassifier: {"C": 300.0, "n_landmarks": "auto", "gamma": 0.7, "unlabeled_weight": 0.03},
    SceneClassifier: {"C": 200.0, "n_landmarks": 0, "unlabeled_weight": 0.1},
}


@pytest.mark.parametrize("make", list(OWN))
def test_the_signature_shows_all_parameters_with_their_own_defaults(make):
    signature = inspect.signature(make).parameters
    assert {name: signature[name].default for name in OWN[make]} == OWN[make]
    own = make().get_params(deep=False)
    shown = {n: p.default for n, p in signature.items() if p.kind is not p.VAR_KEYWORD}
    assert shown == own
    assert list(shown)[:2] == ["model", "prepare"]
    keyword_only = [n for n, p in signature.items() if p.kind is p.KEYWORD_ONLY]
    assert keyword_only == list(shown)[2:]


@pytest.mark.parametrize("make", [ProteinClassifier, SceneClassifier])
def test_parameters_of_the_base_are_taken_though_the_constructor_does_not_name_them(make):
    model = make(n_pairs=3, vote="raw", random_state=7)
    assert (model.n_pairs, model.vote, model.random_state) == (3, "raw", 7)
    assert repr(make(C=3.0)) == f"{make.__name__}(C=3.0)"


def test_numbers_that_stand_alone_are_no_model(iris):
    with pytest.raises(ValueError, match=r"^model must be a generative model such as .*, got 2"):
        SFMClassifier(2).fit(*iris)
    with pytest.raises(TypeError, match="positional"):
        SFMClassifier(DiagonalGMM(2), Columns(), 3)


def test_short_parameters_are_flat_and_those_of_the_machine_are_not_kept():
    model = SceneClassifier(cache="folder", n_jobs=2, verbose=1, n_words=9)
    short, kept = model.short_params(), model.kept_params()
    assert not {"model", "prepare"} & short.keys()
    assert not any("__" in name for name in short)
    assert short.keys() - kept.keys() == {"cache", "n_jobs", "verbose"}
    assert kept == {name: short[name] for name in kept}
    assert kept["n_words"] == 9


def test_short_parameters_make_the_same_classifier_again():
    for model in (SFMClassifier(n_components=(1, 2), scaling=None), ProteinClassifier(n_states=3)):
        again = type(model)(**model.short_params())
        assert again.get_params()["model__n_init"] == model.get_params()["model__n_init"]
        assert again.short_params() == model.short_params()
        assert repr(again.models) == repr(model.models)


def test_a_preparation_of_the_user_takes_part_in_the_scenes_too():
    model = SceneClassifier(prepare=ScenePreparation(9), n_words=7, max_side=None)
    assert (model.prepare.n_words, model.prepare.max_side) == (7, None)
    assert model.short_params()["n_words"] == 7
