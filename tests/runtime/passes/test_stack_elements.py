"""What loops save for gradients, where shapes are known only when a function is called."""

import contextlib

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import allograph as ag
from allograph.runtime.core.dtypes import float64
from allograph.runtime.executors.shape_specialization import Specializations
from allograph.runtime.ir.graph import Value
from allograph.runtime.lowering.not_native import NotNativeError
from allograph.runtime.passes.pipeline import optimize
from allograph.runtime.passes.propagate_shapes import specialise_shapes
from allograph.runtime.passes.stack_elements import Elements

pytestmark = pytest.mark.slow


def recurrence(x, w):
    state = x[:, 0]
    for step in ag.range(1, ag.shape(x)[1]):
        state = ag.reduce_logsumexp(state[:, :, None] + w, 1) + x[:, step]
    return ag.reduce_sum(ag.sin(state))


def halves(x, w):
    """Values whose number of rows differs in each iteration."""
    total, rows = 0.0, x[:, 0]
    while ag.shape(rows)[0] > 1:
        total = total + ag.reduce_sum(ag.tanh(rows @ w))
        rows = rows[: ag.shape(rows)[0] // 2]
    return total


def gradients_of(loss):
    spec = [ag.TensorSpec([None, None, 3], ag.float64), ag.TensorSpec([3, 3], ag.float64)]

    def gradients(x, w):
        with ag.GradientTape() as tape:
            tape.watch([x, w])
            y = loss(x, w)
        return tape.gradient(y, [x, w])

    return gradients, spec


def arguments(batch, length):
    rng = np.random.default_rng(0)
    return ag.constant(rng.standard_normal((batch, length, 3))), ag.constant(rng.random((3, 3)))


@pytest.mark.parametrize("loss", [recurrence, halves])
def test_gradients_agree_with_the_numpy_program_at_every_shape(loss):
    gradients, spec = gradients_of(loss)
    plain = ag.function(gradients, input_signature=spec, kernel_compiler="none")
    native = ag.function(gradients, input_signature=spec)
    native.get_concrete_function().executable.precompile()
    for batch, length in ((4, 5), (1, 1), (5, 2), (2, 7)):
        given = arguments(batch, length)
        for entry in (0, 1):
            for found, wanted in zip(native(*given), plain(*given), strict=True):
                np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-14)
            shapes = native.get_concrete_function().executable._shapes
            if not entry and isinstance(shapes, Specializations):
                with contextlib.suppress(NotNativeError):
                    [*shapes.table.values()][-1].compile()


def test_lists_of_values_become_arrays_and_stacks_of_shapes_constants():
    gradients, spec = gradients_of(recurrence)
    graph = ag.function(gradients, input_signature=spec).get_concrete_function().executable.graph
    shapes = [(4, 5, 3), (3, 3)]

    def saved(graph):
        graph = optimize(optimize(graph))  # what nothing reads is dropped, and then what made it
        pushes = [node for node in graph.walk() if node.op.name == "stack_push"]
        return {node.output.dtype.name for node in pushes}, len(pushes)

    before, after = saved(graph), saved(specialise_shapes(graph, shapes))
    assert "stack" in before[0]
    assert "stack" not in after[0]
    assert after[1] < before[1] / 2


@pytest.mark.parametrize("first, second", [(0.0, -0.0), (np.zeros((0, 3)), np.zeros((0, 5)))])
def test_elements_that_only_seem_to_be_one_constant_are_none(first, second):
    values = (Value(float64, np.shape(each), "", np.asarray(each)) for each in (first, second))
    assert Elements().joined(*values).constant is None


def of_branches(x, n):
    """Loops in both branches, one after the other, and in a branch of a branch."""
    for k in ag.range(n):
        if ag.reduce_sum(x) > 0.1:
            z, j = ag.sin(x) * 1.2, 0
            while x[0] > 0.2 and j < 5:
                x, j = ag.sin(x) * 0.9 + 0.01 * z, j + 1
            for _ in ag.range(k):
                x = ag.cos(x) * z
        elif k % 3 > 0:
            if x[1] < 4.0:
                for _ in ag.range(k + 2):
                    x = ag.tanh(x + x * 0.2)
            x = x + 0.3
    return ag.reduce_sum(x * x)


def test_gradients_of_loops_in_branches_of_loops_are_native_and_those_of_eager_code():
    def gradient(x, n):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = of_branches(x, n)
        return tape.gradient(y, x)

    spec = [ag.TensorSpec([None], ag.float64), ag.TensorSpec([], ag.int32)]
    native = ag.function(gradient, input_signature=spec, jit_compile=True)
    for n, first in ((0, 0.5), (6, 0.5), (5, -0.5)):
        operands = ag.constant(np.array([first, 0.3, -0.2])), ag.constant(n)
        np.testing.assert_allclose(native(*operands), gradient(*operands), rtol=1e-12, atol=1e-14)


def test_zeros_in_the_shape_of_rows_that_turn_out_to_be_counted_are_an_array_of_that_shape():
    @ag.function(jit_compile=True)
    def joined(x, y, n):
        if n % 2 == 1:
            y = ag.concat([row[None] for row in y], 0)
            x = y + y
        return ag.zeros_like(x) + x, y

    x, y = np.arange(4.0), np.arange(4.0) ** 2
    for n, wanted in ((3, y + y), (2, x)):
        total, rows = joined(x, y, ag.constant(n))
        np.testing.assert_array_equal(total, wanted)
        np.testing.assert_array_equal(rows, y)
