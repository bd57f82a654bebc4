"""Special functions in native code are those of SciPy, at small and at large numbers."""

import numpy as np
import pytest

import allograph as ag

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


def native(names, *arrays):
    """The results of functions, by one kernel."""
    called = [getattr(ag.math, name, None) or getattr(ag.math.special, name) for name in names]
    graph = ag.function(lambda *x: [function(*x) for function in called], jit_compile=True)
    return [result.numpy() for result in graph(*arrays)]


def assert_near(results, expected):
    for own, other in zip(results, expected, strict=True):
        np.testing.assert_allclose(own, other, rtol=2e-13, atol=2e-14)


@pytest.mark.parametrize("functions, arrays", [(UNARY, REALS), (INVERSE, SHARES)])
def test_functions_of_a_number_are_those_of_scipy(functions, arrays):
    expected = [function(arrays) for function in functions.values()]
    assert_near(native(functions, arrays), expected)


@pytest.mark.parametrize("name", OTHERS)
def test_functions_of_several_numbers_are_those_of_scipy(name):
    function, *arrays = OTHERS[name]
    assert_near(native([name], *arrays), [function(*arrays)])


def test_sines_of_large_numbers_are_those_of_the_c_library():
    x = np.array([4e7, 5e12])  # SciPy's angle is rounded there
    (own,) = native(["bessel_j0"], x)
    np.testing.assert_allclose(own, (np.cos(x) + np.sin(x)) / np.sqrt(np.pi * x), rtol=1e-6)


def test_float32_is_computed_in_float64():
    x = REALS.astype(np.float32)
    (own,) = native(["bessel_i0e"], x)
    np.testing.assert_array_equal(own, special.i0e(x.astype(float)).astype(np.float32))
