"""NumPy raises for an index outside of an array also where nothing reads the result. So does the
native code, whatever is removed from it.
"""

import numpy as np
import pytest
from native_calls import is_native

import allograph as ag

NUMBERS = (1, 2, 1, 0, 3, 4, 5, 6, -1, -6, 20)
FUNCTIONS = {}


def with_unread_values(function):
    FUNCTIONS[function.__name__] = function
    return function


@with_unread_values
def an_array_that_a_loop_fills(m, n):
    b = np.zeros(5)
    for i in range(3):
        b[i] = m[n + i, 0]
    return m[0]


@with_unread_values
def an_array_that_is_overwritten_after_the_loop(m, n):
    b = np.zeros(5)
    for i in range(3):
        b[i] = m[n + i, 0]
    b[:] = 3.0
    return b


@with_unread_values
def an_array_that_the_outer_loop_overwrites(m, n):
    for _ in range(2):
        for i in range(3):
            m[i, 0] += m[n + i, 1]
        m[:] = 2.0
    return m


@with_unread_values
def an_array_that_branches_change(m, n):
    b = np.zeros(5)
    if n > 2:
        b[n] = 1
    else:
        b[1] = m[n + 3, n + 2]
    return m[0]


@with_unread_values
def an_array_of_nested_loops(m, n):
    b = np.zeros((3, 5))
    for i in range(3):
        for j in range(5):
            if m[i, j] > 4:
                b[i, j] = m[i + n - 2, j]
    return m.sum()


@with_unread_values
def complex_elements(m, n):
    b = np.zeros(4, complex)
    b[n]
    return m[0]


@with_unread_values
def a_complex_array_that_is_overwritten(m, n):
    b = np.zeros(5, complex)
    for i in range(3):
        b[i] = m[n + i, 0]
    b[:] = m[0] * 1j
    return b


@with_unread_values
def an_element_that_is_written_and_replaced(m, n):
    b = m[0].copy()
    b[n] = m[0, 0]
    b[n] = 2
    return b


@with_unread_values
def a_number_of_a_loop(m, n):
    s = 0
    for i in range(5):
        s += i // n
    return m[0]


@with_unread_values
def a_product_with_zero(m, n):
    k = np.arange(5)
    return k[n] * 0, 0 * k[n]


@with_unread_values
def the_other_row_of_a_stack(m, n):
    return np.stack([m[n], m[n + 1]])[0]


@with_unread_values
def the_first_row_of_slices(m, n):
    rows = m[n:]
    rows[0]
    return n


@with_unread_values
def the_slice_of_a_row_that_changes(m, n):
    while n > 0:
        n -= 1
        m[n, n] = 1
        after = m[n, n + 1 :]
        after[0]
    return m


@with_unread_values
def a_list_of_elements(m, n):
    rows = []
    for i in range(3):
        rows.append(m[n + i, 0])
    return len(rows)


@with_unread_values
def what_a_branch_continues(m, n):
    w = m[n, 0]
    if m[0, 1] > 0:
        w, n = w + 1, n + 1
    return n


@with_unread_values
def what_a_branch_of_a_loop_continues(m, n):
    count = 0
    for i in range(3):
        w = m[n + i, 0]
        if m[i, i] > 2:
            w += m[i, 0]
        else:
            count += 1
    return count


def outcome(function, n):
    m = np.arange(25.0).reshape(5, 5)
    try:
        result = repr(function(m, n))
    except (IndexError, ZeroDivisionError) as error:
        result = repr(error)
    return result, m.tolist()


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_a_value_that_nobody_reads_is_checked(function):
    compiled = ag.jit(function)
    expected = [outcome(function, n) for n in NUMBERS]
    assert [outcome(compiled, n) for n in NUMBERS] == expected
    assert any("Error" in result for result, _ in expected)
    assert is_native(compiled), compiled.inspect()
