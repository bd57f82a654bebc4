"""The strongest law, on random programs: converted code is the Python it came from; graphs, on
NumPy and native, compute what eager does. `tests/fuzz.py` runs the same for as long as wanted."""

import pytest
from handler_programs import handler_program
from hypothesis import given
from hypothesis import strategies as st
from law_kit import (
    assert_converted_is_python,
    assert_eager_is_python,
    assert_graph_is_python,
    assert_graph_raises_as_python,
    programs,
)
from program_generator import program
from shared_programs import shared_program
from syntax_programs import syntax_program
from tensor_programs import assert_graph_of_tensors_is_eager
from wild_laws import assert_wild_converted_is_python, assert_wild_graph_is_python_or_refused
from wild_programs import wild_program

seeds = st.integers(0, 10**9)


@pytest.mark.slow
@programs(200)
@given(seeds)
def test_converted_programs_are_python(seed):
    assert_converted_is_python(seed)


@pytest.mark.slow
@programs(200)
@given(seeds)
def test_converted_programs_raise_and_catch_as_python_does(seed):
    assert_converted_is_python(seed, raises=True)


@pytest.mark.slow
@programs(60)
@given(seeds)
def test_graphs_on_numpy_compute_what_python_does(seed):
    assert_graph_is_python(seed, native=False)


@pytest.mark.slow
@programs(5)
@given(seeds)
def test_native_code_computes_what_python_does(seed):
    assert_graph_is_python(seed, native=True)


@pytest.mark.slow
@programs(60)
@given(seeds)
def test_graphs_on_numpy_raise_what_python_does(seed):
    assert_graph_raises_as_python(seed, native=False)


@pytest.mark.slow
@programs(4)
@given(seeds)
def test_native_code_raises_what_python_does(seed):
    assert_graph_raises_as_python(seed, native=True)


@programs(60)
@given(seeds)
def test_eager_tensors_compute_what_python_does(seed):
    assert_eager_is_python(seed)


@pytest.mark.slow
@programs(100)
@given(seeds)
def test_wild_programs_converted_are_python(seed):
    assert_wild_converted_is_python(seed)


@pytest.mark.slow
@programs(60)
@given(seeds)
def test_graphs_of_wild_programs_compute_what_python_does_or_are_refused(seed):
    assert_wild_graph_is_python_or_refused(seed, native=False)


@pytest.mark.slow
@programs(4)
@given(seeds)
def test_native_code_of_wild_programs_computes_what_python_does_or_is_refused(seed):
    assert_wild_graph_is_python_or_refused(seed, native=True)


@pytest.mark.slow
@programs(100)
@given(seeds)
def test_programs_of_handlers_converted_are_python(seed):
    assert_wild_converted_is_python(seed, handler_program)


@pytest.mark.slow
@programs(60)
@given(seeds)
def test_graphs_of_programs_of_handlers_compute_what_python_does_or_are_refused(seed):
    assert_wild_graph_is_python_or_refused(seed, native=False, make=handler_program)


@pytest.mark.slow
@programs(60)
@given(seeds)
def test_programs_of_shared_containers_converted_are_python(seed):
    assert_wild_converted_is_python(seed, shared_program)


@pytest.mark.slow
@programs(60)
@given(seeds)
def test_graphs_of_programs_of_shared_containers_compute_what_python_does_or_are_refused(seed):
    assert_wild_graph_is_python_or_refused(seed, native=False, make=shared_program)


@pytest.mark.slow
@programs(60)
@given(seeds)
def test_programs_of_rare_syntax_converted_are_python(seed):
    assert_wild_converted_is_python(seed, syntax_program)


@pytest.mark.slow
@programs(40)
@given(seeds)
def test_graphs_of_programs_of_rare_syntax_compute_what_python_does_or_are_refused(seed):
    assert_wild_graph_is_python_or_refused(seed, native=False, make=syntax_program)


@pytest.mark.slow
@programs(60)
@given(seeds)
def test_graphs_of_tensors_of_all_types_compute_what_eager_code_does(seed):
    assert_graph_of_tensors_is_eager(seed)


@pytest.mark.slow
@programs(8)
@given(seeds)
def test_native_code_of_tensors_computes_what_eager_code_does(seed):
    assert_graph_of_tensors_is_eager(seed, native=True)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_program_is_the_same_text_each_time(seed):
    assert program(seed) == program(seed)
    assert wild_program(seed) == wild_program(seed)
    assert handler_program(seed) == handler_program(seed)
    assert shared_program(seed) == shared_program(seed)
    assert syntax_program(seed) == syntax_program(seed)
