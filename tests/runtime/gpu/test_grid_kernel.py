"""Kernels of a grid as data: grids, buffers, failures."""

import numpy as np

from allograph.runtime.gpu.grid_kernel import (
    OUTPUT,
    STEP,
    SUCCESS,
    Failure,
    GridBuffer,
    GridKernel,
    GridProgram,
)
from allograph.runtime.kernel_ir.kernels import KernelIR

FLOAT32 = np.dtype(np.float32)


def kernel(**fields):
    return GridKernel("k", KernelIR(()), (), **fields)


def test_a_grid_has_a_power_of_two_of_blocks_and_no_more_than_the_device_holds():
    assert kernel(threads=10_000).grid(1000) == (64, 256)
    assert kernel(threads=10_000_000).grid(132) == (128, 256)
    assert kernel(threads=0).grid(132) == (1, 256)


def test_a_kernel_of_one_block_has_one():
    assert kernel(threads=10_000, one_block=True).grid(1000) == (1, 256)


def test_a_status_word_tells_the_step_and_the_iteration():
    failing = kernel(threads=1, failures=(Failure("x[i]", None), Failure("y[i]", None)))
    assert failing.failure(SUCCESS) is None
    assert failing.failure(1 * STEP + 7) == (Failure("y[i]", None), 7)


def test_buffers_of_a_role_come_by_position():
    buffers = (
        GridBuffer(FLOAT32, (2, 3), OUTPUT, 1),
        GridBuffer(FLOAT32, (), OUTPUT, 0),
    )
    assert GridProgram("p", buffers, ()).numbers(OUTPUT) == [1, 0]
    assert [one.bytes for one in buffers] == [24, 4]
