"""The text of a graph may come from a stranger: it is checked, in bounded time and memory."""

import base64
import os
import time

import numpy as np
import pytest

import allograph as ag
from allograph.library.saved.attribute_parser import AttributeReader
from allograph.library.saved.graph_parser import parse, parse_all

ag.constant(0)  # registers the operations


def attribute(source, objects=None):
    value, end = AttributeReader(objects or {}).read(source)
    if end < len(source):
        raise ValueError("there is more")
    return value


def one_node(line, inputs="x: float32[2]", output="y"):
    return parse(f"graph f({inputs}) -> ({output}):\n  {line}")


@pytest.mark.parametrize(
    "source",
    [
        "__import__('os')",
        "().__class__",
        "lambda: 0",
        "open('x', 'w')",
        "[x for x in ()]",
        "1 + 1",
        "f'{1}'",
        "object('missing')",
        "error(1)(2)",
        "*()",
    ],
)
def test_an_expression_that_is_no_attribute_is_refused(source):
    with pytest.raises(ValueError):
        attribute(source)


@pytest.mark.parametrize(
    "source",
    [
        "hole(-1)",
        "hole(0, 'eval', '1')",
        "hole(0, 'format', '>99999999')",
        "hole(0, 'percent', '%*d')",
        "items('exec', (1,))",
        "items('str', (1,))",
        "items('dict', (1, 2), ('a',))",
        "raised('ValueError', (), items('dict', ()), None, False)",
        "raised(error('ValueError'), 5, items('dict', ()), None, False)",
        "raised(error('ValueError'), (), items('dict', (1,), ('__class__',)), None, False)",
        "raised(error('ValueError'), (), items('dict', (1,), ('with_traceback',)), None, False)",
        "raised(error('ValueError'), (), items('dict', (1,), ('where',)), None, False)",
        "raised(error('ValueError'), (), items('dict', ()), 'cause', False)",
    ],
)
def test_an_exception_consists_of_data(source):
    with pytest.raises(ValueError):
        attribute(source)


def test_an_exception_has_the_operands_that_it_shows():
    form = "raised(error('KeyError'), items('tuple', (hole({0}),)), items('dict', ()), None, False)"
    assert one_node("raise_error(x) form=" + form.format(0), output="x")
    with pytest.raises(ValueError, match="there is no value 1"):
        one_node("raise_error(x) form=" + form.format(1), output="x")


def test_an_exception_of_the_system_is_not_raised():
    found = attribute("raised(error('SystemExit'), (), items('dict', ()), None, False)")
    assert found.error_class is RuntimeError


def test_brackets_may_be_nested_only_so_deep():
    assert attribute("[" * 90 + "]" * 90)
    with pytest.raises(ValueError, match="nested more than 100 times"):
        attribute("[" * 100_000)


@pytest.mark.parametrize(
    "source",
    [
        "array('float32', (1000000000000,), (1.0,))",
        "array('float32', (-1,), (1.0,))",
        "data('float32', (1000000000000,), 'AAAA')",
        "data('string', (1,), 'AAAAAAAAAAA=')",
        "texts((2,), (b'a',))",
        "texts((1,), ((),))",
        "spec('float32', (-1,))",
        "array('nonsense', (), (1,))",
        "array('3f4', (), (1,))",
        "dtype('f4,f4')",
        "dtype('" + "9" * 5000 + "')",
        "dtype(5)",
    ],
)
def test_an_array_has_the_elements_that_are_written(source):
    with pytest.raises(ValueError):
        attribute(source)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("y: float32[100] = tanh(x)", r"'tanh' computes float32 with shape \(2,\), not y"),
        ("y: int32[2] = tanh(x)", "'tanh' computes float32"),
        ("y: float32[2], z: float32[2] = tanh(x)", "has 1 outputs, not 2"),
        ("y: float32[2] = tanh(x, x)", "'tanh' does not take these operands"),
        ("y: float32[2] = add(x, x, x)", "'add' does not take these operands"),
        ("y: 2f4[2] = tanh(x)", "'2f4' is not the name of a data type"),
        ("y: float32[2] = tanh(z)", "'z' is read before it is defined"),
        ("x: float32[2] = tanh(x)", "'x' is defined twice"),
        ("y: float32[2] = const() value=5", "'const' does not take these operands"),
        ("y: float32[2] = call(x) graph=@g", "there is no graph 'g'"),
        ("y: float32[2] = call(x) graph=@f", "the graph 'f' contains itself"),
        ("y: float32[2] = tanh(x) # nowhere", "this is not an attribute"),
        ("y: float32[2] = sort(x) axis=0 descending='f()'", "'descending' of 'sort' is 'f\\(\\)'"),
        ("y: float32[] = strided_slice(x) index=('f()',)", "is not an index"),
        ("y: float32[] = strided_slice(x) index=((1, 'f()', 1),)", "is not an index"),
        ("y: float32[] = strided_slice(x) index=(2,)", "index 2 is out of range"),
    ],
)
def test_a_node_that_its_operation_would_not_record_is_refused(line, message):
    with pytest.raises(ValueError, match=message):
        one_node(line)


