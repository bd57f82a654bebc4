"""Python's operators on tensors mean what they mean on numbers, on either side."""

import operator

import pytest

import allograph as ag

SIGNS = ["add", "sub", "mul", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift", "rshift"]


@pytest.mark.parametrize("name", SIGNS)
def test_operands_keep_their_sides(name):
    compute = getattr(operator, name)
    expected = compute(34, 3)
    number, tensor = (34, 3), (ag.constant(34), ag.constant(3))
    for left, right in [tensor, (tensor[0], number[1]), (number[0], tensor[1])]:
        assert compute(left, right).numpy() == expected
        assert ag.function(compute)(left, right).numpy() == expected
