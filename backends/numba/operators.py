"""The intrinsics that rewritten source calls (see `kernel_syntax.py`)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...runtime.jit import polls
from ...runtime.jit.expressions import OPERATORS as KNOWN
from ...runtime.jit.kernel_types import BOOL, VectorType
from ...runtime.jit.llvm_values import Number
from ...runtime.jit.loop_hints import intrinsic
from ...runtime.jit.supported_functions import (
    METHODS,
    SUPPORTED,
    address_of,
    array_at,
    copy_elements,
    fill,
)
from ...runtime.jit.values import Array
from ...runtime.kernel_ir.reader import OPERATORS as SIGNS
from ..python import interpreted
from . import array_functions
from .kernel_syntax import GROWING, PREFIX, VIEWS
from .loops import counted


def _operator(op: str):
    @intrinsic
    def write(writer, first, second):
        return writer.combined(op, first, second)

    return write


def _function(python_function: Callable):
    @intrinsic
    def write(writer, *operands):
        return SUPPORTED[python_function](writer, *operands)

    return write


@intrinsic
def both(writer, first, second):
    return writer.combined("&", writer.truth(first), writer.truth(second))


@intrinsic
def one_of(writer, first, second):
    return writer.combined("|", writer.truth(first), writer.truth(second))


@intrinsic
def negated(writer, x):
    return -writer.number(x)


@intrinsic
def inverted(writer, x):
    x = writer.number(x)
    return x ^ (True if x.dtype == BOOL else -1)


@intrinsic
def opposite(writer, x):
    return writer.truth(x) ^ True


@intrinsic
def cast(writer, value, class_):
    """`np.float32(value)` of a number or a vector."""
    dtype = np.dtype(class_)
    if isinstance(value, Number) and value.length:
        return writer.number(value, VectorType(dtype, value.length))
    return writer.truth(value) if dtype == BOOL else writer.number(value, dtype)


@intrinsic
def select(writer, condition, x, y):
    """`x if condition else y`, both of which are computed."""
    test = writer.truth(condition)
    if not isinstance(test, bool):
        return writer.chosen(test, x, y)
    return writer.number(x if test else y, writer.meeting_of(x, y))


@intrinsic
def kept(writer, array):
    """A result of unknown size, in memory that outlives the call."""
    return writer.outliving(array)


@intrinsic
def keep(writer, array) -> None:
    """A use of an array, whose memory lives until then."""


@intrinsic
def copied(writer, part, value) -> None:
    """`part[:] = value`."""
    copy_elements(writer, part, value) if isinstance(value, Array) else fill(writer, part, value)


OPERATORS = {
    **{PREFIX + type_.__name__: _operator(op) for type_, op in SIGNS.items() if op in KNOWN},
    **{PREFIX + function.__name__: _function(function) for function in (abs, min, max)},
    f"{PREFIX}And": both,
    f"{PREFIX}Or": one_of,
    f"{PREFIX}Not": opposite,
    f"{PREFIX}USub": negated,
    f"{PREFIX}Invert": inverted,
    f"{PREFIX}cast": cast,
    f"{PREFIX}select": select,
    f"{PREFIX}kept": kept,
    f"{PREFIX}keep": keep,
    **{PREFIX + name: intrinsic(METHODS[name]) for name in VIEWS},
    f"{PREFIX}copied": copied,
    f"{PREFIX}index": array_functions.index,
    f"{PREFIX}empty": array_functions.empty,
    f"{PREFIX}zeros": array_functions.zeros,
    **{PREFIX + name: getattr(interpreted, name) for name in GROWING},
    f"{PREFIX}array_from": array_functions.array_from,
    f"{PREFIX}array_at": intrinsic(array_at),
    f"{PREFIX}address_of": intrinsic(address_of),
    f"{PREFIX}range": counted,
    f"{PREFIX}tick": polls.tick_now,
    f"{PREFIX}polled": polls.poll_after,
}
