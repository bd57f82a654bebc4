"""Products that tiles do not fit: of matrices and vectors, and by BLAS in blocks of one thread."""

import itertools
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("llvmlite")

import allograph as ag
from allograph.runtime.core import thresholds
from allograph.runtime.core.dtypes import float32, float64
from allograph.runtime.lowering import cost_model
from allograph.runtime.lowering.matmul_schedule import (
    ProductSizes,
    library_blocks,
    vector_product,
)

pytestmark = pytest.mark.slow

set_threads = ag.config.threading.set_intra_op_parallelism_threads
LENGTHS = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 70)


@pytest.fixture(autouse=True)
def small_products_too(monkeypatch):
    monkeypatch.setattr(thresholds, "SMALL_PRODUCT", 0)
    yield
    set_threads(0)


@pytest.fixture
def many_chunks(monkeypatch):
    monkeypatch.setattr(thresholds, "PARALLEL_FROM", 1)
    monkeypatch.setattr(thresholds, "CHUNK_COST", 1)
    monkeypatch.setattr(cost_model, "MATRIX_BYTES", 50)
    monkeypatch.setattr(thresholds, "ROWS_OF_SUM", 3)


def numbers(rng, *shape, dtype):
    return ag.constant(rng.standard_normal(shape).astype(dtype))


def check(function, *arrays, called):
    """The results are those of the operations one by one, with the same bits on any number of
    threads; `called` are the functions that the kernel calls. Gives its source.
    """
    native = ag.function(function, jit_compile=True)
    (kernel,) = native.get_concrete_function(*arrays).kernels()
    for name in called:
        assert name in kernel.source
    runs = []
    for number in (1, 2, 3):
        set_threads(number)
        runs.append([one.numpy() for one in ag.nest.flatten(native(*arrays))])
    for wanted, *found in zip(ag.nest.flatten(function(*arrays)), *runs, strict=True):
        assert found[0].tobytes() == found[1].tobytes() == found[2].tobytes()
        wanted = wanted.numpy()
        close = 1e-5 if wanted.dtype == np.float32 else 1e-13
        np.testing.assert_allclose(found[0], wanted, atol=close * (abs(wanted).max() + 1))
    return kernel.source


def products(cases):
    def of_all(*arrays):
        pairs = zip(cases, arrays[::2], arrays[1::2], strict=True)
        return [ag.matmul(a, b, *transposed) for transposed, a, b in pairs]

    return of_all


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("columns", LENGTHS)
def test_a_matrix_times_a_column(columns, dtype):
    rng, cases, arrays = np.random.default_rng(0), [], []
    for rows, transposed in itertools.product((1, 2, 3, 4, 5, 8, 9, 17), (False, True)):
        shape = (columns, rows) if transposed else (rows, columns)
        arrays += [numbers(rng, *shape, dtype=dtype), numbers(rng, columns, 1, dtype=dtype)]
        cases.append((transposed, False))
    check(products(cases), *arrays, called=["matvec_rows", "matvec_columns"])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("columns", LENGTHS)
def test_a_row_times_a_matrix(columns, dtype):
    rng, cases, arrays = np.random.default_rng(1), [], []
    for rows, transposed in itertools.product((1, 2, 3, 4, 5, 8, 9, 17), (False, True)):
        shape = (columns, rows) if transposed else (rows, columns)
        arrays += [numbers(rng, 1, rows, dtype=dtype), numbers(rng, *shape, dtype=dtype)]
        cases.append((False, transposed))
    called = ["matvec_rows", "matvec_columns"] if columns > 1 else ["matvec_rows"]
    check(products(cases), *arrays, called=called)


@pytest.mark.parametrize("transposed", [False, True])
def test_rows_longer_than_a_block_of_the_result(transposed):
    rng, shape = np.random.default_rng(2), (5000, 13) if transposed else (13, 5000)
    matrix, row = numbers(rng, *shape, dtype="float32"), numbers(rng, 1, 13, dtype="float32")
    column = numbers(rng, 5000, 1, dtype="float32")
    check(
        products([(False, transposed), (transposed, False)]),
        *(row, matrix, matrix, column),
        called=["matvec_columns"],
    )


@pytest.mark.parametrize("transposed", [False, True])
def test_infinities_and_nan_are_those_of_the_elements_that_a_sum_has(transposed):
    matrix = np.arange(35.0).reshape(5, 7)
    matrix[1, 2], matrix[2, 6], matrix[3, 0] = np.inf, np.nan, -np.inf
    given = ag.constant(matrix.T if transposed else matrix)
    column = ag.constant([[1.0], [0.5], [2.0], [0.25], [1.0], [3.0], [0.5]], ag.float64)
    native = ag.function(lambda a, b: ag.matmul(a, b, transpose_a=transposed), jit_compile=True)
    np.testing.assert_array_equal(native(given, column), matrix @ column.numpy())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_threads_share_rows_columns_and_sums_of_rows(many_chunks, dtype):
    rng, cases, arrays = np.random.default_rng(3), [], []
    for rows, columns in ((200, 9), (41, 33), (2, 500), (5, 300)):
        for transposed in (False, True):
            shape = (columns, rows) if transposed else (rows, columns)
            arrays += [numbers(rng, *shape, dtype=dtype), numbers(rng, columns, 1, dtype=dtype)]
            cases.append((transposed, False))
    source = check(products(cases), *arrays, called=["run_region", "+= "])
    assert source.count("def region_") == len(cases)


