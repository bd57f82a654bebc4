"""`debugging.enable_check_numerics`: the first operation that gives NaN or infinity is an error."""

from __future__ import annotations

import numpy as np

from ..core.errors import InvalidArgumentError
from ..core.numpy_dtypes import is_complex
from ..core.public_names import public
from ..ir.op import PURE
from .op_hooks import OBSERVERS


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
            counts = [(at, describe_non_finite(one)) for at, one in enumerate(inputs)]
            lines += [f"its input {at} had {count} already" for at, count in counts if count]
            raise InvalidArgumentError("\n".join(lines), where=where)


def describe_non_finite(array) -> str:
    """How many elements are not finite, in words; empty when all are."""
    array = np.asarray(array)
    if array.dtype.kind not in "fcV" or np.all(np.isfinite(array)):
        return ""
    real = array.real if is_complex(array.dtype) else array
    rows = (
        ("NaN", np.count_nonzero(np.isnan(array))),
        ("+Inf", np.count_nonzero(np.isinf(array) & ~np.isnan(array) & (real > 0))),
        ("-Inf", np.count_nonzero(np.isinf(array) & ~np.isnan(array) & ~(real > 0))),
    )
    return ", ".join(f"{count} {name}" for name, count in rows if count)
