"""ProteinClassifier: what it learns, what it takes and refuses, and how scikit-learn uses it."""

import pickle
import warnings
from pathlib import Path

import joblib
import numpy as np
import pytest
from Bio.Seq import MutableSeq, Seq
from Bio.SeqIO.FastaIO import SimpleFastaParser
from Bio.SeqRecord import SeqRecord
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sfmbio import ProteinClassifier
from sfmbio.presets import PRESETS
from sfmcore.bounds.objective import upper_tail
from sfmcore.data.ragged import Ragged
from sfmcore.preparation.base import UNCHANGED

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

PEPTIDES = Path(__file__).parents[2] / "data" / "peptides"
CLASSES = ("antimicrobial", "random", "transmembrane")
GREASY = ["AVLIAVLLIVAVL", "LLAVIVALLIAV", "VVLAILLA", "ILVLAVLIAAV"]
CHARGED = ["KDEKRDEKKDER", "EKDRKKEDEKRD", "RRDEKEKD", "DKEKRDEEK"]
POLAR = ["SNQTSNTQSNQT", "QTSNSTNQQS", "NNQSTQST", "TSQNNSTQTN"]
X = GREASY + CHARGED + POLAR
Y = ["greasy"] * 4 + ["charged"] * 4 + ["polar"] * 4
SMALL = {"n_states": 2, "n_init": 1, "em_max_iter": 8, "random_state": 0}
DRAWS = {"n_draws": 3, "coupling": 1.0, "max_iter": 2, "n_shared_models": 0}


def read(label):
    with open(PEPTIDES / f"{label}.fasta") as file:
        return [sequence for _, sequence in SimpleFastaParser(file)]


@pytest.fixture(scope="module")
def peptides():
    """Every second of 120 peptides to learn from, the others to be asked about."""
    halves = []
    for start in (0, 1):
        sequences, labels = [], []
        for label in CLASSES:
            own = read(label)[start:120:2]
            sequences += own
            labels += [label] * len(own)
        halves += [sequences, labels]
    return halves


def fitted(X=X, y=Y, **parameters):
    return ProteinClassifier(**{**SMALL, **parameters}).fit(X, y)


def same_bits(one, other, items=X):
    return all(
        np.array_equal(getattr(one, method)(items), getattr(other, method)(items))
        for method in ("predict_proba", "decision_function", "predict")
    )


# What it learns


@pytest.mark.parametrize("parameters", [{}, {"n_draws": 3, "max_iter": 3}], ids=["exact", "draws"])
def test_peptides_are_told_apart_far_better_than_by_the_largest_class(peptides, parameters):
    X_train, y_train, X_test, y_test = peptides
    model = fitted(X_train, y_train, n_states=4, em_max_iter=30, **parameters)
    # The largest class is a third. Measured: 88 % with these small settings.
    assert model.score(X_test, y_test) > 0.75
    assert np.mean(model.predict(X_test) == y_test) == model.score(X_test, y_test)


def test_two_classes_of_peptides_are_told_apart(peptides):
    X_train, y_train, X_test, y_test = peptides
    train = [i for i, label in enumerate(y_train) if label != "random"]
    test = [i for i, label in enumerate(y_test) if label != "random"]
    model = fitted([X_train[i] for i in train], [y_train[i] for i in train], em_max_iter=30)
    # The larger class is a half. Measured: 98 %.
    assert model.score([X_test[i] for i in test], [y_test[i] for i in test]) > 0.9


@pytest.mark.parametrize("marker", [None, np.nan, "", "?"])
def test_sequences_marked_in_y_are_those_of_X_unlabeled(marker):
    extra = ["AVLKDE", "SNQAVL", "KKDEST"]
    apart = ProteinClassifier(**SMALL).fit(X, Y, X_unlabeled=extra)
    unlabeled = "?" if marker == "?" else "auto"
    marked = ProteinClassifier(**SMALL, unlabeled=unlabeled).fit(X + extra, Y + [marker] * 3)
    assert same_bits(marked, apart)


