"""NVIDIA's library of matrix products, cuBLAS, where it is installed: two functions, by `ctypes`.

Its matrices are stored by columns. Ours, by rows, are their transposes there, so the library
computes `result.T = right.T @ left.T`, and none of the three is moved.
"""

from __future__ import annotations

import ctypes
import functools
from ctypes import POINTER, byref, c_double, c_float, c_int, c_int64, c_size_t, c_void_p
from typing import Any, NamedTuple

import numpy as np

from ...core.errors import InternalError
from ...core.locks import Lock
from ..grid_kernel import Product

WORKSPACE = 32 << 20  # bytes, which NVIDIA recommends for its cards since Hopper
BY_HEURISTIC = -1  # the library chooses among its kernels
# As the library numbers data types, and sums in full precision of the same type.
TYPES = {np.dtype(np.float32): (0, 68, c_float), np.dtype(np.float64): (1, 70, c_double)}
MISSING = "cuBLAS is not installed; pip install nvidia-cublas"


class Gemm(NamedTuple):
    """The integers of a product as the library takes it: of operands `a` and `b` by columns."""

    flips_a: int
    flips_b: int
    rows: int
    columns: int
    depth: int
    row_a: int  # elements from one column to the next
    next_a: int  # elements from one matrix to the next
    row_b: int
    next_b: int
    row_c: int
    next_c: int
    batch: int


def gemm_of(product: Product) -> Gemm:
    """The call that computes a product: `a` is its right operand, and `b` its left one."""
    rows, columns, depth = product.sizes
    left, right = product.transposed
    next_left, next_right = product.strides
    return Gemm(
        int(right), int(left), columns, rows, depth,
        depth if right else columns, next_right, rows if left else depth, next_left,
        columns, rows * columns, product.batch,
    )  # fmt: skip


@functools.cache
def library() -> Any:
    """The library; None where it is not installed. That of the toolkit or of NVIDIA's packages."""
    from cuda.pathfinder import DynamicLibNotFoundError, load_nvidia_dynamic_lib

    try:
        loaded = ctypes.CDLL(load_nvidia_dynamic_lib("cublas").abs_path)
    except (DynamicLibNotFoundError, OSError):
        return None
    integer, stride, pointer = c_int, c_int64, c_void_p
    loaded.cublasCreate_v2.argtypes = [POINTER(pointer)]
    loaded.cublasSetStream_v2.argtypes = [pointer, pointer]
    loaded.cublasSetWorkspace_v2.argtypes = [pointer, pointer, c_size_t]
    loaded.cublasGetVersion_v2.argtypes = [pointer, POINTER(integer)]
    matrix: list[Any] = [pointer, integer, integer, stride]
    sizes: list[Any] = [pointer, *[integer] * 5]
    loaded.cublasGemmStridedBatchedEx.argtypes = [
        *sizes,
        pointer,
        *matrix,
        *matrix,
        pointer,
        *matrix,
        *[integer] * 3,
    ]
    return loaded


class Products:
    """The products of one card, on the stream of each call."""

    def __init__(self, loaded: Any, workspace: int):
        self.library, self.workspace = loaded, workspace
        self.handle = c_void_p()
        self._lock = Lock()  # a handle has one stream
        self._check("cublasCreate_v2", byref(self.handle))

    def _check(self, name: str, *arguments) -> None:
        status = getattr(self.library, name)(*arguments)
        if status:
            raise InternalError(f"{name}: status {status}")

    @property
    def version(self) -> str:
        number = c_int()
        self._check("cublasGetVersion_v2", self.handle, byref(number))
        return f"cuBLAS {number.value // 10000}.{number.value // 100 % 100}"

    def multiply(self, product: Product, left: int, right: int, result: int, stream: int) -> None:
        """Launch a product of matrices at these addresses."""
        code, compute, number = TYPES[product.dtype]
        gemm = gemm_of(product)
        with self._lock:
            self._check("cublasSetStream_v2", self.handle, stream)
            self._check("cublasSetWorkspace_v2", self.handle, self.workspace, WORKSPACE)
            self._check(
                "cublasGemmStridedBatchedEx", self.handle, *gemm[:5], byref(number(1)),
                right, code, gemm.row_a, gemm.next_a, left, code, gemm.row_b, gemm.next_b,
                byref(number(0)), result, code, gemm.row_c, gemm.next_c,
                gemm.batch, compute, BY_HEURISTIC,
            )  # fmt: skip
