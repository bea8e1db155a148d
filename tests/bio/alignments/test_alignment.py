"""Local alignments: the kernels against their twins in every width and with two threads."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfmbio.alignments.blosum62 import BLOSUM62
from sfmbio.kernels import _alignment
from sfmcore.data.ragged import Ragged
from tests.twins import bio as twins

WIDTHS = (512, 256, 128)
WAYS = [(width, n_threads) for width in WIDTHS for n_threads in (1, 2)]
RANDOM = np.random.default_rng(0)
BACKGROUND = RANDOM.dirichlet(np.full(20, 5.0))
CONDITIONAL = RANDOM.dirichlet(np.full(20, 0.5), 20) * 0.4 + 0.6 * BACKGROUND


def batch(items):
    offsets = np.cumsum([0, *map(len, items)], dtype=np.int64)
    return np.array([code for item in items for code in item], dtype=np.uint8), offsets


def stacked(targets, n_symbols):
    offsets = np.cumsum([0, *map(len, targets)], dtype=np.int64)
    return np.concatenate([np.zeros((0, n_symbols)), *targets]).astype(np.int8), offsets


def scored(queries, targets, gaps=(12, 1), n_threads=1, n_symbols=22):
    out = np.full((len(queries), len(targets)), -7, dtype=np.int32)
    _alignment.scores(*batch(queries), *stacked(targets, n_symbols), *gaps, out, n_threads)
    return out


def along_diagonals(queries, targets, n_threads=1, n_symbols=22):
    out = np.full((len(queries), len(targets)), 7, dtype=np.uint8)
    _alignment.diagonals(*batch(queries), *stacked(targets, n_symbols), out, n_threads)
    return out


def scored_hits(queries, targets, hits, gaps=(12, 1), n_threads=1, n_symbols=22):
    numbers = np.array(hits, dtype=np.int64).reshape(len(queries), len(hits[0]) if queries else 0)
    out = np.full(numbers.shape, -7, dtype=np.int32)
    _alignment.scores_of_hits(
        *batch(queries), *stacked(targets, n_symbols), numbers, *gaps, out, n_threads
    )
    return out


def aligned(queries, targets, pairs, gaps=(12, 1), n_threads=1, n_symbols=22):
    offsets = np.cumsum([0, *(len(targets[hit]) for _, hit in pairs)], dtype=np.int64)
    out, scores = np.full(offsets[-1], 99, np.uint8), np.full(len(pairs), -7, np.int32)
    numbers = np.array(pairs, dtype=np.int64).reshape(-1, 2).T.copy()
    _alignment.align(
        *batch(queries), *stacked(targets, n_symbols), *numbers, *gaps, out, offsets, scores,
        n_threads,
    )  # fmt: skip
    return scores, np.split(out, offsets[1:-1]) if pairs else []


def expected(queries, targets, gaps=(12, 1)):
    return [
        [twins.alignment_score(query, target, *gaps) for target in targets] for query in queries
    ]


def rows(codes):
    return BLOSUM62[np.asarray(codes, dtype=int)]


def drawn(n_items, longest=70, seed=0):
    random = np.random.default_rng(seed)
    return [random.integers(0, 22, length) for length in random.integers(0, longest, n_items)]


@st.composite
def problems(draw):
    """Queries, targets, gaps and the number of symbols: few symbols, so that much is alike."""
    n_symbols = draw(st.integers(1, 5))
    low, high = draw(st.sampled_from([(-64, 63), (-4, 5), (-1, 2), (-30, 30), (1, 63)]))
    codes = st.lists(st.integers(0, n_symbols - 1), max_size=14)
    row = st.lists(st.integers(low, high), min_size=n_symbols, max_size=n_symbols)
    queries = draw(st.lists(codes, max_size=4))
    # Up to twelve targets are aligned one after another, and more of them side by side.
    targets = draw(st.lists(st.lists(row, max_size=14), max_size=16))
    gap_open = draw(st.integers(1, 63) | st.integers(1, 6))
    gaps = gap_open, draw(st.integers(1, gap_open))
    arrays = [np.array(target, dtype=int).reshape(-1, n_symbols) for target in targets]
    # From 16 symbols on, scores are packed 16 by 16; these are the last of as many.
    unused = draw(st.sampled_from([0, 16 - n_symbols, 22 - n_symbols, 40 - n_symbols]))
    arrays = [np.pad(own, ((0, 0), (unused, 0)), constant_values=low) for own in arrays]
    return [[code + unused for code in own] for own in queries], arrays, gaps, n_symbols + unused


@given(problems())
@settings(max_examples=100, deadline=None)
def test_scores_and_alignments_equal_twins(in_width, problem):
    queries, targets, gaps, n_symbols = problem
    found = [[twins.aligned(query, target, *gaps) for target in targets] for query in queries]
    for width, n_threads in WAYS:
        with in_width(width):
            scores = scored(queries, targets, gaps, n_threads, n_symbols)
        assert scores.tolist() == [[score for score, _ in line] for line in found]
    assert scores.tolist() == expected(queries, targets, gaps)
    pairs = [(query, hit) for hit in range(len(targets)) for query in range(len(queries))]
    for width, n_threads in WAYS:
        with in_width(width):
            tops, lines = aligned(queries, targets, pairs, gaps, n_threads, n_symbols)
        for (query, hit), top, line in zip(pairs, tops, lines, strict=True):
            assert (top, line.tolist()) == found[query][hit]
            assert twins.alignment_worth(queries[query], targets[hit], *gaps, line) == top


@given(problems(), st.data())
@settings(max_examples=100, deadline=None)
def test_diagonals_and_scores_of_some_equal_twins(in_width, problem, data):
    queries, targets, gaps, n_symbols = problem
    twin = [[twins.diagonal_score(query, target) for target in targets] for query in queries]
    n_hits = data.draw(st.integers(0, len(targets)))
    order = [data.draw(st.permutations(range(len(targets))))[:n_hits] for _ in queries]
    shape = len(queries), len(targets)
    found = np.array(expected(queries, targets, gaps), dtype=int).reshape(shape)
    some = [found[row, hits].tolist() for row, hits in enumerate(order)]
    for width, n_threads in WAYS:
        with in_width(width):
            assert along_diagonals(queries, targets, n_threads, n_symbols).tolist() == twin
            own = scored_hits(queries, targets, order, gaps, n_threads, n_symbols)
        assert own.tolist() == some


def test_diagonals_and_scores_of_some_in_groups(in_width):
    queries = drawn(5, seed=1)
    targets = [rows(codes) for codes in drawn(150, seed=2)]
    # One query is a target, and beyond 8 bits with itself.
    queries[2] = np.tile(np.arange(20), 6)
    targets[70] = rows(queries[2])
    twin = [[twins.diagonal_score(query, target) for target in targets] for query in queries]
    assert max(map(max, twin)) == 255
    every = np.array(expected(queries, targets))
    random = np.random.default_rng(0)
    hits = np.array([random.permutation(150)[:100] for _ in queries])
    hits[2, 0] = 70
    hits[2, 1:] = np.setdiff1d(np.arange(150), 70)[:99]
    for width, n_threads in WAYS:
        with in_width(width):
            assert along_diagonals(queries, targets, n_threads).tolist() == twin
            found = scored_hits(queries, targets, hits, n_threads=n_threads)
        assert np.array_equal(found, np.take_along_axis(every, hits, axis=1))


def test_hits_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="query 0 has no target 1"):
        scored_hits([[3]], [rows([3])], [[1]])
    with pytest.raises(ValueError, match="hits and out must have a row"):
        _alignment.scores_of_hits(
            *batch([[3]]), *stacked([rows([3])], 22), np.zeros((2, 1), np.int64), 12, 1,
            np.zeros((1, 1), np.int32), 1,
        )  # fmt: skip


@pytest.mark.parametrize(("n_queries", "n_targets"), [(1, 150), (150, 1), (9, 65), (2, 64)])
def test_groups_and_blocks_change_no_score(in_width, n_queries, n_targets):
    queries = drawn(n_queries, seed=1)
    targets = [rows(codes) for codes in drawn(n_targets, seed=2)]
    twin = expected(queries, targets)
    for width, n_threads in WAYS:
        with in_width(width):
            assert scored(queries, targets, n_threads=n_threads).tolist() == twin


def test_scores_beyond_8_bits_are_those_of_the_twin(in_width):
    random = np.random.default_rng(3)
    ancestors = [random.integers(0, 20, 200) for _ in range(2)]

    def descendant(number):
        codes = ancestors[number % 2][number % 30 :].copy()
        changed = random.random(len(codes)) < 0.02 * (number % 20)
        codes[changed] = random.integers(0, 20, np.sum(changed))
        return np.delete(codes, slice(60, 60 + number % 9))

    queries = [descendant(number) for number in range(5)]
    targets = [rows(descendant(number)) for number in range(90)]
    twin = np.array(expected(queries, targets))
    # Some stay in 8 bits, and of others there is more than one set of 32.
    assert np.sum(twin < 150) > 0
    assert np.sum((twin > 255).sum(axis=1) > 32) > 0
    for width, n_threads in WAYS:
        with in_width(width):
            assert np.array_equal(scored(queries, targets, n_threads=n_threads), twin)
    # More and fewer than are aligned side by side, and in no order.
    pairs = [(query, hit) for hit in range(89, -1, -1) for query in range(2) if hit % 2 == query]
    pairs += [(query, hit) for query in range(2, 5) for hit in range(query)]
    tops, lines = aligned(queries, targets, pairs)
    for (query, hit), top, line in zip(pairs, tops, lines, strict=True):
        assert top == twin[query, hit]
        assert twins.alignment_worth(queries[query], targets[hit], 12, 1, line) == top
    alone = [aligned(queries, targets, [pair])[1][0] for pair in pairs]
    for width, n_threads in WAYS:
        with in_width(width):
            others = aligned(queries, targets, pairs, n_threads=n_threads)
        assert np.array_equal(others[0], tops)
        assert np.array_equal(np.concatenate(others[1]), np.concatenate(alone))


@pytest.mark.parametrize("lowest", [-64, -3, 5])
@pytest.mark.parametrize("limit", [255, 65535])
@pytest.mark.parametrize("times", [1, 3])
def test_scores_around_the_largest_of_each_size(in_width, lowest, limit, times):
    # One symbol with one score: as many pairs as the shorter has symbols, and no gap.
    for score in (1, 5, 63) if limit == 255 else (63,):
        middle = (limit - max(0, -lowest)) // score
        lengths = sorted({middle + k for k in (-1, 0, 1, 2)} | {limit // score + 1})
        row = np.array([[score, lowest]])
        # One after another, and side by side.
        lengths = lengths * times
        targets = [np.repeat(row, length, axis=0) for length in lengths]
        queries = [np.zeros(max(lengths), dtype=int), np.array([0])]
        for width, n_threads in WAYS:
            with in_width(width):
                found = scored(queries, targets, (63, 63), n_threads, 2)
                tops, lines = aligned(
                    queries, targets, [(0, hit) for hit in range(len(targets))], (63, 63),
                    n_threads, 2,
                )  # fmt: skip
            assert found.tolist() == [[score * n for n in lengths], [score] * len(lengths)]
            assert np.array_equal(tops, found[0])
            assert not np.concatenate(lines).any()


def test_what_is_empty_scores_nothing():
    nothing = np.zeros((0, 22), dtype=int)
    for n_threads in (1, 2):
        found = scored([[], [4]], [nothing, rows([4]), rows([])], n_threads=n_threads)
        assert found.tolist() == [[0, 0, 0], [0, BLOSUM62[4, 4], 0]]
    assert scored([[], []], [rows([3])]).tolist() == [[0], [0]]
    assert scored([], [rows([3])]).shape == (0, 1)
    assert scored([[1]], []).shape == (1, 0)
    tops, lines = aligned([[], [4]], [nothing, rows([4, 5])], [(0, 0), (1, 0), (0, 1), (1, 1)])
    assert tops.tolist() == [0, 0, 0, BLOSUM62[4, 4]]
    assert [line.tolist() for line in lines] == [[], [], [255, 255], [4, 255]]
    assert aligned([[1]], [rows([1])], [])[0].shape == (0,)


def test_ties_are_broken_as_documented():
    flat = np.array([[2, -9], [-9, 2]])
    # Both symbols score 2 alone: the first position that ends an alignment, the first symbol there.
    assert aligned([[1, 0]], [flat], [(0, 0)], (9, 9), n_symbols=2)[1][0].tolist() == [0, 255]
    # The gap may lie over either of two positions that are alike: the last one is a pair.
    target = np.array([[5, -9, -9], [-9, 5, -9], [-9, 5, -9], [-9, -9, 5]])
    found = aligned([[0, 1, 2]], [target], [(0, 0)], (2, 1), n_symbols=3)
    assert found[0].tolist() == [13]
    assert found[1][0].tolist() == [0, 254, 1, 2]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"values": np.array([22], np.uint8)}, "codes must be below 22, got 22"),
        ({"offsets": np.array([0, 2])}, "offsets must lead from 0 to the end"),
        ({"offsets": np.array([1, 1])}, "offsets must lead from 0 to the end"),
        ({"offsets": np.array([0, 2, 1])}, "offsets must not fall"),
        ({"offsets": np.zeros(0, np.int64)}, "offsets must lead from 0 to the end"),
        ({"target_offsets": np.array([0, 1])}, "target_offsets must lead from 0 to the end"),
        ({"targets": np.full((2, 22), 64, np.int8)}, "scores must be from -64 to 63, got 64"),
        ({"targets": np.full((2, 22), -65, np.int8)}, "scores must be from -64 to 63, got -65"),
        ({"targets": np.zeros((2, 0), np.int8)}, "1 to 254 symbols, got 0"),
        ({"targets": np.zeros((2, 255), np.int8)}, "1 to 254 symbols, got 255"),
        ({"gap_open": 64}, "gap_extend must be from 1 to gap_open, and that at most 63"),
        ({"gap_extend": 13}, "got 13 and 12"),
        ({"gap_extend": 0}, "got 0 and 12"),
        ({"out": np.zeros((2, 1), np.int32)}, "out must have a row for each query"),
        ({"n_threads": 0}, "n_threads must be at least 1, got 0"),
    ],
)
def test_what_does_not_fit_is_refused(changed, message):
    given = {
        "values": np.array([3], np.uint8), "offsets": np.array([0, 1]),
        "targets": rows([3, 4]).copy(), "target_offsets": np.array([0, 2]), "gap_open": 12,
        "gap_extend": 1, "out": np.zeros((1, 1), np.int32), "n_threads": 1,
    }  # fmt: skip
    _alignment.scores(*given.values())
    with pytest.raises(ValueError, match=message):
        _alignment.scores(*(given | changed).values())


def test_pairs_that_do_not_fit_are_refused():
    queries, targets = [[3]], [rows([3, 4])]
    for pair in [(1, 0), (0, 1), (-1, 0), (0, -1)]:
        numbers = [np.array([number]) for number in pair]
        with pytest.raises(ValueError, match="pair 0 has no query"):
            _alignment.align(
                *batch(queries), *stacked(targets, 22), *numbers, 12, 1, np.zeros(2, np.uint8),
                np.array([0, 2]), np.zeros(1, np.int32), 1,
            )  # fmt: skip
    zero = np.zeros(1, np.int64)
    for size, end, message in [(1, 1, "a byte for each position"), (2, 1, "out_offsets must lead")]:
        with pytest.raises(ValueError, match=message):
            _alignment.align(
                *batch(queries), *stacked(targets, 22), zero, zero, 12, 1,
                np.zeros(size, np.uint8), np.array([0, end]), np.zeros(1, np.int32), 1,
            )  # fmt: skip


def test_spans_are_those_of_each_pair():
    # By hand: the bytes of a target say nothing of the symbols that lie between two of its own.
    items = [[18] * 5 + [6, 6] + [1] * 5, [18] * 5 + [1] * 5, [0]]
    pairs = np.array([[0, 1], [1, 0], [2, 0], [0, 0]]).T.copy()
    targets = stacked([rows(codes) for codes in items], 22)
    offsets = np.cumsum([0, 10, 12, 12, 12])
    for n_threads in (1, 2):
        spans = np.full((4, 2), -7)
        _alignment.align(
            *batch(items), *targets, *pairs, 12, 1, np.zeros(46, np.uint8), offsets,
            np.zeros(4, np.int32), n_threads, spans,
        )  # fmt: skip
        assert spans.tolist() == [[0, 12], [0, 10], [0, 0], [0, 12]]
    with pytest.raises(ValueError, match="spans must have two values for each pair"):
        _alignment.align(
            *batch(items), *targets, *pairs, 12, 1, np.zeros(46, np.uint8), offsets,
            np.zeros(4, np.int32), 1, spans[:3].copy(),
        )  # fmt: skip


@given(problems())
@settings(max_examples=60, deadline=None)
def test_places_are_those_of_the_symbols_and_rise(problem):
    queries, targets, gaps, n_symbols = problem
    pairs = [(query, hit) for hit in range(len(targets)) for query in range(len(queries))]
    numbers = np.array(pairs, dtype=np.int64).reshape(-1, 2).T.copy()
    offsets = np.cumsum([0, *(len(targets[hit]) for _, hit in pairs)], dtype=np.int64)
    out, places = np.zeros(offsets[-1], np.uint8), np.full(offsets[-1], -1, np.int64)
    spans = np.zeros((len(pairs), 2), np.int64)
    _alignment.align(
        *batch(queries), *stacked(targets, n_symbols), *numbers, *gaps, out, offsets,
        np.zeros(len(pairs), np.int32), 2, spans, places,
    )  # fmt: skip
    for number, (query, _) in enumerate(pairs):
        own = slice(offsets[number], offsets[number + 1])
        paired = places[own] >= 0
        assert np.array_equal(paired, out[own] < 254)
        some = places[own][paired]
        assert [queries[query][k] for k in some] == out[own][paired].tolist()
        assert np.all(np.diff(some) > 0)
        if len(some):  # an alignment begins and ends with a pair
            assert (some[0], some[-1] + 1) == tuple(spans[number])


def test_places_must_be_as_many_as_bytes():
    zero = np.zeros(1, np.int64)
    with pytest.raises(ValueError, match="places must be as many"):
        _alignment.align(
            *batch([[0]]), *stacked([rows([0])], 22), zero, zero, 12, 1, np.zeros(1, np.uint8),
            np.array([0, 1]), np.zeros(1, np.int32), 1, None, np.zeros(2, np.int64),
        )  # fmt: skip


def test_a_way_back_without_memory_is_an_error():
    # More than any address space holds.
    n = 20_000_000
    codes, ends, zero = np.zeros(n, np.uint8), np.array([0, n]), np.zeros(1, np.int64)
    target = np.zeros((n, 1), np.int8)
    with pytest.raises(MemoryError, match="no memory for the way back"):
        _alignment.align(
            codes, ends, target, ends, zero, zero, 2, 1, codes.copy(), ends,
            np.zeros(1, np.int32), 1,
        )  # fmt: skip


def profiled(own, members, base, near=0.94, window=5, limit=30, n_threads=1):
    """Scores of targets whose aligned members are given as rows."""
    out = np.full_like(base, 99)
    lines = [row for rows_of_one in members for row in rows_of_one]
    counts = np.cumsum([0, *map(len, members)], dtype=np.int64)
    _alignment.profile(
        *batch(own), *batch(lines), counts, base, CONDITIONAL, BACKGROUND, 0.3, 10.0, near, window,
        limit, out, n_threads,
    )  # fmt: skip
    return out


@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 5, 31]), st.sampled_from([0.4, 0.94, 1.1]))
@settings(max_examples=60, deadline=None)
def test_profiles_equal_twin(seed, window, near):
    random = np.random.default_rng(seed)
    own = [random.integers(0, random.choice([3, 22]), n) for n in random.integers(0, 25, 4)]
    other = [0, 1, 2, 7, 20, 21, 254, 255]
    members = [
        [np.where(random.random(len(codes)) < 0.6, codes, random.choice(other, len(codes)))
         for _ in range(random.integers(0, 5))]
        for codes in own
    ]  # fmt: skip
    base = random.integers(-9, 9, (sum(map(len, own)), 22)).astype(np.int8)
    found = profiled(own, members, base, near, window, 12)
    assert np.array_equal(found, profiled(own, members, base, near, window, 12, n_threads=2))
    assert np.array_equal(found[:, 20:], base[:, 20:])
    ends = np.cumsum([0, *map(len, own)])
    for number, codes in enumerate(own):
        part, kept = (x[ends[number] : ends[number + 1], :20] for x in (found, base))
        twin = twins.profile(
            codes, members[number], CONDITIONAL, BACKGROUND, 0.3, 10.0, near, window
        )
        if twin is None:
            assert np.array_equal(part, kept)
            continue
        missing = np.isnan(twin)
        assert np.array_equal(part[missing], kept[missing])
        # Half a score either way: the order of sums may tip what lies between two numbers.
        assert np.all(np.abs(part - np.clip(twin, -12, 12))[~missing] < 0.5 + 1e-9)


def test_profiles_of_what_does_not_fit_are_refused():
    own, base = [[1, 2]], np.zeros((2, 22), np.int8)
    assert profiled(own, [[[1, 3]]], base).any()
    for changed, message in [
        ({"window": 4}, "window must be odd"),
        ({"limit": 64}, "limit from 1 to 63"),
        ({"members": [[[1]]]}, "pair 0 must have a byte for each position"),
        ({"members": []}, "members must have one value more"),
        ({"base": base[:1].copy()}, "base and out must have a row"),
        ({"n_threads": 0}, "n_threads must be at least 1"),
    ]:
        with pytest.raises(ValueError, match=message):
            profiled(**({"own": own, "members": [[[1, 3]]], "base": base} | changed))


def test_codes_of_a_batch_are_taken_as_they_are():
    items = Ragged.from_items([[0, 1, 2], [2, 2]])
    out = np.zeros((2, 2), np.int32)
    targets = np.ascontiguousarray(BLOSUM62[items.values])
    _alignment.scores(items.values, items.offsets, targets, items.offsets, 12, 1, out, 1)
    assert out.tolist() == [[19, 6], [6, 12]]
