"""Random numbers of NumPy and Python are drawn while tracing, which a warning says."""

import random
import warnings

import numpy as np
import pytest

import allograph as ag

GENERATOR = np.random.default_rng(0)
X = ag.constant(0.0)


class Walk:
    def __init__(self):
        self.generator = random.Random(0)

    @ag.function
    def step(self, x):
        return x + self.generator.gauss(0, 1)


def of_numpy(x):
    return x + np.random.normal()


def of_python(x):
    return x + random.random()


def of_a_global_generator(x):
    return x + GENERATOR.uniform()


def of_an_argument(x, generator=GENERATOR):
    return x + generator.normal()


DRAWING = [of_numpy, of_python, of_a_global_generator, of_an_argument]


@pytest.mark.parametrize("function", DRAWING)
def test_a_draw_while_tracing_warns_at_its_line_once(function):
    line = function.__code__.co_firstlineno + 1
    with pytest.warns(UserWarning, match="every call of the function gets the same") as caught:
        made = ag.function(function)
        assert float(made(X)) == float(made(X))
        ag.function(function)(X)
    assert [(one.filename, one.lineno) for one in caught] == [(__file__, line)]


def test_a_generator_of_an_object_draws_while_tracing():
    with pytest.warns(UserWarning, match=r"gauss\(\) runs only while.*Use ag.random.normal"):
        Walk().step(X)


def of_its_own(x):
    generator = np.random.default_rng(0)
    return x + generator.normal()


def of_each_call(x):
    return x + ag.numpy_function(lambda: np.float32(np.random.normal()), [], ag.float32)


@pytest.mark.parametrize("function", [of_its_own, of_each_call])
def test_numbers_that_are_meant_to_be_the_same_or_drawn_in_each_call_do_not_warn(function):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ag.function(function)(X)


def test_code_that_is_not_traced_draws_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ag.autograph.to_graph(of_numpy)(1.0)
        ag.jit(of_numpy)(1.0)
