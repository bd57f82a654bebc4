"""The plan of a kernel: where its arrays live, and which steps share a loop over rows."""

import re

import numpy as np
import pytest
from example_counts import examples
from execution_modes import pinned
from hypothesis import given
from hypothesis import strategies as st

import allograph as ag
from allograph.runtime.executors.compile_pipeline import native_form
from allograph.runtime.lowering.buffer_assignment import (
    CALLER,
    KERNEL,
    THREAD,
    InBuffer,
    ReuseOperand,
    StoreBoth,
    StoreInto,
    View,
)
from allograph.runtime.lowering.cost_model import Target
from allograph.runtime.lowering.kernel_plan import kernel_plan
from allograph.runtime.lowering.program import Loop, Nest, nodes_of
from allograph.runtime.lowering.schedule import StepPlan
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


def locations_in_loop(body, dtype=ag.float32):
    """Where the nests of a loop of two iterations over an array of 9 numbers store."""

    def repeated(x):
        for _ in ag.range(2):
            x = body(x)
        return x

    return nest_locations(loop_of(plan_of(repeated, vector(9, dtype))).inner["body"])


def nest_locations(block):
    plans = [plan for plan in block.items if isinstance(plan.step, Nest)]
    return [location for plan in plans for location in plan.memory.values()]


def test_a_nest_writes_into_the_part_of_an_array_that_is_replaced():
    (location,) = locations_in_loop(lambda x: ag.tensor_set_item(x, slice(2, 5), x[2:5] * 2 + 1))
    assert type(location) is StoreInto
    assert location.update.op.name == "set_item"


@pytest.mark.parametrize("size, reads, stores", ((9, "i", 1), (100, "i", 2), (100, "0", 1)))
def test_a_nest_stores_a_result_that_is_read_later_in_the_replaced_part_too(size, reads, stores):
    def repeated(x, rows):
        for i in ag.range(rows.shape[0]):
            x = x * 2 + rows[i if reads == "i" else 0]
            rows = ag.tensor_set_item(rows, i, x)
        return x, rows

    specs = vector(size), ag.TensorSpec([3, size], ag.float32)
    locations = nest_locations(loop_of(plan_of(repeated, *specs)).inner["body"])
    assert [type(one) for one in locations] == [StoreBoth if stores == 2 else ReuseOperand]
    x, rows = np.random.default_rng(0).random((2, 3, size), np.float32)
    given = ag.constant(x[0]), ag.constant(rows)
    found = ag.function(repeated, jit_compile=True)(*given)
    wanted = ag.function(repeated, kernel_compiler="none")(*given)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)


@examples(12)
@given(
    st.sampled_from(["i", "-1 - i", "0", "i // 2", "places[i]"]),
    st.sampled_from(["rows[{at}]", "rows[i]", "x", "rows[{at}] + x", "ag.reduce_sum(rows, 0)"]),
    st.sampled_from(["x", "x[::-1]", "x + rows[i]", "0 * x"]),
    st.sampled_from([(64,), (3, 64), (70,)]),
    st.sampled_from(["float32", "int64"]),
)
def test_a_state_that_is_kept_in_an_array_is_that_of_the_plan(at, read, state, shape, dtype):
    def repeated(x, rows, places):
        for i in ag.range(rows.shape[0]):
            y = step(x, rows, places, i)
            rows = ag.tensor_set_item(rows, index(places, i), y)
            x = following(y, rows, i)
        return x, rows

    names = {"ag": ag}
    index = eval(f"lambda places, i: {at}", names)
    step = eval(f"lambda x, rows, places, i: x + {read.format(at=at)}", names)
    following = eval(f"lambda x, rows, i: {state}", names)
    generator = np.random.default_rng(0)
    x, *rows = generator.integers(-9, 9, (6, *shape)).astype(dtype)
    given = [ag.constant(one) for one in (x, np.array(rows), np.int32([3, 0, -1, 4, 3]))]
    found = ag.function(repeated, jit_compile=True)(*given)
    wanted = ag.function(repeated, kernel_compiler="none")(*given)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_nest_writes_into_the_replaced_parts_of_several_arrays():
    body = lambda z: ag.tensor_set_item(z, slice(2, 5), z[2:5] * z[2:5])  # noqa: E731
    locations = locations_in_loop(body, ag.complex64)  # real and imaginary parts
    assert [type(location) for location in locations] == [StoreInto, StoreInto]


PARTS = st.sampled_from(["x[2:5]", "y[2:5]", "x[1:4]", "y[3:6]", "x[2:5] - y[2:5]"])


