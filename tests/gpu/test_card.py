"""What only a card can show. Elsewhere these tests are skipped, and say what is missing.

python tests/gpu/on_a_card.py --out FOLDER     # these and the benchmark, in eight minutes
ALLOGRAPH_DEVICE=emulated pytest -n 0 tests/gpu     # a dry run, on few elements
"""

import importlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from device_programs import OF_ARRAYS, OF_TENSORS, monte_carlo

import allograph as ag
from allograph.runtime.gpu.devices import cuda_driver
from allograph.runtime.gpu.devices.device_list import devices, is_emulated

IS_DRY = is_emulated()
MISSING = None if IS_DRY else cuda_driver.missing()
pytestmark = pytest.mark.skipif(MISSING is not None, reason=str(MISSING))
on_a_card = pytest.mark.skipif(IS_DRY, reason="the CPU emulates the device")
sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
of_gpu = importlib.import_module("of_gpu")
own = importlib.import_module("of_gpu.own")
LARGE = 1 << (6 if IS_DRY else 22)
MANY = 3 if IS_DRY else 1000


def few(argument):
    """An argument of a program: all of it on a card."""
    return argument[:9] if IS_DRY and np.size(argument) > 9 else argument


def run(function, *arguments, device, soft=False):
    """The results as arrays; where placement is not soft, none may be computed elsewhere."""
    ag.config.set_soft_device_placement(soft)
    try:
        results = ag.function(function, device=device)(*arguments)
    finally:
        ag.config.set_soft_device_placement(True)
    return [result.numpy() for result in ag.nest.flatten(results)]


def assert_as_on_the_cpu(function, *arguments, rtol=2e-6, soft=False):
    arguments = [ag.constant(argument) for argument in arguments]
    on_card = run(function, *arguments, device="GPU:0", soft=soft)
    on_cpu = run(function, *arguments, device="CPU:0")
    for own, other in zip(on_card, on_cpu, strict=True):
        assert own.dtype == other.dtype
        scale = max(1.0, np.max(np.abs(other), initial=0))  # of terms that may have canceled
        np.testing.assert_allclose(own, other, rtol=rtol, atol=1e-6 * scale)


@pytest.mark.parametrize("function", OF_TENSORS, ids=lambda one: one.__name__)
def test_programs_of_tensors_give_what_the_cpu_gives(function):
    if IS_DRY and function is monte_carlo:
        pytest.skip("too slow where the CPU emulates the device")
    assert_as_on_the_cpu(function, *map(few, OF_TENSORS[function]))


@pytest.mark.parametrize("function", OF_ARRAYS, ids=lambda one: one.__name__)
def test_programs_of_arrays_give_what_numpy_gives(function):
    def result(call):
        arguments = [
            np.copy(few(argument)) if np.ndim(argument) else argument
            for argument in OF_ARRAYS[function]
        ]
        return [call(*arguments), *arguments]

    on_card = ag.jit(function, device="gpu")
    for own, other in zip(result(on_card), result(function), strict=True):
        np.testing.assert_allclose(own, other, rtol=1e-6) if own is not None else None
    assert "native code" in on_card.inspect()


@pytest.mark.parametrize("size", [1, 255, 257, 1 << 12, LARGE + 3])
def test_sums_of_all_sizes_are_those_of_the_cpu(size):
    x = np.random.default_rng(size).random(size, np.float32)
    assert_as_on_the_cpu(lambda x: (ag.reduce_sum(x), ag.reduce_max(x), ag.argmax(x)), x, rtol=1e-4)


@pytest.mark.parametrize("shape", [(4096, 1024), (300, 5000), (16, 1 << 16)])
def test_a_softmax_of_rows_is_that_of_the_cpu(shape):
    shape = (9, 70) if IS_DRY else shape
    x = np.random.default_rng(0).random(shape, np.float32)
    assert_as_on_the_cpu(ag.nn.softmax, x, rtol=1e-5)


def test_a_sum_is_the_same_each_time():
    x = ag.constant(np.random.default_rng(0).random(LARGE, np.float32))
    total = ag.function(lambda x: ag.reduce_sum(ag.tanh(x)), device="GPU:0")
    assert len({float(total(x)) for _ in range(20)}) == 1


def test_loops_with_barriers_of_the_grid_end():
    def halved(x):
        while ag.reduce_sum(x) > 1.0:
            x = x * 0.5
        return x

    assert_as_on_the_cpu(halved, np.ones(LARGE, np.float32))


