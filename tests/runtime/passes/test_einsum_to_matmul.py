"""Products as matrix products that native code has."""

import allograph as ag
from allograph.runtime.executors.compile_pipeline import native_form
from allograph.runtime.passes.pipeline import optimize


def test_a_batch_of_rows_times_one_matrix_is_one_product():
    def products(a, b):
        return a @ b

    rows, matrices = (ag.TensorSpec([3, 5, size, 4]) for size in (1, 64))
    for spec, rank in (rows, 3), (matrices, 4):
        graph = ag.function(products).get_concrete_function(spec, ag.TensorSpec([4, 6])).frozen
        (product,) = (node for node in native_form(optimize(graph)).graph.walk()
                      if node.op.name == "matmul")  # fmt: skip
        assert len(product.output.shape) == rank
