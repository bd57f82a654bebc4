"""Slices picked, replaced and combined by indices."""

import numpy as np
import pytest
from example_counts import examples
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import allograph as ag
from allograph.runtime.core.errors import InvalidArgumentError, OutOfRangeError, ShapeError

GRID = np.arange(24, dtype=np.int32).reshape(2, 3, 4)


def both(function):
    """The function as it is, and as a graph."""
    return function, ag.function(function, autograph=False)


# ---- gather ----------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("indices", [1, [0, 1, 1], [[1], [0]], np.zeros((0,), np.int32)], ids=repr)
def test_gather_is_numpys_take(everywhere, axis, indices):
    (found,) = everywhere(lambda x, i: ag.gather(x, i, axis=axis), GRID, indices)
    np.testing.assert_array_equal(found, np.take(GRID, indices, axis))


def test_gather_picks_from_the_first_axis_unless_said():
    assert ag.gather([[1, 2], [3, 4]], 1).numpy().tolist() == [3, 4]


@pytest.mark.parametrize(("batch_dims", "axis"), [(1, None), (1, 2), (1, -1), (2, 2), (-1, None)])
def test_batches_pick_from_their_own_params(everywhere, batch_dims, axis):
    size = GRID.shape[batch_dims if axis is None else axis] if batch_dims >= 0 else 3
    indices = np.array([[0, 2, 1], [1, 1, 0]]) % size
    (found,) = everywhere(
        lambda x, i: ag.gather(x, i, axis=axis, batch_dims=batch_dims),
        GRID,
        indices,
        ranks=batch_dims >= 0,
    )
    count = batch_dims % 2 if batch_dims < 0 else batch_dims
    place = (count if axis is None else axis) % 3
    for batch in np.ndindex(indices.shape[:count]):
        np.testing.assert_array_equal(
            found[batch], np.take(GRID[batch], indices[batch], place - count)
        )


def test_gather_picks_texts():
    for gather in both(lambda x: [ag.gather(x, 1), ag.gather_nd(x, [1])]):
        assert [part.numpy() for part in gather(ag.constant(["a", "b"]))] == [b"b", b"b"]


@pytest.mark.parametrize("index", [3, -1])
def test_an_index_out_of_range_is_an_error_naming_index_axis_and_size(index):
    for gather in both(lambda x, i: ag.gather(x, i, axis=1)):
        with pytest.raises(OutOfRangeError, match=f"gather: index {index} .* axis 1 with size 3"):
            gather(ag.constant(GRID), ag.constant([0, index]))
    compiled = ag.function(lambda x, i: ag.gather(x, i, axis=1) + 1, jit_compile=True)
    with pytest.raises(OutOfRangeError, match=f"gather: index {index} .* axis 1 with size 3"):
        compiled(ag.constant(GRID), ag.constant([0, index]))


def test_axes_and_batches_that_do_not_fit_are_an_error():
    for gather in both(lambda x, i: ag.gather(x, i, axis=0, batch_dims=1)):
        with pytest.raises(ShapeError, match="batch axes"):
            gather(ag.constant(GRID), ag.constant([[0], [0]]))
    for gather in both(lambda x, i: ag.gather(x, i, batch_dims=1)):
        with pytest.raises(ShapeError, match="differ"):
            gather(ag.constant(GRID), ag.constant([[0], [0], [0]]))
    for gather in both(lambda x: ag.gather(x, [0], axis=3)):
        with pytest.raises(ShapeError, match="axis 3"):
            gather(ag.constant(GRID))


# ---- gather_nd and scatter -------------------------------------------------------------------


@st.composite
def index_vectors(draw):
    """An array, and vectors of indices into its first axes."""
    shape = draw(npst.array_shapes(min_dims=1, max_dims=3, max_side=3))
    depth = draw(st.integers(0, len(shape)))
    count = draw(st.integers(0, 4))
    columns = [
        draw(npst.arrays(np.int32, count, elements=st.integers(0, size - 1)))
        for size in shape[:depth]
    ]
    indices = np.stack(columns, -1) if columns else np.zeros((count, 0), np.int32)
    return np.arange(np.prod(shape), dtype=np.int32).reshape(shape), indices


@pytest.mark.slow
@examples(50)
@given(case=index_vectors())
def test_gather_nd_picks_a_slice_for_each_index_vector(everywhere, case):
    array, indices = case
    (found,) = everywhere(ag.gather_nd, array, indices, native=False)
    wanted = [array[tuple(vector)] for vector in indices]
    np.testing.assert_array_equal(found, np.array(wanted).reshape(found.shape))


