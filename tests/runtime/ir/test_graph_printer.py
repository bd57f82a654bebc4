"""The text form of graphs: what is written reads back the same, for every operation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from op_samples import all_samples

import allograph as ag
from allograph.library.saved.attribute_parser import AttributeReader
from allograph.library.saved.graph_parser import parse, parse_all
from allograph.runtime.ir.graph import Graph, Node, Value
from allograph.runtime.ir.graph_printer import as_text, print_graphs, show_attribute
from allograph.runtime.ir.op import TABLE

ag.constant(0)  # registers the operations
SAMPLES = all_samples()


def graph_of(sample):
    """A graph of one node with the operation, types and attributes of a sample."""
    inputs = tuple(Value(dtype, shape, f"x{i}") for i, (dtype, shape) in enumerate(sample.specs))
    specs = sample.op.result(*inputs, **sample.attrs)
    specs = [specs] if hasattr(specs, "dtype") else list(specs)
    outputs = tuple(Value(spec.dtype, spec.shape, f"y{i}") for i, spec in enumerate(specs))
    node = Node(sample.op, inputs, sample.attrs, outputs, None, "node")
    return Graph("sample", inputs, (node,), outputs)


def same(one, other):
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and same_bits(one, other)
    if isinstance(one, (tuple, list)):
        return type(one) is type(other) and all(map(same, one, other))
    return type(one) is type(other) and (one == other or one != one)


def same_bits(one, other):
    return (
        one.tolist() == other.tolist() if one.dtype == object else one.tobytes() == other.tobytes()
    )


def read_back(value):
    text = show_attribute(value)
    found, end = AttributeReader({}).read(text)
    assert end == len(text) and "\n" not in text
    return found


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_a_node_reads_back(name):
    for sample in SAMPLES[name]:
        graph = graph_of(sample)
        text = as_text(graph)
        if "=<" in text:
            continue  # an object of this process
        (node,) = parse(text).nodes
        assert node.op is sample.op
        assert list(node.attrs) == list(sample.attrs)
        assert all(same(sample.attrs[key], node.attrs[key]) for key in node.attrs)
        assert [(v.dtype, v.shape) for v in node.outputs] == [
            (v.dtype, v.shape) for v in graph.outputs
        ]


kinds = st.sampled_from([t.numpy_dtype for t in (ag.float16, ag.float32, ag.complex64, ag.int8)])


@pytest.mark.slow
@given(arrays.arrays(kinds, arrays.array_shapes(min_dims=0, max_side=3)))
def test_an_array_reads_back_to_the_bit(array):
    assert same(read_back(array), array)


leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary()


@pytest.mark.slow
@given(st.recursive(leaves, lambda rows: st.lists(rows) | st.lists(rows).map(tuple)))
def test_a_python_value_reads_back(value):
    assert same(read_back(value), value)


def test_text_that_looks_like_the_form_itself_reads_back():
    value = "a =@b c=1    # x.py:3 ) (\n\n  graph f() -> ():"
    x, y = Value(ag.string, (), "x"), Value(ag.string, (), "y")
    node = Node(TABLE["lower"], (x,), {"encoding": value}, (y,))
    assert parse(as_text(Graph("g", (x,), (node,), (y,)))).nodes[0].attrs["encoding"] == value


def test_bfloat16_reads_back():
    pytest.importorskip("ml_dtypes")
    array = np.array([1.5, -2.0], ag.as_dtype("bfloat16").numpy_dtype)
    assert same(read_back(array), array)


def test_a_graph_that_is_called_twice_is_written_once():
    @ag.function
    def inner(x):
        return x + 1

    @ag.function
    def outer(x):
        return inner(x) * inner(x)

    graph = outer.get_concrete_function(ag.TensorSpec([], ag.int32)).frozen
    text = as_text(graph)
    assert text.count("\ngraph ") == 1
    first, second = (node for node in parse(text).nodes if node.op.name == "call")
    assert first.attrs["graph"] is second.attrs["graph"]


def test_the_place_of_a_node_reads_back():
    @ag.function
    def f(x):
        return x + 1

    (node,) = (
        n for n in f.get_concrete_function(ag.TensorSpec([])).frozen.nodes if n.op.name == "add"
    )
    graph = f.get_concrete_function(ag.TensorSpec([])).frozen
    again = parse(as_text(graph)).nodes[-1]
    assert str(again.where) == str(node.where)
    assert "return x + 1" in again.where.excerpt()


def test_objects_are_written_by_the_name_that_the_caller_gives_them():
    v = ag.Variable(1.0)
    graph = ag.function(lambda: v + 1.0).get_concrete_function().frozen
    text = print_graphs({"f": graph}, lambda thing: "weights/v" if thing is v.handle else None)
    other = ag.Variable(2.0)
    again = parse_all(text, {"weights/v": other.handle})["f"]
    assert again.nodes[0].attrs["cell"] is other.handle


def test_an_attribute_that_the_text_does_not_know_has_its_default():
    (node,) = parse("graph f(x: string[]) -> (y):\n  y: string[] = lower(x)").nodes
    assert node.attrs == {"encoding": ""}


def test_an_unknown_operation_is_refused_by_name():
    with pytest.raises(ag.errors.UnimplementedError, match="no operation 'fold_space'"):
        parse("graph f(x: int32[]) -> (y):\n  y: int32[] = fold_space(x)")


def test_show_attribute_tells_the_class_of_what_it_cannot_write():
    assert show_attribute(object()) == "<object>"


def test_what_is_known_of_an_input_reads_back():
    sizes = ag.constant([2, 3])

    @ag.function
    def f(x):
        return ag.reshape(x, sizes)

    graph = f.get_concrete_function(ag.TensorSpec([6])).frozen
    (again,) = (value for value in parse(as_text(graph)).inputs if value.constant is not None)
    assert again.constant.tolist() == [2, 3]
    partly = Value(ag.int32, (2,), "p", np.array([None, 4], object))
    (value,) = parse(as_text(Graph("g", (partly,), (), (partly,)))).inputs
    assert value.constant.tolist() == [None, 4]
