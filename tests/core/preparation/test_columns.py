"""Columns and AsGiven: what they encode and refuse, and what a model file holds of them."""

import io

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, clone

from sfmcore.data.ragged import Ragged
from sfmcore.preparation.as_given import AsGiven
from sfmcore.preparation.base import UNCHANGED, applied
from sfmcore.preparation.columns import SCALINGS, Columns
from sfmcore.preparation.scaling import PowerScaling, QuantileScaling, Scaling, Unscaled

EVERY_SCALING = pytest.mark.parametrize("scaling", SCALINGS)
OF_ROWS = pytest.mark.parametrize("preparation", [Columns(), AsGiven("rows")], ids=repr)
LARGEST = np.finfo(float).max


class Owner(BaseEstimator):
    """An estimator whose X it is."""


def rows_of(n_items=30, seed=0):
    """Columns with a long tail, with ties, with one value, and with none of these."""
    random = np.random.default_rng(seed)
    return np.column_stack(
        [
            np.exp(random.normal(size=n_items)),
            random.integers(0, 4, n_items),
            np.full(n_items, 7.0),
            random.normal(1e6, 2.0, n_items),
        ]
    )


def fitted(scaling, X=None, weights=None):
    X = rows_of() if X is None else X
    weights = np.ones(len(X)) if weights is None else np.asarray(weights, dtype=float)
    return Columns(scaling).fit(X, weights, seed=0, n_threads=1)


def of_file(arrays):
    """Arrays as they come back from a file of NumPy's, which knows them by their bytes."""
    file = io.BytesIO()
    np.savez(file, **arrays)
    file.seek(0)
    with np.load(file, allow_pickle=False) as held:
        return dict(held)


# Parameters


@pytest.mark.parametrize("value", ["cubic", "Standard", True, 1, ("standard",)])
def test_another_scaling_is_refused_by_name(value):
    with pytest.raises(ValueError, match=r"^scaling must be 'standard', .* or None") as caught:
        Columns(value).check_parameters()
    assert repr(value) in str(caught.value)


@pytest.mark.parametrize("value", ["columns", None, "row", 0])
def test_another_kind_of_data_is_refused_by_name(value):
    with pytest.raises(ValueError, match=r"^kind_of_data must be 'rows' or 'codes', got"):
        AsGiven(value).check_parameters()


def test_what_can_be_used_is_not_refused():
    for preparation in (*map(Columns, SCALINGS), AsGiven("rows"), AsGiven("codes")):
        preparation.check_parameters()
        assert clone(preparation).get_params() == preparation.get_params()
        # Nothing of them belongs to the machine, or changes how a batch is encoded.
        assert preparation.machine_parameters == ()
        preparation.check_fits(UNCHANGED)
        assert preparation.content_keys(np.zeros((1, 1))) is None


# Rows


@OF_ROWS
@pytest.mark.parametrize(
    "X",
    [
        [[1, 2], [3, 4]],
        np.array([[1, 2], [3, 4]], dtype=np.uint8),
        np.array([[1, 2], [3, 4]], dtype=np.float32),
        np.asfortranarray([[1.0, 2.0], [3.0, 4.0]]),
    ],
    ids=["list", "bytes", "single precision", "column by column"],
)
def test_rows_are_encoded_in_double_precision_row_by_row(preparation, X):
    rows = preparation.encode(X, Owner(), reset=True)
    assert rows.dtype == np.float64
    assert rows.flags.c_contiguous
    assert rows.tolist() == [[1.0, 2.0], [3.0, 4.0]]


@OF_ROWS
def test_encoded_rows_pass_through(preparation):
    owner = Owner()
    rows = preparation.encode(rows_of(), owner, reset=True)
    assert np.array_equal(preparation.encode(rows, owner), rows)


