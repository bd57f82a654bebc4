"""The strongest law, on random programs: converted code is the Python it came from; graphs, on
NumPy and native, compute what eager does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from law_kit import load, outcome, programs
from program_generator import program

import allograph as ag

INPUTS = [(0, 0, 0), (1, -2, 3), (-7, 5, 50), (13, 13, -1)]
seeds = st.integers(0, 10**9)


@programs(200)
@given(seeds)
def test_converted_programs_are_python(seed):
    plain = load(program(seed))
    converted = ag.autograph.to_graph(plain)
    for inputs in INPUTS:
        assert outcome(converted, *inputs) == outcome(plain, *inputs)


@programs(200)
@given(seeds)
def test_converted_programs_raise_and_catch_as_python_does(seed):
    plain = load(program(seed, raises=True))
    converted = ag.autograph.to_graph(plain)
    for inputs in INPUTS:
        assert outcome(converted, *inputs) == outcome(plain, *inputs)


def assert_graph_computes_what_python_does(seed, lists=True, **options):
    plain = load(program(seed, lists))
    features = ag.autograph.experimental.Feature.ALL
    decorated = ag.function(plain, experimental_autograph_options=features, **options)
    for inputs in INPUTS:
        expected = plain(*inputs)
        assert int(decorated(*map(ag.constant, inputs))) == expected, program(seed, lists)


@programs(60)
@given(seeds)
def test_graphs_on_numpy_compute_what_python_does(seed):
    assert_graph_computes_what_python_does(seed, jit_compile=False)


@programs(5)
@given(seeds)
def test_native_code_computes_what_python_does(seed):
    assert_graph_computes_what_python_does(seed, lists=False, jit_compile=True)


@programs(60)
@given(seeds)
def test_eager_tensors_compute_what_python_does(seed):
    plain = load(program(seed))
    for inputs in INPUTS:
        assert int(plain(*map(ag.constant, inputs))) == plain(*inputs), program(seed)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_program_is_the_same_text_each_time(seed):
    assert program(seed) == program(seed)