@pytest.mark.parametrize(
    ("indices", "batch_dims"),
    [([1, 2, 3], 0), ([[0, 1], [1, 2]], 0), ([[[2]], [[0]]], 1), ([[1, 0], [0, 3]], 1)],
)
def test_gather_nd_compiles_with_batches_too(everywhere, indices, batch_dims):
    (found,) = everywhere(lambda x, i: ag.gather_nd(x, i, batch_dims), GRID, indices)
    vectors = np.array(indices)
    rows = tuple(np.moveaxis(vectors, -1, 0))
    batch = tuple(np.indices(vectors.shape[:-1])[:batch_dims])
    np.testing.assert_array_equal(found, GRID[batch + rows])


@pytest.mark.slow
@examples(50)
@given(case=index_vectors(), data=st.data())
def test_scatter_changes_the_slices_at_the_index_vectors_in_turn(everywhere, case, data):
    array, indices = case
    shape = indices.shape[:1] + array.shape[indices.shape[1] :]
    updates = data.draw(npst.arrays(np.int32, shape, elements=st.integers(-50, 50)))
    found = everywhere(
        lambda x, i, u: [
            ag.tensor_scatter_nd_update(x, i, u),
            ag.tensor_scatter_nd_add(x, i, u),
            ag.tensor_scatter_nd_sub(x, i, u),
            ag.tensor_scatter_nd_max(x, i, u),
            ag.tensor_scatter_nd_min(x, i, u),
            ag.scatter_nd(i, u, ag.shape(x)),
        ],
        array,
        indices,
        updates,
        native=False,
    )
    wanted = [*(array.copy() for _ in range(5)), np.zeros_like(array)]
    for vector, update in zip(map(tuple, indices), updates, strict=True):
        wanted[0][vector] = update
        wanted[1][vector] += update
        wanted[2][vector] -= update
        wanted[3][vector] = np.maximum(wanted[3][vector], update)
        wanted[4][vector] = np.minimum(wanted[4][vector], update)
        wanted[5][vector] += update
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("index", [2, -1])
def test_index_vectors_out_of_range_are_an_error_naming_index_axis_and_size(index):
    calls = [
        lambda x, i: ag.gather_nd(x, i),
        lambda x, i: ag.tensor_scatter_nd_add(x, i, ag.zeros([1, 4], ag.int32)),
        lambda x, i: ag.tensor_scatter_nd_update(x, i, ag.zeros([1, 4], ag.int32)),
    ]
    for call in calls:
        for run in both(call):
            with pytest.raises(OutOfRangeError, match=f"index {index} .* axis 0 with size 2"):
                run(ag.constant(GRID), ag.constant([[index, 0]]))


def test_index_vectors_that_are_too_long_are_an_error():
    for gather in both(lambda x: ag.gather_nd(x, [[0, 0, 0, 0]])):
        with pytest.raises(ShapeError, match="4 indices"):
            gather(ag.constant(GRID))


def test_updates_of_another_shape_are_an_error_with_the_one_needed():
    for scatter in both(
        lambda x: ag.tensor_scatter_nd_update(x, [[0], [1]], ag.zeros([4], ag.int32))
    ):
        with pytest.raises(ShapeError, match=r"\(2, 3, 4\) is needed"):
            scatter(ag.constant(GRID))


# ---- segments --------------------------------------------------------------------------------

ROWS = np.array([[1, 8], [2, 7], [3, 6], [4, 5]], np.int32)


@pytest.mark.parametrize(
    ("name", "combine", "nothing"),
    [
        ("sum", np.sum, 0),
        ("prod", np.prod, 1),
        ("max", np.max, np.iinfo(np.int32).min),
        ("min", np.min, np.iinfo(np.int32).max),
        ("mean", lambda rows, axis: np.mean(rows, axis).astype(int), 0),
    ],
)
def test_segments_combine_the_rows_with_the_same_number(everywhere, name, combine, nothing):
    unsorted = getattr(ag.math, f"unsorted_segment_{name}")
    ids = np.array([2, 0, -1, 2])  # a negative number is left out, and nothing is in segment 1
    (found,) = everywhere(
        lambda x, i: unsorted(x, i, 3), ROWS, ids, native=False, ranks=name != "mean"
    )
    np.testing.assert_array_equal(found, [ROWS[1], [nothing] * 2, combine(ROWS[[0, 3]], 0)])
    in_order = getattr(ag.math, f"segment_{name}")
    (found,) = everywhere(in_order, ROWS, [0, 0, 2, 2], native=False, ranks=name != "mean")
    np.testing.assert_array_equal(found, [combine(ROWS[:2], 0), [0, 0], combine(ROWS[2:], 0)])


