"""`name=` names the operation in its graph."""

import pytest

import allograph as ag

NAMED = {
    "constant": lambda x: ag.constant(3.0, name="mine"),
    "zeros": lambda x: ag.zeros([2], name="mine"),
    "matmul": lambda x: ag.matmul(x, x, name="mine"),
    "reduce_sum": lambda x: ag.reduce_sum(x, axis=0, name="mine"),
    "cast": lambda x: ag.cast(x, ag.int32, name="mine"),
    "concat": lambda x: ag.concat([x, x], 0, name="mine"),
    "transpose": lambda x: ag.transpose(x, name="mine"),
    "where": lambda x: ag.where(x > 0, x, -x, name="mine"),
    "argmax": lambda x: ag.argmax(x, name="mine"),
    "split": lambda x: ag.split(x, 2, name="mine")[0],
    "uniform": lambda x: ag.random.uniform([2], name="mine"),
    "relu": lambda x: ag.nn.relu(x, name="mine"),
    "softmax": lambda x: ag.nn.softmax(x, name="mine"),
}


@pytest.mark.parametrize("make", NAMED.values(), ids=NAMED)
def test_a_name_is_that_of_the_operation(make):
    graph = ag.Graph()
    with graph.as_default():
        x = ag.placeholder(ag.float32, [2, 2], name="x")
        made = make(x)
    assert made.name == "mine:0"
    assert graph.get_operation_by_name("mine") is made.op
    value = ag.Session(graph=graph).run(graph.get_tensor_by_name("mine:0"), {x: [[1, 2], [3, 4]]})
    assert value.shape == made.shape


def test_a_name_given_twice_gets_a_number():
    with ag.Graph().as_default():
        names = [ag.constant(value, name="n").name for value in (1, 2)]
    assert names == ["n:0", "n_1:0"]
