"""Elements of views are read and written where they are in the array: no copy of the view."""

import inspect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import allograph as ag

pytestmark = pytest.mark.slow


class Programs:
    """Each changes elements of views of `a`, of `n` elements, in a loop."""

    def tail(a, n):
        b = a[1:]
        for i in range(n - 1):
            b[i] += 3

    def every_second(a, n):
        b = a[::2]
        for i in range(n // 2):
            b[-i - 1] += i

    def reversed_elements(a, n):
        b = a[::-1]
        for i in range(n):
            b[i] = b[i - 1] + 1

    def slices_of_slices(a, n):
        c = a[1:-1][::2][::-1]
        for i in range(len(c)):
            c[i] += i

    def whole(a, n):
        b = a[:]
        for i in range(n):
            b[i] += 1

    def computed_bounds(a, n):
        b = a[n // 4 : 3 * n // 4]
        for i in range(n // 2):
            b[i] += b[i - 1]

    def computed_start(a, n):
        for k in range(3):
            b = a[k:]
            for i in range(n - k):
                b[i] += k

    def computed_step(a, n):
        for k in range(1, 4):
            b = a[::k]
            for i in range(n // 4):
                b[i] -= k

    def rows(a, n):
        grid = a.reshape(4, -1)
        for i in range(4):
            row = grid[i]
            for j in range(n // 4):
                row[j] += i

    def rows_of_iteration(a, n):
        for row in a.reshape(4, -1):
            for j in range(n // 4):
                row[j] += j

    def part_of_rows(a, n):
        grid = a.reshape(4, -1)
        for k in range(4):
            row = grid[k, 1:]
            for j in range(n // 4 - 1):
                row[j] = row[j - 1] + 1

    def column(a, n):
        column = a.reshape(-1, 4)[:, 1]
        for i in range(n // 4):
            column[i] += 2

    def items_of_rows(a, n):
        grid = a.reshape(-1, 4)
        for i in range(n // 4):
            for j in range(4):
                grid[i][j] = grid[i - 1][j] + 1

    def new_axis(a, n):
        b = a[:, None]
        for i in range(n):
            b[i, 0] += 1

    def transposed(a, n):
        grid = a.reshape(4, -1).T
        for i in range(n // 4):
            for j in range(4):
                grid[i, j] += j

    def moved_axes(a, n):
        b = np.moveaxis(a.reshape(2, 2, -1), 2, 0)
        for i in range(n // 4):
            b[i, 1, 0] += 1

    def shape_of_slice(a, n):
        b = a[::2].reshape(-1, 4) if n < 0 else a[4:-4].reshape(4, -1)
        for i in range(n // 4 - 2):
            b[1, i] += i

    def raveled(a, n):
        b = a.reshape(4, -1).ravel()
        for i in range(n):
            b[i] += 3

    def flat(a, n):
        grid = a.reshape(4, -1)
        for i in range(n):
            grid.flat[i] += i

    def at_least_two_axes(a, n):
        b = np.atleast_2d(a)
        for i in range(n):
            b[0, i] += 1

    def exchanged(a, n):
        x, y = a[: n // 2], a[n // 2 :]
        for i in range(n // 2):
            x[i], y[i] = y[i], x[i]

    def branch(a, n):
        b = a[1:]
        for i in range(n - 1):
            if b[i] < 3:
                b[i] += 1
            else:
                b[i] = 0

    def read_while_written(a, n):
        b = a[1:]
        for i in range(n - 2):
            a[i] = b[i] + b[i + 1]

    def set_rows(a, n):
        grid = a.reshape(-1, 4)
        later = grid[1:]
        for i in range(n // 4 - 1):
            later[i] = grid[i]

    def index_arrays(a, n):
        b, places = a[1:], np.array([0, 2, 1])
        for i in range(n // 3 - 1):
            b[places + 3 * i] += 1

    def index_arrays_of_rows(a, n):
        grid, places = a.reshape(-1, 4), np.array([3, -3])
        for i in range(n // 4):
            grid[i][places] = i

    def windows_of_a_part(a, n):
        grid = a[: n - n % 16].reshape(-1, 4)
        for i in range(1, n // 4 - 1):
            for j in range(1, 3):
                grid[i, j] = grid[i - 1 : i + 2, j - 1 : j + 2].min()

    def kept_before_it_is_overwritten(a, n):
        for i in range(n - 4):
            kept = a[i + 2 : i + 4].copy()
            a[i + 2], a[i + 3] = a[i], a[i + 1]
            a[i], a[i + 1] = kept[0], kept[1]

    def object_that_holds_a_view(a, n):
        holder = Holder(a[1:])
        for i in range(n - 1):
            holder.increase(i)


class Holder:
    def __init__(self, view):
        self.view = view

    def increase(self, i):
        self.view[i] += 1


PROGRAMS = dict(inspect.getmembers(Programs, inspect.isfunction))
# These set several elements in a statement: rows, or elements at an array of indices.
SET_SEVERAL = ("set_rows", "index_arrays", "index_arrays_of_rows", "windows_of_a_part")


def source_of(compiled):
    entry = list(compiled.jit_table.values())[-1]
    assert entry.traced is not None, entry.reason
    (kernel,) = entry.traced.executable.native.kernels
    return kernel.source


@pytest.mark.parametrize("name", PROGRAMS)
def test_changes_of_views_copy_nothing(name):
    function, compiled = PROGRAMS[name], ag.jit(PROGRAMS[name])
    for n in (32, 48):
        found, expected = np.arange(float(n)), np.arange(float(n))
        compiled(found, n)
        function(expected, n)
        np.testing.assert_array_equal(found, expected)
        source = source_of(compiled)
        assert "copy_elements" not in source
        if name not in SET_SEVERAL:
            assert "new_array" not in source
            assert "in range(4" not in source.replace("in range(4)", "")


def set_item(a, lo, hi, i):
    b = a[lo:hi]
    for k in range(2):
        b[i + k] += 1


def set_of_reversed(a, lo, hi, i):
    b = a[hi:lo:-1]
    for k in range(2):
        b[i + k] += 1


def set_of_steps(a, lo, hi, i):
    b = a[lo::hi]
    for k in range(2):
        b[i + k] += 1


def set_element_of_rows(a, lo, hi, i):
    b = a.reshape(3, 4)[lo:hi, 1:].T
    for k in range(2):
        b[k, i] += 1


def set_by_indices(a, lo, hi, i):
    b, places = a[lo:hi], np.array([0, -1, 1])
    for k in range(2):
        b[places + i] += k + 1


def outcome(function, *arguments):
    try:
        return function(*arguments)
    except (IndexError, ValueError) as error:
        return type(error)


COMPILED = {one: ag.jit(one) for one in (
    set_item, set_of_reversed, set_of_steps, set_element_of_rows, set_by_indices
)}  # fmt: skip
bounds = st.integers(-14, 14)


@given(st.sampled_from(list(COMPILED)), bounds, bounds, st.integers(-5, 5))
def test_an_index_is_checked_against_the_size_of_the_view(function, lo, hi, i):
    found, expected = np.arange(12.0), np.arange(12.0)
    assert outcome(COMPILED[function], found, lo, hi, i) == outcome(function, expected, lo, hi, i)
    np.testing.assert_array_equal(found, expected)


def test_items_of_items_of_tensors_copy_no_rows():
    @ag.function(jit_compile=True)
    def increase(x):
        for i in ag.range(30):
            for j in ag.range(40):
                x[i][j] = x[i][j] + 1.0
        return x

    x = ag.zeros([30, 40])
    np.testing.assert_array_equal(increase(x), np.ones((30, 40)))
    (kernel,) = increase.get_concrete_function(x).kernels()
    assert kernel.source.count("for i1") <= 1  # the copy of the argument


def test_elements_of_one_of_two_tensors_copy_neither():
    @ag.function(jit_compile=True)
    def total(x, y):
        result = 0.0
        for i in ag.range(30):
            chosen = x if x[i] > 1.0 else y
            result += chosen[i]
        return result

    x, y = ag.cast(ag.range(30) % 3, ag.float32), ag.ones([30]) * 10.0
    assert float(total(x, y)) == 10 * 2 + 20 * 10
    (kernel,) = total.get_concrete_function(x, y).kernels()
    assert "copy_elements" not in kernel.source
    assert "new_array" not in kernel.source


def test_a_slice_of_which_a_loop_reads_windows_is_copied_once():
    def minima(image):
        inner, result = image[1:-1, 1:-1], np.zeros_like(image)
        for i in range(1, inner.shape[0] - 1):
            for j in range(1, inner.shape[1] - 1):
                result[i, j] = inner[i - 1 : i + 2, j - 1 : j + 2].min()
        return result

    image, compiled = np.random.default_rng(0).random((90, 90)), ag.jit(minima)
    np.testing.assert_array_equal(compiled(image), minima(image))
    assert source_of(compiled).count("range(88)") == 2  # rows and columns of the copy


def test_the_index_of_a_view_is_proven_by_what_is_read_before():
    def columns(a, n):
        grid = a.reshape(4, -1).T
        for i in range(n // 4):
            grid[i, 0] += 1
            grid[i, 1] += 2

    compiled, a = ag.jit(columns), np.zeros(32)
    compiled(a, 32)
    assert a.tolist() == [1.0] * 8 + [2.0] * 8 + [0.0] * 16
    (entry,) = compiled.jit_table.values()
    (kernel,) = entry.traced.executable.kernels()
    assert "wrapped_index" not in kernel.source  # one test before the loop
