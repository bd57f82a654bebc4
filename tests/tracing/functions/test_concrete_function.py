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
        "x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(None,), dtype=ag.float32, name=None)",
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


def test_captured_inputs_list_variables_by_their_handles():
    v, shift = ag.Variable(2.0), ag.constant(3.0)
    f = ag.function(lambda x: x * v + shift).get_concrete_function(ag.constant(1.0))
    assert f.captured_inputs[0] is shift
    assert f.captured_inputs[1:] == [v.handle]


def test_the_atomic_function_takes_captures():
    v, other = ag.Variable(2.0), ag.Variable(5.0)
    f = ag.function(lambda x: x * v + ag.ones([2])).get_concrete_function(ag.constant(1.0))
    atomic = f.inference_fn
    one = ag.constant(3.0)
    with pytest.raises(ValueError, match="call_with_captures"):
        atomic(one)
    assert atomic.call_with_captures((one,), {}, f.captured_inputs).numpy().tolist() == [7.0, 7.0]
    with pytest.raises(ValueError, match="uses the variable"):
        atomic.call_with_captures((one,), {}, [*f.captured_tensors, other])


def test_objects_may_be_left_out_of_a_call():
    class Line:
        slope = 2.0

    line, x = Line(), ag.constant(10.0)
    f = ag.function(lambda line, x: line.slope * x).get_concrete_function(line, x)
    assert float(f(x)) == float(f(line, x)) == 20.0
    with pytest.raises(TypeError):
        f(ag.constant(1))


def test_parts_of_a_graph_are_found_by_name():
    graph = ag.function(lambda x: ag.tanh(x) + 1).get_concrete_function(ag.constant(1.0)).graph
    assert graph.get_operation_by_name("tanh").type == "Tanh"
    assert graph.get_tensor_by_name("x:0").dtype is ag.float32
    assert graph.get_tensor_by_name("tanh:0").op.name == "tanh"
    for find in (graph.get_operation_by_name, graph.get_tensor_by_name):
        with pytest.raises(KeyError):
            find("nothing")


def test_variables_of_a_graph_are_listed():
    v, w = ag.Variable(1.0), ag.Variable(1.0, trainable=False)
    f = ag.function(lambda x: x + v if x > 0 else x - w).get_concrete_function(ag.constant(1.0))
    assert [one is v for one in f.trainable_variables] == [True]
    assert {id(one) for one in f.variables} == {id(v), id(w)}


def test_types_and_shapes_of_results_keep_their_structure():
    f = ag.function(lambda x: {"a": x, "b": [x > 0]}).get_concrete_function(ag.ones([2]))
    assert f.output_dtypes == {"a": ag.float32, "b": [ag.bool]}
    assert f.output_shapes == {"a": ag.TensorShape([2]), "b": [ag.TensorShape([2])]}
