"""A model of ONNX as a Python function of tensors: its nodes are called one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from onnx import AttributeProto, helper

from ...runtime.core.dtypes import FROM_NUMPY, string
from ...runtime.core.errors import UnimplementedError
from ...runtime.core.shapes import TensorShape
from ...runtime.tensors.apply import convert_to_tensor
from ...runtime.tensors.operation import ops
from ...tracing.stager.control_flow_api import cond, while_loop
from ...tracing.type_system.trace_types import TensorSpec
from . import imported_windows  # noqa: F401 - registers operators
from .imported_operators import OPERATORS, array_of


def spec_of(info) -> TensorSpec:
    """The spec of an input."""
    tensor = info.type.tensor_type
    if not tensor.elem_type:
        raise UnimplementedError(f"the input '{info.name}' of the model is not a tensor")
    numpy_dtype = np.dtype(helper.tensor_dtype_to_np_dtype(tensor.elem_type))
    dtype = string if numpy_dtype.hasobject else FROM_NUMPY[numpy_dtype]
    if not tensor.HasField("shape"):
        return TensorSpec(None, dtype)
    sizes = [one.dim_value if one.HasField("dim_value") else None for one in tensor.shape.dim]
    return TensorSpec(sizes, dtype)


def unsupported(graph) -> set[str]:
    """The types of nodes that cannot be read, those of sub-graphs among them."""
    found = set()
    for node in graph.node:
        if node.domain not in ("", "ai.onnx") or node.op_type not in {*OPERATORS, "If", "Loop"}:
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
        return _loop(operands, values, attributes["body"])
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


def _loop(operands: list, values: dict, body) -> list:
    count, goes_on, *carried = operands
    if len(body.output) > 1 + len(carried):
        raise UnimplementedError("a Loop that collects values of its iterations")
    start = np.asarray(True) if goes_on is None else goes_on
    state = [np.int64(0), start, *carried]

    def test(iteration, goes_on, *carried):
        more = goes_on
        if count is not None:
            last = ops.reshape(count, np.zeros(0, np.int64))
            more = ops.logical_and(more, ops.less(iteration, last))
        return more

    def step(iteration, goes_on, *carried):
        return (ops.add(iteration, np.int64(1)), *run(body, [iteration, goes_on, *carried], values))

    shapes = [TensorShape([])] * 2 + [spec_of(one).shape for one in body.input[2:]]
    found = while_loop(test, step, list(map(convert_to_tensor, state)), shape_invariants=shapes)
    return list(found[2:])
