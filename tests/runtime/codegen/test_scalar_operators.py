"""Operations on single numbers are operators of NumPy's scalars in a plan."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import allograph as ag
from allograph.runtime import ops
from allograph.runtime.codegen.numpy.scalar_operators import (
    EXPRESSIONS,
    is_computed_by_operators,
    operator_expression,
)
from allograph.runtime.core import dtypes
from allograph.runtime.core.errors import Error
from allograph.runtime.core.floating_point_state import call_in_errstate
from allograph.runtime.ir.graph import Node, Value
from allograph.runtime.ir.op import TABLE

pytestmark = pytest.mark.slow
assert ops
NAMES = ("bool", "uint8", "int8", "int32", "int64", "uint64", "float16", "float32", "float64")
PLAIN = {
    name
    for name, op in TABLE.items()
    if type(op.scalar) is str and is_computed_by_operators(op.scalar)
}


def numbers_of(dtype):
    """All numbers of a type; of floats also infinities and NaN."""
    if dtype.kind == "b":
        return st.booleans().map(dtype.type)
    if dtype.kind == "f":
        return st.floats(width=8 * dtype.itemsize).map(dtype.type)
    bounds = np.iinfo(dtype)
    return st.integers(int(bounds.min), int(bounds.max)).map(dtype.type)


def node_of(op, numbers, attrs, made):
    values = tuple(Value(dtypes.as_dtype(one.dtype), (), "x", one) for one in numbers)
    return Node(op, values, attrs, (Value(made, (), "y"),))


def computed(op, numbers, attrs=None):
    """What the text of an operation gives, and what its kernel does; None if it has no text."""
    attrs = attrs or {}
    try:
        given = [Value(dtypes.as_dtype(one.dtype), (), "x", one) for one in numbers]
        made = op.result(*given, **attrs).dtype
    except Error:  # not for numbers of this type
        return None
    node = node_of(op, numbers, attrs, made)
    text = operator_expression(node) if accepts(op, given) else None
    if text is None:
        return None
    scope = {"np": np, **dict(zip(op.inputs, numbers, strict=True))}
    code = text.format(**{name: name for name in op.inputs})
    return call_in_errstate(eval, code, scope), call_in_errstate(
        lambda: op.kernel(*numbers, **attrs)
    )


def accepts(op, values) -> bool:
    rows = zip(op.accepts, values, strict=False)
    return all(value.dtype in allowed for allowed, value in rows)


def same(got, expected) -> bool:
    expected = np.asarray(expected)
    return got.dtype == expected.dtype and np.array_equal(
        got, expected, equal_nan=got.dtype.kind == "f"
    )


@pytest.mark.parametrize("name", sorted(PLAIN | EXPRESSIONS.keys()))
@given(kind=st.sampled_from(NAMES), data=st.data())
def test_an_operator_of_numbers_gives_what_the_kernel_does(name, kind, data):
    op, numbers = TABLE[name], numbers_of(np.dtype(kind))
    given = [
        data.draw(st.booleans().map(np.bool_) if one == "condition" else numbers)
        for one in op.inputs
    ]
    made = computed(op, given)
    assert made is None or same(*made)


@pytest.mark.parametrize("target", NAMES)
@given(kind=st.sampled_from(NAMES), data=st.data())
def test_a_cast_of_a_number_gives_what_the_kernel_does(kind, target, data):
    number = data.draw(numbers_of(np.dtype(kind)))
    made = computed(TABLE["cast"], [number], {"dtype": dtypes.as_dtype(target)})
    assert made is None or same(*made)


def plan_of(f, *args) -> str:
    concrete = ag.function(f, kernel_compiler="none").get_concrete_function(*args)
    concrete(*args)
    return concrete.executable.plan.source


def test_numbers_of_a_loop_are_no_arrays():
    def halved(n):
        count = 0
        while n > 1:
            n = n // 2
            count += 1
        return count

    text = plan_of(halved, ag.constant(1000))
    assert "    v1 = v1[()]\n" in text
    assert "// c" in text and "np." not in text


def test_a_division_by_what_may_be_zero_is_checked():
    text = plan_of(lambda a, b: a // b, ag.constant(7), ag.constant(2))
    assert "//" not in text
    with pytest.raises(ag.errors.InvalidArgumentError, match="by zero"):
        ag.function(lambda a, b: a // b, kernel_compiler="none")(ag.constant(7), ag.constant(0))


def test_integers_wrap_around_without_a_word():
    f = ag.function(lambda a: a + a, kernel_compiler="none")
    assert f(ag.constant(2**62, ag.int64)).numpy() == -(2**63)
