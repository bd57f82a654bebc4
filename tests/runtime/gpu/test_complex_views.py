"""Complex numbers on a device: inputs and outputs are pairs of real numbers in the same memory."""

import numpy as np
import pytest

import allograph as ag

pytestmark = pytest.mark.usefixtures("hard")

Z = np.array([[1.0 + 2.0j, -0.5j], [3.0, 0.25 - 1.0j]])


def product(z):
    return z * z + 1j


def parts(z):
    return ag.math.real(z), ag.math.conj(z), ag.abs(z)


def escaping(c):
    z, n = c, 0
    while ag.reduce_sum(ag.abs(z)) < 50.0:
        z, n = z * z + c, n + 1
    return z, n


def unchanged(z):
    return z


def scalar(z):
    return ag.reduce_sum(z)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("function", [product, parts, escaping, unchanged, scalar])
def test_functions_of_complex_tensors_give_what_the_cpu_gives(gpu, function, dtype):
    z = ag.constant(Z.astype(dtype))
    on_device, on_cpu = (
        ag.nest.flatten(ag.function(function, device=device)(z)) for device in ("GPU:0", "CPU:0")
    )
    for own, other in zip(on_device, on_cpu, strict=True):
        assert own.device.endswith("GPU:0")
        assert (own.dtype, own.shape) == (other.dtype, other.shape)
        np.testing.assert_allclose(own.numpy(), other.numpy(), rtol=1e-5)


def test_jit_takes_complex_arrays_and_changes_them(gpu):
    @ag.jit(device="gpu")
    def turn(z, steps):
        for _ in range(steps):
            z[:] = z * 1j
        return z.sum()

    own, other = Z.copy(), Z.copy()
    before = gpu.copied_in
    total = turn(own, 3)
    assert gpu.copied_in > before
    np.testing.assert_allclose(own, other * -1j)
    np.testing.assert_allclose(total, (other * -1j).sum())


def test_variables_hold_complex_numbers(gpu):
    state = ag.Variable(Z)

    @ag.function(device="GPU:0")
    def step(z):
        state.assign_add(z)
        return state * 2.0

    result = step(ag.constant(Z))
    np.testing.assert_allclose(result.numpy(), Z * 4)
    np.testing.assert_allclose(state.numpy(), Z * 2)


@pytest.mark.parametrize("index", [np.s_[1:], np.s_[::-1], np.s_[..., 1:], np.s_[0, ...]])
def test_parts_of_inputs_are_parts_of_their_memory(gpu, index):
    sliced = ag.function(lambda z: (z[index], z[index] * 2.0), device="GPU:0")
    part, double = sliced(ag.constant(Z))
    np.testing.assert_array_equal(part.numpy(), Z[index])
    np.testing.assert_array_equal(double.numpy(), Z[index] * 2.0)
