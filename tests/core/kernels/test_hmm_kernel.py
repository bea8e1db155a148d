"""The HMM kernel against its NumPy twin, exact enumeration, and itself in other batches."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sfmcore.data.ragged import Ragged
from sfmcore.kernels import _hmm, _random
from tests.twins import core as twins

# The kernel's block, whose alpha is kept; longer sequences go through checkpoints.
BLOCK = 1024


def make_model(n_states, n_symbols, seed=0, concentration=1.0):
    random = np.random.default_rng([seed, n_states, n_symbols])
    shares = [
        random.dirichlet(np.full(size, concentration), rows)
        for size, rows in [(n_states, 1), (n_states, n_states), (n_symbols, n_states)]
    ]
    start, transition, emission = (np.maximum(a, 1e-12) for a in shares)
    return (
        start[0] / start.sum(),
        transition / transition.sum(1, keepdims=True),
        emission / emission.sum(1, keepdims=True),
    )


def make_batch(lengths, n_symbols, seed=0):
    random = np.random.default_rng([seed, n_symbols])
    return Ragged.from_items([random.integers(0, n_symbols, n, dtype=np.uint8) for n in lengths])


def arguments(batch, model, order=None):
    order = np.arange(len(batch)) if order is None else np.asarray(order, dtype=np.int64)
    return batch.values, batch.offsets, order, *model


def n_features(model):
    n_states, n_symbols = model[2].shape
    return n_states + 2 * n_states**2 + n_states * n_symbols


def expected(batch, model, *, order=None, n_threads=1):
    out = np.full((len(batch), n_features(model)), np.nan, dtype=np.float32)
    scores = _hmm.expected_features(*arguments(batch, model, order), out, n_threads)
    return out, scores


def keys_for(batch, seed=0):
    return _random.stream_keys(seed, 1, np.arange(len(batch), dtype=np.uint64))


def drawn(batch, model, keys, n_draws, *, order=None, n_threads=1):
    out = np.full((len(batch) * n_draws, n_features(model)), np.nan, dtype=np.float32)
    _hmm.drawn_features(*arguments(batch, model, order), keys, n_draws, out, n_threads)
    return out


def twin_rows(batch, model):
    return np.array([twins.hmm_features(item, *model) for item in batch])


def path_row(codes, path, model):
    """Features of one path: its counts, and the transitions times the log posterior."""
    first, steps, out = (np.zeros_like(block) for block in model)
    for t, (state, code) in enumerate(zip(path, codes, strict=True)):
        out[state, code] += 1
        if t == 0:
            first[state] += 1
        else:
            steps[path[t - 1], state] += 1
    log_posterior = twins.log_posterior(twins.hmm_statistics(codes, *model)[1])
    return np.concatenate([first, steps.ravel(), out.ravel(), (steps * log_posterior).ravel()])


def twin_paths(codes, model, key, n_draws):
    """Paths of the kernel's stream: numbers go by block, then draw, then time, all backwards."""
    length = len(codes)
    stream = iter(twins.uniform_stream(key, length * n_draws))
    numbers = [[] for _ in range(n_draws)]
    for begin in range((length - 1) // BLOCK * BLOCK, -1, -BLOCK):
        for draw in range(n_draws):
            numbers[draw] += [next(stream) for _ in range(begin, min(begin + BLOCK, length))]
    return [twins.hmm_path(codes, *model, np.array(u)) for u in numbers]


# Lengths around 0, 1 and a few; counts of items around the eight lanes.
@st.composite
def cases(draw, max_states=13, max_symbols=30):
    n_states, n_symbols = draw(st.integers(1, max_states)), draw(st.integers(1, max_symbols))
    n_items = draw(st.sampled_from([0, 1, 2, 7, 8, 9, 17]))
    lengths = draw(st.lists(st.integers(0, 20), min_size=n_items, max_size=n_items))
    seed = draw(st.integers(0, 1000))
    concentration = draw(st.sampled_from([0.05, 1.0]))
    batch = make_batch(lengths, n_symbols, seed)
    order = draw(st.permutations(range(n_items)))
    return batch, make_model(n_states, n_symbols, seed, concentration), np.array(order, np.int64)


@given(cases())
@settings(max_examples=100, deadline=None)
def test_log_likelihood_equals_twin(case):
    batch, model, order = case
    found = _hmm.log_likelihood(*arguments(batch, model, order), 1)
    twin = [twins.hmm_forward(item, *model)[1] for item in batch]
    np.testing.assert_allclose(found, twin, rtol=1e-12, atol=1e-12)


@given(cases(), st.integers(0, 99))
@settings(max_examples=100, deadline=None)
def test_expected_statistics_equal_weighted_sum_of_twins(case, seed):
    batch, model, order = case
    weights = np.random.default_rng(seed).uniform(0, 3, len(batch))
    total, scores = _hmm.expected_statistics(*arguments(batch, model, order), weights, 1)
    n_statistics = n_features(model) - len(model[0]) ** 2
    twin = np.zeros(n_statistics)
    if len(batch):
        twin += weights @ twin_rows(batch, model)[:, :n_statistics]
    np.testing.assert_allclose(total, twin, rtol=1e-9, atol=1e-11)
    assert np.array_equal(scores, _hmm.log_likelihood(*arguments(batch, model, order), 1))


@given(cases())
@settings(max_examples=100, deadline=None)
def test_expected_features_equal_twin(case):
    batch, model, order = case
    found, scores = expected(batch, model, order=order)
    if len(batch):
        np.testing.assert_allclose(found, twin_rows(batch, model), rtol=2e-6, atol=1e-9)
    assert np.array_equal(scores, _hmm.log_likelihood(*arguments(batch, model, order), 1))


@given(cases(), st.integers(1, 3), st.integers(0, 99))
@settings(max_examples=80, deadline=None)
def test_drawn_paths_equal_twin_for_the_same_stream(case, n_draws, seed):
    batch, model, order = case
    keys = keys_for(batch, seed)
    found = drawn(batch, model, keys, n_draws, order=order)
    n_counts = n_features(model) - len(model[0]) ** 2
    for item, codes in enumerate(batch):
        paths = twin_paths(codes, model, int(keys[item]), n_draws)
        for row, path in zip(found[item * n_draws :], paths, strict=False):
            twin = path_row(codes, path, model)
            # Counts are whole numbers, so a path that differs in one state shows.
            assert np.array_equal(row[:n_counts], twin[:n_counts])
            np.testing.assert_allclose(row[n_counts:], twin[n_counts:], rtol=2e-6, atol=1e-9)


LONG = [1023, 1024, 1025, 2500, 0, 3, 2048, 2049, 1]


@pytest.mark.parametrize("n_states", [3, 10])
def test_sequences_longer_than_a_block_equal_twin(n_states):
    model = make_model(n_states, 5)
    batch = make_batch(LONG, 5)
    twin = twin_rows(batch, model)
    found, scores = expected(batch, model)
    np.testing.assert_allclose(found, twin, rtol=1e-5, atol=1e-6)
    forward = [twins.hmm_forward(item, *model)[1] for item in batch]
    np.testing.assert_allclose(scores, forward, rtol=1e-12)
    weights = np.linspace(0.5, 2.0, len(batch))
    total, _ = _hmm.expected_statistics(*arguments(batch, model), weights, 1)
    np.testing.assert_allclose(total, weights @ twin[:, : len(total)], rtol=1e-10, atol=1e-9)


def test_drawn_paths_across_blocks_equal_twin():
    model = make_model(3, 5)
    batch = make_batch(LONG, 5)
    keys = keys_for(batch)
    found = drawn(batch, model, keys, 2)
    n_counts = n_features(model) - 9
    for item, codes in enumerate(batch):
        for draw, path in enumerate(twin_paths(codes, model, int(keys[item]), 2)):
            twin = path_row(codes, path, model)
            assert np.array_equal(found[2 * item + draw, :n_counts], twin[:n_counts])


def every_path(codes, model):
    """All state paths of a sequence, and their joint probabilities with it."""
    start, transition, emission = model
    paths = np.array(list(itertools.product(range(len(start)), repeat=len(codes))))
    joint = start[paths[:, 0]] * emission[paths, codes].prod(1)
    return paths, joint * transition[paths[:, :-1], paths[:, 1:]].prod(1)


def test_draws_follow_the_enumerated_posterior_of_paths():
    model = make_model(3, 4, seed=4, concentration=3.0)
    # Four different symbols: the counts of emissions tell the path.
    codes = np.array([1, 3, 0, 2], dtype=np.uint8)
    paths, joint = every_path(codes, model)
    batch = Ragged.from_items([codes])
    n_draws = 60_000
    rows = drawn(batch, model, keys_for(batch, 5), n_draws)
    states = rows[:, 12:24].reshape(n_draws, 3, 4)[:, :, codes].argmax(1)
    found = np.bincount(states @ 3 ** np.arange(4), minlength=81)[paths @ 3 ** np.arange(4)]
    wanted = joint / joint.sum() * n_draws
    assert len(paths) == 81
    # Cells with fewer than 5 expected go together, as the test's approximation asks.
    rare = wanted < 5
    observed = np.append(found[~rare], found[rare].sum())
    wanted = np.append(wanted[~rare], wanted[rare].sum())
    assert len(wanted) > 70
    # A fixed seed: the limit is a fair test's at 1e-3.
    assert stats.chisquare(observed, wanted).pvalue > 1e-3


def test_log_likelihood_equals_sum_over_enumerated_paths():
    model = make_model(3, 4, seed=4)
    codes = np.array([2, 2, 1, 0, 3], dtype=np.uint8)
    joint = every_path(codes, model)[1]
    found = _hmm.log_likelihood(*arguments(Ragged.from_items([codes]), model), 1)
    np.testing.assert_allclose(found, np.log(joint.sum()), rtol=1e-12)


def test_mean_of_draws_equals_expected_features():
    model = make_model(4, 6)
    batch = make_batch([1, 12, 30], 6)
    n_draws = 20_000
    rows = drawn(batch, model, keys_for(batch, 1), n_draws).reshape(3, n_draws, -1)
    means = rows.mean(1, dtype=np.float64)
    errors = rows.std(1, dtype=np.float64) / np.sqrt(n_draws)
    # Five standard errors for each of 240 cells, with a fixed seed.
    assert np.all(np.abs(means - expected(batch, model)[0]) <= 5 * errors + 1e-5)


@given(cases(max_states=11), st.data())
@settings(max_examples=80, deadline=None)
def test_rows_have_the_same_bits_alone_and_in_any_batch(case, data):
    batch, model, order = case
    keys = keys_for(batch)
    all_expected, all_scores = expected(batch, model, order=order)
    all_drawn = drawn(batch, model, keys, 2, order=order).reshape(len(batch), 2, n_features(model))
    picked = data.draw(st.permutations(range(len(batch)))) if len(batch) else []
    picked = picked[: data.draw(st.integers(0, len(batch)))]
    part = batch[np.array(picked, dtype=np.int64)]
    rows, scores = expected(part, model)
    assert np.array_equal(rows, all_expected[picked])
    assert np.array_equal(scores, all_scores[picked])
    own_keys = keys[np.array(picked, dtype=np.int64)]
    rows = drawn(part, model, own_keys, 2).reshape(len(part), 2, n_features(model))
    assert np.array_equal(rows, all_drawn[picked])


@pytest.mark.parametrize("lengths", [[5, 1500, 0, 40] * 3, [60] * 40])
def test_long_and_short_neighbours_leave_the_bits_alone(lengths):
    model = make_model(10, 22)
    batch = make_batch(lengths, 22)
    rows, scores = expected(batch, model)
    draws = drawn(batch, model, keys_for(batch), 3).reshape(len(batch), 3, -1)
    for item in range(0, len(batch), 5):
        alone = batch[[item]]
        assert np.array_equal(expected(alone, model)[0], rows[[item]])
        assert _hmm.log_likelihood(*arguments(alone, model), 1)[0] == scores[item]
        own_keys = keys_for(batch)[[item]]
        assert np.array_equal(drawn(alone, model, own_keys, 3), draws[item])


@pytest.mark.parametrize("longest", [41, 45, 56, 1024, 1500])
def test_double_sums_have_the_same_bits_beside_a_longer_sequence(longest):
    # Rows are rounded to float32 and might hide a difference.
    model = make_model(5, 4)
    batch = make_batch([40, longest], 4)
    alone = _hmm.expected_statistics(*arguments(batch[:1], model), np.ones(1), 1)
    beside = _hmm.expected_statistics(*arguments(batch, model), np.array([1.0, 0.0]), 1)
    np.testing.assert_array_equal(beside[0], alone[0])
    assert beside[1][0] == alone[1][0]


def test_improbable_neighbours_leave_the_bits_alone():
    # The logarithm of the running product is taken when it gets small, in its own lane only.
    start, transition, emission = make_model(4, 5)
    emission[:, 4] = 1e-12
    model = start, transition, emission
    usual = make_batch([70, 61, 200], 4)
    improbable = Ragged.from_items([np.full(n, 4, np.uint8) for n in (70, 61, 200)])
    scores = _hmm.log_likelihood(*arguments(usual.joined(improbable), model), 1)
    assert np.array_equal(scores[:3], _hmm.log_likelihood(*arguments(usual, model), 1))
    assert np.array_equal(scores[3:], _hmm.log_likelihood(*arguments(improbable, model), 1))


@pytest.mark.parametrize("n_states", [4, 10])
def test_any_number_of_threads_gives_the_same_bits(n_states):
    model = make_model(n_states, 22)
    # 300 items are at least four chunks of every function.
    batch = make_batch(np.random.default_rng(0).integers(0, 90, 300), 22)
    weights = np.random.default_rng(1).uniform(0, 1, 300)
    results = []
    for n_threads in (1, 2, 3):
        scores = _hmm.log_likelihood(*arguments(batch, model), n_threads)
        total, _ = _hmm.expected_statistics(*arguments(batch, model), weights, n_threads)
        rows, _ = expected(batch, model, n_threads=n_threads)
        draws = drawn(batch, model, keys_for(batch), 2, n_threads=n_threads)
        results.append([a.tobytes() for a in (scores, total, rows, draws)])
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("n_states", [1, 2, 3, 10, 13, 20, 30])
def test_all_widths_of_vectors_agree(in_width, n_states):
    # Short and long ones in one group of eight, a group of short ones, and one that is not full.
    lengths = [1, 40, BLOCK, 0, 5, BLOCK + 1, 2 * BLOCK + 300, 1, *range(10, 18), 33, 1, 16]
    model, batch = make_model(n_states, 22), make_batch(lengths, 22)
    weights = np.random.default_rng(0).uniform(0, 2, len(batch))
    results = []
    for width in (512, 256, 128):
        with in_width(width):
            scores = _hmm.log_likelihood(*arguments(batch, model), 1)
            total, own = _hmm.expected_statistics(*arguments(batch, model), weights, 1)
            rows, again = expected(batch, model)
            draws = drawn(batch, model, keys_for(batch), 3)
        results.append((scores, total, own, again, rows, draws))
    eight, four, two = results
    assert [a.tobytes() for a in four] == [a.tobytes() for a in eight]
    # A processor multiplies and adds at once in the wider ones only.
    for found, wanted in zip(two[:4], eight[:4], strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12)
    np.testing.assert_allclose(two[4], eight[4], rtol=1e-6, atol=1e-12)
    n_statistics = n_features(model) - n_states**2
    assert np.array_equal(two[5][:, :n_statistics], eight[5][:, :n_statistics])
    np.testing.assert_allclose(two[5], eight[5], rtol=1e-6, atol=1e-12)


def test_sums_of_many_chunks_equal_twin():
    # Above 8 * 256 * 8 items a chunk grows, so that there are never more than 256.
    model = make_model(2, 3)
    lengths = np.random.default_rng(0).integers(0, 4, 17_000)
    batch = make_batch(lengths, 3)
    total, scores = _hmm.expected_statistics(*arguments(batch, model), np.ones(17_000), 2)
    rows, alone = expected(batch, model)
    np.testing.assert_allclose(total, rows[:, : len(total)].sum(0, dtype=np.float64), rtol=1e-6)
    assert np.array_equal(scores, alone)
    assert total[:2].sum() == pytest.approx(np.count_nonzero(lengths), rel=1e-12)
    assert total[-6:].sum() == pytest.approx(lengths.sum(), rel=1e-12)


def test_rows_written_into_a_column_slice_leave_the_rest_alone():
    model = make_model(3, 4)
    batch = make_batch([4, 0, 7, 2], 4)
    width = n_features(model)
    keys = keys_for(batch)
    for n_rows, write, contiguous in [
        (4, lambda out: _hmm.expected_features(*arguments(batch, model), out, 1), expected),
        (
            8,
            lambda out: _hmm.drawn_features(*arguments(batch, model), keys, 2, out, 1),
            lambda batch, model: (drawn(batch, model, keys, 2),),
        ),
    ]:
        wide = np.full((n_rows, width + 8), -7, dtype=np.float32)
        write(wide[:, 3 : 3 + width])
        assert np.array_equal(wide[:, 3 : 3 + width], contiguous(batch, model)[0])
        assert np.all(wide[:, :3] == -7)
        assert np.all(wide[:, 3 + width :] == -7)
        # Rows that run backwards in memory are rows, too.
        backwards = np.empty((n_rows, width), dtype=np.float32)[::-1]
        write(backwards)
        assert np.array_equal(backwards, contiguous(batch, model)[0])


def extreme_model(n_states=4, n_symbols=5):
    """Every row is almost certain of one cell; the others have 1e-12."""

    def certain(rows, columns, shift):
        block = np.full((rows, columns), 1e-12)
        block[np.arange(rows), (np.arange(rows) + shift) % columns] = 1.0
        return block / block.sum(1, keepdims=True)

    return (
        certain(1, n_states, 0)[0],
        certain(n_states, n_states, 1),
        certain(n_states, n_symbols, 0),
    )


def test_extreme_probabilities_stay_finite():
    model = extreme_model()
    # Random codes are nearly impossible at every step; symbol 4 is so in every state.
    batch = make_batch([5000, 5000, 1], 5)
    batch = batch.joined(Ragged.from_items([np.full(5000, 4), np.arange(5000) % 4]))
    rows, scores = expected(batch, model)
    assert np.all(np.isfinite(rows))
    assert np.all(np.isfinite(scores))
    forward = [twins.hmm_forward(item, *model)[1] for item in batch]
    np.testing.assert_allclose(scores, forward, rtol=1e-12, atol=1e-8)
    total, _ = _hmm.expected_statistics(*arguments(batch, model), np.ones(5), 1)
    assert np.all(np.isfinite(total))
    assert total[-20:].sum() == pytest.approx(20_001, rel=1e-9)
    draws = drawn(batch, model, keys_for(batch), 2)
    assert np.all(np.isfinite(draws))
    counts = draws[:, 4 + 16 : 4 + 16 + 20].sum(1)
    assert counts.tolist() == [5000, 5000, 5000, 5000, 1, 1, 5000, 5000, 5000, 5000]


@pytest.mark.parametrize("tiny", [0.0, 1e-310], ids=["zero", "denormal"])
def test_impossible_sequences_have_no_likelihood_and_no_nan(tiny):
    start, transition, emission = make_model(3, 4)
    emission[:, 2] = tiny
    model = start, transition, emission
    possible, impossible = [0, 1, 3, 1], [[2], [0, 1, 2], [2, 0, 1], [0, 2, 1, 2, 3]]
    batch = Ragged.from_items([possible, *impossible, possible])
    with np.errstate(all="raise"):
        rows, scores = expected(batch, model)
        total, _ = _hmm.expected_statistics(*arguments(batch, model), np.ones(6), 1)
        draws = drawn(batch, model, keys_for(batch), 2)
    assert np.all(scores[1:5] < -700)
    assert tiny or np.all(np.isneginf(scores[1:5]))
    assert not np.any(np.isnan(rows))
    assert not np.any(np.isnan(total))
    assert not np.any(np.isnan(draws))
    alone = Ragged.from_items([possible])
    assert np.array_equal(rows[[0, 5]], np.repeat(expected(alone, model)[0], 2, axis=0))
    assert np.all(np.isfinite(scores[[0, 5]]))


def test_empty_batch_and_empty_items():
    model = make_model(3, 4)
    nothing = Ragged.from_items([])
    assert _hmm.log_likelihood(*arguments(nothing, model), 2).shape == (0,)
    total, scores = _hmm.expected_statistics(*arguments(nothing, model), np.ones(0), 2)
    assert not total.any()
    assert scores.shape == (0,)
    assert expected(nothing, model)[0].shape == (0, n_features(model))
    drawn(nothing, model, keys_for(nothing), 3)
    empty = Ragged.from_items([[], [], []])
    rows, scores = expected(empty, model)
    assert not rows.any()
    assert not scores.any()
    assert not drawn(empty, model, keys_for(empty), 2).any()
    assert drawn(empty, model, keys_for(empty), 0).shape == (0, n_features(model))


def test_read_only_inputs_are_accepted():
    model = make_model(3, 4)
    batch = make_batch([4, 5], 4)
    keys, weights, order = keys_for(batch), np.ones(2), np.arange(2)
    for array in (batch.values, batch.offsets, order, keys, weights, *model):
        array.flags.writeable = False
    given = arguments(batch, model, order)
    _hmm.log_likelihood(*given, 1)
    _hmm.expected_statistics(*given, weights, 1)
    _hmm.expected_features(*given, np.empty((2, n_features(model)), np.float32), 1)
    _hmm.drawn_features(*given, keys, 1, np.empty((2, n_features(model)), np.float32), 1)


def test_parameters_may_be_lists_floats_or_slices():
    start, transition, emission = make_model(3, 4)
    batch = make_batch([4, 5], 4)
    plain = _hmm.log_likelihood(*arguments(batch, (start, transition, emission)), 1)
    lists = start.tolist(), transition.tolist(), emission.tolist()
    assert np.array_equal(_hmm.log_likelihood(*arguments(batch, lists), 1), plain)
    strided = start, np.repeat(transition, 2, axis=1)[:, ::2], np.asfortranarray(emission)
    assert np.array_equal(_hmm.log_likelihood(*arguments(batch, strided), 1), plain)


MODEL = make_model(3, 4)
BATCH = make_batch([4, 0, 5], 4)
GOOD = dict(
    zip(
        ["values", "offsets", "order", "start", "transition", "emission"],
        arguments(BATCH, MODEL),
        strict=True,
    )
)
BAD = {
    "code beyond the alphabet": {"values": np.full(9, 4, np.uint8)},
    "code far beyond": {"values": np.full(9, 255, np.uint8)},
    "values of another dtype": {"values": BATCH.values.astype(np.int32)},
    "values in two dimensions": {"values": BATCH.values.reshape(3, 3)},
    "values with a stride": {"values": np.repeat(BATCH.values, 2)[::2]},
    "values as a list": {"values": BATCH.values.tolist()},
    "no values": {"values": None},
    "offsets of another dtype": {"offsets": BATCH.offsets.astype(np.int32)},
    "too few offsets": {"offsets": BATCH.offsets[:-1].copy()},
    "no offsets": {"offsets": np.zeros(0, np.int64), "order": np.zeros(0, np.int64)},
    "offsets beyond the values": {"offsets": np.array([0, 4, 4, 10])},
    "offsets far beyond the values": {"offsets": np.array([0, 4, 4, 1 << 40])},
    "falling offsets": {"offsets": np.array([0, 5, 4, 9])},
    "offsets below zero": {"offsets": np.array([-1, 4, 4, 9])},
    "order of another dtype": {"order": np.arange(3, dtype=np.int32)},
    "order beyond the items": {"order": np.array([0, 1, 3])},
    "order far beyond the items": {"order": np.array([0, 1, 1 << 40])},
    "order below zero": {"order": np.array([0, 1, -1])},
    "order that names one twice": {"order": np.array([0, 1, 1])},
    "order too long": {"order": np.arange(4)},
    "start of another size": {"start": np.full(2, 0.5)},
    "start in two dimensions": {"start": np.full((3, 1), 0.3)},
    "transition of another shape": {"transition": np.full((3, 2), 0.5)},
    "transition in one dimension": {"transition": np.full(3, 0.5)},
    "emission of another shape": {"emission": np.full((2, 4), 0.25)},
    "emission in one dimension": {"emission": np.full(4, 0.25)},
    "emission as words": {"emission": np.full((3, 4), "a")},
    "no states": {
        "start": np.zeros(0),
        "transition": np.zeros((0, 0)),
        "emission": np.zeros((0, 4)),
    },
    "no thread": {"n_threads": 0},
    "less than no thread": {"n_threads": -2},
    "threads as a word": {"n_threads": "two"},
}


@pytest.mark.parametrize("name", BAD)
def test_bad_arguments_are_refused_by_every_function(name):
    bad = {**GOOD, "n_threads": 1, **BAD[name]}
    n_threads = bad.pop("n_threads")
    out = np.zeros((3, n_features(MODEL)), np.float32)
    keys = keys_for(BATCH)
    calls = [
        lambda: _hmm.log_likelihood(*bad.values(), n_threads),
        lambda: _hmm.expected_statistics(*bad.values(), np.ones(3), n_threads),
        lambda: _hmm.expected_features(*bad.values(), out, n_threads),
        lambda: _hmm.drawn_features(*bad.values(), keys, 1, out, n_threads),
    ]
    for call in calls:
        with pytest.raises((ValueError, TypeError)):
            call()
    assert not out.any()


WIDTH = n_features(MODEL)
READ_ONLY = np.zeros((3, WIDTH), np.float32)
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    "out",
    [
        np.zeros((3, WIDTH)),
        np.zeros((3, WIDTH), ">f4"),
        np.zeros((2, WIDTH), np.float32),
        np.zeros((3, WIDTH - 1), np.float32),
        np.zeros(3 * WIDTH, np.float32),
        np.zeros((WIDTH, 3), np.float32).T,
        np.zeros((3, 2 * WIDTH), np.float32)[:, ::2],
        READ_ONLY,
    ],
    ids=["float64", "big-endian", "rows", "columns", "flat", "transposed", "strided", "read-only"],
)
def test_bad_outputs_are_refused(out):
    with pytest.raises(ValueError, match=r"out|writable|read-only"):
        _hmm.expected_features(*GOOD.values(), out, 1)
    with pytest.raises(ValueError, match=r"out|writable|read-only"):
        _hmm.drawn_features(*GOOD.values(), keys_for(BATCH), 1, out, 1)


def test_bad_weights_keys_and_draws_are_refused():
    out = np.zeros((3, WIDTH), np.float32)
    with pytest.raises(ValueError, match="weights"):
        _hmm.expected_statistics(*GOOD.values(), np.ones(2), 1)
    with pytest.raises(ValueError, match="dimension"):
        _hmm.expected_statistics(*GOOD.values(), np.ones((3, 1)), 1)
    with pytest.raises(ValueError, match="keys"):
        _hmm.drawn_features(*GOOD.values(), keys_for(BATCH)[:2].copy(), 1, out, 1)
    with pytest.raises(ValueError, match="dtype"):
        _hmm.drawn_features(*GOOD.values(), np.zeros(3, np.int64), 1, out, 1)
    with pytest.raises(ValueError, match="out"):
        _hmm.drawn_features(*GOOD.values(), keys_for(BATCH), -1, out, 1)
    with pytest.raises(ValueError, match="out"):
        _hmm.drawn_features(*GOOD.values(), keys_for(BATCH), 2, out, 1)
