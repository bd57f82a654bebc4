"""Gradients of functions that call themselves.

The backward pass of a recursive function is a recursive function: it runs one call forward, then
back over it, and calls itself where the call was recursive. It recomputes the values that it needs,
so only functions without effects can be differentiated.
"""

from __future__ import annotations

from ...extend.graphs import (
    BUILDING,
    Builder,
    Callee,
    Node,
    Record,
    call_graph,
    derivative_of,
    is_differentiable,
    trainable_cells,
    zeros_of,
)
from ...extend.operations import PURE, Spec, ops
from ...extend.tensors import SymbolicTensor


class RecursiveRecord(Record):
    """A call of a function by itself; variables that it reads are among the inputs."""

    __slots__ = ("callee", "operands")

    def __init__(self, builder: Builder, node: Node, operands):
        callee = node.attrs["callee"]
        cells = trainable_cells([callee.graph]) if callee.graph is not None else []
        self.inputs = (*operands, *cells)
        self.operands = operands
        self.callee = callee
        self.outputs = tuple(SymbolicTensor(value, builder) for value in node.outputs)

    def pullback(self, cotangents: list) -> list:
        dys = [
            zeros_of(out) if dy is None and is_differentiable(out.dtype) else dy
            for dy, out in zip(cotangents, self.outputs, strict=True)
        ]
        gradients = pull_recursive_call(dys, self.operands, self.callee)
        return [*gradients, *[None] * (len(self.inputs) - len(gradients))]


def pull_recursive_call(dys, operands, callee: Callee) -> list:
    """The cotangents of the operands of a call; LookupError where it has no gradient."""
    if callee.graph is None:
        raise LookupError(f"'{callee.name}' is still being traced: take its gradient outside of it")
    if callee.effect != PURE:
        raise LookupError(
            f"the recursive function '{callee.name}' reads or writes state, so it has no gradient: "
            "pass the values of variables as arguments"
        )
    arguments = [
        dy for dy, spec in zip(dys, callee.outputs, strict=True) if is_differentiable(spec.dtype)
    ]
    gradients = iter(ops.recur(*operands, *arguments, callee=gradient_of(callee)))
    return [next(gradients) if is_differentiable(operand.dtype) else None for operand in operands]


def gradient_of(callee: Callee) -> Callee:
    """The graph that maps operands and cotangents of results to cotangents of operands."""
    assert callee.graph is not None
    with BUILDING:
        if callee.gradient is None:
            specs = [Spec(value.dtype, value.shape) for value in callee.graph.inputs]
            differentiable = tuple(spec for spec in specs if is_differentiable(spec.dtype))
            callee.gradient = Callee(f"{callee.name}.gradient", differentiable)
            callee.gradient.effect = PURE
            callee.gradient.resolve(_backward(callee, f"{callee.name}.gradient"))
        return callee.gradient


def _backward(callee: Callee, name: str):
    """The graph of one call forward and back; recursive calls refer to this graph itself."""
    graph = callee.graph
    assert graph is not None
    differentiable_inputs = [
        index for index, value in enumerate(graph.inputs) if is_differentiable(value.dtype)
    ]
    finished = derivative_of(graph).finish(differentiable_inputs)
    with Builder(name) as builder:
        operands = [builder.input(value.dtype, value.shape, value.name) for value in graph.inputs]
        dys = [
            builder.input(value.dtype, value.shape, "cotangent")
            if is_differentiable(value.dtype)
            else None
            for value in callee.outputs
        ]
        results = call_graph(finished.forward, operands)
        count = len(callee.outputs)
        arguments = finished.arguments(dys, results[:count], operands, results[count:])
        gradients = finished.scatter(call_graph(finished.backward, arguments), len(graph.inputs))
        backward = builder.finish([gradients[index] for index in differentiable_inputs])
    builder.close()
    return backward