@pytest.mark.parametrize("parameters", [{}, DRAWS], ids=["exact", "draws"])
def test_shapes_and_ranges_for_three_classes(parameters):
    model = fitted(**parameters)
    assert model.classes_.tolist() == ["charged", "greasy", "polar"]
    assert model.decision_function(X).shape == model.predict_proba(X).shape == (12, 3)
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares.sum(1), 1.0, rtol=1e-12)
    assert shares.min() >= 0
    scores = model.decision_function(X)
    assert np.array_equal(model.predict(X), model.classes_[scores.argmax(1)])


def test_exact_votes_rank_the_classes_as_the_scores_do(peptides):
    X_train, y_train, X_test, _ = peptides
    model = fitted(X_train, y_train)
    best = model.predict_proba(X_test).argmax(1)
    assert np.array_equal(model.classes_[best], model.predict(X_test))
    assert len(set(best)) == 3


@pytest.mark.parametrize("parameters", [{}, DRAWS], ids=["exact", "draws"])
def test_shapes_and_signs_for_two_classes(parameters):
    model = fitted(GREASY + CHARGED, Y[:8], **parameters)
    scores, shares = model.decision_function(X), model.predict_proba(X)
    assert scores.shape == (12,)
    assert shares.shape == (12, 2)
    np.testing.assert_allclose(shares.sum(1), 1.0, rtol=1e-12)
    assert np.array_equal(model.predict(X), model.classes_[(scores > 0).astype(int)])
    assert model.predict(GREASY + CHARGED).tolist() == Y[:8]
    assert np.all(shares[:4, 1] > 0.5)


