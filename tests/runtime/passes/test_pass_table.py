"""A pass that is not loaded for a graph would not have changed it."""

import itertools
import sys

import numpy as np
import pytest
from example_counts import examples
from graph_generator import random_graph
from hypothesis import given
from hypothesis import strategies as st

import allograph as ag
from allograph.runtime.codegen.native.kernel_writer import host_target
from allograph.runtime.executors.compile_pipeline import native_form
from allograph.runtime.passes.pipeline import (
    ARRAY,
    ORDERING,
    PREPARATION,
    RETRIED,
    contents_of,
    optimize,
)


def check(graph):
    target = host_target()
    for row in (*PREPARATION, *RETRIED, *ORDERING):
        if row.name != "with_inferred_shapes":  # it also drops values that are known
            always = row.function(graph, *[target] * row.by_target)
            assert (row(graph, target) is graph) == (always is graph), row.name


def rows_of_steps(x, w):
    h = ag.zeros_like(x[0])
    for t in ag.range(x.shape[0]):
        h = ag.tanh(x[t] @ w + h)
    return h


def until_small(x, w):
    while ag.reduce_max(x) > 1e-3:
        x = x * 0.9
    return x @ w


def scalars(x, w):
    i, total = 0, 0.0
    for i in ag.range(9):
        total += 0.5 * ag.cast(i, ag.float64)
    return i, total


def nested(x, w):
    total = ag.zeros_like(w)
    for t in ag.range(5):
        for k in ag.range(t):
            total += ag.tanh(total) * x[t, 0, k] + w
    return total


def growing(x, w):
    out = ag.TensorArray(ag.float64, 0, dynamic_size=True)
    for t in ag.range(7):
        out = out.write(t, ag.sin(x[t % 5, 0]))
    return out.stack()


def products(x, w):
    return ag.einsum("tbi,ij->tbj", x, w), ag.tensordot(x, w, 1), ag.split(x, 2, 1)


def unrolled(x, w):
    for t in range(40):
        w = w * 0.5 + ag.tanh(x[t % 5])
    return w


@pytest.mark.parametrize("is_gradient", [False, True])
@pytest.mark.parametrize(
    "function", [rows_of_steps, until_small, scalars, nested, growing, products, unrolled]
)
def test_for_functions(function, is_gradient):
    @ag.function
    def run(x, w):
        with ag.GradientTape() as tape:
            tape.watch((x, w))
            results = function(x, w)
        return tape.gradient(results, (x, w)) if is_gradient else results

    x, w = (ag.constant(np.ones(shape)) for shape in ((5, 4, 4), (4, 4)))
    graph = optimize(run.get_concrete_function(x, w).frozen)
    check(graph)
    check(native_form(graph).graph)


@examples(60)
@given(st.integers(0, 10**9))
def test_for_random_graphs(seed):
    graph = random_graph(seed)
    check(graph)
    check(optimize(graph))


def test_the_contents_of_a_graph_are_those_of_its_sub_graphs_too():
    number = ag.TensorSpec((), ag.float64)
    arrays = ag.function(nested).get_concrete_function(ag.zeros((5, 4, 4)), ag.zeros((4, 4)))
    alone = optimize(ag.function(scalars).get_concrete_function(number, number).frozen)
    assert {"while", "tanh", "add", ARRAY} <= contents_of(arrays.frozen)
    assert "while" in contents_of(alone)
    assert ARRAY not in contents_of(alone)


def nest(x, n, depth):
    y = x * 2.0
    for _ in ag.range(n):
        y = y + 1.0
        x = ag.sin(x) + 0.5
        if depth > 1:
            x = nest(x, n, depth - 1)
    return x


def graph_of_nest(depth):
    specs = ag.TensorSpec((), ag.float64), ag.TensorSpec((), ag.int32)
    return ag.function(lambda x, n: nest(x, n, depth)).get_concrete_function(*specs).frozen


def events_of_a_node(graph):
    """Calls and returns of functions in the optimizations, by the nodes of the graph."""
    events = itertools.count()
    sys.setprofile(lambda *_: next(events))
    try:
        optimize(graph)
    finally:
        sys.setprofile(None)
    return next(events) / sum(1 for _ in graph.walk())


def test_nests_of_loops_take_time_by_their_nodes_however_deep_they_are():
    shallow, deep = map(graph_of_nest, (3, 12))
    assert events_of_a_node(deep) < 1.4 * events_of_a_node(shallow)


def test_sub_graphs_that_are_optimized_already_are_not_walked_again():
    settled = optimize(optimize(graph_of_nest(3)))
    assert events_of_a_node(settled) < 0.1 * events_of_a_node(graph_of_nest(3))


def test_a_sub_graph_of_several_nodes_is_optimized_once():
    @ag.function
    def halved(x):
        return x * 0.5 * 1.0 if x > 1.0 else x

    twice = ag.function(lambda x: halved(halved(x) + 1.0))
    graph = optimize(twice.get_concrete_function(ag.TensorSpec((), ag.float64)).frozen)
    first, second = (node for node in graph.nodes if node.op.name == "if")
    assert first.attrs["then"] is second.attrs["then"]
