"""Operations without a form for the threads of a grid are computed by the host, between kernels."""

import numpy as np
import pytest

import allograph as ag

M = np.random.default_rng(0).random((3, 3)) + 3 * np.eye(3)
X = M[:2].astype(np.float32)


@pytest.fixture(autouse=True)
def _few_rows_are_many(monkeypatch):
    monkeypatch.setattr("allograph.library.linalg.emit_decompositions.OF_A_THREAD", 2)


def halved(m):
    for i in ag.range(3):
        if i % 2 == 0:
            m = ag.linalg.inv(m) + 1.0
        m = m * 0.5
    return m


def until_small(m):
    steps = 0
    while ag.linalg.det(m / 3.0) > 1e-3:
        m, steps = m * 0.8, steps + 1
    return m, steps


def slope(m):
    with ag.GradientTape() as tape:
        tape.watch(m)
        y = ag.reduce_sum(ag.linalg.inv(m) * m) + ag.reduce_sum(ag.abs(ag.signal.rfft(m)))
    return tape.gradient(y, m)


PROGRAMS = {
    "complex transforms": (lambda x: ag.signal.ifft(ag.signal.fft(ag.complex(x, x)) * 0.5), X),
    "real transforms": (lambda x: ag.signal.irfft(ag.signal.rfft(x * x) * 2.0), X),
    "large systems": (lambda m: ag.linalg.solve(m, ag.reshape(m[:2] * 2.0, [3, 2])), M),
    "vectors of LAPACK's signs": (lambda m: ag.linalg.eigh(m + ag.transpose(m)), M),
    "constant operands": (lambda m: ag.linalg.qr(np.ones((3, 2)))[1] @ m[:2] * 2.0, M),
    "branches in loops": (halved, M),
    "tests of loops": (until_small, M),
    "gradients": (slope, M),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_those_of_the_cpu(gpu, name):
    function, argument = PROGRAMS[name]
    x = ag.constant(argument)
    on_device = ag.nest.flatten(ag.function(function, device="GPU:0")(x))
    on_cpu = ag.nest.flatten(ag.function(function, device="CPU:0")(x))
    for own, other in zip(on_device, on_cpu, strict=True):
        assert own.device.endswith("GPU:0")
        scale = max(1.0, np.max(np.abs(other)))
        np.testing.assert_allclose(own.numpy(), other.numpy(), rtol=1e-5, atol=1e-6 * scale)


def test_what_fails_there_is_an_error_at_the_line(gpu):
    with pytest.raises(ag.errors.InvalidArgumentError, match="no inverse(?s:.*)inv\\(m \\* 0.0\\)"):
        ag.function(lambda m: ag.linalg.inv(m * 0.0) + 1.0, device="GPU:0")(ag.constant(M))


def test_explain_names_it(gpu):
    function = ag.function(lambda m: ag.linalg.inv(m) + 1.0, device="GPU:0")
    told = str(function.get_concrete_function(ag.constant(M)).explain())
    assert "inv of (3, 3): by the CPU, between kernels" in told


def test_a_function_with_nothing_for_threads_is_for_the_cpu(gpu):
    assert ag.function(ag.linalg.inv, device="GPU:0")(ag.constant(M)).device.endswith("CPU:0")


def test_without_soft_placement_it_is_an_error(gpu, hard):
    with pytest.raises(ag.errors.InvalidArgumentError, match="3 rows or columns, where a thread"):
        ag.function(lambda m: ag.linalg.inv(m) + 1.0, device="GPU:0")(ag.constant(M))