@pytest.mark.parametrize("claim", ["float32[5]", "float64[2]", "float32[2,1]"])
def test_a_variable_gets_no_value_that_does_not_fit(claim):
    v = ag.Variable([1.0, 2.0])
    line = f"graph f(x: {claim}) -> (y):\n  y: float32[?] = assign_variable(x) cell=object('v')"
    with pytest.raises(ValueError, match="no value of the variable"):
        parse_all(line, {"v": v.handle})


def test_a_value_of_unknown_shape_is_checked_before_it_is_assigned():
    v = ag.Variable([1.0, 2.0])
    line = "graph f(x: float32[?]) -> (y):\n  y: float32[2] = assign_variable(x) cell=object('v')"
    nodes = parse_all(line, {"v": v.handle})["f"].nodes
    assert [node.op.name for node in nodes] == ["ensure_shape", "assign_variable"]


@pytest.mark.parametrize("cell", ["dtype('int8')", "None", "'v'", "5"])
def test_a_variable_is_one(cell):
    with pytest.raises(ValueError, match="not a variable"):
        one_node(f"y: float32[2] = assign_variable(x) cell={cell}")


def test_what_is_claimed_of_a_result_beyond_its_operation_is_checked_when_it_runs():
    source = "graph f(x: float32[?]) -> (z):\n"
    source += "  y: float32[3] = tanh(x)\n  z: float32[3] = tanh(y)"
    graph = parse(source)
    assert [node.op.name for node in graph.nodes] == ["tanh", "ensure_shape", "tanh"]
    assert [node.outputs[0].shape for node in graph.nodes] == [(None,), (3,), (3,)]


def test_an_attribute_of_another_version_is_refused_with_a_cure():
    with pytest.raises(ag.errors.UnimplementedError, match="has no attribute 'kind'") as caught:
        one_node("y: float32[2] = tanh(x) kind='GZIP'")
    assert "Save the module again" in str(caught.value)


def test_a_subgraph_takes_what_it_gets():
    source = "graph f(x: float32[2]) -> (y):\n  y: float32[100] = call(x) graph=@g\n\n"
    with pytest.raises(ValueError, match=r"takes a: float32\[100\], but gets x: float32\[2\]"):
        parse(source + "graph g(a: float32[100]) -> (a):")


def test_a_test_is_a_bool_scalar():
    source = "graph f(x: float32[2]) -> (y):\n  y: float32[2] = while(x) test=@t body=@b carried=1"
    source += "\n\ngraph t(x: float32[2]) -> (x):\n\ngraph b(x: float32[2]) -> (x):"
    with pytest.raises(ValueError, match="a test is a bool scalar"):
        parse(source)


def called(title: str, inner: str, times: int = 1) -> str:
    lines = [f"  y{count}: float32[] = call(x) graph=@{inner}" for count in range(times)]
    return "\n".join([f"graph {title}(x: float32[]) -> (y0):", *lines, "", ""])


