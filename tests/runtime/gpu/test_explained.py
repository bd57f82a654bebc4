"""`explain` and `inspect` say what runs on a device, and why something does not."""

import re
import shutil

import numpy as np
import pytest

import allograph as ag
from allograph.runtime.gpu.devices import assembler

X = ag.constant(np.ones(3, np.float32))


def explained(function):
    f = ag.function(function, device="GPU:0")
    return str(f.get_concrete_function(X).explain())


def test_explain_names_the_kernels_their_launches_and_the_bytes(gpu):
    text = explained(lambda x: ag.reduce_sum(ag.tanh(x)))
    assert f"runs on GPU:0, {gpu.description}: 12 bytes of arguments" in text
    assert re.search(r"1 x \d+ threads, \d+ bytes", text)


def test_explain_says_why_the_cpu_runs_a_function(gpu):
    text = explained(lambda x: ag.strings.as_string(x))
    assert "the CPU runs it, not GPU:0: 'as_string' is string" in text


def test_inspect_says_where_native_code_runs(gpu):
    double = ag.jit(lambda a: a * 2.0, device="gpu")
    double(np.ones(3))
    assert double.inspect() == "(float64[3]): native code on GPU:0; 1 call"


def test_kernels_show_their_ptx(gpu):
    f = ag.function(lambda x: x * 2.0, device="GPU:0")
    (kernel,) = f.get_concrete_function(X).kernels()
    assert ".visible .entry kernel(" in kernel.assembly()


@pytest.mark.skipif(shutil.which("ptxas") is None, reason="ptxas is not in the PATH")
def test_the_assembler_counts_registers(gpu):
    text = explained(lambda x: ag.tanh(x))
    registers, spilled = re.search(r"(\d+) registers, (\d+) bytes spilled", text).groups()
    assert 0 < int(registers) < 64
    assert int(spilled) == 0


def test_without_the_assembler_nothing_is_said_of_registers(monkeypatch):
    monkeypatch.setattr(assembler.shutil, "which", lambda name: None)
    assert assembler.registers_of(".version 8.0", "sm_90") is None
