"""What loops of known trip count save lies in arrays; weights are summed after backward loops."""

import numpy as np
import pytest

import allograph as ag
from allograph.runtime.core import thresholds
from allograph.runtime.executors.compile_pipeline import native_form
from allograph.runtime.lowering.batch_parallel import split_batch
from allograph.runtime.passes.pipeline import optimize

STEPS, BATCH, UNITS = 9, 4, 3
slow = pytest.mark.slow


def numbers(*shape, seed=0):
    return ag.constant(np.random.default_rng(seed).standard_normal(shape) / 2)


def rnn(x, w, u, b):
    h = ag.zeros_like(x[0])
    for t in ag.range(x.shape[0]):
        h = ag.tanh(x[t] @ w + h @ u + b)
    return h


def gru(x, w, u, b):
    h, units = ag.zeros_like(x[0]), x.shape[-1]
    w, u = (ag.concat([one, one * 0.5, -one], 1) for one in (w, u))
    for t in ag.range(x.shape[0]):
        a, c = x[t] @ w, h @ u
        r = ag.sigmoid(a[:, :units] + c[:, :units] + b)
        z = ag.sigmoid(a[:, units : 2 * units] + c[:, units : 2 * units])
        n = ag.tanh(a[:, 2 * units :] + r * c[:, 2 * units :])
        h = (1 - z) * n + z * h
    return h


def outputs_of_every_step(x, w, u, b):
    h, out = ag.zeros_like(x[0]), ag.TensorArray(x.dtype, x.shape[0], element_shape=x.shape[1:])
    for t in ag.range(x.shape[0]):
        h = ag.tanh(x[t] @ w + h @ u + b)
        out = out.write(t, h)
    return out.stack()


def in_reverse(x, w, u, b):
    h = ag.zeros_like(x[0])
    for t in ag.range(x.shape[0] - 1, -1, -1):
        h = ag.tanh(x[t] @ w + h @ u + b)
    return h


def every_second_step(x, w, u, b):
    h = ag.zeros_like(x[0])
    for t in ag.range(0, x.shape[0], 2):
        h = ag.tanh(x[t] @ w + h @ u + b)
    return h


def two_layers(x, w, u, b):
    h = g = ag.zeros_like(x[0])
    for t in ag.range(x.shape[0]):
        h = ag.tanh(x[t] @ w + h @ u + b)
        g = ag.tanh(h @ w + g @ u)
    return h * g


def steps_that_branch(x, w, u, b):
    h = ag.zeros_like(x[0])
    for t in ag.range(x.shape[0]):
        if t % 3 == 1:
            h = ag.tanh(x[t] @ w + h @ u)
        else:
            h = h + b
    return h


def until_a_value(x, w, u, b):
    h = ag.zeros_like(x[0])
    for t in ag.range(x.shape[0]):
        if ag.reduce_sum(h) > 1.5:
            break
        h = ag.tanh(x[t] @ w + h @ u + b)
    return h


def loop_in_loop(x, w, u, b):
    h = ag.zeros_like(x[0])
    for t in ag.range(x.shape[0]):
        for _ in ag.range(4):
            h = ag.tanh(x[t] @ w + h @ u + b)
    return h


def weights_that_change(x, w, u, b):
    h = ag.zeros_like(x[0])
    for t in ag.range(x.shape[0]):
        h = ag.tanh(x[t] @ w + h @ u + b)
        u = u * 0.9
    return h


def two_biases(x, w, u, b):
    h, both = ag.zeros_like(x[0]), ag.stack([b, -0.5 * b])
    for t in ag.range(x.shape[0]):
        h = ag.tanh((x[t] @ w + both[0]) * (h @ u + both[1]))
    return h


FUNCTIONS = (
    *(rnn, gru, outputs_of_every_step, in_reverse, every_second_step, two_layers),
    *(steps_that_branch, until_a_value, loop_in_loop, weights_that_change, two_biases),
)


def gradients_of(function):
    def gradients(x, w, u, b):
        with ag.GradientTape() as tape:
            tape.watch([x, w, u, b])
            loss = ag.reduce_sum(function(x, w, u, b) ** 2)
        return tape.gradient(loss, [x, w, u, b])

    return gradients


def arguments(batch=BATCH):
    return numbers(STEPS, batch, UNITS), *(
        numbers(*shape, seed=seed) for seed, shape in enumerate([(3, 3), (3, 3), (3,)], 1)
    )


def native_graph(function, *given):
    return native_form(optimize(ag.function(function).get_concrete_function(*given).frozen)).graph


def operations_in_loops(graph):
    """The names of the operations in the bodies of loops."""
    loops = [node for node in graph.walk() if "carried" in node.attrs]
    return [node.op.name for loop in loops for node in loop.attrs["body"].walk()]