@pytest.mark.parametrize("labels", [[2, 0, 5], [True, False], ["x", "w", "y"], [-1, 1]])
def test_labels_of_any_kind_come_back_as_they_were(labels):
    count = 4 * len(labels)
    y = [labels[i // 4] for i in range(count)]
    model = fitted(X[:count], y)
    assert model.classes_.tolist() == sorted(set(y))
    assert model.predict(X[:count]).tolist() == y


def test_class_order_does_not_depend_on_the_order_of_the_items():
    order = np.random.default_rng(1).permutation(12)
    model = fitted([X[i] for i in order], [Y[i] for i in order])
    assert model.classes_.tolist() == ["charged", "greasy", "polar"]
    assert model.predict(X).tolist() == Y


def test_unlabeled_sequences_change_the_classifier_and_no_class():
    model = fitted()
    more = ProteinClassifier(**SMALL).fit(X, Y, X_unlabeled=["AVLKDE", "SNQAVL", "KKDEST"])
    assert more.classes_.tolist() == model.classes_.tolist()
    assert more.predict(X).tolist() == Y
    assert not np.array_equal(more.pairs_[0].u, model.pairs_[0].u)
    none = ProteinClassifier(**SMALL).fit(X, Y, X_unlabeled=[])
    assert same_bits(none, model)


@pytest.mark.parametrize("parameters", [{}, DRAWS], ids=["exact", "draws"])
def test_pairs_of_a_class_start_differently_and_vote_together(parameters):
    # Without relatives the votes decide.
    model = fitted(n_pairs=2, reference_residues=0, **parameters)
    assert len(model.pairs_) == 6
    assert len({pair.u.tobytes() for pair in model.pairs_}) == 6
    # With their models, classes share the seed.
    shared = model.n_shared_models > 0
    assert len({pair.seed for pair in model.pairs_}) == (2 if shared else 6)
    batch = model.pairs_[0].preparation.apply(model.preparation.encode(X, model))
    margins = [pair.votes(batch, 1)[0] for pair in model.pairs_]
    together = [np.hstack(margins[k : k + 2]) for k in (0, 2, 4)]
    # The share of the Gibbs classifiers for each class: 1 - Phi(u . phi) over pairs and draws.
    shares = np.column_stack([upper_tail(-rows).mean(1) for rows in together])
    expected = shares / shares.sum(1, keepdims=True)
    np.testing.assert_allclose(model.vote_shares(X), expected, rtol=1e-12)
    # The score of the majority is the margin of that share.
    np.testing.assert_allclose(upper_tail(-model.decision_function(X)), shares, rtol=1e-6)


def test_fitting_again_forgets_the_first_fit():
    model = fitted(GREASY + CHARGED, Y[:8])
    model.fit(X, Y)
    assert same_bits(model, fitted())


# What it takes


def kinds_of_sequences():
    yield "bytes", [s.encode() for s in X]
    yield "tuple", tuple(X)
    yield "generator", (s for s in X)
    yield "Seq", [Seq(s) for s in X]
    yield "MutableSeq", [MutableSeq(s) for s in X]
    yield "SeqRecord", [SeqRecord(Seq(s), id="a") for s in X]
    yield "array of str", np.array(X)
    yield "array of bytes", np.array(X, dtype=bytes)
    yield "array of objects", np.array(X, dtype=object)
    yield "lower case", [s.lower() for s in X]
    yield "white space", [f" {s[:4]}\n{s[4:]}\t" for s in X]
    yield "gaps and a stop", [f"{s[:4]}--{s[4:]}*" for s in X]
    yield "codes", Ragged.from_items([[int("ACDEFGHIKLMNPQRSTVWY".index(c)) for c in s] for s in X])


@pytest.mark.parametrize("kind", [kind for kind, _ in kinds_of_sequences()])
def test_sequences_of_any_kind_are_the_same_sequences(kind):
    items = dict(kinds_of_sequences())[kind]
    other = fitted(items)
    if kind != "generator":
        assert np.array_equal(other.predict_proba(items), fitted().predict_proba(X))
    assert same_bits(other, fitted())


def test_labels_as_array_and_list_are_the_same():
    for y in (np.array(Y), np.array(Y, dtype=object), tuple(Y)):
        assert same_bits(fitted(y=y), fitted())


def test_nothing_to_predict_gives_nothing():
    for model in (fitted(), fitted(GREASY + CHARGED, Y[:8]), fitted(**DRAWS)):
        assert model.predict([]).shape == (0,)
        assert model.predict_proba([]).shape == (0, len(model.classes_))


@pytest.mark.parametrize("parameters", [{}, DRAWS], ids=["exact", "draws"])
def test_a_class_with_one_sequence_trains(parameters):
    model = fitted([*GREASY, "KDEKRDEKKDER"], ["greasy"] * 4 + ["charged"], **parameters)
    assert model.predict(["KDEKRDEKKDER", "AVLIAVLLIVAVL"]).tolist() == ["charged", "greasy"]


@pytest.mark.parametrize("parameters", [{}, DRAWS], ids=["exact", "draws"])
def test_sequences_of_length_one_train_and_predict(parameters):
    model = fitted(["A", "A", "A", "K", "K", "K"], [0, 0, 0, 1, 1, 1], **parameters)
    assert model.predict(["A", "K"]).tolist() == [0, 1]
    assert np.isfinite(model.predict_proba(["W", "X", "*A", "AKAKAK"])).all()


def test_unseen_residues_and_unknowns_give_finite_votes():
    model = fitted(["AAAA", "AAA"] * 2, [0, 1] * 2)
    assert np.isfinite(model.decision_function(["WWWW", "xxxx", "BZJUO", "a*c", "mkXv"])).all()


@pytest.mark.parametrize("parameters", [{}, {"n_draws": 2, "max_iter": 1}], ids=["exact", "draws"])
def test_a_sequence_of_200000_residues_trains_and_predicts(parameters):
    long = "".join(np.random.default_rng(0).choice(list("AVLIG"), 200_000))
    model = fitted([*GREASY, long, *CHARGED], [0] * 5 + [1] * 4, **parameters)
    assert model.predict([long, *CHARGED]).tolist() == [0, 1, 1, 1, 1]
    assert np.isfinite(model.predict_proba([long])).all()


# What it refuses


def test_all_bad_sequences_are_named_at_once():
    items = ["MKV", "", "MK1V", "---", 5, None, "MKΩ", ["M", "K"], SeqRecord(None), Seq(None, 9)]
    with pytest.raises(ValueError, match=r"^9 sequences can't be used: ") as caught:
        fitted(items, [0, 1] * 5)
    text = str(caught.value)
    for part in (
        "item 1 is empty",
        "item 2: invalid character '1' at position 2",
        "item 3 is empty",
        "item 4 is of type int",
        "item 5 is of type NoneType",
        "item 6: invalid character 'Ω' at position 2",
        "item 7 is of type list",
        "item 8 is of type NoneType",
        "item 9: ",
    ):
        assert part in text
    assert "item 0" not in text


def test_of_many_bad_sequences_ten_are_named_and_the_rest_counted():
    with pytest.raises(ValueError, match="25 sequences can't be used") as caught:
        fitted(["7"] * 25, [0] * 25)
    assert str(caught.value).count("item ") == 10
    assert str(caught.value).endswith("; and 15 more")


def test_bad_sequences_are_refused_in_prediction_too():
    model = fitted()
    for method in (model.predict, model.predict_proba, model.decision_function):
        with pytest.raises(ValueError, match=r"^1 sequence can't be used: item 1: invalid char"):
            method(["MKV", "M#V"])
    with pytest.raises(ValueError, match="item 0 is empty"):
        ProteinClassifier(**SMALL).fit(X, Y, X_unlabeled=[""])


@pytest.mark.parametrize("one", ["MKV", b"MKV", np.str_("MKV")])
def test_one_sequence_instead_of_a_list_is_refused(one):
    with pytest.raises(ValueError, match="a list of sequences, not one sequence"):
        fitted(one, ["a", "b", "a"])
    with pytest.raises(ValueError, match="a list of sequences, not one sequence"):
        fitted().predict(one)


@pytest.mark.parametrize("kind", ["Seq", "MutableSeq", "SeqRecord"])
def test_one_sequence_of_biopython_instead_of_a_list_is_refused(kind):
    biopython = pytest.importorskip("Bio.Seq")
    one = biopython.Seq("MKV")
    if kind == "MutableSeq":
        one = biopython.MutableSeq("MKV")
    if kind == "SeqRecord":
        one = pytest.importorskip("Bio.SeqRecord").SeqRecord(one)
    with pytest.raises(ValueError, match="a list of sequences, not one sequence"):
        fitted().predict(one)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ({"MKV": "LLA"}, "not a mapping: give its values"),
        (np.array([["MKV"], ["LLA"]]), r"not of shape \(2, 1\): give one column of it"),
        (np.array("MKV"), r"not of shape \(\): give one column of it"),
    ],
)
def test_what_is_no_list_of_sequences_is_refused(X, message):
    with pytest.raises(ValueError, match=message):
        fitted().predict(X)


