"""Concrete functions: calling one trace, and reading it."""

import pytest

import allograph as ag


@ag.function
def affine(x, factor, *, shift=1):
    return {"y": x * factor + shift}


def concrete():
    return affine.get_concrete_function(ag.TensorSpec([None], ag.float32), 2)


def test_python_arguments_may_be_left_out_or_repeated():
    f = concrete()
    x = ag.constant([1.0, 2.0])
    for result in (f(x), f(x, 2), f(x, factor=2, shift=1), f(x=x)):
        assert result["y"].numpy().tolist() == [3.0, 5.0]


def test_another_python_value_is_refused():
    with pytest.raises(TypeError, match="factor"):
        concrete()(ag.constant([1.0]), 3)


def test_another_dtype_is_an_invalid_argument():
    with pytest.raises(ag.errors.InvalidArgumentError, match="int32"):
        concrete()(ag.constant([1]))


def test_a_missing_tensor_is_a_type_error():
    with pytest.raises(TypeError):
        concrete()()


def test_it_prints_its_signature():
    lines = [line.strip() for line in str(concrete()).splitlines()]
    assert lines[:4] == [
        "ConcreteFunction Input Parameters:",
        "x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(None,), dtype=tf.float32, name=None)",
        "factor (POSITIONAL_OR_KEYWORD): Literal[2]",
        "shift (KEYWORD_ONLY): Literal[1]",
    ]


def test_captured_tensors_are_listed():
    weight = ag.constant([1.0, 2.0])
    f = ag.function(lambda x: x * weight).get_concrete_function(ag.constant(3.0))
    assert [t is weight for t in f.captured_inputs] == [True]
    assert f(ag.constant(3.0)).numpy().tolist() == [3.0, 6.0]


def test_the_atomic_function_wants_its_captures():
    weight = ag.constant(2.0)
    atomic = ag.function(lambda x: x * weight).get_concrete_function(ag.constant(3.0)).inference_fn
    with pytest.raises(ValueError, match="captures"):
        atomic(ag.constant(1.0))
    assert float(atomic.call_with_captures((ag.constant(5.0),), {}, [weight])) == 10.0
