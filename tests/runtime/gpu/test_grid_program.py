"""Programs as kernels of a grid: results are those of the CPU, and the same for every grid."""

import numpy as np
import pytest

import allograph as ag
from allograph.runtime.executors.compile_pipeline import native_forms
from allograph.runtime.gpu import emulator
from allograph.runtime.gpu.grid import grid_products
from allograph.runtime.gpu.grid.grid_program import DEVICE, grid_program
from allograph.runtime.gpu.grid_kernel import SUCCESS
from allograph.runtime.lowering.not_native import NotNativeError

GRIDS = [(1, 1), (2, 4), (4, 2)]
RANDOM = np.random.default_rng(1)


def numbers(*shape, dtype=np.float32):
    if np.dtype(dtype).kind == "f":
        return RANDOM.standard_normal(shape).astype(dtype)
    return RANDOM.integers(-9, 9, shape).astype(dtype)


def program_of(function, *arguments):
    """The grid program of a graph."""
    executable = ag.function(function).get_concrete_function(*arguments).executable
    *_, form = native_forms(executable.graph, None, DEVICE)
    return grid_program(form.program)


def source_of(function, *arguments):
    return program_of(function, *arguments).kernels[0].code.source


def assert_as_on_the_cpu(function, *arguments):
    """The outputs on each grid are those of NumPy, and the same to the last bit."""
    arguments = [ag.constant(one) for one in arguments]
    program = program_of(function, *arguments)
    graph = ag.function(function)
    expected = [np.asarray(one) for one in ag.nest.flatten(graph(*arguments))]
    first = None
    for grid in GRIDS:
        outputs, status = emulator.run(program, [one.numpy() for one in arguments], *grid)
        assert status == SUCCESS
        first = first or outputs
        for own, other, wanted in zip(outputs, first, expected, strict=True):
            np.testing.assert_array_equal(own, other)
            assert own.dtype == wanted.dtype
            np.testing.assert_allclose(own, wanted, rtol=2e-6, atol=2e-6)
    return program


def settle(x):
    n = 0
    while ag.reduce_sum(x) > 1.0:
        x = ag.tanh(x) * 0.9
        n += 1
    return x, n


def swap(x, y):
    for _ in ag.range(5):
        x, y = y * 0.5, x + 1.0
    return x, y


def heat(x):
    for _ in ag.range(3):
        inner = 0.25 * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:])
        x = ag.pad(inner, [[1, 1], [1, 1]])
    return x


def either(x):
    if ag.reduce_sum(x) > 0.0:
        y = x * 2.0
        z = ag.reduce_max(y)
    else:
        y = x - 1.0
        z = ag.reduce_min(y)
    return y + z, z


def collatz(starts):
    def steps(n):
        count = n * 0
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            count += 1
        return count

    return ag.map_fn(steps, starts)


def quadratic(x):
    for _ in ag.range(20):
        x = 3.7 * x * (1.0 - x)
    return x


def recurrence(x):
    def step(h, row):
        return ag.tanh(h * 0.5 + row)

    h = ag.zeros([3])
    for row in x:
        h = step(h, row)
    return h


def softmax(x):
    return ag.nn.softmax(x)


MATRIX, LONG = numbers(5, 7), numbers(3000)

