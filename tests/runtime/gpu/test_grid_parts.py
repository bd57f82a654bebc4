"""Programs whose products are a library's: kernels, products between them, loops of both."""

import warnings

import numpy as np
import pytest
from test_grid_program import numbers

import allograph as ag
from allograph.runtime.executors.compile_pipeline import native_forms
from allograph.runtime.gpu import emulator
from allograph.runtime.gpu.grid import grid_parts
from allograph.runtime.gpu.grid.grid_program import DEVICE
from allograph.runtime.gpu.grid_kernel import SUCCESS, GridLoop, NoteFailure, Product, flat_steps


@pytest.fixture(autouse=True)
def _all_products_are_large(monkeypatch):
    monkeypatch.setattr(grid_parts, "LIBRARY_FROM", 1)


def parts_of(function, *arguments):
    executable = ag.function(function).get_concrete_function(*arguments).executable
    *_, form = native_forms(executable.graph, None, DEVICE)
    return grid_parts.program_in_parts(form.program)


def count(program, kind):
    return sum(isinstance(step, kind) for step in flat_steps(program.steps))


def assert_as_on_the_cpu(function, *arguments, products=1, loops=0):
    arguments = [ag.constant(argument) for argument in arguments]
    program = parts_of(function, *arguments)
    assert (count(program, Product), count(program, GridLoop)) == (products, loops)
    results = ag.nest.flatten(ag.function(function)(*arguments))
    outputs, status = emulator.run(program, [argument.numpy() for argument in arguments])
    assert status == SUCCESS
    for own, wanted in zip(outputs, results, strict=True):
        wanted = np.asarray(wanted)
        assert (own.dtype, own.shape) == (wanted.dtype, wanted.shape)
        np.testing.assert_allclose(own, wanted, rtol=1e-5, atol=1e-5)
    return program


X, W, B = numbers(6, 4), numbers(4, 4) * np.float32(0.3), numbers(4)


def test_a_product_is_between_two_kernels():
    program = assert_as_on_the_cpu(lambda x, w, b: ag.tanh((x + 1.0) @ w + b), X, W, B)
    assert len(program.kernels) == 2


def test_a_product_may_be_all_there_is():
    program = assert_as_on_the_cpu(lambda x, w: x @ w, X, W)
    assert not program.kernels


