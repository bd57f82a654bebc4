"""The plan of a kernel: where its arrays live, and which steps share a loop over rows."""

import re

import numpy as np
import pytest

import allograph as ag
from allograph.runtime.executors.compile_pipeline import native_form
from allograph.runtime.lowering.buffer_assignment import CALLER, KERNEL, THREAD, InBuffer, Over
from allograph.runtime.lowering.kernel_plan import kernel_plan
from allograph.runtime.lowering.program import Loop
from allograph.runtime.lowering.target import Target
from allograph.runtime.passes.pipeline import optimize


def program_of(function, *specs):
    concrete = ag.function(function).get_concrete_function(*specs)
    return native_form(optimize(concrete.frozen)).program


def plan_of(function, *specs):
    return kernel_plan(program_of(function, *specs), Target())


def vector(size, dtype=ag.float32):
    return ag.TensorSpec([size], dtype)


def loop_of(plan):
    return next(item for item in plan.block.items if isinstance(item.step, Loop))


def test_results_are_in_buffers_of_the_caller_and_what_is_between_in_those_of_the_kernel():
    plan = plan_of(lambda x: ag.cumsum(ag.sort(x)[:3]), vector(10))
    owners = [buffer.owner for buffer in plan.buffers.values()]
    assert owners == [KERNEL, CALLER, CALLER]  # two are of the type of the result


def test_arrays_beyond_a_megabyte_are_made_by_the_caller():
    plan = plan_of(lambda x: ag.reduce_sum(ag.cumsum(x)), vector(1 << 18))
    assert [buffer.owner for buffer in plan.buffers.values()] == [CALLER]


def test_an_input_is_never_overwritten():
    plan = plan_of(lambda x: ag.tensor_set_item(x, 0, 1.0), vector(5))
    assert [type(location) for location in plan.block.items[-1].memory.values()] == [InBuffer]


def test_an_operand_with_another_reader_is_not_overwritten():
    def both(x):
        y = ag.cumsum(x)
        return y, ag.tensor_set_item(y, 0, 1.0)

    plan = plan_of(both, vector(5))
    assert len(plan.buffers) == 2


def test_the_result_of_a_loop_in_register_tiles_may_be_overwritten():
    def repeated(x):
        for _ in ag.range(100):
            x = x * x - 0.5
        return ag.tensor_set_item(x, 0, 1.0)

    plan = plan_of(repeated, vector(1000))
    assert isinstance(plan.block.items[-1].memory.popitem()[1], Over)
    assert len(plan.buffers) == 1


def test_a_loop_in_two_versions_has_a_plan_for_each():
    def rows(x, n):
        total = ag.constant(0, ag.int64)
        for i in ag.range(n):
            y = x * i
            total += y[0] + ag.reduce_max(y)
        return total

    plan = plan_of(rows, vector(20, ag.int64), ag.TensorSpec([], ag.int64))
    loop = loop_of(plan)
    assert loop.inner.keys() == {"parallel", "test", "body"}
    assert {buffer.owner for buffer in plan.buffers.values()} == {THREAD, KERNEL}


@pytest.mark.parametrize("count", [1, 2, 3])
def test_sides_of_a_branch_leave_results_in_the_same_buffers(count):
    def chosen(x):
        if ag.reduce_sum(x) > 0.0:
            results = [ag.cumsum(x + i) for i in range(count)]
        else:
            results = [ag.sort(x) for _ in range(count)]
        return results

    native, plan = (ag.function(chosen, jit_compile=choice) for choice in (True, False))
    for sign in (1.0, -1.0):
        x = ag.constant(sign * np.array([3, 1, 2], np.float32))
        for one, other in zip(native(x), plan(x), strict=True):
            np.testing.assert_array_equal(one.numpy(), other.numpy())


def test_work_arrays_of_library_calls_are_apart_from_results():
    def solved(a, b):
        return ag.linalg.solve(a, b), a + 1.0

    a = np.eye(3, dtype=np.float32) * 2.0
    native = ag.function(solved, jit_compile=True)
    x, more = native(ag.constant(a), ag.constant(a))
    np.testing.assert_allclose(x.numpy(), np.eye(3), atol=1e-6)
    np.testing.assert_array_equal(more.numpy(), a + 1.0)


# ---- what is printed ---------------------------------------------------------------------------


def test_only_arrays_in_memory_are_listed_as_free():
    text = str(program_of(lambda x: ag.cumsum(ag.exp(x) * 2.0), vector(3)))
    assert re.findall(r"free (.*)", text) == ["multiply"]


def test_a_shape_of_unknown_rank_is_printed_as_in_graphs():
    concrete = ag.function(lambda x: x + 1.0).get_concrete_function(ag.TensorSpec(None))
    assert "x: float32[...]" in str(concrete.program)
    assert "x: float32[...]" in concrete.graph.as_text()


def test_the_callee_of_a_recursive_call_is_printed_by_its_name():
    @ag.function(output_signature=ag.TensorSpec([], ag.int32))
    def factorial(n):
        if n <= 1:
            return ag.constant(1)
        return n * factorial(n - 1)

    concrete = factorial.get_concrete_function(ag.TensorSpec([], ag.int32))
    assert "callee=&factorial" in str(concrete.program)
