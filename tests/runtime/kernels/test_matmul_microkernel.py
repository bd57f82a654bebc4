"""Products of matrices in tiles of our own: borders, transposed operands, any number of threads."""

import itertools

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import allograph as ag
from allograph.runtime.codegen.native.kernel_writer import host_target
from allograph.runtime.core import thresholds
from allograph.runtime.core.dtypes import float32
from allograph.runtime.kernels.tile_sizes import tile_columns, tile_rows
from allograph.runtime.lowering.matmul_schedule import ProductSizes, is_tiled, tiling

pytestmark = pytest.mark.slow
set_threads = ag.config.threading.set_intra_op_parallelism_threads
HIGH, WIDE = tile_rows(), tile_columns("float32")


def every_kind_of_blocks(monkeypatch, **limits):
    for name in ("BLOCKS", "BLOCKS_OF_FEW_REGISTERS"):
        monkeypatch.setattr(thresholds, name, getattr(thresholds, name)._replace(**limits))


@pytest.fixture(autouse=True)
def tiles_for_all_products(monkeypatch):
    """Small products too, in blocks of a few tiles, and by threads."""
    monkeypatch.setattr(thresholds, "TILED_FROM", 0)
    monkeypatch.setattr(thresholds, "IN_PLACE_FROM", 0)
    monkeypatch.setattr(thresholds, "MOST_WASTE", 1e9)
    monkeypatch.setattr(thresholds, "SMALL_PRODUCT", 0)
    every_kind_of_blocks(monkeypatch, alone=True)
    yield
    set_threads(0)


PACKED = {"few_rows": 1, "few_columns": 0}
KINDS = {
    "packed": {**PACKED, "together": 0, "packed": 2 * WIDE},
    "rows together": {**PACKED, "together": HIGH, "packed": 2 * WIDE},
    "rows kept": {**PACKED, "together": HIGH, "packed": WIDE},
    "in place": {"few_rows": 1000, "together": 0, "packed": 2 * WIDE},
    "left in place": {"few_rows": 1, "few_columns": 1000, "together": HIGH, "packed": WIDE},
    "right in place": {"few_rows": 1000, "few_columns": 0, "together": HIGH, "packed": WIDE},
}


@pytest.fixture(params=KINDS)
def small_blocks(monkeypatch, request):
    monkeypatch.setattr(thresholds, "PARALLEL_FROM", 0)
    monkeypatch.setattr(thresholds, "LEAST_SIDES", (HIGH, WIDE))
    sizes = {"rows": 2 * HIGH, "columns": 2 * WIDE, "depth": {4: 16, 8: 11}}
    every_kind_of_blocks(monkeypatch, **sizes, **KINDS[request.param])


def numbers(shape, dtype="float32", seed=0):
    rng = np.random.default_rng(seed)
    return ag.constant(rng.standard_normal(shape).astype(dtype))


def check(function, *arrays, count=1):
    """The results are those of the operations one by one, with the same bits on any number of
    threads; gives the text.
    """
    native = ag.function(function, jit_compile=True)
    text = native.get_concrete_function(*arrays).kernels()[0].source
    assert text.count("tiled_blocks_") == count
    runs = []
    for number in (1, 2, 3):
        set_threads(number)
        runs.append([one.numpy() for one in ag.nest.flatten(native(*arrays))])
    for wanted, *found in zip(ag.nest.flatten(function(*arrays)), *runs, strict=True):
        assert np.array_equal(found[0], found[1], equal_nan=True)
        assert np.array_equal(found[0], found[2], equal_nan=True)
        wanted = wanted.numpy()
        close = 1e-5 if wanted.dtype == np.float32 else 1e-13
        scale = np.nanmax(np.abs(np.where(np.isfinite(wanted), wanted, 0))) + 1
        np.testing.assert_allclose(found[0] / scale, wanted / scale, atol=close)
    return text


SIZES = [(HIGH, WIDE, 16), (HIGH + 1, WIDE + 1, 17), (2 * HIGH - 1, 3 * WIDE - 1, 33),
         (4 * HIGH + 5, 4 * WIDE + 7, 50)]  # fmt: skip
