"""Sorting and search in native code: what the plan gives, bit for bit."""

import ctypes

import numpy as np
import pytest
from example_counts import examples
from hypothesis import given
from hypothesis import strategies as st

import allograph as ag
from allograph.runtime.jit.loader.symbols import NUMPY_SORT, address_of

pytestmark = pytest.mark.slow
pytest.importorskip("llvmlite")

SLOW = [
    pytest.param(name, marks=pytest.mark.slow) for name in ("int8", "uint16", "int64", "uint64")
]
TYPES = ["int32", "float32", pytest.param("float64", marks=pytest.mark.slow), *SLOW]
SHAPES = [(0,), (7,), (9000,), (2, 60, 2)]


def numbers(dtype, shape, seed=0):
    """Few and many different ones; of floats, infinities, both zeros and NaN of both signs."""
    generator = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    if kind.kind != "f":
        words = generator.integers(0, 256, (*shape, kind.itemsize), np.uint8)
        words[..., generator.integers(0, kind.itemsize + 1) :] = 0
        return words.view(kind)[..., 0]
    made = generator.standard_normal(shape).astype(kind)
    special = np.array([0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1, -1, 1e-310], kind)
    chosen = generator.random(shape) < 0.5
    made[chosen] = special[generator.integers(0, special.size, chosen.sum())]
    return made


def is_same(f, *arrays):
    """The plan and native code agree in every bit."""
    tensors = [ag.constant(array) for array in arrays]
    plan = ag.function(f, kernel_compiler="none", autograph=False)(*tensors)
    native = ag.function(f, jit_compile=True, autograph=False)(*tensors)
    for wanted, found in zip(plan, native, strict=True):
        assert wanted.dtype == found.dtype and wanted.shape == found.shape
        assert wanted.numpy().tobytes() == found.numpy().tobytes()


@pytest.mark.parametrize("dtype", TYPES)
def test_sort_and_argsort_in_both_directions_along_every_axis(dtype):
    def f(*arrays):
        made = []
        for x in arrays:
            for axis in {0, len(x.shape) - 1}:
                for direction in ("ASCENDING", "DESCENDING"):
                    made += [ag.sort(x, axis, direction), ag.argsort(x, axis, direction)]
        return made

    is_same(f, *[numbers(dtype, shape) for shape in (SHAPES if dtype == "float32" else SHAPES[2:])])


@pytest.mark.parametrize("dtype", ["float32", SLOW[0], SLOW[3]])
def test_the_largest_k_of_rows(dtype):
    def f(*arrays):
        rows = [ag.math.top_k(x, k) for x in arrays for k in (0, 5, 30) if k <= x.shape[-1]]
        return [one for row in rows for one in row]

    is_same(f, *[numbers(dtype, shape) for shape in SHAPES if shape[-1]])


@pytest.mark.parametrize("dtype", ["int32", "float32"])
@pytest.mark.parametrize("side", ["left", "right"])
def test_search_in_sorted_rows(dtype, side):
    rows, values = np.sort(numbers(dtype, (4, 9))), numbers(dtype, (4, 6), 1)

    def f(rows, values):
        first = rows[0]
        return [
            ag.searchsorted(rows, values, side),
            ag.searchsorted(first, values, side),
            ag.searchsorted(first, values[0, 0], side),
            ag.searchsorted(rows[:, :0], values, side),
        ]

    is_same(f, rows, values)


@examples(30)
@given(st.integers(0, 2**32), st.sampled_from(["float32", "int64"]), st.integers(990, 1200))
def test_large_rows_are_sorted_without_comparing_and_equal_ones_keep_their_order(seed, kind, size):
    x = numbers(kind, (size,), seed)
    ascending, descending = ag.argsort(x).numpy(), ag.argsort(x, direction="DESCENDING").numpy()
    np.testing.assert_array_equal(ascending, np.argsort(x, kind="stable"))
    turned = size - 1 - np.argsort(x[::-1], kind="stable")[::-1]
    np.testing.assert_array_equal(descending, turned)
    np.testing.assert_array_equal(ag.math.top_k(x, 9).indices, turned[:9])


