"""Graphs filled by hand and run in parts."""

import sys

import numpy as np
import pytest
from example_counts import examples
from hypothesis import given
from hypothesis import strategies as st

import allograph as ag


@pytest.fixture
def graph():
    return ag.Graph()


def test_only_what_is_fetched_has_to_be_fed(graph):
    with graph.as_default():
        x = ag.placeholder(ag.float32, [None])
        y = ag.placeholder(ag.float32, [None])
        double, total = x * 2, x + y
    with ag.Session(graph=graph) as session:
        assert session.run(double, {x: [1, 2]}).tolist() == [2.0, 4.0]
        with pytest.raises(ValueError, match="Placeholder_1"):
            session.run(total, {x: [1.0]})


def test_fetches_keep_their_structure(graph):
    with graph.as_default():
        x = ag.placeholder(ag.int32, [])
        y, z = x + 1, x * x
    made = ag.Session(graph=graph).run({"y": [y, None], "z": z}, {x: 3})
    assert made == {"y": [4, None], "z": 9}


def test_an_intermediate_tensor_may_be_fed(graph):
    with graph.as_default():
        x = ag.placeholder(ag.float32, [])
        square = x * x
        result = square + 1
    assert ag.Session(graph=graph).run(result, {square: 10.0}) == 11.0


def test_control_dependencies_belong_to_what_is_fetched(graph, capsys):
    with graph.as_default():
        x = ag.placeholder(ag.int32, [])
        ag.print("aside", output_stream=sys.stdout)
        shown = graph.get_operations()[-1]
        other = x + 1
        with ag.control_dependencies([shown]):
            y = x * 2
    session = ag.Session(graph=graph)
    assert session.run(other, {x: 1}) == 2
    assert capsys.readouterr().out == ""
    assert session.run(y, {x: 2}) == 4
    assert capsys.readouterr().out == "aside\n"
    assert session.run([shown]) == [None]
    assert capsys.readouterr().out == "aside\n"


def test_tensors_from_outside_are_captured(graph):
    outside, v = ag.constant([1.0, 2.0]), ag.Variable(10.0)
    with graph.as_default():
        y = outside * v
    session = ag.Session(graph=graph)
    assert session.run(y).tolist() == [10.0, 20.0]
    v.assign(1.0)
    assert session.run(y).tolist() == [1.0, 2.0]


def test_values_that_do_not_fit_are_refused(graph):
    with graph.as_default():
        x = ag.placeholder(ag.float32, [2])
        y = x + 1
    session = ag.Session(graph=graph)
    with pytest.raises(ValueError, match="shape"):
        session.run(y, {x: np.ones(3)})
    with pytest.raises(TypeError):
        session.run(y, {x: ["a", "b"]})
    with pytest.raises(ValueError, match="neither a tensor"):
        session.run(ag.constant(1))
    session.close()
    with pytest.raises(RuntimeError, match="closed"):
        session.run(y, {x: [1.0, 2.0]})


def test_placeholders_and_sessions_need_a_graph():
    with pytest.raises(RuntimeError):
        ag.placeholder(ag.float32)
    with pytest.raises(ValueError):
        ag.Session()


def test_tensors_of_a_traced_function_are_no_keys():
    with pytest.raises(TypeError, match="ref"):
        ag.function(lambda x: {x: 1})(ag.constant(1))


BINARY = (ag.add, ag.subtract, ag.multiply, ag.maximum)


@pytest.mark.slow
@examples(60)
@given(st.data())
def test_any_part_of_a_graph_is_what_eager_code_computes(data):
    rows = data.draw(st.lists(st.tuples(*[st.integers(0, 9)] * 3), min_size=1, max_size=8))
    graph = ag.Graph()
    with graph.as_default():
        made = [ag.placeholder(ag.int32, [], name=f"x{k}") for k in range(2)]
        for kind, left, right in rows:
            made.append(BINARY[kind % 4](made[left % len(made)], made[right % len(made)]))
    wanted = data.draw(st.lists(st.integers(0, len(made) - 1), min_size=1, max_size=3))
    fed = {k: data.draw(st.integers(-5, 5)) for k in (0, 1, data.draw(st.sampled_from(wanted)))}

    values = [fed[0], fed[1]]
    for place, (kind, left, right) in enumerate(rows, 2):
        one, other = values[left % place], values[right % place]
        values.append(fed.get(place, int(BINARY[kind % 4](one, other))))
    feeds = {made[k]: value for k, value in fed.items()}
    found = ag.Session(graph=graph).run([made[k] for k in wanted], feeds)
    assert [int(one) for one in found] == [values[k] for k in wanted]


def test_placeholders_are_operations_of_the_graph(graph):
    with graph.as_default():
        x = ag.placeholder(ag.float32, [None], name="x")
        _ = x * 2.0
    kinds = [(operation.name, operation.type) for operation in graph.get_operations()]
    assert kinds[0] == ("x", "Placeholder")
    assert [node.name for node in graph.as_graph_def().node] == [name for name, _ in kinds]
    assert graph.get_operation_by_name("x").outputs[0].name == x.op.name == "x"
    assert ag.Session(graph=graph).run([x.op]) == [None]
