"""Random programs of products: native code computes what the operations do one by one."""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from large_paths import set_to

pytest.importorskip("llvmlite")

import allograph as ag

pytestmark = pytest.mark.slow
SIZES = st.sampled_from((1, 1, 2, 3, 4, 7, 8, 9, 16, 17, 33, 40, 70))
# Limits at which small products take the forms of large ones.
LIMITS = {
    "SMALL_PRODUCT": (0, 256),
    "PARALLEL_FROM": (1, 125_000),
    "CHUNK_COST": (1, 20, 50_000),
    "ROWS_OF_SUM": (1, 32),
    "LIBRARY_ALONE": (300, 5000, 1 << 18),
    "LIBRARY_SIDE": (3, 16),
    "HALVED_FROM": (5, 64),
    "TILED_FROM": (1000, 1 << 18),
    "IN_PLACE_FROM": (1000, 1 << 15),
}


@st.composite
def programs(draw):
    """The shapes of some matrices, and steps: operands by number, each as it is or transposed. A
    step appends its result.
    """
    lengths = draw(st.lists(SIZES, min_size=1, max_size=3))
    side = st.sampled_from(lengths)
    shapes = [(draw(side), draw(side)) for _ in range(draw(st.integers(1, 4)))]
    given_shapes, steps = tuple(shapes), []
    for _ in range(draw(st.integers(1, 6))):
        choices = [
            ("product", one, turned, other, across)
            for one, left in enumerate(shapes)
            for turned in (False, True)
            for other, right in enumerate(shapes)
            for across in (False, True)
            if left[0 if turned else 1] == right[1 if across else 0]
        ]
        choices += [("squashed", one) for one in range(len(shapes))]
        choices += [("row", one) for one in range(len(shapes))]
        choices += [
            ("sum", one, other)
            for one, left in enumerate(shapes)
            for other, right in enumerate(shapes)
            if left == right
        ]
        step = draw(st.sampled_from(choices))
        steps.append(step)
        shapes.append(_shape_of(step, shapes))
    # A loop carries the first matrix: what has its shape in the end becomes the next one.
    alike = [number for number, shape in enumerate(shapes) if shape == shapes[0]]
    carried = draw(st.none() | st.sampled_from(alike))
    return given_shapes, tuple(steps), carried


def _shape_of(step, shapes) -> tuple[int, int]:
    if step[0] != "product":
        rows, columns = shapes[step[1]]
        return (1, columns) if step[0] == "row" else (rows, columns)
    _, one, turned, other, across = step
    return shapes[one][1 if turned else 0], shapes[other][0 if across else 1]


def run(steps, matrices):
    values = list(matrices)
    for kind, one, *rest in steps:
        x = values[one]
        if kind == "product":
            turned, other, across = rest
            depth = x.shape[0 if turned else 1]
            product = ag.matmul(x, values[other], turned, across)
            values.append(product * (1 / math.sqrt(depth)))
        elif kind == "sum":
            values.append(x - 0.5 * values[rest[0]])
        else:
            values.append(ag.tanh(x) if kind == "squashed" else x[-1:])
    return values


def function_of(steps, carried):
    def once(*matrices):
        return run(steps, matrices)[len(matrices) :]

    def often(*matrices):
        state = matrices[0]
        for _ in ag.range(3):
            state = ag.tanh(run(steps, (state, *matrices[1:]))[carried])
        return [state]

    return once if carried is None else often


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(
    programs(),
    st.sampled_from(["float32", "float64"]),
    st.fixed_dictionaries({name: st.sampled_from(limits) for name, limits in LIMITS.items()}),
    st.integers(0, 1000),
)
def test_random_products_compute_what_their_operations_do(program, dtype, limits, seed):
    shapes, steps, carried = program
    rng = np.random.default_rng(seed)
    matrices = [ag.constant(rng.uniform(-1, 1, shape).astype(dtype)) for shape in shapes]
    function = function_of(steps, carried)
    wanted = ag.function(function)(*matrices) if carried is not None else function(*matrices)
    with set_to(limits):
        found = ag.function(function, jit_compile=True)(*matrices)
    close = 2e-4 if dtype == "float32" else 1e-11
    for one, other in zip(found, wanted, strict=True):
        scale = 1 + np.abs(other.numpy()).max()
        np.testing.assert_allclose(one.numpy() / scale, other.numpy() / scale, atol=close)