@slow
@pytest.mark.parametrize("divided", [False, True], ids=["whole", "in chunks"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda one: one.__name__)
def test_gradients_are_those_of_eager_execution(function, divided, monkeypatch):
    pytest.importorskip("llvmlite")
    if divided:
        monkeypatch.setattr(thresholds, "PARALLEL_FROM", 1.0)
        monkeypatch.setattr(thresholds, "CHUNK_COST", 1.0)
        monkeypatch.setattr(thresholds, "ROWS_OF_PRODUCTS", 1)
        monkeypatch.setattr(split_batch, "_has_schedule", lambda *_: False)
        monkeypatch.setattr(split_batch, "_pays", lambda _: True)
    expected = gradients_of(function)(*arguments())
    native = ag.function(gradients_of(function), jit_compile=True)
    for _ in range(2):
        for result, wanted in zip(native(*arguments()), expected, strict=True):
            np.testing.assert_allclose(result, wanted, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("function", [rnn, gru, outputs_of_every_step, two_layers, two_biases])
def test_products_with_transposed_rows_follow_after_the_backward_loop(function):
    graph = native_graph(gradients_of(function), *arguments())
    names = operations_in_loops(graph)
    assert "transpose" not in names and "stack_push" not in names and "reduce_sum" not in names
    products = [node for node in graph.nodes if node.op.name == "matmul"]
    assert {node.inputs[0].shape[1] for node in products} >= {STEPS * BATCH}


def test_rows_of_an_operand_are_not_saved():
    graph = native_graph(gradients_of(rnn), *arguments())
    forward = next(node for node in graph.nodes if "carried" in node.attrs)
    saved = [value for value in forward.outputs if value.shape == (STEPS, BATCH, UNITS)]
    assert len(saved) == 2  # the states before and after, and not x


def test_what_is_the_same_in_each_iteration_is_not_saved():
    weights = ag.Variable(numbers(UNITS, UNITS).numpy())

    def loss(x):
        h = ag.zeros_like(x[0])
        for t in ag.range(x.shape[0]):
            h = ag.tanh(x[t] + h @ weights)
        return ag.reduce_sum(h)

    def gradient(x):
        with ag.GradientTape() as tape:
            y = loss(x)
        return tape.gradient(y, weights)

    x = arguments()[0]
    graph = native_graph(gradient, x)
    assert (STEPS, UNITS, UNITS) not in [
        value.shape for node in graph.walk() for value in node.outputs
    ]
    np.testing.assert_allclose(ag.function(gradient, jit_compile=True)(x), gradient(x), 1e-10)


def test_steps_that_skip_rows_are_added_up_in_the_loop():
    graph = native_graph(gradients_of(every_second_step), *arguments())
    assert "stack_push" not in operations_in_loops(graph)


def test_an_unknown_trip_count_keeps_its_stacks():
    graph = native_graph(gradients_of(until_a_value), *arguments())
    assert "stack_push" in operations_in_loops(graph)


def test_arrays_that_are_too_large_stay_stacks(monkeypatch):

    monkeypatch.setattr(thresholds, "MOST_SAVED_BYTES", STEPS * BATCH * UNITS * 8 - 1)
    assert "stack_push" in operations_in_loops(native_graph(gradients_of(rnn), *arguments()))


# ---- rows that nobody reads ------------------------------------------------------------------


def makers(graph, shape):
    """The names of the operations outside of loops that make arrays of a shape."""
    return [node.op.name for node in graph.nodes for value in node.outputs if value.shape == shape]


def squares(steps, rows):
    def function(x):
        out = ag.zeros([rows, 3], ag.float64)
        for t in ag.range(steps):
            out[t] = x * ag.cast(t, ag.float64)
        return out

    return function


@pytest.mark.parametrize(("steps", "made"), [(90, "unwritten"), (89, "fill")])
def test_an_array_that_a_loop_writes_as_a_whole_is_not_filled(steps, made):
    function, x = squares(steps, 90), numbers(3)
    assert made in makers(native_graph(function, x), (90, 3))
    np.testing.assert_allclose(
        ag.function(function, jit_compile=True)(x), ag.function(function)(x), 1e-12
    )


def sum_of_changing_rows(rows):
    total = ag.zeros([3], ag.float64)
    for t in ag.range(9):
        total += rows[t]
        rows[t] = total
    return total


def sum_of_rows_read_later(rows):
    total = ag.zeros([3], ag.float64)
    for t in ag.range(9):
        total += rows[t] + rows[0]
        rows[t] = total
    return total


@pytest.mark.parametrize(
    ("function", "is_set"), [(sum_of_changing_rows, False), (sum_of_rows_read_later, True)]
)
def test_a_row_that_is_read_once_need_not_be_set_afterwards(function, is_set):
    rows = numbers(9, 3)
    assert ("set_item" in operations_in_loops(native_graph(function, rows))) == is_set
    np.testing.assert_allclose(
        ag.function(function, jit_compile=True)(rows), ag.function(function)(rows), 1e-12
    )


def test_cotangents_that_are_read_once_are_not_cleared():
    graph = native_graph(gradients_of(outputs_of_every_step), *arguments())
    body = [node for node in graph.nodes if "carried" in node.attrs][-1].attrs["body"]
    values = [node.inputs[1] for node in body.nodes if node.op.name == "set_item"]
    assert values and not any(body.producers()[value].op.is_constant for value in values)


def gates(x):
    first, second, third = x[:, :2], x[:, 2:4], x[:, 1:5]
    return first * second + ag.tanh(third[:, :2]) * third[:, 2:]


def test_gradients_of_slices_are_added_to_their_items():
    def gradient(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = gates(x) * 2.0
        return tape.gradient(y, x)

    x = numbers(4, 6)
    assert makers(native_graph(gradient, x), (4, 6)).count("const") == 1  # zeros, for three slices
    np.testing.assert_allclose(ag.function(gradient, jit_compile=True)(x), gradient(x), 1e-12)
