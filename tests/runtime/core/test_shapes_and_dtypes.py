"""Shapes and data types as objects of their own."""

import operator

import numpy as np
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


@pytest.mark.parametrize("wrap", [lambda f: f, ag.function], ids=["eager", "graph"])
def test_round_and_divmod_of_tensors_are_operations(wrap):
    x, y = ag.constant([7, -7]), ag.constant([2.5, 1.26])

    @wrap
    def parts(x, y):
        return *divmod(x, 3), *divmod(20, x), round(y), round(y, 1)

    expected = ([2, -3], [1, 2], [2, -3], [6, -1], [2.0, 1.0], [2.5, 1.3])
    for part, numbers in zip(parts(x, y), expected, strict=True):
        np.testing.assert_allclose(part, numbers)


OPERATORS = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    operator.pow, operator.lshift, operator.rshift, operator.and_, operator.or_, operator.xor,
    operator.lt, operator.le, operator.gt, operator.ge, divmod,
]  # fmt: skip


@pytest.mark.parametrize("python", OPERATORS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("wrap", [lambda f: f, ag.function], ids=["eager", "graph"])
def test_the_operands_of_an_operator_keep_their_sides(python, wrap):
    call = wrap(lambda a, b: python(a, b))
    left, right = ag.constant(19), ag.constant(3)
    for operands in ((left, right), (19, right), (left, 3)):
        np.testing.assert_allclose(call(*operands), python(19, 3))