@OF_ROWS
@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        ([[1.0, np.nan]], ValueError, "contains NaN"),
        ([[1.0, np.inf]], ValueError, "contains infinity"),
        ([[1.0, None]], (ValueError, TypeError), "NaN|NoneType"),
        ([1.0, 2.0], ValueError, "Expected 2D array, got 1D array"),
        (3.0, ValueError, "Expected 2D array, got scalar array"),
        (np.zeros((2, 2, 2)), ValueError, "dim 3"),
        ([["a", "b"]], ValueError, "could not convert string to float"),
        ([[1.0, 2.0], [3.0]], ValueError, "inhomogeneous"),
        (np.array([[1.0 + 2.0j]]), ValueError, "Complex data not supported"),
        (np.zeros((0, 2)), ValueError, "0 sample"),
        (np.zeros((2, 0)), ValueError, r"0 feature"),
        (csr_array(np.eye(2)), TypeError, "Sparse data was passed"),
    ],
    ids=str,
)
def test_what_are_no_rows_of_finite_numbers_is_refused(preparation, X, error, message):
    with pytest.raises(error, match=message):
        preparation.encode(X, Owner(), reset=True)


@OF_ROWS
def test_the_estimator_keeps_how_many_columns_it_was_fitted_to(preparation):
    owner = Owner()
    preparation.encode(np.zeros((3, 4)), owner, reset=True)
    assert owner.n_features_in_ == 4
    for width in (3, 5):
        with pytest.raises(ValueError, match=f"X has {width} features, but Owner is expecting 4"):
            preparation.encode(np.zeros((3, width)), owner)
    assert owner.n_features_in_ == 4
    preparation.encode(np.zeros((3, 5)), owner, reset=True)
    assert owner.n_features_in_ == 5


@OF_ROWS
def test_names_of_columns_are_kept_and_others_refused(preparation):
    pandas = pytest.importorskip("pandas")
    owner = Owner()
    preparation.encode(pandas.DataFrame({"a": [1.0], "b": [2.0]}), owner, reset=True)
    assert owner.feature_names_in_.tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="feature names should match"):
        preparation.encode(pandas.DataFrame({"a": [1.0], "c": [2.0]}), owner)


# Codes


def test_codes_are_encoded_as_a_batch_and_a_batch_passes_through():
    batch = AsGiven("codes").encode([[0, 1], [], [300]], None, reset=True)
    assert isinstance(batch, Ragged)
    assert [item.tolist() for item in batch] == [[0, 1], [], [300]]
    assert AsGiven("codes").encode(batch, None) is batch


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[0, -1]], "codes must lie in 0 to"),
        ([[0, 70_000]], "codes must lie in 0 to"),
        ([[0.5]], "codes must be integers, not float64"),
        ([["a"]], "codes must be integers"),
    ],
)
def test_what_are_no_codes_is_refused(X, message):
    with pytest.raises(ValueError, match=message):
        AsGiven("codes").encode(X, None, reset=True)


@pytest.mark.parametrize("kind", ["rows", "codes"])
def test_items_as_given_are_left_as_they_are(kind):
    items = AsGiven(kind).encode([[0, 1], [2, 3]], Owner(), reset=True)
    own = AsGiven(kind).fit(items, np.ones(2), seed=0, n_threads=1)
    assert own is UNCHANGED
    assert own.apply(items) is items
    assert own.get_arrays() == own.model_parameters == {}
    assert AsGiven(kind).of_arrays({}, n_threads=1) is UNCHANGED


# What is learnt


def test_every_scaling_is_one_of_its_own():
    kinds = [Scaling, PowerScaling, QuantileScaling, QuantileScaling, Unscaled]
    made = [fitted(scaling) for scaling in SCALINGS]
    assert [type(one) for one in made] == kinds
    assert [one.normal for one in made[2:4]] == [False, True]
    assert len({one.apply(rows_of()).tobytes() for one in made}) == 5


@EVERY_SCALING
def test_a_row_of_weight_zero_is_not_seen(scaling):
    X = rows_of()
    weights = np.resize([1.0, 0.0, 2.0], 30)
    changed = X.copy()
    changed[weights == 0] = 1e12
    one, other = fitted(scaling, X, weights), fitted(scaling, changed, weights)
    for name, array in one.get_arrays().items():
        assert array.tobytes() == other.get_arrays()[name].tobytes()


