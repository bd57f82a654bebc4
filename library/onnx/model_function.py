"""A model of ONNX as a Python function of tensors: its nodes are called one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from onnx import AttributeProto, helper

from ...runtime.core.errors import UnimplementedError
from ...runtime.tensors.apply import convert_to_tensor
from ...tracing.stager.control_flow_api import cond
from . import imported_windows  # noqa: F401 - registers operators
from .imported_loops import imported_loop, imported_scan
from .imported_operators import OPERATORS, array_of


def unsupported(graph) -> set[str]:
    """The types of nodes that cannot be read, those of sub-graphs among them."""
    found = set()
    for node in graph.node:
        if node.domain not in ("", "ai.onnx") or node.op_type not in {
            *OPERATORS,
            "If",
            "Loop",
            "Scan",
        }:
            found.add(node.op_type)
        for attribute in node.attribute:
            if attribute.type == AttributeProto.GRAPH:
                found |= unsupported(attribute.g)
    return found


def run(graph, inputs: Sequence, outer: dict | None = None) -> list:
    """The results of a graph for its inputs; `outer` are the values around it, by name."""
    values = dict(outer or {})
    values.update((one.name, array_of(one)) for one in graph.initializer)
    names = [one.name for one in graph.input if outer is not None or one.name not in values]
    values.update(zip(names, inputs, strict=True))
    for node in graph.node:
        results = _call(node, values)
        values.update(zip(node.output, results, strict=False))
    return [convert_to_tensor(values[one.name]) for one in graph.output]


def _call(node, values: dict) -> Sequence:
    operands = [values[name] if name else None for name in node.input]
    attributes = {one.name: _attribute(one) for one in node.attribute}
    if node.op_type == "If":
        return _if(operands[0], values, **attributes)
    if node.op_type == "Loop":
        return imported_loop(operands, partial(run, outer=values), **attributes)
    if node.op_type == "Scan":
        return imported_scan(operands, partial(run, outer=values), **attributes)
    call: Callable = OPERATORS[node.op_type]
    facts = {"op_type": node.op_type, "count": len(node.output)}
    wanted = getattr(call, "__kwdefaults__", None) or {}
    attributes |= {name: fact for name, fact in facts.items() if name in wanted}
    try:
        result = call(*operands, **attributes)
    except (TypeError, AttributeError) as error:
        raise UnimplementedError(f"the node {node.op_type} of the model: {error}") from error
    return result if isinstance(result, (tuple, list)) else [result]


def _attribute(attribute):
    value = helper.get_attribute_value(attribute)
    if attribute.type == AttributeProto.TENSOR:
        return array_of(value)
    if attribute.type == AttributeProto.STRING:
        return value.decode()
    return list(value) if attribute.type in (AttributeProto.INTS, AttributeProto.FLOATS) else value


def _if(test, values: dict, *, then_branch, else_branch) -> list:
    def branch(graph):
        return lambda: tuple(run(graph, [], values))

    found = cond(convert_to_tensor(test), branch(then_branch), branch(else_branch))
    return list(found) if isinstance(found, (tuple, list)) else [found]
