"""Errors: their classes, their words, and how they travel."""

import pickle

import pytest

import allograph as ag

KINDS = [getattr(ag.errors, name) for name in dir(ag.errors)]
KINDS = [kind for kind in KINDS if issubclass(kind, ag.errors.OpError)]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_an_error_tells_what_where_and_the_cure(kind):
    error = kind("it broke", "Mend it.")  # here
    assert error.message == "it broke"
    assert str(error).startswith("it broke\n") and str(error).endswith("Mend it.")
    assert "# here" in str(error)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_the_reference_order_of_arguments_is_understood(kind):
    assert kind(None, None, "it broke").message == "it broke"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_an_error_can_be_pickled(kind):
    error = kind("it broke", "Mend it.")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert (str(again), again.message) == (str(error), "it broke")


def test_an_error_of_python_code_in_a_graph_passes_as_it_is():
    def fail(x):
        raise ag.errors.ResourceExhaustedError(None, None, "too much")

    @ag.function
    def f(x):
        return ag.py_function(fail, [x], ag.float32)

    with pytest.raises(ag.errors.ResourceExhaustedError, match="too much"):
        f(ag.constant(1.0))


def test_kinds_of_errors_have_the_numbers_of_the_reference():
    with pytest.raises(ag.errors.InvalidArgumentError) as caught:
        ag.debugging.assert_equal(ag.constant(1), ag.constant(2))
    assert caught.value.error_code == 3
    assert ag.errors.DataLossError("cut short").error_code == 15
