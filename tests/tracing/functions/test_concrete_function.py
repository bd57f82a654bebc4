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


@pytest.mark.slow
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


@ag.function
def nested(a, d):
    return a - d["x"] * d["y"][0]


SCALAR = ag.TensorSpec([])
NAMED = {"x": ag.TensorSpec([], name="minus"), "y": [ag.TensorSpec([], name="times")]}


def scalars(*numbers):
    return [ag.constant(number) for number in numbers]


def test_the_leaves_of_structures_are_passed_one_by_one():
    concrete = nested.get_concrete_function(SCALAR, {"x": SCALAR, "y": [SCALAR]})
    a, x, y = scalars(1.0, 2.0, 3.0)
    assert float(concrete(a, x, y)) == float(concrete(a, {"x": x, "y": [y]})) == -5.0


def test_as_many_leaves_as_parameters_are_passed_one_by_one():
    concrete = ag.function(lambda a, d: a - d["x"]).get_concrete_function(SCALAR, {"x": SCALAR})
    assert float(concrete(*scalars(1.0, 2.0))) == -1.0


def test_the_leaves_of_structures_are_passed_by_the_names_of_their_specs():
    concrete = nested.get_concrete_function(SCALAR, NAMED)
    a, x, y = scalars(1.0, 2.0, 3.0)
    assert float(concrete(a=a, minus=x, times=y)) == -5.0
    assert float(concrete(a, times=y, minus=x)) == -5.0


def test_the_signature_has_the_names_by_which_leaves_are_passed():
    (_, d), _ = nested.get_concrete_function(SCALAR, NAMED).structured_input_signature
    assert d == NAMED
    (a, d), _ = nested.get_concrete_function(
        SCALAR, {"x": SCALAR, "y": [SCALAR]}
    ).structured_input_signature
    assert [a.name, d["x"].name, d["y"][0].name] == ["a", "d", "d_1"]


def test_an_unknown_name_is_refused_with_the_names_of_the_inputs():
    concrete = nested.get_concrete_function(SCALAR, NAMED)
    a, x, y = scalars(1.0, 2.0, 3.0)
    with pytest.raises(TypeError, match="(?s)'mius'.*named a, minus, times"):
        concrete(a, mius=x, times=y)


def test_a_leaf_of_another_type_is_refused_by_its_name():
    concrete = nested.get_concrete_function(SCALAR, NAMED)
    a, x = scalars(1.0, 2.0)
    with pytest.raises(TypeError, match="input 'times' is TensorSpec.*float32"):
        concrete(a, minus=x, times=ag.constant(3))


def test_a_parameter_tells_the_type_that_it_takes():
    concrete = ag.function(lambda a, b: a * b).get_concrete_function(SCALAR, 2)
    types = [one.type_constraint for one in concrete.function_type.parameters.values()]
    assert types == [SCALAR, ag.types.experimental.trace_type(2)]


def test_specs_of_other_names_differ_and_calls_share_their_traces():
    a, b = ag.TensorSpec([], name="a"), ag.TensorSpec([], name="b")
    assert a == ag.TensorSpec([], name="a") and a not in (b, SCALAR)
    f = ag.function(lambda x: x + 1)
    traces = [f.get_concrete_function(one) for one in (a, b, a)]
    assert [float(traces[0](a=ag.constant(1.0))), float(traces[1](b=ag.constant(1.0)))] == [2, 2]
    assert traces[0] is traces[2] is not traces[1]
    f(ag.constant(1.0))
    assert f.experimental_get_tracing_count() == 2


def test_each_instance_counts_the_traces_of_its_own_method():
    class Model:
        @ag.function
        def step(self, x):
            return x + 1

    one, other = Model(), Model()
    one.step(ag.constant(1))
    one.step(ag.constant(1.0))
    other.step(ag.constant(1))
    counts = [bound.experimental_get_tracing_count() for bound in (one.step, other.step)]
    assert counts == [2, 1]
    assert one.step.pretty_printed_concrete_signatures().count("Input Parameters") == 2
    assert list(other.step.traces.values()) == [other.step.get_concrete_function(ag.constant(1))]


def test_the_spec_of_a_dataset_makes_the_trace_that_datasets_use():
    @ag.function
    def total(ds):
        result = ag.constant(0, ag.int64)
        for x in ds:
            result += x
        return result

    spec = ag.data.DatasetSpec(ag.TensorSpec([], ag.int64))
    concrete = total.get_concrete_function(spec)
    assert int(concrete(ag.data.Dataset.range(4))) == int(total(ag.data.Dataset.range(4))) == 6
    assert total.experimental_get_tracing_count() == 1
