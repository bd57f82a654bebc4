"""Calls of NVIDIA's libraries between kernels, as stand-ins of them understand them: cuFFT, and
cuSOLVER, whose matrices are stored by columns.
"""

import ctypes

import numpy as np
import pytest
from test_cublas import by_columns

import allograph as ag
from allograph.runtime.gpu import backend, device_program, ptx
from allograph.runtime.gpu.grid import helping_kernels, libraries

TYPES = {"S": np.float32, "D": np.float64}
X = np.random.default_rng(0).random((2, 3, 4))
M = np.random.default_rng(1).random((2, 3, 3)) + 3 * np.eye(3)


def memory(pointer, count, dtype):
    size = np.dtype(dtype).itemsize
    return np.frombuffer((ctypes.c_uint8 * (count * size)).from_address(pointer.value), dtype)


class StandIn:
    """The functions of both libraries, on memory of the host."""

    def __init__(self, status=0):
        self.plans, self.names, self.status = [], [], status

    def __getattr__(self, name):
        def call(*arguments):
            self.names.append(name)
            if name.startswith("cufftExec"):
                self.transform(name.removeprefix("cufftExec"), *arguments)
            elif name == "cufftPlanMany":
                self.plan(*arguments)
            elif name.startswith("cusolverDn") and name[10] in TYPES:
                getattr(self, name[11:])(TYPES[name[10]], *arguments)
            return self.status

        return call

    def plan(self, plan, rank, sizes, *rest):
        assert rest[:3] == rest[3:6] == (None, 1, 0)
        plan._obj.value = len(self.plans)
        self.plans.append((tuple(sizes[:rank]), rest[6], rest[7]))

    def transform(self, kinds, plan, source, target, direction=-1):
        sizes, code, batch = self.plans[plan.value]
        assert code == {"C2C": 0x29, "Z2Z": 0x69, "R2C": 0x2A, "D2Z": 0x6A}[kinds]
        is_double = kinds in ("Z2Z", "D2Z")
        complex_type = np.complex128 if is_double else np.complex64
        real_type = np.float64 if is_double else np.float32
        is_real, axes = kinds in ("R2C", "D2Z"), range(1, 1 + len(sizes))
        x = memory(source, batch * int(np.prod(sizes)), real_type if is_real else complex_type)
        x = x.reshape(batch, *sizes)
        if is_real:
            y = np.fft.rfftn(x, axes=axes)
        elif direction == 1:
            y = np.fft.ifftn(x, axes=axes, norm="forward")
        else:
            y = np.fft.fftn(x, axes=axes)
        memory(target, y.size, complex_type)[:] = y.reshape(-1)

    def potrf_bufferSize(self, dtype, handle, triangle, size, matrix, step, count):
        count._obj.value = 5

    def potrf(self, dtype, handle, triangle, size, matrix, step, work, length, status):
        assert (triangle, length) == (1, 5)  # the upper triangle, by columns
        own = by_columns(matrix.value, 0, size, size, step, dtype)
        try:
            upper = np.triu(own)
            factor = np.linalg.cholesky(upper.T).T  # which reads the lower one
        except np.linalg.LinAlgError:
            memory(status, 1, np.int32)[:] = 1
            return
        own[np.triu_indices(size)] = factor[np.triu_indices(size)]
        memory(status, 1, np.int32)[:] = 0

    def getrf_bufferSize(self, dtype, handle, rows, columns, matrix, step, count):
        count._obj.value = 7

    def getrf(self, dtype, handle, rows, columns, matrix, step, work, pivots, status):
        own = by_columns(matrix.value, 0, rows, columns, step, dtype)
        memory(pivots, rows, np.int32)[:] = 9
        memory(status, 1, np.int32)[:] = int(np.linalg.matrix_rank(own) < rows)

    def getrs(
        self, dtype, handle, flips, size, columns, matrix, step, pivots, sides, next_, status
    ):
        own = by_columns(matrix.value, 0, size, size, step, dtype)
        given = by_columns(sides.value, 0, size, columns, next_, dtype)
        assert flips == 1 and (memory(pivots, size, np.int32) == 9).all()
        memory(status, 1, np.int32)[:] = 0
        if np.linalg.matrix_rank(own) == size:
            given[:] = np.linalg.solve(own.T, given)


