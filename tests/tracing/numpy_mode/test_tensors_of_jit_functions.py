"""A function of arrays that is called with tensors while a graph is built."""

import pytest

import allograph as ag


@ag.jit
def total(x):
    result = 0.0
    for v in x:
        result += v
    return result


def test_the_error_of_a_loop_over_a_tensor_says_what_to_call():
    with pytest.raises(ag.errors.SymbolicValueError) as caught:
        ag.function(lambda x: total(x))(ag.constant([1.0, 2.0]))
    assert "call `total.python_function`" in "".join(caught.value.__notes__)
    converted = ag.function(lambda x: total.python_function(x))
    assert float(converted(ag.constant([1.0, 2.0]))) == 3.0
