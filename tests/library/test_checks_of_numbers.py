"""`enable_check_numerics`: the first operation that gives NaN or infinity is named."""

import numpy as np
import pytest

import allograph as ag


@pytest.fixture
def checking():
    ag.debugging.enable_check_numerics()
    yield
    ag.debugging.disable_check_numerics()


def failing(function, *args):
    with pytest.raises(ag.errors.InvalidArgumentError) as caught:
        function(*args)
    return str(caught.value)


def test_the_operation_and_the_line_are_named(checking):
    @ag.function
    def f(x):
        y = ag.abs(x)
        return y + ag.math.log(x)  # here

    text = failing(f, ag.constant([-1.0, 2.0]))
    assert "the operation 'log' gave NaN: output 0, float32 with shape (2,): 1 NaN" in text
    assert "# here" in text


def test_eager_operations_are_looked_at(checking):
    assert "'divide' gave Inf: output 0, float32 with shape (): 1 -Inf" in failing(
        lambda: ag.constant(-1.0) / ag.constant(0.0)
    )


def test_an_input_that_was_not_finite_is_named(checking):
    text = failing(lambda: ag.constant([1.0, 2.0]) + ag.constant([np.inf, np.nan]))
    assert "its input 1 had 1 NaN, 1 +Inf already" in text


def test_loops_and_branches_are_looked_at(checking):
    @ag.function
    def f(x, n):
        for i in ag.range(n):
            if i > 1:
                x = x / (3.0 - ag.cast(i, ag.float32))
        return x

    assert float(f(ag.constant(2.0), ag.constant(3))) == 2.0
    assert "'divide' gave Inf" in failing(f, ag.constant(2.0), ag.constant(5))


def test_native_code_waits_meanwhile():
    @ag.function(jit_compile=True)
    def f(x):
        return ag.sqrt(x)

    x = ag.constant([-1.0, 4.0])
    assert np.isnan(f(x).numpy()[0])
    ag.debugging.enable_check_numerics()
    try:
        assert "'sqrt' gave NaN" in failing(f, x)
    finally:
        ag.debugging.disable_check_numerics()
    assert np.isnan(f(x).numpy()[0])


def test_moving_elements_and_constants_pass(checking):
    x = ag.reshape(ag.constant([np.nan, 1.0]), [2, 1])
    assert np.isnan(ag.transpose(x).numpy()[0, 0])


def test_large_buffers_are_not_written_over(checking):
    @ag.function
    def f(x):
        return ag.math.log((x + 1.0) * 2.0 - 2.0)

    x = np.ones(5000, np.float32)
    x[7] = -3.0
    assert "1 NaN" in failing(f, x)
    assert "already" not in failing(f, x)


def test_switching_twice_is_switching_once():
    ag.debugging.enable_check_numerics()
    ag.debugging.enable_check_numerics()
    ag.debugging.disable_check_numerics()
    ag.debugging.disable_check_numerics()
    assert np.isinf((ag.constant(1.0) / 0.0).numpy())
