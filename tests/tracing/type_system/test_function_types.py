"""How the types of traces and of functions print, and what the parts of a trace tell."""

import collections
import copy

import pytest

import allograph as ag

SCALAR = "TensorSpec(shape=(), dtype=ag.float32, name=None)"
ONE = ag.constant(1.0)


def test_starred_arguments_are_parameters_of_their_own():
    @ag.function
    def total(first, *more, scale=2, **named):
        return first * scale

    kind = total.get_concrete_function(ONE, ONE, z=ONE).function_type
    assert list(kind.parameters) == ["first", "more_0", "scale", "z"]
    assert str(kind).startswith(f"(first: {SCALAR}, more_0: {SCALAR}, /, *, scale: Literal[2], z: ")


def test_the_instance_of_a_method_is_no_parameter():
    class Doubler:
        @ag.function
        def double(self, x):
            return x * 2

    doubler = Doubler()
    kind = doubler.double.get_concrete_function(ONE).function_type
    assert str(kind) == f"(x: {SCALAR}) -> {SCALAR}"


def test_structures_print_as_types_in_arguments_and_results():
    @ag.function
    def parts(pair):
        return {"a": pair[0], "b": (pair[0], [pair[1]])}

    text = str(parts.get_concrete_function([ONE, ONE]).function_type)
    assert text == (
        f"(pair: List[{SCALAR}, {SCALAR}]) -> "
        f"Dict[['a', {SCALAR}], ['b', Tuple[{SCALAR}, List[{SCALAR}]]]]"
    )


def test_a_function_tells_the_type_it_is_held_to():
    declared = ag.function(lambda x: x, input_signature=[ag.TensorSpec([])])
    assert str(declared.function_type) == f"(x: {SCALAR})"
    assert str(ag.function(lambda x, *more: x).function_type) == "(x, *more)"


def test_parameters_that_take_anything_have_no_type_constraint():
    parameters = ag.function(lambda x, y=2: x * y).function_type.parameters
    assert [one.type_constraint for one in parameters.values()] == [None, None]


def test_variables_print_as_types_and_captures():
    weight = ag.Variable(2.0)
    concrete = ag.function(lambda v: v * weight).get_concrete_function(weight)
    assert "VariableSpec(shape=(), dtype=ag.float32, trainable=True" in str(concrete)
    assert str(concrete).endswith("TensorSpec(shape=(), dtype=tf.resource, name=None)")


@pytest.mark.slow
def test_a_signature_prints_in_one_line_too():
    concrete = ag.function(lambda x: x).get_concrete_function(ONE)
    assert concrete.pretty_printed_signature(verbose=False) == f"(x: {SCALAR}) -> {SCALAR}"


def test_inputs_and_outputs_are_symbolic_tensors():
    concrete = ag.function(lambda x: x + 1).get_concrete_function(ONE)
    assert [(one.name, one.dtype) for one in concrete.inputs] == [("x:0", ag.float32)]
    assert [one.shape.as_list() for one in concrete.outputs] == [[]]


def test_the_atomic_function_is_called_flat():
    shift = ag.constant(10.0)
    concrete = ag.function(lambda p: {"sum": p[0] + p[1], "off": shift}).get_concrete_function(
        (ONE, ONE)
    )
    atomic = concrete.inference_fn
    assert [float(one) for one in atomic.call_flat(ONE, ONE, shift)] == [10.0, 2.0]
    assert repr(atomic).startswith("<AtomicFunction>")


def test_arguments_that_do_not_bind_are_named_with_the_signature():
    @ag.function
    def add(a, b):
        return a + b

    with pytest.raises(TypeError, match=r"Binding inputs .* add\(a, b\): missing .* 'b'"):
        add(1)


def test_a_variable_has_no_number_while_a_function_is_traced():
    seen = []
    level = ag.Variable(3.0, name="level")

    @ag.function
    def read():
        seen.append(repr(level))
        level.numpy()

    with pytest.raises(NotImplementedError, match="level"):
        read()
    assert seen == ["<ag.Variable 'level:0' shape=() dtype=float32>"]


def test_tensors_are_formatted_as_their_values():
    assert f"{ag.constant([1, 2])} {ag.constant(1.25):.1f}" == "[1 2] 1.2"


def test_a_while_loop_without_variables_is_refused():
    with pytest.raises(ValueError, match="loop variables"):
        ag.while_loop(lambda: True, lambda: (), [])


def test_starred_arguments_give_their_tensors_names():
    seen = []

    @ag.function
    def note(*rest, **named):
        seen.extend(tensor.name for tensor in (*rest, *named.values()))
        return rest[0]

    note(ONE, ONE, z=ONE)
    assert seen == ["rest_0:0", "rest_1:0", "z:0"]


def test_operations_have_the_names_of_the_reference():
    concrete = ag.function(lambda x: ag.reduce_sum(ag.matmul(x, x) - x)).get_concrete_function(
        ag.ones([2, 2])
    )
    kinds = [node.op for node in concrete.graph.as_graph_def().node]
    assert [kind for kind in kinds if kind != "Const"] == [
        "Placeholder", "MatMul", "Sub", "Sum", "Identity",
    ]  # fmt: skip


