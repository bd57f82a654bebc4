"""A graph in the language of Graphviz."""

import re

import pytest

import allograph as ag
from allograph.tools.dot import as_dot


@pytest.fixture(scope="module")
def drawing():
    @ag.function
    def shrink(x):
        while ag.reduce_sum(x) > 1:
            x = ag.tanh(x) * 0.5
        ag.print("done")
        return x

    return as_dot(shrink.get_concrete_function(ag.TensorSpec([3], ag.float32)).frozen)


def test_it_opens_and_closes_what_it_opens(drawing):
    assert drawing.startswith("digraph ")
    assert drawing.count("{") == drawing.count("}")


def test_every_name_on_an_edge_is_drawn(drawing):
    drawn = set(re.findall(r"^ *(n\d+) \[", drawing, re.MULTILINE))
    for start, end in re.findall(r"(n\d+) -> (n\d+)", drawing):
        assert {start, end} <= drawn


def test_the_parts_of_a_loop_are_frames_with_their_own_operations(drawing):
    frames = re.findall(r'subgraph cluster_n\d+ \{\s*label="(\w+): ', drawing)
    assert len(frames) == 2
    assert drawing.index("subgraph") < drawing.index('label="tanh')


def test_edges_carry_the_type_of_their_tensor(drawing):
    assert '[label="float32[3]"]' in drawing


def test_unknown_sizes_and_ranks_are_written_as_the_command_line_reads_them():
    @ag.function
    def negate(x, y):
        return -x, -y

    specs = ag.TensorSpec([None, 3]), ag.TensorSpec(None)
    drawing = as_dot(negate.get_concrete_function(*specs).frozen)
    assert "float32[?,3]" in drawing and "float32[...]" in drawing


def test_an_operation_with_an_effect_is_filled(drawing):
    (line,) = [row for row in drawing.splitlines() if 'label="print' in row]
    assert "fillcolor" in line


def test_the_tooltip_is_the_line_of_the_user(drawing):
    assert re.search(r'tooltip="[^"]*test_dot\.py:\d+"', drawing)