PROGRAMS = [
    (lambda x: ag.tanh(x) * 2.0 + x, MATRIX),
    (lambda x, y: x[:, None] * y, numbers(4), numbers(6)),
    (lambda x: ag.reduce_sum(x), LONG),
    (lambda x: ag.reduce_sum(x), numbers(9_000)),
    (lambda x: ag.reduce_max(x), numbers(5_000, dtype=np.float64)),
    (lambda x: (ag.reduce_mean(x), ag.reduce_prod(x)), MATRIX),
    (lambda x: ag.reduce_sum(x, axis=0), MATRIX),
    (lambda x: ag.reduce_sum(x, axis=1), numbers(3, 500)),
    (lambda x: (ag.reduce_sum(x, axis=1), ag.reduce_max(x, axis=1)), numbers(5, 40)),
    (lambda x: ag.reduce_any(x == 8, axis=1), numbers(9, 33, dtype=np.int8)),
    (lambda x: ag.reduce_min(x, axis=0, keepdims=True), numbers(500, 3)),
    (lambda x: ag.reduce_sum(x, keepdims=True), MATRIX),
    (lambda x: x / ag.reduce_sum(x * x), MATRIX),
    (lambda x: ag.reduce_any(x > 1.0), MATRIX),
    (lambda x: ag.argmax(x), numbers(50)),
    (lambda x: ag.argmax(x, axis=1), MATRIX),
    (lambda x: x[1:4, ::2], MATRIX),
    (lambda x: x[2] + x[-1], MATRIX),
    (lambda x, i: x[i], MATRIX, np.int32(3)),
    (lambda x, i: ag.gather(x, i), numbers(9), np.array([1, 8, 0, 1], np.int32)),
    (lambda x: ag.transpose(x) + 1.0, MATRIX),
    (lambda x: ag.concat([x, x * 2.0], axis=1), MATRIX),
    (lambda x: ag.stack([x, x + 1.0]), MATRIX),
    (lambda x: ag.reshape(x, [7, 5]) * 2.0, MATRIX),
    (lambda x: ag.cumsum(x, axis=0), MATRIX),
    (lambda x: ag.cumsum(x, axis=1, exclusive=True, reverse=True), MATRIX),
    (lambda x, y: x @ y, MATRIX, numbers(7, 4)),
    (lambda x, y: ag.matmul(x, y, transpose_a=True), MATRIX, numbers(5, 4)),
    (lambda x: x // 3 + x % 4, numbers(30, dtype=np.int64)),
    (lambda x, y: ag.floor(x / y), numbers(30), numbers(30)),
    (lambda x: ag.sin(x) + ag.exp(x), numbers(30, dtype=np.float64)),
    (lambda n: n * 2 + 1, np.int32(5)),
    (settle, np.abs(numbers(12))),
    (swap, numbers(4), numbers(4)),
    (heat, numbers(6, 6)),
    (either, numbers(9)),
    (either, -np.abs(numbers(9))),
    (collatz, np.arange(1, 12, dtype=np.int64)),
    (quadratic, np.linspace(0.1, 0.9, 9)),
    (quadratic, np.float64(0.3)),
    (recurrence, numbers(4, 3)),
    (softmax, numbers(40, 64)),
]


@pytest.mark.parametrize("case", PROGRAMS)
def test_results_are_those_of_the_cpu_on_every_grid(case):
    assert_as_on_the_cpu(*case)


@pytest.mark.parametrize("axis", [0, 1, None])
def test_a_nan_is_the_extreme_wherever_it_is(axis):
    x = numbers(34, 33, dtype=np.float64)
    x[3, 32] = x[33, 0] = np.nan
    assert_as_on_the_cpu(lambda x: (ag.reduce_max(x, axis), ag.reduce_min(x, axis)), x)


def test_the_lanes_of_a_warp_add_up_in_registers():
    rows = source_of(lambda x: ag.reduce_sum(x, axis=1), ag.constant(numbers(9, 40)))
    assert "shuffled_down" in rows
    assert "barrier" not in rows
    assert "shared_array" not in rows


def test_warps_of_a_block_add_up_with_a_barrier_of_the_block():
    program = program_of(lambda x: ag.reduce_sum(x), ag.constant(LONG))
    one_warp, _ = emulator.run(program, [LONG], 2, 32)
    whole_block, _ = emulator.run(program, [LONG], 2, 256)
    np.testing.assert_array_equal(one_warp, whole_block)


PRODUCTS = [
    (lambda x, y: x @ y, numbers(8, 8), numbers(8, 16)),
    (lambda x, y: x @ y, numbers(9, 9), numbers(9, 17)),
    (
        lambda x, y: ag.matmul(x, y, transpose_a=True, transpose_b=True),
        numbers(9, 9), numbers(10, 9),
    ),
    (lambda x: x @ ag.transpose(x), numbers(9, 8)),
    (lambda x, y: x @ y, numbers(2, 8, 9), numbers(1, 9, 8)),
    (lambda x, y: x @ y, numbers(8, 9, dtype=np.int64), numbers(9, 8, dtype=np.int64)),
]  # fmt: skip


@pytest.mark.parametrize("tiles", [0, 128])
@pytest.mark.parametrize("case", PRODUCTS)
def test_a_block_computes_tiles_of_a_product(monkeypatch, case, tiles):
    monkeypatch.setattr(grid_products, "TILE", 8 if tiles else 4)
    monkeypatch.setattr(grid_products, "ENOUGH_TILES", tiles)
    monkeypatch.setattr("allograph.runtime.core.thresholds.SMALL_PRODUCT", 0)
    source = source_of(case[0], *map(ag.constant, case[1:]))
    assert "shared_array" in source
    assert ("lane_row + 4" in source) is (not tiles)  # a thread has several rows
    assert_as_on_the_cpu(*case)


def test_tiles_and_sums_share_a_block(monkeypatch):
    monkeypatch.setattr(grid_products, "TILE", 2)
    program = assert_as_on_the_cpu(
        lambda x, y: (x @ y, ag.reduce_sum(x @ y)), numbers(5, 3), numbers(3, 4)
    )
    assert program.kernels[0].lanes == 32


def test_products_of_few_rows_have_no_tiles(monkeypatch):
    monkeypatch.setattr("allograph.runtime.core.thresholds.SMALL_PRODUCT", 0)
    x = numbers(3, 40)
    assert "shared_array" not in source_of(lambda x: x @ ag.transpose(x), ag.constant(x))
    assert_as_on_the_cpu(lambda x: x @ ag.transpose(x), x)


SPECIAL = np.array([1.0, np.nan, 0.0, -0.0, np.inf, 1.0, -np.inf, 0.0, -2.0], np.float32)


@pytest.mark.parametrize("direction", ["ASCENDING", "DESCENDING"])
@pytest.mark.parametrize("x", [
    SPECIAL, numbers(5, 7), numbers(3, 4, 2, dtype=np.int64), RANDOM.random(9) < 0.5,
    np.array([3, 1, 3, 2, 1], np.uint8), np.zeros((0, 3)),
], ids=str)  # fmt: skip
def test_lines_are_sorted_as_on_the_cpu(x, direction):
    for axis in range(x.ndim):
        x = x.astype(np.int32) if x.dtype == bool else x
        assert_as_on_the_cpu(
            lambda x: (ag.sort(x, axis, direction), ag.argsort(x, axis, direction)),  # noqa: B023
            x,
        )
    if x is SPECIAL:
        (values, *_), _ = emulator.run(
            program_of(lambda x: ag.sort(x, 0, direction), ag.constant(x)), [x]
        )
        expected = ag.sort(ag.constant(x), 0, direction).numpy()
        assert np.signbit(values).tolist() == np.signbit(expected).tolist()


def test_elements_stay_in_registers_through_the_iterations_of_a_loop():
    source = source_of(quadratic, ag.constant(np.linspace(0.1, 0.9, 9)))
    assert source.index("for i in range(thread_index()") < source.index("while True")
    assert "barrier" not in source


def test_independent_iterations_run_one_thread_each():
    source = source_of(collatz, ag.constant(np.arange(1, 12)))
    assert source.index("thread_index()") < source.index("while True")


def test_they_need_no_barrier_of_the_grid():
    """So blocks that have ended leave their place to others, whose iterations may take longer."""
    program = program_of(collatz, ag.constant(np.arange(1, 5000)))
    (kernel,) = program.kernels
    assert not kernel.is_cooperative


def test_a_reduction_of_a_loop_goes_on_from_its_first_value():
    def total(n):
        result = 100
        for i in range(n):
            result = result + i
        return result

    assert_as_on_the_cpu(total, np.int32(10))


def test_large_programs_have_barriers_of_the_grid_and_small_ones_of_their_only_block():
    small = program_of(settle, ag.constant(numbers(9))).kernels[0]
    large = program_of(settle, ag.constant(LONG)).kernels[0]
    assert (small.one_block, small.is_cooperative) == (True, False)
    assert (large.one_block, large.is_cooperative) == (False, True)


def test_an_index_out_of_range_is_a_failure_and_the_first_is_noted():
    def pick(x, i):
        return ag.gather(x, i) * 2.0

    x, i = numbers(5), np.array([0, 4, 5, 9], np.int32)
    program = program_of(pick, ag.constant(x), ag.constant(i))
    _, status = emulator.run(program, [x, i])
    _, iteration = program.kernels[0].failure(status)
    assert iteration == 2


def test_what_has_no_form_is_named():
    with pytest.raises(NotNativeError, match="devices have no form of 'svd'"):
        program_of(lambda x: ag.linalg.svd(x), ag.constant(numbers(4, 4)))


def test_what_has_no_results_has_no_form_either():
    with pytest.raises(NotNativeError, match="print"):
        program_of(lambda x: ag.print(x), ag.constant(numbers(4)))


def test_complex_numbers_have_no_form_on_a_device():
    with pytest.raises(NotNativeError, match="complex64"):
        program_of(lambda x: x * 2.0, ag.constant(np.ones(3, np.complex64)))


def test_numbers_that_threads_add_up_in_turn_wait_for_those_who_read_the_ones_before():
    def halved(n, bits):
        rounds = 0
        while n > 1:
            total = 0
            for i in ag.range(n):
                total += (i ^ bits) & 3
            n = n // 2 - ag.cast(total < 0, ag.int32)
            rounds += total
        return n, rounds

    assert_as_on_the_cpu(halved, np.int32(50), np.int32(1))
    assert "chunk" in source_of(halved, *map(ag.constant, (np.int32(50), np.int32(1))))
