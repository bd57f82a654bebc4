"""Unknown dimensions: native code for each shape that comes along, the plan for the rest."""

import numpy as np
import pytest

import allograph as ag

pytest.importorskip("llvmlite")

from allograph.runtime.core.errors import ShapeError
from allograph.runtime.executors.tiering import COMPILER, SHAPES
from allograph.runtime.passes.propagate_shapes import specialise_shapes

ROWS = ag.TensorSpec([None, 3], ag.float32)


def weighted(x):
    total = ag.zeros([ag.shape(x)[0]])
    for i in ag.range(ag.shape(x)[0]):
        total = total + ag.reduce_sum(x, axis=1) * ag.cast(i, ag.float32)
    return total


def rows(count: int):
    return ag.constant(np.arange(count * 3, dtype=np.float32).reshape(count, 3))


@pytest.mark.slow
def test_each_shape_gets_native_code_of_its_own():
    native = ag.function(weighted, input_signature=[ROWS], jit_compile=True)
    plan = ag.function(weighted, input_signature=[ROWS], kernel_compiler="none")
    for count in (0, 1, 4, 4, 7):
        np.testing.assert_allclose(native(rows(count)), plan(rows(count)), rtol=1e-6)
    assert native.experimental_get_tracing_count() == 1
    assert len(native.get_concrete_function().kernels()) == 4


def in_a_loop(x, w):
    for _ in ag.range(3):
        x = ag.tanh(ag.matmul(x, w) + w[0])
    return x


def in_a_branch(x, w):
    if ag.reduce_sum(x) > 0.0:
        x = x * 0.5 - ag.reduce_mean(x, 0)
    else:
        x = x + w[0] * x
    return x


def under_a_mask(x, w):
    for _ in ag.range(3):
        x = ag.where(x > 0.1, ag.tanh(ag.matmul(x, w)), x)
    return x


def left_early(x, w):
    for _ in ag.range(5):
        x = x * w[0]
        if ag.reduce_max(x) < 0.5:
            break
    return x


def loop_in_a_branch(x, w):
    if ag.reduce_sum(x) > 0.0:
        for _ in ag.range(3):
            x = ag.tanh(x) * w[0]
    return x * x


def branch_in_a_loop(x, w):
    for _ in ag.range(3):
        if ag.reduce_sum(x) > 0.1:
            x = ag.tanh(ag.matmul(x, w))
        else:
            x = ag.sin(x) + w[0]
    return x


def loop_in_a_loop(x, w):
    for _ in ag.range(2):
        for _ in ag.range(2):
            x = ag.tanh(x) * w[0]
        x = x + 0.5
    return x


def branch_in_a_branch(x, w):
    if ag.reduce_sum(x) > 0.0:
        if ag.reduce_max(x) > 0.2:
            x = ag.tanh(x) * w[0]
    return x


