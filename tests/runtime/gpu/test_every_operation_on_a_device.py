"""What native code of the CPU computes, a device does too, but for what docs/gpu.md lists."""

import re
from dataclasses import replace

import numpy as np
import pytest
from op_samples import all_samples
from source_tree import ROOT

import allograph as ag
from allograph.runtime.codegen.native.emit_native import emit_native
from allograph.runtime.executors.compile_pipeline import native_forms, sized_program
from allograph.runtime.gpu import ptx
from allograph.runtime.gpu.backend import of_number
from allograph.runtime.lowering.not_native import NotNativeError
from allograph.runtime.passes.pipeline import optimize
from allograph.runtime.tensors.graph_builder import Builder

SAMPLES = all_samples()
LISTED = re.compile(r"\| (`.*`) \| [^|]+ \| the CPU \|")
NARROW = ("float16", "bfloat16")
UNITS = {"float16": 2**-9, "bfloat16": 2**-6, "float32": 2**-19, "complex64": 2**-19}
OF_THE_PLACE = {"random_draw", "stack_peek"}  # which a graph of one node does not have


def listed() -> set[str]:
    """The operations that the page names."""
    page = (ROOT / "docs/gpu.md").read_text("utf-8")
    return {name for row in LISTED.findall(page) for name in re.findall(r"`(\w+)`", row)}


def samples_of(name: str) -> list:
    """The first sample of each combination of data types; of floats, 16-bit ones too."""
    rows = [*SAMPLES[name], *(own for sample in SAMPLES[name] for own in narrowed(sample))]
    return list({tuple(array.dtype for array in row.arrays): row for row in rows[::-1]}.values())


def narrowed(sample):
    places = [at for at, array in enumerate(sample.arrays) if array.dtype.kind == "f"]
    for dtype in map(ag.as_dtype, NARROW if places else ()):
        if all(dtype in sample.op.accepts[sample.op.input_index(at)] for at in places):
            arrays = list(sample.arrays)
            for at in places:
                arrays[at] = arrays[at].astype(dtype.numpy_dtype)
            yield replace(sample, arrays=tuple(arrays))


def graphs_of(sample):
    """A graph of the operation, and one whose integers are constants, with their arguments."""
    for are_constant in (False, True):
        builder, arguments = Builder("law"), []
        with builder:
            operands = []
            for array, (dtype, shape) in zip(sample.arrays, sample.specs, strict=True):
                if are_constant and array.dtype.kind in "iu":
                    operands.append(ag.constant(array))
                else:
                    operands.append(builder.input(dtype, shape, "x"))
                    arguments.append(array)
            results = sample.op(*operands, **sample.attrs)
        results = list(results) if isinstance(results, (tuple, list)) else [results]
        yield optimize(builder.finish(results)), arguments


def is_native(graph) -> bool:
    """Whether the CPU has native code for the whole graph."""
    try:
        form = next(native_forms(graph))
        sized = sized_program(form)
        emit_native(form.program if sized is None else sized)
    except NotNativeError:
        return False
    return True


def assert_same(results, expected, sample):
    for own, other in zip(results, expected, strict=True):
        assert (own.dtype, own.shape) == (other.dtype, other.shape), sample
        if own.dtype.kind in "fcV":
            units = UNITS.get(own.dtype.name, 2**-47)
            own, other = own.astype(np.complex128), other.astype(np.complex128)
            np.testing.assert_allclose(own, other, units, units / 64, err_msg=str(sample))
        else:
            np.testing.assert_array_equal(own, other, err_msg=str(sample))


def on_the_device(name: str) -> str:
    """Run the samples of an operation. Says whether the device has it, where the CPU does."""
    says = ""
    for sample in samples_of(name):
        for graph, arguments in graphs_of(sample):
            try:
                program = of_number("0").of_graph(graph)
            except NotNativeError:
                says = "listed" if is_native(graph) else says
                continue
            if name not in OF_THE_PLACE:
                assert_same(program(*arguments), sample.run(), sample)
            for kernel in program.program.kernels:
                ptx.llvm_assembly(kernel)
            break
    return says


@pytest.mark.parametrize("part", range(8))
def test_operations_are_those_of_the_cpu_but_for_those_that_the_page_lists(part, monkeypatch):
    monkeypatch.setenv("ALLOGRAPH_DEVICE", "emulated")
    names = sorted(SAMPLES)[part::8]
    lacking = {name for name in names if on_the_device(name) == "listed"}
    assert lacking == listed().intersection(names)