@EVERY_SCALING
def test_neither_seed_nor_threads_change_a_bit(scaling):
    X = rows_of()
    one, other = (
        Columns(scaling).fit(X, np.ones(30), seed=seed, n_threads=seed + 1) for seed in (0, 1)
    )
    assert one.apply(X).tobytes() == other.apply(X).tobytes()


def test_models_are_told_the_variances_of_the_columns_that_they_get():
    X = rows_of()
    for scaling in SCALINGS[:-1]:
        assert fitted(scaling).model_parameters == {"column_variance": 1.0}
    (variances,) = fitted(None).model_parameters.values()
    expected = np.where(np.ptp(X, axis=0) > 0, X.var(axis=0), 1.0)
    np.testing.assert_allclose(variances, expected, rtol=4e-9)


def test_equal_preparations_are_applied_once():
    X, standard = rows_of(), fitted("standard")
    made = applied([standard, UNCHANGED, fitted("standard"), standard], X)
    assert made[0] is made[3]
    assert made[1] is X
    assert made[2] is not made[0]
    assert np.array_equal(made[2], made[0])


# The model file


@EVERY_SCALING
def test_what_comes_back_from_the_arrays_of_a_file_makes_the_same_bits(scaling):
    own = fitted(scaling, weights=np.linspace(0.0, 3.0, 30))
    again = Columns(scaling).of_arrays(of_file(own.get_arrays()), n_threads=2)
    assert type(again) is type(own)
    far = np.array([[-1e3, -1.0, 0.0, 1e6], [1e17, 1.5, 9.0, -1e17], [0.3, 0.0, 7.0, 1e6 + 1.0]])
    for X in (rows_of(), rows_of(50, seed=1), far, far[:0]):
        assert again.apply(X).tobytes() == own.apply(X).tobytes()
    assert again.model_parameters.keys() == own.model_parameters.keys()
    for name, value in own.model_parameters.items():
        assert np.array_equal(again.model_parameters[name], value)
    # And so does what comes back from those.
    twice = again.get_arrays()
    assert twice.keys() == own.get_arrays().keys()
    for name, array in own.get_arrays().items():
        assert twice[name].dtype == array.dtype
        assert twice[name].tobytes() == array.tobytes()


@EVERY_SCALING
@pytest.mark.parametrize("X", [[[3.0]], [[1.0], [2.0]], [[LARGEST], [-LARGEST]]], ids=str)
def test_small_and_huge_columns_come_back_too(scaling, X):
    # Columns as they are have a limit, as their squares are features.
    X = np.array(X) if scaling else np.clip(X, -1e17, 1e17)
    own = fitted(scaling, X)
    again = Columns(scaling).of_arrays(of_file(own.get_arrays()), n_threads=1)
    new = 0.5 * X
    assert again.apply(new).tobytes() == own.apply(new).tobytes()


@EVERY_SCALING
def test_a_missing_array_is_refused(scaling):
    arrays = fitted(scaling).get_arrays()
    for name in arrays:
        rest = {key: array for key, array in arrays.items() if key != name}
        with pytest.raises(KeyError, match=name.rpartition("/")[2]):
            Columns(scaling).of_arrays(rest, n_threads=1)


@EVERY_SCALING
def test_an_array_of_no_finite_numbers_in_a_row_is_refused(scaling):
    arrays = fitted(scaling).get_arrays()
    floats = [name for name, array in arrays.items() if array.dtype == np.float64]
    assert floats
    for name in floats:
        array = arrays[name]
        nan, infinite = array.copy(), array.copy()
        nan[0], infinite[-1] = np.nan, np.inf
        with np.errstate(over="ignore"):  # the largest number ends a column without outliers
            narrow = array.astype(np.float32)
        for bad in (nan, infinite, array[None], narrow, array[0]):
            with pytest.raises(ValueError, match="must be a row of finite numbers"):
                Columns(scaling).of_arrays({**arrays, name: np.asarray(bad)}, n_threads=1)


