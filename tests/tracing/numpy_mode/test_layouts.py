"""Arguments of `jit` with any strides: reversed, every second element, the order of Fortran."""

import numpy as np
import pytest
from test_jit import assert_same, is_native

import allograph as ag

BASE = np.arange(240.0)
LAYOUTS = {
    "reversed": lambda base: base[:12][::-1],
    "every second": lambda base: base[:24:2],
    "order of Fortran": lambda base: base[:12].reshape(3, 4).T,
    "inner columns": lambda base: base[:60].reshape(6, 10)[1:5, 2:9:3],
    "three axes": lambda base: base.reshape(4, 6, 10)[::2, ::-1, 3:5].transpose(1, 2, 0),
}


def add_up(a):
    a[1:] += a[:-1]
    return a.sum()


def expression(a):
    return np.sqrt(a) * 2 + a[..., ::-1]


def reshaped(a):
    flat = a.reshape(-1)
    flat[0] = -1
    return flat[1:], a


def views(a):
    a.T[0] = 5
    return a.T[1:], np.ascontiguousarray(a)


def arrays_of(result) -> list:
    return [one for one in (result if isinstance(result, tuple) else (result,)) if np.ndim(one)]


@pytest.mark.parametrize("function", [add_up, expression, reshaped, views])
@pytest.mark.parametrize("name", LAYOUTS)
def test_an_argument_of_any_layout_is_native(function, name):
    compiled = ag.jit(function)
    for _ in range(2):
        found_base, expected_base = BASE.copy(), BASE.copy()
        a = LAYOUTS[name](found_base)
        found, expected = compiled(a), function(LAYOUTS[name](expected_base))
        assert_same(found, expected)
        np.testing.assert_array_equal(found_base, expected_base)
        for one, other in zip(arrays_of(found), arrays_of(expected), strict=True):
            assert np.shares_memory(one, found_base) == np.shares_memory(other, expected_base)
    assert is_native(compiled), compiled.inspect()


def test_elements_that_share_memory_are_left_to_numpy():
    def function(a):
        a[0] = 1
        return a * 2

    windows = np.lib.stride_tricks.sliding_window_view
    compiled = ag.jit(function)
    found, expected = np.zeros(6), np.zeros(6)
    assert_same(
        compiled(windows(found, 3, writeable=True)), function(windows(expected, 3, writeable=True))
    )
    assert_same(found, expected)
    assert not is_native(compiled)


def test_a_new_array_of_the_order_of_an_argument_is_left_to_numpy_where_it_is_reshaped():
    def function(a):
        new = a + 1
        flat = new.reshape(-1)
        flat[0] = 99
        return new

    compiled, a = ag.jit(function), np.arange(12.0).reshape(3, 4).T
    assert_same(compiled(a), function(a))
    assert not is_native(compiled)


def test_ascontiguousarray_copies_what_is_not_contiguous():
    def function(a):
        b = np.ascontiguousarray(a.T)
        b[0, 1] = 7
        return a, b

    assert_same(ag.jit(function)(np.zeros((3, 3))), function(np.zeros((3, 3))))


def flattened(a):
    doubled = (a * 2).reshape(-1)
    rows = np.reshape(a + 1, (a.shape[0], -1)) @ np.ones((a.size // a.shape[0], 2))
    return doubled.sum(), rows, (a - 1).ravel()[1:3], (a + 2).flatten()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_new_arrays_are_read_in_another_shape(layout):
    compiled = ag.jit(flattened)
    a = LAYOUTS[layout](BASE)
    assert_same(compiled(a), flattened(a))
    assert is_native(compiled)


@pytest.mark.parametrize("layout", ["order of Fortran", "inner columns"])
def test_diagonals_of_new_arrays_change_and_are_read(layout):
    def diagonals(a):
        made = a * 2.0
        np.fill_diagonal(made, 7)
        return made, np.diag(a).sum(), np.diag(made, 1) * 2, np.diag(made, -1) * 2

    compiled = ag.jit(diagonals)
    a = LAYOUTS[layout](BASE)
    if layout == "inner columns":
        a = a.copy()[:, ::-1][:, ::-1]
    assert_same(compiled(a), diagonals(a))
    assert is_native(compiled)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_changes_in_another_shape_changes_as_in_numpy(layout):
    def changed(a):
        made = a * 2
        made.reshape(-1)[1] = 100
        return made

    a = LAYOUTS[layout](BASE)
    assert_same(ag.jit(changed)(a), changed(a))
