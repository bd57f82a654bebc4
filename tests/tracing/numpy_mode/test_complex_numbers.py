"""`jit`: complex numbers are native, as pairs of real ones."""

import numpy as np
import pytest
from native_calls import is_native
from numpy_programs import assert_native

import allograph as ag

NUMBERS = np.random.default_rng(0)
pytestmark = pytest.mark.slow


def normal(*shape):
    return NUMBERS.normal(size=shape) + 1j * NUMBERS.normal(size=shape)


def test_functions_of_complex_elements():
    def elements(v, w):
        waves = np.exp(v), np.sqrt(v), np.log(v), np.cosh(v)
        return *waves, v**-2, v**0.5, v / w, np.angle(v), v.sum(), np.where(v.real > 0, v, 0)

    special = np.array([0, 1, -1, 1j, -1j, 3 + 4j, 1e200, 1e-200j, np.inf], complex)
    with np.errstate(all="ignore"):
        assert_native(elements, (normal(9), normal(9)), (special[1:6], normal(5)))
        found = ag.jit(lambda a, b: (a / b, np.abs(a)))(special, special[::-1])
        np.testing.assert_allclose(found[0], special / special[::-1])
        np.testing.assert_allclose(found[1], np.abs(special))


def test_components_are_views_and_arrays_change_in_place():
    def change(a, v):
        a[0] = v * 1j
        a.real[1] = 5
        a[2].imag[:] += 1
        a[a.real > 0.5] *= 2
        a *= 2 - 1j
        return a.T.conj() @ v, np.vdot(v, v), a.imag[1], a.real.sum(), np.linalg.solve(a, v)

    assert_native(change, (normal(4, 4), normal(4)))


def test_complex_numbers_of_python_drive_loops():
    def escape(width, limit):
        counts = np.zeros((width, width), np.int32)
        for i in range(width):
            for j in range(width):
                z, c = 0j, complex(3 * i / width - 2, 2 * j / width - 1)
                while abs(z) <= 2 and counts[i, j] < limit:
                    z = z * z + c
                    counts[i, j] += 1
        return counts

    def sums(x):
        total = 0j
        for k in range(len(x)):
            total += x[k] * np.exp(-2j * np.pi * k / len(x)) / (1 + 1j)
        return total, total.real, total.conjugate(), x.astype(np.complex64)

    assert_native(escape, (8, 20))
    assert_native(sums, (normal(8),), (normal(9)[1:],))


def test_arrays_are_replaced_as_a_whole():
    def rounds(v, matrix, n):
        for i in range(n):
            v[:] = np.reshape(matrix @ v, v.shape) / (1 + i)
        v[i] = matrix[i, 0]
        return v.conj()

    assert_native(rounds, (normal(4), normal(4, 4), 3))


def test_numbers_as_arguments_and_division_by_zero():
    def divide(a, b):
        return a / b, a * b.real, abs(a), a == b, a**3

    assert_native(divide, (2 + 1j, 1 - 1j), (0.5j, np.complex64(2)))
    with pytest.raises(ZeroDivisionError):
        ag.jit(divide)(1j, 0j)


def test_powers_of_complex_numbers_of_python():
    def transform(x):
        n = len(x)
        found = np.zeros(n, complex)
        for k in range(n):
            for j in range(n):
                found[k] += x[j] * np.e ** (-2j * np.pi * k * j / n)
        return found, (1 + 2j) ** n, (0.5 + 1j * n) ** -1.5, 2.0 ** (1j * n)

    assert_native(transform, (np.linspace(-1, 1, 9),))


def test_powers_of_a_complex_zero_are_those_of_python():
    f = ag.jit(lambda c, x: c**x)
    for arguments in ((0j, 2.5), (0j, 0.0), (1j, -0.5)):
        assert f(*arguments) == pytest.approx(arguments[0] ** arguments[1])
    with pytest.raises(ZeroDivisionError):
        f(0j, -1.5)
    with pytest.raises(OverflowError):
        f(1e300 + 0j, 2.5)


EDGES = [-np.inf, np.inf, np.nan, 0.0, 2.0]


@pytest.mark.parametrize("function, args", [
    (lambda a: np.exp(a), (np.array([complex(a, b) for a in EDGES for b in EDGES]),)),
    (lambda a, b: a**b, (np.array([[0.5j], [2j], [0.5], [1 + 1j]]), np.array(EDGES))),
])  # fmt: skip
def test_exponentials_and_powers_at_infinity_are_those_of_numpy(function, args):
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(ag.jit(function)(*args), function(*args))


