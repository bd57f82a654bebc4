"""Nests that share rows: the lanes of a warp, a block or the grid share the elements of a row."""

import numpy as np
import pytest
from large_paths import set_to
from one_block import run_as_one_block
from test_grid_program import assert_as_on_the_cpu, numbers, program_of, source_of

import allograph as ag
from allograph.runtime.gpu import emulator
from allograph.runtime.gpu.grid import grid_nests, grid_rows
from allograph.runtime.gpu.grid_kernel import SUCCESS

WAYS = {
    "warps": {},
    "blocks": {"OF_A_WARP": 1},
    "the grid": {"OF_A_WARP": 1, "OF_A_CHUNK": 4},
}


@pytest.fixture(params=WAYS)
def way(request, monkeypatch):
    """How the threads share small rows, all of which are worth it."""
    for name, value in WAYS[request.param].items():
        monkeypatch.setattr(grid_rows if hasattr(grid_rows, name) else grid_nests, name, value)
    with set_to({"WORTH_SHARING_ROWS": 1, "SHORTEST_ROW": 1}):
        yield request.param


def layer_norm(x, scale):
    centered = x - ag.reduce_mean(x, axis=-1, keepdims=True)
    variance = ag.reduce_mean(centered * centered, axis=-1, keepdims=True)
    return centered / ag.sqrt(variance + 1e-3) * scale


def with_results_of_rows(x):
    most = ag.reduce_max(x, axis=1, keepdims=True)
    parts = ag.exp(x - most)
    return parts, most, ag.reduce_sum(parts * x, axis=1)


def of_all_but_the_first_axis(x):
    return x / ag.reduce_sum(x * x, axis=[1, 2], keepdims=True)


def with_a_part_that_is_broadcast(x, part):
    centered = part - ag.reduce_max(part, axis=[1, 2], keepdims=True)
    shifted = x + centered  # other lanes have stored what is read
    return shifted / ag.reduce_sum(shifted * shifted, axis=[1, 2], keepdims=True), centered


def between_axes(x):
    return x - ag.reduce_max(x, axis=1, keepdims=True) + ag.reduce_max(x, axis=2, keepdims=True)


def of_integers(x):
    return x // ag.reduce_max(x, axis=1, keepdims=True) - ag.reduce_min(x, axis=1, keepdims=True)


CASES = [
    (ag.nn.softmax, numbers(5, 70)),
    (ag.nn.softmax, numbers(2, 2, 33)),
    (layer_norm, numbers(3, 40), numbers(40)),
    (with_results_of_rows, numbers(3, 35, dtype=np.float64)),
    (of_all_but_the_first_axis, numbers(3, 5, 11)),
    (with_a_part_that_is_broadcast, numbers(2, 3, 20), numbers(2, 1, 20)),
    (between_axes, numbers(3, 5, 11)),
    (of_integers, np.abs(numbers(3, 34, dtype=np.int32)) + 1),
]


@pytest.mark.parametrize("case", CASES)
def test_results_are_those_of_the_cpu_on_every_grid(case, way):
    assert_as_on_the_cpu(*case)


def test_translated_code_gives_them_too(way):
    x = numbers(3, 70)
    (own,), status = run_as_one_block(program_of(ag.nn.softmax, ag.constant(x)), [x])
    assert status == SUCCESS
    np.testing.assert_allclose(own, ag.nn.softmax(ag.constant(x)), rtol=2e-6)


def test_a_nan_makes_its_own_row_nan(way):
    x = numbers(3, 40)
    x[2, 39] = np.nan
    assert_as_on_the_cpu(ag.nn.softmax, x)


def test_a_row_that_fails_is_noted(way):
    x = numbers(3, 34, dtype=np.int32)
    x[1] = 0
    outputs, status = emulator.run(program_of(of_integers, ag.constant(x)), [x])
    assert status != SUCCESS


def test_the_lanes_of_a_warp_read_neighbors():
    source = source_of(ag.nn.softmax, ag.constant(numbers(1024, 64)))
    assert source.count("for r in range(lane") == 3
    assert "block_barrier" not in source


def test_rows_of_all_leading_axes_are_for_a_warp_each():
    program = program_of(ag.nn.softmax, ag.constant(numbers(2, 4, 64, 65)))
    assert program.kernels[0].threads == 2 * 4 * 64 * 32
