"""What happens when native code fails: the NumPy program runs the call again.

A kernel raises ArithmeticError itself, before it has changed anything, and does not say why. The
NumPy program computes the result, or raises the error at the user's line.
"""

from __future__ import annotations

from collections.abc import Callable

from ..codegen.numpy.numpy_plan import Plan, node_at
from ..core.floating_point_state import call_in_errstate


def failed_in_kernel(error: BaseException) -> bool:
    """Whether an error comes from a kernel, and not from the Python code that a plan calls."""
    return type(error) is ArithmeticError and node_at(error.__traceback__) is None


def with_fallback(native: Callable, emit_plan: Callable[[], Plan]) -> Callable:
    """Native code, and the NumPy program that `emit_plan` gives where it fails."""

    def function(*arrays):
        try:
            return native(*arrays)
        except ArithmeticError as error:
            if not failed_in_kernel(error):
                raise
        return call_in_errstate(emit_plan().function, *arrays)

    return function
