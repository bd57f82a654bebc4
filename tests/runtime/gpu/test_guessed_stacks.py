"""Gradients of loops whose number of iterations nobody knows: their stacks have rows to guess."""

import numpy as np
import pytest

import allograph as ag
from allograph.runtime.gpu import guessed_stacks
from allograph.runtime.gpu.device_program import DeviceProgram

pytestmark = pytest.mark.usefixtures("hard")

START = np.array([1.1, 1.5], np.float32)


@pytest.fixture
def few_rows(monkeypatch):
    monkeypatch.setattr(guessed_stacks, "ROWS", (2, 4, 64))


@pytest.fixture
def runs(monkeypatch):
    """The results of each run of a program, or None where it failed."""
    seen = []
    run = DeviceProgram.run

    def noted(self, inputs):
        seen.append(None)
        seen[-1] = run(self, inputs)
        return seen[-1]

    monkeypatch.setattr(DeviceProgram, "run", noted)
    return seen


def grown(x, limit):
    while ag.reduce_sum(x) < limit:
        x = x * x
    return ag.reduce_sum(x)


def gradient(x, limit):
    with ag.GradientTape() as tape:
        tape.watch(x)
        total = grown(x, limit)
    return tape.gradient(total, x)


def assert_as_on_the_cpu(function, *arguments):
    arguments = [ag.constant(argument) for argument in arguments]
    on_device, on_cpu = (
        ag.function(function, device=device)(*arguments) for device in ("GPU:0", "CPU:0")
    )
    assert on_device.device.endswith("GPU:0")
    np.testing.assert_allclose(on_device.numpy(), on_cpu.numpy(), rtol=1e-5)


@pytest.mark.parametrize("limit", [2.0, 100.0, 1e9])
def test_the_gradient_of_a_loop_that_data_ends_is_that_of_the_cpu(gpu, limit):
    assert_as_on_the_cpu(gradient, START, np.float32(limit))


def test_second_gradients_of_counted_loops_are_those_of_the_cpu(gpu):
    def second_gradient(x):
        with ag.GradientTape() as outer:
            outer.watch(x)
            with ag.GradientTape() as tape:
                tape.watch(x)
                y = x
                for _ in ag.range(3):
                    if ag.reduce_sum(y) < 4.0:
                        y = ag.sin(y) * x + y
                total = ag.reduce_sum(y)
            first = ag.reduce_sum(tape.gradient(total, x))
        return outer.gradient(first, x)

    assert_as_on_the_cpu(second_gradient, START)


def test_second_gradients_of_loops_that_data_ends_are_those_of_the_cpu(gpu):
    def second_gradient(x, limit):
        with ag.GradientTape() as outer:
            outer.watch(x)
            first = ag.reduce_sum(gradient(x, limit))
        return outer.gradient(first, x)

    assert_as_on_the_cpu(second_gradient, START, np.float32(100.0))


def test_gradients_of_loops_in_loops_are_those_of_the_cpu(gpu):
    def nested(x, limit):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in ag.range(3):
                y = ag.sqrt(y) + 1.0
                while ag.reduce_sum(y) < limit:
                    y = y * 1.5
            total = ag.reduce_sum(y)
        return tape.gradient(total, x)

    assert_as_on_the_cpu(nested, START, np.float32(20.0))


def test_shapes_that_no_signature_tells_are_those_of_the_call(gpu):
    f = ag.function(
        gradient, device="GPU:0",
        input_signature=[ag.TensorSpec([None], ag.float32), ag.TensorSpec([], ag.float32)],
    )  # fmt: skip
    for x in (START, np.array([1.2], np.float32)):
        on_cpu = gradient(ag.constant(x), ag.constant(100.0)).numpy()
        result = f(ag.constant(x), ag.constant(100.0))
        assert result.device.endswith("GPU:0")
        np.testing.assert_allclose(result.numpy(), on_cpu, rtol=1e-5)


def test_a_loop_that_runs_longer_is_run_again_with_more_rows(gpu, few_rows, runs):
    f = ag.function(gradient, device="GPU:0")
    x = ag.constant(START)
    assert f(x, ag.constant(1e9)).device.endswith("GPU:0")  # 6 iterations
    assert [result is None for result in runs] == [True, True, False]
    f(x, ag.constant(2.0))
    assert len(runs) == 4  # the next call begins with the rows that were enough


def test_more_rows_than_any_guess_are_for_the_cpu(gpu, monkeypatch):
    monkeypatch.setattr(guessed_stacks, "ROWS", (2, 4))
    x, limit = ag.constant(START), ag.constant(1e9)
    result = ag.function(gradient, device="GPU:0")(x, limit)
    assert result.device.endswith("CPU:0")
    np.testing.assert_allclose(result.numpy(), gradient(x, limit).numpy(), rtol=1e-5)


def test_variables_are_assigned_once_where_a_call_runs_again(gpu, few_rows):
    calls = ag.Variable(0.0)

    @ag.function(device="GPU:0")
    def step(x, limit):
        calls.assign_add(1.0)
        return gradient(x, limit)

    step(ag.constant(START), ag.constant(1e9))
    assert calls.numpy() == 1.0


def test_what_a_check_refuses_is_the_error_of_the_cpu(gpu, few_rows):
    @ag.function(device="GPU:0")
    def step(x, limit):
        ag.debugging.assert_less(limit, 100.0)
        return gradient(x, limit)

    with pytest.raises(ag.errors.InvalidArgumentError):
        step(ag.constant(START), ag.constant(1e9))
