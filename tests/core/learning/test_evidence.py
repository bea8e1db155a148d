"""Evidence of relatives, compared with a loop over items and classes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sfmcore.data.similarities import Similarities
from sfmcore.learning import evidence as module
from sfmcore.learning.evidence import N_COLUMNS, ReferenceClasses, evidence

MATRICES = arrays(
    np.float32,
    st.tuples(st.integers(0, 4), st.just(6)),
    elements=st.sampled_from([0.0, 0.0, 1.0, 2.5, 30.0, 31.0, 400.0]),
)
MEMBERS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2)), unique=True)


def plain(dense, members):
    out = np.zeros((len(dense), members.n_classes, N_COLUMNS))
    for item, row in enumerate(dense.astype(float)):
        for number in range(members.n_classes):
            own = row[members.references[members.classes == number]]
            own = -np.sort(-own[own > 0])
            first, second, third = np.pad(own, (0, 3))[:3]
            total = 4 * np.log(1 + np.sum(np.expm1(own / 4)))
            out[item, number] = [
                *(1 - np.exp(-first / scale) for scale in (10, 30, 100)),
                first / 50,
                second / 50,
                1 - np.exp(-second / 15),
                third / 50,
                1 - np.exp(-third / 15),
                total / 50,
            ]
    return out


@given(MATRICES, MEMBERS)
def test_evidence_is_that_of_a_loop(dense, pairs):
    pairs = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    members = ReferenceClasses(pairs[:, 0].copy(), pairs[:, 1].copy(), 3)
    found = evidence(Similarities.of(dense), members)
    assert np.allclose(found, plain(dense, members), atol=1e-6)


@given(MATRICES, MEMBERS)
def test_an_items_evidence_does_not_depend_on_the_others(dense, pairs):
    pairs = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    members = ReferenceClasses(pairs[:, 0].copy(), pairs[:, 1].copy(), 3)
    every = evidence(Similarities.of(dense), members)
    for item in range(len(dense)):
        assert np.array_equal(evidence(Similarities.of(dense[[item]]), members)[0], every[item])


def test_blocks_of_items_change_no_bit(monkeypatch):
    random = np.random.default_rng(0)
    dense = np.where(random.random((40, 12)) < 0.4, random.gamma(1.0, 20.0, (40, 12)), 0.0)
    similarities = Similarities.of(dense.astype(np.float32))
    members = ReferenceClasses(np.arange(12), np.arange(12) % 3, 3)
    whole = evidence(similarities, members)
    for most in (1, 7, 50):
        monkeypatch.setattr(module, "_MOST_ENTRIES", most)
        assert evidence(similarities, members).tobytes() == whole.tobytes()


def test_a_reference_has_the_classes_of_the_items_it_is():
    own, numbers = np.array([0, 0, 1, -1, 2, 0]), np.array([1, 1, 0, 2, -1, 2])
    members = ReferenceClasses.of(own, numbers, 3)
    pairs = list(zip(members.references.tolist(), members.classes.tolist(), strict=True))
    assert pairs == [(0, 1), (0, 2), (1, 0)]