# The last tile of a block is of three heights.
SIZES += [
    (rows, WIDE + 1, 9) for third in (HIGH // 3, 2 * HIGH // 3) for rows in (third, third + 1)
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sizes_around_tiles_and_blocks(small_blocks, dtype):
    cases = list(itertools.product(SIZES, (False, True), (False, True)))
    arrays = []
    for (rows, columns, depth), *turned in cases:
        arrays.append(numbers((depth, rows) if turned[0] else (rows, depth), dtype))
        arrays.append(numbers((columns, depth) if turned[1] else (depth, columns), dtype, seed=1))

    def products(*arrays):
        pairs = zip(cases, arrays[::2], arrays[1::2], strict=True)
        return [ag.matmul(a, b, *turned) for (_, *turned), a, b in pairs]

    text = check(products, *arrays, count=len(cases))
    assert "for " not in text  # a transposed matrix is read where it lies


def test_depths_of_several_stretches(small_blocks):
    depths = (1, 15, 16, 17, 31, 100)
    arrays = [numbers((HIGH + 3, depth)) for depth in depths]
    arrays += [numbers((depth, WIDE + 5), seed=1) for depth in depths]
    check(lambda *both: [*map(ag.matmul, both[:6], both[6:])], *arrays, count=6)


def test_a_large_product_is_shared_by_threads():
    a, b = numbers((300, 500)), numbers((500, 400), seed=1)
    text = check(ag.matmul, a, b)
    assert "run_region(" in text


def test_batches_and_a_matrix_that_all_of_them_share(small_blocks):
    check(ag.matmul, numbers((3, 2, 20, 30)), numbers((2, 30, 40), seed=1))


def test_nan_and_infinity_reach_their_rows_and_columns(small_blocks):
    a, b = np.ones((2, 30, 40), np.float32)
    a[7, 3], a[20, 39] = np.nan, np.inf
    b = np.ones((40, 50), np.float32)
    b[5, 49] = -np.inf
    b[39, 0] = 0
    check(ag.matmul, ag.constant(a), ag.constant(b))


def test_in_a_staged_loop_each_turn_multiplies(small_blocks):
    def powers(x, a):
        turn = ag.constant(0)
        while turn < 5:
            x = ag.matmul(x, a) / 8
            turn += 1
        return x

    check(ag.function(powers), numbers((40, 40)), numbers((40, 40), seed=1))


def test_what_somebody_else_reads_is_transposed_too(small_blocks):
    def both(a, b):
        turned = ag.transpose(a)
        return ag.matmul(turned, b) + turned[:, :1]

    text = check(both, numbers((30, 20)), numbers((30, 20), seed=1))
    assert "for " in text


def test_a_transposed_product_outlives_what_it_reads(small_blocks):
    def chain(a, b):
        a = ag.exp(-a * a)
        y = ag.matmul(ag.transpose(a), b)
        z = ag.sin(y)
        return ag.matmul(ag.transpose(z), y) / 30

    check(chain, numbers((30, 25)), numbers((30, 20), seed=1), count=2)


def test_gradients_of_layers(small_blocks):
    def loss_gradient(x, w, v):
        with ag.GradientTape() as tape:
            tape.watch(w)
            loss = ag.reduce_sum(ag.tanh(ag.matmul(ag.tanh(ag.matmul(x, w)), v)) ** 2)
        return tape.gradient(loss, w)

    check(loss_gradient, numbers((20, 30)), numbers((30, 25)) / 8, numbers((25, 15)) / 8, count=4)


def test_blas_multiplies_transposed_matrices_where_they_lie(monkeypatch):
    monkeypatch.setattr(thresholds, "TILED_FROM", 1 << 40)
    monkeypatch.setattr(thresholds, "IN_PLACE_FROM", 1 << 40)
    f = lambda a, b: ag.matmul(a, b, transpose_a=True, transpose_b=True)
    a, b = numbers((50, 30)), numbers((40, 50), seed=1)
    text = check(f, a, b, count=0)
    assert ".T, " in text
    assert "for " not in text


def test_matrices_of_one_row_or_column_are_multiplied_as_any_others():
    """The transpose of a column has both strides 1, which is less than BLAS demands of a row."""
    sizes = list(itertools.product((1, 70), (1, 70), (1, 70), (False, True), (False, True)))
    rng = np.random.default_rng(3)
    pairs = [
        (rng.random((k, m) if left else (m, k)), rng.random((n, k) if right else (k, n)))
        for m, n, k, left, right in sizes
    ]

    def products(pairs):
        flags = [one[3:] for one in sizes]
        return [ag.matmul(x, y, *flag) for (x, y), flag in zip(pairs, flags, strict=True)]

    f = ag.function(products, autograph=False, jit_compile=True)
    for found, (x, y), (*_, left, right) in zip(f(pairs), pairs, sizes, strict=True):
        np.testing.assert_allclose(found, (x.T if left else x) @ (y.T if right else y))


def test_the_column_of_a_slice_of_computed_length_is_multiplied_as_any_other():
    def products(a, n):
        column = a[:n, :1]
        return column @ column.T, column.T @ a[:n], a[:n].T @ column

    a = np.random.default_rng(3).random((80, 90))
    f = ag.jit(products)
    for found, expected in zip(f(a, 70), products(a, 70), strict=True):
        np.testing.assert_allclose(found, expected)


def test_one_thread_leaves_products_to_blas_where_that_is_faster(monkeypatch):
    sizes, target = ProductSizes(512, 512, 512, float32), host_target()
    for alone in (True, False):
        every_kind_of_blocks(monkeypatch, alone=alone)
        assert is_tiled(sizes, target._replace(cores=1)) == alone
        assert is_tiled(sizes, target._replace(cores=2))


def test_blocks_are_enough_for_the_cores_and_not_too_small():
    for sizes in ((1024, 1024, 1024), (128, 256, 784), (784, 256, 128), (5000, 64, 64)):
        tall, broad, deep = tiling(ProductSizes(*sizes, float32), host_target())[:3]
        assert tall % HIGH == broad % WIDE == 0
        assert tall >= min(thresholds.LEAST_SIDES[0], sizes[0])
        assert broad >= min(thresholds.LEAST_SIDES[1], sizes[1])
        assert deep <= 512
