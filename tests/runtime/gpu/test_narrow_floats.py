"""float16 and bfloat16 on a device: rounded after each operation, as on the CPU."""

import numpy as np
import pytest

import allograph as ag
from allograph.runtime.core.errors import InvalidArgumentError
from allograph.runtime.gpu import ptx
from allograph.runtime.gpu.backend import of_number

RANDOM = np.random.default_rng(5)


@pytest.fixture(params=["float16", "bfloat16"])
def narrow(request):
    """The NumPy type."""
    if request.param == "bfloat16":
        pytest.importorskip("ml_dtypes")
    return ag.as_dtype(request.param).numpy_dtype


@pytest.fixture
def strict(gpu):
    """The device, for which a function that has no form there is an error."""
    ag.config.set_soft_device_placement(False)
    yield gpu
    ag.config.set_soft_device_placement(True)


def numbers(dtype, *shape, scale=4.0):
    return (RANDOM.standard_normal(shape) * scale).astype(dtype)


def assert_as_on_the_cpu(function, *arrays):
    """The same bits on the device as on the CPU."""
    expected = ag.function(function, device="CPU:0")(*arrays)
    results = ag.function(function, device="GPU:0")(*arrays)
    for own, other in zip(ag.nest.flatten(results), ag.nest.flatten(expected), strict=True):
        assert (own.dtype, own.shape) == (other.dtype, other.shape)
        assert own.device.endswith("GPU:0")
        assert own.numpy().tobytes() == other.numpy().tobytes()


def test_each_operation_is_rounded(strict, narrow):
    def polynomial(x, y):
        return x * y + x, x / 3.0 - y, x**2, x // y, x % y, -ag.abs(x), ag.sqrt(ag.abs(y)) * 0.1

    assert_as_on_the_cpu(polynomial, numbers(narrow, 50), numbers(narrow, 50))


def test_numbers_out_of_range_and_no_numbers_are_those_of_the_cpu(strict, narrow):
    with np.errstate(over="ignore"):
        edges = np.array([0.0, -0.0, np.inf, -np.inf, 6e-8, 1e-41, 65504.0, 3e38]).astype(narrow)
    assert_as_on_the_cpu(lambda x: (x + x, x * 0.5, x > 1.0, x == x, ag.minimum(x, 1.0)), edges)
    kept = ag.function(lambda x: x * 1.0, device="GPU:0")(np.full(2, np.nan, narrow))
    assert np.isnan(kept.numpy()).all()


def test_types_become_others_with_one_rounding(strict, narrow):
    def converted(x, wide, count):
        to_narrow = [ag.cast(other, x.dtype) for other in (wide, count, x > 0)]
        return [*to_narrow, *(ag.cast(x, dtype) for dtype in ("float64", "int32", "bool"))]

    wide = RANDOM.standard_normal(200) * 10.0 ** RANDOM.integers(-9, 6, 200)
    assert_as_on_the_cpu(converted, numbers(narrow, 9), wide, np.arange(-5000, 5000, 7))


def test_sums_and_products_accumulate_in_float32(strict, narrow):
    def reduced(x, y):
        sums = [ag.reduce_sum(x, axis) for axis in (None, 0, 1)]
        return *sums, ag.reduce_mean(x), ag.reduce_max(x, 0), ag.matmul(x, y)

    assert_as_on_the_cpu(reduced, np.ones((300, 2), narrow), np.ones((2, 3), narrow))
    assert_as_on_the_cpu(lambda x, y: ag.matmul(x, y), numbers(narrow, 4, 7), numbers(narrow, 7, 3))


def test_what_moves_and_orders_elements_takes_them(strict, narrow):
    def moved(x, y):
        both = ag.concat([x, ag.where(x > y, x, y)], 0)
        padded = ag.pad(both, [[1, 1], [0, 0]], constant_values=1.5)
        return padded[::-1, 1:], ag.sort(x), ag.argmax(x, 1), ag.gather(y, [2, 0])

    assert_as_on_the_cpu(moved, numbers(narrow, 3, 5), numbers(narrow, 3, 5))


def test_loops_and_branches_carry_them(strict, narrow):
    def settle(x):
        steps = 0
        while ag.reduce_sum(x) > 1.0:
            x = x * 0.75
            steps += 1
        return (x + 1.0 if x[0] > 0.125 else x), steps

    assert_as_on_the_cpu(settle, np.ones(6, narrow))


def test_variables_of_them_stay_on_the_device(strict, narrow):
    total = ag.Variable(np.zeros(3, narrow))

    @ag.function(device="GPU:0")
    def add(x):
        total.assign_add(x * 0.5)

    for _ in range(3):
        add(np.ones(3, narrow))
    assert total.device.endswith("GPU:0")
    assert (total.dtype, total.numpy().tolist()) == (ag.as_dtype(narrow), [1.5] * 3)


def test_gradients_of_loops_save_them(strict, narrow):
    x = ag.constant(np.array([1.5, 2.0], narrow))

    def gradient(device):
        @ag.function(device=device)
        def squared(x):
            while ag.reduce_sum(x) < 30.0:
                x = x * x
            return x

        with ag.GradientTape() as tape:
            tape.watch(x)
            y = squared(x)
        return tape.gradient(y, x).numpy().tolist()

    assert gradient("GPU:0") == gradient("CPU:0")


def test_what_the_cpu_adds_up_in_the_narrow_type_is_refused(strict, narrow):
    running = ag.function(ag.cumsum, device="GPU:0")
    with pytest.raises(InvalidArgumentError, match=f"'cumsum' of {narrow.name}"):
        running(np.ones(5, narrow))


def test_the_arithmetic_of_the_card_is_used_where_it_rounds_alike(gpu, narrow):
    triple = ag.function(lambda x: x * 3.0, device="GPU:0")
    graph = triple.get_concrete_function(np.ones(4, narrow)).executable.graph
    (kernel,) = of_number("0").of_graph(graph).program.kernels
    assert ("mul.rn.f16" in ptx.ptx(kernel)) == (narrow.name == "float16")