@pytest.mark.parametrize("flips", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_transposed_operands_are_read_where_they_lie(flips, monkeypatch):
    monkeypatch.setattr("allograph.runtime.core.thresholds.SMALL_PRODUCT", 0)
    x, w = numbers(*((5, 6), (6, 5))[flips[0]]), numbers(*((6, 7), (7, 6))[flips[1]])

    def product(x, w):
        x = ag.transpose(x) if flips[0] else x
        return x @ (ag.transpose(w) if flips[1] else w)

    program = assert_as_on_the_cpu(product, x, w)
    assert program.steps[0].transposed == tuple(map(bool, flips))
    assert not program.kernels


def test_batches_are_one_call_and_may_share_a_matrix():
    assert_as_on_the_cpu(lambda x, w: x @ w, numbers(3, 5, 6), numbers(3, 6, 2))
    assert_as_on_the_cpu(lambda x, w: ag.matmul(w, x), numbers(3, 4, 5), W)


def test_products_of_integers_are_loops_of_a_kernel():
    a = numbers(4, 4, dtype=np.int32)
    program = assert_as_on_the_cpu(lambda a: a @ a, a, products=0)
    assert len(program.kernels) == 1


def test_views_and_numbers_go_from_kernel_to_kernel():
    def f(x, w):
        total = ag.reduce_sum(x)
        y = ag.reshape(x, [12, 2]) * 2.0
        z = ag.reshape(y, [6, 4]) @ w
        return ag.reshape(z, [24]) * total, total

    assert_as_on_the_cpu(f, X, W)


def test_a_constant_may_be_an_operand_and_an_output():
    w = W.copy()
    assert_as_on_the_cpu(lambda x: (x @ w, ag.constant(w), ag.constant(3)), X)


def test_outputs_may_come_twice_and_be_inputs():
    def f(x, w):
        y = x @ w
        return y, y, x, ag.reshape(y, [24])

    assert_as_on_the_cpu(f, X, W)


def test_counted_loops_are_launched_as_often():
    def f(x, w):
        for _ in ag.range(5):
            x = ag.tanh(x @ w)
        return x

    program = assert_as_on_the_cpu(f, X, W, loops=1)
    (loop,) = (step for step in program.steps if isinstance(step, GridLoop))
    assert loop.count == 5
    assert len(loop.body) <= 3  # the product, tanh, and the counter


def settle(x, w):
    n = 0
    while ag.reduce_sum(ag.abs(x)) > 0.5:
        x = ag.tanh(x @ w)
        n += 1
    return x, n


@pytest.mark.parametrize("scale", [1e-3, 1.0, 30.0])
def test_loops_with_a_test_end_where_it_says(scale):
    program = assert_as_on_the_cpu(settle, X * np.float32(scale), W, loops=1)
    (loop,) = (step for step in program.steps if isinstance(step, GridLoop))
    assert loop.may_overrun


def test_values_that_change_places_are_copied():
    def f(x, y, w):
        n = 0
        while ag.reduce_sum(ag.abs(x)) > 0.5:
            x, y, n = y, ag.tanh(x @ w), n + 1
        return x, y, n

    assert_as_on_the_cpu(f, X, X + 1, W, loops=1)


def test_rows_are_set_in_place():
    def f(x, w):
        rows = ag.zeros([5, 6, 4])
        for i in ag.range(5):
            x = ag.tanh(x @ w)
            rows = ag.tensor_scatter_nd_update(rows, [[i]], x[None])
        return rows

    assert_as_on_the_cpu(f, X, W, loops=1)


def test_loops_in_loops():
    def f(x, w):
        n = 0
        for _ in ag.range(3):
            x = x * 8.0
            while ag.reduce_sum(ag.abs(x)) > 0.5:
                x = ag.tanh(x @ w)
                n += 1
        return x, n

    assert_as_on_the_cpu(f, X, W, loops=2)


def test_an_outer_loop_waits_for_those_that_may_never_end():
    def f(x, w):
        n, m = 0, 0
        while n < 3 and ag.reduce_sum(x) < 1e6:
            x = x + 8.0
            while ag.reduce_sum(ag.abs(x)) > 0.5:
                x = ag.tanh(x @ w)
                m += 1
            n += 1
        return x, n, m

    program = assert_as_on_the_cpu(f, X, W, loops=2)
    (loop,) = (step for step in program.steps if isinstance(step, GridLoop))
    assert not loop.may_overrun


def test_failures_of_iterations_that_never_were_do_not_count():
    def f(x, w, rows):
        i = 0
        while i < 3 and ag.reduce_sum(x) < 1e9:
            x = ag.tanh(x @ w) + rows[i]
            i += 1
        return x

    assert_as_on_the_cpu(f, X, W, numbers(3, 4), loops=1)


def test_parts_behind_a_failure_do_nothing():
    def f(x, w, i):
        y = x[i] @ w  # the index is known to be in range afterwards
        return ag.tanh(y[0]) + x[i][0]

    x = np.stack([X, X])
    arguments = [ag.constant(argument) for argument in (x, W, np.int32(7))]
    program = parts_of(f, *arguments)
    outputs, status = emulator.run(program, [argument.numpy() for argument in arguments])
    assert status != SUCCESS
    assert count(program, Product) == 1 and count(program, NoteFailure) >= 1
    assert all("before[0] == " in kernel.code.source for kernel in program.kernels)


# ---- functions -----------------------------------------------------------------------------------


def test_functions_on_a_device_have_products_of_the_library(gpu):
    x, w = ag.constant(X), ag.constant(W)
    f = ag.function(settle, device="GPU:0")
    on_device, here = f(x, w), ag.function(settle)(x, w)
    np.testing.assert_allclose(on_device[0].numpy(), here[0].numpy(), rtol=1e-5, atol=1e-6)
    assert int(on_device[1]) == int(here[1])
    assert on_device[0].device.endswith("GPU:0")


def test_what_fails_between_products_raises_the_error_of_the_cpu(gpu):
    @ag.function(device="GPU:0")
    def f(x, w, i):
        return (x @ w)[i] @ w[:, :1]

    x, w = ag.constant(X), ag.constant(W)
    with pytest.raises(IndexError, match="index 9 is out of range"):
        f(x[:, None], w, ag.constant(9))


def test_a_failure_ends_a_loop(gpu):
    @ag.function(device="GPU:0")
    def f(x, w):
        n = 0
        while ag.reduce_sum(ag.abs(x)) > 0.0:
            x = ag.tanh(x @ w) + x[n]
            n += 1
        return x

    with pytest.raises(IndexError, match="index 6 is out of range"):
        f(ag.constant(X), ag.constant(W))


def test_explain_says_who_computes_products(gpu):
    f = ag.function(lambda x, w: ag.tanh(x @ w), device="GPU:0")
    text = str(f.get_concrete_function(ag.constant(X), ag.constant(W)).explain())
    assert "product of (6, 4) and (4, 4): by NumPy, between kernels" in text


def test_without_a_library_products_are_loops_of_the_kernel(gpu, monkeypatch):
    monkeypatch.setattr(type(gpu), "products_by", lambda self: "")
    monkeypatch.setattr(type(gpu), "without_library", lambda self: "cuBLAS is not installed")
    f = ag.function(lambda x, w: ag.tanh(x @ w), device="GPU:0")
    y = f(ag.constant(X), ag.constant(W))
    np.testing.assert_allclose(y.numpy(), np.tanh(X @ W), rtol=1e-5, atol=1e-6)
    said = "product of (6, 4) and (4, 4): a loop of the kernel: cuBLAS is not installed"
    assert said in str(f.get_concrete_function(ag.constant(X), ag.constant(W)).explain())


def test_products_of_computed_sizes_are_loops_of_the_kernel(gpu):
    @ag.jit(device="gpu")
    def covariance(data):
        k = data.shape[1]
        out = np.zeros((k, k))
        for i in range(k):
            out[i:k, i] = data[:, i] @ data[:, i:k]
            out[i, i:k] = out[i:k, i]
        return out

    data = np.arange(12.0).reshape(4, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a fault would be told
        np.testing.assert_array_equal(covariance(data), data.T @ data)
