"""Kernels that may fail after they have changed an argument, by their statements."""

import inspect
import re

import pytest

from allograph.runtime.codegen.native import late_failures
from allograph.runtime.codegen.native.kernel_builder import ParallelRegion
from allograph.runtime.codegen.native.late_failures import SUCCEEDING, fails_late, succeeds
from allograph.runtime.jit.routines import NAMES, scope_of
from allograph.runtime.kernel_ir.reader import statements
from allograph.runtime.kernels.math_functions import INTEGERS


def is_late(source: str, regions=()) -> bool:
    return fails_late(statements(source), list(regions), {"a"})


@pytest.mark.parametrize(
    "source",
    [
        "a[0] = 1.0\nk = wrapped_index(i, 8)",
        "a[i] = 1.0\nraise ValueError",
        "v = reshaped(a, (8,))\nv[0] = 1.0\nq = floor_divide_i64(x, y)",
        "a, b = b, a\nb[0] = 1.0\nk = checked_index(i, 8)",
        "a[0] = 1.0\nrows = with_length(rows, n)",
        "b = first_rows(b, n)\na[0] = 1.0\ncopy_elements(c, b)",
        "a[0] = 1.0\nb = new_array((1000000,), np.float64)",
        "for i in range(8):\n    a[wrapped_index(j, 8)] = 1.0\n    j = j + 1",
        "while True:\n    k = wrapped_index(i, 8)\n    i = i + 1\n    a[k] = 1.0",
        "if test:\n    a[0] = 1.0\nelse:\n    pass\nassert_ = unknown(x)",
        "k = wrapped_index(i, 8)\na[k] = 1.0\ni = j\nk = wrapped_index(i, 8)",
        "if test:\n    k = wrapped_index(i, 8)\na[0] = 1.0\nk = wrapped_index(i, 8)",
        "for j in range(n):\n    k = wrapped_index(i, 8)\na[0] = 1.0\nk = wrapped_index(i, 8)",
        "unknown(a)\nk = wrapped_index(i, 8)",
        "product_added(a, b)",  # which may have changed a part of it
    ],
)
def test_what_may_fail_after_a_change_fails_late(source):
    assert is_late(source)


@pytest.mark.parametrize(
    "source",
    [
        "k = wrapped_index(i, 8)\na[k] = 1.0",
        "k = wrapped_index(i, 8)\na[k] = 1.0\nk = wrapped_index(i, 8)\na[k] = 2.0",
        "raise ValueError\na[0] = 1.0",
        "a[0] = 1.0\nx = np.float64(sqrt_f64(x))",
        "b[0] = 1.0\nk = wrapped_index(i, 8)",
        "copy_elements(b, a)\nk = wrapped_index(i, 8)",
        "for i in range(8):\n    a[i] = np.float64(plus_f64(a[i], 1.0))",
        "if test:\n    a[0] = 1.0\nelse:\n    k = wrapped_index(i, 8)",
        "a[0] = 1.0\nb = new_array((4,), np.float64)",
    ],
)
def test_what_fails_first_or_never_does_not(source):
    assert not is_late(source)


def test_nested_loops_are_walked_in_linear_time(monkeypatch):
    depth, lines = 20, []
    heads = [f"{'    ' * k}for i{k} in range(8):\n" for k in range(depth)]
    source = "".join(heads) + f"{'    ' * depth}a[i0] = np.float64(sqrt_f64(x))"
    line = late_failures._Walk.line
    monkeypatch.setattr(
        late_failures._Walk, "line", lambda self, part: lines.append(part) or line(self, part)
    )
    assert not is_late(source)
    assert len(lines) <= depth * (depth + 1)


@pytest.mark.parametrize("body, late", [("b[chunk] = 1.0", False), ("a[chunk] = 1.0", True)])
def test_a_chunk_may_fail_when_another_has_changed_an_argument(body, late):
    inside = statements(f"k = wrapped_index(i, 8)\n{body}")
    region = ParallelRegion(1, [], [], inside, 1, 4, 2)
    run = "if run_region(regions[0], table, 4, control):\n    raise IndexError"
    assert is_late(run, [region]) is late


def test_the_functions_that_succeed_have_no_way_to_fail():
    names = SUCCEEDING & NAMES.keys()
    functions = {name: scope_of([name])[name] for name in names}
    functions |= {f"{name}_i64": function for name, function in INTEGERS.items()}
    failing = {
        name
        for name, function in functions.items()
        if re.search(r"raise (?!Untr)|fail_if|allocate\(", inspect.getsource(function))
    }
    failing -= {"copy_elements"}  # of arrays whose sizes differ: see above
    assert {name for name in functions if not succeeds(name)} == failing
