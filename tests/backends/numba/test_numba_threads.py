"""Threads that trace, compile with Numba and compile with our own compiler do not wait for each
other.
"""

import os
import subprocess
import sys
import threading

import pytest

from allograph.runtime.core.locks import CompilerLock, numba_lock

# Each thread traces or compiles what needs the compiler of another one.
PROGRAM = """
import threading
import time
import numpy as np
from numba import njit
import allograph as ag

def meet(k):
    @njit
    def damped(x):
        return x * 0.5 + k

    slow = ag.numba_op(damped, gradient=lambda dy, x: dy * plain(x))
    plain = ag.numba_op(damped)

    @ag.function(jit_compile=True)
    def traced(x):
        time.sleep(0.05)  # until the other threads are in their compilers
        return damped(x) * 2.0

    @ag.function
    def slope(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in ag.range(2):
                y = slow(y)
        time.sleep(0.05)
        return tape.gradient(y, x)

    @ag.jit
    def total(x):
        result = 0.0
        for i in range(3):
            result += damped(x + i)
        return result

    @njit
    def calls_traced(x):
        return traced(x) + 1.0

    @njit
    def calls_total(x):
        return total(x)

    @ag.function
    def calls_jit(x):
        time.sleep(0.05)
        return x + total(3.0)

    @njit
    def alone(n):
        total = 0.0
        for i in range(n):
            total += np.sin(i)
        return total

    x = ag.constant(3.0, ag.float64)
    works = {
        "traced": lambda: float(traced(x)),
        "calls traced": lambda: calls_traced(3.0),
        "slope": lambda: float(slope(x)),
        "total": lambda: total(3.0),
        "calls total": lambda: calls_total(3.0),
        "calls jit": lambda: float(calls_jit(x)),
        "alone": lambda: alone(3),
    }
    results, begin = {}, threading.Barrier(len(works))

    def run(name):
        begin.wait()
        results[name] = works[name]()

    threads = [threading.Thread(target=run, args=(name,), daemon=True) for name in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    y = 1.5 + k
    wanted = {
        "traced": 2 * y, "calls traced": 2 * y + 1, "slope": (y * 0.5 + k) * y,
        "total": 3 * y + 1.5, "calls total": 3 * y + 1.5, "calls jit": 3 * y + 4.5,
        "alone": np.sin([1, 2]).sum(),
    }
    for name, value in wanted.items():
        np.testing.assert_allclose(results[name], value, rtol=1e-12, err_msg=name)

for k in range(4):
    meet(float(k))
"""


@pytest.mark.slow
@pytest.mark.parametrize("compiler", ["allograph", "numba"])
def test_compilers_that_need_each_other_meet_in_threads(compiler, tmp_path):
    own = {"ALLOGRAPH_KERNEL_COMPILER": compiler, "ALLOGRAPH_CACHE_DIR": str(tmp_path)}
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, str(program)]
    done = subprocess.run(
        command, env={**os.environ, **own}, timeout=240, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_lock_of_numba_is_taken_first():
    import numba  # noqa: F401 - from then on it has a lock

    lock, outer = CompilerLock(), numba_lock()
    with lock, lock:
        assert outer.is_locked()
    assert not outer.is_locked()
    entered = threading.Event()

    def enter():
        with lock:
            entered.set()

    with outer:
        thread = threading.Thread(target=enter)
        thread.start()
        assert not entered.wait(0.05)
        with lock:  # nobody holds it meanwhile
            pass
    thread.join()
    assert entered.is_set()
