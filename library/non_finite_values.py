"""Which operation gave the first value that is not finite: `debugging.first_nan` tells, and after
`debugging.enable_check_numerics` it is an error. `debugging.check_numerics` checks one tensor.
"""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..extend.errors import InvalidArgumentError, SourceLocation, line_of_operation
from ..extend.graphs import OBSERVERS
from ..extend.operations import FLOATS, PURE, WRITES, apply, hidden_op, same_as_input
from ..extend.registration import public
from ..extend.specs import is_real


@dataclass(frozen=True)
class NonFinite:
    """The first operation of a call that gave NaN or infinity. It prints as a report.

    operation   its name
    where       the user's line, for a gradient that of the forward operation; None if there is none
    execution   1 where it ran for the first time at this line, 2 for the second iteration of a loop
    output      the result in words, with the number of elements that are not finite
    operands    each operand in words, with the range of its elements
    """

    operation: str
    where: SourceLocation | None
    execution: int
    output: str
    operands: tuple[str, ...]

    def __str__(self):
        lines = [f"the operation '{self.operation}' gave {self.output}"]
        if self.execution > 1:
            lines[0] += f", in execution {self.execution} of its line"
        lines += [f"  operand {at}: {operand}" for at, operand in enumerate(self.operands)]
        return "\n".join([*lines, *([self.where.excerpt()] if self.where else [])])


@public("debugging.first_nan")
def first_nan(function: Callable) -> Callable[..., NonFinite | None]:
    """A function that calls `function` and reports the first NaN or infinity that appears.

    It takes the arguments of `function`. The result is a report of the first operation that gave
    NaN from operands without NaN. Where there was no NaN, it is the first one that gave infinity
    from finite operands, and None where there is no such operation either.

    Operations of traced functions and of gradients count as well as eager ones. The call runs on
    NumPy, operation by operation, and may change variables as any call does. An error of `function`
    after the first NaN ends the call without being raised.

    >>> import allograph as ag
    >>> @ag.function
    ... def mean_of_logs(x):
    ...     while ag.reduce_min(x) > -2.0:
    ...         x = x - 1.0
    ...     return ag.reduce_mean(ag.math.log(x))
    >>> print(ag.debugging.first_nan(mean_of_logs)(ag.constant([0.5, 9.0])))
    the operation 'log' gave float32 with shape (2,): 1 NaN
      operand 0: float32 with shape (2,), from -2.5 to 6
      File "<doctest ...library.non_finite_values.first_nan[1]>", line 5, in mean_of_logs
        return ag.reduce_mean(ag.math.log(x))
                              ^^^^^^^^^^^^^^

    Raises what `function` raises before there is a NaN.
    """

    @functools.wraps(function)
    def call(*args, **kwargs) -> NonFinite | None:
        observer = _Observer()
        OBSERVERS.append(observer)
        try:
            function(*args, **kwargs)
        except Exception:
            if observer.nan is None:
                raise
        finally:
            OBSERVERS.remove(observer)
        return observer.nan or observer.infinity

    return call


class _Observer:
    """Keeps the first operation that made NaN, and the first one that made infinity."""

    def __init__(self):
        self.nan: NonFinite | None = None
        self.infinity: NonFinite | None = None
        self.executions: collections.Counter = collections.Counter()

    def __call__(self, op, where, start, inputs, outputs) -> None:
        if self.nan is not None or op.effect is not PURE or op.moves_only or op.is_constant:
            return
        where = where or line_of_operation(2)
        self.executions[op, str(where)] += 1
        for array in outputs:
            count = describe_non_finite(array)
            if "NaN" in count and not any(
                "NaN" in describe_non_finite(operand) for operand in inputs
            ):
                self.nan = self._report(op, where, array, count, inputs)
            elif count and self.infinity is None and not any(map(describe_non_finite, inputs)):
                self.infinity = self._report(op, where, array, count, inputs)

    def _report(self, op, where, array, count: str, inputs) -> NonFinite:
        output = f"{_described(array)}: {count}"
        operands = tuple(map(_with_range, inputs))
        return NonFinite(op.name, where, self.executions[op, str(where)], output, operands)


