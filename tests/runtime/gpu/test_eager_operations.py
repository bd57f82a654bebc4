"""Operations outside of functions, inside of a block that names a device."""

import numpy as np
import pytest

import allograph as ag
from allograph.runtime.gpu import eager_operations

A, B = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)


def where(tensor):
    return tensor.device.rpartition("device:")[2]


def test_operations_run_on_the_device_and_copy_nothing_out(gpu, hard):
    a, b = ag.constant(A), ag.constant(B)
    with ag.device("GPU:0"):
        before = gpu.copied_out
        c = a @ b + 1.0
        d = ag.reshape(ag.sort(c[:, 1:], -1), [-1])
        assert (where(c), where(d), gpu.copied_out) == ("GPU:0", "GPU:0", before)
    np.testing.assert_array_equal(d.numpy(), np.sort((A @ B + 1.0)[:, 1:], -1).reshape(-1))


def test_outside_of_the_block_the_cpu_runs_them(gpu):
    with ag.device("GPU:0"):
        x = ag.constant(A) + 1.0
        with ag.device("CPU:0"):
            assert where(x + 1.0) == "CPU:0"
    assert (where(x), where(x + 1.0)) == ("GPU:0", "CPU:0")


def test_an_operation_is_compiled_once_for_each_type_of_operands(gpu):
    x = ag.constant(A)
    with ag.device("GPU:0"):
        _ = x * 2.0
        before = eager_operations._entry.cache_info().misses
        for factor in (3.0, 4.0):
            _ = (x * 2.0) * factor
        assert eager_operations._entry.cache_info().misses == before
        _ = ag.cast(x, ag.float32) * 2.0
        assert eager_operations._entry.cache_info().misses == before + 2


def test_attributes_of_other_types_are_other_programs(gpu):
    x = ag.constant([[1.0, 2.0], [3.0, 4.0]])
    with ag.device("GPU:0"):
        assert ag.reduce_sum(x, 0).shape == (2,)
        assert ag.reduce_sum(x, 0, keepdims=True).shape == (1, 2)
        assert ag.reduce_sum(x, 1).numpy().tolist() == [3.0, 7.0]


def test_variables_are_read_and_assigned_there(gpu, hard):
    v = ag.Variable([1.0, 2.0])
    with ag.device("GPU:0"):
        v.assign_add([1.0, 1.0])
        before = gpu.copied_out
        v.assign(v * 2.0)
        assert (where(v), gpu.copied_out) == ("GPU:0", before)
    assert v.numpy().tolist() == [4.0, 6.0]


def test_tapes_record_them(gpu, hard):
    x = ag.constant(A)
    with ag.device("GPU:0"):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = ag.reduce_sum(ag.tanh(x) * x)
        slope = tape.gradient(y, x)
    assert where(slope) == "GPU:0"
    expected = np.tanh(A) + A * (1 - np.tanh(A) ** 2)
    np.testing.assert_allclose(slope.numpy(), expected, rtol=1e-12)


def test_numbers_that_are_drawn_are_those_of_the_cpu(gpu):
    def drawn():
        ag.random.set_seed(3)
        return [ag.random.normal([2]).numpy().tolist() for _ in range(2)]

    with ag.device("GPU:0"):
        on_device = drawn()
    np.testing.assert_allclose(on_device, drawn(), rtol=1e-6)


def test_errors_are_those_of_the_cpu(gpu):
    x = ag.constant(A)
    with ag.device("GPU:0"):
        with pytest.raises(ag.errors.OutOfBoundsError, match="index 7"):
            ag.gather(x, [7])
        with pytest.raises(TypeError, match="float64 and float32 do not mix"):
            _ = x + ag.constant([1.0])
        with pytest.raises(ag.errors.ShapeError):
            _ = x + x[:, :2]


def test_the_cpu_runs_what_has_no_form_or_is_an_error(gpu):
    x = ag.constant(A)
    with ag.device("GPU:0"):
        assert where(ag.boolean_mask(x, x > 2.0)) == "CPU:0"
        assert ag.strings.join(["a", "b"]).numpy() == b"ab"
        ag.config.set_soft_device_placement(False)
        try:
            with pytest.raises(ag.errors.InvalidArgumentError, match="has no form for GPU:0"):
                ag.boolean_mask(x, x > 2.0)
        finally:
            ag.config.set_soft_device_placement(True)
