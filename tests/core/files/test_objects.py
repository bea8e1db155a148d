"""Results taken apart and put together: the same bits, and no class but declared ones."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sfmcore.data.storable import storable
from sfmcore.files.container import pack, unpack
from sfmcore.files.objects import put_together, taken_apart
from sfmcore.models.hmm import CategoricalHMM
from tests.core.poisson import PoissonMixture

ARRAYS = hnp.arrays(
    st.sampled_from(["<f8", "<f4", "<i8", "|u1", "|b1"]), hnp.array_shapes(min_dims=0, max_dims=3)
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | ARRAYS,
    lambda parts: (
        st.lists(parts, max_size=3)
        | st.lists(parts, max_size=3).map(tuple)
        | st.dictionaries(st.text(), parts, max_size=3)
    ),
    max_leaves=8,
)


def through_a_file(value):
    plain, arrays = taken_apart(value)
    header, arrays = unpack(bytes(pack({"result": plain}, arrays)))
    return put_together(header["result"], arrays)


def same(one, other):
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return (
            one.dtype == other.dtype
            and one.shape == other.shape
            and one.tobytes() == (other.tobytes())
        )
    if isinstance(one, float):
        return one == other or (math.isnan(one) and math.isnan(other))
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) or (
            one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
        )
    return one == other


@given(VALUES.filter(lambda value: "\ud800" not in repr(value)))
def test_values_come_back_as_they_were(value):
    assert same(value, through_a_file(value))


@storable
class Thing:
    """A class of a caller."""


def test_an_object_in_two_places_is_one_object_again():
    thing, array = Thing(), np.arange(3)
    thing.array, thing.me = array, thing
    one, (other, again) = through_a_file([thing, (thing, array)])
    assert one is other
    assert one.me is one
    assert one.array is again
    assert again.tolist() == [0, 1, 2]


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_order_in_memory_stays(order):
    array = np.asarray(np.arange(6.0).reshape(2, 3), order=order)
    back = through_a_file(array)
    assert back.flags.f_contiguous == (order == "F")
    assert np.array_equal(back, array)


def test_scalars_of_numpy_stay_what_they_are():
    back = through_a_file([np.float32(0.1), np.int64(3), np.bool_(True)])
    assert [type(part) for part in back] == [np.float32, np.int64, np.bool_]
    assert back == [np.float32(0.1), 3, True]


@pytest.mark.parametrize("model", [CategoricalHMM(2, n_symbols=3), PoissonMixture()])
def test_a_model_of_any_kind_may_be_kept(model):
    model.means_ = np.arange(4.0)
    back = through_a_file(model)
    assert type(back) is type(model)
    assert vars(back).keys() == vars(model).keys()


@pytest.mark.parametrize("value", [object(), {1: 2}, {1, 2}, b"bytes", lambda: 0])
def test_what_is_not_declared_is_refused(value):
    with pytest.raises(TypeError, match="a result holds a"):
        taken_apart([value])


@pytest.mark.parametrize("name", ["os.system", "subprocess.Popen", "builtins.object", "no.such"])
def test_a_file_can_name_no_other_class(name):
    with pytest.raises(LookupError, match="is not known"):
        put_together({"object": name, "state": {}}, {})


def test_it_is_plain_json():
    plain, _ = taken_apart({"a": (1, [float("-inf")]), "b": "text"})
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
