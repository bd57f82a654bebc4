"""Scalar forms that operations have on devices alone: on a processor a library is faster.

An extension gives one by the name of the operation and ` on a grid`, as a template over its inputs.
"""

from __future__ import annotations

import functools
from dataclasses import replace

from ..ir.graph import Graph, Node
from ..ir.op import Op
from ..ir.rewrite import inside_subgraphs, rewrite
from ..jit.routines import FORMS


def with_device_forms(graph: Graph) -> Graph:
    """The graph with operations of loop nests for those that have a scalar form on devices."""
    if not any(_template(node.op.name) for node in graph.walk()):
        return graph
    return rewrite(inside_subgraphs(graph, with_device_forms), _in_a_nest)


def _template(name: str) -> str | None:
    form = FORMS[name]().get(f"{name} on a grid") if name in FORMS else None
    return form if isinstance(form, str) else None


def _in_a_nest(node: Node) -> Node:
    template = _template(node.op.name)
    return node if template is None else replace(node, op=_elementwise(node.op, template))


@functools.cache
def _elementwise(op: Op, template: str) -> Op:
    """The operation with a scalar form, and what follows from that."""
    variant = object.__new__(type(op))  # a copy of an operation is the operation
    vars(variant).update(vars(op))
    variant.scalar = template
    variant.elementwise = variant.parallel_safe = variant.any_length = True
    variant.may_raise = False
    return variant
