"""Tensors that stand for Python numbers adopt dtypes as the numbers do."""

import linecache
import operator

import numpy as np
import pytest
from example_counts import examples
from hypothesis import given
from hypothesis import strategies as st

import allograph as ag
from allograph.runtime.tensors.python_numbers import represents

DTYPES = [ag.uint8, ag.int8, ag.int32, ag.int64, ag.float16, ag.float32, ag.float64, ag.complex64]


@given(st.integers(-(2**70), 2**70), st.sampled_from(DTYPES))
def test_an_int_becomes_a_dtype_that_holds_it_exactly(number, dtype):
    try:
        with np.errstate(over="ignore"):
            exact = int(np.array(number, dtype.numpy_dtype).real) == number
    except OverflowError:
        exact = False
    assert represents(dtype, number) == exact


@given(st.floats(allow_nan=False), st.sampled_from(DTYPES))
def test_a_float_becomes_a_float_or_a_complex_number(number, dtype):
    assert represents(dtype, number) == (dtype.is_floating or dtype.is_complex)


@pytest.mark.slow
@examples(15)
@given(
    st.lists(st.sampled_from(["a + 1", "a * 2", "b - a", "a + 0.5", "b * 1.5", "a + x", "b * x"]),
             min_size=2, max_size=4),
    st.integers(0, 3),
)  # fmt: skip
def test_a_loop_computes_what_python_does_whatever_the_numbers_become(steps, count):
    body = "\n".join(f"        {'ab'[i % 2]} = {step}" for i, step in enumerate(steps))
    source = f"def f(n, x, a, b):\n    for _ in ag.range(n):\n{body}\n    return a, b\n"
    expected = {"a": 1, "b": 2, "x": 0.25}
    for _ in range(count):
        for i, step in enumerate(steps):
            expected["ab"[i % 2]] = eval(step, {}, expected)
    made = evaluated(source, count)
    assert [float(one) for one in made] == [expected["a"], expected["b"]]


def evaluated(source, count):
    """The results of the function `f(n, x, a, b)` in a source, converted and traced."""
    file = f"<numbers {hash(source)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    names = {"ag": ag}
    exec(compile(source, file, "exec"), names)
    f = names["f"]
    return ag.function(lambda n, x: f(n, x, 1, 2))(ag.constant(count), ag.constant(0.25))


def test_what_is_computed_from_a_tensor_too_keeps_its_type():
    @ag.function
    def f(n, x):
        i = 0
        while i < 3:
            x = x * (i + n)
            i += 1
        return x

    with pytest.raises(TypeError, match="float32 and int32 do not mix"):
        f(ag.constant(1), ag.constant(1.0))


def test_a_constant_that_the_user_makes_keeps_its_type():
    @ag.function
    def f(x):
        return x * ag.constant(2)

    with pytest.raises(TypeError, match="float32 and int32 do not mix"):
        f(ag.constant(1.0))


@pytest.mark.parametrize("number", [1, 0, 1.0, 2.5, True, False, 1e300, float("nan"), 1 + 0j, 1j])
@pytest.mark.parametrize("traced", [False, True])
def test_a_number_of_another_type_is_compared_by_its_value(number, traced):
    def compared(x):
        return x == number, x != number

    compared = ag.function(compared) if traced else compared
    arrays = [np.array([True, False]), np.array([0, 1, 2]), np.uint8(1), np.float32([1, np.nan])]
    for array in arrays:
        found = compared(ag.constant(array))
        np.testing.assert_array_equal(found[0], array == number)
        np.testing.assert_array_equal(found[1], array != number)


def test_lists_of_numbers_of_another_type_are_refused_and_other_objects_never_equal():
    for other in ([1.0, 2.5], (True, False)):
        with pytest.raises(TypeError, match="cannot convert"):
            ag.constant([1, 2]) == other  # noqa: B015
    assert (ag.constant(1) == "a") is False and (ag.constant(1) != None) is True  # noqa: E711


OTHERS = (
    np.float32(1),
    np.int64(2),
    np.bool_(True),
    np.complex64(1),
    np.array([1.5, 2.0]),
    2.5,
    1j,
)


@pytest.mark.parametrize("other", OTHERS, ids=repr)
@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8", "float32", "float64", "bool"])
def test_what_does_not_mix_is_refused_alike_in_graphs_and_eager_code(dtype, other):
    x = ag.cast([1, 2], dtype)

    def told(function):
        try:
            found = function(x)
        except (TypeError, ValueError) as error:
            return type(error), str(error).partition("\n")[0]
        return found.dtype, found.numpy().tolist()

    for combine in (operator.add, operator.mul, operator.gt, lambda a, b: operator.sub(b, a)):
        expected = told(lambda a, combine=combine: combine(a, other))
        assert told(ag.function(lambda a, combine=combine: combine(a, other))) == expected


@pytest.mark.parametrize("value", [0, 5])
def test_operators_of_what_stands_for_a_bool_of_python_give_ints(value):
    def f(x):
        above, either = bool(x > 1), any([x > 1, x > 2])
        return ~above, -above, +above, abs(either), ~(above and either), ~(x > 1)

    x = ag.constant(value)
    assert [int(y) for y in ag.function(f)(x)[:-1]] == [int(y) for y in f(x)[:-1]]
    assert ag.function(f)(x)[-1].dtype == ag.bool


OF_NUMBERS = [
    "~ag.convert_to_tensor(b)", "~ag.identity(b)", "~ag.logical_not(b)", "~ag.constant(b)",
    "~ag.stack([b])", "~ag.cast(b, ag.bool)", "~(ag.convert_to_tensor(i) > 2)", "~ag.equal(i, 3)",
    "~ag.convert_to_tensor(any([b, i > 5]))", "-ag.convert_to_tensor(b)", "ag.equal(i, 3) + 1",
    "ag.convert_to_tensor(i) * 1.5", "ag.add(i, 1) / 2", "isinstance(ag.add(i, 1), int)",
    "isinstance(ag.cast(i, ag.int32), int)", "type(ag.maximum(i, 2)) is int",
]  # fmt: skip


@pytest.mark.parametrize("expression", OF_NUMBERS)
def test_functions_of_tensors_give_tensors_of_what_stands_for_numbers(expression):
    source = (
        "def f(n):\n    i = 0\n    while i < n:\n        i += 1\n"
        f"    b = bool(i > 2)\n    return {expression}\n"
    )
    file = f"<functions of numbers {expression}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    names = {"ag": ag}
    exec(compile(source, file, "exec"), names)

    def outcome(function):
        try:
            result = ag.convert_to_tensor(function(ag.constant(3)))
        except TypeError as error:
            return str(error).partition("\n")[0]
        return result.dtype, result.numpy().tolist()

    assert outcome(ag.function(names["f"])) == outcome(names["f"])
