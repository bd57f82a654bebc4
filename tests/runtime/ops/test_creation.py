"""Tensors made from a shape, a range, or a condition."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import allograph as ag
from allograph.runtime.core.errors import DTypeError, InvalidArgumentError, ShapeError


def both(function):
    """The function as it is, and as a graph."""
    return function, ag.function(function, autograph=False)


def as_graph(function, *specs):
    """What a graph declares of its result."""
    concrete = ag.function(function, autograph=False).get_concrete_function(*specs)
    return concrete.structured_outputs


# ---- Python's integers ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([-(2**31), 1], ag.int32),
        ([[2**31 - 1], [-(2**31)]], ag.int32),
        ([range(-(2**31), -(2**31) + 2)], ag.int32),
        ([2**31], ag.int64),
        ([-(2**31) - 1], ag.int64),
        ([-(2**63), True], ag.int64),
        ([(2**63 - 1,)], ag.int64),
        ([2**40, 0.5], ag.float32),
    ],
    ids=str,
)
def test_integers_of_lists_are_int32_where_all_of_them_fit(values, dtype):
    made = ag.constant(values)
    assert made.dtype == dtype
    assert made.numpy().tolist() == np.array(values, dtype.numpy_dtype).tolist()


@pytest.mark.parametrize("value", [2**63, [2**63], [1, 2**63], [2**64], [-(2**63) - 1, 0]])
def test_an_integer_that_int64_does_not_hold_is_named(value):
    with pytest.raises(DTypeError, match=r"^cannot make a tensor of -?\d{19,}, which"):
        ag.constant(value)


def test_lists_of_integers_of_64_bits_have_the_type_asked_for():
    assert ag.constant([-(2**63), 5], ag.int64).numpy().tolist() == [-(2**63), 5]
    assert ag.constant([2**63, 1], ag.uint64).numpy().tolist() == [2**63, 1]
    with pytest.raises(ValueError, match="does not fit into uint64"):
        ag.constant([2**63, -1], ag.uint64)
    with pytest.raises(ValueError, match="does not fit into int64"):
        ag.constant([2**63], ag.int64)


# ---- fill, zeros, ones -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "shape", [[], [0], [2, 3], 4, (2,), np.array([1, 2]), ag.TensorShape([3])], ids=str
)
@pytest.mark.parametrize("dtype", ["float32", "int8", "bool", "complex64"])
def test_zeros_and_ones_have_the_shape_and_type_asked_for(shape, dtype):
    sizes = [shape] if isinstance(shape, int) else list(shape)
    for make in both(lambda: [ag.zeros(shape, dtype), ag.ones(shape, dtype)]):
        zeros, ones = make()
        assert zeros.dtype == ones.dtype == dtype
        assert zeros.shape == ones.shape == sizes
        assert not np.any(zeros.numpy()) and np.all(ones.numpy() == 1)


def test_zeros_and_ones_are_float32_unless_said():
    assert (ag.zeros([1]).dtype, ag.ones([1]).dtype) == (ag.float32, ag.float32)


def test_zeros_of_strings_are_empty_and_there_are_no_ones():
    assert ag.zeros([2], ag.string).numpy().tolist() == [b"", b""]
    with pytest.raises(TypeError, match="string"):
        ag.ones([2], ag.string)


def test_a_shape_may_be_computed_in_whole_or_in_part(everywhere):
    found = everywhere(
        lambda n: [ag.zeros([2, n]), ag.ones(ag.stack([n, n])), ag.fill([n], 7)], 3, native=False
    )
    assert [one.shape for one in found] == [(2, 3), (3, 3), (3,)]


@pytest.mark.parametrize("dtype", [None, "int64"])
def test_zeros_and_ones_like_a_tensor_have_its_shape(everywhere, dtype):
    array = np.full((2, 3), 5.0)
    zeros, ones = everywhere(lambda x: [ag.zeros_like(x, dtype), ag.ones_like(x, dtype)], array)
    np.testing.assert_array_equal(zeros, np.zeros_like(array, dtype=dtype))
    np.testing.assert_array_equal(ones, np.ones_like(array, dtype=dtype))


def test_fill_has_the_type_of_its_value(everywhere):
    (found,) = everywhere(lambda value: ag.fill([2, 2], value), np.int16(3))
    np.testing.assert_array_equal(found, np.full((2, 2), 3, np.int16))


def test_fill_takes_one_value_and_no_negative_sizes():
    for fill in both(lambda value: ag.fill([2], value)):
        with pytest.raises(ShapeError, match=r"not \(\)"):
            fill(ag.constant([1, 2]))
    for fill in both(lambda: ag.fill([-1], 0)):
        with pytest.raises(ShapeError, match="not a shape"):
            fill()


# ---- eye -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rows", "columns"), [(3, None), (2, 4), (4, 2), (0, 3)])
def test_eye_is_the_identity_matrix(everywhere, rows, columns):
    (found,) = everywhere(lambda x: ag.eye(rows, columns) + x, np.float32(0))
    np.testing.assert_array_equal(found, np.eye(rows, columns, dtype=np.float32))


def test_eye_repeats_for_batches_and_takes_a_computed_size(everywhere):
    (found,) = everywhere(lambda n: ag.eye(n, batch_shape=[2], dtype=ag.int32), 3, native=False)
    np.testing.assert_array_equal(found, np.broadcast_to(np.eye(3, dtype=np.int32), (2, 3, 3)))


# ---- range -----------------------------------------------------------------------------------

STEPS = st.integers(-40, 40)


@pytest.mark.slow
@given(STEPS, STEPS, st.integers(-5, 5))
def test_a_range_of_integers_is_pythons(start, limit, delta):
    assume(delta)
    assert ag.range(start, limit, delta).numpy().tolist() == list(range(start, limit, delta))


@pytest.mark.slow
@given(STEPS, STEPS, st.integers(-5, 5))
def test_a_range_of_bounds_known_only_at_run_time_is_the_same(start, limit, delta):
    assume(delta)
    assert RANGE(start, limit, delta).numpy().tolist() == list(range(start, limit, delta))


RANGE = ag.function(
    lambda start, limit, delta: ag.range(start, limit, delta),
    input_signature=[ag.TensorSpec([], ag.int32)] * 3,
    kernel_compiler="none",
)


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ((3,), [0, 1, 2]),
        ((2, 5), [2, 3, 4]),
        ((5, 0, -2), [5, 3, 1]),
        ((5, 0), []),
        ((0.0, 0.3, 0.1), np.float32([0, 0.1, 0.2])),
        ((1.0, 0.0, -0.25), np.float32([1, 0.75, 0.5, 0.25])),
        ((0.0, 1.0, 0.4), np.float32([0, 0.4, 0.8])),
    ],
)
def test_range_takes_a_limit_a_start_and_a_step(everywhere, arguments, wanted):
    kind = ag.float32 if isinstance(wanted, np.ndarray) else ag.int32
    (found,) = everywhere(lambda x: ag.range(*arguments) + ag.cast(x, kind), np.int32(0))
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "dtype"),
    [
        ((3,), ag.int32),
        ((3.0,), ag.float32),
        ((0, 3, 0.5), ag.float32),
        ((ag.constant(3, ag.int64),), ag.int64),
        ((0, ag.constant(3, ag.int64), 1), ag.int64),
        ((0.5, ag.constant(3)), ag.float32),
        ((ag.constant(0), ag.constant(2.5, ag.float64)), ag.float64),
        ((0.0, ag.constant(2.5, ag.float64), 0.5), ag.float64),
        ((2**40, 2**40 + 1), ag.int64),
    ],
    ids=str,
)
def test_the_type_of_a_range_is_the_widest_of_its_arguments(arguments, dtype):
    assert ag.range(*arguments).dtype == dtype


def test_the_type_of_a_range_may_be_asked_for():
    assert ag.range(3, dtype=ag.float64).dtype == ag.float64
    assert ag.range(ag.constant(3), dtype=ag.int64).dtype == ag.int64


def test_the_length_of_a_range_is_declared_where_it_is_known():
    assert as_graph(lambda: ag.range(2, 11, 3)).shape == [3]
    assert as_graph(lambda n: ag.range(n), ag.TensorSpec([], ag.int32)).shape == [None]
    assert as_graph(lambda x: ag.range(ag.shape(x)[0]), ag.TensorSpec([7, None])).shape == [7]


@pytest.mark.parametrize("arguments", [(0, 5, 0), (0.0, 1.0, 0.0), (0.0, float("inf"), 1.0)])
def test_a_range_that_never_ends_is_an_error(arguments):
    for make in both(lambda: ag.range(*arguments)):
        with pytest.raises(InvalidArgumentError, match="range"):
            make()


# ---- linspace --------------------------------------------------------------------------------


@pytest.mark.parametrize("num", [1, 2, 5])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_linspace_is_evenly_spaced_with_both_ends(everywhere, num, axis):
    start, stop = np.float32([0, 10]), np.float32([1, -10])
    (found,) = everywhere(lambda a, b: ag.linspace(a, b, num, axis=axis), start, stop, native=False)
    np.testing.assert_allclose(found, np.linspace(start, stop, num, axis=axis), rtol=1e-6)


@pytest.mark.parametrize("num", [1, 2, 7])
def test_linspace_compiles_and_keeps_its_end_exactly(everywhere, num):
    (found,) = everywhere(lambda a: ag.linspace(a, 0.7, num), np.float32(0.1))
    assert found.dtype == np.float32
    assert found[-1] == np.float32(0.7 if num > 1 else 0.1)


def test_linspace_needs_a_value():
    for make in both(lambda: ag.linspace(0.0, 1.0, 0)):
        with pytest.raises(InvalidArgumentError, match="0 values"):
            make()


# ---- one_hot and masks -----------------------------------------------------------------------


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_one_hot_marks_a_place_and_nothing_where_there_is_none(everywhere, axis):
    indices = np.array([[0, 2], [-1, 3]])
    (found,) = everywhere(lambda x: ag.one_hot(x, 3, axis=axis), indices)
    wanted = (indices[..., None] == np.arange(3)).astype(np.float32)
    np.testing.assert_array_equal(found, np.moveaxis(wanted, -1, -1 if axis is None else axis))


@pytest.mark.parametrize(
    ("values", "dtype"),
    [((2.5, 0), ag.int32), ((5, 0.5), None), ((None, 0.5), ag.int64), ((2, -1), ag.bool)],
)
def test_one_hot_refuses_values_that_its_type_cannot_hold(values, dtype):
    for one_hot in (ag.one_hot, ag.function(ag.one_hot)):
        with pytest.raises(TypeError, match="cannot convert"):
            one_hot([0], 2, *values, dtype=dtype)


def test_one_hot_takes_values_types_and_computed_depths(everywhere):
    found = everywhere(
        lambda x, depth: [
            ag.one_hot(x, 2, on_value=5, off_value=-1),
            ag.one_hot(x, 2, on_value=5, dtype=ag.float64),
            ag.one_hot(x, 2, True, False),
            ag.one_hot(x, depth),
        ],
        [1],
        3,
        native=False,
    )
    assert [one.tolist() for one in found] == [[[-1, 5]], [[0, 5]], [[False, True]], [[0, 1, 0]]]
    assert [one.dtype.name for one in found] == ["int32", "float64", "bool", "float32"]


def test_sequence_mask_has_a_true_for_each_element(everywhere):
    lengths = np.array([[1, 3], [0, 2]])
    found = everywhere(
        lambda n: [ag.sequence_mask(n), ag.sequence_mask(n, 4, ag.int32), ag.sequence_mask(n, 2)],
        lengths,
        native=False,
    )
    for one, size in zip(found, [3, 4, 2], strict=True):
        np.testing.assert_array_equal(one, np.arange(size) < lengths[..., None])


# ---- where -----------------------------------------------------------------------------------


def test_where_chooses_and_broadcasts(everywhere):
    condition = np.array([[True], [False]])
    (found,) = everywhere(lambda c, x: ag.where(c, x, -1.0), condition, [1.0, 2.0])
    np.testing.assert_array_equal(found, [[1, 2], [-1, -1]])


@pytest.mark.slow
def test_where_leaves_alone_what_it_does_not_choose(everywhere):
    (found,) = everywhere(lambda x: ag.where(x > 0, ag.sqrt(x), 0.0), [4.0, -4.0])
    assert found.tolist() == [2, 0]


@pytest.mark.parametrize(
    "array", [np.array([[0, 3], [2, 0]]), np.array([True, False]), np.zeros((0, 2))]
)
def test_where_alone_gives_the_places_that_hold(everywhere, array):
    (found,) = everywhere(lambda x: ag.where(x), array, native=False)
    np.testing.assert_array_equal(found, np.argwhere(array))
    assert found.dtype == np.int64


def test_where_with_one_side_only_or_two_types_is_an_error():
    with pytest.raises(ValueError, match="both x and y"):
        ag.where([True], x=[1])
    with pytest.raises(TypeError, match="int32 and float32"):
        ag.where([True], ag.constant([1]), ag.constant([1.0]))
    for where in both(lambda c, x: ag.where(c, x, x)):
        with pytest.raises(ShapeError, match="broadcast"):
            where(ag.constant([True, False]), ag.zeros(3))


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_boolean_mask_keeps_the_slices_where_it_holds(everywhere, axis):
    array = np.arange(12).reshape(2, 3, 2)
    mask = np.arange(array.shape[axis or 0]) % 2 == 0
    (found,) = everywhere(lambda x, m: ag.boolean_mask(x, m, axis), array, mask, native=False)
    np.testing.assert_array_equal(found, np.compress(mask, array, axis or 0))


def test_a_mask_of_the_wrong_shape_is_an_error_with_both():
    for keep in both(lambda x, m: ag.boolean_mask(x, m, axis=1)):
        with pytest.raises(ShapeError, match=r"\(3,\) .* \(2, 2\) at axis 1"):
            keep(ag.zeros([2, 2]), ag.constant([True, False, True]))


def test_dynamic_partition_deals_slices_out(everywhere):
    found = everywhere(
        lambda x, p: ag.dynamic_partition(x, p, 3),
        [[1, 2], [3, 4], [5, 6]],
        [2, 0, 2],
        native=False,
    )
    assert [part.tolist() for part in found] == [[[3, 4]], [], [[1, 2], [5, 6]]]


@pytest.mark.parametrize("value", [None, [None], [1, None], object()])
def test_what_is_no_number_or_text_makes_no_tensor(value):
    with pytest.raises(ag.errors.InvalidArgumentError, match="cannot make a tensor of"):
        ag.constant(value)
