"""`x[...]` and item assignment mean what they mean in NumPy, whatever is known while tracing."""

import numpy as np
import pytest
from example_counts import examples
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import allograph as ag
from allograph.runtime.core.errors import DTypeError, OutOfRangeError, ShapeError
from allograph.runtime.ops.array.slicing import set_item

GRID = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
SOME = examples(60, suppress_health_check=[HealthCheck.too_slow])


# ---- random indices --------------------------------------------------------------------------


def array_of(shape):
    return np.arange(np.prod(shape, dtype=int), dtype=np.int32).reshape(shape)


@st.composite
def basic_cases(draw):
    """An array, and a basic index of it."""
    array = array_of(draw(npst.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)))
    key = draw(npst.basic_indices(array.shape, allow_newaxis=True, allow_ellipsis=True))
    return array, key


@st.composite
def array_cases(draw):
    """An array, and an index with at least one array among integers, slices and new axes."""
    array = array_of(draw(npst.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=3)))
    picked = draw(st.sampled_from([(2,), (1,), (3, 1), (0,)]))
    arrays = st.sampled_from([picked, picked[-1:], (1,)])
    parts, chosen = [], draw(st.integers(0, array.ndim - 1))
    for axis, size in enumerate(array.shape):
        ints = st.integers(-size, size - 1)
        kinds = ["array"] if axis == chosen else ["array", "integer", "slice", "slice"]
        kind = draw(st.sampled_from(kinds))
        if kind == "array":
            parts.append(draw(npst.arrays(np.int32, draw(arrays), elements=ints)))
        elif kind == "integer":
            parts.append(draw(ints))
        else:
            parts.append(draw(st.slices(size)))
        if draw(st.booleans()):
            parts.append(None)
    return array, tuple(parts)


def slots(key):
    """The integers of a basic index, and the index as a function of them."""
    numbers = []

    def held(part):
        if part is None or part is Ellipsis:
            return lambda given: part
        if isinstance(part, slice):
            bounds = [held(bound) for bound in (part.start, part.stop, part.step)]
            return lambda given: slice(*(bound(given) for bound in bounds))
        numbers.append(np.int32(part))
        place = len(numbers) - 1
        return lambda given: given[place]

    rows = [held(part) for part in (key if isinstance(key, tuple) else (key,))]
    return numbers, lambda given: tuple(row(given) for row in rows)


@pytest.mark.slow
@SOME
@given(case=basic_cases())
def test_a_basic_index_picks_what_numpy_picks(everywhere, case):
    array, key = case
    (found,) = everywhere(lambda x: x[key], array, native=False)
    np.testing.assert_array_equal(found, array[key])


@pytest.mark.slow
@SOME
@given(case=basic_cases())
def test_integers_and_bounds_may_be_known_only_at_run_time(everywhere, case):
    array, key = case
    numbers, index = slots(key)
    (found,) = everywhere(lambda x, *given: x[index(given)], array, *numbers, native=False)
    np.testing.assert_array_equal(found, array[key])


@pytest.mark.slow
@SOME
@given(case=array_cases())
def test_index_arrays_pick_what_numpy_picks(everywhere, case):
    array, key = case
    (found,) = everywhere(lambda x: x[key], array, native=False)
    np.testing.assert_array_equal(found, array[key])


@SOME
@given(case=st.one_of(basic_cases(), array_cases()), data=st.data())
@pytest.mark.slow
def test_assignment_replaces_what_numpy_replaces(everywhere, case, data):
    array, key = case
    target = np.shape(array[key])
    shapes = [target, target[1:], (), (1, *target), (*target[:-1], 1) if target else ()]
    value = 100 + array_of(data.draw(st.sampled_from(shapes)))
    (found,) = everywhere(lambda x, v: set_item(x, key, v), array, value, native=False)
    wanted = array.copy()
    wanted[key] = value
    np.testing.assert_array_equal(found, wanted)


@SOME
@given(case=basic_cases())
@pytest.mark.slow
def test_the_place_of_an_assignment_may_be_known_only_at_run_time(everywhere, case):
    array, key = case
    numbers, index = slots(key)
    (found,) = everywhere(
        lambda x, *given: set_item(x, index(given), -1), array, *numbers, native=False
    )
    wanted = array.copy()
    wanted[key] = -1
    np.testing.assert_array_equal(found, wanted)


# ---- what loops compile ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "key",
    [
        (1, -2, 3),
        (slice(None, None, -1), slice(2, 0, -2)),
        (Ellipsis, None, slice(1, 3)),
        (0, slice(5, 9)),
        (slice(None), [2, 0, -1]),
        ([1, 0], [2, 2]),
        ([[0], [1]], slice(None), [3, 0]),
        (slice(None, None, -1), [0, 2], None, slice(1, 2)),
        (slice(None), [0, 2], None, [3, 0]),
        (0, slice(None), [3, 0]),
    ],
    ids=str,
)
def test_native_code_picks_the_same(everywhere, key):
    (found,) = everywhere(lambda x: x[key], GRID)
    np.testing.assert_array_equal(found, GRID[key])


