"""Slices of constant length at computed bounds have a known size."""

import numpy as np
import pytest

import allograph as ag
from allograph.runtime.lowering.integer_ranges.known_lengths import with_known_lengths
from allograph.runtime.passes.pipeline import optimize
from allograph.runtime.passes.propagate_shapes import with_inferred_shapes


def slices_after(function, *specs):
    """The operations that read or set slices in the graph of a function, after the pass."""
    concrete = ag.function(function, input_signature=specs).get_concrete_function()
    graph = with_inferred_shapes(with_known_lengths(optimize(concrete.frozen)))
    names = {"strided_slice", "set_item", "window", "set_window"}
    return [(node.op.name, node.output.shape) for node in graph.walk() if node.op.name in names]


X, N = ag.TensorSpec([100], ag.float64), ag.TensorSpec([], ag.int64)


def sums(x, first, last, length, dtype=ag.int64):
    total = ag.zeros([length], ag.float64)
    for i in ag.range(first, last, dtype=dtype):
        total = total + x[i : i + length]
    return total


@pytest.mark.parametrize(
    ("first", "last", "name"),
    [(0, 5, "window"), (0, 6, "strided_slice"), (-1, 5, "strided_slice")],
)
def test_a_slice_that_no_end_cuts_off_is_a_window(first, last, name):
    (found,) = slices_after(lambda x: sums(x, first, last, 96), X)
    assert found == (name, (96,) if name == "window" else (None,))


def test_bounds_may_be_integers_of_32_bits():
    (found,) = slices_after(lambda x: sums(x, 0, 5, 96, ag.int32), X)
    assert found == ("window", (96,))


def test_a_bound_that_is_not_known_leaves_the_slice_as_it_is():
    (found,) = slices_after(lambda x, n: x[n : n + 2], X, N)
    assert found[0] == "strided_slice"


def test_a_bound_that_wraps_around_is_not_known():
    def taken(x, factor):
        total = 0.0
        for i in ag.range(3):
            start = ag.minimum(i * factor, 50)
            total = total + ag.reduce_sum(x[start : start + 10])
        return total

    names = [slices_after(lambda x, by=by: taken(x, by), X)[0][0] for by in (3, 2**30)]
    assert names == ["window", "strided_slice"]  # 2 * 2**30 is negative in 32 bits
    x = ag.range(100.0)
    compiled = ag.function(lambda x: taken(x, 2**30), jit_compile=True)
    assert float(compiled(x)) == 45.0 + 545.0


@pytest.mark.slow
def test_patches_of_loops_are_what_they_are_in_numpy():
    def patches(image, kernel, out):
        size = kernel.shape[0]
        for i in range(out.shape[0]):
            for j in range(out.shape[1]):
                patch = image[i : i + size, j : j + size]
                out[i, j] = np.sum(patch * kernel)
                image[i : i + 1, j : j + 2] += patch[0, :2]

    generator = np.random.default_rng(0)
    arguments = [generator.random((9, 8)), generator.random((3, 3)), np.zeros((7, 6))]
    expected = [one.copy() for one in arguments]
    patches(*expected)
    compiled = ag.jit(patches)
    compiled(*arguments)
    for one, other in zip(arguments, expected, strict=True):
        np.testing.assert_allclose(one, other)
    (entry,) = compiled.jit_table.values()
    assert "minimum" not in entry.traced.executable.native.kernels[0].source


def test_operands_that_are_used_many_times_are_looked_at_once():
    """A number that is used twice in each of 60 steps: 2**60 ways lead to the first one."""

    def branch_after_steps(n):
        x = ag.cast(n, ag.float64)
        for _ in range(60):
            x, n = x * x - x, n + n // 3 * n
        return ag.cond(x > 0.0, lambda: x + 1.0, lambda: x) + ag.cast(n, ag.float64)

    assert slices_after(branch_after_steps, N) == []