def test_segment_numbers_may_cover_several_axes():
    found = ag.math.unsorted_segment_sum(ROWS, [[0, 1]] * 4, 2)
    assert found.numpy().tolist() == [10, 26]


def test_no_rows_have_no_segments():
    assert ag.math.segment_sum(ag.zeros([0, 2]), ag.constant([], ag.int32)).shape == [0, 2]


def test_segment_numbers_that_do_not_fit_are_an_error():
    with pytest.raises(OutOfRangeError, match="3 is out of range for 3 segments"):
        ag.math.unsorted_segment_sum([1, 2], [0, 3], 3)
    with pytest.raises(InvalidArgumentError, match="sorted"):
        ag.math.segment_sum([1, 2], [1, 0])
    for total in both(lambda x, i: ag.math.segment_sum(x, i)):
        with pytest.raises(ShapeError, match="segment_ids of shape"):
            total(ag.constant(ROWS), ag.constant([0, 0]))


# ---- diagonals -------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [0, 1, -2])
def test_diag_puts_a_vector_on_a_diagonal_and_diag_part_takes_it(everywhere, k):
    rows = np.array([[1, 2], [3, 4]])
    made, again = everywhere(
        lambda x: [ag.linalg.diag(x, k=k), ag.linalg.diag_part(ag.linalg.diag(x, k=k), k=k)], rows
    )
    np.testing.assert_array_equal(made, [np.diag(row, k) for row in rows])
    np.testing.assert_array_equal(again, rows)


@pytest.mark.parametrize("k", [0, 1, -1, 3])
def test_diagonals_of_matrices_that_are_not_square(everywhere, k):
    new = -1 - np.arange(np.diagonal(GRID, k, -2, -1).shape[-1]) - np.zeros((2, 1), np.int32)
    found = everywhere(
        lambda x, d: [
            ag.linalg.diag_part(x, k=k),
            ag.linalg.set_diag(x, ag.cast(d, ag.int32), k=k),
        ],
        GRID,
        new,
    )
    np.testing.assert_array_equal(found[0], np.diagonal(GRID, k, -2, -1))
    np.testing.assert_array_equal(np.diagonal(found[1], k, -2, -1), new)
    assert np.sum(found[1] != GRID) == new.size


@pytest.mark.parametrize(("lower", "upper"), [(0, 0), (-1, 0), (0, -1), (1, 1), (-1, -1), (2, 0)])
def test_band_part_keeps_a_band(everywhere, lower, upper):
    (found,) = everywhere(lambda x: ag.linalg.band_part(x, lower, upper), GRID)
    wanted = GRID if upper < 0 else np.tril(GRID, upper)
    np.testing.assert_array_equal(found, wanted if lower < 0 else np.triu(wanted, -lower))


def test_trace_sums_the_diagonal(everywhere):
    (found,) = everywhere(ag.linalg.trace, GRID)
    np.testing.assert_array_equal(found, np.trace(GRID, axis1=-2, axis2=-1))


def test_a_diagonal_that_does_not_exist_is_an_error():
    for part in both(lambda x: ag.linalg.diag_part(x, k=4)):
        with pytest.raises(ShapeError, match="diagonal 4"):
            part(ag.constant(GRID))
    with pytest.raises(ShapeError, match="matri"):
        ag.linalg.diag_part([1, 2])
    for change in both(lambda x, d: ag.linalg.set_diag(x, d)):
        with pytest.raises(ShapeError, match=r"\(2, 3\) is needed"):
            change(ag.constant(GRID), ag.constant([1, 2]))


def test_a_large_constant_outlives_its_last_use():
    table = np.arange(5000.0)
    f = ag.function(lambda i: ag.gather(table, i), kernel_compiler="none")
    assert [float(f(ag.constant(i))) for i in (7, 4999)] == [7.0, 4999.0]


def test_positions_that_are_a_partly_known_shape():
    def f(x):
        return ag.gather(ag.constant([10, 20, 30]), ag.shape(x))

    staged = ag.function(f, input_signature=[ag.TensorSpec([None, 1])])
    assert staged(ag.ones([2, 1])).numpy().tolist() == [30, 20]
