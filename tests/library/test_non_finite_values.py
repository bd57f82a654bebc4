"""`debugging.first_nan` names the operation that made a NaN, its line and its operands."""

import numpy as np
import pytest

import allograph as ag

first_nan = ag.debugging.first_nan


def test_a_function_without_nan_has_no_report():
    assert first_nan(lambda x: ag.sqrt(x))(ag.constant(4.0)) is None


@pytest.mark.parametrize("decorate", [lambda f: f, ag.function], ids=["eager", "traced"])
def test_the_operation_the_line_and_the_ranges_are_told(decorate):
    @decorate
    def function(x):
        y = ag.math.log(x)
        return ag.reduce_sum(y * 2.0)

    found = first_nan(function)(ag.constant([1.0, -4.0]))
    assert (found.operation, found.execution) == ("log", 1)
    assert found.output == "float32 with shape (2,): 1 NaN"
    assert found.operands == ("float32 with shape (2,), from -4 to 1",)
    assert "y = ag.math.log(x)" in str(found)


def test_the_iteration_of_a_loop_is_told():
    @ag.function
    def function(x):
        for _ in ag.range(5):
            x = ag.sqrt(x) - 1.5
        return x

    found = first_nan(function)(ag.constant(9.0))
    assert (found.operation, found.execution) == ("sqrt", 3)
    assert "in execution 3 of its line" in str(found)


def test_an_infinity_that_was_meant_does_not_hide_the_nan():
    def function(x):
        masked = ag.where(x > 10.0, x, -np.inf)
        return masked - ag.reduce_max(masked)

    assert first_nan(function)(ag.constant([1.0, 2.0])).operation == "subtract"


def test_without_a_nan_the_first_infinity_is_told():
    found = first_nan(lambda x: 1.0 / x)(ag.constant([1.0, 0.0]))
    assert found.output == "float32 with shape (2,): 1 +Inf"


def test_an_operation_of_a_gradient_counts():
    def slope(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = ag.sqrt(x) * 0.0
        return tape.gradient(y, x)

    assert first_nan(slope)(ag.constant(0.0)) is not None


def test_an_error_before_a_nan_is_raised():
    with pytest.raises(ZeroDivisionError):
        first_nan(lambda x: x * (1 // 0))(ag.constant(1.0))
    assert not ag.debugging.first_nan(lambda x: x)(ag.constant(1.0))


@pytest.mark.parametrize("decorate", [lambda f: f, ag.function], ids=["eager", "traced"])
def test_an_operation_of_a_gradient_is_at_the_line_of_the_forward_operation(decorate):
    @decorate
    def slope(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = ag.sqrt(x)  # its slope at 0 is infinite
            z = ag.reduce_sum(y * 2.0)
        return tape.gradient(z, x)

    found = first_nan(slope)(ag.constant([0.0, 1.0]))
    assert found.where.source_line().strip().startswith("y = ag.sqrt(x)")


def test_the_lines_of_a_traced_function_are_told_for_its_gradient():
    @ag.function
    def loss(x):
        for _ in ag.range(2):
            x = ag.sqrt(x)
        return ag.reduce_sum(x)

    def slope(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            z = loss(x)
        return tape.gradient(z, x)

    found = first_nan(slope)(ag.constant([0.0, 1.0]))
    assert found.where.source_line().strip() == "x = ag.sqrt(x)"