def test_a_median_inside_a_loop():
    @ag.function(jit_compile=True)
    def smoothed(x, times):
        for _ in ag.range(times):
            x = x - ag.sort(x)[x.shape[0] // 2]
        return x

    x = numbers("int32", (5,)).astype(np.float32)
    wanted = x
    for _ in range(3):
        wanted = wanted - np.sort(wanted)[2]
    assert smoothed(ag.constant(x), ag.constant(3)).numpy().tolist() == wanted.tolist()


@pytest.mark.parametrize("kind", ["few", "many", "ordered"])
def test_threads_sort_one_long_row(kind):
    f = ag.function(
        lambda x: [ag.argsort(x), ag.argsort(x, direction="DESCENDING")], jit_compile=True
    )
    size = 70_001
    x = numbers("float32", (size,)) if kind == "few" else numbers("int32", (size,)).view("float32")
    x = np.arange(size, dtype=np.float32) if kind == "ordered" else x
    wanted = [np.argsort(x, kind="stable"), size - 1 - np.argsort(x[::-1], kind="stable")[::-1]]
    for count in (1, 2):
        ag.config.threading.set_intra_op_parallelism_threads(count)
        for found, order in zip(f(ag.constant(x)), wanted, strict=True):
            assert np.array_equal(found, order)
    ag.config.threading.set_intra_op_parallelism_threads(0)


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint32"])
def test_threads_sort_the_elements_of_one_long_row(dtype):
    f = ag.function(lambda x: [ag.sort(x), ag.sort(x, direction="DESCENDING")], jit_compile=True)
    x = numbers("int32", (70_001,)).view(dtype)
    if dtype == "float32":
        x[:4] = np.nan, -0.0, np.inf, -np.inf
    for count in (1, 2):
        ag.config.threading.set_intra_op_parallelism_threads(count)
        up, down = (found.numpy() for found in f(ag.constant(x)))
        assert np.array_equal(up, np.sort(x), equal_nan=dtype == "float32")
        assert np.array_equal(down, np.sort(x)[::-1], equal_nan=dtype == "float32")
    source = f.get_concrete_function(ag.constant(x)).kernels()[0].source
    assert "sorted_digit_moves" in source
    ag.config.threading.set_intra_op_parallelism_threads(0)


LONG = {
    "of every size": lambda draw, size: (
        draw.standard_normal(size) * 10.0 ** draw.integers(-99, 99, size)
    ),
    "few": lambda draw, size: np.round(draw.standard_normal(size)),
    "with NaN": lambda draw, size: np.where(draw.random(size) < 0.1, np.nan, draw.random(size)),
    "that differ in their last bits": lambda draw, size: 1 + draw.integers(0, 99, size) * 2.0**-52,
    "that differ in their last bits, and one": lambda draw, size: np.where(
        np.arange(size) == 5, -1e300, 1 + draw.integers(0, 99, size) * 2.0**-52
    ),
    "in order": lambda draw, size: np.arange(size) - 9.0,
    "in the opposite order": lambda draw, size: 9.0 - np.arange(size),
}


@pytest.mark.parametrize("size", [3000, 70_001, 262_145])
@pytest.mark.parametrize("numbers", LONG)
def test_the_order_of_long_rows_of_8_bytes(numbers, size):
    def f(x):
        return [ag.sort(x), ag.argsort(x), ag.argsort(x, direction="DESCENDING")]

    x = LONG[numbers](np.random.default_rng(0), size)
    down = size - 1 - np.argsort(x[::-1], kind="stable")[::-1]
    native = ag.function(f, jit_compile=True)
    for count in (1, 2):
        ag.config.threading.set_intra_op_parallelism_threads(count)
        values, up, reverse = native(ag.constant(x))
        np.testing.assert_array_equal(values, np.sort(x))
        np.testing.assert_array_equal(up, np.argsort(x, kind="stable"))
        np.testing.assert_array_equal(reverse, down)
    ag.config.threading.set_intra_op_parallelism_threads(0)


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_threads_sort_integers_of_the_whole_range(dtype):
    f = ag.function(
        lambda x: [ag.sort(x), ag.argsort(x), ag.sort(x, direction="DESCENDING")], jit_compile=True
    )
    limits = np.iinfo(dtype)
    x = np.random.default_rng(0).integers(limits.min, limits.max, 100_000, dtype, endpoint=True)
    x[[7, 9, 99_999]] = limits.max, limits.min, limits.max
    values, places, down = f(ag.constant(x))
    np.testing.assert_array_equal(values, np.sort(x))
    np.testing.assert_array_equal(places, np.argsort(x, kind="stable"))
    np.testing.assert_array_equal(down, np.sort(x)[::-1])
    (kernel,) = f.get_concrete_function(ag.constant(x)).kernels()
    assert "sorted_digit_moves" in kernel.source


@pytest.mark.parametrize("size", [600, 5000, 150_000])
@pytest.mark.parametrize("dtype", ["uint8", "int32", "float32", "int64", "uint64"])
def test_keys_are_sorted_by_the_bits_in_which_they_differ(dtype, size):
    def f(x):
        return [ag.sort(x), ag.argsort(x), ag.argsort(x, direction="DESCENDING")]

    kind, generator = np.dtype(dtype), np.random.default_rng(size)
    unsigned, native = f"u{kind.itemsize}", ag.function(f, jit_compile=True)
    words = generator.integers(0, 2 ** (8 * kind.itemsize) - 1, size, unsigned, endpoint=True)
    for length in (0, 1, 8, 9, 22, 23, 32, 33, 45, 63, 64):
        if length <= 8 * kind.itemsize:
            some = words & np.array(2**length - 1, unsigned)
            x = (some + np.array(77, unsigned)).view(kind)
            x = np.where(np.isnan(x), kind.type(0), x)
            down = size - 1 - np.argsort(x[::-1], kind="stable")[::-1]
            for found, wanted in zip(
                native(ag.constant(x)),
                (np.sort(x), np.argsort(x, kind="stable"), down),
                strict=True,
            ):
                np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("dtype", ["uint32", "uint64"])
def test_the_sort_of_numpy_is_where_its_table_of_functions_says(dtype):
    address = address_of(f"{NUMPY_SORT}{dtype}")
    sort = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_void_p)(
        address
    )
    x = np.random.default_rng(0).integers(0, 1 << 32, 1000, dtype)
    wanted = np.sort(x)
    assert sort(x.ctypes.data, x.size, None) == 0
    np.testing.assert_array_equal(x, wanted)


def test_threads_share_many_rows():
    def f(x, values):
        ordered = ag.sort(x)
        return [ordered, ag.argsort(x, 0), *ag.math.top_k(x, 3), *ag.math.top_k(x, 200),
                ag.searchsorted(ordered, x), ag.searchsorted(ordered[0], values)]  # fmt: skip

    x, values = numbers("float32", (300, 400)), numbers("float32", (40_000,), 1)
    for count in (1, 2):
        ag.config.threading.set_intra_op_parallelism_threads(count)
        is_same(f, x, values)
    ag.config.threading.set_intra_op_parallelism_threads(0)
