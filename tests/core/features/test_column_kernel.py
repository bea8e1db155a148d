"""The kernel on the columns that stands in the place of models: its parameters."""

import numpy as np
import pytest
from sklearn.base import clone

from sfmcore.features.column_kernel import ColumnKernel


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("kernel", ("cubic", "unit", None)),
        ("gamma", (0, -1.0, np.inf, np.nan, "scale", True)),
        ("n_landmarks", (0, -1, 2.5, "all", None, True)),
    ],
)
def test_a_kernel_refuses_a_bad_value_by_name(name, values):
    for value in values:
        with pytest.raises(ValueError, match=rf"^{name} must") as caught:
            ColumnKernel(**{name: value}).check_parameters()
        assert repr(value) in str(caught.value)


def test_every_parameter_of_a_kernel_has_a_refusal_above():
    (mark,) = test_a_kernel_refuses_a_bad_value_by_name.pytestmark
    assert {name for name, _ in mark.args[1]} == set(ColumnKernel().get_params())


def test_a_kernel_is_a_value_of_its_parameters():
    kernel = ColumnKernel("laplacian", gamma=np.float64(0.5), n_landmarks=np.int64(7))
    kernel.check_parameters()
    assert clone(kernel).get_params() == kernel.get_params()
    before = dict(vars(kernel))
    rows = np.random.default_rng(0).normal(size=(30, 4))
    mapping = kernel.map_of(rows, np.ones(30), seed=0)
    # What is learnt is the map's own.
    assert vars(kernel) == before
    assert (len(mapping.kernel.landmarks), mapping.kernel.gamma) == (7, 0.125)
    assert mapping.models == ()