def test_a_matrix_prints_below_its_label():
    text = str(ag.constant([[1], [2]]))
    assert text == "ag.Tensor(\n[[1]\n [2]], shape=(2, 1), dtype=int32)"


def test_texts_print_in_quotes_but_for_one_alone(capsys):
    import sys

    ag.print("name:", ag.constant("eta"), ag.constant(["a", "b"]), output_stream=sys.stdout)
    ag.print(ag.constant("alone"), output_stream=sys.stdout)
    assert capsys.readouterr().out == 'name: "eta" ["a" "b"]\nalone\n'


def test_a_name_that_a_branch_leaves_unset_is_a_value_error_too():
    @ag.function
    def pick(x):
        if x > 0:
            y = x
        return y

    with pytest.raises(ValueError, match="y"):
        pick(ONE)
    with pytest.raises(UnboundLocalError, match="y"):
        pick(ONE)


def test_a_changed_argument_is_refused_with_its_name():
    @ag.function
    def grow(rows, options):
        rows.append(rows[0])
        return rows[1]

    with pytest.raises(ValueError, match="should not modify.*: rows"):
        grow([ONE], {"k": ONE})


@pytest.mark.parametrize("container", [{1}, collections.deque([1]), bytearray(b"a")])
def test_a_container_that_tensors_do_not_go_into_is_not_changed_as_an_argument(container):
    @ag.function
    def grow(x, seen):
        add = seen.add if isinstance(seen, set) else seen.append
        add(3)
        return x + len(seen)

    before = copy.copy(container)
    with pytest.raises(ValueError, match="should not modify.*: seen"):
        grow(ONE, container)
    assert container == before


def test_a_copy_of_an_argument_may_change():
    @ag.function
    def grow(rows):
        rows = [*rows]
        rows.append(rows[0] + 1)
        return rows

    assert [float(row) for row in grow([ONE])] == [1.0, 2.0]


def leaked():
    box = []
    ag.function(lambda x: box.append(x + 1))(ONE)
    return box[0]


def test_a_leaked_tensor_is_no_constant():
    with pytest.raises(TypeError, match="out of scope"):
        ag.constant(leaked())


def test_a_leaked_tensor_does_not_compare():
    with pytest.raises(TypeError, match="out of scope"):
        leaked() == 2.0  # noqa: B015


def test_a_copy_of_a_function_has_no_traces_yet():
    import copy

    original = ag.function(lambda x: x + 1, reduce_retracing=True)
    original(ONE)
    for twin in (copy.copy(original), copy.deepcopy(original)):
        assert twin.experimental_get_tracing_count() == 0
        assert float(twin(ONE)) == 2.0
        assert twin.options == original.options


@pytest.mark.slow
def test_a_spec_with_a_name_is_called_by_that_name():
    concrete = ag.function(lambda x, y: x - y).get_concrete_function(
        ag.TensorSpec([], name="left"), ag.TensorSpec([], name="right")
    )
    assert float(concrete(right=ONE, left=ag.constant(5.0))) == 4.0
    (left, right), _ = concrete.structured_input_signature
    assert (left.name, right.name) == ("left", "right")


def test_keywords_stand_in_the_structured_signature():
    concrete = ag.function(lambda pair, **rest: pair[0]).get_concrete_function([ONE, ONE], k=ONE)
    args, kwargs = concrete.structured_input_signature
    assert [one.name for one in args[0]] == ["pair", "pair_1"]
    assert kwargs["k"].name == "k"


def test_mappings_of_any_class_share_a_trace():
    import collections

    total = ag.function(lambda table: table["a"] + table["b"])
    assert float(total({"a": ONE, "b": ONE})) == 2.0
    assert float(total(collections.OrderedDict(b=ONE, a=ag.constant(3.0)))) == 4.0
    assert total.experimental_get_tracing_count() == 1


def test_an_array_of_fixed_size_keeps_it_through_a_loop():
    @ag.function
    def rows(x):
        made = ag.TensorArray(ag.float32, size=3)
        for i in ag.range(3):
            made = made.write(i, x)
        return made.stack()

    (stacked,) = rows.get_concrete_function(ag.ones([2])).outputs
    assert stacked.shape.as_list() == [3, 2]


def test_an_array_has_no_element_below_zero():
    with pytest.raises(ag.errors.OutOfRangeError, match="-1"):
        ag.TensorArray(ag.int32, size=2).write(-1, 1)


def test_a_variable_is_not_replaced_by_augmented_assignment():
    level = ag.Variable(3.0, name="level")
    with pytest.raises(RuntimeError, match="assign_add"):
        level += 1.0
    assert float(level) == 3.0


def test_type_hints_of_each_kind_of_parameter_make_tensors():
    def program(x: ag.Tensor, n: int, *rows: "ag.Tensor", last: ag.Tensor, **named: ag.Tensor):
        traced.append(n)
        return x + sum(rows) + last + named["more"]

    traced: list = []
    hinted = ag.function(program, experimental_follow_type_hints=True)
    for number in (1, 2, 3):
        assert int(hinted(number, 7, number, last=number, more=number)) == 4 * number
    assert traced == [7]
    hinted(1, 8, 1, last=1, more=1)
    assert traced == [7, 8]