COMPONENTS = [
    0.0,
    -0.0,
    1.0,
    -3.0,
    2.5,
    30.0,
    88.8,
    709.9,
    1e3,
    1e30,
    -1e-30,
    np.inf,
    -np.inf,
    np.nan,
]
FORMULAS = {
    **{name: getattr(np, name) for name in ("sqrt", "log", "log2", "log10", "tan", "tanh")},
    **{name: getattr(np, name) for name in ("sign", "log1p", "expm1")},
    **{name: getattr(np, name) for name in ("sin", "cos", "sinh", "cosh", "exp", "reciprocal")},
    "x ** 0": lambda x: x**0, "x ** -1": lambda x: x**-1, "x ** 0.5": lambda x: x**0.5,
    "x ** 3": lambda x: x**3, "x ** 4": lambda x: x**4, "x ** -2": lambda x: x**-2,
    "x ** 99": lambda x: x**99,
}  # fmt: skip


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("name", FORMULAS)
def test_formulas_are_those_of_numpy_at_zeros_infinities_and_nan(name, dtype):
    assert_formula(FORMULAS[name], every_number(dtype))


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 5, -1, -2, 64, 99, -99, 1j])
def test_powers_with_computed_exponents_are_those_of_numpy(exponent, dtype):
    x = every_number(dtype)
    assert_formula(lambda x, y: x**y, x, np.full(x.shape, exponent, dtype))


def test_small_integers_as_exponents_of_a_number_of_python_give_its_products():
    power = ag.jit(lambda z, n: z**n)
    for exponent in (1, 2, 3, 5, 9):
        assert power(1j, exponent) == 1j**exponent
        assert power(1 - 3j, exponent) == (1 - 3j) ** exponent
    assert "native code" in power.inspect()


NEAR_EDGES = [complex(-0.0, 2.0), -3 + 0j, complex(0.5, -0.0), 2 - 1j, complex(1.0, -np.inf)]


@pytest.mark.parametrize("number", [complex, np.complex128, np.complex64])
def test_operators_with_real_numbers_are_those_of_complex_ones(number):
    """`z * 1.0` is `z * (1 + 0j)`: zeros get another sign, and infinities make NaN."""

    def operators(z):
        return z * 1.0, 1 * z, z / 1.0, z + 0.0, z - 0.0, 0.0 - z, z * True, z * 1j, z * (1 + 0j)

    compiled = ag.jit(operators)
    for z in map(number, (*NEAR_EDGES, complex(-0.0, -0.0))):
        with np.errstate(all="ignore"):
            assert repr(compiled(z)) == repr(operators(z))
    assert is_native(compiled)


def test_quotients_and_powers_of_numbers_of_python_are_those_of_python_to_the_last_digit():
    def quotients(z, x, n):
        by_constants = z**2, z**1, z**3, z**-1, z**-2, z**2.0, z**16, z**0
        return *by_constants, z / x, x / z, z / n, z**n, z**x, z / (x + 1j), (1 + 1j) ** n

    compiled = ag.jit(quotients)
    for z in NEAR_EDGES[:-1]:
        for x, n in ((2.5, 3), (-3.0, -2), (2.0, 1)):
            assert repr(compiled(z, x, n)) == repr(quotients(z, x, n))
    assert is_native(compiled)


def test_powers_of_infinite_numbers_of_python_raise():
    power = ag.jit(lambda z, n: z**n)
    assert power(2j, 3) == -8j
    with pytest.raises(OverflowError):
        power(complex(1.0, -np.inf), 1)


@pytest.mark.parametrize("exponent", [2, -1, 0.5, 1, np.float64(0.5), np.int64(-1), -1.0])
def test_powers_of_arrays_have_the_special_forms_of_numpy(exponent):
    """NumPy takes a square, a root or a reciprocal for some numbers as exponents."""

    def known(x):
        changed = x.copy()
        changed **= exponent
        return x**exponent, changed

    x = np.array([-0.0, complex(-np.inf, 0.0), complex(0.0, -np.inf), 2j, -3 + 2j])
    compiled, of_two = ag.jit(known), ag.jit(lambda x, y: x**y)
    with np.errstate(all="ignore"):
        assert repr(compiled(x)) == repr(known(x))
        assert repr(of_two(x, exponent)) == repr(x**exponent)
    assert is_native(compiled) and is_native(of_two)


def every_number(dtype):
    return np.array([complex(real, imag) for real in COMPONENTS for imag in COMPONENTS], dtype)


def assert_formula(function, x, *others):
    """Native code gives what NumPy gives, also the signs of zeros."""
    compiled = ag.jit(function)
    with np.errstate(all="ignore"):
        expected, actual = function(x, *others), compiled(x, *others)
    assert "native code" in compiled.inspect()
    for wanted, part in ((expected.real, actual.real), (expected.imag, actual.imag)):
        tolerance = 1e-5 if x.dtype == np.complex64 else 1e-12
        np.testing.assert_allclose(wanted, part, tolerance, 1e-30)
        is_zero = expected == 0
        assert np.array_equal(np.signbit(wanted[is_zero]), np.signbit(part[is_zero]))


def test_gates_change_halves_of_a_state_in_place():
    def gates(state, gate):
        for bit in range(6):
            halves = state.reshape(2 ** (5 - bit), 2, 2**bit)
            a, b = halves[:, 0].copy(), halves[:, 1].copy()
            halves[:, 0] = gate[0, 0] * a + gate[0, 1] * b
            halves[:, 1] = gate[1, 0] * a + gate[1, 1] * b
        return np.vdot(state, state).real

    assert_native(gates, (normal(64), normal(2, 2)))
