"""Random graphs: passes change no value, plans and native code compute what the kernels do."""

import pytest
from example_counts import examples
from graph_generator import random_graph, random_inputs
from hypothesis import given
from hypothesis import strategies as st
from interpreter import assert_same, interpret
from large_paths import set_to

from allograph.library.saved.graph_parser import parse
from allograph.runtime.executors.executable import Executable
from allograph.runtime.ir.graph import check
from allograph.runtime.ir.graph_printer import as_text
from allograph.runtime.ir.node_properties import is_static_graph
from allograph.runtime.passes.pipeline import OPTIMIZATIONS, optimize
from allograph.runtime.passes.propagate_shapes import specialise_shapes

pytestmark = pytest.mark.slow
seeds = st.integers(0, 10**9)


@pytest.mark.parametrize("row", OPTIMIZATIONS, ids=lambda row: row.name)
@examples(30)
@given(seed=seeds)
def test_a_pass_changes_no_bit_of_a_value_and_nothing_when_it_runs_again(row, seed):
    graph = random_graph(seed)
    once = row(graph)
    check(once)
    inputs = random_inputs(graph, seed)
    assert_same(interpret(once, inputs), interpret(graph, inputs))
    assert as_text(row(once)) == as_text(once)


@examples(60)
@given(seeds)
def test_all_passes_together_change_no_value(seed):
    graph = random_graph(seed)
    inputs = random_inputs(graph, seed)
    assert_same(interpret(optimize(graph), inputs), interpret(graph, inputs))


@examples(60)
@given(seeds)
def test_working_out_the_shapes_again_changes_nothing(seed):
    graph = random_graph(seed)
    inputs = random_inputs(graph, seed)
    again = specialise_shapes(graph, [value.shape for value in graph.inputs])
    check(again)
    assert is_static_graph(again)
    assert_same(interpret(again, inputs), interpret(graph, inputs))


@examples(60)
@given(seeds)
def test_the_text_form_reads_back(seed):
    graph = random_graph(seed)
    again = parse(as_text(graph))
    inputs = random_inputs(graph, seed)
    assert as_text(parse(as_text(again))) == as_text(again)
    assert_same(interpret(again, inputs), interpret(graph, inputs))


@examples(60)
@given(seeds)
def test_the_plan_computes_what_the_kernels_do(seed):
    graph = random_graph(seed)
    run = Executable(graph, "plan")
    for other in range(2):
        inputs = random_inputs(graph, seed + other)
        before = [array.copy() for array in inputs]
        assert_same(run(*inputs), interpret(graph, inputs))
        assert_same(inputs, before)


@examples(60)
@given(seeds)
def test_the_plan_computes_the_same_a_few_rows_at_a_time(seed):
    graph = random_graph(seed)
    inputs = random_inputs(graph, seed)
    with set_to({"ROWS_FROM": 1, "ROWS_BLOCK": 1}):
        run = Executable(graph, "plan")
    before = [array.copy() for array in inputs]
    assert_same(run(*inputs), interpret(graph, inputs))
    assert_same(inputs, before)


@examples(6)
@given(seeds)
def test_native_code_computes_what_the_kernels_do(seed):
    graph = random_graph(seed)
    run = Executable(graph, "native")
    for other in range(4):
        inputs = random_inputs(graph, seed + other)
        before = [array.copy() for array in inputs]
        assert_same(run(*inputs), interpret(graph, inputs), rtol=1e-6)
        assert_same(inputs, before)
