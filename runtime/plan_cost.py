"""About how long the NumPy plan of a program takes, to tell when native code had better come first.

Each operation on arrays is a pass over memory there; some functions take far longer than that.
"""

from __future__ import annotations

from .parts import formula_of
from .program import Nest, Program
from .shapes import is_static, size_of

# Nanoseconds for an element of four bytes, as measured: of most operations, and what functions take
# besides.
PASS, FUNCTION, LONG_FUNCTION = 0.7, 2.0, 12.0


def plan_seconds(program: Program) -> float:
    """An estimate for what is outside of loops and branches."""
    nests = (step for step in program.steps if isinstance(step, Nest))
    return 1e-9 * sum(_nanoseconds(node) for nest in nests for node in nest.nodes)


def _nanoseconds(node) -> float:
    space = max((*node.inputs, node.output), key=lambda value: len(value.shape or ()))
    if not is_static(space.shape):
        return 0.0
    more = (0.0, FUNCTION, LONG_FUNCTION)[formula_of(node)]
    return size_of(space.shape) * (PASS + more) * node.output.dtype.size / 4
