"""Linear systems and decompositions of small matrices by the threads of a device."""

import numpy as np
import pytest
from test_grid_program import GRIDS, program_of

import allograph as ag
from allograph.errors import InvalidArgumentError
from allograph.runtime.gpu import emulator
from allograph.runtime.gpu.grid_kernel import SUCCESS
from allograph.runtime.gpu.ptx import ptx
from allograph.runtime.lowering.not_native import NotNativeError

linalg = ag.linalg
RANDOM = np.random.default_rng(3)
GENERAL = RANDOM.standard_normal((5, 4, 4))
DEFINITE = GENERAL @ np.swapaxes(GENERAL, 1, 2) + np.eye(4)
RIGHT = RANDOM.standard_normal((5, 4, 2))
SINGULAR = GENERAL * (np.arange(5) != 3)[:, None, None]
OPERATIONS = {
    "solve": (linalg.solve, GENERAL, RIGHT),
    "inv": (linalg.inv, GENERAL),
    "det": (linalg.det, GENERAL),
    "slogdet": (lambda x: tuple(linalg.slogdet(x)), SINGULAR),
    "cholesky": (linalg.cholesky, DEFINITE),
    "lower": (linalg.triangular_solve, GENERAL, RIGHT),
    "upper": (lambda a, b: linalg.triangular_solve(a, b, lower=False), GENERAL, RIGHT),
}


def assert_as_numpy(function, *arrays):
    """The results on each grid are those of eager operations."""
    expected = ag.nest.flatten(function(*map(ag.constant, arrays)))
    program = program_of(lambda *operands: function(*operands), *map(ag.constant, arrays))
    for grid in GRIDS:
        outputs, status = emulator.run(program, arrays, *grid)
        assert status == SUCCESS
        for result, wanted in zip(outputs, expected, strict=True):
            close = 1e-10 if result.dtype == np.float64 else 1e-3
            np.testing.assert_allclose(result, wanted.numpy(), close, close)
    return program


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", OPERATIONS)
def test_each_matrix_of_a_batch_is_for_one_thread(name, dtype):
    function, *arrays = OPERATIONS[name]
    program = assert_as_numpy(function, *(array.astype(dtype) for array in arrays))
    (kernel,) = program.kernels
    assert kernel.threads == 5


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_single_matrix_is_too(name):
    function, *arrays = OPERATIONS[name]
    assert_as_numpy(function, *(array[1] for array in arrays))


@pytest.mark.parametrize("name", OPERATIONS)
def test_iterations_of_their_own_have_matrices_of_their_own(name):
    function, *arrays = OPERATIONS[name]
    kind = (ag.float64,) * 2 if name == "slogdet" else ag.float64
    each = lambda row: function(*row)  # noqa: E731
    assert_as_numpy(lambda *rows: ag.map_fn(each, rows, fn_output_signature=kind), *arrays)


@pytest.mark.parametrize("name", OPERATIONS)
def test_matrices_of_32_rows_are_in_the_local_memory_of_a_thread(name):
    function, *arrays = OPERATIONS[name]
    large = [np.zeros((9, 32, array.shape[-1] * 8)) for array in arrays]
    program = program_of(lambda *operands: function(*operands), *map(ag.constant, large))
    assert "st.global" in ptx(program.kernels[0])


@pytest.mark.parametrize("size", [3, 40])
def test_complex_matrices_are_pairs_of_real_ones(gpu, size):
    matrix = RANDOM.standard_normal((2, size, size)) + 1j * RANDOM.standard_normal((2, size, size))
    inverse = ag.function(linalg.inv, device="GPU:0")(matrix)
    np.testing.assert_allclose(inverse.numpy(), np.linalg.inv(matrix), 1e-8, 1e-8)
    assert inverse.device.endswith("GPU:0" if size == 3 else "CPU:0")


def test_a_singular_matrix_is_an_error_at_the_line_of_the_user(gpu):
    @ag.function(device="GPU:0")
    def inverses(x):
        return linalg.inv(x)

    with pytest.raises(InvalidArgumentError, match="inv: the matrix has no inverse"):
        inverses(SINGULAR)


@pytest.mark.parametrize(
    ("function", "shape", "reason"),
    [
        (linalg.inv, (2, 33, 33), "'inv' of 33 rows or columns, where a thread has at most 32"),
        (linalg.svd, (2, 3, 3), "devices have no form of 'svd'"),
        (ag.signal.rfft, (2, 8), "the operation 'real_fourier_transform' has no form for a GPU"),
    ],
)
def test_what_a_thread_does_not_compute_is_named(function, shape, reason):
    with pytest.raises(NotNativeError, match=reason):
        program_of(lambda x: function(x), ag.constant(np.ones(shape)))
