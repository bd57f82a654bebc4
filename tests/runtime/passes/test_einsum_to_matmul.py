"""Products as matrix products that native code has."""

import numpy as np

import allograph as ag
from allograph.runtime.executors.compile_pipeline import native_form
from allograph.runtime.passes.pipeline import optimize


def test_a_batch_of_rows_times_one_matrix_is_one_product():
    def products(a, b):
        return a @ b

    rows, matrices = (ag.TensorSpec([3, 5, size, 4]) for size in (1, 64))
    for spec, rank in (rows, 2), (matrices, 4):
        graph = ag.function(products).get_concrete_function(spec, ag.TensorSpec([4, 6])).frozen
        (product,) = (node for node in native_form(optimize(graph)).graph.walk()
                      if node.op.name == "matmul")  # fmt: skip
        assert len(product.output.shape) == rank


def test_a_tensordot_of_two_matrices_is_their_product_alone():
    def products(a):
        return ag.tensordot(a, ag.transpose(a), [[1], [0]])

    graph = ag.function(products).get_concrete_function(ag.TensorSpec([40, 30])).frozen
    names = [node.op.name for node in native_form(optimize(graph)).graph.walk()]
    assert [name for name in names if name != "const"] == ["transpose", "matmul"]


def test_a_product_of_a_matrix_with_its_transpose_has_half_of_the_multiplications():
    def covariances(x):
        return np.cov(x.T)

    compiled, x = ag.jit(covariances), np.random.default_rng(0).random((400, 300))
    np.testing.assert_allclose(compiled(x), covariances(x), rtol=1e-9, atol=1e-14)
    (entry,) = compiled.jit_table.values()
    (kernel,) = entry.traced.executable.kernels()
    assert "product_with_itself" in kernel.source
