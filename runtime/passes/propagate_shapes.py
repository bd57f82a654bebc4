"""Propagate the shapes of actual arguments through a graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..core.dtypes import stack
from ..core.errors import Error, ShapeError
from ..core.shapes import Shape, is_static, merge
from ..core.tracebacks import is_from_handler
from ..ir.constant_values import constant_value, full_constant
from ..ir.graph import Graph, Node, Value
from ..ir.node_properties import is_noreturn
from ..ir.op import TABLE
from .stack_elements import BY_OP, Elements


def specialise_shapes(graph: Graph, shapes, known: dict[int, np.ndarray] | None = None) -> Graph:
    """The graph for inputs of these shapes; `constant` gives the values of some inputs by position.

    Result rules run again on what is known now. Loops keep as much of a carried shape as stays the
    same in every iteration. Raises ShapeError (or what a rule raises) where the shapes do not fit.
    """
    arguments = [
        Value(value.dtype, shape, value.name, (known or {}).get(index))
        for index, (value, shape) in enumerate(zip(graph.inputs, shapes, strict=True))
    ]
    return _specialised(graph, arguments, Elements())


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


def _specialised(graph: Graph, arguments: Sequence[Value], elements: Elements) -> Graph:
    """A copy of the graph whose inputs have the shapes and constants of `arguments`."""
    inputs = tuple(
        _narrowed(own, outside, elements)
        for own, outside in zip(graph.inputs, arguments, strict=True)
    )
    values = dict(zip(graph.inputs, inputs, strict=True))
    nodes = []
    for node in graph.nodes:
        operands = tuple(values[value] for value in node.inputs)
        new = _CONTROL.get(node.op.name, _plain)(node, operands, elements)
        values.update(zip(node.outputs, new[-1].outputs, strict=True))
        nodes += new
    outputs = tuple(values[value] for value in graph.outputs)
    return graph.replace(inputs=inputs, nodes=tuple(nodes), outputs=outputs)


def _merged(own: Shape, other: Shape) -> Shape:
    """What is known from either. A branch that does not run need not fit the shapes of a call."""
    try:
        return merge(own, other)
    except ValueError as error:
        raise ShapeError(str(error)) from None


def _narrowed(own: Value, outside: Value, elements: Elements) -> Value:
    """A value with what is known of another one, which stands for it."""
    known = outside.constant if outside.constant is not None else own.constant
    is_array = own.dtype is stack is not outside.dtype
    shape = outside.shape if is_array else _merged(own.shape, outside.shape)
    value = replace(own, dtype=outside.dtype, shape=shape, constant=known)
    elements.note(value, elements.of(outside))
    return value


def _plain(node: Node, operands: tuple[Value, ...], elements: Elements) -> list[Node]:
    of_stacks = BY_OP.get(node.op.name)
    if of_stacks is not None:
        return of_stacks(replace(node, inputs=operands), elements)
    if any(old.dtype is not new.dtype for old, new in zip(node.inputs, operands, strict=True)):
        raise ShapeError(f"'{node.op.name}' of what loops save")
    specs = node.op.result(*operands, **node.attrs)
    single = hasattr(specs, "dtype")
    outputs = []
    for value, spec in zip(node.outputs, (specs,) if single else specs, strict=True):
        known = constant_value(node.op, operands, node.attrs, spec) if single else None
        known = value.constant if known is None else known
        outputs.append(replace(value, shape=_merged(value.shape, spec.shape), constant=known))
    return [replace(node, inputs=operands, outputs=tuple(outputs))]


def _if(node: Node, operands: tuple[Value, ...], elements: Elements) -> list[Node]:
    test = full_constant(operands[0])
    if test is not None:  # the other branch may not fit these shapes at all
        chosen = _specialised(node.attrs["then" if test else "orelse"], operands[1:], elements)
        values = _results(node.outputs, chosen.outputs, elements)
        attrs = {"graph": chosen}
        return [replace(node, op=TABLE["call"], inputs=operands[1:], attrs=attrs, outputs=values)]
    sides = [_specialised(graph, operands[1:], elements) for graph in node.subgraphs.values()]
    known = [side for side in sides if not is_noreturn(side)]
    ways = zip(*(side.outputs for side in known), strict=True)
    blanks = {node.output for side in sides for node in side.nodes if node.op is TABLE["blank"]}
    results = []
    for values in ways:
        read = [value for value in values if value not in blanks] or values
        results.append(read[0] if len(read) == 1 else elements.either(*read))
    sides = [side if is_noreturn(side) else _giving(side, results, elements) for side in sides]
    attrs = {**node.attrs, **dict(zip(node.subgraphs, sides, strict=True))}
    outputs = _results(node.outputs, results, elements)
    return [replace(node, inputs=operands, attrs=attrs, outputs=outputs)]


def _giving(graph: Graph, results: Sequence[Value], elements: Elements) -> Graph:
    """The graph whose outputs have the types of `results`."""
    nodes = list(graph.nodes)
    outputs = tuple(
        elements.as_type_of(value, other, nodes)
        for value, other in zip(graph.outputs, results, strict=True)
    )
    return graph.replace(nodes=tuple(nodes), outputs=outputs)


def _call(node: Node, operands: tuple[Value, ...], elements: Elements) -> list[Node]:
    inner = _specialised(node.attrs["graph"], operands, elements)
    values = _results(
        node.outputs, [replace(value, constant=None) for value in inner.outputs], elements
    )
    return [replace(node, inputs=operands, attrs={**node.attrs, "graph": inner}, outputs=values)]


def _while(node: Node, operands: tuple[Value, ...], elements: Elements) -> list[Node]:
    """Carried shapes are those that enter, as far as the body leaves them alone."""
    carried = node.attrs["carried"]
    state = [_entering(value, elements) for value in operands[:carried]]
    while True:
        entering = [*state, *operands[carried:]]
        body = _specialised(node.attrs["body"], entering, elements)
        pairs = zip(body.inputs, body.outputs, strict=False)
        after = [elements.either(*pair) for pair in pairs]
        if list(map(elements.facts, after)) == list(map(elements.facts, body.inputs[:carried])):
            break
        state = after
    before: list[Node] = []
    starts = [
        elements.as_type_of(value, own, before) for value, own in zip(operands, after, strict=False)
    ]
    test = _specialised(node.attrs["test"], entering, elements)
    attrs = {**node.attrs, "test": test, "body": _giving(body, after, elements)}
    outputs = _results(node.outputs, after, elements)
    inputs = (*starts, *operands[carried:])
    return [*before, replace(node, inputs=inputs, attrs=attrs, outputs=outputs)]


def _entering(value: Value, elements: Elements) -> Value:
    """A value as it enters a loop, which changes it."""
    own = replace(value, constant=None)
    elements.note(own, elements.of(value))
    return own


def _results(
    outputs: tuple[Value, ...], inner: Sequence[Value], elements: Elements
) -> tuple[Value, ...]:
    return tuple(
        _narrowed(value, other, elements) for value, other in zip(outputs, inner, strict=True)
    )


_CONTROL = {"if": _if, "while": _while, "call": _call}


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
