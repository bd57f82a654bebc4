"""`ag.testing`, `ag.debug`, `strict=`: what tests and debuggers ask of a function."""

import pytest

import allograph as ag


def test_the_number_of_traces_is_asserted_with_the_reasons():
    f = ag.function(lambda x: x + 1)
    ag.testing.assert_traces(f, 0)
    f(ag.constant(1))
    f(ag.constant(2))
    ag.testing.assert_traces(f, 1)
    f(ag.constant(2.5))
    with pytest.raises(AssertionError, match="2 traces instead of 1\n.*\n.*\n.*was int32"):
        ag.testing.assert_traces(f, 1)


def test_the_traces_of_a_method_are_asserted():
    class Model:
        @ag.function
        def call(self, x):
            return x + 1

    model = Model()
    model.call(ag.constant(1))
    ag.testing.assert_traces(model.call, 1)


def test_the_traces_of_a_plain_function_are_a_type_error():
    with pytest.raises(TypeError, match="decorated"):
        ag.testing.assert_traces(len, 1)


def test_debug_runs_every_iteration_with_values():
    seen = []

    @ag.function
    def inner(x):
        seen.append(int(x))
        return x - 1

    @ag.function
    def outer(n):
        while n > 0:
            n = inner(n)
        return n

    assert int(ag.debug(outer)(ag.constant(3))) == 0
    assert seen == [3, 2, 1]
    ag.testing.assert_traces(outer, 0)
    assert not ag.config.functions_run_eagerly()


def test_debug_ends_with_an_error():
    @ag.function
    def f(x):
        raise KeyError("x")

    with pytest.raises(KeyError):
        ag.debug(f)(1)
    assert not ag.config.functions_run_eagerly()


def made_by_exec(text="lambda x: -x"):
    return eval(text)


def numbers(x):
    yield x


@pytest.mark.parametrize("called, why", [(made_by_exec(), "no source"), (numbers, "a generator")])
def test_strict_refuses_code_that_cannot_be_converted(called, why):
    def f(x):
        called(x)
        return x

    assert int(ag.function(f)(ag.constant(1))) == 1
    for _ in range(2):
        with pytest.raises(ag.autograph.errors.ConversionError, match=f"strict=True: .*{why}"):
            ag.function(f, strict=True)(ag.constant(1))


def test_strict_refuses_the_function_itself():
    with pytest.raises(ag.autograph.errors.ConversionError, match="no source"):
        ag.function(made_by_exec(), strict=True)(ag.constant(1))


def test_strict_leaves_libraries_and_marked_functions_alone():
    plain = ag.autograph.experimental.do_not_convert(made_by_exec())

    @ag.function(
        strict=True, experimental_autograph_options=ag.autograph.experimental.Feature.LISTS
    )
    def f(x):
        return ag.reduce_sum(plain(x))

    assert int(f(ag.constant([1, 2]))) == -3
