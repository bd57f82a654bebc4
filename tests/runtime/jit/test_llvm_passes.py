"""What LLVM is asked to do with a module."""

import numpy as np
import pytest
from kernel_compilation import llvm_of

from allograph.runtime.jit.loader import llvm_backend

ROW = """
define void @add(double* noalias %x, double* noalias %y) {{
{lines}
  ret void
}}
!allograph.short_loops = !{{}}
"""
ELEMENT = """
  %a{i} = getelementptr double, double* %x, i64 {i}
  %b{i} = getelementptr double, double* %y, i64 {i}
  %c{i} = load double, double* %a{i}
  %d{i} = fadd double %c{i}, %c{i}
  store double %d{i}, double* %b{i}
"""
UNROLLED = ROW.format(lines="".join(ELEMENT.format(i=i) for i in range(8)))


@pytest.mark.parametrize(
    ("source", "has_vectors"),
    [
        (UNROLLED, True),
        (UNROLLED.replace("!allograph.short_loops", "!other"), False),
    ],
    ids=["unrolled loops", "no unrolled loops"],
)
def test_straight_code_of_unrolled_loops_becomes_vectors(source, has_vectors):
    optimized = str(llvm_backend.optimized(source))
    assert ("x double>" in optimized) == has_vectors


@pytest.mark.parametrize(("statements", "stays"), [(1, False), (800, True)])
def test_short_loops_of_long_modules_stay_loops(statements, stays):
    text = "def kernel(x, y):\n    for i in range(16):\n        y[i] = x[i] * 2\n"
    text += "".join(f"    x[{at % 16}] = y[{at % 16}] / {at + 3}\n" for at in range(statements))
    arguments = np.ones(16), np.ones(16)
    source = llvm_of(f"{text}    return (y,)\n", arguments, (arguments[1],))
    assert (llvm_backend.HAS_SHORT_LOOPS in source) != stays
    assert ("llvm.loop.unroll.disable" in source) == stays


@pytest.mark.parametrize(("test", "is_predicted"), [("i & 1", False), ("i > 1", True)])
def test_a_branch_on_a_bit_becomes_an_instruction_that_selects(test, is_predicted):
    text = (
        "def kernel(x, y):\n    r = np.int64(0)\n    for i in range(64):\n        r = x[i] + r\n"
        f"        if {test.replace('i', 'r')}:\n            r = r ^ y[0]\n    return (r,)\n"
    )
    arguments = np.ones(64, np.int64), np.ones(64, np.int64)
    source = llvm_of(text, arguments, (np.int64(0),))
    assert ("!unpredictable" in source) != is_predicted


def test_a_remainder_takes_a_division_and_no_multiplication():
    text = "def kernel(x, y):\n    r = x % y\n    return (r,)\n"
    numbers = np.int64(7), np.int64(3)
    source = llvm_of(text, numbers, (np.int64(0),))
    assert source.count("srem") == 1
    assert " mul " not in source
    assert "sdiv" not in source
