"""ONNX forms of control flow, variables and checks."""

from __future__ import annotations

from collections import Counter

import numpy as np
from onnx import TensorProto, helper

from ...runtime.core.dtypes import bool_, stack
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
    """A loop without a count: its body tells whether another iteration follows.

    Values that are pushed in each iteration are not carried: ONNX collects them.
    """
    test, body, carried = (node.attrs[key] for key in ("test", "body", "carried"))
    invariants = operands[carried:]
    (begins,) = to.emit(test, operands)
    collected = _collected(node)
    kept = [at for at in range(carried) if at not in collected]
    order = [*kept, *collected]
    names = {at: to.unique(f"carried_{body.inputs[at].name}") for at in kept}
    wanted = [collected.get(at, body.outputs[at]) for at in order]
    iteration, before = to.unique("iteration"), to.unique("goes_on")

    def everything(rows) -> list[str]:  # nothing reads what is collected
        return [*(rows.get(at, "") for at in range(carried)), *invariants]

    def write():
        results = to.emit(body, everything(names), wanted)
        (goes_on,) = to.emit(test, everything(dict(zip(order, results, strict=True))))
        return [goes_on, *results]

    types = [body.inputs[at] for at in kept]
    flags = Value(bool_, ())
    inner = to.subgraph("body", [], write, [flags, *types, *collected.values()])
    scalars = [(iteration, TensorProto.INT64), (before, TensorProto.BOOL)]
    inner.input.extend(helper.make_tensor_value_info(*one, []) for one in scalars)
    inner.input.extend(typed(*one) for one in zip(names.values(), types, strict=True))
    starts = [operands[at] for at in kept]
    results = to.op("Loop", "", begins, *starts, outputs=carried, body=inner)
    results = [results] if isinstance(results, str) else results
    return [name for _, name in sorted(zip(order, results, strict=True))]


def _collected(node: Node) -> dict[int, Value]:
    """The values that an empty stack gets, one in each iteration, by position among the carried."""
    test, body, carried = (node.attrs[key] for key in ("test", "body", "carried"))
    read = Counter(value for graph in (test, body) for one in graph.nodes for value in one.inputs)
    read.update(value for graph in (test, body) for value in graph.outputs)
    pushes = {one.outputs[0]: one for one in body.nodes if one.op.saves_for_backward}
    found = {}
    for at in range(carried):
        given, result = body.inputs[at], body.outputs[at]
        push = pushes.get(result)
        if push is None or push.inputs[0] is not given or (node.inputs[at].shape or (1,))[0]:
            continue
        if read[given] == read[result] == 1 and not read[test.inputs[at]]:
            found[at] = push.inputs[2]
    return found


@form("stack_push")
def stack_push(to: Writer, node: Node, rows: str, index: str, value: str):
    _refuse_lists(node.inputs[0])
    end = to.dimensions(index, 1)
    kept = to.op("Slice", rows, to.ints(0), end, to.ints(0))
    return to.op("Concat", kept, to.op("Unsqueeze", value, to.ints(0)), axis=0)


@form("stack_peek")
def stack_peek(to: Writer, node: Node, rows: str, index: str):
    _refuse_lists(node.inputs[0])
    return to.op("Gather", rows, index, axis=0)


def _refuse_lists(value: Value) -> None:
    if value.dtype is stack:
        raise NoFormError("a loop saves values of several shapes for its gradient")


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
