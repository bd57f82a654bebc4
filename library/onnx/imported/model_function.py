"""A model of ONNX as a Python function of tensors: its nodes are called one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np
from onnx import AttributeProto, helper

from .... import cond, convert_to_tensor
from ....extend.errors import UnimplementedError
from ....extend.operations import ops
from . import array_operators, layer_operators, string_operators, window_operators  # noqa: F401
from .loop_operators import imported_loop, imported_scan
from .operator_table import OPERATORS, array_of
from .sequence_operators import TensorSequence, common, sequences_again, tensors_of

LOOPS: dict[str, Callable] = {"Loop": imported_loop, "Scan": imported_scan}
READ = {*OPERATORS, *LOOPS, "If"}


def unsupported(graph) -> set[str]:
    """The types of nodes that cannot be read, those of sub-graphs among them."""
    results = set()
    for node in graph.node:
        if node.domain not in ("", "ai.onnx") or node.op_type not in READ:
            results.add(node.op_type)
        for attribute in node.attribute:
            if attribute.type == AttributeProto.GRAPH:
                results |= unsupported(attribute.g)
    return results


class ModelFunction:
    """Calls the nodes of graphs. `opset` is the version of the operators of the model."""

    def __init__(self, opset: int):
        self.opset = opset

    def run(self, graph, inputs: dict, outer: dict | None = None) -> list:
        """The results of a graph for its inputs by name; `outer` are the values around it."""
        values = dict(outer or {})
        values.update((one.name, array_of(one)) for one in graph.initializer)
        values.update(inputs)
        for node in graph.node:
            results = self._call(node, values)
            values.update(zip(node.output, results, strict=False))
        return [values[one.name] for one in graph.output]

    def _body(self, outer: dict) -> Callable:
        """What gives the results of a body for its inputs in order."""

        def run_body(body, inputs: Sequence) -> list:
            names = [one.name for one in body.input]
            return self.run(body, dict(zip(names, inputs, strict=True)), outer)

        return run_body

    def _call(self, node, values: dict) -> Sequence:
        operands = [values[name] if name else None for name in node.input]
        attributes = {one.name: _attribute(one) for one in node.attribute}
        if node.op_type == "If":
            return self._if(operands[0], values, **attributes)
        if node.op_type in LOOPS:
            return LOOPS[node.op_type](operands, self._body(values), **attributes)
        if attributes.pop("broadcast", 0):
            operands[1:] = _aligned(operands, attributes.pop("axis", None))
        call: Callable = OPERATORS[node.op_type]
        facts = {"op_type": node.op_type, "count": len(node.output), "opset": self.opset}
        wanted = getattr(call, "__kwdefaults__", None) or {}
        attributes |= {name: fact for name, fact in facts.items() if name in wanted}
        try:
            result = call(*operands, **attributes)
        except (TypeError, AttributeError) as error:
            raise UnimplementedError(f"the node {node.op_type} of the model: {error}") from error
        is_one = isinstance(result, TensorSequence) or not isinstance(result, (tuple, list))
        return [result] if is_one else result

    def _if(self, test, values: dict, *, then_branch, else_branch) -> list:
        element_types: list[list] = []

        def branch(graph):
            def results():
                found = self.run(graph, {}, values)
                element_types.append(found)
                return tuple(tensors_of(found))

            return results

        found = cond(convert_to_tensor(test), branch(then_branch), branch(else_branch))
        found = list(found) if isinstance(found, (tuple, list)) else [found]
        like = [reduce(common, pair) for pair in zip(*element_types, strict=True)]
        return sequences_again(found, like)


def _aligned(operands: list, axis: int | None) -> list:
    """Operands as before version 7 of the operators: their axes are those from `axis` on."""
    if axis is None:
        return operands[1:]
    tensors: list[Any] = list(map(convert_to_tensor, operands))
    rank = len(tensors[0].dims)
    return [
        ops.reshape(other, np.array([*other.dims, *[1] * (rank - axis % rank - len(other.dims))]))
        for other in tensors[1:]
    ]


def _attribute(attribute):
    value = helper.get_attribute_value(attribute)
    if attribute.type == AttributeProto.TENSOR:
        return array_of(value)
    if attribute.type == AttributeProto.STRING:
        return value.decode()
    return list(value) if attribute.type in (AttributeProto.INTS, AttributeProto.FLOATS) else value
