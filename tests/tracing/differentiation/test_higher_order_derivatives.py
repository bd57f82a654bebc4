"""Derivatives of derivatives, backward and forward, through staged control flow."""

import numpy as np
import pytest

import allograph as ag
from allograph.library.saved.graph_parser import parse
from allograph.runtime.executors.executable import Executable

X = ag.constant([0.3, 0.9, -0.2], ag.float64)
V = ag.constant([1.0, -0.5, 2.0], ag.float64)


def looping(x, n):
    for _ in ag.range(n):
        x = ag.tanh(x[::-1] * 1.3) + 0.1 * x
    return x


def nested(x, n):
    y = x
    for i in ag.range(n):
        for _ in ag.range(i + 1):
            y = ag.sin(y * x)
    return y


def growing(x, n):
    y = x
    for _ in ag.range(n):
        ag.autograph.experimental.set_loop_options(shape_invariants=[(y, ag.TensorShape([None]))])
        y = ag.concat([y, ag.sin(y) * x[:1]], 0)
    return ag.reduce_sum(y * y) * x


def nested_in_branches(x, n):
    if ag.reduce_sum(x) > 0.0:
        if n > 0:
            x = nested(x, n)
        else:
            x = ag.tanh(x)
    else:
        x = ag.sin(x)
    return x


STAGED = [looping, nested, growing, nested_in_branches]


def slope(f):
    def derivative(x, n):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = f(x, n)
        return tape.gradient(y, x)

    return derivative


def along(f):
    """The derivative of `f` in the direction `V`."""

    def derivative(x, n):
        with ag.autodiff.ForwardAccumulator(x, V) as accumulator:
            y = f(x, n)
        return accumulator.jvp(y)

    return derivative


SECOND = {
    "forward": along,
    "second": lambda f: slope(slope(f)),
    "forward over backward": lambda f: along(slope(f)),
    "backward over forward": lambda f: slope(along(f)),
}
THIRD = {
    "third": lambda f: slope(slope(slope(f))),
    "forward over second": lambda f: along(slope(slope(f))),
}


@pytest.mark.slow
@pytest.mark.parametrize("way", SECOND)
@pytest.mark.parametrize("f", STAGED, ids=lambda f: f.__name__)
def test_a_graph_has_the_derivatives_of_eager_code(f, way):
    assert_graphs_agree(f, SECOND[way])


@pytest.mark.slow
@pytest.mark.parametrize("way", THIRD)
def test_a_loop_has_the_third_derivatives_of_eager_code(way):
    assert_graphs_agree(looping, THIRD[way])


def assert_graphs_agree(f, derivative):
    around = derivative(ag.function(f, kernel_compiler="none"))
    inside = ag.function(derivative(f), kernel_compiler="none")
    for n in (ag.constant(1), ag.constant(3)):
        expected = derivative(f)(X, n).numpy()
        for found in (around, inside):
            np.testing.assert_allclose(found(X, n).numpy(), expected, rtol=1e-9, atol=1e-12)


def test_one_slice_or_piece_alone_has_a_gradient():
    x = ag.constant([[1.0, 2.0]])
    with ag.GradientTape() as tape:
        tape.watch(x)
        (row,) = ag.unstack(x)
        (piece,) = ag.split(x, 1)
        y = row * row + piece
    assert tape.gradient(y, x).numpy().tolist() == [[3.0, 5.0]]


def test_a_stack_of_one_has_a_second_derivative():
    def cube(x, _):
        return ag.stack([x * x * x])

    assert slope(slope(cube))(ag.constant(2.0), None).numpy() == 12.0


class TestVariables:
    def test_what_only_the_test_of_a_loop_reads_has_no_gradient(self):
        least, factor = ag.Variable(9.0), ag.Variable(2.0)

        @ag.function
        def power(x):
            while x < least:
                x = x * factor
            return x

        with ag.GradientTape() as tape:
            y = power(ag.constant(1.5))
        found = tape.gradient(y, [least, factor])
        assert found[0] is None
        assert float(found[1]) == 1.5 * 3 * 2.0**2

    @pytest.mark.parametrize("way", [lambda f: f, ag.function], ids=["eager", "graph"])
    def test_what_an_assignment_gives_is_a_reading_of_the_new_value(self, way):
        w, x = ag.Variable(2.0), ag.constant(3.0)

        @way
        def slopes(x):
            with ag.GradientTape() as tape:
                tape.watch(x)
                y = w.assign(x * x) * x
            return tape.gradient(y, [w, x])

        assert [float(one) for one in slopes(x)] == [3.0, 9.0]

    @pytest.mark.parametrize("way", [lambda f: f, ag.function], ids=["eager", "graph"])
    def test_a_forward_derivative_of_what_reads_and_assigns(self, way):
        w = ag.Variable(2.0)

        @way
        def f(x):
            w.assign(w * x)
            return w * x * x

        x = ag.constant(3.0)
        with ag.autodiff.ForwardAccumulator(x, ag.constant(1.0)) as accumulator:
            y = f(x)
        assert float(accumulator.jvp(y)) == 6.0 * 6.0

    def test_an_effect_under_a_tape_and_an_accumulator_happens_once(self):
        w = ag.Variable(2.0)

        @ag.function
        def f(x):
            w.assign_add(1.0)
            return w * x * x * x

        x = ag.constant(2.0)
        with ag.GradientTape() as tape:
            tape.watch(x)
            with ag.autodiff.ForwardAccumulator(x, ag.constant(1.0)) as accumulator:
                y = f(x)
            moved = accumulator.jvp(y)
        assert float(tape.gradient(moved, x)) == 3.0 * 12.0
        assert float(w) == 3.0


def test_the_way_back_of_a_nested_loop_prints_and_reads_back():
    f = ag.function(slope(nested), kernel_compiler="none")
    graph = f.get_concrete_function(X, ag.constant(2)).frozen
    text = graph.as_text()
    assert "stack([])" in text
    (found,) = Executable(parse(text), "plan")(X.numpy(), np.int32(2))
    np.testing.assert_array_equal(found, f(X, ag.constant(2)).numpy())


def test_forward_derivatives_go_through_complex_numbers():
    def f(x):
        wave = ag.exp(ag.complex(x, 2 * x) * 0.5j)
        return ag.math.imag(ag.math.conj(wave) * wave * wave) + ag.abs(
            wave / ag.complex(x, x * 0 + 1)
        )

    x, step = ag.constant(0.7, ag.float64), 1e-6
    with ag.autodiff.ForwardAccumulator(x, ag.constant(1.0, ag.float64)) as accumulator:
        y = f(x)
    slope = (f(x + step) - f(x - step)) / (2 * step)
    assert float(accumulator.jvp(y)) == pytest.approx(float(slope), rel=1e-6)