def test_a_data_frame_is_not_read_as_its_names():
    frame = pytest.importorskip("pandas").DataFrame({"sequence": ["MKV", "LLA"]})
    with pytest.raises(ValueError, match=r"not of shape \(2, 1\): give one column of it"):
        fitted().predict(frame)
    assert len(fitted().predict(frame["sequence"])) == 2


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (Y[:11], r"X has 12 items, y has shape \(11,\)"),
        ([[label, label] for label in Y], r"X has 12 items, y has shape \(12, 2\)"),
        (["a"] * 12, "at least two classes are needed, y has 1 class, 'a'"),
        ([7] * 12, "at least two classes are needed, y has 1 class, 7"),
        ([0.0, np.nan] * 6, r"y has 1 class, 0\.0; unlabeled='auto' removed 6 of 12 labels"),
        (["a", None] * 6, "y has 1 class, 'a'; unlabeled='auto' removed 6 of 12 labels"),
        (["a", 1] * 6, "y mixes strings with int"),
        (
            [-1, 0, 1] * 4,
            "y holds -1 in addition to 0, 1: .* set unlabeled=-1; .* set unlabeled=None",
        ),
        ([0.3, 0.7] * 6, "continuous"),
    ],
)
def test_labels_that_are_no_classes_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        fitted(y=y)


