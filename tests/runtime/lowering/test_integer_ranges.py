"""Indices that are never out of range have no check, and what cannot fail copies no arguments."""

import ctypes

import numpy as np
import pytest
from native_calls import is_native

import allograph as ag

pytestmark = pytest.mark.slow


class Proven:
    """Each changes elements of a vector `a`; no index is out of range."""

    def each_element(a):
        for i in range(len(a)):
            a[i] = a[i] * 2 + 1

    def running_sum(a):
        for i in range(1, len(a)):
            a[i] += a[i - 1]

    def from_behind(a):
        for i in range(len(a) - 2, -1, -1):
            a[i] += a[i + 1]

    def neighbors_around(a):
        for i in range(len(a)):
            a[i] += a[i - 1] + a[(i + 1) % len(a)]

    def every_third(a):
        for i in range(0, len(a) - 2, 3):
            a[i + 2] = a[i]

    def mirrored(a):
        i, j = 0, len(a) - 1
        while i < j:
            a[i], a[j] = a[j], a[i]
            i += 1
            j -= 1

    def bubbles(a):
        for i in range(len(a)):
            for j in range(len(a) - 1 - i):
                if a[j] > a[j + 1]:
                    a[j], a[j + 1] = a[j + 1], a[j]

    def insertions(a):
        for i in range(1, len(a)):
            x, j = a[i], i - 1
            while j >= 0 and a[j] > x:
                a[j + 1] = a[j]
                j -= 1
            a[j + 1] = x

    def multiples(a):
        for i in range(2, len(a)):
            for j in range(i * i, len(a), i):
                a[j] = -1.0

    def those_above(a):
        count = 0
        for i in range(len(a)):
            if a[i] > 0.5:
                a[count] = a[i]
                count += 1
        return count

    def partition(a):
        pivot, i = a[-1], 0
        for j in range(len(a) - 1):
            if a[j] <= pivot:
                a[i], a[j] = a[j], a[i]
                i += 1
        a[i], a[-1] = a[-1], a[i]
        return i

    def bisection(a):
        low, high = 0, len(a)
        while low < high:
            middle = (low + high) // 2
            if a[middle] < 0.5:
                low = middle + 1
            else:
                high = middle
            a[middle] += 1
        return low

    def clamped(a):
        for i in range(len(a)):
            a[min(i + 3, len(a) - 1)] += a[max(i - 3, 0)]

    def halves(a):
        first, last = a[: len(a) // 2], a[len(a) // 2 :]
        for i in range(len(first)):
            first[i], last[i] = last[i], first[i]

    def sums_in_blocks(a):
        for start in range(0, len(a), 8):
            block = a[start : start + 8]
            for i in range(1, len(block)):
                block[i] += block[i - 1]

    def heap(a):
        for start in range(len(a) // 2 - 1, -1, -1):
            root = start
            while 2 * root + 1 < len(a):
                child = 2 * root + 1
                if child + 1 < len(a) and a[child] < a[child + 1]:
                    child += 1
                if a[root] >= a[child]:
                    break
                a[root], a[child] = a[child], a[root]
                root = child

    def largest_last(a):
        for end in range(len(a) - 1, 0, -1):
            a[0], a[end] = a[end], a[0]
            root = 0
            while 2 * root + 1 < end:
                child = 2 * root + 1
                if child + 1 < end and a[child] < a[child + 1]:
                    child += 1
                if a[root] >= a[child]:
                    break
                a[root], a[child] = a[child], a[root]
                root = child

    def primes(a):
        i = 2
        while i * i < len(a):
            if a[i] > 0:
                a[i * i :: i] = -1.0
            i += 1

    def doubled_widths(a):
        width = 1
        while width < len(a):
            for start in range(0, len(a) - width, 2 * width):
                a[start] += a[start + width]
            width *= 2

    def sums_before(a):
        for i in range(1, len(a)):
            a[i] = np.sum(a[:i]) / i

    def sum_of_squares(a):
        total = 0
        for i in range(len(a)):
            total += i * i
            a[i] += total

    def sum_of_large_steps(a):
        total = 0
        for i in range(len(a)):
            inner = 0
            for _ in range(i):
                inner += 100_000
            total += inner
            a[i] += total

    def sums_in_branches(a):
        up, down = 0, 0
        for i in range(len(a)):
            if a[i] > 0.5:
                up += 1_000_000 * i
            else:
                down -= 2_000_000
            a[i] += up - down

    def bits_at_computed_places(a):
        for i in range(len(a)):
            bits = 0
            for k in range(20):
                bits |= ((i >> k) & 1) << 2 * k + 1
            a[i] += bits

    def sum_that_starts_anew(a):
        total = 0
        for i in range(len(a)):
            total += 1_000_000 * i
            if total > 100_000_000:
                total -= 100_000_000
            a[i] += total


@pytest.mark.parametrize("name", [name for name in vars(Proven) if name[0] != "_"])
def test_indices_that_are_never_out_of_range_are_not_checked(name):
    function = getattr(Proven, name)
    compiled = ag.jit(function)
    for seed in range(3):
        found = np.random.default_rng(seed).random(40)
        expected = found.copy()
        assert compiled(found) == function(expected)
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    (entry,) = compiled.jit_table.values()
    native = entry.traced.executable.native
    source = "".join(kernel.source for kernel in native.kernels)
    assert "wrapped_index" not in source
    assert "AssertionError" not in source
    assert not native.kernels[0].fails_late


class Checked:
    """Each has an index that is out of range at last, or for some arguments."""

    def one_too_far(a, k):
        for i in range(len(a)):
            a[i] = a[i + 1]

    def a_count_that_starts_later(a, k):
        count = 1
        for i in range(len(a)):
            if a[i] >= 0:
                a[count] = a[i]
                count += 1

    def steps_of_two(a, k):
        count = 0
        for i in range(len(a)):
            if a[i] >= 0:
                a[count] = a[i]
                count += 2

    def from_an_argument(a, k):
        for i in range(len(a)):
            a[i + k] = a[i]

    def limits_of_the_wrong_name(a, k):
        i = j = 0
        while i < len(a):
            a[j] += 1
            i += 1
            j += 1
            if i == len(a) - 1:
                i = 0

    def after_the_loop(a, k):
        i = 0
        while i < len(a) and a[i] >= 0:
            i += 1
        a[i] = 1.0

    def of_one_side(a, k):
        if k < len(a):
            i = k
        else:
            i = k + len(a)
        a[i] = 1.0

    def in_the_wrong_branch(a, k):
        if k < 0 or k >= len(a):
            a[k] = 1.0


@pytest.mark.parametrize("name", [name for name in vars(Checked) if name[0] != "_"])
def test_an_index_that_may_be_out_of_range_raises_as_in_numpy(name):
    function = getattr(Checked, name)
    compiled = ag.jit(function)
    for seed in range(2):
        found = np.random.default_rng(seed).random(10)
        expected = found.copy()
        with pytest.raises(IndexError) as told:
            function(expected, 12)
        with pytest.raises(IndexError, match=str(told.value)):
            compiled(found, 12)
        np.testing.assert_array_equal(found, expected)


def test_an_index_that_turns_out_to_be_a_constant_is_checked():
    @ag.jit
    def counted(a):
        count = 0
        for i in range(1, len(a), 2):
            for _ in range(len(a)):
                count += 1
            a[i] = a[count]
        return count

    a = np.arange(6.0)
    with pytest.raises(IndexError, match="index 6 is out of bounds for axis 0 with size 6"):
        counted(a)
    assert counted(np.arange(1.0)) == 0
    assert a.tolist() == [0, 1, 2, 3, 4, 5]


def test_what_a_loop_asserts_when_it_has_ended_is_not_relied_on():
    @ag.jit
    def spread(a, steps):
        for i in range(len(steps)):
            a[int(steps[i]) * 3 % len(a)] = 1.0

    a, steps = np.zeros(8), np.array([1, 2**62, 3])
    spread(np.zeros(8), np.arange(3))
    spread(a, steps)  # a Python integer of more than 64 bits, in the middle of the loop
    assert a.tolist() == [float(i in {int(s) * 3 % 8 for s in steps}) for i in range(8)]


def test_loops_nested_too_deeply_for_the_search_are_checked():
    lines = ["def nested(a):"]
    for depth in range(9):
        lines.append("    " * (depth + 1) + f"for i{depth} in range(len(a) - 1):")
    lines.append("    " * 10 + "a[" + " + ".join(f"i{depth}" for depth in range(9)) + "] += 1")
    scope: dict = {}
    source = "\n".join(lines)
    exec(compile(source, "nested", "exec"), scope)
    a = np.zeros(2)
    ag.jit(scope["nested"])(a)
    assert a.tolist() == [1, 0]


def test_an_index_in_bounds_of_tensors_is_not_checked():
    @ag.function(jit_compile=True)
    def sums(x):
        total = x[0]
        for i in ag.range(1, len(x)):
            total += x[i] * x[i - 1]
        return total

    x = ag.constant([1.0, 2.0, 3.0])
    assert float(sums(x)) == 9.0
    (kernel,) = sums.get_concrete_function(x).executable.native.kernels
    assert "wrapped_index" not in kernel.source


class Guarded:
    """Each has indices in bounds for some values of its integer argument."""

    def scaled(a, n):
        for i in range(n):
            a[i] = 2 * a[i]

    def from_the_argument(a, n):
        for i in range(len(a) - n):
            a[i] += a[i + n]

    def of_a_matrix(a, n):
        m = a.reshape(4, 3)
        for i in range(1, n):
            for j in range(1, n - 1):
                m[i, j] += m[i - 1, j] - m[i, j + 1]

    def behind_another_loop(a, n):
        for i in range(len(a)):
            a[i] += 1
        for i in range(n, 0, -1):
            a[i] = a[i - 1]

    def of_a_maximum(a, n):
        m = max(min(n, 1000), 0)
        for i in range(m):
            a[i] -= 1

    def after_a_refusal(a, n):
        if n < 0:
            raise IndexError("too few")
        for i in range(n):
            a[i] -= 1


@pytest.mark.parametrize("name", [name for name in vars(Guarded) if name[0] != "_"])
def test_indices_of_arguments_are_checked_before_the_loop_and_each_where_one_is_out(name):
    function = getattr(Guarded, name)
    compiled = ag.jit(function)

    def outcome(of, n):
        a = np.arange(12.0)
        try:
            of(a, n)
        except IndexError as error:
            return str(error), a.tolist()
        return a.tolist()

    assert outcome(compiled, 3) == outcome(function, 3)
    (entry,) = compiled.jit_table.values()
    native = entry.traced.executable.native
    assert native.has_guards
    assert "wrapped_index" not in native.kernels[0].source
    for n in (0, 3, 11, 12, 13, 40, -1, -2, -13, 3, 2**31 - 1, -(2**31)):
        assert outcome(compiled, n) == outcome(function, n)
    assert is_native(compiled)


def test_a_loop_that_ends_before_its_index_is_out_of_range_runs_natively_without_guards():
    @ag.jit
    def position(a, n):
        for i in range(n):
            if a[i] > 4:
                return i
        return -1

    assert position(np.arange(8.0), 8) == 5
    compiled_calls = [position(np.arange(8.0), n) for n in (100, 4, 1000)]
    assert compiled_calls == [5, -1, 5]
    position.python_function = None  # which runs where native code leaves a call to it
    assert position(np.arange(8.0), 500) == 5


def test_functions_of_c_check_each_index():
    @ag.jit
    def total(a, n):
        found = 0.0
        for i in range(n):
            if a[i] < 0:
                break
            found += a[i]
        return found

    entry = total.as_cfunc("float64(float64[3], int64)")
    a = np.array([1.0, 2.0, -1.0])
    assert entry.ctypes(a.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), 100) == 3.0
