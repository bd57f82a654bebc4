"""Propagate the shapes of actual arguments through a graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..core.errors import Error, ShapeError
from ..core.shapes import Shape, is_static, join, merge
from ..core.tracebacks import is_from_handler
from ..ir.constant_values import constant_value, full_constant
from ..ir.graph import Graph, Node, Value
from ..ir.op import TABLE


def specialise_shapes(graph: Graph, shapes, known: dict[int, np.ndarray] | None = None) -> Graph:
    """The graph for inputs of these shapes; `constant` gives the values of some inputs by position.

    Result rules run again on what is known now. Loops keep as much of a carried shape as stays the
    same in every iteration. Raises ShapeError (or what a rule raises) where the shapes do not fit.
    """
    arguments = [
        Value(value.dtype, shape, value.name, (known or {}).get(index))
        for index, (value, shape) in enumerate(zip(graph.inputs, shapes, strict=True))
    ]
    return _specialised(graph, arguments)


def with_inferred_shapes(graph: Graph) -> Graph:
    """The graph with the shapes that follow from those of its inputs, and from what changed; the
    graph itself if none is another.
    """
    try:
        inferred = specialise_shapes(graph, [value.shape for value in graph.inputs])
    except Error as error:  # of what no iteration reaches, perhaps
        if is_from_handler(error):
            raise
        return graph
    return graph if _inferred_facts(inferred) == _inferred_facts(graph) else inferred


def _inferred_facts(graph: Graph) -> list[tuple[Shape, bool]]:
    """The shapes of all values, and whether they are constants."""
    values = (value for node in graph.walk() for value in node.outputs)
    return [(value.shape, value.constant is not None) for value in values]


def _specialised(graph: Graph, arguments: Sequence[Value]) -> Graph:
    """A copy of the graph whose inputs have the shapes and constants of `arguments`."""
    inputs = tuple(
        _narrowed(own, outside) for own, outside in zip(graph.inputs, arguments, strict=True)
    )
    values = dict(zip(graph.inputs, inputs, strict=True))
    nodes = []
    branching: dict[Value, Node] = {}  # the node of each result of branches
    for node in graph.nodes:
        operands = tuple(values[value] for value in node.inputs)
        if node.op is TABLE["if"]:
            new = _if(node, operands, branching)
        else:
            new = _OF_OP.get(node.op.name, _plain)(node, operands)
        values.update(zip(node.outputs, new.outputs, strict=True))
        branching.update(dict.fromkeys(new.outputs, new) if new.subgraphs else ())
        nodes.append(new)
    outputs = tuple(values[value] for value in graph.outputs)
    return graph.replace(inputs=inputs, nodes=tuple(nodes), outputs=outputs)


def _merged(own: Shape, other: Shape) -> Shape:
    """What is known from either. A branch that does not run need not fit the shapes of a call."""
    try:
        return merge(own, other)
    except ValueError as error:
        raise ShapeError(str(error)) from None


def _narrowed(own: Value, outside: Value) -> Value:
    known = outside.constant if outside.constant is not None else own.constant
    return replace(own, shape=_merged(own.shape, outside.shape), constant=known)


def _plain(node: Node, operands: tuple[Value, ...]) -> Node:
    specs = node.op.result(*operands, **node.attrs)
    single = hasattr(specs, "dtype")
    outputs = []
    for value, spec in zip(node.outputs, (specs,) if single else specs, strict=True):
        known = constant_value(node.op, operands, node.attrs, spec) if single else None
        known = value.constant if known is None else known
        outputs.append(replace(value, shape=_merged(value.shape, spec.shape), constant=known))
    return replace(node, inputs=operands, outputs=tuple(outputs))


def _if(node: Node, operands: tuple[Value, ...], branching: dict[Value, Node]) -> Node:
    test = full_constant(operands[0])
    if test is not None:  # the other branch may not fit these shapes at all
        chosen = _specialised(node.attrs["then" if test else "orelse"], operands[1:])
        values = _results(node.outputs, [value.shape for value in chosen.outputs])
        return Node(TABLE["call"], operands[1:], {"graph": chosen}, values, node.where, node.name)
    attrs = dict(node.attrs)
    for key, graph in node.subgraphs.items():
        known = [_in_branch(key, value, operands[0], branching) for value in operands[1:]]
        attrs[key] = _specialised(graph, known)
    shapes = [spec.shape for spec in node.op.result(*operands, **attrs)]
    return replace(node, inputs=operands, attrs=attrs, outputs=_results(node.outputs, shapes))


def _in_branch(key: str, value: Value, test: Value, branching: dict[Value, Node]) -> Value:
    """A value as a branch knows it: what this branch gave, of an `if` with the same test.
    Of the shapes that a branch saves for its gradient, the other one has none.
    """
    earlier = branching.get(value)
    if earlier is None or key not in earlier.subgraphs or earlier.inputs[0] is not test:
        return value
    result = earlier.attrs[key].outputs[earlier.outputs.index(value)]
    return replace(value, shape=_merged(value.shape, result.shape), constant=result.constant)


def _call(node: Node, operands: tuple[Value, ...]) -> Node:
    inner = _specialised(node.attrs["graph"], operands)
    values = _results(node.outputs, [value.shape for value in inner.outputs])
    return replace(node, inputs=operands, attrs={**node.attrs, "graph": inner}, outputs=values)


def _while(node: Node, operands: tuple[Value, ...]) -> Node:
    """Carried shapes are those that enter, as far as the body leaves them alone."""
    carried = node.attrs["carried"]
    state = [replace(value, constant=None) for value in operands[:carried]]
    while True:
        entering = [*state, *operands[carried:]]
        body = _specialised(node.attrs["body"], entering)
        shapes = [
            join(value.shape, result.shape)
            for value, result in zip(body.inputs, body.outputs, strict=False)
        ]
        if shapes == [value.shape for value in body.inputs[:carried]]:
            break
        state = [replace(value, shape=shape) for value, shape in zip(state, shapes, strict=True)]
    attrs = {**node.attrs, "test": _specialised(node.attrs["test"], entering), "body": body}
    return replace(node, inputs=operands, attrs=attrs, outputs=_results(node.outputs, shapes))


def _results(outputs: tuple[Value, ...], shapes: list[Shape]) -> tuple[Value, ...]:
    return tuple(
        replace(value, shape=_merged(value.shape, shape))
        for value, shape in zip(outputs, shapes, strict=True)
    )


_OF_OP = {"while": _while, "call": _call}


def shape_inputs(graph: Graph) -> set[Value]:
    """The inputs of a graph whose *values* decide a shape that is still unknown.

    They are found backwards from each result of unknown shape all of whose operands have a known
    one. Values that a loop carries do not count: they differ from iteration to iteration.
    """
    deciding_values: set[Value] = set()
    for node in reversed(graph.nodes):
        unknown = not all(is_static(value.shape) for value in node.outputs)
        if node.subgraphs:
            fixed = node.attrs.get("carried", 0)
            for key, inner in node.subgraphs.items():
                deciding = shape_inputs(inner)
                rows = zip(inner.inputs, node.op.operands_of(node, key), strict=True)
                deciding_values.update(
                    outside for place, (own, outside) in enumerate(rows)
                    if own in deciding and place >= fixed
                )  # fmt: skip
            unknown = unknown and not fixed
        if deciding_values.intersection(node.outputs) or (
            unknown and all(is_static(value.shape) for value in node.inputs)
        ):
            deciding_values.update(node.inputs)
    return deciding_values.intersection(graph.inputs)