def test_nothing_to_learn_from_is_refused():
    with pytest.raises(ValueError, match="at least two classes are needed, y has none"):
        fitted([], [])


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("n_states", (0, -1, 2.5, "ten", None, True)),
        ("n_pairs", (0, 1.5)),
        ("n_init", (0, "all")),
        ("em_max_iter", (0, -5, 1.5)),
        ("em_tol", (-1e-3, np.nan, "small")),
        ("C", (0, "best")),
        ("refit", ("false",)),
        ("random_state", (-1,)),
        ("n_jobs", (0, 1.5, "all")),
    ],
)
def test_bad_parameters_are_refused_by_name_when_fitted(name, values):
    for value in values:
        model = ProteinClassifier(**{**SMALL, name: value})  # the constructor takes anything
        with pytest.raises(ValueError, match=f"^{name} must"):
            model.fit(X, Y)


def test_an_unknown_preset_is_refused():
    with pytest.raises(ValueError, match="preset must be one of best, fast, paper, got 'swift'"):
        ProteinClassifier.from_preset("swift")


def test_an_unfitted_classifier_says_so(tmp_path):
    model = ProteinClassifier()
    for call in (model.predict, model.predict_proba, model.decision_function):
        with pytest.raises(NotFittedError):
            call(X)
    with pytest.raises(NotFittedError):
        model.score(X, Y)
    with pytest.raises(NotFittedError):
        model.save(tmp_path / "a.model")


def test_a_failed_fit_leaves_an_unfitted_classifier_unfitted():
    model = ProteinClassifier(**SMALL)
    with pytest.raises(ValueError, match="two classes"):
        model.fit(X, ["a"] * 12)
    with pytest.raises(NotFittedError):
        model.predict(X)


# Reproducibility


@pytest.mark.parametrize("preset", list(PRESETS))
def test_same_seed_gives_the_same_bits_whatever_the_number_of_threads(preset):
    def fit(n_jobs, seed=0):
        small = {**SMALL, "max_iter": 2, "n_restarts": min(1, PRESETS[preset].get("n_restarts", 0))}
        small |= {"random_state": seed, "n_jobs": n_jobs}
        return ProteinClassifier.from_preset(preset, **small).fit(X, Y)

    one = fit(1)
    assert all(same_bits(one, fit(n_jobs)) for n_jobs in (1, 2, -1))
    assert not same_bits(one, fit(1, seed=1))


@pytest.mark.slow
def test_threads_within_a_pair_change_no_bit(peptides):
    # Two classes make one pair, so two threads go into the kernels; enough work to share.
    X_train = peptides[0]
    items = ["".join(X_train[i::10]) for i in range(10)] * 40
    y = [i % 2 for i in range(len(items))]
    models = [
        fitted(items, y, n_pairs=1, n_states=6, em_max_iter=2, n_jobs=n_jobs) for n_jobs in (1, 2)
    ]
    batch = models[0].preparation.encode(items, models[0])
    assert models[1].pairs_[0].mapping.positive._threads(batch) == 2, "too little work to share"
    assert same_bits(*models, items)


def test_random_state_instances_of_one_seed_give_the_same_bits():
    one, same = (fitted(random_state=np.random.RandomState(5)) for _ in range(2))
    assert same_bits(one, same)


