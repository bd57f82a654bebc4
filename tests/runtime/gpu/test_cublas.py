"""Calls of NVIDIA's library of products, as a stand-in of it understands them: by columns."""

import ctypes
import math

import numpy as np
import pytest
from test_grid_program import numbers

import allograph as ag
from allograph.runtime.gpu import emulator
from allograph.runtime.gpu.devices import cublas
from allograph.runtime.gpu.grid_kernel import Product


class StandIn:
    """The functions of the library, on memory of the host; each call is noted."""

    def __init__(self, status=0):
        self.names, self.status = [], status

    def __getattr__(self, name):
        def call(*arguments):
            self.names.append(name)
            if name == "cublasGemmStridedBatchedEx":
                self.gemm(*arguments)
            if name == "cublasGetVersion_v2":
                arguments[1]._obj.value = 130100
            return self.status

        return call

    def gemm(self, _, flips_a, flips_b, m, n, k, alpha, a, of_a, lda, next_a, b, of_b, ldb, next_b,
             beta, c, of_c, ldc, next_c, batch, compute, algorithm):  # fmt: skip
        assert of_a == of_b == of_c and algorithm == -1
        dtype = {0: np.float32, 1: np.float64}[of_a]
        assert compute == {0: 68, 1: 70}[of_a]
        assert (alpha._obj.value, beta._obj.value) == (1, 0)
        for at in range(batch):
            left = by_columns(a, at * next_a, *((k, m) if flips_a else (m, k)), lda, dtype)
            right = by_columns(b, at * next_b, *((n, k) if flips_b else (k, n)), ldb, dtype)
            product = (left.T if flips_a else left) @ (right.T if flips_b else right)
            by_columns(c, at * next_c, m, n, ldc, dtype)[:] = product


def by_columns(address, offset, rows, columns, step, dtype):
    """The matrix in memory whose columns are `step` elements apart."""
    assert step >= rows
    size = np.dtype(dtype).itemsize
    memory = (ctypes.c_uint8 * (columns * step * size)).from_address(address + offset * size)
    return np.frombuffer(memory, dtype).reshape(columns, step)[:, :rows].T


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("flips", [(False, False), (False, True), (True, False), (True, True)])
@pytest.mark.parametrize("shared", [(False, False), (False, True), (True, False)])
def test_products_are_those_of_numpy(dtype, flips, shared):
    rows, columns, depth, batch = 3, 5, 4, 2
    shapes = [(rows, depth), (depth, columns)]
    stored = [shape[::-1] if flip else shape for shape, flip in zip(shapes, flips, strict=True)]
    operands = [
        numbers(*(() if one else (batch,)), *shape, dtype=dtype)
        for shape, one in zip(stored, shared, strict=True)
    ]
    strides = [0 if one else math.prod(shape) for shape, one in zip(shapes, shared, strict=True)]
    product = Product(
        0, 1, 2, (rows, columns, depth), batch, flips, tuple(strides), np.dtype(dtype)
    )
    results = np.zeros((2, batch, rows, columns), dtype)
    addresses = [array.ctypes.data for array in (*operands, results[0])]
    library = StandIn()
    cublas.Products(library, 99).multiply(product, *addresses, 7)
    emulator.multiply(product, [*(array.reshape(-1) for array in operands), results[1].reshape(-1)])
    left, right = (
        np.swapaxes(array, -1, -2) if flip else array
        for array, flip in zip(operands, flips, strict=True)
    )
    np.testing.assert_allclose(results[0], left @ right, rtol=1e-5)
    np.testing.assert_allclose(results[1], left @ right, rtol=1e-5)
    assert library.names[1:3] == ["cublasSetStream_v2", "cublasSetWorkspace_v2"]


def test_the_version_has_a_name():
    assert cublas.Products(StandIn(), 0).version == "cuBLAS 13.1"


def test_a_status_that_is_no_success_is_an_error():
    with pytest.raises(ag.errors.InternalError, match="cublasCreate_v2: status 1"):
        cublas.Products(StandIn(status=1), 0)


def test_where_the_library_is_not_installed_there_is_none(monkeypatch):
    pathfinder = pytest.importorskip("cuda.pathfinder")

    def refuse(name):
        raise pathfinder.DynamicLibNotFoundError(name)

    monkeypatch.setattr(pathfinder, "load_nvidia_dynamic_lib", refuse)
    assert cublas.library.__wrapped__() is None
