"""Reductions in native code: no less exact than NumPy's, over whichever axes."""

import math

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import allograph as ag

pytestmark = pytest.mark.slow
NAMES = ["sum", "mean", "prod", "max", "min"]


def native(name, x, **options):
    reduce = getattr(ag, f"reduce_{name}")
    return ag.function(lambda x: reduce(x, **options), jit_compile=True)(ag.constant(x)).numpy()


def numbers(*shape, dtype=np.float64, seed=0):
    return np.random.default_rng(seed).uniform(0.9, 1.1, shape).astype(dtype)


@pytest.mark.parametrize("axis", [0, 1, 2, (0, 1), (0, 2), (1, 2), None])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_every_axis_gives_what_numpy_gives(axis, dtype):
    x = (numbers(7, 9, 33) * 10).astype(dtype)
    for name in NAMES[:2] + NAMES[3:]:
        if name == "mean" and dtype == np.int32:
            continue
        expected = getattr(np, name)(x, axis=axis, keepdims=True)
        found = native(name, x, axis=axis, keepdims=True)
        assert (found.shape, found.dtype) == (expected.shape, x.dtype)
        np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.parametrize("shape, axis", [((5, 5000), 0), ((3, 4, 2500), 1), ((2000, 8), 0)])
def test_many_columns_are_taken_in_pieces(shape, axis):
    x = numbers(*shape)
    np.testing.assert_allclose(native("sum", x, axis=axis), x.sum(axis), rtol=1e-13)
    np.testing.assert_array_equal(native("max", x, axis=axis), x.max(axis))


@pytest.mark.parametrize("shape", [(1_000_000,), (1000, 1000), (2049,), (3, 100_003)])
def test_a_long_sum_is_exact_to_the_last_bits(shape):
    x = numbers(*shape) * np.where(np.random.default_rng(1).random(shape) < 0.5, 1, -1)
    exact = math.fsum(x.ravel())
    size = math.fsum(abs(x).ravel())
    numpys = abs(x.sum() - exact)
    assert abs(native("sum", x) - exact) <= max(numpys, 2 * np.spacing(size / 64))


def test_a_long_sum_of_float32_is_that_of_float64():
    x = numbers(3_000_000, dtype=np.float32)
    assert native("sum", x) == np.float32(math.fsum(x))


@pytest.mark.parametrize("special", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("name", NAMES)
def test_special_values_pass_through_as_in_numpy(name, special):
    for shape, axis in (((5000,), 0), ((40, 50), 0), ((40, 50), 1)):
        x = numbers(*shape)
        x.flat[1234] = special
        np.testing.assert_allclose(
            native(name, x, axis=axis), getattr(np, name)(x, axis=axis), rtol=1e-9
        )


def test_opposite_infinities_have_no_sum():
    x = numbers(5000)
    x[7], x[4000] = np.inf, -np.inf
    assert np.isnan(native("sum", x))


def test_a_mean_of_more_small_integers_than_they_count():
    assert native("mean", np.ones(3000, np.uint8)) == ag.reduce_mean(np.ones(3000, np.uint8))


@pytest.mark.parametrize("reduce", [ag.reduce_max, ag.reduce_min])
@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("special", [np.nan, -np.nan, np.inf, -np.inf])
def test_largest_and_smallest_meet_special_numbers(reduce, axis, special):
    x = np.random.default_rng(0).standard_normal((20, 300)).astype(np.float32)
    x[3, 7] = x[19, 299] = special
    native = ag.function(lambda x: reduce(x, axis=axis), jit_compile=True)
    np.testing.assert_array_equal(native(x), reduce(x, axis=axis))


@pytest.mark.parametrize("size", [63, 64, 1000, 2048, 5000])
def test_sums_of_what_a_loop_computes_are_as_exact_as_its_elements(size):
    x = np.random.default_rng(size).standard_normal((3, size)).astype(np.float32)
    total = ag.function(lambda x: ag.reduce_sum(ag.exp(x) * x, axis=1), jit_compile=True)(x).numpy()
    wide = x.astype(np.float64)
    terms = np.exp(wide) * wide
    assert (np.abs(total - terms.sum(1)) <= 3e-7 * np.abs(terms).sum(1)).all()
