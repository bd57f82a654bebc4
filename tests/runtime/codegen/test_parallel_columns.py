"""Reductions of the first axis: threads share the rows or the columns, and results do not depend on
them.
"""

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import allograph as ag

pytestmark = pytest.mark.slow
set_threads = ag.config.threading.set_intra_op_parallelism_threads


@pytest.fixture(autouse=True)
def threads_of_the_machine():
    yield
    set_threads(0)


def check(function, *arrays, regions=1):
    """Native results, on one and two threads, are those of the operations run one by one."""
    tensors = [ag.constant(array) for array in arrays]
    native = ag.function(function, jit_compile=True)
    results = []
    for count in (1, 2, 1):
        set_threads(count)
        results.append(ag.nest.flatten(native(*tensors)))
    expected = ag.nest.flatten(function(*tensors))
    for one, two, three, wanted in zip(*results, expected, strict=True):
        assert one.dtype == wanted.dtype
        assert one.shape == wanted.shape
        np.testing.assert_array_equal(one, two)
        np.testing.assert_array_equal(one, three)
        np.testing.assert_allclose(one, wanted, rtol=1e-4)  # NumPy adds columns in float32
    source = native.get_concrete_function(*tensors).kernels()[0].source
    assert source.count("def region_") == regions


def numbers(*shape, dtype=np.float32):
    drawn = np.random.default_rng(0).standard_normal(shape)
    return drawn.astype(dtype) if np.dtype(dtype).kind == "f" else (9 * drawn).astype(dtype)


SUMS = [ag.reduce_sum, ag.reduce_mean, ag.reduce_max, ag.reduce_min]


@pytest.mark.parametrize("reduce", SUMS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
@pytest.mark.parametrize("shape", [(150_000, 16), (3000, 300), (900, 2500)])
def test_rows_are_shared(reduce, dtype, shape):
    check(lambda x: reduce(x, 0), numbers(*shape, dtype=dtype) + 5)


def test_several_axes_and_kept_dimensions():
    x = numbers(60, 30, 9, 64)
    check(lambda x: ag.reduce_max(x, [0, 1], keepdims=True), x)
    check(lambda x: ag.reduce_mean(x + 7, [0, 2]), x)
    check(lambda x: ag.reduce_sum(x + 7, [0, 1, 2]), x)


def test_bools_and_products():
    x = numbers(200_000, 16)
    check(lambda x: (ag.reduce_all(x > -9, 0), ag.reduce_any(x > 5, 0)), x)
    check(lambda x: ag.reduce_prod(1 + 1e-5 * x, 0), x.astype(np.float64))


def test_two_reductions_in_one_loop():
    x = numbers(20_000, 32)
    check(lambda x: (ag.reduce_sum(x * x, 0), ag.reduce_max(x, 0)), x)


def test_a_number_that_is_not_one_is_the_extreme_of_its_column_alone():
    x = numbers(40_000, 16)
    x[[0, 39_999, 20_000], [3, 4, 5]] = np.nan
    check(lambda x: (ag.reduce_max(x, 0), ag.reduce_min(x, 0)), x)


def test_a_chunk_beyond_the_reach_of_a_formula_is_computed_again():
    x = numbers(20_000, 16)
    x[15_000, 2] = 1e9
    check(lambda x: ag.reduce_sum(2 + ag.sin(x), 0), x)


def test_the_columns_of_few_rows_are_shared():
    check(lambda x: (ag.reduce_sum(x * x, 0), ag.reduce_max(x, 0)), numbers(8, 300_000))


def test_columns_of_several_axes_are_shared():
    check(lambda x: ag.reduce_mean(x + 7, 0), numbers(20, 300, 300))
    check(lambda x: ag.reduce_min(x, 0, keepdims=True), numbers(40, 3, 30_000))


def test_columns_are_shared_where_the_outer_axis_is_short():
    check(lambda x: ag.reduce_sum(x * x, 1), numbers(2, 30, 70_000, dtype=np.float64))


def test_a_block_of_columns_beyond_the_reach_of_a_formula_is_computed_again():
    x = numbers(20, 60_000)
    x[3, 50_000] = 1e9
    check(lambda x: ag.reduce_sum(2 + ag.sin(x), 0), x)


@pytest.mark.parametrize("shape, axis", [((700_000, 3), 0), ((1, 2_000_000), 1)])
def test_long_reductions_of_few_columns_or_rows_are_shared(shape, axis):
    check(lambda x: (ag.reduce_mean(x + 5, axis), ag.reduce_max(x, axis)), numbers(*shape))


def test_few_elements_stay_on_one_thread():
    check(lambda x: ag.reduce_sum(x, 0), numbers(8, 10_000) + 9, regions=0)