@pytest.mark.parametrize("parameters", [{}, DRAWS], ids=["exact", "draws"])
def test_prediction_of_a_sequence_does_not_depend_on_the_batch(peptides, parameters):
    X_train, y_train, X_test, _ = peptides
    model = fitted(X_train[::3], y_train[::3], **parameters)
    scores, shares = model.decision_function(X_test), model.predict_proba(X_test)
    order = np.random.default_rng(0).permutation(len(X_test))
    mixed = [X_test[i] for i in order]
    assert np.array_equal(model.decision_function(mixed), scores[order])
    assert np.array_equal(model.predict_proba(mixed), shares[order])
    for number in (0, 90, 179):
        assert np.array_equal(model.predict_proba([X_test[number]])[0], shares[number])
    assert np.array_equal(model.predict_proba([X_test[0]] * 3), shares[[0, 0, 0]])
    assert np.array_equal(model.predict_proba(X_test), shares)


def test_drawn_predictions_depend_on_the_seed_of_the_classifier():
    one, other = (fitted(random_state=seed, **DRAWS) for seed in (0, 1))
    assert not np.array_equal(one.predict_proba(X), other.predict_proba(X))


# Warnings


def caught_in_fit(**parameters):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fitted(**parameters)
    return caught


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_convergence_is_warned_of_exactly_once(n_jobs):
    parameters = {"em_max_iter": 1, "em_tol": 0.0, "n_draws": 2, "max_iter": 1, "tol": 0.0}
    caught = caught_in_fit(n_jobs=n_jobs, n_pairs=1, n_shared_models=0, **parameters)
    assert [warning.category for warning in caught] == [ConvergenceWarning]
    assert str(caught[0].message) == (
        "EM of 6 of 6 models and Algorithm 1 of 3 of 3 pairs stopped at the largest number of "
        "iterations"
    )
    assert caught[0].filename == __file__


def test_convergence_of_shared_models_is_counted_once():
    (caught,) = caught_in_fit(em_max_iter=1, em_tol=0.0, n_pairs=2)
    # Three classes and one of everything, for each number of states and pair.
    assert str(caught.message).startswith("EM of 8 of 8 models stopped")


def test_convergence_is_not_warned_of_when_reached():
    assert caught_in_fit(em_tol=0.1, em_max_iter=1000) == []


# scikit-learn


def test_tags_say_that_strings_are_taken_and_no_table_of_numbers():
    tags = ProteinClassifier().__sklearn_tags__().input_tags
    assert (tags.two_d_array, tags.string) == (False, True)


def test_get_params_set_params_and_clone():
    model = ProteinClassifier(n_states=7, C=3.0, n_draws=4)
    assert model.get_params()["model__n_states"] == model.short_params()["n_states"] == 7
    assert model.set_params(n_states=8, vote="raw").get_params()["vote"] == "raw"
    copy = clone(fitted(n_states=3))
    assert copy.short_params() == {**ProteinClassifier(**SMALL).short_params(), "n_states": 3}
    with pytest.raises(NotFittedError):
        copy.predict(X)
    with pytest.raises(ValueError, match="depth"):
        model.set_params(depth=3)


@pytest.mark.parametrize("preset", list(PRESETS))
def test_presets_set_what_they_name_and_can_be_changed(preset):
    model = ProteinClassifier.from_preset(preset, n_states=5)
    defaults = ProteinClassifier().short_params()
    assert model.short_params() == {**defaults, **PRESETS[preset], "n_states": 5}


def test_pickle_and_joblib_round_trips(tmp_path):
    model = fitted(**DRAWS)
    joblib.dump(model, tmp_path / "model")
    assert same_bits(pickle.loads(pickle.dumps(model)), model)
    assert same_bits(joblib.load(tmp_path / "model"), model)


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_workers_of_joblib_predict_the_same_bits(backend):
    model = fitted(n_jobs=2, **DRAWS)
    expected = model.predict_proba(X)
    # By its own methods, as the function of a test module can't be imported by a worker.
    tasks = [joblib.delayed(model.predict_proba)(part) for part in (X[:5], X[5:], X)]
    parts = joblib.Parallel(n_jobs=2, backend=backend)(tasks)
    assert np.array_equal(np.concatenate(parts[:2]), expected)
    assert np.array_equal(parts[2], expected)


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_the_callers_joblib_backend_does_not_matter(backend):
    with joblib.parallel_config(backend, n_jobs=2):
        model = fitted(n_jobs=2)
        assert same_bits(model, fitted())


