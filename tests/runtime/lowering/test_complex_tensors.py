"""Graphs of complex tensors have native code, which gives what eager code does."""

import numpy as np
import pytest

import allograph as ag

NUMBERS = np.random.default_rng(0)
BOTH = pytest.mark.parametrize("dtype", ["complex64", "complex128"])
pytestmark = pytest.mark.slow


def normal(*shape, dtype="complex128"):
    return ag.cast(NUMBERS.normal(size=shape) + 1j * NUMBERS.normal(size=shape), dtype)


def assert_native(function, *arguments):
    """The function, as one kernel, gives what it gives eagerly."""
    actual = ag.function(function, jit_compile=True)(*arguments)
    expected = map(ag.convert_to_tensor, ag.nest.flatten(function(*arguments)))
    for one, other in zip(ag.nest.flatten(actual), expected, strict=True):
        assert one.dtype is other.dtype and one.shape == other.shape
        tolerance = 1e-4 if one.dtype.real_dtype is ag.float32 else 1e-11
        np.testing.assert_allclose(one, other, tolerance, tolerance)


@BOTH
def test_functions_of_elements(dtype):
    def elements(x, y):
        waves = ag.exp(x), ag.sqrt(x), ag.math.log(x), ag.cos(x), ag.tanh(x), 1 / y, x**3
        parts = ag.math.real(x), ag.math.imag(y), ag.math.conj(x), ag.abs(x), ag.math.angle(y)
        return *waves, *parts, x * y - x / y, ag.where(ag.abs(x) > 1.0, x, y), x == y

    assert_native(elements, normal(4, 3, dtype=dtype), normal(4, 3, dtype=dtype))
    assert_native(elements, normal(dtype=dtype), normal(dtype=dtype))


@BOTH
def test_sums_products_and_systems(dtype):
    def algebra(a, b):
        sums = ag.reduce_sum(a, axis=0), ag.reduce_mean(b), ag.cumsum(a, axis=1)
        return *sums, a @ b, ag.linalg.solve(a, b), ag.linalg.inv(a), ag.transpose(a)[1:]

    assert_native(algebra, normal(5, 5, dtype=dtype), normal(5, 5, dtype=dtype))


def test_loops_and_branches_carry_complex_numbers():
    def escape(c, limit):
        z, count = ag.zeros_like(c), 0
        while count < limit and ag.abs(z) <= 2.0:
            z = z * z + c
            count += 1
        if ag.math.imag(z) > 0.0:
            z = ag.math.conj(z)
        return z, count

    for c in (-0.1 + 0.2j, 0.4 - 0.6j, 2.5 + 0j):
        assert_native(escape, ag.constant(c), ag.constant(50))


def test_steps_of_a_wave():
    def steps(wave, potential, count):
        for _ in ag.range(count):
            bend = ag.roll(wave, 1, axis=0) - 2 * wave + ag.roll(wave, -1, axis=0)
            wave += 0.01j * (0.5 * bend - potential * wave)
        return wave, ag.reduce_sum(ag.abs(wave) ** 2)

    assert_native(steps, normal(40), normal(40), ag.constant(20))


def test_arrays_without_elements_and_constants_are_results():
    assert_native(lambda x: (x[:0], ag.zeros([2], ag.complex64), ag.constant(1j), x), normal(3))


def test_variables_hold_complex_numbers():
    total = ag.Variable(1 - 1j)

    @ag.function(jit_compile=True)
    def rotated(x):
        total.assign(total * x)
        return total.read_value()

    assert complex(rotated(ag.constant(1j))) == 1 + 1j
    assert complex(total.read_value()) == 1 + 1j


def test_what_has_no_form_of_pairs_runs_on_numpy():
    def spectrum(x):
        for _ in ag.range(3):
            x = x * (1 + 0.5j) - ag.math.conj(x) / 3
        return ag.math.imag(ag.signal.fft(x) * 2)

    x = normal(64)
    with pytest.raises(
        ag.errors.InvalidArgumentError, match="'fourier_transform' of complex numbers"
    ):
        ag.function(spectrum, jit_compile=True)(x)
    staged = ag.function(spectrum)
    for _ in range(60):
        found = staged(x)
    np.testing.assert_allclose(found, spectrum(x), 1e-12)


def test_products_signs_and_scattered_updates():
    def others(x, y):
        sums = ag.math.unsorted_segment_sum(x, [1, 0, 1], 2), ag.math.squared_difference(x, y)
        products = ag.reduce_prod(x, 0), ag.reduce_prod(x, keepdims=True), ag.reduce_prod(x[:1])
        guarded = ag.math.divide_no_nan(x, y - y), ag.math.multiply_no_nan(x, y - y)
        updated = ag.tensor_scatter_nd_update(x, [[1]], y[:1]), ag.scatter_nd([[1]], x[:1], [3, 5])
        return *sums, *products, *guarded, *updated, ag.sign(x), ag.math.rsqrt(x), ag.split(x, 5, 1)

    assert_native(others, normal(3, 5), normal(3, 5))


def test_gradients_of_loops():
    def loss(x, w, count):
        for _ in ag.range(count):
            x = x * w + ag.exp(x / 9) / (1.5 + ag.sqrt(w))
        return ag.reduce_sum(ag.abs(x) ** 2) + ag.math.imag(x[0] * x[1])

    def gradients(x, w, count):
        with ag.GradientTape() as tape:
            tape.watch([x, w])
            total = loss(x, w, count)
        return total, *tape.gradient(total, [x, w])

    assert_native(gradients, normal(6), normal(6), ag.constant(7))


def test_bits_of_complex_numbers_are_those_of_the_whole_number():
    x = normal(3, dtype="complex64")
    staged = ag.function(lambda x: ag.bitcast(x * 2, ag.int64) + 1)
    for _ in range(60):
        np.testing.assert_array_equal(staged(x), ag.bitcast(x * 2, ag.int64) + 1)
