"""When native code takes over from the NumPy program, and where it never does."""

import pytest
from execution_modes import PLAN

import allograph as ag
from allograph.runtime.executors.tiering import COMPILER


def halvings(n):
    count = 0
    while n > 1:
        n, count = n // 2, count + 1
    return count


def executable_of(options):
    f = ag.function(halvings, **options)
    assert int(f(ag.constant(1000))) == 9
    return f.get_concrete_function(ag.constant(1000)).executable


@pytest.mark.parametrize("jit_compile", [None, False])
def test_without_jit_compile_native_code_takes_over_when_it_is_ready(jit_compile):
    f = ag.function(halvings, jit_compile=jit_compile)
    for _ in range(60):
        f(ag.constant(1000))
    COMPILER.wait()
    assert f.get_concrete_function(ag.constant(1000)).executable.native is not None


def test_without_a_kernel_compiler_functions_stay_on_numpy():
    executable = executable_of(PLAN)
    assert executable.mode == "plan"
    for _ in range(60):
        executable(ag.constant(1000).numpy())
    COMPILER.wait()
    assert executable.native is None


def test_the_kernel_compiler_of_the_process_may_be_none():
    before = ag.config.get_kernel_compiler()
    ag.config.set_kernel_compiler("none")
    try:
        assert executable_of({}).mode == "plan"
        assert executable_of({"kernel_compiler": "allograph"}).mode == "auto"
    finally:
        ag.config.set_kernel_compiler(before)


def test_jit_compile_needs_a_kernel_compiler():
    f = ag.function(halvings, jit_compile=True, kernel_compiler="none")
    with pytest.raises(ag.errors.InvalidArgumentError, match='the kernel compiler "none"'):
        f(ag.constant(1000))


def test_a_jit_function_without_a_kernel_compiler_runs_on_numpy():
    f = ag.jit(halvings, kernel_compiler="none")
    assert f(1000) == 9
    assert 'NumPy: the kernel compiler "none" is chosen' in f.inspect()
