"""Errors of the user's own code, raised while it is traced, keep message and lines."""

import traceback

import numpy as np
import pytest

import allograph as ag


def raised(function, kind=ValueError):
    with pytest.raises(kind) as caught:
        function(ag.constant(1))
    return caught.value


def lines_of(error):
    """The functions and source lines of this file that a traceback shows, without the caller."""
    rows = traceback.extract_tb(error.__traceback__)
    return [(row.name, row.line) for row in rows if row.filename == __file__][1:]


def helper(x):
    raise ValueError("broken on purpose")


def test_the_message_stays_and_the_traceback_has_the_lines_that_led_there():
    @ag.function
    def outer(x):
        return helper(x) + 1

    error = raised(outer)
    assert error.args == ("broken on purpose",)
    assert str(error).startswith("broken on purpose\n\nin user code:")
    shown = "".join(traceback.format_exception(error))
    assert "in user code" not in shown and shown.count("return helper(x) + 1") == 1
    assert lines_of(error) == [
        ("outer", "return helper(x) + 1"),
        ("helper", 'raise ValueError("broken on purpose")'),
    ]


def test_functions_inside_functions_show_the_whole_way():
    @ag.function
    def inner(x):
        raise ValueError("inside")

    @ag.function
    def outer(x):
        return inner(x)

    error = raised(outer)
    assert str(error).count("inside\n") == 1
    assert str(error).index("in outer") < str(error).index("in inner")
    assert [name for name, _ in lines_of(error)] == ["outer", "inner"]


def test_an_error_with_data_of_its_own_stays_as_it_is():
    class Coded(Exception):
        def __init__(self, code):
            super().__init__(f"code {code}")
            self.code = code

    @ag.function
    def f(x):
        raise Coded(3)

    error = raised(f, Coded)
    assert (str(error), error.code) == ("code 3", 3)


def test_a_missing_key_stays_as_it_is():
    @ag.function
    def f(x):
        return {}["key"]

    assert str(raised(f, KeyError)) == "'key'"


def test_plain_tracing_leaves_errors_alone():
    @ag.function(autograph=False)
    def f(x):
        raise ValueError("as it is")

    assert str(raised(f)) == "as it is"


def no_number(x):
    return int("no number")  # a `raise` would be staged


def test_statements_around_a_line_are_not_places_of_their_own():
    @ag.function
    def f(x):
        for _ in ag.range(3):
            if x > 0:
                no_number(x)
        return x

    assert lines_of(raised(f)) == [
        ("f", "no_number(x)"),
        ("no_number", 'return int("no number")  # a `raise` would be staged'),
    ]


def leaked():
    kept = []
    ag.function(lambda x: kept.append(x + 1))(ag.constant(1))
    return kept[0]


def test_a_leaked_tensor_is_no_value_of_a_variable():
    with pytest.raises(TypeError, match="out of scope"):
        ag.Variable(leaked())


@pytest.mark.parametrize("kind", [TypeError, NotImplementedError, ag.errors.OpError])
def test_numpy_gets_no_array_of_a_symbolic_tensor(kind):
    with pytest.raises(kind, match="no value while tracing"):
        ag.function(np.asarray, autograph=False)(ag.constant(1))
    with pytest.raises(kind, match="is out of scope"):
        np.asarray(leaked())


def test_a_symbolic_tensor_is_no_bool():
    with pytest.raises(ag.errors.OperatorNotAllowedInGraphError, match="as a Python bool"):
        ag.function(bool, autograph=False)(ag.constant(1))
    with pytest.raises(ag.errors.OperatorNotAllowedInGraphError, match="is out of scope"):
        bool(leaked())
