"""What LLVM counts in 128 bits is divided by functions of our own."""

import ctypes

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("llvmlite")

import allograph as ag
from allograph.runtime.jit.loader import int128_division, llvm_backend, load

ROOM = """
declare i128 @__udivti3(i128, i128)
declare i128 @__umodti3(i128, i128)
define void @wide_division_of_a_test(i128* %p) {
  %q = getelementptr i128, i128* %p, i64 1
  %x = load i128, i128* %p
  %y = load i128, i128* %q
  %a = call i128 @__udivti3(i128 %x, i128 %y)
  %b = call i128 @__umodti3(i128 %x, i128 %y)
  store i128 %a, i128* %p
  store i128 %b, i128* %q
  ret void
}
"""


@pytest.fixture(scope="module")
def divided():
    code = llvm_backend.object_code(ROOM)
    assert int128_division.is_called(code)
    address = load.addresses(code, True)("wide_division_of_a_test")
    run = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)
    room = np.zeros(6, np.uint64)
    words = room[room.ctypes.data % 16 // 8 :]

    def divide(x, y):
        words[:4] = [x % 2**64, x >> 64, y % 2**64, y >> 64]
        run(words.ctypes.data)
        a, b, c, d = map(int, words[:4])
        return a | b << 64, c | d << 64

    return divide


WIDE = st.integers(0, 128).flatmap(lambda size: st.integers(0, 2**size - 1))


@given(WIDE, WIDE.filter(bool))
def test_quotients_and_rests_are_those_of_python(divided, x, y):
    assert divided(x, y) == divmod(x, y)


@pytest.mark.slow
def test_a_loop_up_to_and_with_its_limit_may_have_any_step():
    @ag.function(jit_compile=True)
    def summed(i, end):
        total = ag.constant(0, ag.int64)
        largest = i
        while i <= end:
            total += i * 3
            largest = ag.maximum(largest, i)
            i += 7
        return total, largest

    numbers = range(-100, 3001, 7)
    total, largest = summed(ag.constant(np.int64(-100)), ag.constant(np.int64(3000)))
    assert total.numpy() == 3 * sum(numbers)
    assert largest.numpy() == numbers[-1]
