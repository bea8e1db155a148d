"""Labels as they are given: classes, numbers, and which items have no label."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import DataConversionWarning

from sfmcore.data.targets import UNLABELED, numbered_labels, require_two_classes

NAN = float("nan")


def numbered(y, unlabeled="auto"):
    """Classes and numbers as plain lists."""
    classes, numbers = numbered_labels(y, len(y), unlabeled)
    assert numbers.dtype == np.int64
    return classes.tolist(), numbers.tolist()


def objects(*labels):
    return np.array([*labels, None], dtype=object)[:-1]


# Classes


@given(
    st.lists(st.one_of(st.none(), st.integers(0, 5)), min_size=1, max_size=30),
    st.sampled_from([list, tuple, lambda y: np.array(y, dtype=object)]),
)
def test_numbers_are_places_in_the_sorted_classes(y, container):
    classes, numbers = numbered_labels(container(y), len(y))
    assert classes.tolist() == sorted({label for label in y if label is not None})
    assert [None if k == UNLABELED else classes[k] for k in numbers] == y


@pytest.mark.parametrize(
    ("y", "kind"),
    [
        (["b", "a", "b"], "U"),
        ([7, 3, 7], "i"),
        (np.array([7, 3, 7], dtype=np.uint8), "u"),
        ([1.0, 0.0, 1.0], "f"),
        ([True, False, True], "b"),
        ([np.True_, np.False_, np.True_], "b"),
        (objects("b", "a", "b"), "O"),
    ],
)
def test_classes_keep_the_kind_of_the_labels(y, kind):
    classes, numbers = numbered_labels(y, 3)
    assert classes.dtype.kind == kind
    assert numbers.tolist() == [1, 0, 1]
    assert classes.tolist() == sorted(set(np.asarray(y).tolist()))


def test_integers_beside_none_stay_integers():
    classes, numbers = numbered_labels([4, None, 2, 4], 4)
    assert classes.dtype.kind == "i"
    assert (classes.tolist(), numbers.tolist()) == ([2, 4], [1, -1, 0, 1])


def test_integers_beside_nan_become_the_floats_that_numpy_makes_of_them():
    assert numbered([4, NAN, 2]) == ([2.0, 4.0], [1, -1, 0])


def test_booleans_beside_none_stay_booleans():
    classes, numbers = numbered_labels([True, None, False], 3)
    assert classes.dtype == bool
    assert numbers.tolist() == [1, -1, 0]


def test_strings_beside_none_or_nan_stay_strings():
    for y in (["b", None, "a"], ["b", NAN, "a"], ("b", None, "a")):
        assert numbered(y) == (["a", "b"], [1, -1, 0])


def test_nothing_has_no_classes():
    classes, numbers = numbered_labels([], 0)
    assert (len(classes), len(numbers)) == (0, 0)


# Markers


@pytest.mark.parametrize(
    ("y", "unlabeled", "classes", "numbers"),
    [
        # "auto": what is missing, and the empty string.
        (["a", "", "b"], "auto", ["a", "b"], [0, -1, 1]),
        (["a", None, "", "b"], "auto", ["a", "b"], [0, -1, -1, 1]),
        ([1.0, NAN, 2.0], "auto", [1.0, 2.0], [0, -1, 1]),
        (objects(1, NAN, None, 2), "auto", [1, 2], [0, -1, -1, 1]),
        ([None, None], "auto", [], [-1, -1]),
        (["", ""], "auto", [], [-1, -1]),
        ([-1, 1, None], "auto", [-1, 1], [0, 1, -1]),
        ([0, 1, 2], np.str_("auto"), [0, 1, 2], [0, 1, 2]),
        # None: every value is a class.
        (["a", "", "b"], None, ["", "a", "b"], [1, 0, 2]),
        ([-1, 0, 1], None, [-1, 0, 1], [0, 1, 2]),
        # -1.
        ([-1, 0, 1, -1], -1, [0, 1], [-1, 0, 1, -1]),
        ([-1.0, 0.0, 1.0], -1, [0.0, 1.0], [-1, 0, 1]),
        ([-1, 0, 1], -1.0, [0, 1], [-1, 0, 1]),
        (objects(-1, 0, 1), -1, [0, 1], [-1, 0, 1]),
        (objects(-1.0, 0.0, 1.0), -1, [0.0, 1.0], [-1, 0, 1]),
        (objects(np.int64(-1), np.int64(0), np.int64(1)), -1, [0, 1], [-1, 0, 1]),
        (objects(-1, 0, 1), np.int64(-1), [0, 1], [-1, 0, 1]),
        # NaN stands for all that is missing.
        ([1.0, NAN, 2.0], NAN, [1.0, 2.0], [0, -1, 1]),
        (["a", NAN, None, "b"], NAN, ["a", "b"], [0, -1, -1, 1]),
        # Strings.
        (["a", "?", "b"], "?", ["a", "b"], [0, -1, 1]),
        (["a", "?", "b"], np.str_("?"), ["a", "b"], [0, -1, 1]),
        (objects("a", "?", "b"), "?", ["a", "b"], [0, -1, 1]),
        (objects(np.str_("a"), np.str_("?"), np.str_("b")), "?", ["a", "b"], [0, -1, 1]),
        (["a", "", "?"], "?", ["", "a"], [1, 0, -1]),
        (["a", "", "b"], "", ["a", "b"], [0, -1, 1]),
        # Other values.
        ([5, 0, 5, 1], 0, [1, 5], [1, -1, 1, 0]),
        ([0.0, np.inf, 1.0], np.inf, [0.0, 1.0], [0, -1, 1]),
    ],
)
def test_marked_items_have_no_number_and_their_marker_no_class(y, unlabeled, classes, numbers):
    assert numbered(y, unlabeled) == (classes, numbers)


@pytest.mark.parametrize(
    ("y", "unlabeled"),
    [
        (["a", "b", "a"], "?"),
        ([1, 2, 1], -1),
        ([1, 2, 1], NAN),
        ([1, 2, 1], "?"),
        (["1", "2", "1"], 1),
        ([1, 2, 1], "1"),
        (objects(1, 2, 1), "1"),
        (objects(1, 2, 1), True),
        (objects(False, True, False), 0),
        (np.array([False, True, False]), 0),
        ([0, 1, 0], False),
        (np.array([1, 2, 1], dtype=np.uint8), 257),
        (["a", "b", "a"], NAN),
    ],
)
def test_a_marker_that_no_label_equals_marks_nothing(y, unlabeled):
    assert numbered(y, unlabeled)[1] == [0, 1, 0]


# pandas


def pandas_labels(pd):
    """Each as (y, classes, numbers) of three items."""
    dates = pd.to_datetime(["2020-01-01", None, "2021-01-01"])
    return {
        "strings": (pd.Series(["b", None, "a"]), ["a", "b"], [1, -1, 0]),
        "string dtype": (pd.Series(["b", None, "a"], dtype="string"), ["a", "b"], [1, -1, 0]),
        "object": (pd.Series(["b", "", "a"], dtype=object), ["a", "b"], [1, -1, 0]),
        "NA in an object array": (objects("b", pd.NA, "a"), ["a", "b"], [1, -1, 0]),
        "NA beside integers": (objects(5, pd.NA, 3), [3, 5], [1, -1, 0]),
        "NaT beside strings": (objects("b", pd.NaT, "a"), ["a", "b"], [1, -1, 0]),
        "Int64": (pd.Series([5, None, 3], dtype="Int64"), [3, 5], [1, -1, 0]),
        "boolean": (pd.Series([True, None, False], dtype="boolean"), [False, True], [1, -1, 0]),
        "Categorical": (pd.Categorical(["b", None, "a"]), ["a", "b"], [1, -1, 0]),
        # Categories that do not occur are no classes.
        "all categories": (
            pd.Categorical(["b", "a", "b"], categories=["z", "b", "a"]),
            ["a", "b"],
            [1, 0, 1],
        ),
        "numbers as categories": (pd.Series(pd.Categorical([5, None, 3])), [3, 5], [1, -1, 0]),
        "another index": (pd.Series([5, 3, 5], index=[9, 8, 7]), [3, 5], [1, 0, 1]),
        "dates": (pd.Series(dates), np.array(dates)[[0, 2]].tolist(), [0, -1, 1]),
    }


@pytest.mark.parametrize(
    "kind",
    [
        *("strings", "string dtype", "object", "NA in an object array", "NA beside integers"),
        *("NaT beside strings", "Int64", "boolean", "Categorical", "all categories"),
        *("numbers as categories", "another index", "dates"),
    ],
)
def test_labels_of_pandas_are_their_values(kind):
    y, classes, numbers = pandas_labels(pytest.importorskip("pandas"))[kind]
    assert numbered(y) == (classes, numbers)


def test_a_frame_of_one_column_is_a_column():
    frame = pytest.importorskip("pandas").DataFrame({"y": ["b", "a", "b"]})
    with pytest.warns(DataConversionWarning):
        assert numbered(frame) == (["a", "b"], [1, 0, 1])


# Shapes


def test_a_column_is_taken_with_a_warning():
    with pytest.warns(DataConversionWarning, match="column-vector y") as caught:
        assert numbered([[3], [1], [3]]) == ([1, 3], [1, 0, 1])
    assert len(caught) == 1
    with pytest.warns(DataConversionWarning):
        assert numbered([["b"], [None], ["a"]]) == (["a", "b"], [1, -1, 0])


def test_a_row_of_labels_is_taken_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        numbered(["a", None, "b"])
        numbered([1, NAN, 2])


@pytest.mark.parametrize(
    ("y", "n_items", "shape"),
    [
        ([0, 1], 3, r"\(2,\)"),
        ([0, 1, 0], 2, r"\(3,\)"),
        ([[0, 1], [1, 0]], 2, r"\(2, 2\)"),
        ([[[0]], [[1]]], 2, r"\(2, 1, 1\)"),
        (5, 1, r"\(\)"),
        ({0, 1}, 2, r"\(\)"),
    ],
)
def test_another_shape_is_refused(y, n_items, shape):
    with pytest.raises(ValueError, match=f"^X has {n_items} items, y has shape {shape}$"):
        numbered_labels(y, n_items)


def test_a_missing_y_is_refused():
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        numbered_labels(None, 2)


# What is no class


@pytest.mark.parametrize(
    ("y", "unlabeled", "message"),
    [
        ([0.0, np.inf, 1.0], "auto", "infinity"),
        ([0.0, -np.inf, None], "auto", "infinity"),
        ([0.3, 0.7, 0.1], "auto", "continuous"),
        ([0.5, 1.0, None], "auto", "continuous"),
        (["a", 1, "b"], "auto", "y mixes strings with int"),
        (["a", 1, 2.5, True], "auto", "y mixes strings with bool, float, int"),
        (["a", -1, "b"], -1, "y mixes strings with int"),
        (objects("a", 1), "auto", "y mixes strings with int"),
        ([b"a", b"b"], "auto", "bytes"),
        ([1j, 2.0], "auto", "Complex"),
        ([{}, {}], "auto", "Unknown label type"),
        # Several labels for an item.
        ([("a",), None, ("b",)], "auto", "y must hold one label for each item"),
        ([("a", "b"), ("c", "d"), None], "auto", "y must hold one label for each item"),
        (objects(("a",), None, ("b",)), "auto", "one label for each item, not tuple"),
        # A label is missing, and nothing says that one may.
        ([1, None, 2], None, "none missing"),
        ([True, None, False], None, "none missing"),
        (["a", None, "b"], None, "none missing"),
        ([1, NAN, 2], None, "NaN"),
        (["a", NAN, "b"], None, "none missing"),
        ([-1, None, 2], -1, "none missing"),
        (["?", None, "b"], "?", "none missing"),
        ([-1, NAN, 2], -1, "NaN"),
    ],
)
def test_what_is_no_class_is_refused(y, unlabeled, message):
    with pytest.raises(ValueError, match=message):
        numbered(y, unlabeled)


# -1


@pytest.mark.parametrize("y", [[-1, 1, -1], [-1, 0], [-1.0, 1.0], [-1, 1, None], [-1, -1]])
def test_minus_one_beside_one_other_number_is_a_class(y):
    assert -1 in numbered(y)[0]


@pytest.mark.parametrize(
    ("y", "others"),
    [
        ([-1, 0, 1], "0, 1"),
        ([-1.0, 0.0, 1.0], r"0\.0, 1\.0"),
        ([3, -1, None, 2], "2, 3"),
        (objects(-1, 7, 5), "5, 7"),
        ([-1, *range(6)], "0, 1, 2, 3, 4, 5"),
        ([-1, *range(7)], r"0, 1, 2, 3, 4, 5, \.\.\."),
        ([-2, -1, 0], "-2, 0"),
    ],
)
def test_minus_one_beside_several_numbers_is_refused_with_both_ways_out(y, others):
    with pytest.raises(ValueError, match=f"^y holds -1 in addition to {others}: ") as caught:
        numbered(y)
    text = str(caught.value)
    assert "if -1 marks items without label, set unlabeled=-1" in text
    assert "if it is a class, set unlabeled=None" in text
    # Both ways lead out.
    assert -1 not in numbered([label for label in y if label is not None], -1)[0]
    assert -1 in numbered([label for label in y if label is not None], None)[0]


def test_the_string_minus_one_is_a_class_like_any_other():
    assert numbered(["-1", "0", "1"]) == (["-1", "0", "1"], [0, 1, 2])


def test_numbers_without_minus_one_are_not_doubted():
    assert numbered([-2, 0, 1, 5])[0] == [-2, 0, 1, 5]


# Two classes


def refusal(y, unlabeled="auto"):
    with pytest.raises(ValueError, match=r"^at least two classes are needed, y has ") as caught:
        require_two_classes(*numbered_labels(y, len(y), unlabeled), unlabeled)
    return str(caught.value).removeprefix("at least two classes are needed, y has ")


def test_two_classes_are_enough():
    for y, unlabeled in (([0, 1], "auto"), (["a", "b", None], "auto"), ([-1, 0, 1], -1)):
        classes, numbers = numbered_labels(y, len(y), unlabeled)
        assert require_two_classes(classes, numbers, unlabeled) is None
        assert len(classes) == 2


def test_fewer_classes_are_refused_with_their_number():
    assert refusal(["a", "a"]) == "1 class, 'a'"
    assert refusal([7, 7, 7]) == "1 class, 7"
    assert refusal([]) == "none"


def test_a_marker_that_took_a_class_away_is_named_with_the_way_out():
    assert refusal([1, -1, 1], -1) == (
        "1 class, 1; unlabeled=-1 removed 1 of 3 labels: if -1 is a class, set unlabeled=None "
        "or to another value"
    )
    assert refusal(["?", "a", "?"], "?") == (
        "1 class, 'a'; unlabeled='?' removed 2 of 3 labels: if '?' is a class, set "
        "unlabeled=None or to another value"
    )


def test_missing_labels_are_counted_without_a_way_out_as_they_are_no_class():
    assert refusal(["a", None, "a"]) == "1 class, 'a'; unlabeled='auto' removed 1 of 3 labels"
    assert refusal([NAN, NAN]) == "none; unlabeled='auto' removed 2 of 2 labels"
