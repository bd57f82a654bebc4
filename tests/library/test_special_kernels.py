"""Special functions in kernels are those of SciPy, at small and at large numbers."""

import numpy as np
import pytest

import allograph as ag
from allograph.library.math import special_functions  # noqa: F401 - registers what kernels call
from allograph.runtime.jit.backends import OWN
from allograph.runtime.jit.kernel_types import ArrayType
from allograph.runtime.kernel_ir.reader import kernel_ir

special = pytest.importorskip("scipy.special")
RANDOM = np.random.default_rng(11)
EDGES = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 2.0, 0.5, -0.5, 1e-300, 1e-20]
REALS = np.array([*RANDOM.uniform(-30, 30, 200), *10.0 ** RANDOM.uniform(-12, 2.5, 100), *EDGES])
SHARES = np.array([*RANDOM.uniform(0, 1, 200), *10.0 ** RANDOM.uniform(-290, 0, 100), *EDGES])
UNARY = {
    "bessel_i0": special.i0, "bessel_i0e": special.i0e, "bessel_i1": special.i1,
    "bessel_i1e": special.i1e, "bessel_j0": special.j0, "bessel_j1": special.j1,
    "bessel_k0": special.k0, "bessel_k0e": special.k0e, "bessel_k1": special.k1,
    "bessel_k1e": special.k1e, "bessel_y0": special.y0, "bessel_y1": special.y1,
    "dawsn": special.dawsn, "expint": special.expi, "spence": special.spence,
    "fresnel_sin": lambda x: special.fresnel(x)[0], "fresnel_cos": lambda x: special.fresnel(x)[1],
}  # fmt: skip
INVERSE = {"erfinv": special.erfinv, "erfcinv": special.erfcinv, "ndtri": special.ndtri}
POSITIVE = 10.0 ** RANDOM.uniform(-2, 2, 300)
OTHERS = {
    "igamma": (special.gammainc, POSITIVE, POSITIVE[::-1]),
    "igammac": (special.gammaincc, POSITIVE, POSITIVE * RANDOM.uniform(0.8, 1.2, 300)),
    "betainc": (special.betainc, POSITIVE, POSITIVE[::-1], RANDOM.uniform(0, 1, 300)),
    "zeta": (special.zeta, 1.0 + POSITIVE[::-1] / 5, POSITIVE),
    "polygamma": (special.polygamma, RANDOM.integers(0, 6, 300).astype(float), POSITIVE),
}


ORDERS = 10.0 ** RANDOM.uniform(-20, 17, 500)
NEAR = ORDERS + RANDOM.normal(size=500) * np.sqrt(ORDERS)  # where the result is neither 0 nor 1
SIZES = [10.0 ** RANDOM.uniform(-4, 9, 500) for _ in range(2)]
SPREAD = np.sqrt(SIZES[0] * SIZES[1] / (sum(SIZES) + 1.0)) / sum(SIZES)
EXTREME = {
    "igamma": (special.gammainc, np.maximum(ORDERS, 1e-3), np.abs(NEAR)),
    "igammac": (special.gammaincc, ORDERS, np.abs(NEAR)),
    "betainc": (special.betainc, *SIZES,
                np.clip(SIZES[0] / sum(SIZES) + RANDOM.normal(size=500) * SPREAD, 0, 1)),
    "zeta": (special.zeta, 10.0 ** RANDOM.uniform(0.01, 2.3, 500), RANDOM.uniform(5, 20, 500)),
    "fresnel_sin": (lambda x: special.fresnel(x)[0], np.array([1e8, -3e9])),
    "dawsn": (special.dawsn, np.array([1e155, -1e200, np.inf])),
    "bessel_k0": (special.k0, np.array([1e-323, 1e-310])),
    "bessel_y0": (special.y0, np.array([5e-324, 1e-310])),
}  # fmt: skip


def kernels(names, *arrays, type_="f64"):
    """The results of functions in kernels, whether they are for processors or for devices alone."""
    arrays = [np.ascontiguousarray(array) for array in arrays]
    operands = ", ".join(f"x{at}" for at in range(len(arrays)))
    items = ", ".join(f"x{at}[i]" for at in range(len(arrays)))
    outs = ", ".join(f"y{at}" for at in range(len(names)))
    rows = [f"y{at}[i] = special_{name}_{type_}({items})" for at, name in enumerate(names)]
    body = "\n        ".join([f"for i in range({arrays[0].size}):", *rows])
    source = f"def kernel({operands}, {outs}):\n    {body}\n    return ()\n"
    results = [np.empty_like(arrays[0]) for _ in names]
    types = tuple(ArrayType(array.dtype, array.shape) for array in (*arrays, *results))
    OWN.compiled(kernel_ir(source), types, ()).function(*arrays, *results)
    return results


def assert_near(results, expected):
    for own, other in zip(results, expected, strict=True):
        np.testing.assert_allclose(own, other, rtol=2e-13, atol=2e-14)


@pytest.mark.parametrize("functions, arrays", [(UNARY, REALS), (INVERSE, SHARES)])
def test_functions_of_a_number_are_those_of_scipy(functions, arrays):
    expected = [function(arrays) for function in functions.values()]
    assert_near(kernels(functions, arrays), expected)


@pytest.mark.parametrize("name", OTHERS)
def test_functions_of_several_numbers_are_those_of_scipy(name):
    function, *arrays = OTHERS[name]
    assert_near(kernels([name], *arrays), [function(*arrays)])


@pytest.mark.parametrize("name", EXTREME)
def test_large_and_small_orders_are_those_of_scipy_to_many_digits(name):
    function, *arrays = EXTREME[name]
    np.testing.assert_allclose(*kernels([name], *arrays), function(*arrays), rtol=1e-9)


def test_orders_that_series_would_take_for_ever_for_are_nearly_normal():
    a = np.full(2, 1e17)
    np.testing.assert_allclose(*kernels(["igamma"], a, np.nextafter(a, 0)), 0.5, rtol=1e-7)


def test_sines_of_large_numbers_are_those_of_the_c_library():
    x = np.array([4e7, 5e12])  # SciPy's angle is rounded there
    (own,) = kernels(["bessel_j0"], x, type_="l64")
    np.testing.assert_allclose(own, (np.cos(x) + np.sin(x)) / np.sqrt(np.pi * x), rtol=1e-6)


def test_float32_is_computed_in_float64():
    x = REALS.astype(np.float32)
    (own,) = kernels(["bessel_i0e"], x, type_="f32")
    np.testing.assert_array_equal(own, special.i0e(x.astype(float)).astype(np.float32))


def test_native_code_of_processors_calls_those_that_are_as_fast_as_scipy():
    x = np.abs(REALS)
    graph = ag.function(ag.math.bessel_i0, jit_compile=True)
    np.testing.assert_allclose(graph(x).numpy(), special.i0(x), rtol=2e-13)
    with pytest.raises(ag.errors.InvalidArgumentError, match="'erfinv' has no native form"):
        ag.function(ag.math.erfinv, jit_compile=True)(x)
