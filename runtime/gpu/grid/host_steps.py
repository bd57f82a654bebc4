"""Operations between the kernels of a device that have no form for the threads of a grid: Fourier
transforms, decompositions of large matrices, and others. The CPU computes them, of copies of their
operands, or a library of NVIDIA's does; all else of the function is on the device.

    z = fft(x)                   pairs = stack([real(x), imag(x)], -1)
                                 results = computed_by_host(pairs)
                                 z = complex(results[..., 0], results[..., 1])
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...codegen.native.library_calls import form_of
from ...core.dtypes import ANY, float32, float64
from ...core.shapes import is_static
from ...ir.graph import Graph, Node, Value, dims
from ...ir.node_properties import is_fusible
from ...ir.op import PURE, TABLE, WRITES, Op, Spec
from ...ir.rewrite import inside_subgraphs, rewrite
from ...jit.routines import FORMS
from .grid_calls import form_of_threads

BETWEEN_KERNELS = "between kernels"  # as a library says by NAME and these words which nodes are so
COMPONENTS = ("real", "imag")
HOST_CALL = TABLE["host_call"]  # of a function of Python, which can undo what it did
IN_DOUBLE = "in float64"  # of what NumPy computes so in float32 too
NARROW = ("float16", "bfloat16")  # whose memory on a device is that of integers


def _called(*arrays, node: Node) -> tuple[np.ndarray, ...]:
    """The results of a node; complex numbers are pairs of real ones."""
    operands = [
        array.view(value.dtype.numpy_dtype)[..., 0] if value.dtype.is_complex else array
        for array, value in zip(arrays, node.inputs, strict=True)
    ]
    with np.errstate(all="ignore"):
        results = node.op.kernel(*operands, **node.attrs)
    results = results if type(results) is tuple else (results,)
    return tuple(
        _in_pairs(np.ascontiguousarray(result, value.dtype.numpy_dtype).reshape(dims(value)))
        for result, value in zip(results, node.outputs, strict=True)
    )


def _in_pairs(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind != "c":
        return array
    return array.reshape(*array.shape, 1).view(array.real.dtype)


FACTS = {
    "__doc__": "What the attribute `node` computes; complex numbers are pairs of real ones.",
    "accepts": ANY,
    "alike": (),
    "several": True,
    "kernel": _called,
    "result": lambda *values, node: tuple(
        Spec(_pairs(value).dtype, _pairs(value).shape) for value in node.outputs
    ),
}
COMPUTED_BY_HOST = Op("computed_by_host", FACTS)
# What calls Python, as draws from generators do: once, in the order of the program.
CALLED_BY_HOST = Op("called_by_host", {**FACTS, "effect": WRITES, "is_check": True})


def with_host_steps(graph: Graph) -> Graph:
    """The graph with calls by the host for what has no form for the threads of a grid; the graph
    itself where nothing is left for these, or nothing is for the host.
    """
    nodes = list(graph.walk())
    if not any(map(_is_for_host, nodes)) or not any(map(_computes, nodes)):
        return graph
    return _rewritten(graph)


def _rewritten(graph: Graph) -> Graph:
    def visit(node: Node) -> Node | list[Node]:
        if not _is_for_host(node):
            return node
        is_single = _said(node, IN_DOUBLE) and node.inputs[0].dtype is float32
        return _in_double(node) if is_single else _call(node)

    return rewrite(inside_subgraphs(graph, _rewritten), visit)


def _computes(node: Node) -> bool:
    """Whether threads share the work of a node, more than that of moving elements."""
    op = node.op
    is_of_elements = (op.scalar or op.reduce) and not op.moves_only and not op.of_components
    return bool(is_of_elements) or op is TABLE["matmul"]


def _is_for_host(node: Node) -> bool:
    """Whether the host calls what a node does: it has numbers of known shapes, and no effects but
    those of a function of Python, which can be undone.
    """
    values, op = (*node.inputs, *node.outputs), node.op
    if node.effect != PURE and op is not HOST_CALL:
        return False
    if op.is_constant or op.callee_attribute or node.subgraphs:
        return False
    if is_fusible(node) or op.of_components or op.is_view or op.only_reshapes:
        return False
    if any(value.dtype not in ANY or value.dtype.name in (*NARROW, "string") for value in values):
        return False
    return all(is_static(value.shape) for value in values) and _is_between_kernels(node)


def _said(node: Node, words: str) -> Any:
    """Whatever a library says of an operation by its name and these words; None where nothing."""
    name = node.op.name
    return FORMS[name]().get(f"{name} {words}") if name in FORMS else None


def _is_between_kernels(node: Node) -> bool:
    name, is_so = node.op.name, _said(node, BETWEEN_KERNELS)
    if is_so is not None:
        return bool(is_so(node))
    return form_of_threads(name) is None and form_of(node) is None


def _in_double(node: Node) -> list[Node]:
    """The call with operands in float64, whose results are rounded."""

    def cast(value: Value, result: Value) -> Node:
        attrs = {"dtype": result.dtype}
        return replace(node, op=TABLE["cast"], inputs=(value,), attrs=attrs, outputs=(result,))

    inputs, outputs = (
        tuple(Value(float64, value.shape, value.name) for value in values)
        for values in (node.inputs, node.outputs)
    )
    return [
        *map(cast, node.inputs, inputs),
        *_call(replace(node, inputs=inputs, outputs=outputs)),
        *map(cast, outputs, node.outputs),
    ]


def _call(node: Node) -> list[Node]:
    """The call of a node by the host, with what makes pairs of complex operands, and complex
    results of pairs.
    """
    before, after = list[Node](), list[Node]()
    inputs, outputs = list[Value](), list[Value]()

    def add(nodes: list[Node], name: str, operands: tuple[Value, ...], result: Value, **attrs):
        nodes.append(replace(node, op=TABLE[name], inputs=operands, attrs=attrs, outputs=(result,)))
        return result

    for value in node.inputs:
        if value.dtype.is_complex:
            real = value.dtype.real_dtype
            parts = tuple(
                add(before, part, (value,), Value(real, value.shape, f"{value.name}_{part}"))
                for part in COMPONENTS
            )
            value = add(before, "stack", parts, _pairs(value), axis=-1)
        inputs.append(value)
    for value in node.outputs:
        outputs.append(own := _pairs(value))
        if own is not value:
            parts = tuple(
                add(
                    after,
                    "strided_slice",
                    (own,),
                    Value(own.dtype, value.shape, f"{value.name}_{part}"),
                    index=(..., at),
                )
                for at, part in enumerate(COMPONENTS)
            )
            add(after, "complex", parts, value)
    attrs = {"node": node}
    op = CALLED_BY_HOST if node.op is HOST_CALL else COMPUTED_BY_HOST
    call = replace(node, op=op, inputs=tuple(inputs), attrs=attrs, outputs=tuple(outputs))
    return [*before, call, *after]


def _pairs(value: Value) -> Value:
    """A value; one of pairs of real numbers for a complex one."""
    if not value.dtype.is_complex:
        return value
    return Value(value.dtype.real_dtype, (*dims(value), 2), f"{value.name}_pairs")
