"""About how long the NumPy plan of a program takes, to tell when native code should be first."""

from __future__ import annotations

import sys

from ..core.shapes import is_static
from ..ir.graph import Node
from .cost_model import (
    LOADING_SECONDS,
    NUMPY_FORMULA,
    ROW_BLOCK,
    SCIPY_ELEMENT,
    WHOLE_ARRAY,
    formula_length,
)
from .program import Nest, Program
from .row_blocking import RowGroup, blocked_steps
from .static_shapes import elements_of


def plan_seconds(program: Program) -> float:
    """An estimate for what is outside of loops and branches."""
    total, libraries = 0.0, set()
    for item in blocked_steps(program, ()):
        is_group = isinstance(item, RowGroup)
        for step in item.steps if isinstance(item, RowGroup) else (item,):
            for node in step.nodes if isinstance(step, Nest) else ():
                total += _nanoseconds(node, ROW_BLOCK if is_group else WHOLE_ARRAY)
                libraries.add(_library(node))
    return 1e-9 * total + LOADING_SECONDS * len(libraries - {*sys.modules, None})


def _nanoseconds(node: Node, each: float) -> float:
    space = max((*node.inputs, node.output), key=lambda value: len(value.shape or ()))
    if not is_static(space.shape):
        return 0.0
    four_bytes = each + (NUMPY_FORMULA if formula_length(node) else 0.0)
    more = SCIPY_ELEMENT if _library(node) else 0.0
    return elements_of(space) * (four_bytes * node.output.dtype.size / 4 + more)


def _library(node: Node) -> str | None:
    """The library that has to be loaded for a node's kernel."""
    return getattr(node.op.kernel, "library", None)
