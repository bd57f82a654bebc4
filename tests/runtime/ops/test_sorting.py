"""Order, the largest elements, search, and distinct values."""

import numpy as np
import pytest
from example_counts import examples
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import allograph as ag
from allograph.runtime.core.errors import ShapeError

SHAPES = npst.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4)
NUMBERS = st.integers(-3, 3)  # few, so that equal ones are common


def both(function):
    """The function as it is, and as a graph."""
    return function, ag.function(function, autograph=False)


@pytest.mark.slow
@examples(50)
@given(array=npst.arrays(np.int32, SHAPES, elements=NUMBERS), axis=st.integers(-1, 0))
def test_sort_and_argsort_put_the_elements_in_order(everywhere, array, axis):
    ascending, descending, order = everywhere(
        lambda x: [ag.sort(x, axis), ag.sort(x, axis, "DESCENDING"), ag.argsort(x, axis)],
        array,
        native=False,
    )
    np.testing.assert_array_equal(ascending, np.sort(array, axis))
    np.testing.assert_array_equal(descending, np.flip(np.sort(array, axis), axis))
    np.testing.assert_array_equal(order, np.argsort(array, axis, kind="stable"))


@examples(50)
@given(array=npst.arrays(np.int32, st.integers(0, 6), elements=NUMBERS))
def test_equal_elements_keep_their_order_the_other_way_round_too(array):
    order = ag.argsort(array, direction="DESCENDING").numpy()
    assert order.tolist() == sorted(range(len(array)), key=lambda place: -array[place])
    assert order.dtype == np.int32


def test_many_equal_elements_keep_their_order():
    values = np.arange(100) % 3
    order = ag.argsort(values).numpy()
    np.testing.assert_array_equal(order, np.argsort(values, kind="stable"))


def test_nan_is_the_largest():
    values = [1.0, float("nan"), 0.0]
    np.testing.assert_array_equal(ag.sort(values), [0, 1, np.nan])
    assert ag.argsort(values, direction="DESCENDING").numpy().tolist() == [1, 0, 2]


def test_an_axis_or_direction_that_does_not_exist_is_an_error():
    for function in (ag.sort, ag.argsort):
        for order in both(lambda x: function(x, axis=1)):
            with pytest.raises(ShapeError, match="axis 1"):
                order(ag.constant([1, 2]))
        with pytest.raises(ValueError, match="DESCENDING"):
            function([1], direction="down")


# ---- the largest -----------------------------------------------------------------------------


@pytest.mark.slow
@examples(50)
@given(array=npst.arrays(np.int32, SHAPES, elements=NUMBERS), data=st.data())
def test_top_k_gives_the_largest_first_and_of_equal_ones_the_first(everywhere, array, data):
    k = data.draw(st.integers(0, array.shape[-1]))
    values, places = everywhere(lambda x: ag.math.top_k(x, k), array, native=False)
    order = np.argsort(-array, -1, kind="stable")[..., :k]
    np.testing.assert_array_equal(places, order)
    np.testing.assert_array_equal(values, np.take_along_axis(array, order, -1))


def test_top_k_takes_a_computed_k_and_a_type_for_the_places(everywhere):
    values, places = everywhere(
        lambda x, k: ag.nn.top_k(x, k, index_type=ag.int64), [3.0, 1.0, 2.0], 2, native=False
    )
    assert values.tolist() == [3, 2] and places.tolist() == [0, 2] and places.dtype == np.int64


@pytest.mark.parametrize("k", [3, -1])
def test_more_than_there_are_is_an_error(k):
    for top in both(lambda x: ag.math.top_k(x, k)):
        with pytest.raises(ShapeError, match=f"does not have {k} elements"):
            top(ag.zeros([5, 2]))


def test_in_top_k_says_whether_the_target_is_among_the_largest(everywhere):
    nan, inf = float("nan"), float("inf")
    rows = [
        [0.1, 0.7, 0.2],
        [0.5, 0.5, 0.4],
        [1.0, 2.0, 3.0],
        [nan, 1.0, 2.0],
        [inf, 1.0, 2.0],
        [1.0, 2.0, 3.0],
    ]
    targets = [2, 1, 0, 0, 0, 9]
    (found,) = everywhere(
        lambda t, p: ag.math.in_top_k(t, p, 2), np.int32(targets), np.float32(rows), native=False
    )
    assert found.tolist() == [True, True, False, False, False, False]
    for check in both(lambda t, p: ag.nn.in_top_k(t, p, 1)):
        with pytest.raises(ShapeError, match="in_top_k"):
            check(ag.constant([0]), ag.zeros([2, 2]))


# ---- search and distinct values --------------------------------------------------------------


@pytest.mark.slow
@examples(50)
@given(
    rows=npst.arrays(np.int32, (2, 4), elements=NUMBERS),
    values=npst.arrays(np.int32, (2, 3), elements=NUMBERS),
    side=st.sampled_from(["left", "right"]),
)
def test_searchsorted_finds_where_values_belong_in_each_row(everywhere, rows, values, side):
    rows = np.sort(rows)
    found = everywhere(
        lambda r, v: [ag.searchsorted(r, v, side), ag.searchsorted(r[0], v, side)],
        rows,
        values,
        native=False,
    )
    for place in range(2):
        np.testing.assert_array_equal(
            found[0][place], np.searchsorted(rows[place], values[place], side)
        )
    np.testing.assert_array_equal(found[1], np.searchsorted(rows[0], values, side))
    assert found[0].dtype == np.int32


def test_searching_rows_that_differ_in_number_is_an_error():
    for search in both(ag.searchsorted):
        with pytest.raises(ShapeError, match="leading axes"):
            search(ag.zeros([2, 3]), ag.zeros([3, 1]))
    with pytest.raises(ValueError, match="side"):
        ag.searchsorted([1], [1], side="middle")


@pytest.mark.slow
@examples(50)
@given(array=npst.arrays(np.int32, st.integers(0, 8), elements=NUMBERS))
def test_unique_gives_each_value_once_in_order_of_appearance(everywhere, array):
    values, places, counts = everywhere(ag.unique_with_counts, array, native=False)
    assert values.tolist() == list(dict.fromkeys(array.tolist()))
    np.testing.assert_array_equal(values[places], array)
    assert counts.tolist() == [array.tolist().count(value) for value in values]


def test_unique_takes_texts_and_a_type_for_the_places():
    found = ag.unique(["b", "a", "b"], out_idx=ag.int64)
    assert found.y.numpy().tolist() == [b"b", b"a"]
    assert found.idx.numpy().tolist() == [0, 1, 0] and found.idx.dtype == ag.int64


def test_unique_of_a_matrix_is_an_error():
    for function in both(lambda x: ag.unique(x).y):
        with pytest.raises(ShapeError, match="vector"):
            function(ag.zeros([2, 2]))
