"""Loops and branches among arrays of computed sizes, for native code.

    r = x[m]
    while ...:
        r[i] = y[i]         carries all the memory of `r`, whose size stays what it is

Inside, an array is a view of the first elements of the memory, and its sizes are operands.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...core.dtypes import int64
from ...core.shapes import is_static
from ...ir.extents import Extent, capacities, has_extents
from ...ir.graph import Graph, Node, Value
from ...ir.indexing import IndexMap, whole
from ...ir.node_properties import is_noreturn
from ..not_native import NotNativeError
from .growing_arrays import is_growing


def rewrite(rewriter, node: Node) -> None:
    """Add a statement in which arrays of a computed size that it carries or gives keep it."""
    carried = [_sizes_of(rewriter, value) for value in node.inputs[: node.attrs.get("carried", 0)]]
    inputs = _operands(rewriter, node, carried)
    renamed = replace(node, inputs=inputs)
    inner = {key: _inside(rewriter, graph, node.op.operands_of(renamed, key), carried)
             for key, graph in node.subgraphs.items()}  # fmt: skip
    giving = [each for key, each in inner.items() if key != "test" and not is_noreturn(each.source)]
    results = carried or [None] * len(node.outputs)
    if giving and not carried:
        results = [_sizes_outside(giving[0], at) for at in range(len(results))]
    for each in giving:
        _check_results(each, results, node)
    graphs = {key: each.graph(results if each in giving else ()) for key, each in inner.items()}
    outputs = tuple(Value(old.dtype, capacities(sizes), old.name) if sizes else old
                    for old, sizes in zip(node.outputs, results, strict=True))  # fmt: skip
    attrs = {**node.attrs, **graphs}
    rewriter.add(replace(node, inputs=inputs, attrs=attrs, outputs=outputs))
    for old, new, sizes in zip(node.outputs, outputs, results, strict=True):
        rewriter.values[old] = _first_elements(new, sizes) if sizes else new


def _operands(rewriter, node: Node, carried: list) -> tuple[Value, ...]:
    """The operands of a statement, and behind them the sizes of these that are computed."""
    values: list[Value] = []
    lengths: dict[Value, None] = {}
    for at, old in enumerate(node.inputs):
        sizes = carried[at] if at < len(carried) else None
        values.append(rewriter.with_memory(old) if sizes else rewriter.value(old))
        shape = sizes or values[-1].shape or ()
        lengths.update((size.length, None) for size in shape if isinstance(size, Extent))
    return (*values, *lengths)


def _check_results(inner, results: list, node: Node) -> None:
    """Raise NotNativeError where the size of a result is another than these, or is computed and is
    not that of an array that grows.
    """
    for at, (old, sizes) in enumerate(zip(node.outputs, results, strict=True)):
        grows = is_growing(inner.values[inner.source.outputs[at]])
        is_known = sizes or is_static(old.shape) or grows
        if not is_known or _sizes_outside(inner, at) != sizes:
            between = "iterations" if "carried" in node.attrs else "branches"
            raise NotNativeError(f"the size of an array differs between {between}", node.where)


def _inside(rewriter, graph: Graph, operands: tuple[Value, ...], carried: list):
    """The rewriter of a graph of a statement, which has all but the results."""
    outside = operands[len(graph.inputs) :]
    lengths = {length: Value(int64, (), length.name) for length in outside}
    own = []
    for at, (value, operand) in enumerate(zip(graph.inputs, operands, strict=False)):
        if any(carried[at : at + 1]):
            value = Value(value.dtype, operand.shape, value.name)
        elif has_extents(operand.shape):
            sizes = _with_lengths(operand.shape or (), lengths.get)
            value = Value(value.dtype, sizes, value.name, value.constant)
        own.append(value)
    own += lengths.values()
    inner, count = type(rewriter)(graph, tuple(own), rewriter.may_limit), len(carried)
    inner.set_outer(rewriter, dict(zip(own[count:], operands[count:], strict=True)))
    for old, new, wanted in zip(graph.inputs, own, carried, strict=False):
        if wanted:
            inner.values[old] = _first_elements(new, _with_lengths(wanted, lengths.get))
    inner.rewrite_all()
    return inner


def _sizes_of(rewriter, old: Value) -> tuple | None:
    """The sizes of an array, if some are computed."""
    shape = getattr(rewriter.values[old], "shape", None)
    return shape if has_extents(shape) else None


def _sizes_outside(inner, at: int) -> tuple | None:
    """The sizes of a result, if some are computed, by the scalars around the statement."""
    sizes = _sizes_of(inner, inner.source.outputs[at])
    return sizes and _with_lengths(sizes, inner.outer_value)


def _with_lengths(sizes: tuple, length_of: Callable) -> tuple:
    return tuple(Extent(size, length_of(size.length), size.limit) if isinstance(size, Extent)
                 else size for size in sizes)  # fmt: skip


def _first_elements(memory: Value, sizes: tuple) -> IndexMap:
    return whole(memory)._replace(shape=sizes)


def has_first_elements(view: IndexMap) -> bool:
    """Whether a view is of the first elements along each axis, with memory for those of all."""
    is_first = view.entries == whole(view.source).entries
    return (
        is_first
        and is_static(view.source.shape)
        and not has_extents(view.source.shape)
        and (capacities(view.shape) == view.source.shape)
    )
