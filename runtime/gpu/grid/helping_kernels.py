"""Kernels that put what libraries take and give in order."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from ...codegen.native.kernel_builder import Builder
from ...codegen.native.kernel_writer import numpy_type
from ...kernel_ir.kernels import Function, KernelIR
from ...kernel_ir.nodes import Name
from ..grid_kernel import INPUT, OUTPUT, GridBuffer, GridKernel
from .grid_program import ONE_BLOCK
from .grid_writer import of_thread

X, Y, I = map(Name, "xyi")  # noqa: E741 - the index of an element


@functools.cache
def scaled(dtype: np.dtype, count: int, factor: float) -> GridKernel:
    """A kernel that multiplies so many numbers by a factor."""

    def write(body: Builder) -> None:
        body.let(X[I], X[I] * numpy_type(dtype.name)(factor))

    return _kernel("scaled", dtype, (X,), count, write)


@functools.cache
def lower_triangles(dtype: np.dtype, batch: int, size: int) -> GridKernel:
    """A kernel that leaves the lower triangle of square matrices."""

    def write(body: Builder) -> None:
        with body.when(I // size % size < I % size):
            body.let(X[I], numpy_type(dtype.name)(0))

    return _kernel("lower_triangles", dtype, (X,), batch * size * size, write)


@functools.cache
def transposed(dtype: np.dtype, batch: int, rows: int, columns: int) -> GridKernel:
    """A kernel that writes the transposes of matrices."""
    size = rows * columns

    def write(body: Builder) -> None:
        place = I // size * size + I % columns * rows + I % size // columns
        body.let(Y[place], X[I])

    return _kernel("transposed", dtype, (X, Y), batch * size, write)


def _kernel(
    name: str, dtype: np.dtype, arrays: tuple[Name, ...], count: int, write: Callable
) -> GridKernel:
    body = Builder()
    with body.loop(I, *of_thread(count)):
        write(body)
    code = KernelIR((Function("kernel", tuple(map(str, arrays)), body.statements()),))
    buffers = tuple(GridBuffer(dtype, (count,), role) for role in (INPUT, OUTPUT)[-len(arrays) :])
    numbers = tuple(range(len(arrays)))
    return GridKernel(name, code, numbers, count, count <= ONE_BLOCK, parameters=buffers)
