"""Codebook: words against a twin in float64, the reserved word, and the estimator's contract."""

import copy
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from sfmvision.codebook.codebook import Codebook


def make_values(n_rows, n_columns=128, seed=0):
    random = np.random.default_rng([seed, n_rows, n_columns])
    return np.minimum(random.gamma(0.5, 40.0, (n_rows, n_columns)), 255).astype(np.uint8)


def no_flat(values):
    return np.zeros(len(values), dtype=bool)


def fitted(n_words=20, n_columns=128, **parameters):
    parameters = {"random_state": 0, "max_iter": 5, **parameters}
    return Codebook(n_words, **parameters).fit(make_values(1000, n_columns, seed=9))


CODEBOOKS = {columns: fitted(n_columns=columns) for columns in (128, 384)}


@given(st.sampled_from([128, 384]), st.integers(0, 120), st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_words_equal_twin_in_float64(n_columns, n_rows, seed):
    codebook = CODEBOOKS[n_columns]
    values = make_values(n_rows, n_columns, seed)
    flat = np.random.default_rng(seed).random(n_rows) < 0.3
    words = codebook.words(values, flat)
    assert words.dtype == np.uint16
    # Float64 holds these sums exactly, so there is no tie to be lenient about.
    gaps = values[:, None].astype(np.float64) - codebook.centres_
    twin = np.where(flat, codebook.n_words_, (gaps**2).sum(2).argmin(1))
    assert np.array_equal(words, twin)


def test_words_depend_on_the_patch_alone():
    codebook, values = CODEBOOKS[128], make_values(3000)
    whole = codebook.words(values, no_flat(values))
    order = np.random.default_rng(0).permutation(len(values))
    assert np.array_equal(codebook.words(values[order], no_flat(values)), whole[order])
    for i in (0, 1, 1234, 2999):
        assert codebook.words(values[i : i + 1], np.array([False])) == whole[i]
    threaded = copy.deepcopy(codebook).set_params(n_jobs=3)
    assert np.array_equal(threaded.words(values, no_flat(values)), whole)
    with ThreadPoolExecutor(4) as pool:
        for words in pool.map(lambda _: codebook.words(values, no_flat(values)), range(8)):
            assert np.array_equal(words, whole)


def test_flat_patches_have_the_reserved_word():
    codebook, values = CODEBOOKS[128], make_values(10)
    values[4:] = 0
    words = codebook.words(values, ~values.any(1))
    assert (words[4:] == codebook.n_words_).all()
    assert (words[:4] < codebook.n_words_).all()
    assert codebook.vocabulary_size == codebook.n_words_ + 1


def test_no_patch_gives_no_word():
    words = CODEBOOKS[128].words(np.zeros((0, 128), dtype=np.uint8), np.zeros(0, dtype=bool))
    assert words.shape == (0,)
    assert words.dtype == np.uint16


@pytest.mark.parametrize("parameters", [{}, {"max_rows": 300}, {"n_init": 3}])
def test_same_seed_same_bits_for_any_threads(parameters):
    one, other = fitted(**parameters), fitted(n_jobs=3, **parameters)
    assert np.array_equal(one.centres_, other.centres_)
    assert one.inertia_ == other.inertia_


def test_other_seed_other_centres():
    assert not np.array_equal(fitted().centres_, fitted(random_state=1).centres_)


def test_more_starts_never_raise_the_inertia():
    assert fitted(n_init=5).inertia_ <= fitted().inertia_


def test_sample_above_max_rows_is_cut():
    sample = np.repeat(np.arange(250, dtype=np.uint8)[:, None], 2, axis=1)
    with pytest.warns(UserWarning, match="only 9 distinct descriptors"):
        codebook = Codebook(10, max_rows=9, random_state=0).fit(sample)
    assert codebook.inertia_ == 0


def test_fewer_distinct_rows_than_words():
    sample = np.repeat(make_values(3), 50, axis=0)
    with pytest.warns(UserWarning, match=r"only 3 distinct descriptors.*3 words instead of 8"):
        codebook = Codebook(8, random_state=0).fit(sample)
    assert codebook.n_words_ == len(codebook.centres_) == 3
    assert set(codebook.words(sample, no_flat(sample))) == {0, 1, 2}
    assert set(codebook.words(sample, ~no_flat(sample))) == {3}


def test_enough_distinct_rows_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Codebook(5, random_state=0).fit(make_values(5)).n_words_ == 5


def test_arrays_restore_the_words():
    codebook, values = fitted(), make_values(50)
    other = clone(codebook).set_arrays(codebook.get_arrays())
    for twin in (other, pickle.loads(pickle.dumps(codebook)), copy.deepcopy(codebook)):
        assert np.array_equal(
            twin.words(values, no_flat(values)), codebook.words(values, no_flat(values))
        )


@pytest.mark.parametrize(
    ("centres", "message"),
    [
        (np.zeros((2, 3)), "float32 of two dimensions"),
        (np.zeros(3, dtype=np.float32), "float32 of two dimensions"),
        (np.zeros((21, 3), dtype=np.float32), "1 to 20 rows"),
        (np.full((2, 3), 256, dtype=np.float32), "between 0 and 255"),
        (np.full((2, 3), np.nan, dtype=np.float32), "between 0 and 255"),
        (np.full((2, 3), 0.1, dtype=np.float32), "multiples of 1/128"),
    ],
)
def test_refuses_foreign_arrays(centres, message):
    with pytest.raises(ValueError, match=message):
        Codebook(20).set_arrays({"centres": centres})


def test_refuses_what_is_no_descriptor():
    codebook, values = CODEBOOKS[128], make_values(4)
    with pytest.raises(NotFittedError):
        Codebook().words(values, no_flat(values))
    with pytest.raises(ValueError, match="the sample is empty"):
        Codebook().fit(values[:0])
    with pytest.raises(TypeError, match="uint8"):
        Codebook().fit(values.astype(float))
    with pytest.raises(ValueError, match="two dimensions"):
        codebook.words(values[0], no_flat(values))
    with pytest.raises(ValueError, match="rows of 64 columns, centres of 128"):
        codebook.words(values[:, :64], no_flat(values))
    with pytest.raises(ValueError, match=r"flat must have the shape \(4,\)"):
        codebook.words(values, no_flat(values)[:3])
    with pytest.raises(TypeError, match="booleans"):
        codebook.words(values, np.zeros(4, dtype=int))


@pytest.mark.parametrize(
    "parameters",
    [{"n_words": 0}, {"n_words": 65535}, {"n_init": 0}, {"max_iter": -1}, {"tol": -1.0},
     {"max_rows": 0}],
)  # fmt: skip
def test_refuses_parameters(parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        Codebook(**parameters).fit(make_values(4))