def test_native_code_takes_integers_of_run_time(everywhere):
    (found,) = everywhere(lambda x, i, j: x[i, :, j], GRID, np.int32(-1), 2)
    np.testing.assert_array_equal(found, GRID[-1, :, 2])


def test_native_code_assigns_to_elements_and_rows(everywhere):
    def change(x, i):
        return set_item(set_item(x, (i, -1, 0), 70), (0, i), 80)

    (found,) = everywhere(change, GRID, 1)
    wanted = GRID.copy()
    wanted[1, -1, 0] = 70
    wanted[0, 1] = 80
    np.testing.assert_array_equal(found, wanted)


def test_native_code_that_runs_out_of_range_raises_what_eager_code_raises():
    pick = ag.function(lambda x, i: x[i], autograph=False, jit_compile=True)
    assert pick(ag.constant([5, 6]), ag.constant(-1)) == 6
    with pytest.raises(OutOfRangeError, match="index 2 .* axis 0 with size 2"):
        pick(ag.constant([5, 6]), ag.constant(2))


# ---- masks -----------------------------------------------------------------------------------


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_a_mask_picks_the_slices_where_it_holds(everywhere, rank):
    mask = array_of(GRID.shape[:rank]) % 2 == 1
    (found,) = everywhere(lambda x, m: x[m], GRID, mask, native=False)
    np.testing.assert_array_equal(found, GRID[mask])


def test_a_mask_may_stand_beside_slices_and_integers(everywhere):
    mask = np.array([True, False, True])
    found = everywhere(
        lambda x, m: [x[:, m], x[1, m, ::2], x[..., m, :]], GRID, mask, ranks=False, native=False
    )
    for one, wanted in zip(
        found, [GRID[:, mask], GRID[1, mask, ::2], GRID[..., mask, :]], strict=True
    ):
        np.testing.assert_array_equal(one, wanted)


def test_one_value_assigned_under_a_mask_is_a_choice_that_compiles(everywhere):
    def relu(x):
        return set_item(x, x < 0, 0.0)

    (found,) = everywhere(relu, [[-1.0, 2.0], [3.0, -4.0]])
    assert found.tolist() == [[0, 2], [3, 0]]


@pytest.mark.slow
def test_rows_are_assigned_under_a_mask_of_rows(everywhere):
    rows = np.array([True, False])
    (found,) = everywhere(lambda x: set_item(x, rows, [7, 8, 9]), np.zeros((2, 3), np.int32))
    assert found.tolist() == [[7, 8, 9], [0, 0, 0]]


def test_values_assigned_under_a_mask_are_taken_in_turn(everywhere):
    mask = np.array([True, False, True])
    (found,) = everywhere(lambda x, m, v: set_item(x, m, v), [1, 2, 3], mask, [8, 9], native=False)
    assert found.tolist() == [8, 2, 9]


# ---- errors ----------------------------------------------------------------------------------


def both(function):
    return function, ag.function(function, autograph=False)


@pytest.mark.parametrize(
    ("key", "error", "words"),
    [
        (2, OutOfRangeError, "index 2 is out of range for axis 0 with size 2"),
        (-3, OutOfRangeError, "index -3 is out of range for axis 0 with size 2"),
        ((None, 0, 5), OutOfRangeError, "index 5 is out of range for axis 1 with size 3"),
        ((0, 0, 0, 0), ShapeError, "4 indices for a tensor of rank 3"),
        (slice(0, 2, 0), ShapeError, "the step of a slice is 0"),
        ((Ellipsis, Ellipsis), ShapeError, "at most one Ellipsis"),
        ([0, 7], OutOfRangeError, "index 7 is out of bounds for axis 0 with size 2"),
        (([0, 1], [0, 1, 2]), ShapeError, "do not broadcast"),
        ([True, False, True], ShapeError, "a mask of shape"),
        ((0, [True, False]), ShapeError, r"a mask of shape \(2,\) .* axis 1"),
        ((..., [True] * 3), ShapeError, r"a mask of shape \(3,\) .* axis 2"),
        (1.0, DTypeError, "an index is an integer or a mask"),
        (slice(0.5, None), DTypeError, "an index is an integer or a mask"),
        ("a", DTypeError, "an index is an integer or a mask"),
    ],
    ids=str,
)
def test_an_index_that_does_not_fit_is_an_error_that_says_why(key, error, words):
    for pick in both(lambda x: x[key]):
        with pytest.raises(error, match=words):
            pick(ag.constant(GRID))


def test_an_index_computed_out_of_range_is_an_error_naming_index_axis_and_size():
    for pick in both(lambda x, i: x[:, i]):
        with pytest.raises(OutOfRangeError, match="index 3 .* axis 1 with size 3"):
            pick(ag.constant(GRID), ag.constant(3))


@pytest.mark.parametrize("shape", [(2,), (3, 4, 1), (2, 3, 4)])
def test_a_value_that_does_not_fit_its_place_is_an_error_with_both_shapes(shape):
    for change in both(lambda x, v: set_item(x, 0, v)):
        with pytest.raises(ShapeError, match=r"does not fit where the shape is \(3, 4\)"):
            change(ag.constant(GRID), ag.zeros(shape, ag.int32))


