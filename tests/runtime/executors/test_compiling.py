"""What the first call of a native function compiles, and how."""

import gc
import threading

import numpy as np

import allograph as ag
from allograph.runtime.executors import native_program


def scaled(x):
    return x * 2.0 + 1.0


def test_python_does_not_look_for_garbage_while_a_call_waits_for_its_native_code(monkeypatch):
    emit, collects = native_program.emit_native, []

    def emit_native(program):
        if threading.current_thread() is threading.main_thread():  # which waits for the code
            collects.append(gc.isenabled())
        return emit(program)

    monkeypatch.setattr(native_program, "emit_native", emit_native)
    gc.enable()  # which a test that interrupts at any call may have left disabled
    assert ag.jit(scaled)(np.ones(3)).tolist() == [3.0, 3.0, 3.0]
    assert collects == [False]
    assert gc.isenabled()


def test_reshaped_arrays_do_not_count_as_loops_of_a_kernel(monkeypatch):
    programs, compiled = [], native_program.compile_program

    def compile_program(program, whole=False):
        programs.append(compiled(program, whole))
        return programs[-1]

    def folded(x):
        for columns in (2, 3, 4, 6, 8, 12):
            x = np.transpose(np.reshape(x, (24 // columns, columns)))
            x = np.reshape(x, (columns, 24 // columns))
        return np.sort(np.reshape(x, 24))

    monkeypatch.setattr(native_program, "compile_program", compile_program)
    monkeypatch.setattr(native_program.thresholds, "WHOLE_LIMIT", 10)
    assert ag.jit(folded)(np.arange(24.0)).tolist() == list(range(24))
    assert [len(program.kernels) for program in programs] == [1]