@examples(10)
@given(PARTS, PARTS, st.sampled_from(["tu", "tt", "ut"]), st.sampled_from(["y", "x"]))
def test_parts_of_several_arrays_are_those_of_the_plan(first, second, values, target):
    def repeated(x, y):
        for _ in ag.range(3):
            parts = {"t": read(x, y) + 1.0, "u": other(x, y) * 0.5}
            x = ag.tensor_set_item(x, slice(2, 5), parts[values[0]])
            changed = ag.tensor_set_item(y if target == "y" else x, slice(2, 5), parts[values[1]])
            x, y = (x, changed) if target == "y" else (changed, y)
        return x, y

    read, other = (eval(f"lambda x, y: {part}", {}) for part in (first, second))
    operands = list(map(ag.constant, np.random.default_rng(0).random((2, 8))))
    results = ag.function(repeated, jit_compile=True)(*operands)
    wanted = ag.function(repeated, kernel_compiler="none")(*operands)
    for result, expected in zip(results, wanted, strict=True):
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("start", (1, 3))
def test_a_nest_that_reads_other_elements_of_the_array_has_one_of_its_own(start):
    part = slice(start, start + 3)
    locations = locations_in_loop(lambda x: ag.tensor_set_item(x, slice(2, 5), x[part] * 2 + 1))
    assert [type(location) for location in locations] == [InBuffer]


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
    assert isinstance(plan.block.items[-1].memory.popitem()[1], ReuseOperand)
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


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2, 3])
def test_sides_of_a_branch_leave_results_in_the_same_buffers(count):
    def chosen(x):
        if ag.reduce_sum(x) > 0.0:
            results = [ag.cumsum(x + i) for i in range(count)]
        else:
            results = [ag.sort(x) for _ in range(count)]
        return results

    native, plan = (ag.function(chosen, **pinned(choice)) for choice in (True, False))
    for sign in (1.0, -1.0):
        x = ag.constant(sign * np.array([3, 1, 2], np.float32))
        for one, other in zip(native(x), plan(x), strict=True):
            np.testing.assert_array_equal(one.numpy(), other.numpy())


@pytest.mark.slow
def test_work_arrays_of_library_calls_are_apart_from_results():
    def solved(a, b):
        return ag.linalg.solve(a, b), a + 1.0

    a = np.eye(3, dtype=np.float32) * 2.0
    native = ag.function(solved, jit_compile=True)
    x, more = native(ag.constant(a), ag.constant(a))
    np.testing.assert_allclose(x.numpy(), np.eye(3), atol=1e-6)
    np.testing.assert_array_equal(more.numpy(), a + 1.0)


# ---- any program -------------------------------------------------------------------------------

STEPS = {
    "library call": lambda x, y: ag.cumsum(x),
    "nest": lambda x, y: ag.exp(x),
    "fused": lambda x, y: ag.abs(x) * y,
    "transposed read": lambda x, y: x + ag.transpose(y),
    "reduction": lambda x, y: x - ag.reduce_max(y, 1, keepdims=True),
    "view": lambda x, y: ag.reshape(ag.cumsum(ag.reshape(x, [9])), [3, 3]),
    "row": lambda x, y: x * y[1],
    "items of a view": lambda x, y: ag.reshape(
        ag.tensor_set_item(ag.reshape(x, [9]), 4, y[0, 0]), [3, 3]
    ),
    "items": lambda x, y: ag.tensor_set_item(x, 1, y[0]),
}


def check_that_operands_are_intact(program, plan):
    """No step reads an array after another one was written into its memory."""
    location, content = {}, {}  # the buffer of a value; the values that a buffer holds
    for step in program.steps:
        own = plan.block.by_step[step]
        if not isinstance(own, StepPlan):
            continue
        for value in {value for node in nodes_of(own.step) for value in node.inputs}:
            if value in location:
                assert value in content[location[value]], value
        for value, where in own.memory.items():
            if isinstance(where, InBuffer):
                location[value], content[where.number] = where.number, {value}
            elif where.operand in location:
                number = location[value] = location[where.operand]
                kept = content[number] if isinstance(where, View) else set()
                content[number] = {*kept, value}
            else:
                assert isinstance(where, View), f"{value} is written over an input"
    for value in program.outputs:
        assert value not in location or value in content[location[value]], value


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 9), st.integers(0, 9))),
    st.lists(st.integers(0, 9), min_size=1, max_size=3),
)
@examples(60)
def test_nothing_is_overwritten_that_is_read_afterwards(steps, outputs):
    def computed(x, y):
        values = [x, y]
        for name, first, second in steps:
            operands = (values[number % len(values)] for number in (first, second))
            values.append(STEPS[name](*operands))
        return [values[-1 - number % len(values)] for number in outputs]

    square = ag.TensorSpec([3, 3], ag.float32)
    program = program_of(computed, square, square)
    check_that_operands_are_intact(program, kernel_plan(program, Target()))


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