STATEMENTS = [
    in_a_loop, in_a_branch, under_a_mask, left_early, loop_in_a_branch, branch_in_a_loop,
    loop_in_a_loop, branch_in_a_branch,
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("function", STATEMENTS)
def test_gradients_of_statements_are_native_for_each_number_of_rows(function):
    def gradients(x, w):
        with ag.GradientTape() as tape:
            tape.watch((x, w))
            loss = ag.reduce_sum(function(x, w) ** 2)
        return tape.gradient(loss, (x, w))

    native = ag.function(gradients, input_signature=[ROWS, ag.TensorSpec([3, 3])], jit_compile=True)
    plan = ag.function(gradients, kernel_compiler="none")
    weights = ag.constant(np.linspace(0.3, -0.2, 9, dtype=np.float32).reshape(3, 3))
    for count in (1, 4):
        for sign in (0.1, -0.1):
            x = rows(count) * sign
            for got, expected in zip(native(x, weights), plan(x, weights), strict=True):
                np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


def gradient_of_gradient(function):
    def second(x, w):
        with ag.GradientTape() as outer:
            outer.watch(x)
            with ag.GradientTape() as tape:
                tape.watch(x)
                loss = ag.reduce_sum(function(x, w) ** 2)
            slope = tape.gradient(loss, x)
        return outer.gradient(slope, x)

    return second


def gradient_along(function):
    def along(x, w):
        with ag.autodiff.ForwardAccumulator(x, ag.cos(x)) as accumulator:
            with ag.GradientTape() as tape:
                tape.watch(x)
                loss = ag.reduce_sum(function(x, w) ** 2)
            slope = tape.gradient(loss, x)
        return accumulator.jvp(slope)

    return along


@pytest.mark.slow
@pytest.mark.parametrize("way, function, spec", [
    (gradient_of_gradient, in_a_loop, ROWS),
    (gradient_of_gradient, in_a_loop, ag.TensorSpec([4, 3])),
    (gradient_of_gradient, left_early, ROWS),
    (gradient_of_gradient, branch_in_a_loop, ROWS),
    (gradient_along, in_a_loop, ROWS),
    (gradient_along, in_a_branch, ROWS),
])  # fmt: skip
def test_second_derivatives_of_statements_are_native(way, function, spec):
    derivative = way(function)
    signature = [spec, ag.TensorSpec([3, 3])]
    native = ag.function(derivative, input_signature=signature, jit_compile=True)
    weights = ag.constant(np.linspace(0.3, -0.2, 9, dtype=np.float32).reshape(3, 3))
    for sign in (0.1, -0.1):
        x = rows(4) * sign
        expected = derivative(x, weights)
        np.testing.assert_allclose(native(x, weights), expected, rtol=1e-4, atol=1e-5)


def test_a_shape_that_is_called_often_becomes_native_in_the_background():
    f = ag.function(weighted, input_signature=[ROWS])
    concrete = f.get_concrete_function()
    for _ in range(120):
        first = f(rows(4)).numpy()
        COMPILER.wait()
    assert len(concrete.kernels()) == 1
    np.testing.assert_allclose(f(rows(4)), first)
    np.testing.assert_allclose(f(rows(5)), weighted(rows(5)))


def test_a_size_given_as_a_value_is_specialised_too():
    @ag.function(input_signature=[ag.TensorSpec([], ag.int32)], jit_compile=True)
    def f(n):
        squares = ag.zeros([n], ag.int32)
        for i in ag.range(n):
            squares[i] = i * i
        return squares

    assert f(ag.constant(4)).numpy().tolist() == [0, 1, 4, 9]
    assert f(ag.constant(2)).numpy().tolist() == [0, 1]


def test_values_that_decide_no_shape_share_one_specialisation():
    @ag.function(input_signature=[ROWS, ag.TensorSpec([], ag.int32)], jit_compile=True)
    def f(x, n):
        return x * ag.cast(n, ag.float32)

    for n in range(3):
        f(rows(2), ag.constant(n))
    assert len(f.get_concrete_function().kernels()) == 1


def test_a_loop_whose_state_grows_stays_on_the_plan():
    @ag.function(input_signature=[ag.TensorSpec([None], ag.float32)])
    def f(x):
        for _ in ag.range(3):
            ag.autograph.experimental.set_loop_options(
                shape_invariants=[(x, ag.TensorShape([None]))]
            )
            x = ag.concat([x, x], 0)
        return x

    for _ in range(60):
        assert f(ag.constant([1.0])).shape == (8,)
    COMPILER.wait()
    assert f(ag.constant([1.0])).shape == (8,)


def test_shapes_that_do_not_fit_are_the_error_of_the_plan():
    @ag.function(input_signature=[ag.TensorSpec([None]), ag.TensorSpec([None])], jit_compile=True)
    def f(x, y):
        return x + y

    assert f(ag.constant([1.0, 2.0]), ag.constant([1.0])).numpy().tolist() == [2.0, 3.0]
    with pytest.raises(ag.errors.InvalidArgumentError, match=r"return x \+ y"):
        f(ag.constant([1.0, 2.0]), ag.constant([1.0, 2.0, 3.0]))


def test_shapes_that_contradict_those_of_the_graph_are_a_shape_error():
    concrete = ag.function(lambda x: x * 2.0).get_concrete_function(ag.TensorSpec([None, 3]))
    with pytest.raises(ShapeError, match=r"\(None, 3\) and \(0, 0\)"):
        specialise_shapes(concrete.graph, [(0, 0)])


def test_a_slice_of_an_array_of_unknown_size_is_refused_at_its_line():
    def f(x):
        times = ag.cast(ag.reduce_sum(x), ag.int32)
        return ag.reduce_sum(ag.repeat(x, times)[1:times])

    x = ag.constant([1.0, 2.0])
    assert ag.function(f)(x).numpy() == 2.0
    with pytest.raises(ag.errors.InvalidArgumentError, match=r"ag.repeat\(x, times\)"):
        ag.function(f, jit_compile=True)(x)


def test_a_branch_that_changes_a_rank_is_refused_as_a_branch():
    def f(x):
        y = x[0]
        if ag.reduce_sum(x) > 3.0:
            y = x[:, :1]
        return ag.reduce_sum(y)

    with pytest.raises(ag.errors.InvalidArgumentError, match="differs between branches"):
        ag.function(f, jit_compile=True)(ag.constant([[1.0, 2.0], [3.0, 4.0]]))


@pytest.mark.slow
def test_only_so_many_shapes_are_kept():
    f = ag.function(lambda x: x + 1.0, input_signature=[ROWS], jit_compile=True)
    for count in range(SHAPES.kept + 3):
        assert f(rows(count)).shape == (count, 3)
    assert len(f.get_concrete_function().kernels()) == SHAPES.kept
