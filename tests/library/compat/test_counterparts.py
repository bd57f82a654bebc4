"""Functions that others serve, or that are a line of others."""

import allograph as ag


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
