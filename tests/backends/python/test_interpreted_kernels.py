"""Kernel source that runs as Python, and the compiler of one function."""

import linecache
import sys

import numpy as np
import pytest

import allograph as ag
from allograph.backends.python.interpreted import function_of
from allograph.runtime.executors.executable import Executable
from allograph.runtime.jit.backends import OWN, backend, choice
from allograph.runtime.jit.kernel_types import INT64, ArrayType
from allograph.runtime.kernel_ir.reader import kernel_ir

X = np.arange(12.0, dtype=np.float32).reshape(3, 4) / 8


def rows(x, limit):
    """A loop with vectors, a stack of rows for the gradient, an index, integers that wrap."""
    with ag.GradientTape() as tape:
        tape.watch(x)
        y, count = x, ag.constant(250, ag.uint8)
        while ag.reduce_sum(y) < limit:
            y = y + ag.exp(y[0] * 0.5) + y[1:2]
            count += 5
    return y, tape.gradient(y, x), count, ag.sort(y, -1), ag.matmul(y, y, transpose_b=True)


@pytest.mark.slow
def test_python_computes_what_machine_code_computes():
    concrete = ag.function(rows).get_concrete_function(ag.constant(X), ag.constant(300.0))
    arrays = (X, np.float32(300))
    native, python = (Executable(concrete.frozen, "native", name) for name in (None, "python"))
    for one, other in zip(native(*arrays), python(*arrays), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)
        assert np.asarray(one).dtype == np.asarray(other).dtype
    assert {kernel.compiler for kernel in python.kernels()} == {"python"}


def test_a_debugger_sees_the_lines_of_the_kernel():
    f = ag.function(lambda x: x * 2.0, jit_compile=True, kernel_compiler="python")
    (kernel,) = f.get_concrete_function(ag.constant(X)).kernels()
    seen = []

    def trace(frame, event, argument):
        if frame.f_code.co_filename == kernel.file and event == "line":
            seen.append(linecache.getline(kernel.file, frame.f_lineno).strip())
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        f(ag.constant(X))
    finally:
        sys.settrace(before)
    assert seen[-1] == kernel.source.splitlines()[-1].strip()
    assert len(seen) > X.size
    assert kernel.assembly() == ""


def test_chunks_of_a_parallel_region_run_one_after_the_other_the_last_one_first():
    source = """
def region_1(address):
    table = array_at(address, (3,), np.int64)
    y = array_at(table[2], (4,), np.int64)
    while True:
        chunk = next_chunk(address)
        if chunk < 0 or chunk >= 4:
            break
        y[checked_index(3 - chunk, 3)] += chunk
def kernel(y, regions, control):
    table = np.zeros(3, np.int64)
    table[2] = y.ctypes.data
    if run_region(regions[0], table, 4, control):
        raise IndexError
    return ()
"""
    types = (ArrayType(INT64, (4,)), ArrayType(INT64, (1,)), ArrayType(INT64, (1,)))
    code = kernel_ir(source)
    call, regions = function_of(code, "kernel.py", types, (), OWN.compiled)
    y = np.zeros(4, np.int64)
    with pytest.raises(ArithmeticError):  # the index 3, of the first chunk
        call(y, np.array(regions), np.zeros(1, np.int64))
    assert y.tolist() == [3, 2, 1, 0]


def test_a_failing_kernel_leaves_the_error_to_the_plan():
    divide = ag.function(lambda x, y: x // y, jit_compile=True, kernel_compiler="python")
    with pytest.raises(ag.errors.InvalidArgumentError, match="zero"):
        divide(ag.constant([1, 2]), ag.constant([1, 0]))


def test_a_function_has_its_own_compiler_and_its_gradient_too():
    f = ag.function(lambda x: ag.sin(x), jit_compile=True, kernel_compiler="python")
    x = ag.constant(X)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    np.testing.assert_allclose(tape.gradient(y, x), np.cos(X), rtol=1e-6)
    concrete = f.get_concrete_function(x)
    executables = [concrete.executable, *concrete.frozen.facts.executables.values()]
    assert {k.compiler for one in executables for k in one.kernels()} == {"python"}
    assert "kernels are run as Python (as chosen for this function)" in str(concrete.explain())
    assert backend().name != "python"


def test_jit_takes_a_compiler():
    @ag.jit(kernel_compiler="python")
    def double(a):
        a[:] = a * 2

    a = np.ones(3)
    double(a)
    assert a.tolist() == [2.0, 2.0, 2.0]
    (entry,) = double.jit_table.values()
    assert {kernel.compiler for kernel in entry.traced.executable.kernels()} == {"python"}
    with pytest.raises(ag.errors.InvalidArgumentError, match="'gcc': no such compiler"):
        ag.jit(kernel_compiler="gcc")


def test_without_the_compiler_of_numba_its_kernels_run_as_python(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    ag.config.set_kernel_compiler("numba")
    try:
        chosen, why = choice()
        assert (chosen.name, why) == ("python", "NUMBA_DISABLE_JIT is set")
    finally:
        ag.config.set_kernel_compiler("auto")


def test_a_call_that_fails_in_a_kernel_gets_the_error_of_numpy():
    def first_two(a):
        a[a > 0] = [1.0, 2.0]

    with pytest.raises(ValueError, match="cannot assign 2 input values to the 3 output values"):
        ag.jit(first_two, kernel_compiler="python")(np.array([1.0, -1.0, 2.0, 3.0]))


def test_the_shape_of_a_number_has_no_elements():
    def sums(a):
        x = np.complex64(a)
        for _ in range(3):
            x = np.interp(a, [0, 1], [2, 3]) + x
        return x

    assert ag.jit(sums, kernel_compiler="python")(2.5) == sums(2.5) == 11.5
