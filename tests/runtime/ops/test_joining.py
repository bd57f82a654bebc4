"""Tensors joined, taken apart, repeated, padded and turned."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import allograph as ag
from allograph.runtime.core.errors import ShapeError

GRID = np.arange(12, dtype=np.int32).reshape(2, 3, 2)


def shape_of(function, *shapes):
    """The shape that a graph declares for arguments of these shapes."""
    specs = [ag.TensorSpec(shape, ag.float32) for shape in shapes]
    traced = ag.function(function, autograph=False).get_concrete_function(*specs)
    return traced.structured_outputs.shape


def both(function):
    """The function as it is, and as a graph."""
    return function, ag.function(function, autograph=False)


# ---- concat and stack ------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_concat_joins_along_an_axis(everywhere, axis, count):
    arrays = [GRID + 100 * place for place in range(count)]
    (found,) = everywhere(lambda *args: ag.concat(args, axis), *arrays)
    np.testing.assert_array_equal(found, np.concatenate(arrays, axis))


def test_concat_joins_tensors_of_different_sizes_and_empty_ones(everywhere):
    arrays = [np.ones((2, 1)), np.zeros((2, 0)), np.full((2, 3), 7.0)]
    (found,) = everywhere(lambda *args: ag.concat(args, 1), *arrays)
    np.testing.assert_array_equal(found, np.concatenate(arrays, 1))


def test_concat_declares_the_sizes_it_can_tell():
    assert shape_of(lambda x, y: ag.concat([x, y], 0), [None, 3], [2, None]) == [None, 3]
    assert shape_of(lambda x, y: ag.concat([x, y], 0), [4, None], [2, 3]) == [6, 3]
    assert shape_of(lambda x, y: ag.concat([x, y], 0), [4, 3], None) == [None, 3]


def test_concat_takes_lists_of_numbers_in_the_type_of_the_tensors():
    assert ag.concat([ag.constant([1.5]), [2, 3]], 0).numpy().tolist() == [1.5, 2, 3]


@pytest.mark.parametrize("shapes", [[(2, 3), (2, 4)], [(2,), (2, 1)], [(), ()], [(3,), ()]])
def test_shapes_that_do_not_join_are_an_error(shapes):
    arrays = [ag.zeros(shape) for shape in shapes]
    for concat in both(lambda *values: ag.concat(values, 0)):
        with pytest.raises(ShapeError, match="concat"):
            concat(*arrays)


def test_joining_nothing_is_an_error():
    for join in (ag.stack, lambda values: ag.concat(values, 0)):
        with pytest.raises(ShapeError, match="empty"):
            join([])


def test_types_do_not_mix_when_joined():
    with pytest.raises(TypeError, match="int32 and float32"):
        ag.concat([ag.constant([1]), ag.constant([1.0])], 0)


@pytest.mark.parametrize("axis", [0, 1, 3, -1, -4])
def test_stack_makes_a_new_axis(everywhere, axis):
    arrays = [GRID, GRID * 10, GRID * 100]
    (found,) = everywhere(lambda *args: ag.stack(args, axis), *arrays)
    np.testing.assert_array_equal(found, np.stack(arrays, axis))


def test_stack_of_scalars_is_a_vector(everywhere):
    (found,) = everywhere(lambda x, y: ag.stack([x, y, 7.0]), 1.5, 2.5)
    assert found.tolist() == [1.5, 2.5, 7]


@pytest.mark.slow
def test_a_list_that_holds_tensors_is_stacked_where_a_tensor_is_asked_for(everywhere):
    (found,) = everywhere(lambda x: ag.reduce_sum([[x, 1.0], [2.0, x]], axis=0), 10.0)
    assert found.tolist() == [12, 11]


def test_stack_merges_what_is_known_of_the_shapes():
    assert shape_of(lambda x, y: ag.stack([x, y], 1), [None, 3], [2, None]) == [2, 2, 3]


def test_stacking_different_shapes_is_an_error_with_both():
    for stack in both(lambda *values: ag.stack(values)):
        with pytest.raises(ShapeError, match=r"\(2,\) and \(3,\)"):
            stack(ag.zeros(2), ag.zeros(3))


def test_many_tensors_join_too(everywhere):
    arrays = [np.full(2, place) for place in range(100)]
    found = everywhere(lambda *args: [ag.concat(args, 0), ag.stack(args)], *arrays, native=False)
    np.testing.assert_array_equal(found[0], np.concatenate(arrays))
    np.testing.assert_array_equal(found[1], np.stack(arrays))


# ---- unstack and split -----------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_unstack_undoes_stack(everywhere, axis):
    def again(x):
        return ag.stack(ag.unstack(x, num=GRID.shape[axis], axis=axis), axis)

    (found,) = everywhere(again, GRID, native=False)
    np.testing.assert_array_equal(found, GRID)


def test_unstack_needs_a_known_number():
    spec = ag.TensorSpec([None], ag.float32)
    with pytest.raises(ShapeError, match="Give num"):
        ag.function(lambda x: ag.unstack(x)).get_concrete_function(spec)
    for unstack in both(lambda x: ag.unstack(x, num=3)):
        with pytest.raises(ShapeError, match="unstack"):
            unstack(ag.zeros(2))


@pytest.mark.parametrize("splits", [3, 1, [1, 2], [2, -1], [-1, 0], [0, 3, 0]])
def test_split_gives_pieces_that_join_again(everywhere, splits):
    found = everywhere(lambda x: ag.split(x, splits, axis=1), GRID, native=False)
    np.testing.assert_array_equal(np.concatenate(found, 1), GRID)


def test_split_takes_sizes_that_are_computed(everywhere):
    found = everywhere(
        lambda x, n: ag.split(x, ag.stack([n, 5 - n]), num=2), np.arange(5), 2, native=False
    )
    assert [part.tolist() for part in found] == [[0, 1], [2, 3, 4]]


@pytest.mark.parametrize("splits", [2, [1, 1], [4, -1], 0, [-2, 5]])
def test_an_axis_that_does_not_divide_that_way_is_an_error(splits):
    for split in both(lambda x: ag.split(x, splits)):
        with pytest.raises(ShapeError, match="split"):
            split(ag.zeros(3))


def test_equal_slices_of_an_unknown_size_are_checked_when_it_runs():
    halves = ag.function(lambda x: ag.split(x, 2), input_signature=[ag.TensorSpec([None])])
    assert [part.shape for part in halves(ag.zeros(4))] == [[2], [2]]
    with pytest.raises(ShapeError, match="2 equal slices"):
        halves(ag.zeros(3))


# ---- tile, repeat ----------------------------------------------------------------------------


@pytest.mark.parametrize("multiples", [[1, 1, 1], [2, 1, 3], [0, 2, 1]])
def test_tile_repeats_the_whole(everywhere, multiples):
    (found,) = everywhere(lambda x: ag.tile(x, multiples), GRID)
    np.testing.assert_array_equal(found, np.tile(GRID, multiples))


def test_tile_of_nothing(everywhere):
    (found,) = everywhere(lambda x: ag.tile(x, [3, 2]), np.zeros((0, 2)))
    assert found.shape == (0, 4)


def test_tile_needs_a_multiple_for_each_axis():
    for tile in both(lambda x: ag.tile(x, [2, 2])):
        with pytest.raises(ShapeError, match="2 multiples"):
            tile(ag.zeros(3))


@pytest.mark.parametrize(
    ("repeats", "axis"), [(2, 0), (3, -1), (0, 1), ([1, 0], 0), ([2], 1), (2, None)]
)
def test_repeat_repeats_each_element(everywhere, repeats, axis):
    native = np.size(repeats) == 1
    (found,) = everywhere(lambda x: ag.repeat(x, repeats, axis), GRID, native=native)
    np.testing.assert_array_equal(found, np.repeat(GRID, repeats, axis))


@pytest.mark.parametrize("axis", [None, 0, -1])
def test_a_scalar_is_repeated_as_a_vector_of_one_element(everywhere, axis):
    (found,) = everywhere(lambda x: ag.repeat(x, 3, axis), np.float32(2.5))
    assert found.tolist() == np.repeat(np.float32(2.5), 3, axis).tolist() == [2.5, 2.5, 2.5]


def test_repeats_that_do_not_fit_the_axis_are_an_error():
    for repeat in both(lambda x: ag.repeat(x, [1, 2, 3], axis=0)):
        with pytest.raises(ShapeError, match="repeat"):
            repeat(ag.zeros(2))


# ---- pad -------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["CONSTANT", "REFLECT", "SYMMETRIC"])
@pytest.mark.parametrize(
    "paddings", [[[0, 0]] * 3, [[1, 1], [2, 0], [0, 1]], [[0, 1], [1, 2], [1, 0]]]
)
def test_pad_is_numpys(everywhere, mode, paddings):
    (found,) = everywhere(lambda x: ag.pad(x, paddings, mode), GRID)
    np.testing.assert_array_equal(found, np.pad(GRID, paddings, mode.lower()))


def test_symmetric_borders_are_as_wide_as_the_tensor_and_reflected_ones_less_by_one(everywhere):
    array = np.array([1, 2, 3])
    found = everywhere(
        lambda x: [ag.pad(x, [[3, 3]], "SYMMETRIC"), ag.pad(x, [[2, 2]], "REFLECT")], array
    )
    assert found[0].tolist() == [3, 2, 1, 1, 2, 3, 3, 2, 1]
    assert found[1].tolist() == [3, 2, 1, 2, 3, 2, 1]
    for mode, width in (("SYMMETRIC", 4), ("REFLECT", 3)):
        for pad in both(lambda x: ag.pad(x, [[width, 0]], mode)):
            with pytest.raises(ShapeError, match="mirror"):
                pad(ag.constant(array))


def test_the_value_of_a_border_may_be_computed(everywhere):
    (found,) = everywhere(
        lambda x, value: ag.pad(x, [[1, 2]], constant_values=value), [1.0, 2.0], 9.0
    )
    assert found.tolist() == [9, 1, 2, 9, 9]


def test_the_widths_of_a_border_may_be_computed(everywhere):
    (found,) = everywhere(lambda x, n: ag.pad(x, [[n, 0], [1, n + 1]]), [[5]], 2, native=False)
    assert found.shape == (3, 5)
    assert shape_of(lambda x: ag.pad(x, [[1, 1], [0, ag.shape(x)[0]]]), [None, 3]) == [None, None]


def test_truth_values_and_texts_are_padded_with_their_own_nothing():
    assert ag.pad([True], [[1, 0]]).numpy().tolist() == [False, True]
    assert ag.pad(["a"], [[1, 0]]).numpy().tolist() == [b"", b"a"]


@pytest.mark.parametrize("paddings", [[[1, 1]], [[1, 1]] * 3, [[-1, 0], [0, 0]]])
def test_paddings_that_do_not_fit_are_an_error(paddings):
    for pad in both(lambda x: ag.pad(x, paddings)):
        with pytest.raises(ShapeError, match="pad"):
            pad(ag.zeros([2, 2]))


def test_an_unknown_mode_is_an_error():
    with pytest.raises(ValueError, match="REFLECT"):
        ag.pad([1], [[1, 1]], mode="WRAP")


# ---- reverse and roll ------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [[0], [1, -1], 2, []])
def test_reverse_turns_axes_round(everywhere, axis):
    (found,) = everywhere(lambda x: ag.reverse(x, axis), GRID)
    np.testing.assert_array_equal(found, np.flip(GRID, tuple(np.ravel(axis).astype(int))))


def test_reversing_an_axis_twice_is_an_error():
    for reverse in both(lambda x: ag.reverse(x, [0, -1])):
        with pytest.raises(ValueError):
            reverse(ag.zeros(3))


@given(st.integers(-9, 9), st.integers(0, 2))
def test_roll_shifts_round(shift, axis):
    found = ag.roll(GRID, shift, axis).numpy()
    np.testing.assert_array_equal(found, np.roll(GRID, shift, axis))


@pytest.mark.slow
def test_roll_takes_shifts_that_are_computed_and_several_axes(everywhere):
    found = everywhere(
        lambda x, n: [
            ag.roll(x, n, 1),
            ag.roll(x, [1, 1, -3], [0, -2, 1]),
            ag.roll(x, ag.stack([n, n]), [0, 1]),
        ],
        GRID,
        np.int32(-5),
    )
    np.testing.assert_array_equal(found[0], np.roll(GRID, -5, 1))
    np.testing.assert_array_equal(found[1], np.roll(GRID, [1, 1, -3], [0, -2, 1]))
    np.testing.assert_array_equal(found[2], np.roll(GRID, [-5, -5], [0, 1]))


def test_shifts_and_axes_that_differ_in_number_are_an_error():
    for roll in both(lambda x: ag.roll(x, [1, 2], 0)):
        with pytest.raises(ShapeError, match="roll"):
            roll(ag.zeros(3))


def rolled(x):
    return ag.roll(x, 3, 1) + ag.roll(x, -1, 1) * ag.roll(x, 2, 0)


def rolled_vector(x):
    return ag.roll(x[0], [5], [0]) - ag.roll(x[0], 0, 0)


def joined(x):
    return ag.concat([x[:, :2] * 2.0, x[:, 1:], ag.zeros_like(x[:, :1])], 1) + 1.0


def joined_often(x):
    return ag.concat([x[:, 1:]] * 7, 1) + 1.0


@pytest.mark.parametrize("size", [2, 7, 300])
@pytest.mark.parametrize("function", [rolled, rolled_vector, joined, joined_often])
def test_a_loop_that_is_divided_where_elements_move_computes_what_eager_does(function, size):
    x = ag.constant(np.random.default_rng(0).random((6, size)))
    native = ag.function(function, jit_compile=True)
    np.testing.assert_array_equal(native(x).numpy(), function(x).numpy())
