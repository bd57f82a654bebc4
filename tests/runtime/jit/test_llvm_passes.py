"""What LLVM is asked to do with a module."""

import pytest

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
        (UNROLLED + ";\n" * llvm_backend.LONG_MODULE, False),
    ],
    ids=["unrolled loops", "no unrolled loops", "a long module"],
)
def test_straight_code_of_unrolled_loops_becomes_vectors(source, has_vectors):
    optimized = str(llvm_backend.optimized(source))
    assert ("x double>" in optimized) == has_vectors
