"""`ag.debugging.assert_...`: hold or fail eagerly, while tracing, and when a graph runs."""

import numpy as np
import pytest

import allograph as ag

d = ag.debugging
HOLD = {
    "equal": lambda x: d.assert_equal(x, [1.0, 2.0]),
    "none_equal": lambda x: d.assert_none_equal(x, 3.0),
    "less": lambda x: d.assert_less(x, 3.0),
    "less_equal": lambda x: d.assert_less_equal(x, 2.0),
    "greater": lambda x: d.assert_greater(x, 0.5),
    "greater_equal": lambda x: d.assert_greater_equal(x, 1.0),
    "near": lambda x: d.assert_near(x, [1.0, 2.00000001]),
    "positive": d.assert_positive,
    "negative": lambda x: d.assert_negative(-x),
    "non_negative": lambda x: d.assert_non_negative(x - 1.0),
    "non_positive": lambda x: d.assert_non_positive(1.0 - x),
    "all_finite": lambda x: d.assert_all_finite(x, "not finite"),
    "rank": lambda x: d.assert_rank(x, 1),
    "rank_at_least": lambda x: d.assert_rank_at_least(x, 1),
    "rank_in": lambda x: d.assert_rank_in(x, [1, 3]),
    "shapes": lambda x: d.assert_shapes([(x, ("N",)), (x, [2]), (x[0], ()), (x, "...N")]),
    "type": lambda x: d.assert_type(x, ag.float32),
    "scalar": lambda x: d.assert_scalar(x[0]),
}
FAIL = {
    "equal": lambda x: d.assert_equal(x, [1.0, 3.0]),
    "none_equal": lambda x: d.assert_none_equal(x, 2.0),
    "less": lambda x: d.assert_less(x, 2.0),
    "less_equal": lambda x: d.assert_less_equal(x, 1.0),
    "greater": lambda x: d.assert_greater(x, 1.0),
    "greater_equal": lambda x: d.assert_greater_equal(x, 1.5),
    "near": lambda x: d.assert_near(x, [1.0, 2.1]),
    "positive": lambda x: d.assert_positive(x - 1.0),
    "negative": d.assert_negative,
    "non_negative": lambda x: d.assert_non_negative(x - 1.5),
    "non_positive": lambda x: d.assert_non_positive(x - 1.5),
    "all_finite": lambda x: d.assert_all_finite(x / 0.0, "not finite"),
    "rank": lambda x: d.assert_rank(x, 2),
    "rank_at_least": lambda x: d.assert_rank_at_least(x, 2),
    "rank_in": lambda x: d.assert_rank_in(x, [0, 3]),
    "shapes": lambda x: d.assert_shapes([(x, ("N",)), (ag.ones([3]), "N")]),
    "type": lambda x: d.assert_type(x, ag.int32),
    "scalar": d.assert_scalar,
    "integer": d.assert_integer,
}
X = [1.0, 2.0]


def staged(check, spec):
    @ag.function(input_signature=[spec])
    def run(x):
        check(x)
        return x

    return run


WAYS = {
    "eager": lambda check: check(ag.constant(X)),
    "static": lambda check: staged(check, ag.TensorSpec([2], ag.float32))(ag.constant(X)),
    "unknown size": lambda check: staged(check, ag.TensorSpec([None], ag.float32))(ag.constant(X)),
    "unknown rank": lambda check: staged(check, ag.TensorSpec(None, ag.float32))(ag.constant(X)),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", HOLD)
def test_an_assertion_holds(name, way):
    WAYS[way](HOLD[name])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", FAIL)
def test_an_assertion_fails(name, way):
    with pytest.raises(ag.errors.InvalidArgumentError):
        WAYS[way](FAIL[name])


def test_a_failure_shows_the_message_the_values_and_the_line():
    @ag.function
    def f(x):
        d.assert_positive(x, message="not like this")  # here
        return x

    with pytest.raises(ag.errors.InvalidArgumentError) as caught:
        f(ag.constant([1, -1]))
    assert "not like this; x: [1 -1]" in str(caught.value)
    assert "# here" in str(caught.value)


def test_letters_stand_for_one_size():
    x, w = ag.zeros([4, 3]), ag.zeros([2, 2])
    with pytest.raises(ValueError, match=r"axis -2 of \(2, 2\) has the size 2, not 3 \(D\)"):
        d.assert_shapes([(x, ("N", "D")), (w, ("D", "K"))])


def test_iterables_are_no_tensors():
    for wrong in (ag.constant([1]), np.ones(2), "text", 3):
        with pytest.raises(TypeError):
            d.assert_proper_iterable(wrong)
    d.assert_proper_iterable({"a": 1})


def test_float_types_agree():
    assert d.assert_same_float_dtype() is ag.float32
    with pytest.raises(TypeError, match="differ"):
        d.assert_same_float_dtype([1.0], ag.float64)
    with pytest.raises(TypeError, match="not a float dtype"):
        d.assert_same_float_dtype([1])


@pytest.mark.parametrize("native", [None, True])
def test_a_staged_assert_is_an_assertion_error(native):
    if native:
        pytest.importorskip("llvmlite")

    @ag.function(jit_compile=native)
    def f(x):
        assert x > 0, "not positive"
        return x

    with pytest.raises(AssertionError, match="not positive") as caught:
        f(ag.constant(-1))
    assert isinstance(caught.value, ag.errors.InvalidArgumentError)


def test_an_assertion_of_debugging_is_an_assertion_error():
    with pytest.raises(AssertionError, match="nothing to share; x: 0, y: 0"):
        ag.debugging.assert_greater(ag.constant(0), 0, "nothing to share")
