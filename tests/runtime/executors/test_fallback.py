"""What happens when native code fails, or cannot be compiled."""

import types

import numpy as np
import pytest

import allograph as ag
from allograph.runtime.executors.kernel_calls import failed_in_kernel, with_fallback
from allograph.runtime.executors.tiering import FAULTS, BackgroundCompiler

pytest.importorskip("llvmlite")


def failing(error):
    def native(*arrays):
        raise error

    return native


PLAN = types.SimpleNamespace(function=lambda x: (x + 1,))


def test_a_kernel_that_fails_runs_again_on_numpy():
    assert with_fallback(failing(ArithmeticError()), lambda: PLAN, 1) == (2,)


@pytest.mark.parametrize("error", [ZeroDivisionError(), TypeError(), MemoryError()])
def test_no_other_error_is_taken_for_that_of_a_kernel(error):
    assert not failed_in_kernel(error)
    with pytest.raises(type(error)):
        with_fallback(failing(error), lambda: PLAN, 1)


def test_an_executable_runs_again_on_numpy_too():
    f = ag.function(lambda x: x * 2.0, jit_compile=True)
    x = ag.constant([1.0, 2.0])
    executable = f.get_concrete_function(x).executable
    executable._native = failing(ArithmeticError())
    np.testing.assert_array_equal(f(x), [2.0, 4.0])
    np.testing.assert_array_equal(executable(np.float32([3.0, 4.0])), ([6.0, 8.0],))


def test_an_error_of_native_code_that_no_kernel_raises_is_not_hidden():
    f = ag.function(lambda x: x * 3.0, jit_compile=True)
    x = ag.constant([1.0, 2.0])
    f.get_concrete_function(x).executable._native = failing(TypeError("a bug"))
    with pytest.raises(TypeError, match="a bug"):
        f(x)


def test_python_code_that_fails_in_native_code_is_called_once():
    calls = []

    def fail(x):
        calls.append(x)
        raise ArithmeticError("of the user")

    @ag.function
    def f(x):
        for i in ag.range(3):
            x = x * 2.0
        return ag.py_function(fail, [x], ag.float32) + x

    executable = f.get_concrete_function(ag.constant([1.0])).executable
    executable.compile()
    with pytest.raises(ArithmeticError, match="of the user"):
        executable(np.float32([1.0]))
    assert len(calls) == 1


class Work(types.SimpleNamespace):
    """Something to compile."""


@pytest.fixture
def faults():
    """The faults of the compiler that a test makes on purpose."""
    yield FAULTS
    FAULTS.clear()


@pytest.fixture
def broken(monkeypatch, faults):
    """A compiler that raises a TypeError at every kernel."""
    monkeypatch.setattr("allograph.runtime.executors.native_program.emit_native", len)


def total(n):
    result = 0
    for i in range(n):
        result += i * i
    return result


def test_a_fault_of_the_compiler_is_a_warning_and_python_runs_a_function_of_arrays(broken):
    first, second = ag.jit(total), ag.jit(total)
    with pytest.warns(RuntimeWarning, match="compiling failed.*TypeError: object of") as warned:
        assert first(1000) == second(1000) == total(1000)
    assert len(warned) == 1  # one for a fault
    assert warned[0].filename == __file__
    assert "TypeError: object of type 'Program'" in first.inspect()


@pytest.mark.parametrize("options", [{}, {"jit_compile": True}])
def test_a_fault_of_the_compiler_is_a_warning_and_numpy_runs_a_function_of_tensors(broken, options):
    f = ag.function(lambda x: ag.reduce_sum(x * 2.0), **options)
    with pytest.warns(RuntimeWarning, match="compiling failed.*TypeError: object of"):
        executable = f.get_concrete_function(ag.constant([1.0, 2.0])).executable
        executable.compile()
    assert f(ag.constant([1.0, 2.0])).numpy() == 6.0
    assert executable.why_not_native.startswith("TypeError: object of")


def test_a_fault_before_kernels_are_written_is_seen_too(monkeypatch, faults):
    monkeypatch.setattr("allograph.runtime.executors.executable.lower", len)
    with pytest.warns(RuntimeWarning, match="compiling failed.*TypeError"):
        assert ag.jit(total)(10) == total(10)


@pytest.mark.parametrize("error", [KeyError("a bug"), AttributeError("another")])
def test_a_bug_of_the_compiler_is_reported(error, faults):
    compiler = BackgroundCompiler()
    executable = Work(why_not_native=None, compile=failing(error))
    with pytest.warns(RuntimeWarning, match="compiling failed"):
        compiler.add(executable)
        compiler.wait()
    compiler.stop()
    assert executable.why_not_native.startswith(f"{type(error).__name__}: {error}")
