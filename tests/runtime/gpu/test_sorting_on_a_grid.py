"""Sorting, search, running sums, places of extremes and scattering by the threads of a grid."""

import numpy as np
import pytest
from test_grid_program import assert_as_on_the_cpu, program_of

import allograph as ag
from allograph.runtime.gpu import emulator
from allograph.runtime.gpu.grid import grid_scans, grid_scattering, grid_sorting

RANDOM = np.random.default_rng(3)
SHAPES = [(70,), (3, 41), (41, 3), (2, 37, 2), (1,), (65,)]
INDICES = np.array([0, 1, 1, 2, 2, 2, 3, 3], np.int32)


def integers(shape, dtype=np.float32):
    return RANDOM.integers(-5, 6, shape).astype(dtype)


def with_special_values(shape):
    x = integers(shape, np.float64)
    x[RANDOM.random(shape) < 0.2] = np.nan
    x[RANDOM.random(shape) < 0.2] = -0.0
    return x


@pytest.fixture
def long_lines(monkeypatch):
    """Lines of few elements go the ways of long ones."""
    monkeypatch.setattr(grid_sorting, "LONGEST", 1)
    monkeypatch.setattr(grid_sorting, "RUN", 4)
    monkeypatch.setattr(grid_scans, "SHORT", 8)
    monkeypatch.setattr(grid_scans, "MOST_CHUNKS", 5)


@pytest.mark.parametrize("direction", ["ASCENDING", "DESCENDING"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("numbers", [integers, with_special_values])
@pytest.mark.usefixtures("long_lines")
def test_runs_are_merged_in_long_lines(shape, direction, numbers):
    axis = int(np.argmax(shape))
    x = numbers(shape)
    assert_as_on_the_cpu(lambda x: (ag.sort(x, axis, direction), ag.argsort(x, axis, direction)), x)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.usefixtures("long_lines")
def test_long_lines_are_scanned_in_chunks(shape):
    axis, x = int(np.argmax(shape)), integers(shape)
    for exclusive in (False, True):
        for reverse in (False, True):
            assert_as_on_the_cpu(lambda x: ag.cumsum(x, axis, exclusive, reverse), x)  # noqa: B023
    assert_as_on_the_cpu(lambda x: ag.math.cumprod(x, axis), np.sign(x))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.usefixtures("long_lines")
def test_extremes_of_long_lines_are_looked_for_in_chunks(shape):
    axis = int(np.argmax(shape))
    assert_as_on_the_cpu(
        lambda x: (ag.argmax(x, axis), ag.argmin(x, axis)), with_special_values(shape)
    )


@pytest.mark.parametrize("shape", [(70,), (3, 41), (2, 3, 9)], ids=str)
@pytest.mark.parametrize("is_long", [False, True])
def test_the_largest_come_with_their_numbers(shape, is_long, request):
    if is_long:
        request.getfixturevalue("long_lines")
    assert_as_on_the_cpu(lambda x: ag.math.top_k(x, 3), with_special_values(shape))


@pytest.mark.parametrize("side", ["left", "right"])
def test_values_are_looked_for_by_bisection(side):
    rows = np.sort(with_special_values((3, 9)))
    values = with_special_values((3, 5))
    assert_as_on_the_cpu(lambda x, y: ag.searchsorted(x, y, side), rows, values)
    assert_as_on_the_cpu(lambda x, y: ag.searchsorted(x[0], y, side), rows, values)
    assert_as_on_the_cpu(lambda x: ag.searchsorted(x[0], 1.0, side), rows)


@pytest.mark.parametrize("is_by_element", [True, False])
@pytest.mark.parametrize("name", ["add", "sub", "max", "min", "update"])
def test_threads_share_what_is_scattered(name, is_by_element, monkeypatch):
    monkeypatch.setattr(grid_scattering, "MOST_LOOKS", 1 << 34 if is_by_element else 0)
    scatter = getattr(ag, f"tensor_scatter_nd_{name}")
    places = np.stack([INDICES, INDICES % 3], 1)
    assert_as_on_the_cpu(lambda x: scatter(ag.ones([5]), INDICES[:, None], x), integers(8))
    assert_as_on_the_cpu(
        lambda x, y: (scatter(x, INDICES[:, None], y), scatter(x, places, y[:, 0])),
        integers((5, 3)), integers((8, 3)),
    )  # fmt: skip


@pytest.mark.parametrize("is_by_element", [True, False])
def test_an_index_out_of_range_of_what_is_scattered_is_a_failure(is_by_element, monkeypatch):
    monkeypatch.setattr(grid_scattering, "MOST_LOOKS", 1 << 34 if is_by_element else 0)
    x = integers(8)
    program = program_of(
        lambda x, i: ag.tensor_scatter_nd_add(x, i[:, None], x), ag.constant(x), INDICES
    )
    _, status = emulator.run(program, [x, INDICES + 5])
    assert program.kernels[0].failure(status)[0].message == "tensor_scatter_nd_add"


def test_the_gradient_of_a_look_up_is_scattered():
    def gradient(table):
        with ag.GradientTape() as tape:
            tape.watch(table)
            total = ag.reduce_sum(ag.gather(table, INDICES) ** 2)
        return ag.convert_to_tensor(tape.gradient(total, table))

    assert_as_on_the_cpu(gradient, integers((5, 3)))


def test_indices_of_slices_without_elements_are_checked(gpu, hard):
    nothing = ag.zeros([3, 0])
    scattered = ag.function(lambda at: ag.scatter_nd(at[:, None], nothing, [3, 0]), device="GPU:0")
    assert scattered(ag.constant([2, 1, 0])).shape == [3, 0]
    with pytest.raises(ag.errors.OutOfBoundsError, match="index 7 is out of range"):
        scattered(ag.constant([2, 7, 0]))