def test_cross_validation_over_a_list_of_str():
    scores = cross_val_score(ProteinClassifier(**SMALL), X, Y, cv=2)
    assert scores.mean() > 0.8


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_grid_search_over_a_list_of_str(n_jobs):
    grid = {"n_states": [1, 2], "C": np.array([1, 20]), "refit": np.array([True])}
    search = GridSearchCV(ProteinClassifier(**SMALL), grid, cv=2, n_jobs=n_jobs)
    search.fit(X, Y)
    assert search.best_score_ > 0.8
    assert search.predict(GREASY).tolist() == ["greasy"] * 4


def test_last_step_of_a_pipeline():
    strip = FunctionTransformer(lambda items: [item.strip("_") for item in items])
    model = make_pipeline(strip, ProteinClassifier(**SMALL))
    model.fit([f"__{item}_" for item in X], Y)
    assert np.array_equal(model.predict_proba(X), fitted().predict_proba(X))


def test_representation_names_what_differs_from_the_defaults():
    model = "CategoricalHMM(n_init=2, n_states=3, tol=5e-06)"
    assert repr(ProteinClassifier(n_states=3)) == f"ProteinClassifier(model={model})"
    assert repr(ProteinClassifier(C=3.0)) == "ProteinClassifier(C=3.0)"


# Several numbers of states, and the words beside them


def test_each_number_of_states_has_pairs_of_its_own(tmp_path):
    model = fitted(n_states=(2, 3), n_pairs=2)
    assert [pair.mapping.positive.n_states for pair in model.pairs_] == [2, 2, 3, 3] * 3
    path = tmp_path / "mixed.sfm"
    model.save(path)
    again = ProteinClassifier.load(path)
    assert same_bits(again, model)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("n_states", [(), "ten", (2, 0), [2.5]])
def test_strange_numbers_of_states_are_refused(n_states):
    with pytest.raises(ValueError, match=r"^n_states must"):
        ProteinClassifier(n_states=n_states).fit(X, Y)


def test_words_are_learnt_from_sequences_that_weigh_something():
    weights = np.ones(len(X))
    weights[[0, 5]] = 0
    kept = np.flatnonzero(weights)
    first = ProteinClassifier(**SMALL).fit(X, Y, weights)
    second = ProteinClassifier(**SMALL).fit([X[k] for k in kept], [Y[k] for k in kept])
    for one, other in zip(first.pairs_, second.pairs_, strict=True):
        assert np.array_equal(one.preparation.words.directions, other.preparation.words.directions)


def test_no_directions_leave_the_states_alone():
    weights = dict.fromkeys(("end_weight", "length_weight", "property_weight"), 0)
    model = fitted(n_directions=0, reference_residues=0, **weights)
    assert {pair.mapping.n_vectors for pair in model.pairs_} == {0}
    assert {pair.preparation for pair in model.pairs_} == {UNCHANGED}


def test_a_model_file_of_another_word_weight_is_refused(tmp_path):
    model = fitted()
    model.set_params(word_weight=3.0)
    with pytest.raises(ValueError, match="word_weight must be that of the parameters"):
        model.save(tmp_path / "model.sfm")


def test_two_classes_have_more_landmarks():
    model = ProteinClassifier()
    landmarks = [[c.settings.n_landmarks for c in model.candidates(k)] for k in (2, 3)]
    assert landmarks == [[2500, 2500], [1000, 1000]]
    assert ProteinClassifier(n_landmarks=7).candidates(3)[0].settings.n_landmarks == 7
    with pytest.raises(ValueError, match="n_landmarks must be a whole number"):
        ProteinClassifier(n_landmarks="many").fit(X, Y)
