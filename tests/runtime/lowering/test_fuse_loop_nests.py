"""Which nodes share a loop nest, and in which order the steps are."""

import allograph as ag


def test_a_filled_array_comes_after_the_sizes_that_it_has():
    @ag.function(input_signature=[ag.TensorSpec([None, None], ag.int32)])
    def with_a_row_of_zeros(x):
        sizes = ag.concat([[1], ag.shape(x)[1:]], 0)  # the first is a constant, the second not
        return ag.concat([x, ag.broadcast_to(ag.constant(0), sizes)], 0)

    assert with_a_row_of_zeros(ag.constant([[1, 2]])).numpy().tolist() == [[1, 2], [0, 0]]