@pytest.mark.parametrize("scaling", SCALINGS[:-1])
def test_arrays_that_are_shorter_or_longer_than_the_others_are_refused(scaling):
    arrays = fitted(scaling).get_arrays()
    for name, array in arrays.items():
        for bad in (array[:-1], np.append(array, array[-1:]), array[:0]):
            with pytest.raises(ValueError, match="must"):
                Columns(scaling).of_arrays({**arrays, name: bad}, n_threads=1)


@pytest.mark.parametrize("scaling", ["standard", "power", "uniform", "normal"])
@pytest.mark.parametrize("value", [0.0, -1.0])
def test_a_deviation_that_is_not_above_zero_is_refused(scaling, value):
    arrays = fitted(scaling).get_arrays()
    for name in (name for name in arrays if name.rpartition("/")[2] == "scale"):
        bad = arrays[name].copy()
        bad[1] = value
        with pytest.raises(ValueError, match="scale must be above 0 for every column"):
            Columns(scaling).of_arrays({**arrays, name: bad}, n_threads=1)


@pytest.mark.parametrize("scaling", ["standard", "power", "uniform", "normal"])
@pytest.mark.parametrize(
    "bad",
    [np.array(0, np.uint8), np.zeros((4, 2), np.uint8), np.full(4, np.nan)],
    ids=["a number", "a table", "no numbers"],
)
def test_constant_columns_that_are_not_marked_one_by_one_are_refused(scaling, bad):
    arrays = fitted(scaling).get_arrays()
    for name in (name for name in arrays if name.rpartition("/")[2] == "constant"):
        with pytest.raises(ValueError, match="must"):
            Columns(scaling).of_arrays({**arrays, name: bad}, n_threads=1)


@pytest.mark.parametrize("scaling", ["uniform", "normal"])
@pytest.mark.parametrize(
    "change",
    [
        lambda lengths: lengths.astype(np.int32),
        lambda lengths: lengths.astype(float),
        lambda lengths: lengths[None],
        lambda lengths: lengths[:0],
        lambda lengths: lengths * 0,
        lambda lengths: lengths - 1,
        lambda lengths: lengths + 1,
        lambda lengths: np.append(lengths[:-1], lengths[-1] + 1),
        lambda lengths: np.array([-1, 1, 1, lengths.sum() - 1]),
    ],
)
def test_lengths_that_do_not_say_how_many_values_there_are_are_refused(scaling, change):
    arrays = fitted(scaling).get_arrays()
    with pytest.raises(ValueError, match="lengths"):
        Columns(scaling).of_arrays({**arrays, "lengths": change(arrays["lengths"])}, n_threads=1)


@pytest.mark.parametrize("scaling", ["uniform", "normal"])
def test_values_that_do_not_rise_within_a_column_are_refused(scaling):
    arrays = fitted(scaling).get_arrays()
    first = int(arrays["lengths"][0])
    down, twice = arrays["values"].copy(), arrays["values"].copy()
    down[:first] = down[:first][::-1]
    twice[1] = twice[0]
    for bad in (down, twice):
        with pytest.raises(ValueError, match="values must"):
            Columns(scaling).of_arrays({**arrays, "values": bad}, n_threads=1)


@pytest.mark.parametrize("scaling", ["uniform", "normal"])
def test_ranks_that_are_no_shares_are_refused(scaling):
    arrays = fitted(scaling).get_arrays()
    # Normal scores of these are infinite, or no numbers.
    for value in (-0.1, 0.0, 1.0, 2.0):
        bad = arrays["ranks"].copy()
        bad[0] = value
        with pytest.raises(ValueError, match="ranks must"):
            Columns(scaling).of_arrays({**arrays, "ranks": bad}, n_threads=1)
