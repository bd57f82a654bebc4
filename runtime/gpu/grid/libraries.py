"""NVIDIA's libraries for steps between kernels, where they are installed: Fourier transforms by
cuFFT, systems and Cholesky factors of large matrices by cuSOLVER. Both are called by `ctypes`.

cuSOLVER's matrices are stored by columns. Ours, by rows, are their transposes there: the lower
triangle of a symmetric matrix is the upper one, and a system is that of the transpose.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from ctypes import byref, c_int, c_void_p
from functools import cache
from typing import Any

import numpy as np

from ...core.classes import cached_property
from ...core.errors import InternalError
from ...core.locks import Lock
from ..grid_kernel import GridKernel, HostStep
from .helping_kernels import lower_triangles, scaled, transposed

# As cuFFT numbers the types of transforms, and the functions that launch them.
TRANSFORMS = {
    "complex64": (0x29, "cufftExecC2C"),
    "complex128": (0x69, "cufftExecZ2Z"),
    "float32": (0x2A, "cufftExecR2C"),
    "float64": (0x6A, "cufftExecD2Z"),
}
FORWARD, INVERSE = -1, 1
MOST_AXES, MOST_PLANS = 3, 16
LETTERS = {"float64": "D"}  # of cuSOLVER's functions; float32 is float64 there, as in NumPy
UPPER, TRANSPOSED = 1, 1
NAMES = {"cufft": "cuFFT", "cusolver": "cuSOLVER"}


@cache
def loaded(name: str) -> Any:
    """A library of NVIDIA's; None where it is not installed."""
    from cuda.pathfinder import DynamicLibNotFoundError, load_nvidia_dynamic_lib

    with suppress(DynamicLibNotFoundError, OSError):
        return ctypes.CDLL(load_nvidia_dynamic_lib(name).abs_path)
    return None