def test_a_value_of_another_type_is_not_assigned():
    with pytest.raises(DTypeError, match=r"ag\.cast"):
        set_item(ag.constant([1, 2]), 0, 0.5)


def test_a_mask_beside_other_indices_is_checked_when_it_runs():
    pick = ag.function(lambda x, m: x[0, m], autograph=False, kernel_compiler="none")
    pick = pick.get_concrete_function(ag.TensorSpec([None, None]), ag.TensorSpec([None], ag.bool))
    assert pick(ag.zeros([2, 2]), ag.constant([True, False])).shape == [1]
    with pytest.raises(ShapeError, match="a mask of shape"):
        pick(ag.zeros([2, 3]), ag.constant([True, False]))


def test_scalars_are_not_iterated_over():
    with pytest.raises(TypeError, match="scalar"):
        iter(ag.constant(1))


# ---- the rest --------------------------------------------------------------------------------


def test_iteration_gives_the_slices_of_the_first_axis():
    assert [row.numpy().tolist() for row in ag.constant([[1, 2], [3, 4]])] == [[1, 2], [3, 4]]


def test_assignment_leaves_the_tensor_as_it_was():
    x = ag.constant([1, 2])
    set_item(x, 0, 9)
    assert x.numpy().tolist() == [1, 2]


def test_texts_are_picked_and_assigned(everywhere):
    x = ag.constant(["a", "b", "c"])
    pick = ag.function(lambda x: [x[1], x[::-1], x[[2]], set_item(x, 0, "z")], autograph=False)
    found = [part.numpy() for part in pick(x)]
    assert found[0] == b"b"
    assert [part.tolist() for part in found[1:]] == [[b"c", b"b", b"a"], [b"c"], [b"z", b"b", b"c"]]


def test_a_variable_is_indexed_like_its_value():
    variable = ag.Variable([1, 2, 3])
    assert (variable[-1] + variable[:2][0]).numpy() == 4


# ---- slice and strided_slice -----------------------------------------------------------------


@st.composite
def windows(draw):
    shape = draw(npst.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4))
    begin = [draw(st.integers(0, size)) for size in shape]
    sizes = [draw(st.integers(-1, size - start)) for size, start in zip(shape, begin, strict=True)]
    return array_of(shape), begin, sizes


@pytest.mark.slow
@SOME
@given(case=windows())
def test_slice_takes_so_many_elements_from_begin_on(everywhere, case):
    array, begin, sizes = case
    ends = [
        None if count == -1 else start + count for start, count in zip(begin, sizes, strict=True)
    ]
    wanted = array[tuple(slice(*pair) for pair in zip(begin, ends, strict=True))]
    (found,) = everywhere(lambda x: ag.slice(x, begin, sizes), array, native=False)
    np.testing.assert_array_equal(found, wanted)
    (found,) = everywhere(ag.slice, array, np.array(begin), np.array(sizes), native=False)
    np.testing.assert_array_equal(found, wanted)


def test_a_window_that_moves_has_a_known_shape_and_compiles(everywhere):
    (found,) = everywhere(lambda x, i: ag.slice(x, [0, i, 1], [-1, 2, 2]), GRID, 1)
    np.testing.assert_array_equal(found, GRID[:, 1:3, 1:3])


@pytest.mark.parametrize(("begin", "size"), [([2], [2]), ([-1], [1]), ([4], [-1]), ([0], [-2])])
def test_a_window_that_leaves_its_axis_is_an_error(begin, size):
    for cut in both(lambda x, start: ag.slice(x, start, size)):
        with pytest.raises(OutOfRangeError, match="slice: .* axis 0 with size 3"):
            cut(ag.zeros(3), ag.constant(begin))


def test_native_code_notices_a_window_that_leaves_its_axis():
    cut = ag.function(lambda x, i: ag.slice(x, [i], [2]), autograph=False, jit_compile=True)
    assert cut(ag.constant([1, 2, 3]), ag.constant(1)).numpy().tolist() == [2, 3]
    with pytest.raises(OutOfRangeError, match="2 elements from 2 on"):
        cut(ag.constant([1, 2, 3]), ag.constant(2))


def test_strided_slice_is_a_slice_on_each_axis(everywhere):
    found = everywhere(
        lambda x, n: [
            ag.strided_slice(x, [0, 1, 0], [2, 3, 4], [1, 1, 2]),
            ag.strided_slice(x, [0, 1], [2, 3], begin_mask=2, end_mask=1),
            ag.strided_slice(x, [0, 0, 1], [0, 0, 2], ellipsis_mask=1, new_axis_mask=2),
            ag.strided_slice(x, [1, 0], [2, 3], shrink_axis_mask=1),
            ag.strided_slice(x, ag.stack([n]), [2]),
        ],
        GRID,
        1,
        ranks=False,
        native=False,
    )
    wanted = [GRID[0:2, 1:3, 0:4:2], GRID[0:, :3], GRID[..., None, 1:2], GRID[1, 0:3], GRID[1:2]]
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)
