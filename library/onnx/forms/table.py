"""The table of ONNX forms: for each operation the function that writes it.

A form takes the writer, the node and the names of its operands, and gives the names of the results.
"""

from __future__ import annotations

from collections.abc import Callable

from ....extend.operations import OPERATIONS

FORMS: dict[str, Callable] = {}


COMPLEX = "ONNX's operators take no complex numbers"
AS_TWO_ARRAYS = "Compute with the real and the imaginary parts as two arrays of floats."


class NoFormError(Exception):
    """A node has no ONNX form; the message says what of it, and `cure` what to do."""

    def __init__(
        self,
        message: str,
        cure: str = "Leave it out of what is exported, or run it with allograph.",
    ):
        super().__init__(message)
        self.cure = cure


def form(*names: str):
    """Declare the form of operations: a decorator."""

    def enter(write: Callable) -> Callable:
        for name in names:
            FORMS[OPERATIONS[name].name] = write
        return write

    return enter
