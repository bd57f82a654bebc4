"""Shapes of tensors, and the same elements in other shapes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import allograph as ag
from allograph.runtime.core.errors import ShapeError

GRID = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def shape_of(function, *shapes):
    """The shape that a graph declares for arguments of these shapes."""
    traced = ag.function(function, autograph=False)
    specs = [ag.TensorSpec(shape, ag.float32) for shape in shapes]
    return traced.get_concrete_function(*specs).structured_outputs.shape


# ---- shape, size, rank -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "array", [np.float32(3), np.zeros((0, 2)), GRID], ids=["scalar", "empty", "grid"]
)
def test_shape_size_and_rank_say_what_numpy_says(everywhere, array):
    found = everywhere(lambda x: [ag.shape(x), ag.size(x), ag.rank(x)], array, native=False)
    assert found[0].tolist() == list(np.shape(array))
    assert (found[1], found[2]) == (np.size(array), np.ndim(array))


def test_shape_is_int32_unless_another_type_is_asked_for():
    assert ag.shape([1]).dtype == ag.int32
    assert ag.shape([1], out_type=ag.int64).dtype == ag.int64
    assert ag.size([1], out_type=ag.int64).dtype == ag.int64


def test_shape_n_gives_a_shape_for_each_tensor():
    assert [one.numpy().tolist() for one in ag.shape_n([[1, 2], [[3]]])] == [[2], [1, 1]]


def test_a_shape_computed_from_a_shape_is_known_while_tracing():
    assert shape_of(lambda x: ag.zeros(ag.shape(x)[1:] * 2), [2, 3]) == [6]
    assert shape_of(lambda x: ag.reshape(x, [ag.shape(x)[0], -1]), [2, 3, 4]) == [2, 12]


def test_what_is_known_of_a_shape_survives_where_the_rest_is_unknown():
    assert shape_of(lambda x: ag.zeros([ag.shape(x)[0], 7]), [None, 3]) == [None, 7]
    assert shape_of(lambda x: ag.zeros(ag.concat([ag.shape(x), [9]], 0)), [None, 3]) == [None, 3, 9]
    assert shape_of(lambda x: ag.zeros(ag.shape(x)[::-1]), [None, 3]) == [3, None]
    assert shape_of(lambda x: ag.zeros(ag.gather(ag.shape(x), [1, 1, 0])), [None, 3]) == [
        3,
        3,
        None,
    ]
    assert shape_of(lambda x: ag.zeros(ag.slice(ag.shape(x), [1], [2])), [None, 3, 4]) == [3, 4]


# ---- reshape ---------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [[24], [4, 6], [2, -1], [-1], [1, 24, 1], [2, 3, 2, 2]])
def test_reshape_keeps_the_elements_in_row_major_order(everywhere, shape):
    (found,) = everywhere(lambda x: ag.reshape(x, shape), GRID)
    np.testing.assert_array_equal(found, GRID.reshape(shape))


def test_reshape_goes_to_and_from_scalars(everywhere):
    found = everywhere(lambda x, y: [ag.reshape(x, []), ag.reshape(y, [1, 1])], [5], 7)
    assert found[0] == 5 and found[1].tolist() == [[7]]


def test_reshape_of_nothing(everywhere):
    (found,) = everywhere(lambda x: ag.reshape(x, [3, 0, 2]), np.zeros((0, 4)))
    assert found.shape == (3, 0, 2)


@pytest.mark.parametrize("shape", [[5], [-1, 5], [-1, -1], [0, -1]])
def test_reshape_to_another_number_of_elements_is_an_error_with_both(shape):
    for reshape in (ag.reshape, ag.function(ag.reshape, autograph=False)):
        with pytest.raises(ValueError, match="reshape"):
            reshape(ag.constant(GRID), shape)


# ---- transpose -------------------------------------------------------------------------------


@pytest.mark.parametrize("perm", [None, (0, 2, 1), (2, 0, 1), (-1, 0, 1)])
def test_transpose_orders_the_axes(everywhere, perm):
    (found,) = everywhere(lambda x: ag.transpose(x, perm), GRID)
    np.testing.assert_array_equal(found, GRID.transpose(perm))


def test_transpose_may_conjugate():
    assert ag.transpose([[1 + 2j]], conjugate=True).numpy().tolist() == [[1 - 2j]]


@pytest.mark.parametrize("perm", [(0, 1), (0, 0, 1), (0, 1, 3)])
def test_an_order_that_is_none_of_the_axes_is_an_error(perm):
    for transpose in (ag.transpose, ag.function(ag.transpose, autograph=False)):
        with pytest.raises(ShapeError):
            transpose(ag.constant(GRID), perm)


def test_matrix_transpose_exchanges_the_last_two_axes(everywhere):
    (found,) = everywhere(ag.linalg.matrix_transpose, GRID, ranks=False)
    np.testing.assert_array_equal(found, GRID.swapaxes(-1, -2))
    with pytest.raises(ShapeError, match="matri"):
        ag.linalg.matrix_transpose([1, 2])


# ---- axes of size 1 --------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1, 3, -1, -4])
def test_expand_dims_inserts_an_axis(everywhere, axis):
    (found,) = everywhere(lambda x: ag.expand_dims(x, axis), GRID)
    np.testing.assert_array_equal(found, np.expand_dims(GRID, axis))


@pytest.mark.parametrize("axis", [None, 0, [0, 2], -1])
def test_squeeze_removes_axes_of_size_1(everywhere, axis):
    array = np.array([[[1], [2]]])
    (found,) = everywhere(lambda x: ag.squeeze(x, axis), array)
    numpy_axis = tuple(axis) if isinstance(axis, list) else axis
    np.testing.assert_array_equal(found, np.squeeze(array, numpy_axis))


def test_an_axis_that_does_not_exist_is_an_error_naming_it():
    for expand in (ag.expand_dims, ag.function(ag.expand_dims, autograph=False)):
        with pytest.raises(ShapeError, match="axis 5"):
            expand(ag.constant(GRID), 5)


def test_squeezing_an_axis_that_is_not_1_is_an_error():
    for squeeze in (ag.squeeze, ag.function(ag.squeeze, autograph=False)):
        with pytest.raises(ShapeError, match="is not 1"):
            squeeze(ag.constant(GRID), 1)


# ---- broadcasting ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "to"),
    [((), (2,)), ((3,), (2, 3)), ((2, 1), (2, 3)), ((1, 1), (5, 0, 1)), ((1,), (0,))],
)
def test_broadcast_to_repeats_axes_of_size_1_and_adds_leading_ones(everywhere, shape, to):
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    (found,) = everywhere(lambda x: ag.broadcast_to(x, to), array)
    np.testing.assert_array_equal(found, np.broadcast_to(array, to))


@pytest.mark.parametrize("to", [(1,), (2,), (3, 2), ()])
def test_a_shape_that_the_input_does_not_broadcast_to_is_an_error(to):
    for broadcast in (ag.broadcast_to, ag.function(ag.broadcast_to, autograph=False)):
        with pytest.raises(ShapeError, match="broadcast_to"):
            broadcast(ag.constant([1, 2, 3]), list(to))


def test_a_size_that_only_the_input_tells_is_declared():
    assert shape_of(lambda x, y: ag.broadcast_to(x, ag.shape(y)), [3, 1], [None, None]) == [3, None]


SIZES = st.lists(st.integers(0, 3), max_size=3)


@given(SIZES, SIZES)
def test_broadcast_dynamic_shape_is_the_shape_that_numpy_gives(one, other):
    try:
        expected = np.broadcast_shapes(tuple(one), tuple(other))
    except ValueError:
        with pytest.raises(ValueError, match="broadcast"):
            ag.broadcast_dynamic_shape(one, other)
        return
    if one and other:
        assert ag.broadcast_dynamic_shape(one, other).numpy().tolist() == list(expected)
    assert ag.broadcast_static_shape(one, other) == expected


def test_the_broadcast_of_shapes_known_in_part_is_known_in_part():
    def grid(x, y):
        return ag.zeros(ag.broadcast_dynamic_shape(ag.shape(x), ag.shape(y)))

    assert shape_of(grid, [None, 3], [5, 1]) == [5, 3]
    assert shape_of(grid, [None, 1], [7]) == [None, 7]


@pytest.mark.parametrize("indexing", ["xy", "ij"])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_meshgrid_is_numpys(everywhere, indexing, count):
    vectors = [np.arange(size) for size in (2, 3, 4)][:count]
    found = everywhere(lambda *args: ag.meshgrid(*args, indexing=indexing), *vectors)
    for grid, wanted in zip(found, np.meshgrid(*vectors, indexing=indexing), strict=True):
        np.testing.assert_array_equal(grid, wanted)


AXES = {
    "reduce_sum": lambda x: ag.reduce_sum(x, 0),
    "reduce_max": lambda x: ag.reduce_max(x, -1),
    "reduce_any": lambda x: ag.reduce_any(x > 0, [0]),
    "softmax": ag.nn.softmax,
    "sort": ag.sort,
    "argsort": lambda x: ag.argsort(x, -1),
    "reverse": lambda x: ag.reverse(x, [0]),
    "squeeze": lambda x: ag.squeeze(x, 0),
    "concat": lambda x: ag.concat([x, x], 0),
    "l2_normalize": lambda x: ag.math.l2_normalize(x, 0),
}


@pytest.mark.parametrize("way", ["eager", "known", "unknown"])
@pytest.mark.parametrize("name", AXES)
def test_a_scalar_has_no_axes(name, way):
    f = AXES[name]
    if way != "eager":
        spec = ag.TensorSpec([] if way == "known" else None, ag.float32)
        f = ag.function(f, input_signature=[spec])
    with pytest.raises(ValueError, match=r"does not exist in a tensor of rank 0|no axis|no axes"):
        f(ag.constant(4.0))


@pytest.mark.parametrize("axis", [0, -1])
def test_a_scalar_is_repeated_as_a_vector_of_one_element_along_its_axis(axis):
    def f(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = ag.repeat(x, 3, axis=axis) * [1.0, 2.0, 3.0]
        return y, tape.gradient(y, x)

    for way in (f, ag.function(f), ag.function(f, jit_compile=True)):
        y, slope = way(ag.constant(2.0))
        assert (y.numpy().tolist(), float(slope)) == ([2.0, 4.0, 6.0], 6.0)