@pytest.fixture
def library(gpu, monkeypatch):
    if gpu.library_stream is not None:
        pytest.skip("a card has the libraries themselves")
    library = StandIn()
    own = libraries.Libraries(gpu, 0, lambda name: library)
    for module in (backend, device_program):
        monkeypatch.setattr(module, "libraries_of", lambda device: own)
    monkeypatch.setattr("allograph.library.linalg.emit_decompositions.OF_A_THREAD", 2)
    return library


CASES = {
    "complex": (lambda x: ag.abs(ag.signal.fft(ag.complex(x, x * x))), X),
    "several axes": (lambda x: ag.abs(ag.signal.fft2d(ag.complex(x, x * x))), X),
    "inverse": (lambda x: ag.abs(ag.signal.ifft(ag.complex(x, x * x)) + 1.0), X),
    "real": (lambda x: ag.abs(ag.signal.rfft(x * 2.0)), X),
    "cholesky": (lambda m: ag.linalg.cholesky(m @ ag.linalg.matrix_transpose(m)), M),
    "solve": (lambda m: ag.linalg.solve(m, m[..., :2] * 2.0), M),
    "solve one": (lambda m: ag.linalg.solve(m[0], m[1, :, :1] * 2.0), M),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", CASES)
def test_results_are_those_of_numpy(library, name, dtype):
    function, argument = CASES[name]
    x = ag.constant(argument.astype(dtype))
    own, other = (ag.function(function, device=device)(x).numpy() for device in ("GPU:0", "CPU:0"))
    np.testing.assert_allclose(own, other, rtol=1e-5 if dtype == np.float32 else 1e-12, atol=1e-6)
    assert any(word in "".join(library.names) for word in ("Exec", "potrf", "getrs"))


@pytest.mark.parametrize("function", [ag.linalg.cholesky, lambda m: ag.linalg.solve(m, m[:, :1])])
def test_a_matrix_that_has_none_is_an_error_at_the_line(library, function):
    with pytest.raises(ag.errors.InvalidArgumentError, match="cholesky|solve"):
        ag.function(lambda m: function(m * 0.0) + 1.0, device="GPU:0")(ag.constant(M[0]))


def test_explain_names_the_library(library):
    f = ag.function(lambda x: ag.abs(ag.signal.rfft(x * 2.0)), device="GPU:0")
    told = str(f.get_concrete_function(ag.constant(X)).explain())
    assert "real_fourier_transform of (2, 3, 4): by cuFFT, between kernels" in told


def test_what_numpy_alone_defines_is_for_the_cpu(library):
    f = ag.function(lambda x: ag.signal.irfft(ag.signal.rfft(x * 2.0)) + 1.0, device="GPU:0")
    np.testing.assert_allclose(f(ag.constant(X)).numpy(), 2 * X + 1.0, rtol=1e-12)
    assert library.names.count("cufftExecD2Z") == 1


def test_a_status_that_is_no_success_is_an_error(gpu):
    own = libraries.Libraries(gpu, 0, lambda name: StandIn(status=3))
    with pytest.raises(ag.errors.InternalError, match="cufftPlanMany: status 3"):
        own._plan((4,), 1, 0x29)


@pytest.mark.parametrize("make", [
    lambda dtype: helping_kernels.scaled(dtype, 5000, 0.3),
    lambda dtype: helping_kernels.lower_triangles(dtype, 2, 40),
    lambda dtype: helping_kernels.transposed(dtype, 2, 40, 5),
])  # fmt: skip
def test_kernels_that_put_results_in_order_have_ptx(make):
    for dtype in map(np.dtype, (np.float32, np.float64)):
        assert ".visible .entry kernel" in ptx.ptx(make(dtype))
