"""Functions, and what they refer to, are freed like those of Python: with the last reference, or
where they refer to themselves, by the garbage collector.
"""

import functools
import gc
import linecache
import weakref

import numpy as np
import pytest

import allograph as ag

X = ag.constant([1.0, 2.0])
MAKERS = {}


class Owner:
    """Something that a function refers to."""


def maker(function):
    MAKERS[function.__name__] = function
    return function


@maker
def an_object_with_a_function_that_reads_it():
    owner = Owner()
    owner.scale = 2.0
    owner.step = ag.function(lambda x: owner.scale * x if x[0] > 0 else x)
    owner.step(X)
    return owner


@maker
def an_object_with_a_jit_function_that_reads_it():
    owner = Owner()
    owner.scale = 2.0
    owner.step = ag.jit(lambda a: a * owner.scale)
    owner.step(np.ones(3))
    return owner


@maker
def a_function_that_calls_itself():
    owner = Owner()

    @ag.function
    def halved(x, n):
        assert owner
        return halved(x / 2, n - 1) if n > 0 else x

    halved(X, 2)
    return owner


@maker
def an_inner_function_that_calls_itself():
    owner = Owner()

    def power(x, n):
        assert owner
        return x if n == 1 else x * power(x, n - 1)

    ag.function(lambda x: power(x, 3))(X)
    return owner


@maker
def a_native_function_with_an_attribute():
    owner = Owner()

    @ag.function(jit_compile=True)
    def scaled(x):
        assert owner
        return scaled.factor * x if x[0] > 0 else x

    scaled.factor = 2.0
    scaled(X)
    return owner


@maker
def the_names_of_a_program():
    owner, file = Owner(), "<program of a test of lifetimes>"
    source = (
        "@ag.function\ndef f(x):\n    assert owner\n    return g(x)\n\ndef g(x):\n    return x * 2"
    )
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    names = {"ag": ag, "owner": owner}
    exec(compile(source, file, "exec"), names)
    names["f"](X)
    return owner


@maker
def an_object_with_a_decorated_method():
    class Model:
        def __init__(self):
            self.weights = ag.Variable([1.0, 2.0])
            self.bound = ag.function(self.step)

        def step(self, x):
            with ag.GradientTape() as tape:
                loss = ag.reduce_sum(self.weights * x)
            self.weights.assign_sub(tape.gradient(loss, self.weights))
            return loss

        @ag.function
        def method(self, x):
            return self.weights * x if x[0] > 0 else x

    model = Model()
    model.bound(X)
    model.method(X)
    return model


@maker
def a_partial_of_a_method():
    class Model:
        def scaled(self, factor, x):
            return x * factor

    model = Model()
    model.doubled = ag.function(functools.partial(model.scaled, 2.0))
    model.doubled(X)
    return model


@maker
def a_function_that_raises():
    owner = Owner()

    @ag.function
    def f(x):
        assert owner
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        f(X)
    return owner


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_what_nothing_refers_to_is_freed(make):
    owner = weakref.ref(make())
    gc.collect()
    assert owner() is None
