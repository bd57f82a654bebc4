"""Shapes and data types as objects of their own."""

import pytest

import allograph as ag

ROWS = ag.TensorShape([None, 2])


def test_a_shape_that_fits_passes_the_assertions():
    ROWS.assert_is_compatible_with([3, None])
    ag.TensorShape([3, 2]).assert_is_fully_defined()
    assert ROWS.with_rank_at_least(1) == ROWS.with_rank_at_most(2)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: ROWS.assert_is_compatible_with([3]),
        lambda: ROWS.assert_is_fully_defined(),
        lambda: ROWS.with_rank_at_least(3),
        lambda: ROWS.with_rank_at_most(1),
    ],
)
def test_a_shape_that_does_not_fit_is_an_error(ask):
    with pytest.raises(ValueError, match="shape"):
        ask()


def test_an_unknown_rank_contradicts_nothing():
    unknown = ag.TensorShape(None)
    unknown.assert_is_compatible_with([1])
    assert unknown.with_rank_at_least(3) is unknown.with_rank_at_most(0) is unknown


def test_the_limits_of_a_data_type():
    assert ag.int8.limits == (-128, 127)
    assert ag.float32.limits == (ag.float32.min, ag.float32.max)