def test_graphs_are_nested_only_so_deep():
    chain = [called(f"g{count}", f"g{count + 1}") for count in range(5000)]
    with pytest.raises(ValueError, match="nested too deeply"):
        parse_all("".join(chain) + "graph g5000(x: float32[]) -> (x):")


def test_graphs_that_multiply_are_refused():
    chain = [called(f"g{count}", f"g{count + 1}", times=10) for count in range(30)]
    with pytest.raises(ValueError, match="more than 1,000,000 nodes"):
        parse_all("".join(chain) + "graph g30(x: float32[]) -> (x):")


@pytest.mark.slow
@pytest.mark.parametrize(
    "source",
    [
        "graph " + "(" * 200_000,
        "graph f(" + "x: float32[], " * 20_000,
        "graph f() -> (" + "x, " * 200_000,
        "graph f() -> ():\n  " + "a = " * 100_000,
        "graph f() -> ():\n  a: string[] = const() value='" + "\\\\" * 100_000,
        "graph f() -> ():\n  a: string[] = const() value=" + "-" * 200_000,
        "graph f() -> ():\n  a: int32[] = const() value=" + "9" * 200_000,
        "graph f() -> ():" + "\n " * 200_000 + "x",
        "graph f(x: int32[]) -> ():\n  y: int32[] = identity(x) " + "# :1" * 100_000 + "x",
    ],
    ids=range(9),
)
def test_the_time_is_linear_in_the_length(source):
    begin = time.perf_counter()
    with pytest.raises(ValueError):
        parse(source)
    assert time.perf_counter() - begin < 5


def test_results_that_take_long_are_not_folded_while_a_file_is_read():
    source = "graph f() -> (m):\n  x: string[] = const() value=texts((), (b'"
    source += "a" * 40 + "',))\n  m: bool[] = regex_full_match(x) pattern='(a+)+b'"
    begin = time.perf_counter()
    assert parse(source).outputs[0].constant is None
    assert time.perf_counter() - begin < 1


def test_as_many_outputs_are_computed_as_are_written():
    with pytest.raises(ValueError, match="10000000000 are computed"):
        one_node("y: float32[] = unstack(x) num=10000000000 axis=0")


@pytest.mark.skipif(os.name == "nt", reason="these files are not there")
@pytest.mark.parametrize("file", ["/dev/zero", "/etc/passwd", "/"])
def test_a_location_opens_no_file_but_source(file):
    graph = one_node(f"y: float32[2] = tanh(x)    # {file}:1")
    assert graph.nodes[0].where.excerpt() == f'  File "<{file}>", line 1, in <saved>'


@pytest.mark.slow
def test_a_large_constant_is_not_read_again_by_each_node():
    data = base64.b64encode(np.zeros(1_000_000, np.float32).tobytes()).decode()
    lines = [f"  c: float32[1000000] = const() value=data('float32', (1000000,), '{data}')"]
    for count in range(1000):
        lines.append(f"  s{count}: float32[] = reduce_sum(c) axis=None keepdims=False")
    begin = time.perf_counter()
    graph = parse("graph f() -> (s0):\n" + "\n".join(lines))
    assert time.perf_counter() - begin < 5
    assert len(graph.nodes) == 1001 and graph.outputs[0].constant is None


@pytest.mark.parametrize(
    "form",
    [
        "'plain'",
        "items('list', (hole(0),))",
        "items('str', (hole(1, 'format'),))",
        "items('str', (hole(0),))",
        "items('str', (hole(0, 'format', '>99999'),))",
        "raised(error('KeyError'), (), items('dict', ()), None, False)",
    ],
)
def test_a_formatted_string_is_made_of_its_operands(form):
    made = "items('str', ('a', hole(0, 'format', '')))"
    line = "y: string[] = format_text(x) form="
    assert one_node(line + made)
    with pytest.raises(ValueError):
        one_node(line + form)
