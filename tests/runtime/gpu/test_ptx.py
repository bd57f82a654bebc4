"""Kernels of a grid as PTX, which NVIDIA's assembler accepts."""

import importlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from device_programs import OF_ARRAYS, OF_TENSORS
from test_grid_program import program_of

import allograph as ag
from allograph.runtime.executors.compile_pipeline import native_forms, sized_program
from allograph.runtime.gpu.backend import of_number
from allograph.runtime.gpu.grid.grid_program import DEVICE, grid_program
from allograph.runtime.gpu.ptx import llvm_assembly, ptx
from allograph.runtime.lowering.not_native import NotNativeError

sys.path.append(str(Path(__file__).parents[3] / "benchmarks"))
of_gpu = importlib.import_module("of_gpu")
own = importlib.import_module("of_gpu.own")
SIZES = of_gpu.Sizes(64, 999, 999, (999, 99_999), 99, 99, 9, 32, 256, 9_999, 1024, 1 << 20, 999, 1)
ptxas = pytest.mark.skipif(shutil.which("ptxas") is None, reason="ptxas is not in the PATH")


def program_of_arrays(function, *arguments):
    """The grid program of a function of `jit`."""
    executable = ag.jit(function).entry_for(*arguments).traced.executable
    *_, form = native_forms(executable.graph, None, DEVICE)
    return grid_program(sized_program(form) or form.program)


def program(function):
    if function in OF_ARRAYS:
        return program_of_arrays(function, *OF_ARRAYS[function])
    return program_of(function, *map(ag.constant, OF_TENSORS[function]))


def assembled(text, folder):
    """What the assembler tells about a kernel."""
    path = folder / "kernel.ptx"
    path.write_text(text)
    command = ["ptxas", "-arch=sm_90", "-v", str(path), "-o", str(folder / "kernel.cubin")]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    return told.stderr + told.stdout


@ptxas
@pytest.mark.slow
@pytest.mark.parametrize("function", [*OF_ARRAYS, *OF_TENSORS], ids=lambda one: one.__name__)
def test_kernels_are_assembled_and_keep_their_values_in_registers(function, tmp_path):
    told = assembled(ptx(program(function).kernels[0]), tmp_path)
    assert "0 bytes spill stores, 0 bytes spill loads" in told
    assert int(re.search(r"Used (\d+) registers", told).group(1)) <= 64


@ptxas
@pytest.mark.slow
@pytest.mark.parametrize("name", of_gpu.names(SIZES))
def test_kernels_of_the_benchmark_keep_their_values_in_registers(name, tmp_path):
    function, arguments = own.arguments(SIZES)[name]
    told = assembled(ptx(program_of(function, *arguments()).kernels[0]), tmp_path)
    assert "0 bytes spill stores, 0 bytes spill loads" in told
    assert int(re.search(r"Used (\d+) registers", told).group(1)) <= 64


def test_products_and_sums_are_rounded_apart_as_on_the_cpu():
    text = ptx(program_of(lambda x: x * x + x, ag.constant(np.ones(9))).kernels[0])
    assert "mul.rn.f64" in text
    assert "fma" not in text


def test_arrays_that_no_thread_writes_are_read_by_way_of_the_texture_cache():
    text = ptx(program_of(lambda x: x * 2.0, ag.constant(np.ones(9))).kernels[0])
    assert "ld.global.nc" in text


def test_integers_of_64_bits_are_read_and_written_at_once():
    text = ptx(program_of(lambda x: x * 2, ag.constant(np.arange(9))).kernels[0])
    assert "st.global.b64" in text and "st.global.b32" not in text


def test_the_architecture_can_be_chosen():
    kernel = program_of(lambda x: x * 2.0, ag.constant(np.ones(9))).kernels[0]
    assert ".target sm_80" in ptx(kernel, "sm_80")


@ptxas
def test_remainders_are_exact_and_need_no_library(tmp_path):
    text = ptx(program_of(lambda x: x % 0.1, ag.constant(np.ones(9))).kernels[0])
    assembled(text, tmp_path)


def test_what_devices_have_no_function_for_is_named():
    with pytest.raises(NotNativeError, match="'svd'"):
        program_of(ag.linalg.svd, ag.constant(np.eye(3)))


def test_functions_of_sines_fail_for_numbers_that_the_formulas_do_not_reach(monkeypatch):
    monkeypatch.setenv("ALLOGRAPH_DEVICE", "emulated")
    executable = ag.function(ag.math.special.bessel_j0).get_concrete_function(np.ones(9)).executable
    (kernel,) = of_number("0").of_graph(executable.graph).program.kernels
    assert "0x4150000000000000" in llvm_assembly(kernel)  # 2 ** 22