def _described(array) -> str:
    return f"{np.asarray(array).dtype} with shape {np.shape(array)}"


def _with_range(array) -> str:
    array = np.asarray(array)
    if not array.size or not is_real(array.dtype):
        return _described(array)
    if array.ndim == 0:
        return f"{_described(array)}: {array:g}"
    return f"{_described(array)}, from {np.min(array):g} to {np.max(array):g}"


# ---- as errors ---------------------------------------------------------------------------------


@public("debugging.enable_check_numerics")
def enable_check_numerics(stack_height_limit=30, path_length_limit=50) -> None:
    """From now on an operation that gives NaN or infinity raises InvalidArgumentError.

    It holds for eager operations and inside every function, traced before or later, until
    `disable_check_numerics`. The message names the operation, your line, and the input that had NaN
    or infinity already, if any. Operations that only move elements are not looked at. Functions run
    slower meanwhile, on NumPy.

    >>> ag.debugging.enable_check_numerics()
    >>> try:
    ...     ag.math.log(-1.0)
    ... except ag.errors.InvalidArgumentError as error:
    ...     print(error.message)
    ... finally:
    ...     ag.debugging.disable_check_numerics()
    the operation 'log' gave NaN: output 0, float32 with shape (): 1 NaN
    """
    if check not in OBSERVERS:
        OBSERVERS.append(check)


@public("debugging.disable_check_numerics")
def disable_check_numerics() -> None:
    """End `enable_check_numerics`; nothing where it is off.

    >>> ag.debugging.disable_check_numerics()
    """
    if check in OBSERVERS:
        OBSERVERS.remove(check)


def check(op, where, start, inputs, outputs) -> None:
    """The observer: raise InvalidArgumentError where a result is not finite."""
    if op.effect is not PURE or op.moves_only:
        return
    for index, array in enumerate(outputs):
        description = describe_non_finite(array)
        if description:
            problem = "NaN" if "NaN" in description else "Inf"
            lines = [
                f"the operation '{op.name}' gave {problem}: output {index}, {array.dtype} with "
                f"shape {array.shape}: {description}"
            ]
            counts = [(at, describe_non_finite(operand)) for at, operand in enumerate(inputs)]
            lines += [f"its input {at} had {count} already" for at, count in counts if count]
            raise InvalidArgumentError("\n".join(lines), where=where)


def describe_non_finite(array) -> str:
    """How many elements are not finite, in words; empty when all are."""
    array = np.asarray(array)
    if array.dtype.kind not in "fcV" or np.all(np.isfinite(array)):
        return ""
    real = array.real if np.iscomplexobj(array) else array
    rows = (
        ("NaN", np.count_nonzero(np.isnan(array))),
        ("+Inf", np.count_nonzero(np.isinf(array) & ~np.isnan(array) & (real > 0))),
        ("-Inf", np.count_nonzero(np.isinf(array) & ~np.isnan(array) & ~(real > 0))),
    )
    return ", ".join(f"{count} {name}" for name, count in rows if count)


@hidden_op
class CheckNumerics:
    """The same value, checked to have no NaN and no infinity."""

    accepts = FLOATS
    effect = WRITES
    result = same_as_input

    def kernel(tensor, *, message):
        if not np.all(np.isfinite(tensor)):
            checks = (("Inf", np.any(np.isinf(tensor))), ("NaN", np.any(np.isnan(tensor))))
            problems = " and ".join(name for name, occurs in checks if occurs)
            raise InvalidArgumentError(f"{message} : Tensor had {problems} values")
        return tensor

    def gradient(dy, y, tensor, *, message):
        return (dy,)


@public("debugging.check_numerics")
def check_numerics(tensor, message="", name=None):
    """`tensor`, a tensor of floats checked to have no NaN and no infinity.

    >>> float(ag.debugging.check_numerics(1.5, "the loss"))
    1.5

    Raises InvalidArgumentError with `message` when the program runs.
    """
    return apply(CheckNumerics, (tensor,), {"message": message}, name)
