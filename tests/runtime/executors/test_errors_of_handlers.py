"""What the handler of a signal raises leaves a computation as it is."""

import signal
import sys

import numpy as np
import pytest

import allograph as ag

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers")


class LateError(ValueError):
    """An error of the user, of a type that kernels raise too."""


@ag.function(kernel_compiler="none")
def count(n):
    i = ag.constant(0)
    while i < n:
        i += 1
    return i


@pytest.fixture(scope="module")
def matrix():
    """A matrix, made before alarms are set, after a graph and an operation. They import modules,
    where Python may lose the error of a handler.
    """
    count(ag.constant(1))
    return ag.sort(ag.random.normal([300, 300]))


@pytest.fixture(params=[TimeoutError, LateError, TypeError])
def raised(request, matrix):
    """What the handler of alarms raises."""

    def handler(number, frame):
        raise request.param("late")

    before = signal.signal(signal.SIGALRM, handler)
    yield request.param
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def alarm_soon():
    """Have an alarm that is due while the test runs, and not while its result is reported."""
    signal.setitimer(signal.ITIMER_REAL, 0.05)


def test_out_of_a_loop_in_a_graph(raised):
    alarm_soon()
    with pytest.raises(raised) as caught:
        count(ag.constant(2**31 - 1))
    assert caught.type is raised and str(caught.value).splitlines()[0] == "late"


def test_out_of_operations_that_run_at_once(matrix, raised):
    alarm_soon()
    with pytest.raises(raised) as caught:
        while True:
            ag.sort(matrix)
    assert caught.type is raised


@pytest.fixture
def halve_often():
    """A loop over a NumPy array, compiled before the alarm is set."""

    @ag.jit
    def halve_often(a, times):
        for _ in range(times):
            for i in range(len(a)):
                a[i] = a[i] / 2 + 1

    halve_often(np.zeros(1000), 1)
    return halve_often


class LateOverflowError(OverflowError):
    """An error of the user, of a class of which kernels raise errors that say to run Python."""


@pytest.mark.slow
@pytest.mark.parametrize("raised", [LateOverflowError, TimeoutError], indirect=True)
def test_out_of_a_loop_over_numpy_arrays(halve_often, raised):
    a = np.zeros(1000)
    alarm_soon()
    with pytest.raises(raised) as caught:
        halve_often(a, 2**31 - 1)
    assert caught.type is raised
    assert a[0] > 0


@pytest.mark.slow
@pytest.mark.parametrize("raised", [TimeoutError, RuntimeError])
def test_out_of_each_line_that_loads_a_kernel(raised):
    pytest.importorskip("llvmlite")
    from allograph.runtime.jit import cpu
    from allograph.runtime.jit.backends import OWN
    from allograph.runtime.jit.cache import compilation, files
    from allograph.runtime.kernel_ir.reader import kernel_ir

    def load():
        compilation._kernels.clear()
        files.processor.cache_clear()
        for one in (cpu.identity, cpu._cpuinfo):
            one.cache_clear()
        code, types = kernel_ir("def kernel(x):\n    return (x, )\n"), (np.dtype("f"),)
        return OWN.compiled(code, types, types)

    def is_interrupted_at(line):
        """Whether loading is so long, and ends in what is raised before one of its lines."""
        left = line

        def trace(frame, event, argument):
            nonlocal left
            if "/jit/" not in frame.f_code.co_filename:
                return None
            left -= event == "line"
            if left == 0:
                raise raised("late")
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            load()
        except raised:
            return True
        finally:
            sys.settrace(before)
        assert left > 0, f"the error before line {line} is lost"
        return False

    load()
    lines = 1
    while is_interrupted_at(lines):
        lines += 1
    assert lines > 50
