"""The UCI sets as they are read, against what is known of the files."""

from collections import Counter

import numpy as np
import pytest

from benchmarks.tables.vectors.datasets import NAMES, load

FEATURES = {
    "cancer": 9,
    "tissue": 9,
    "wine": 13,
    "sonar": 60,
    "credit": 14,
    "spheart": 44,
    "libras": 90,
    "steel": 27,
}
COUNTS = {
    "cancer": {"2": 444, "4": 239},
    "tissue": {"car": 21, "fad": 15, "mas": 18, "gla": 16, "con": 14, "adi": 22},
    "wine": {"1": 59, "2": 71, "3": 48},
    "sonar": {"R": 97, "M": 111},
    "credit": {"0": 383, "1": 307},
    "spheart": {"0": 55, "1": 212},
    "libras": {str(number): 24 for number in range(1, 16)},
    "steel": {
        "Pastry": 158,
        "Z_Scratch": 190,
        "K_Scatch": 391,
        "Stains": 72,
        "Dirtiness": 55,
        "Bumps": 402,
        "Other_Faults": 673,
    },
}
# A fact of each file that a column too many or too few would break.
EXTREMES = {
    "cancer": (1, 10),
    "libras": (0, 1),
    "sonar": (0, 1),
    "spheart": (3, 89),
    "steel": (None, 12987692),
    "credit": (0, 100001),
}


@pytest.mark.parametrize("name", NAMES)
def test_counts_agree_with_the_sources(uci, name):
    dataset = load(name)
    assert dataset.name == name
    assert dataset.X.shape == (sum(COUNTS[name].values()), FEATURES[name])
    assert Counter(dataset.y.tolist()) == COUNTS[name]
    assert len(set(dataset.feature_names)) == FEATURES[name]


@pytest.mark.parametrize("name", NAMES)
def test_values_are_finite_and_no_column_is_constant(uci, name):
    X = load(name).X
    assert X.dtype == np.float64
    assert np.isfinite(X).all()
    assert (np.ptp(X, axis=0) > 0).all()


@pytest.mark.parametrize("name", EXTREMES)
def test_extremes_agree_with_the_sources(uci, name):
    X = load(name).X
    low, high = EXTREMES[name]
    assert low is None or X.min() == low
    assert X.max() == high


def test_cancer_says_that_it_left_rows_out(uci):
    assert "683 complete rows; 16 rows" in load("cancer").source


def test_the_categories_of_credit_are_marked(uci):
    dataset = load("credit")
    names = [dataset.feature_names[column] for column in dataset.categorical]
    assert names == ["A4", "A5", "A6", "A12"]
    codes = [np.unique(dataset.X[:, column]) for column in dataset.categorical]
    assert [(values.min(), values.max()) for values in codes] == [(1, 3), (1, 14), (1, 9), (1, 3)]
    for name in ("A1", "A8", "A9", "A11"):
        assert np.isin(dataset.X[:, dataset.feature_names.index(name)], [0, 1]).all()


def test_the_names_of_steel_fit_its_columns(uci):
    dataset = load("steel")
    columns = dict(zip(dataset.feature_names, dataset.X.T, strict=True))
    assert (columns["X_Maximum"] >= columns["X_Minimum"]).all()
    assert (columns["TypeOfSteel_A300"] + columns["TypeOfSteel_A400"] == 1).all()
    np.testing.assert_allclose(
        columns["LogOfAreas"], np.log10(columns["Pixels_Areas"]), rtol=0, atol=1e-4
    )


def test_an_unknown_set_is_refused():
    with pytest.raises(ValueError, match="there is no data set 'iris', only cancer, tissue"):
        load("iris")
