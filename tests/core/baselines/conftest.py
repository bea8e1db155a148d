"""Small fitted models that the tests of scores share."""

import itertools

import numpy as np
import pytest

from sfmcore.data.ragged import Ragged
from sfmcore.models.gmm import DiagonalGMM
from sfmcore.models.hmm import CategoricalHMM
from sfmcore.models.lda import LatentDirichletAllocation


@pytest.fixture(scope="module")
def hmm():
    random = np.random.default_rng(0)
    model = CategoricalHMM(3, 4)
    return model.set_arrays(
        {
            "start": random.dirichlet(np.ones(3)),
            "transition": random.dirichlet(np.ones(3), 3),
            "emission": random.dirichlet(np.ones(4), 3),
        }
    )


@pytest.fixture(scope="module")
def sequences():
    random = np.random.default_rng(1)
    return Ragged.from_items([random.integers(4, size=n) for n in (5, 1, 0, 6, 2, 5)])


@pytest.fixture(scope="module")
def gmm():
    random = np.random.default_rng(0)
    return DiagonalGMM(3).set_arrays(
        {
            "weights": random.dirichlet(np.ones(3)),
            "means": random.normal(size=(3, 2)),
            "variances": random.uniform(0.3, 2.0, (3, 2)),
            "column_variance": np.ones(2),
        }
    )


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(1).normal(size=(7, 2)) * 2.0


@pytest.fixture(scope="module")
def lda():
    topics = np.random.default_rng(0).dirichlet(np.ones(5), 3)
    return LatentDirichletAllocation(3, 5, alpha=0.7, tol=1e-7).set_arrays({"topics": topics})


@pytest.fixture(scope="module")
def documents():
    random = np.random.default_rng(1)
    return Ragged.from_items([random.integers(5, size=n) for n in (5, 1, 0, 6, 4)])


def paths(model, item):
    """Every path of a sequence and its P(path, x)."""
    for path in itertools.product(range(model.n_states), repeat=len(item)):
        joint = model.start_[path[0]] * model.emission_[path[0], item[0]]
        for before, state, code in zip(path, path[1:], item[1:], strict=False):
            joint *= model.transition_[before, state] * model.emission_[state, code]
        yield path, joint


@pytest.fixture(scope="module")
def all_paths():
    return paths