class Libraries:
    """The libraries of one device, on its stream. `load` gives one by its name, or None.

    A `device` is one of `runtime/gpu/devices`, whose memory and kernels these methods take.
    """

    def __init__(self, device: Any, stream: int, load: Callable[[str], Any] = loaded):
        self.device, self.stream, self.load = device, stream, load
        self._plans: dict[tuple, c_int] = {}
        self._kernels: dict[GridKernel, Any] = {}
        self._lock = Lock()  # a plan and a handle are for one call after the other

    def name_for(self, step: HostStep) -> str:
        """The library that computes a step; empty where none does."""
        name = _library_for(step)
        return NAMES[name] if name and self.load(name) is not None else ""

    def compute(self, step: HostStep, arguments: Sequence[Any]) -> None:
        """Launch a step that a library computes. Raises ArithmeticError where a matrix has no
        result, and InternalError where the library itself fails.
        """
        node = step.node.attrs["node"]
        with self._lock, self.device.within():
            getattr(self, f"_{node.op.name}")(node, arguments)

    def _call(self, library: str, name: str, *arguments) -> None:
        status = getattr(self.load(library), name)(*arguments)
        if status:
            raise InternalError(f"{name}: status {status}")

    def _address(self, memory: Any, offset: int = 0) -> c_void_p:
        return c_void_p(self.device.address(memory) + offset)

    def _launch(self, kernel: GridKernel, *arguments: Any) -> None:
        if kernel not in self._kernels:
            self._kernels[kernel] = self.device.load(kernel)
        self.device.launch(self._kernels[kernel], arguments)

    # ---- cuFFT ---------------------------------------------------------------------------------

    def _plan(self, sizes: tuple[int, ...], batch: int, code: int) -> c_int:
        key = (sizes, batch, code)
        if key not in self._plans:
            plan, lengths = c_int(), (c_int * len(sizes))(*sizes)
            together = (None, 1, 0)  # the arrays of a batch lie one after the other
            self._call(
                "cufft", "cufftPlanMany", byref(plan), len(sizes), lengths, *together, *together,
                code, batch,
            )  # fmt: skip
            self._call("cufft", "cufftSetStream", plan, c_void_p(self.stream))
            if len(self._plans) == MOST_PLANS:  # each has memory of the device
                self._call("cufft", "cufftDestroy", self._plans.pop(next(iter(self._plans))))
            self._plans[key] = plan
        return self._plans[key]

    def _fourier_transform(self, node, arguments: Sequence[Any]) -> None:
        value, axes = node.inputs[0], node.attrs["axes"]
        source, target = arguments
        count = len(axes)
        sizes = tuple(value.shape)[-count:]
        code, function = TRANSFORMS[value.dtype.name]
        plan = self._plan(sizes, math.prod(tuple(value.shape)[:-count]), code)
        places = (self._address(source), self._address(target))
        is_inverse = node.attrs.get("inverse", False)
        direction = (INVERSE if is_inverse else FORWARD,) if value.dtype.is_complex else ()
        self._call("cufft", function, plan, *places, *direction)
        if is_inverse:
            real = value.dtype.numpy_dtype.type().real.dtype
            numbers = 2 * math.prod(value.shape)
            self._launch(scaled(real, numbers, 1 / math.prod(sizes)), target)

    _real_fourier_transform = _fourier_transform

    # ---- cuSOLVER ------------------------------------------------------------------------------

    @cached_property
    def _handle(self) -> c_void_p:
        handle = c_void_p()
        self._call("cusolver", "cusolverDnCreate", byref(handle))
        self._call("cusolver", "cusolverDnSetStream", handle, c_void_p(self.stream))
        return handle

    def _solver(self, dtype, name: str, *arguments) -> None:
        self._call("cusolver", f"cusolverDn{LETTERS[dtype.name]}{name}", self._handle, *arguments)

    def _workspace(self, dtype, name: str, *arguments) -> tuple[Any, int]:
        """Memory for a function of the library, and the number of its elements."""
        count = c_int()
        self._solver(dtype, f"{name}_bufferSize", *arguments, byref(count))
        return self.device.allocate(count.value * dtype.size), count.value

    def _check(self, status: Any) -> None:
        told = np.zeros(status.size // 4, np.int32)
        self.device.copy_out(status, told)
        if told.any():
            raise ArithmeticError("a matrix has no inverse, or is not positive definite")

    def _cholesky(self, node, arguments: Sequence[Any]) -> None:
        source, target = arguments
        *batch, size, _ = node.inputs[0].shape
        count, dtype = math.prod(batch), node.inputs[0].dtype
        self.device.copy(target, source)
        status = self.device.allocate(4 * count)
        triangle = (UPPER, size)
        work, length = self._workspace(dtype, "potrf", *triangle, self._address(target), size)
        for at in range(count):
            matrix = self._address(target, at * size * size * dtype.size)
            own = self._address(status, 4 * at)
            self._solver(dtype, "potrf", *triangle, matrix, size, self._address(work), length, own)
        self._launch(lower_triangles(dtype.numpy_dtype, count, size), target)
        self._check(status)

    def _matrix_solve(self, node, arguments: Sequence[Any]) -> None:
        source, right_sides, target = arguments
        *batch, size, columns = node.outputs[0].shape
        count, dtype = math.prod(batch), node.inputs[0].dtype
        allocate = self.device.allocate
        factors, status = allocate(source.size), allocate(8 * count)
        pivots = allocate(4 * size)
        self.device.copy(factors, source)
        by_columns = allocate(right_sides.size) if columns > 1 else target
        if columns > 1:
            kernel = transposed(dtype.numpy_dtype, count, size, columns)
            self._launch(kernel, right_sides, by_columns)
        else:
            self.device.copy(target, right_sides)
        work, _ = self._workspace(dtype, "getrf", size, size, self._address(factors), size)
        for at in range(count):
            matrix = self._address(factors, at * size * size * dtype.size)
            sides = self._address(by_columns, at * size * columns * dtype.size)
            places = self._address(pivots)
            first, second = (self._address(status, 8 * at + 4 * half) for half in (0, 1))
            whole = (size, size, matrix, size, self._address(work), places, first)
            self._solver(dtype, "getrf", *whole)
            system = (size, columns, matrix, size, places, sides, size, second)
            self._solver(dtype, "getrs", TRANSPOSED, *system)
        if columns > 1:
            kernel = transposed(dtype.numpy_dtype, count, columns, size)
            self._launch(kernel, by_columns, target)
        self._check(status)


@cache
def libraries_of(device: Any) -> Libraries | None:
    """The libraries of a device; None of one that has none."""
    stream = device.library_stream
    return None if stream is None else Libraries(device, stream)


def _library_for(step: HostStep) -> str:
    """The name of the library that has a form of a step, whether it is installed or not."""
    node = step.node.attrs["node"]
    name, values = node.op.name, (*node.inputs, *node.outputs)
    if any(0 in value.shape for value in values):
        return ""
    if name in ("fourier_transform", "real_fourier_transform"):
        axes = tuple(node.attrs["axes"])
        return "cufft" if axes == tuple(range(-len(axes), 0)) and len(axes) <= MOST_AXES else ""
    if name in ("cholesky", "matrix_solve") and node.inputs[0].dtype.name in LETTERS:
        batches = {tuple(value.shape)[:-2] for value in values}
        return "cusolver" if len(batches) == 1 else ""
    return ""
