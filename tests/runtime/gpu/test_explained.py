"""`explain` and `inspect` say what runs on a device, and why something does not."""

import re
import shutil

import numpy as np
import pytest

import allograph as ag
from allograph.library.explore.page_data import page_data
from allograph.runtime.gpu.devices import assembler
from allograph.runtime.gpu.devices.device import Properties
from allograph.runtime.gpu.grid import grid_parts

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
    assert "the CPU runs it, not GPU:0: the operation 'as_string'" in text


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


@pytest.mark.skipif(shutil.which("ptxas") is None, reason="ptxas is not in the PATH")
def test_explain_tells_how_many_threads_run_at_once(gpu):
    assert "100% of the threads of a multiprocessor at once" in explained(lambda x: x * 2.0)


@pytest.mark.parametrize(
    ("registers", "blocks", "expected"),
    [(16, None, 1.0), (33, None, 0.75), (64, None, 0.5), (255, None, 0.125), (64, 3, 0.375)],
)
def test_the_registers_of_threads_decide_how_many_run_at_once(registers, blocks, expected):
    about = Properties("a card", "sm_90", 1 << 30, 132, 1024, 48 * 1024)
    assert about.occupancy(registers, 256, blocks) == expected


def test_measure_tells_the_part_of_what_the_memory_can_move(gpu, monkeypatch):
    about = gpu.properties()._replace(bytes_per_second=1e6)
    monkeypatch.setattr(type(gpu), "properties", lambda self: about)
    traced = ag.function(lambda x: x * 2.0, device="GPU:0").get_concrete_function(X)
    assert re.search(r"GB/s, \d+% of what the device can move", str(traced.measure(X)))


LISTING = """
//--------------------- .text.kernel
	.section	.text.kernel
kernel:
.text.kernel:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
	//## File "./kernel.py", line 5
        /*0010*/               @P0 BRA `(.L_x_1) ;
.L_x_1:
	//## File "./kernel.py", line 6
        /*0020*/                   EXIT ;
"""


def test_machine_code_has_lines_and_labels_and_no_addresses():
    assert list(assembler._instructions(LISTING)) == [
        "kernel:", "\tLDC R1, c[0x0][0x28] ;", "\t.loc\t1 5 0", "\t@P0 BRA `(.L_x_1) ;",
        ".L_x_1:", "\t.loc\t1 6 0", "\tEXIT ;",
    ]  # fmt: skip


def test_the_page_has_machine_code_beside_ptx_where_there_is_a_disassembler(gpu, monkeypatch):
    if shutil.which("nvdisasm") is None or shutil.which("ptxas") is None:
        code = "\n".join(assembler._instructions(LISTING))
        monkeypatch.setattr(assembler, "machine_code", lambda ptx, architecture: code)
    ptx, machine = data_of(ag.function(settle, device="GPU:0"), X)["kernels"]
    assert machine["name"] == f"{ptx['name']}: PTX and machine code"
    assert machine["lines"] == ptx["assembly"]["lines"]
    assert any("EXIT" in line for line in machine["assembly"]["lines"])
    assert any(machine["assembly"]["nodes"])


def test_without_the_disassembler_there_is_no_machine_code(gpu, monkeypatch):
    monkeypatch.setattr(assembler.shutil, "which", lambda name: None)
    assembler.machine_code.cache_clear()
    assert len(data_of(ag.function(settle, device="GPU:0"), X)["kernels"]) == 1


def test_without_the_assembler_nothing_is_said_of_registers(monkeypatch):
    monkeypatch.setattr(assembler.shutil, "which", lambda name: None)
    assert assembler.registers_of(".version 8.0", "sm_90") is None


def settle(x):
    while ag.reduce_sum(x) > 1.0:
        x = ag.tanh(x) * 0.9
    return x


def data_of(function, *arguments):
    traced = function.get_concrete_function(*arguments)
    return page_data(function, traced)


def test_the_page_has_ptx_beside_the_source_of_kernels_linked_by_line(gpu):
    data = data_of(ag.function(settle, device="GPU:0"), X)
    kernel, *_ = data["kernels"]
    assert any("block_barrier()" in line for line in kernel["lines"])
    assert any("bar.sync" in line or "barrier.sync" in line for line in kernel["assembly"]["lines"])
    assert "others" not in kernel["assembly"]  # the syntaxes of x86
    source, ptx = (set(map(tuple, one["nodes"])) for one in (kernel, kernel["assembly"]))
    linked = (source & ptx) - {()}
    assert len(linked) >= 3  # the sum, the comparison, tanh
    owned = sum(bool(nodes) for nodes in kernel["assembly"]["nodes"])
    assert owned > len(kernel["assembly"]["lines"]) / 2


def test_the_page_of_jit_shows_its_kernels_on_the_device(gpu):
    double = ag.jit(lambda a: a * 2.0, device="gpu")
    kernel, *_ = data_of(double, np.ones(3))["kernels"]
    assert any("thread_index()" in line for line in kernel["lines"])
    assert any("mul" in line or "add" in line for line in kernel["assembly"]["lines"])


def test_the_page_says_why_the_cpu_runs_a_function(gpu):
    data = data_of(ag.function(lambda x: ag.strings.as_string(x), device="GPU:0"), X)
    reason = "the operation 'as_string' has no form for a GPU"
    assert data["why_no_kernels"] == f"the CPU runs it, not GPU:0: {reason}"


def test_measure_times_the_launches_of_the_device(gpu):
    v = ag.Variable([1.0, 2.0, 3.0])

    @ag.function(device="GPU:0")
    def step(x):
        v.assign_add(x)
        return ag.reduce_sum(v)

    text = str(step.get_concrete_function(X).measure(X))
    assert re.search(r"step: [\d,.]+ us, [\d,.]+ GB/s", text)
    assert v.numpy().tolist() == [1.0, 2.0, 3.0]


def test_measure_counts_the_launches_of_loops_with_products(gpu, monkeypatch):
    monkeypatch.setattr(grid_parts, "LIBRARY_FROM", 1)

    @ag.function(device="GPU:0")
    def f(x, w):
        for _ in ag.range(3):
            x = ag.tanh(x @ w)
        return x

    x, w = ag.constant(np.ones((2, 4), np.float32)), ag.constant(np.ones((4, 4), np.float32))
    text = str(f.get_concrete_function(x, w).measure(x, w))
    assert re.search(r"product 2 x 4 times 4 x 4 of float32: [\d,.]+ us in 3 launches", text)
