"""Native code writes into the memory of inputs that are donated."""

import threading

import numpy as np
import pytest

import allograph as ag
from allograph.runtime.executors.executable import Executable

pytestmark = pytest.mark.slow


def run(function, *arrays, donated):
    specs = [ag.TensorSpec(array.shape, ag.float64) for array in arrays]
    concrete = ag.function(function, input_signature=specs).get_concrete_function()
    graph = concrete.frozen.replace(donated=frozenset(donated))
    return Executable(graph, "native").native_results()(*arrays)


def test_results_are_in_the_memory_that_was_given_up():
    x, y = np.arange(4.0), np.ones(4)
    first, second = run(lambda x, y: (x + y, x * y), x, y, donated={(0, 0), (1, 1)})
    assert first is x
    assert second is y
    assert (x.tolist(), y.tolist()) == ([1, 2, 3, 4], [0, 1, 2, 3])


def test_a_result_that_belongs_elsewhere_is_copied():
    x = np.arange(4.0)
    doubled, tripled = run(lambda x: (x * 2, x * 3), x, donated={(0, 1)})
    assert doubled is not x
    assert (doubled.tolist(), tripled.tolist()) == ([0, 2, 4, 6], [0, 3, 6, 9])


def test_nothing_is_overwritten_where_something_may_fail_afterwards():
    def checked(x, i):
        y = x + 1
        return ag.tensor_scatter_nd_update(y, [[ag.cast(i, ag.int64)]], [0.0])

    x, i = np.arange(4.0), np.array(9.0)
    with pytest.raises((ArithmeticError, IndexError)):
        run(checked, x, i, donated={(0, 0)})
    assert x.tolist() == [0, 1, 2, 3]


def test_arguments_of_jit_change_without_copies():
    def smooth(a, b, steps):
        for _ in range(steps):
            b[1:-1] = a[:-2] + a[2:]
            a, b = b, a
        return a

    compiled = ag.jit(smooth)
    for steps in (2, 3):
        found, expected = [np.arange(8.0), np.ones(8)], [np.arange(8.0), np.ones(8)]
        assert compiled(*found, steps) is found[steps % 2]
        smooth(*expected, steps)
        np.testing.assert_array_equal(found, expected)
    (entry,) = compiled.jit_table.values()
    (kernel,) = entry.traced.executable.native.kernels
    assert "copy_elements" not in kernel.source


def increment(c, i):
    c[i] += 1


def exchange(c, i):
    c[i], c[i - 1] = c[i - 1], c[i]


def add_to_slice(c, i):
    c[i : i + 3] += c[: len(c[i : i + 3])]


def fill_from(c, i):
    c[i:] = 0


@pytest.mark.parametrize("function", [increment, exchange, add_to_slice, fill_from])
def test_what_checks_before_it_writes_copies_nothing(function):
    compiled = ag.jit(function)
    for i in (3, -1, 0):
        found, expected = np.arange(8.0), np.arange(8.0)
        compiled(found, i)
        function(expected, i)
        np.testing.assert_array_equal(found, expected)
    (entry,) = compiled.jit_table.values()
    assert not entry.traced.executable.native.kernels[0].fails_late
    (kernel,) = entry.traced.executable.native.kernels
    assert "copy_elements" not in kernel.source


def add_at_indices(c, i):
    c[i] += 1.5


def replace_at_indices(c, i):
    c[i] = 2.0


def accumulate_at_indices(c, i):
    np.add.at(c, i, 0.5)


@pytest.mark.parametrize("function", [add_at_indices, replace_at_indices, accumulate_at_indices])
def test_arrays_of_indices_are_checked_before_anything_is_written(function):
    compiled = ag.jit(function)
    found, expected = np.arange(8.0), np.arange(8.0)
    for indices in ([1, 3, -1, 3], [2, 2, 0, 1]):
        compiled(found, np.array(indices))
        function(expected, np.array(indices))
    for array in (found, expected):
        with pytest.raises(IndexError, match="index 8 is out of bounds for axis 0 with size 8"):
            (compiled if array is found else function)(array, np.array([4, 5, 8, 6]))
    np.testing.assert_array_equal(found, expected)
    (entry,) = compiled.jit_table.values()
    assert not entry.traced.executable.native.kernels[0].fails_late


def test_an_index_that_fails_beside_an_overwritten_input_leaves_it_alone():
    @ag.jit
    def add_picked(a, c, i):
        a += c[i]

    a, c = np.arange(4.0), np.arange(8.0)
    add_picked(a, c, np.array([1, 2, 3, 4]))
    with pytest.raises(IndexError):
        add_picked(a, c, np.array([1, 2, 9, 4]))
    assert a.tolist() == [1, 3, 5, 7]


def test_what_may_fail_midway_runs_again_from_the_start():
    @ag.jit
    def count(c, indices):
        for i in range(len(indices)):
            c[indices[i]] += 1

    counted = np.zeros(3)
    count(counted, np.array([0, 2, 2]))
    (entry,) = count.jit_table.values()
    assert entry.reason is None
    assert entry.traced.executable.native.kernels[0].fails_late
    with pytest.raises(IndexError):
        count(counted, np.array([0, 5, 2]))
    assert counted.tolist() == [2, 0, 2]


def test_threads_may_change_elements_of_one_array():
    @ag.jit
    def count(c, i, times):
        for _ in range(times):
            c[i] += 1

    counted = np.zeros(1000)
    count(counted, 0, 5)
    threads = [
        threading.Thread(target=lambda i=i: [count(counted, i, 5) for _ in range(200)])
        for i in (1, 2)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert counted[:4].tolist() == [5, 1000, 1000, 0]
