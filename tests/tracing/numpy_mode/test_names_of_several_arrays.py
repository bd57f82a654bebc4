"""Names that stand for one of several arrays in `jit`, and results that are tuples."""

import numpy as np
import pytest
from native_calls import is_native
from numpy_programs import assert_same_outcome
from test_jit import assert_same, check, outcome

import allograph as ag
from allograph.tracing.numpy_mode.storage import Storage

pytestmark = pytest.mark.slow

A, B = np.arange(6.0), np.arange(6.0) * 10


@pytest.mark.slow
def test_a_name_for_one_of_two_arrays_is_a_reference():
    def function(a, b, n):
        for step in range(n):
            source = a if step % 2 == 0 else b
            target = b if step % 2 == 0 else a
            for i in range(1, 5):
                target[i] = 0.5 * (source[i - 1] + source[i + 1])
            source[2:4] += 1
            source *= 2
        return source.sum()

    for n in (1, 2, 3):
        check(function, A, B, n)


@pytest.mark.slow
def test_a_result_is_the_argument_that_the_branch_returns():
    def function(a, b, limit):
        for i in range(6):
            if a[i] > limit:
                return b, i
            a[i] += 1
        return a, -1

    compiled = check(function, A, B, 3)
    for limit, expected in ((3, 1), (30, 0)):
        arguments = A.copy(), B.copy()
        assert compiled(*arguments, limit)[0] is arguments[expected]
    check(function, A, B, 30)


def test_a_name_that_a_later_iteration_gives_another_array_sees_its_changes():
    def function(a, b, n):
        seen, total = a, 0.0
        for i in range(n):
            b[0] = i
            total += seen[0]
            seen = b
        return total

    check(function, A, B, 3)


@pytest.mark.slow
def test_arrays_that_a_branch_exchanged_in_a_loop_are_those_that_change():
    def function(a, b, n):
        for _ in range(n):
            if n > 2:
                a, b = b, a
        b[0] = -1
        for i in range(4):
            a[i] += b[i + 1] + b[0]
        return a

    for n in (1, 3, 4):
        check(function, A, B, n)


def test_a_tuple_changes_in_a_loop():
    def function(a, n):
        pair = (a[0], n)
        for _ in range(n):
            pair = (pair[0] + 1.5, pair[1] * 2)
        return pair

    check(function, A, 4)


def test_an_assignment_to_a_transposed_array_changes_the_array():
    def function(m):
        m.T[1:3, 0] += 2
        m.T[...] = m.T[::-1]
        m.T[0] = 1

    check(function, np.arange(12.0).reshape(3, 4))


def test_an_array_returned_twice_keeps_one_memory():
    def function(a, n):
        b = a + 1
        if n > 0:
            return b, b
        return a, b

    one, other = ag.jit(function)(A, 1)
    assert one is other


@pytest.mark.slow
def test_an_array_may_be_assigned_to_a_view_of_itself():
    def function(a, m, n):
        for _ in range(n):
            a[::-1] = a
            m.T[...] = m
        b = a * 2
        b[::-1] = b
        return b

    check(function, A, np.arange(9.0).reshape(3, 3), 1)


@pytest.mark.slow
def test_a_new_array_in_each_iteration_is_no_argument():
    def function(m, d, n):
        b = np.ones(3)
        for _ in range(n):
            b = m @ b
            b = b / b.sum()
            d = np.minimum(d, b[0])
        return b, d

    check(function, np.arange(9.0).reshape(3, 3), A, 3)


@pytest.mark.slow
def test_rows_are_unpacked_and_lists_are_indices():
    def function(m):
        for i in range(m.shape[0]):
            x, y, z = m[i]
            m[i, 0] = x * y - z
        for k in range(2):
            m[[k, 2]] = m[[2, k]]
        return m[[0, 2]]

    check(function, np.arange(9.0).reshape(3, 3))


def test_names_that_are_one_array_at_the_end_of_each_way_are_one_afterwards():
    def after_a_loop(x, n):
        for _ in range(n):
            x = x * 2
            y = x
        y[0] = 100
        return x, y

    def after_branches(x, n):
        if n > 1:
            p = x * 2
            q = p
        else:
            q = x * 3
            p = q
        q[1] = 9
        return p

    for n in (1, 2):
        check(after_a_loop, A, n)
        check(after_branches, A, n)
    first, second = ag.jit(after_a_loop)(A.copy(), 2)
    assert first is second


def test_names_that_may_share_elements_after_a_statement_share_them():
    def in_one_branch(x, n):
        p = x * 2
        if n > 1:
            q = p[1:]
        else:
            q = x[1:] * 3
        q[0] = 9
        return p, q

    def in_both(x, n):
        if n > 1:
            p = x * 2
            q = p
        else:
            p = x * 3
            q = x * 4
        q[1] = 9
        return p, q

    for n in (1, 2):
        assert_same_outcome(in_one_branch, ag.jit(in_one_branch), (A, n))
        assert_same_outcome(in_both, ag.jit(in_both), (A, n))


def test_a_result_that_may_be_an_argument_or_new_is_that_argument():
    def stepped(y, z, n):
        k = 0
        while k < n:
            if k % 3 == 1:
                y = z
            elif k % 3 == 2:
                y = y + 1
            k += 1
        return y

    def shortened(x, n):
        for _ in range(n):
            if len(x) > 4:
                x = x[x > x.min()]
        return x

    for n in range(6):
        compiled = check(stepped, A, B, n)
        arguments = A.copy(), B.copy()
        found, wanted = (one(*arguments, n) for one in (compiled, stepped))
        assert [found is one for one in arguments] == [wanted is one for one in arguments]
    compiled = check(shortened, A, 3)
    few = A[:4].copy()
    assert compiled(few, 3) is few


@pytest.mark.slow
def test_an_early_return_from_a_loop_that_exchanges_arrays_is_native():
    def fixed_point(m, start, n):
        r = start
        for step in range(n):
            new = m @ r
            if np.abs(new - r).sum() < 1e-3:
                return new, step
            r = new
        return r, n

    def from_ones(m, n):
        return fixed_point(m, np.ones(len(m)), n)

    m = np.eye(3) / 2
    compiled = ag.jit(fixed_point)
    for n in (0, 1, 2, 50):
        check(from_ones, m, n)
        start = np.ones(3)
        found, expected = compiled(m, start, n), fixed_point(m, start, n)
        np.testing.assert_array_equal(found[0], expected[0])
        assert found[1] == expected[1]
        assert (found[0] is start) == (n == 0)
    assert is_native(compiled)


def test_returns_of_several_types_out_of_nested_loops_are_those_of_python():
    def searched(m, n, x):
        for row in range(3):
            for _ in range(2):
                found = m[row]
                for _ in range(n):
                    half = found * 0.5
                    if half[0] < x:
                        return half, x
                    found = half
                if n < 2:
                    return found
        return m, x, n

    for n, x in ((0, -1.0), (1, -1.0), (3, -1.0), (3, 1e6), (1, 1e6)):
        arguments = np.arange(1.0, 13.0).reshape(3, 4), n, x
        assert_same(outcome(ag.jit(searched), arguments), outcome(searched, arguments))


def test_a_storage_that_may_be_one_of_many_names_each_once():
    one, other = Storage(None), Storage(None)
    for _ in range(60):  # 2 ** 60 paths
        one, other = Storage(None, copy_of=[one, other]), Storage(None, copy_of=[one, other])
    assert len(one.roots()) == len(set(one.roots())) == 1 + 2 * 60
