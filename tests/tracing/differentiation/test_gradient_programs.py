"""Random programs: the derivatives of staged control flow are those recorded eagerly.
`tests/fuzz.py` runs the same for as long as wanted."""

import pytest
from example_counts import examples
from gradient_laws import (
    assert_derivatives_of_unknown_rows_are_eager,
    assert_forward_derivatives_are_eager,
    assert_forward_is_backward,
    assert_gradients_are_eager,
    assert_mixed_derivatives_are_eager,
    assert_second_derivatives_are_eager,
)
from hypothesis import given
from hypothesis import strategies as st

pytestmark = pytest.mark.slow
seeds = st.integers(0, 10**9)


@examples(6)
@given(seeds)
def test_gradients_of_graphs_are_those_of_eager_code(seed):
    assert_gradients_are_eager(seed)


@examples(2)
@given(seeds)
def test_gradients_in_native_code_are_those_of_eager_code(seed):
    assert_gradients_are_eager(seed, native=True)


@examples(3)
@given(seeds)
def test_second_derivatives_of_graphs_are_those_of_eager_code(seed):
    assert_second_derivatives_are_eager(seed)


@examples(1)
@given(seeds)
def test_forward_derivatives_of_graphs_are_those_of_eager_code(seed):
    assert_forward_derivatives_are_eager(seed)


@examples(1)
@given(seeds)
def test_forward_derivatives_over_and_under_gradients_are_those_of_eager_code(seed):
    assert_mixed_derivatives_are_eager(seed)


@examples(2)
@given(seeds)
def test_a_forward_derivative_is_a_product_with_the_gradient(seed):
    assert_forward_is_backward(seed)


@examples(1)
@given(seeds)
def test_derivatives_of_unknown_rows_are_those_of_eager_code(seed):
    assert_derivatives_of_unknown_rows_are_eager(seed, native=False)
