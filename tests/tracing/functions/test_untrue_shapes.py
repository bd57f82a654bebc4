"""A static shape that is not that of the value is refused, and never read past."""

import pytest

import allograph as ag


@pytest.mark.parametrize("jit_compile", [False, True])
def test_a_shape_that_was_set_is_checked(jit_compile):
    @ag.function(input_signature=[ag.TensorSpec([None])], jit_compile=jit_compile)
    def f(x):
        x.set_shape([1000])
        return ag.reduce_sum(x * 2)

    with pytest.raises(ValueError, match="(?s)shape is .1,.*set_shape"):
        f(ag.constant([1.0]))
