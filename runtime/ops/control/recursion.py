"""A call of a graph that is still being traced: recursion."""

from __future__ import annotations

from ...core.dtypes import ANYTHING
from ...tensors.operation import op


@op
class Recur:
    """Run the graph of the function that contains this node: `outputs = callee(*operands)`.

    `runtime.gradients.recursive_gradients` registers its gradient.
    """

    inputs = ("*operands",)
    hidden = True
    accepts = {"operands": ANYTHING}
    several = True
    callee_attribute = "callee"

    def kernel(*operands, callee):
        return callee.function(*operands)

    def effect(attrs):
        return attrs["callee"].effect

    def result(*operands, callee):
        return callee.outputs
