"""Kernels that have no end are ended by the host, and nobody reads what they were to compute."""

import threading
import time

import numpy as np
import pytest
from test_grid_program import program_of

import allograph as ag
from allograph.runtime.gpu.devices.emulated_device import EmulatedDevice
from allograph.runtime.gpu.grid_kernel import STOP
from allograph.runtime.gpu.ptx import llvm_assembly, ptx


def endless(x):
    while x > 0.0:
        x = x * 1.0
    return x


def of_elements(x):
    return ag.map_fn(endless, x)


def counting(limit, start=0, restarts=False, goes_on=False, dtype=ag.int32):
    """A function whose loop counts, and may start again, or go on behind the limit."""

    def of_element(x):
        steps, begun = ag.constant(start, dtype), 0
        while x > 0.0 or steps < limit if goes_on else x > 0.0 and steps < limit:
            x, steps = x * 1.0, steps + 1
            if restarts and x > 2.0:
                steps = begun
        return x

    return lambda x: ag.map_fn(of_element, x)


def with_barriers(x):
    while ag.reduce_sum(x) > 0.0:
        x = x * 1.0
    return x


@pytest.mark.parametrize(
    ("function", "x"),
    [(endless, 1.0), (of_elements, np.ones(3, np.float32)), (with_barriers, np.ones((64, 64)))],
)
def test_the_host_ends_a_kernel_within_a_second(gpu, function, x):
    if not isinstance(gpu, EmulatedDevice):
        pytest.skip("tests/gpu has a process of its own for it")
    stopped = []

    def stop():
        stopped.append(time.perf_counter())
        gpu.stop()

    f, x = ag.function(function, device="GPU:0"), ag.constant(x)
    threading.Timer(1.0, stop).start()
    with pytest.raises(KeyboardInterrupt):
        f(x)
    assert time.perf_counter() - stopped[0] < 1.0
    assert float(ag.reduce_sum(ag.function(lambda x: x * 2.0, device="GPU:0")(x))) > 0.0


def test_results_of_a_kernel_that_was_ended_are_refused(gpu):
    double = ag.function(lambda x: x * 2.0, device="GPU:0")
    earlier = double(ag.constant([1.0, 2.0]))
    gpu.synchronize()
    gpu.finished = gpu.launched
    lost = double(earlier)
    gpu.lose_results()
    with pytest.raises(ag.errors.CancelledError, match="Ctrl-C ended the kernel"):
        lost.numpy()
    with pytest.raises(ag.errors.CancelledError, match="Ctrl-C ended the kernel"):
        double(lost)
    assert double(earlier).numpy().tolist() == [4.0, 8.0]


@pytest.mark.parametrize(
    ("function", "x", "is_long"),
    [
        (endless, 1.0, True), (of_elements, np.ones(3), True),
        (with_barriers, np.ones(4096), True), (lambda x: x * 2.0 + 1.0, np.ones(4096), False),
    ],
)  # fmt: skip
def test_loops_that_data_ends_read_the_word_of_the_host(function, x, is_long):
    text = ptx(program_of(function, ag.constant(x)).kernels[0])
    assert (f".global .align 8 .u64 {STOP}" in text) == is_long
    assert ("ld.relaxed.sys.u32" in text) == is_long


@pytest.mark.parametrize(
    ("function", "polls"),
    [
        (counting(1000), 2), (counting(100_000), 3), (counting(9, -100_000), 3),
        (counting(9, restarts=True), 3), (counting(9, goes_on=True), 3),
        (counting(127, dtype=ag.int8), 3),
    ],
)  # fmt: skip
def test_a_loop_that_counts_to_a_small_number_leaves_that_to_those_around_it(function, polls):
    text = llvm_assembly(program_of(function, ag.constant(np.ones(3))).kernels[0])
    assert text.count("ld.relaxed.sys.u32") == polls