def test_batches_of_vectors(many_chunks):
    rng = np.random.default_rng(4)
    matrix, vectors = numbers(rng, 3, 40, 11, dtype="float64"), numbers(rng, 3, 11, dtype="float64")

    def both(matrix, vectors):
        made = ag.linalg.matvec(matrix, vectors)
        return made, ag.linalg.matvec(matrix, made, transpose_a=True)

    check(both, matrix, vectors, called=["matvec_rows"])


def test_large_sums_of_rows_do_not_depend_on_the_number_of_cores():
    wide = vector_product(ProductSizes(10, 1_000_000, 64, float32, (True, False)))
    assert wide.chunks is None or wide.chunks.number <= thresholds.MOST_CHUNKS
    tall = vector_product(ProductSizes(64, 1, 1_000_000, float64, (True, False)))
    assert tall.is_partial and tall.by_columns and tall.chunks.number > 8


# ---- blocks of BLAS --------------------------------------------------------------------------

sizes = st.integers(1, 20_000)


@given(sizes, sizes, sizes)
def test_blocks_of_blas_are_so_small_that_it_stays_on_one_thread(rows, columns, depth):
    product = ProductSizes(rows, columns, depth, float32)
    blocks = library_blocks(product)
    if blocks is None:
        assert product.multiplications <= thresholds.LIBRARY_ALONE
    else:
        assert blocks.rows * blocks.columns * blocks.depth <= thresholds.LIBRARY_ALONE
        assert 1 <= blocks.rows <= rows and 1 <= blocks.columns <= columns
        assert 1 <= blocks.depth <= depth


@pytest.mark.parametrize("limit, side", [(100, 4), (700, 7), (5000, 64)])
def test_products_in_blocks(many_chunks, monkeypatch, limit, side):
    monkeypatch.setattr(thresholds, "LIBRARY_ALONE", limit)
    monkeypatch.setattr(thresholds, "LIBRARY_SIDE", side)
    monkeypatch.setattr(thresholds, "MOST_WASTE", 0)
    rng, cases, arrays = np.random.default_rng(5), [], []
    for rows, columns, depth in ((50, 5, 7), (6, 70, 13), (9, 8, 300)):
        for left, right in itertools.product((False, True), repeat=2):
            arrays.append(
                numbers(rng, *((depth, rows) if left else (rows, depth)), dtype="float32")
            )
            shape = (columns, depth) if right else (depth, columns)
            arrays.append(numbers(rng, *shape, dtype="float32"))
            cases.append((left, right))
    check(products(cases), *arrays, called=["product_of_matrices", "product_added"])


ALONE = """
import statistics
import time
import numpy as np
import allograph as ag

@ag.function(jit_compile=True)
def products(x, weights, vector):
    return x @ weights, ag.linalg.matvec(x, vector)

rng = np.random.default_rng(0)
arrays = rng.random((2000, 64)), rng.random((64, 10)), rng.random(64)
x, weights, vector = map(ag.constant, arrays)
ratios = []
for _ in range(100):  # in the first of which a thread may still compile
    everything, own = time.process_time(), time.thread_time()
    for _ in range(200):
        products(x, weights, vector)
    ratios.append((time.process_time() - everything) / (time.thread_time() - own))
print(statistics.median(ratios))
"""


def test_the_threads_of_blas_do_not_run_beside_those_of_kernels():
    """They would wait for more work, busily, on cores that other threads need."""
    made = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, check=True)
    assert float(made.stdout) < 1.3


# ---- in loops --------------------------------------------------------------------------------


def test_a_loop_reads_the_transpose_of_a_matrix_from_where_it_lies():
    """The transpose is not computed before the loop, which would read two matrices."""

    @ag.function(jit_compile=True)
    def fitted(x, y, steps):
        weights = ag.zeros([x.shape[1]], ag.float64)
        for _ in ag.range(steps):
            errors = ag.linalg.matvec(x, weights) - y
            weights -= 0.001 * ag.linalg.matvec(x, errors, transpose_a=True)
        return weights

    rng = np.random.default_rng(6)
    x, y = rng.random((60, 20)), rng.random(60)
    expected = np.zeros(20)
    for _ in range(50):
        expected -= 0.001 * (x.T @ (x @ expected - y))
    arguments = ag.constant(x), ag.constant(y), ag.constant(50)
    np.testing.assert_allclose(fitted(*arguments), expected)
    concrete = fitted.get_concrete_function(*arguments)
    assert "matvec_columns_float64" in concrete.kernels()[0].source
    assert "float64[20,60]" not in str(concrete.program).split(" loop ")[0]
