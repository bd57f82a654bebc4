"""A name that holds one of several objects is left to Python, whatever is asked of it."""

import enum

import numpy as np
import pytest

import allograph as ag


class Light(enum.Enum):
    RED = 0
    GREEN = 1


def after_a_loop(x):
    light = Light.RED
    for v in x:
        if v > 0:
            light = Light.GREEN
    return light


def after_an_if(x):
    light = Light.RED
    if x[0] > 0:
        light = Light.GREEN
    return light


def of_a_choice(x):
    return Light.GREEN if x[0] > 0 else Light.RED


ASKED = {
    "name": lambda light: light.name,
    "value": lambda light: light.value,
    "itself": lambda light: light,
}


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
@pytest.mark.parametrize("choose", [after_a_loop, after_an_if, of_a_choice])
def test_attributes_are_those_of_the_object(choose, ask):
    compiled = ag.jit(lambda x: ask(choose(x)))
    for x in (np.array([0, 2]), np.array([3, 0]), np.array([0, 0])):
        assert compiled(x) == ask(choose(x))
