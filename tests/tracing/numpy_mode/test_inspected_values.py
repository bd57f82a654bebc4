"""What a function asks about the classes and attributes of its values."""

import numbers

import numpy as np
import pytest

import allograph as ag

VALUES = {
    "array": np.ones((2, 3)), "int": 3, "float": 2.5, "bool": True, "complex": 1j,
    "float64": np.float64(1), "int32": np.int32(2),
}  # fmt: skip
QUESTIONS = {
    "array": lambda x: 1 if isinstance(x, np.ndarray) else 0,
    "int": lambda x: 1 if isinstance(x, int) else 0,
    "int or float": lambda x: 1 if isinstance(x, (int, float)) else 0,
    "union": lambda x: 1 if isinstance(x, int | np.floating) else 0,
    "bool": lambda x: 1 if isinstance(x, bool) else 0,
    "generic": lambda x: 1 if isinstance(x, np.generic) else 0,
    "abstract": lambda x: 1 if isinstance(x, numbers.Integral) else 0,
    "type is": lambda x: 1 if type(x) is int else 0,
    "type ==": lambda x: 1 if type(x) == np.float64 else 0,  # noqa: E721 - another comparison
    "name of the type": lambda x: len(type(x).__name__),
    "shape": lambda x: 1 if hasattr(x, "shape") else 0,
    "length": lambda x: 1 if hasattr(x, "__len__") else 0,
    "protocol": lambda x: 1 if hasattr(x, "__array__") else 0,
    "absent in NumPy": lambda x: 1 if hasattr(x, "tensor") else 0,
    "method that NumPy 2 dropped": lambda x: 1 if hasattr(x, "ptp") else 0,
    "default": lambda x: getattr(x, "ndim", -1),
    "callable": lambda x: 1 if callable(x) else 0,
}


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_a_value_is_what_it_is_in_python(value, question):
    f = ag.jit(question)
    assert [f(value), f(value)] == [question(value)] * 2


def kind(x):
    match x:
        case bool():
            return 1
        case int(n) if n > 5:
            return n * 2
        case int() | np.integer():
            return 3
        case float(number):
            return number * 4.0
        case np.ndarray():
            return x.size
        case _:
            return -1


@pytest.mark.parametrize("value", [*VALUES.values(), 7], ids=str)
def test_class_patterns_match_the_classes_of_python(value):
    assert ag.jit(kind)(value) == kind(value)


def test_a_computed_number_has_its_class():
    @ag.jit
    def f(a, n):
        total = 0
        for i in range(n):
            total += i
        large = a.sum() * 2
        return isinstance(total, int), type(large) is np.float64, hasattr(total, "dtype")

    assert f(np.ones(3), 4) == (True, True, False)


def test_class_patterns_that_python_matches_see_the_classes_of_python():
    def alternatives(a, k):
        match (k, a):
            case (int(z), b) | (float(z), b):
                return b * z
            case _:
                return a

    def attributes(a, k):
        match a:
            case np.ndarray(shape=(3,)):
                return a * k
            case _:
                return a

    for function in (alternatives, attributes):
        compiled = ag.jit(function)
        np.testing.assert_array_equal(compiled(np.ones(3), 7), np.full(3, 7.0))
        assert "class pattern" in compiled.inspect()
