"""The emulated device: threads, barriers, shared arrays, races and other faults."""

import numpy as np
import pytest

from allograph.runtime.gpu.emulator import DeviceFaultError, launch
from allograph.runtime.gpu.grid_kernel import (
    STEP,
    SUCCESS,
    WARP,
    Failure,
    GridKernel,
    Guarded,
)
from allograph.runtime.kernel_ir.kernels import Function, KernelIR
from allograph.runtime.kernel_ir.nodes import For
from allograph.runtime.kernel_ir.reader import expression, kernel_ir, statements

THREADS = 8


def kernel(source, **fields):
    code = source if isinstance(source, KernelIR) else kernel_ir(source)
    count = len(code.functions[0].parameters)
    return GridKernel("k", code, tuple(range(count)), THREADS, is_cooperative=True, **fields)


def run(source, *arrays, **fields):
    launch(kernel(source, **fields), arrays)
    return arrays[0]


def test_threads_share_the_elements_of_an_array():
    double = """
def kernel(y, x):
    for i in range(thread_index(), 20, thread_count()):
        y[i] = x[i] * 2.0
"""
    x = np.arange(20.0)
    assert run(double, np.zeros(20), x).tolist() == (2 * x).tolist()


def test_a_barrier_of_the_grid_orders_what_blocks_write_and_read():
    reverse = """
def kernel(y, x):
    for i in range(thread_index(), 20, thread_count()):
        x[i] = np.float64(i)
    grid_barrier()
    for i in range(thread_index(), 20, thread_count()):
        y[i] = x[19 - i]
"""
    assert run(reverse, np.zeros(20), np.zeros(20)).tolist() == list(range(20))[::-1]


def test_blocks_add_up_in_shared_arrays():
    total = """
def kernel(y, x):
    part = shared_array(4, np.float64)
    part[lane_index()] = x[thread_index()]
    block_barrier()
    if lane_index() == 0:
        y[block_index()] = part[0] + part[1] + part[2] + part[3]
"""
    assert run(total, np.zeros(2), np.arange(8.0)).tolist() == [6.0, 22.0]


def test_uniform_loops_go_on_until_an_element_says_so():
    halves = """
def kernel(x):
    while x[0] > 1.0:
        block_barrier()
        if lane_index() == 0:
            x[0] = x[0] / 2.0
        block_barrier()
"""
    launched = kernel(halves, one_block=True)
    x = np.full(1, 64.0)
    launch(launched, [x])
    assert x[0] == 1.0


SHIFTED = """
def kernel(y, x):
    number = x[thread_index()] * 2.0
    other = shuffled_down(number, 3)
    first = shuffled_from_first(number)
    y[thread_index()] = other + first
"""


def test_the_lanes_of_a_warp_exchange_numbers_by_shuffles():
    x, y = np.arange(64.0), np.zeros(64)
    launch(kernel(SHIFTED, lanes=WARP), [y, x], lanes=50)
    warp = [*range(3, 32), 29, 30, 31]
    assert y.tolist() == [2.0 * (start + lane + start) for start in (0, 32) for lane in warp]


def test_a_barrier_of_a_warp_makes_an_order_within_the_warp_alone():
    turned = """
def kernel(x):
    x[thread_index()] = 1.0
    warp_barrier()
    y = x[{} * (thread_index() // {}) + {} - thread_index() % {}]
"""
    launch(kernel(turned.format(32, 32, 31, 32)), [np.zeros(64)], lanes=64)
    with pytest.raises(DeviceFaultError, match="a race: thread"):
        launch(kernel(turned.format(64, 64, 63, 64)), [np.zeros(64)], lanes=64)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("x[0] = np.float64(thread_index())", "a race: thread"),
        ("x[thread_index()] = 1.0\n    y = x[7 - thread_index()]", "a race: thread"),
        ("x[lane_index()] = 1.0\n    block_barrier()\n    y = x[3 - lane_index()]", "a race"),
        ("x[lane_index()] = shuffled_down(1.0, 1)\n    y = x[3 - lane_index()]", "a race"),
        ("if thread_index() == 0:\n        block_barrier()", "wait for others for ever"),
        ("if thread_index() == 0:\n        y = shuffled_down(1.0, 1)", "wait for others for ever"),
        ("if block_index() == 0:\n        grid_barrier()", "wait for others for ever"),
        ("y = x[8 + thread_index()]", "the index"),
        ("y = x[thread_index() - 8]", "the index -"),
    ],
)
def test_faults_of_kernels_are_errors(body, message):
    with pytest.raises(DeviceFaultError, match=message):
        run(f"def kernel(x):\n    {body}\n", np.zeros(8))


def test_a_barrier_of_a_block_makes_an_order_within_the_block_alone():
    within = """
def kernel(x):
    x[thread_index()] = 1.0
    block_barrier()
    y = x[4 * block_index() + 3 - lane_index()]
"""
    run(within, np.zeros(8))


def test_the_first_failing_iteration_is_noted_and_the_others_go_on():
    call = expression(f"failing(status, {STEP} + i)")
    body = Guarded(call, statements("y[i] = x[wrapped_index(at[i], 4)]"))
    loop = For(expression("i"), expression("range(thread_index(), 6, thread_count())"), (body,))
    code = KernelIR((Function("kernel", ("y", "x", "at", "status"), (loop,)),))
    assert "with failing(status" in code.source
    launched = kernel(code, failures=(Failure("", None), Failure("x[at]", None)))
    status, y = np.full(1, SUCCESS), np.zeros(6)
    launch(launched, [y, np.arange(1.0, 5.0), np.array([0, 1, 4, 3, -5, -1]), status])
    assert launched.failure(status[0]) == (Failure("x[at]", None), 2)
    assert y.tolist() == [1.0, 2.0, 0.0, 4.0, 0.0, 4.0]


def test_what_fails_outside_has_the_number_zero():
    source = "def kernel(x, status):\n    if x[0] == 0.0:\n        raise AssertionError\n"
    status = np.full(1, SUCCESS)
    launch(kernel(source, failures=(Failure("assert", None),)), [np.zeros(1), status])
    assert status[0] == 0
