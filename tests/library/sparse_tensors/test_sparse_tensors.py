"""Sparse tensors: construction, conversions, arithmetic, shapes; eagerly and traced."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import allograph as ag

A = np.array([[0, 1, 0, 0], [2, 0, 0, 0], [0, 0, 3, 0]], np.float32)
B = np.array([[0, 5, 0, -1], [0, 0, 0, 0], [0, 0, -4, 0]], np.float32)


def results(a, b):
    """Pairs: what functions of sparse tensors give, made dense, and what NumPy does."""
    dense = ag.sparse.to_dense
    made = [
        dense(ag.sparse.add(a, b)),
        ag.sparse.add(a, ag.ones([3, 4])),
        dense(ag.sparse.maximum(a, b)),
        dense(ag.sparse.minimum(a, b)),
        ag.sparse.sparse_dense_matmul(a, ag.ones([4, 2])),
        ag.sparse.sparse_dense_matmul(a, ag.ones([3, 2]), adjoint_a=True),
        ag.sparse.sparse_dense_matmul(ag.ones([2, 3]), a),
        ag.sparse.reduce_sum(b),
        ag.sparse.reduce_sum(b, axis=0),
        ag.sparse.reduce_sum(b, axis=1, keepdims=True),
        dense(ag.sparse.reduce_sum(b, axis=-1, output_is_sparse=True)),
        dense(ag.sparse.transpose(b)),
        dense(ag.sparse.reshape(b, [2, -1])),
        dense(ag.sparse.concat(1, [a, b])),
        dense(ag.sparse.slice(b, [0, 1], [2, 9])),
        dense(ag.sparse.expand_dims(b, 0)),
        dense(a * 2),
        dense(b / [[1.0], [2.0], [4.0]]),
        dense(ag.square(b)),
        ag.sparse.reduce_max(b, axis=0),
    ]
    wanted = [
        A + B, A + 1, np.maximum(A, B), np.minimum(A, B), A @ np.ones([4, 2]),
        A.T @ np.ones([3, 2]), np.ones([2, 3]) @ A, B.sum(), B.sum(0), B.sum(1, keepdims=True),
        B.sum(1), B.T, B.reshape(2, -1), np.hstack([A, B]), B[:2, 1:], B[None], A * 2,
        B / np.array([[1], [2], [4]]), B**2, np.array([0, 5, -4, -1]),
    ]  # fmt: skip
    return made, wanted


def check(made, wanted):
    for one, other in zip(made, wanted, strict=True):
        np.testing.assert_allclose(one.numpy(), other)


def test_functions_of_sparse_tensors_are_those_of_the_dense_ones():
    check(*results(ag.sparse.from_dense(A), ag.sparse.from_dense(B)))


@pytest.mark.slow
def test_a_graph_computes_what_eager_code_does_for_sparse_tensors():
    spec = ag.SparseTensorSpec([None, None], ag.float32)
    traced = ag.function(lambda a, b: results(a, b)[0], input_signature=[spec, spec])
    a, b = ag.sparse.from_dense(A), ag.sparse.from_dense(B)
    check(traced(a, b), results(a, b)[1])


@pytest.mark.parametrize(
    "parts", [([[0, 0]], [1, 2], [2, 2]), ([[0, 0, 0]], [1], [2, 2]), ([0], [1], [2])]
)
def test_parts_that_do_not_fit_are_refused(parts):
    with pytest.raises(ag.errors.InvalidArgumentError, match="n elements of rank r"):
        ag.SparseTensor(*parts)


def test_indices_out_of_order_repeated_or_out_of_range_are_refused_until_they_are_mended():
    for indices in ([[1], [0]], [[1], [1]], [[7], [8]]):
        with pytest.raises(ag.errors.InvalidArgumentError, match="indices are out of"):
            ag.sparse.to_dense(ag.SparseTensor(indices, [5, 6], [3]))
    sorted_ = ag.sparse.reorder(ag.SparseTensor([[1], [0]], [5, 6], [3]))
    assert ag.sparse.to_dense(sorted_, default_value=-1).numpy().tolist() == [6, 5, -1]


def test_a_function_that_is_not_zero_at_zero_is_refused():
    with pytest.raises(TypeError, match=r"use ag\.sparse\.to_dense"):
        ag.exp(ag.sparse.from_dense(A))


def test_the_dense_shape_is_part_of_the_trace_type_and_the_number_of_elements_is_not():
    counted = ag.function(ag.sparse.reduce_sum)
    for sp in (ag.sparse.eye(3), ag.SparseTensor([[0, 1]], [1.0], [3, 3]), ag.sparse.eye(4)):
        counted(sp)
    assert counted.experimental_get_tracing_count() == 2
    assert repr(ag.type_spec_from_value(ag.sparse.eye(2))) == (
        "SparseTensorSpec(TensorShape([2, 2]), ag.float32)"
    )


def test_a_loop_carries_a_sparse_tensor():
    @ag.function
    def power(sp, n):
        for _ in ag.range(n):
            sp = ag.sparse.map_values(ag.multiply, sp, 2.0)
        return sp

    assert ag.sparse.to_dense(power(ag.sparse.eye(2), ag.constant(3))).numpy().tolist() == [
        [8.0, 0.0],
        [0.0, 8.0],
    ]


def test_ragged_rows_are_the_rows_of_a_sparse_matrix_without_gaps():
    rt = ag.ragged.constant([[1, 2], [], [3]])
    assert ag.sparse.to_dense(rt.to_sparse()).numpy().tolist() == rt.to_tensor().numpy().tolist()
    assert ag.RaggedTensor.from_sparse(rt.to_sparse()).to_list() == rt.to_list()
    with pytest.raises(ag.errors.InvalidArgumentError, match="a row has a gap"):
        ag.RaggedTensor.from_sparse(ag.sparse.from_dense([[0, 1]]))


@settings(max_examples=15, deadline=None)
@given(st.lists(st.lists(st.integers(-1, 1), min_size=3, max_size=3), min_size=1, max_size=4))
def test_what_is_not_zero_makes_the_tensor_again(rows):
    sp = ag.sparse.from_dense(rows)
    assert ag.sparse.to_dense(sp).numpy().tolist() == rows
    assert int(ag.sparse.reduce_sum(sp)) == sum(map(sum, rows))
    assert ag.sparse.to_dense(ag.sparse.concat(0, [sp, sp])).numpy().tolist() == rows + rows
