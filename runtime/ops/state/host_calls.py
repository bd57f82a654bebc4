"""Functions of NumPy and SciPy that graphs of NumPy mode call where they have no form of them."""

from __future__ import annotations

from ...core.dtypes import ANY
from ...ir.op import WRITES
from ...tensors.operation import hidden_op


@hidden_op
class HostCall:
    """Call a function of arrays, which leaves everything else as it is, or can undo what it did.

    `function` takes the operands, and gives a tuple of arrays that `specs` describe. Where it
    cannot, it raises, and whoever runs the graph calls Python in its place.
    """

    several = True
    effect = WRITES  # in the order of the program, and also where nobody reads the results
    is_check = True
    accepts = {"operands": ANY}
    inputs = ("*operands",)
    runs_python = True

    def kernel(*operands, function, specs):
        return function(*operands)

    def result(*operands, function, specs):
        return specs
