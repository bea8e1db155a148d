"""Kernels that share landmarks and distances: each as it is alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfmcore.features.kernel_family import KernelFamily
from sfmcore.features.kernel_functions import KERNELS, distances, of_distances
from sfmcore.features.nystroem import NystroemMap
from tests.core.features.test_nystroem import unit_rows


@pytest.mark.parametrize("shape", ["unit", "gaussian", "laplacian"])
@pytest.mark.parametrize("n_landmarks", [7, 100])
def test_features_are_those_of_a_kernel_alone_to_the_last_bit(shape, n_landmarks):
    rows, new = unit_rows(40), unit_rows(11, seed=2)
    rows[5] = rows[3]
    if shape != "unit":
        rows, new = 3.0 * rows.astype(float), 3.0 * new.astype(float)
    chosen = {"n_landmarks": n_landmarks, "seed": 4, "shape": shape}
    family = KernelFamily(rows, new, **chosen, n_threads=2)
    for gamma in (0.3, 2.0):
        alone = NystroemMap.of(rows, gamma=gamma, **chosen)
        trained, tested = family.features(gamma)
        assert trained.tobytes() == alone.apply(rows, 1).tobytes()
        assert tested.tobytes() == alone.apply(new, 1).tobytes()


@given(
    st.sampled_from(["unit", "gaussian", "laplacian"]),
    st.integers(1, 300),
    st.integers(1, 9),
    st.floats(1e-3, 50.0),
)
@settings(max_examples=40, deadline=None)
def test_a_kernel_is_its_distances_bent(shape, n_rows, n_points, gamma):
    rows, points = unit_rows(n_rows, 5, 1), unit_rows(n_points, 5, 2)
    gap = rows[:, None].astype(float) - points[None].astype(float)
    expected = np.abs(gap).sum(2) if shape == "laplacian" else (gap**2).sum(2)
    found = distances(shape, rows, points, 1)
    np.testing.assert_allclose(found, expected, atol=1e-6)
    kernel = of_distances(found, gamma)
    assert kernel.tobytes() == KERNELS[shape](rows, points, gamma, 1).tobytes()
    np.testing.assert_allclose(kernel, np.exp(-gamma * expected), atol=1e-4)


def test_a_far_row_has_no_kernel_and_no_warning():
    assert of_distances(np.array([[1e300, 0.0]]), 5.0).tolist() == [[pytest.approx(0.0), 1.0]]


def test_rows_that_are_nearly_equal_have_finite_features():
    same = np.ones((30, 2)) + 1e-14 * np.arange(30)[:, None]
    family = KernelFamily(same, same[:1], n_landmarks=30, seed=0, shape="gaussian")
    assert np.isfinite(family.features(1.0)[0]).all()