def test_elementary_functions_are_within_a_few_units_of_the_last_place():
    x = np.linspace(-20, 20, 10 * MANY + 1)
    for function in (ag.sin, ag.cos, ag.tanh, ag.exp, ag.math.erf, ag.math.log1p, ag.sqrt):
        positive = x - x.min() if function in (ag.math.log1p, ag.sqrt) else x
        assert_as_on_the_cpu(lambda x: function(x), positive, rtol=1e-14)  # noqa: B023 - called here


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_libraries_compute_between_kernels_is_that_of_the_cpu(dtype):
    size = 33 if IS_DRY else 300
    x = np.random.default_rng(0).random((2, size, size)).astype(dtype)
    m = x + size * np.eye(size, dtype=dtype)
    for function, argument in [
        (lambda x: ag.abs(ag.signal.fft2d(ag.complex(x, x * x))), x[:, :5]),
        (lambda x: ag.abs(ag.signal.ifft(ag.complex(x, x * x)) + 1.0), x[:, :5]),
        (lambda x: ag.abs(ag.signal.rfft(x * 2.0)), x[:, :5]),
        (lambda m: ag.linalg.cholesky(m + ag.linalg.matrix_transpose(m)), m),
        (lambda m: ag.linalg.solve(m, m[..., :3] * 2.0), m),
        (lambda m: ag.linalg.solve(m[0], m[1, :, :1] * 2.0), m),
    ]:
        rtol = 1e-4 if dtype == np.float32 else 1e-11
        assert_as_on_the_cpu(function, argument, rtol=rtol, soft=True)


def test_random_numbers_are_those_of_the_cpu():
    def drawn(seed):
        return ag.random.stateless_uniform([2 * MANY], seed), ag.random.stateless_normal([9], seed)

    assert_as_on_the_cpu(drawn, np.array([3, 4], np.int32))


def test_gradients_of_loops_are_those_of_the_cpu():
    def gradient(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = x
            while ag.reduce_sum(y) < 100.0:
                y = y * y
            total = ag.reduce_sum(y)
        return tape.gradient(total, x)

    assert_as_on_the_cpu(gradient, np.linspace(1.1, 2.0, MANY).astype(np.float32))


def test_memory_is_free_when_results_are_gone():
    (device, *_) = devices()
    double = ag.function(lambda x: x * 2.0, device="GPU:0")
    x = ag.constant(np.ones(LARGE, np.float32))
    double(x)
    before = device.in_use
    for _ in range(MANY):  # on a card, 16 GB in all
        double(x)
    assert device.in_use == before


def test_threads_call_at_the_same_time():
    double = ag.function(lambda x: x * 2.0, device="GPU:0")
    wrong = []

    def work(number):
        x = ag.constant(np.full(1000, number, np.float32))
        wrong.extend(number for _ in range(min(MANY, 50)) if double(x).numpy()[7] != 2 * number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


ENDLESS = """
import allograph as ag

@ag.function(device="GPU:0")
def endless(x):
    while x > 0.0:
        x = x * 1.0
    return x

print("ready", flush=True)
try:
    float(endless(ag.constant(1.0)))
except KeyboardInterrupt:
    print("ended", flush=True)
print(float(ag.function(lambda x: x * 2.0, device="GPU:0")(ag.constant(4.0))))
"""


@on_a_card
def test_ctrl_c_ends_a_kernel_that_has_no_end():
    child = subprocess.Popen(
        [sys.executable, "-c", ENDLESS], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=dict(os.environ),
    )  # fmt: skip
    assert child.stdout.readline() == "ready\n"
    time.sleep(5)
    child.send_signal(signal.SIGINT)
    start = time.perf_counter()
    assert child.stdout.readline() == "ended\n"
    assert time.perf_counter() - start < 1
    printed, error = child.communicate(timeout=30)
    assert (printed, child.returncode) == ("8.0\n", 0), error


def test_cupy_reads_a_tensor_in_place():
    cupy = pytest.importorskip("cupy")
    y = ag.function(lambda x: x * 2.0, device="GPU:0")(ag.constant([1.0, 2.0]))
    assert cupy.asarray(y).sum().item() == 6.0


@pytest.mark.parametrize("name", of_gpu.names(of_gpu.SMALL))
def test_programs_of_the_benchmark_give_what_the_cpu_gives(name):
    own.check(name, of_gpu.SMALL)
