"""Which lines of a kernel compute which nodes."""

import pytest

import allograph as ag
from allograph.library.profiling.instruction_lines import located_assembly
from allograph.library.profiling.kernel_lines import nodes_by_line
from allograph.runtime.codegen.native.emit_native import code_and_origins
from allograph.runtime.executors.compile_pipeline import native_form
from allograph.runtime.executors.native_program import compile_program
from allograph.runtime.jit.backends import compiling_with

pytest.importorskip("llvmlite")


def names_by_line(function, *specs):
    graph = ag.function(function).get_concrete_function(*specs).optimized_graph
    code, origins = code_and_origins(native_form(graph).program)
    rows = nodes_by_line(code, origins)
    lines = [line.strip() for line in code.source.splitlines()]
    return lines, [[node.op.name for node in nodes] for nodes in rows]


def settle(x):
    while ag.reduce_max(x) > 3.0:
        x = ag.tanh(x) * 2.0
    return x


def in_parallel(x):
    return ag.reduce_sum(ag.tanh(x) * 2.0, axis=1)


def test_a_line_belongs_to_the_operation_whose_result_it_computes():
    lines, names = names_by_line(lambda x: ag.tanh(x) + 1.0, ag.TensorSpec([500], ag.float32))
    by_line = dict(zip(lines, names, strict=True))
    assert [by_line[line] for line in lines if "tanh_f32" in line] == [["tanh"]]
    assert [by_line[line] for line in lines if "np.float32(1.0)" in line] == [["add"]]
    assert [by_line[line] for line in lines if line.startswith("for ")] == [["tanh", "add"]]


def test_what_is_stored_decides_where_results_share_an_array():
    lines, names = names_by_line(settle, ag.TensorSpec([500], ag.float32))
    stores = [row for line, row in zip(lines, names, strict=True) if "[i0] = r" in line]
    assert stores == [["multiply"]]


def test_every_line_of_a_loop_nest_has_an_operation():
    lines, names = names_by_line(
        lambda x: ag.reduce_sum(x * x, axis=1), ag.TensorSpec([30, 40], ag.float32)
    )
    assert all(names[1:]), list(zip(lines, names, strict=True))


def kernel_of(function, shape):
    spec = ag.TensorSpec(shape, ag.float32)
    graph = ag.function(function).get_concrete_function(spec).optimized_graph
    with compiling_with("allograph"):  # the only compiler that keeps lines
        (kernel,) = compile_program(native_form(graph).program).kernels
    return kernel


def code(lines):
    return [line for line in lines if line.startswith("\t") and not line.startswith("\t.")]


@pytest.mark.slow
@pytest.mark.parametrize("function, shape", [(settle, [500]), (in_parallel, [3000, 1000])])
def test_instructions_with_their_lines_are_those_that_run(function, shape):
    kernel = kernel_of(function, shape)
    located = located_assembly(kernel.code, kernel.types, kernel.results)
    assert code(line for line, _ in located) == code(kernel.assembly().splitlines())


def test_the_instructions_of_an_operation_know_its_line():
    kernel = kernel_of(settle, [500])
    located = located_assembly(kernel.code, kernel.types, kernel.results)
    lines = kernel.source.splitlines()
    known = {lines[number - 1].strip() for _, number in located if number is not None}
    assert any("tanh_f32" in line for line in known)
    assert any("larger_f32" in line for line in known)
    assert not any(".loc" in line or ".debug" in line for line, _ in located)
