"""Functions that others serve, or that are a line of others."""

import numpy as np

import allograph as ag


def test_functions_are_those_of_numpy_and_scipy():
    x = np.array([0.5, 2.0, 3.0])
    np.testing.assert_allclose(ag.math.polyval([1.0, -2.0, 3.0], x), np.polyval([1, -2, 3], x))
    np.testing.assert_allclose(ag.math.lbeta([[1.0, 2.0], [3.0, 4.0]]), np.log([1 / 2, 1 / 60]),
                               rtol=1e-5)  # fmt: skip
    rows = ag.math.unsorted_segment_sqrt_n([[1.0], [3.0], [5.0]], [1, 1, 0], 3)
    np.testing.assert_allclose(rows[:, 0], [5.0, 4 / 2**0.5, 0.0], rtol=1e-6)


def test_extremes_come_in_order_with_their_indices():
    found = ag.math.approx_max_k([[1.0, 5.0, 2.0]], 2), ag.math.approx_min_k([[1.0, 5.0, 2.0]], 2)
    assert [[part.numpy().tolist() for part in pair] for pair in found] == [
        [[[5.0, 2.0]], [[1, 2]]], [[[1.0, 2.0]], [[0, 2]]]
    ]  # fmt: skip


def test_each_call_of_a_graph_has_a_time_of_its_own():
    @ag.function
    def times():
        return ag.timestamp(), ag.timestamp()

    (first, second), (third, _) = times(), times()
    assert float(first) <= float(second) <= float(third) and first.dtype == ag.float64
    assert float(third) > float(first)


def test_a_gradient_passes_through_rounding():
    @ag.function
    def slope(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = ag.grad_pass_through(ag.round)(x) * 3.0
        return tape.gradient(y, x)

    assert float(slope(ag.constant(1.7))) == 3.0
