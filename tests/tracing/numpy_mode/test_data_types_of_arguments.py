"""Arrays of equal data types whose bytes or numbers are others, in any order of calls."""

import itertools

import numpy as np
import pytest

import allograph as ag

FLOATS = ["f8", ">f8", "f8"]
INTEGERS = ["i8", ">i8", "i4", ">i4", np.longlong, np.ulonglong, np.uint64, np.intc]


def copies(a):
    return a.copy(), np.zeros_like(a), a.dtype, a.dtype == np.dtype(a.dtype.type), a.dtype.char


def numbers(a):
    return a[0], a.sum(), a + 1, a[0] * 2, a[a > 1], np.sort(a)


def change(a):
    a[1] += 2
    return a


def of_a_global(a):
    return OUTER.copy(), OUTER[1] + a


OUTER = np.arange(4)


def outcome(function, array):
    globals()["OUTER"] = given = array.copy()
    return repr((function(given), given))


@pytest.mark.parametrize("function", [copies, numbers, change, of_a_global])
@pytest.mark.parametrize("types", [*itertools.permutations(FLOATS, 2),
                                   *itertools.permutations(INTEGERS, 2)][::3])  # fmt: skip
def test_another_byte_order_or_class_of_numbers_is_another_data_type(function, types):
    compiled = ag.jit(function)
    for dtype in (*types, *types):
        array = np.arange(4).astype(dtype)
        assert outcome(compiled, array) == outcome(function, array), dtype


@pytest.mark.parametrize("dtype", [np.longlong, np.ulonglong, ">i8", ">f4"])
def test_a_data_type_that_native_code_has_not_is_left_to_numpy_where_it_is_named(dtype):
    def named(a):
        return np.zeros(2, dtype), a.astype(dtype), np.asarray(a, dtype), a[0].astype(dtype)

    compiled = ag.jit(named)
    for _ in range(2):
        assert repr(compiled(np.arange(3))) == repr(named(np.arange(3)))


def test_an_array_of_another_class_of_numbers_is_a_tensor():
    doubled = ag.function(lambda x: x * 2, jit_compile=True)
    for dtype in (np.int64, np.longlong, np.int64):
        assert doubled(np.arange(3).astype(dtype)).numpy().tolist() == [0, 2, 4]
