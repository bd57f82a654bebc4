"""How a trace in NumPy mode ends early.

An `Exception` in a branch means that Python runs what takes the branch. The others end the trace.
"""

from __future__ import annotations


class RefusedError(BaseException):
    """The function cannot be traced: NumPy runs it. The message is the reason."""


class FormattedError(Exception):
    """A computed value becomes a string, as in the message of an exception."""

    def __init__(self):
        super().__init__("a computed value is formatted as a string")


class StaticArgumentError(BaseException):
    """A number has to be known while tracing: the arguments at `positions` become constants."""

    def __init__(self, positions: frozenset[int]):
        super().__init__(positions)
        self.positions = positions


class LongLoopError(BaseException):
    """A `while` over numbers of Python's has many iterations: the loop with this code is staged."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


class SharedWriteError(BaseException):
    """A staged statement writes an array from outside, which has to be stored in a cell first."""

    def __init__(self, storage):
        super().__init__(storage)
        self.storage = storage


class TupleStateError(BaseException):
    """A staged loop has to be traced again: the name number `at` holds a tuple of `size` parts."""

    def __init__(self, builder, at: int, size: int):
        super().__init__(builder, at, size)
        self.builder = builder
        self.at = at
        self.size = size


class StateTypesError(BaseException):
    """A staged statement has to be traced again, with these types of its state."""

    def __init__(self, builder, state_types: list):
        super().__init__(builder, state_types)
        self.builder = builder
        self.state_types = state_types
