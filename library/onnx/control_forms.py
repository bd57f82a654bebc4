"""ONNX forms of control flow, variables and checks."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper

from ...runtime.core.dtypes import bool_
from ...runtime.ir.graph import Node, Value
from ...runtime.ir.node_properties import never_ends
from .forms import NoFormError, form
from .writer import Writer, typed


@form("if")
def if_(to: Writer, node: Node, test: str, *operands: str):
    branches = {"then_branch": node.attrs["then"], "else_branch": node.attrs["orelse"]}
    if any(map(never_ends, branches.values())):
        raise NoFormError("a branch raises an exception, which ONNX cannot")
    if not node.outputs:
        raise NoFormError("a branch has effects only, which ONNX cannot have")
    graphs = {
        key: to.subgraph(key, [], lambda graph=graph: to.emit(graph, operands), graph.outputs)
        for key, graph in branches.items()
    }
    names = to.op("If", test, outputs=len(node.outputs), **graphs)
    return [names] if isinstance(names, str) else names


@form("while")
def while_(to: Writer, node: Node, *operands: str):
    """A loop without a count: its body tells whether another iteration follows."""
    test, body, carried = (node.attrs[key] for key in ("test", "body", "carried"))
    invariants = operands[carried:]
    (begins,) = to.emit(test, operands)
    names = [to.unique(f"carried_{value.name}") for value in body.inputs[:carried]]
    iteration, before = to.unique("iteration"), to.unique("goes_on")

    def write():
        results = to.emit(body, [*names, *invariants])
        (goes_on,) = to.emit(test, [*results, *invariants])
        return [goes_on, *results]

    flags = Value(bool_, ())
    inner = to.subgraph("body", [], write, [flags, *body.inputs[:carried]])
    scalars = [(iteration, TensorProto.INT64), (before, TensorProto.BOOL)]
    inner.input.extend(helper.make_tensor_value_info(*one, []) for one in scalars)
    inner.input.extend(typed(*one) for one in zip(names, body.inputs[:carried], strict=True))
    results = to.op("Loop", "", begins, *operands[:carried], outputs=carried, body=inner)
    return [results] if isinstance(results, str) else results


@form("call")
def call(to: Writer, node: Node, *operands: str):
    return to.emit(node.attrs["graph"], operands)


@form("read_variable")
def read_variable(to: Writer, node: Node):
    cell = node.attrs["cell"]
    if cell not in to.cells:
        name = cell.name.rsplit(":", 1)[0]
        to.cells[cell] = to.initializer(name, np.asarray(cell.read()))
    return to.cells[cell]


@form("assign_variable")
def assign_variable(to: Writer, node: Node, value: str):
    raise NoFormError(f"the variable '{node.attrs['cell'].name}' is assigned, which ONNX cannot")


@form("assert")
def check(to: Writer, node: Node, *operands: str):
    if not to.drops_checks:
        raise NoFormError("ONNX has no checks")
    return []


@form("set_by_loop", "check_numerics")
def checked(to: Writer, node: Node, x: str, *operands: str):
    if not to.drops_checks:
        raise NoFormError(f"ONNX has no checks, as '{node.op.name}' is one")
    return to.op("Identity", x)
